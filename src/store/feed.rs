//! The most recent committed events, for readers in this process.
//!
//! A tenant has a feed as long as it is read. Events that a feed no longer has, or does not have
//! yet, are in the store: a feed makes readers faster and is never required.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use tokio::sync::watch;

use crate::domain::Event;

/// Events that a feed keeps.
const MAX_FEED_EVENTS: usize = 1_024;

/// The feeds of all tenants that have readers.
#[derive(Debug, Default)]
pub(super) struct Feeds {
    tenants: Mutex<BTreeMap<Arc<str>, Weak<Feed>>>,
}

impl Feeds {
    /// The tenant's feed, created if there is none.
    pub(super) fn feed(&self, tenant: &Arc<str>) -> Arc<Feed> {
        let mut tenants = lock(&self.tenants);
        if let Some(feed) = tenants.get(tenant).and_then(Weak::upgrade) {
            return feed;
        }
        tenants.retain(|_, feed| feed.strong_count() > 0);
        let feed = Arc::new(Feed::default());
        tenants.insert(Arc::clone(tenant), Arc::downgrade(&feed));
        feed
    }

    /// Whether the tenant's feed has readers.
    pub(super) fn has_readers(&self, tenant: &str) -> bool {
        lock(&self.tenants).get(tenant).is_some_and(|feed| feed.strong_count() > 0)
    }

    /// The feeds that have readers.
    pub(super) fn read(&self) -> Vec<(Arc<str>, Arc<Feed>)> {
        let tenants = lock(&self.tenants);
        let read = tenants.iter().filter_map(|(name, feed)| Some((name.clone(), feed.upgrade()?)));
        read.collect()
    }

    /// Adds committed events to the tenant's feed, if it has readers.
    pub(super) fn push(&self, tenant: &str, events: Vec<Event>) {
        let feed = lock(&self.tenants).get(tenant).and_then(Weak::upgrade);
        if let Some(feed) = feed {
            feed.push(events);
        }
    }
}

/// The most recent events of one tenant.
#[derive(Debug)]
pub struct Feed {
    recent: Mutex<VecDeque<Arc<FeedEvent>>>,
    newest: watch::Sender<u64>,
}

/// An event in a feed.
#[derive(Debug)]
pub struct FeedEvent {
    pub event: Event,
    text: OnceLock<Box<str>>,
}

impl FeedEvent {
    /// The event as its readers are shown it, which is made once for all of them.
    pub fn text(&self, make: impl FnOnce(&Event) -> String) -> &str {
        self.text.get_or_init(|| make(&self.event).into())
    }
}

/// The events that a feed has after a number.
#[derive(Debug)]
pub enum FeedRead {
    /// The next ones, without a gap.
    Events(Vec<Arc<FeedEvent>>),
    /// Nothing was committed since then.
    Nothing,
    /// The next one is not here: the store has it.
    Elsewhere,
}

impl Default for Feed {
    fn default() -> Self {
        Self { recent: Mutex::default(), newest: watch::Sender::new(0) }
    }
}

impl Feed {
    /// At most `limit` events after a number, as far as the feed has them.
    pub fn take(&self, after: u64, limit: usize) -> FeedRead {
        if *self.newest.borrow() <= after {
            return FeedRead::Nothing;
        }
        let recent = lock(&self.recent);
        let first = recent.partition_point(|told| told.event.seq <= after);
        let next = recent.iter().skip(first).zip(after + 1..);
        let found: Vec<_> = next
            .take_while(|(told, seq)| told.event.seq == *seq)
            .take(limit)
            .map(|(told, _)| told.clone())
            .collect();
        if found.is_empty() { FeedRead::Elsewhere } else { FeedRead::Events(found) }
    }

    /// A channel with the number of the newest event that the feed knows; it changes when there are
    /// more.
    pub fn newest(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// The number of the newest event that the feed knows; 0 if there was none.
    pub(super) fn newest_seen(&self) -> u64 {
        *self.newest.borrow()
    }

    /// Announces events up to a number, which are in the store.
    pub(super) fn announce(&self, newest: u64) {
        self.newest.send_if_modified(|seen| {
            let is_news = newest > *seen;
            *seen = newest.max(*seen);
            is_news
        });
    }

    /// Commits arrive in any order, and some twice; the feed keeps each event once.
    pub(super) fn push(&self, events: Vec<Event>) {
        let mut recent = lock(&self.recent);
        for event in events {
            let at = recent.partition_point(|known| known.event.seq < event.seq);
            if recent.get(at).is_none_or(|known| known.event.seq != event.seq) {
                recent.insert(at, Arc::new(FeedEvent { event, text: OnceLock::new() }));
            }
        }
        while recent.len() > MAX_FEED_EVENTS {
            recent.pop_front();
        }
        let newest = recent.back().map_or(0, |newest| newest.event.seq);
        drop(recent);
        self.announce(newest);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{EventKind, RawJson, Timestamp};

    fn event(seq: u64) -> Event {
        Event {
            seq,
            at: Timestamp::default(),
            kind: EventKind::MemoryChanged,
            session_id: None,
            compilation_id: None,
            data: RawJson::new("{}"),
        }
    }

    fn taken(feed: &Feed, after: u64) -> Option<Vec<u64>> {
        match feed.take(after, usize::MAX) {
            FeedRead::Events(events) => Some(events.iter().map(|told| told.event.seq).collect()),
            FeedRead::Nothing => Some(Vec::new()),
            FeedRead::Elsewhere => None,
        }
    }

    #[test]
    fn events_come_in_order_whatever_order_they_are_told_in() {
        let feeds = Feeds::default();
        let feed = feeds.feed(&"t".into());
        assert_eq!(taken(&feed, 0), Some(vec![]));
        feeds.push("t", vec![event(3)]);
        assert_eq!(taken(&feed, 1), None, "2 is not here");
        assert_eq!(taken(&feed, 2), Some(vec![3]));
        feeds.push("t", vec![event(2)]);
        assert_eq!(taken(&feed, 1), Some(vec![2, 3]));
        assert_eq!(taken(&feed, 3), Some(vec![]));
        assert_eq!(*feed.newest().borrow(), 3);
        feeds.push("other", vec![event(4)]);
        assert_eq!(taken(&feed, 3), Some(vec![]));
        feeds.push("t", vec![event(2), event(3)]);
        assert_eq!(taken(&feed, 1), Some(vec![2, 3]), "each once");
        feed.announce(5);
        assert_eq!(taken(&feed, 3), None, "the store has them");
        assert_eq!(taken(&feed, 5), Some(vec![]));
    }

    #[test]
    fn what_is_old_is_elsewhere_and_nobody_keeps_a_feed_that_is_not_read() {
        let feeds = Feeds::default();
        let feed = feeds.feed(&"t".into());
        feeds.push("t", (1..=2_000).map(event).collect());
        assert_eq!(taken(&feed, 5), None);
        assert_eq!(taken(&feed, 1_999), Some(vec![2_000]));
        drop(feed);
        assert_eq!(taken(&feeds.feed(&"t".into()), 0), Some(vec![]));
    }
}
