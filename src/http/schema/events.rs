//! Schemas of `/events`.

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::domain::{Event, EventKind, RawJson, word_of};
use crate::service::events::EventPage;

/// What opens one stream.
#[derive(Debug, ToSchema)]
pub struct EventTicket {
    /// What to send as `ticket` of `GET /events`.
    #[schema(example = "cXJ6Vn0mR3lQ8yTqk2s1WbHd")]
    pub ticket: String,
    /// Seconds for which a stream can be opened with it.
    pub expires_in_seconds: u64,
}

/// An event.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventRow {
    /// From 1, one more with each event of the tenant; null for what is said to one reader alone.
    pub seq: Option<u64>,
    /// What happened.
    #[serde(rename = "type")]
    #[schema(rename = "type", example = "memory:changed")]
    pub kind: &'static str,
    /// When it happened: RFC 3339, in UTC.
    #[schema(example = "2026-12-31T23:59:59.000Z")]
    pub at: Option<String>,
    /// The session that it is about, or null.
    pub session_id: Option<String>,
    /// The compile that it is about, or null.
    pub compilation_id: Option<String>,
    /// Ids and counts, by type.
    #[schema(value_type = Object)]
    pub data: Box<RawValue>,
}

impl From<&Event> for EventRow {
    fn from(event: &Event) -> Self {
        Self {
            seq: Some(event.seq),
            kind: word_of(EventKind::WORDS, event.kind),
            at: Some(event.at.with_millis()),
            session_id: event.session_id.as_deref().map(str::to_owned),
            compilation_id: event.compilation_id.as_deref().map(str::to_owned),
            data: raw(&event.data),
        }
    }
}

impl EventRow {
    /// What is said to one reader alone.
    pub(crate) fn of_stream(kind: EventKind, data: &RawJson) -> Self {
        Self {
            seq: None,
            kind: word_of(EventKind::WORDS, kind),
            at: None,
            session_id: None,
            compilation_id: None,
            data: raw(data),
        }
    }
}

fn raw(data: &RawJson) -> Box<RawValue> {
    RawValue::from_string(data.as_str().to_owned()).unwrap_or_default()
}

/// A page of events.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventList {
    pub items: Vec<EventRow>,
    /// The `after` of the next page, also where nothing has happened yet.
    pub next_after: u64,
    /// Whether there is more already.
    pub has_more: bool,
    /// Events before these that are no longer kept.
    pub gap: Option<EventGap>,
}

/// Numbers of events, from the first to the last.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventGap {
    /// The first id that is missing.
    pub from: u64,
    /// The last id that is missing.
    pub to: u64,
}

impl From<EventPage> for EventList {
    fn from(page: EventPage) -> Self {
        Self {
            items: page.events.iter().map(EventRow::from).collect(),
            next_after: page.after,
            has_more: page.goes_on,
            gap: page.gap.map(|(from, to)| EventGap { from, to }),
        }
    }
}
