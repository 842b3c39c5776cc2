//! Events: in pages, and as they come.

use std::sync::Arc;

use super::{Error, Services};
use crate::domain::{Event, EventKind};
pub use crate::store::{Feed, FeedEvent, FeedRead};

/// Events that are read from the store at once.
const AT_ONCE: usize = 500;

/// Which events a reader wants. What is absent does not matter.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub kinds: Option<Vec<EventKind>>,
    pub session_id: Option<String>,
}

impl Filter {
    pub fn holds(&self, event: &Event) -> bool {
        let kind = self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&event.kind));
        let session = self.session_id.as_deref();
        kind && session.is_none_or(|session| event.session_id.as_deref() == Some(session))
    }
}

/// Some events behind a number.
#[derive(Debug)]
pub struct EventPage {
    pub events: Vec<Event>,
    /// Behind which number the next page begins.
    pub after: u64,
    /// Numbers that are no longer kept, from the first to the last, before the first of them.
    pub gap: Option<(u64, u64)>,
    /// Whether there is more.
    pub goes_on: bool,
}

/// The next events behind a number that a filter lets through, at most so many.
pub fn page(
    services: &Services,
    after: u64,
    filter: &Filter,
    limit: usize,
) -> Result<EventPage, Error> {
    services.tenant().read(|tx| {
        let (newest, oldest) = tx.event_bounds()?;
        // A number that was never given, by another server or another store: from now on.
        let after = after.min(newest);
        let gap = (after + 1 < oldest).then_some((after + 1, oldest - 1));
        let mut page = EventPage { events: Vec::new(), after, gap, goes_on: true };
        while page.goes_on && page.events.len() < limit {
            let found = tx.events(page.after, AT_ONCE)?;
            page.goes_on = found.len() == AT_ONCE;
            for event in found {
                if page.events.len() == limit {
                    page.goes_on = true;
                    break;
                }
                page.after = event.seq;
                if filter.holds(&event) {
                    page.events.push(event);
                }
            }
        }
        if !page.goes_on && page.events.is_empty() {
            page.after = newest.max(page.after);
        }
        Ok(page)
    })
}

/// What is committed from now on, and the number of the newest event.
pub fn follow(services: &Services) -> Result<(Arc<Feed>, u64), Error> {
    let tenant = services.tenant();
    let feed = tenant.feed();
    let (newest, _) = tenant.read(|tx| tx.event_bounds())?;
    Ok((feed, newest))
}
