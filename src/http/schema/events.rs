//! Schemas of `/events`.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::openapi::schema::{
    Discriminator, ObjectBuilder, OneOfBuilder, Ref, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{KnownFormat, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::constant;
use crate::domain::{Event, EventKind, RawJson, word_of};
use crate::service::event_data::{
    CacheExpiringData, CompileDoneData, CompileFailedData, CompileStartData, CompressData,
    ContextInjectedData, DelegationRecordedData, GatewayRequestData, HookDeniedData,
    HookDisabledData, HookFailedData, HookLostData, MemoryDeniedData, MemoryEventData,
    SessionSwitchedData, StreamGapData, StreamOverflowData, ToolDeniedData,
};
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

/// An event as it is written. The description has a schema for each type.
#[derive(Debug, Serialize)]
pub struct EventRow {
    /// From 1, one more with each event of the tenant; null for what is said to one reader alone.
    pub seq: Option<u64>,
    /// What happened.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// When it happened: RFC 3339, in UTC. Null without `seq`.
    pub at: Option<String>,
    /// The session that it is about, or null.
    pub session_id: Option<String>,
    /// The compile that it is about, or null.
    pub compilation_id: Option<String>,
    /// Ids and counts, by type.
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

/// The schema of an event's data, and the schemas that it refers to.
struct DataSchema {
    name: Cow<'static, str>,
    schema: RefOr<Schema>,
    inner: fn(&mut Vec<(String, RefOr<Schema>)>),
}

impl DataSchema {
    fn new<T: ToSchema>() -> Self {
        Self { name: T::name(), schema: T::schema(), inner: T::schemas }
    }

    fn of(kind: EventKind) -> Self {
        match kind {
            EventKind::CompileStart => Self::new::<CompileStartData<'_>>(),
            EventKind::CompileDone => Self::new::<CompileDoneData<'_>>(),
            EventKind::CompileFailed => Self::new::<CompileFailedData>(),
            EventKind::GatewayRequest => Self::new::<GatewayRequestData<'_>>(),
            EventKind::Compress => Self::new::<CompressData>(),
            EventKind::ContextInjected => Self::new::<ContextInjectedData<'_>>(),
            EventKind::MemoryChanged | EventKind::MemoryExpired => {
                Self::new::<MemoryEventData<'_>>()
            }
            EventKind::MemoryDenied => Self::new::<MemoryDeniedData<'_>>(),
            EventKind::ToolDenied => Self::new::<ToolDeniedData<'_>>(),
            EventKind::HookFailed => Self::new::<HookFailedData<'_>>(),
            EventKind::HookDenied => Self::new::<HookDeniedData<'_>>(),
            EventKind::DelegationRecorded => Self::new::<DelegationRecordedData<'_>>(),
            EventKind::SessionSwitched => Self::new::<SessionSwitchedData<'_>>(),
            EventKind::CacheExpiring => Self::new::<CacheExpiringData<'_>>(),
            EventKind::HookDisabled => Self::new::<HookDisabledData<'_>>(),
            EventKind::HookLost => Self::new::<HookLostData<'_>>(),
            EventKind::StreamGap => Self::new::<StreamGapData>(),
            EventKind::StreamOverflow => Self::new::<StreamOverflowData>(),
        }
    }
}

/// The name of an event's schema: `CompileDoneEvent` for `compile:done`.
fn event_name(word: &str) -> String {
    let mut name = String::new();
    for part in word.split([':', '_']) {
        let (first, rest) = part.split_at(part.len().min(1));
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    name + "Event"
}

fn describe_event(word: &str, kind: EventKind) -> Schema {
    let is_notice = matches!(kind, EventKind::StreamGap | EventKind::StreamOverflow);
    let or_null = |kind: Type| SchemaType::Array(vec![kind, Type::Null]);
    let id = |text: &str| {
        ObjectBuilder::new().schema_type(or_null(Type::String)).description(Some(text))
    };
    let (seq, at) = (ObjectBuilder::new(), ObjectBuilder::new());
    let (seq, at) = if is_notice {
        let null = || SchemaType::Type(Type::Null);
        (seq.schema_type(null()), at.schema_type(null()))
    } else {
        let date_time = SchemaFormat::KnownFormat(KnownFormat::DateTime);
        let int64 = SchemaFormat::KnownFormat(KnownFormat::Int64);
        let seq = seq.schema_type(Type::Integer).format(Some(int64)).minimum(Some(1));
        (seq, at.schema_type(Type::String).format(Some(date_time)))
    };
    let (seq_text, at_text) = if is_notice {
        ("Null: the event is for this reader alone.", "Null: the event is not stored.")
    } else {
        ("From 1, one more with each event of the tenant.", "When it happened: RFC 3339, in UTC.")
    };
    let data = DataSchema::of(kind);
    let about = match &data.schema {
        RefOr::T(Schema::Object(data)) => data.description.clone(),
        _ => None,
    };
    ObjectBuilder::new()
        .description(about)
        .property("seq", seq.description(Some(seq_text)))
        .property("type", constant(word).description(Some("The type of the event.")))
        .property("at", at.description(Some(at_text)))
        .property("session_id", id("The session that it is about, or null."))
        .property("compilation_id", id("The compile that it is about, or null."))
        .property("data", Ref::from_schema_name(data.name))
        .required("seq")
        .required("type")
        .required("at")
        .required("session_id")
        .required("compilation_id")
        .required("data")
        .build()
        .into()
}

impl PartialSchema for EventRow {
    fn schema() -> RefOr<Schema> {
        let reference = |word: &str| Ref::from_schema_name(event_name(word));
        let mapping = EventKind::WORDS
            .iter()
            .map(|(word, _)| ((*word).to_owned(), reference(word).ref_location));
        let discriminator = Discriminator::with_mapping("type", mapping);
        let events = EventKind::WORDS
            .iter()
            .fold(OneOfBuilder::new(), |events, (word, _)| events.item(reference(word)));
        let about = "An event, by `type`. Later releases have further types: pass over what you do \
                     not know.";
        let events = events.discriminator(Some(discriminator)).description(Some(about));
        RefOr::T(Schema::OneOf(events.build()))
    }
}

impl ToSchema for EventRow {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        for (word, kind) in EventKind::WORDS {
            schemas.push((event_name(word), RefOr::T(describe_event(word, *kind))));
            let DataSchema { name, schema, inner } = DataSchema::of(*kind);
            schemas.push((name.into_owned(), schema));
            inner(schemas);
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
