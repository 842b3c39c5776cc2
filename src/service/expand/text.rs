//! A text by itself: known by how it was shown, else decoded as a tool result is.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use super::answer::{ResponseText, answer_text};
use super::{ExpandReport, Missing};
use crate::compress::{self, Decoded, Decoder};
use crate::domain::ArtifactId;
use crate::json::{self, Limits};
use crate::limit::Allowance;
use crate::service::compile::Error;
use crate::service::original_forms::OriginalsByForm;
use crate::service::recognized_messages::{MessageRecipe, RecognizedMessages, message_of};
use crate::store::Tenant;

/// The text that was shown as `shown`, from the store or from what the caller kept; else what its
/// notations say.
pub(super) fn expand(
    tenant: &Tenant,
    shown: &str,
    originals: &BTreeMap<String, Arc<str>>,
    allowance: &Allowance,
) -> Result<Bytes, Error> {
    let message = message_of(shown);
    let node = json::parse(&message, Limits::default())?;
    let mut known = RecognizedMessages::of(tenant, std::slice::from_ref(&node))?;
    let is_lost = known.lost.contains(&true);
    match known.originals.pop().flatten() {
        Some(recipe) if MessageRecipe::is_one(&recipe) => {
            let wanted = MessageRecipe::steps(&recipe).first().map(|step| step.id().clone());
            let kept = wanted.as_ref().and_then(|id| originals.get(id));
            match kept {
                Some(text) => answer_text(&ResponseText::Text(text), &whole(), allowance),
                None => decoded(shown, originals, wanted.as_deref(), false, allowance),
            }
        }
        Some(original) => {
            let original = json::parse(&original, Limits::default())?;
            let text = original.get("text").map(|text| text.raw);
            answer_text(
                &text.map_or(ResponseText::Nothing, ResponseText::Json),
                &whole(),
                allowance,
            )
        }
        None => decoded(shown, originals, None, is_lost, allowance),
    }
}

fn whole() -> ExpandReport {
    ExpandReport { expanded: 1, identical: true, ..ExpandReport::default() }
}

/// What a text decodes to. `wanted` is the original that it was made from, where that is known;
/// `is_lost` says that something is gone with the store.
fn decoded(
    shown: &str,
    originals: &BTreeMap<String, Arc<str>>,
    wanted: Option<&str>,
    is_lost: bool,
    allowance: &Allowance,
) -> Result<Bytes, Error> {
    let mut done = ExpandReport::default();
    let decoded = Decoder::new(shown.len()).decode_result(&[shown.into()]).pop();
    let decoded = OriginalsByForm::of(originals).take(shown, decoded.unwrap_or(Decoded::Same));
    let is_wanted =
        |text: &str| wanted.is_some_and(|id| *id == ArtifactId::of_text(text).to_string());
    let text = match decoded {
        Decoded::Text(text) => {
            done.expanded = 1;
            // Whether white space was left out cannot be told from the text.
            done.identical = is_wanted(&text);
            Some(text)
        }
        Decoded::Same => {
            let is_known = wanted.is_some() || is_lost;
            done.unchanged = usize::from(!is_known);
            done.identical = !is_known && !compress::has_gaps(shown);
            None
        }
        Decoded::Missing => {
            done.missing.push(Missing { index: Some(0), id: None });
            None
        }
    };
    if !done.identical && done.missing.is_empty() && (wanted.is_some() || is_lost) {
        done.missing.push(Missing { index: Some(0), id: wanted.map(str::to_owned) });
    }
    answer_text(&ResponseText::Text(text.as_deref().unwrap_or(shown)), &done, allowance)
}
