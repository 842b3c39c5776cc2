//! The texts that adapters made shorter: those with prose that a summariser may be asked about.

use std::borrow::Cow;
use std::sync::Arc;

use super::ShortenJob;
use super::report::Row;
use crate::provider::MessageText;

/// Whether an adapter made what these rules led to.
pub(super) fn uses_adapters(rules: &[Cow<'static, str>]) -> bool {
    rules.iter().any(|rule| rule.starts_with("adapter:"))
}

/// The results in the messages that adapters made shorter.
pub(super) fn texts_of_adapters<'s>(job: &'s ShortenJob<'_>, rows: &[Row]) -> Vec<&'s Arc<str>> {
    let shortened = rows.iter().filter(|row| uses_adapters(&row.rules));
    let messages = shortened.filter_map(|row| job.spoken.get(row.origin?));
    let results = messages.flatten().filter_map(|spoken| match spoken {
        MessageText::Result(answered) => Some(&answered.slots),
        _ => None,
    });
    results.flatten().map(|slot| &slot.text).collect()
}
