//! Reads events: in pages, and as they are committed.

use std::sync::Arc;

use super::{Error, Services};
use crate::domain::{Event, EventKind};
pub use crate::store::{Feed, FeedEvent, FeedRead};

/// Events that are read from the store in one go.
const MAX_READ_EVENTS: usize = 500;

/// A filter of events. An absent member accepts all events.
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

/// A page of events after a number.
#[derive(Debug)]
pub struct EventPage {
    pub events: Vec<Event>,
    /// The number after which the next page begins.
    pub after: u64,
    /// The first and the last of the numbers before the page that are no longer stored.
    pub gap: Option<(u64, u64)>,
    /// Whether there is more.
    pub goes_on: bool,
}

/// Numbers of events that a page looks at: a filter that accepts nothing holds no other reader up.
const MAX_EXAMINED_EVENTS: u64 = 5_000;

/// Reads at most `limit` events after a number that the filter accepts. Looks at
/// `MAX_EXAMINED_EVENTS` of them, so that a page may have fewer, or none, and the list goes on.
pub fn page(
    services: &Services,
    after: u64,
    filter: &Filter,
    limit: usize,
) -> Result<EventPage, Error> {
    services.tenant().read(|tx| {
        let (newest, oldest) = tx.event_bounds()?;
        // A number that this store has not reached comes from another server or store: read new
        // events only.
        let after = after.min(newest);
        let gap = (after + 1 < oldest).then_some((after + 1, oldest - 1));
        let mut page = EventPage { events: Vec::new(), after, gap, goes_on: true };
        let last = after.saturating_add(MAX_EXAMINED_EVENTS);
        while page.goes_on && page.events.len() < limit && page.after < last {
            let found = tx.events(page.after, MAX_READ_EVENTS)?;
            page.goes_on = found.len() == MAX_READ_EVENTS;
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

/// Returns a feed of the events from now on, and the number of the newest event.
pub fn follow(services: &Services) -> Result<(Arc<Feed>, u64), Error> {
    let tenant = services.tenant();
    let feed = tenant.feed();
    let (newest, _) = tenant.read(|tx| tx.event_bounds())?;
    Ok((feed, newest))
}
