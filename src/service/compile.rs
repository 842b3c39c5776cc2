//! Compile a conversation into a payload.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::told::{Told, tell_failed};
use super::{Services, StoreError, adapters, memory};
use crate::domain::{MemoryEntry, Model, Note, Role};
use crate::json::{self, Fault, Limits, Node};
use crate::pipeline::{self, Compiled, Deadline, FirstChange, Report, Stopped, Timings};
use crate::request::{self, CompileRequest, KnownAdapters, Placement, Previous};
use crate::store::{self, Batch};

/// A compiled conversation, or a compressed text or list, as it is sent.
#[derive(Debug)]
pub struct Answer {
    /// `{"id", "payload", "report"}`, or what `POST /compress` answers, as JSON text.
    pub body: Bytes,
    pub report: Report,
    pub timings: Timings,
}

impl Answer {
    /// The body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_default()
    }
}

/// Why there is no payload. Each variant is one thing a caller can act on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the body is not accepted: {0}")]
    Json(#[from] json::Error),
    #[error("the request is not valid in {} places", .0.len())]
    Invalid(Vec<Fault>),
    #[error("the payload needs {needed} tokens and the budget is {budget}")]
    OverBudget { needed: u64, budget: u64, faults: Vec<Fault> },
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl From<pipeline::Error> for Error {
    fn from(error: pipeline::Error) -> Self {
        match error {
            pipeline::Error::Stopped(stopped) => Self::Stopped(stopped),
            pipeline::Error::OverBudget(report) => {
                let faults = report.too_big.iter().map(|entry| Fault {
                    pointer: entry.pointer.clone().unwrap_or_default(),
                    detail: format!("{} takes {} tokens", entry.part, entry.tokens),
                    did_you_mean: None,
                });
                Self::OverBudget {
                    needed: report.tokens_after,
                    budget: report.budget,
                    faults: faults.collect(),
                }
            }
        }
    }
}

/// Compiles the request in `body`. Takes the thread until it is done or `deadline` stops it.
pub fn compile(services: &Services, body: &str, deadline: &Deadline) -> Result<Answer, Error> {
    let start = Instant::now();
    let mut timings = Timings::default();
    let node = json::parse(body, Limits::default())?;
    timings.parse = start.elapsed();
    let session = node.get("session_id").and_then(Node::as_str);
    let mut told = None;
    let done = compile_node(services, &node, deadline, (start, timings), &mut told);
    if let Err(error) = &done {
        tell_failed(services, session, told.as_ref(), error);
    }
    done
}

fn compile_node(
    services: &Services,
    node: &Node<'_>,
    deadline: &Deadline,
    (start, mut timings): (Instant, Timings),
    told: &mut Option<Told>,
) -> Result<Answer, Error> {
    let storing = Instant::now();
    let (adapters, unread) = known_adapters(services, node.get("compression"))?;
    timings.store = storing.elapsed();
    let reading = Instant::now();
    let request = request::read_compile(node, services.models(), &adapters);
    let mut request = request.map_err(Error::Invalid)?;
    if unread {
        let detail = "the store cannot be read: built-in adapters stand for stored ones";
        request.notes.degraded("adapters_unread", String::new(), detail);
    }
    timings.parse += reading.elapsed();
    let deadline = match request.deadline_ms {
        Some(limit) => deadline.no_later_than(start + Duration::from_millis(limit)),
        None => deadline.clone(),
    };
    let previous = request.cache.previous.clone();
    let session = request.session_id.clone();
    let unrecorded = request.unrecorded;
    let model = request.model.clone();
    let told = &*told.insert(Told::of(&request));
    let storing = Instant::now();
    let expired = remember(services, &mut request)?;
    timings.store += storing.elapsed();
    let id: Arc<str> = format!("cmp_{}", uuid::Uuid::now_v7().simple()).into();
    let head = format!("{{\"id\":\"{id}\",\"payload\":");
    let mut compiled =
        pipeline::compile(services.pipeline(), request, head, &deadline, &mut timings)?;

    let serialising = Instant::now();
    note_change(services, &mut compiled, &model, previous.as_ref(), session.as_deref());
    timings.serialise += serialising.elapsed();
    let storing = Instant::now();
    commit(services, &mut compiled, (&id, session.clone()), expired, told)?;
    timings.store += storing.elapsed();

    let serialising = Instant::now();
    let mut body = compiled.text;
    let payload = compiled.start..body.len();
    body.push_str(",\"report\":");
    // A report is plain data with string keys: there is nothing in it that JSON cannot hold.
    body.push_str(&serde_json::to_string(&compiled.report).unwrap_or_default());
    body.push('}');
    let body = Bytes::from(body);
    if !unrecorded {
        services.remember_payload(&id, session.as_deref(), &body.slice(payload));
    }
    timings.serialise += serialising.elapsed();
    Ok(Answer { body, report: compiled.report, timings })
}

/// Reads what memory shows in this compile; answers the entries in sight whose time is up.
fn remember(
    services: &Services,
    request: &mut CompileRequest,
) -> Result<Vec<MemoryEntry>, StoreError> {
    let question = question(request);
    let session = request.session_id.clone();
    let Some(memory) = request.memory.as_mut().filter(|memory| memory.from_store) else {
        return Ok(Vec::new());
    };
    memory.scope.session_id = memory.scope.session_id.take().or(session);
    let (ranked, expired) = services.tenant().read(|tx| {
        let ranked = memory::recalled(tx, &memory.scope, &question)?;
        Ok::<_, StoreError>((ranked, memory::expired(tx, &memory.scope)?))
    })?;
    memory.entries = ranked.iter().map(pipeline::shown_entry).collect();
    Ok(expired)
}

/// What memory is asked for: what the request says, else the last user message where the block
/// stands on it. Where it stands in the head, which is to stay the same, nothing in particular.
fn question(request: &CompileRequest) -> String {
    /// Characters of a message that are read, from its end.
    const READ: usize = 2_000;
    let Some(memory) = &request.memory else { return String::new() };
    match (&memory.query, memory.placement) {
        (Some(query), _) => query.to_string(),
        (None, Placement::System) => String::new(),
        (None, Placement::LastUser) => {
            let mut messages = request.conversation.history.iter().rev();
            let last = messages.find(|message| message.role == Role::User);
            let texts: Vec<&str> = last
                .iter()
                .flat_map(|message| &message.parts)
                .filter_map(|part| part.as_text().map(|text| &**text))
                .collect();
            let text = texts.join("\n");
            let from = text.char_indices().rev().nth(READ).map_or(0, |(at, _)| at);
            text.get(from..).unwrap_or_default().to_owned()
        }
    }
}

/// Stores what the compile leaves behind and tells of it, all of it or nothing. Where that is what
/// is told and no more, a compile does not fail for it.
fn commit(
    services: &Services,
    compiled: &mut Compiled,
    (id, session): (&Arc<str>, Option<Arc<str>>),
    expired: Vec<MemoryEntry>,
    told: &Told,
) -> Result<(), StoreError> {
    compiled.report.memory.expired = expired.iter().map(|entry| entry.key.to_string()).collect();
    let mut batch = Batch::default();
    for text in std::mem::take(&mut compiled.artifacts) {
        batch.artifact(text, "text/plain");
    }
    let must = !batch.is_empty() || !expired.is_empty();
    let (before, after) = told.events(id, session.as_ref(), compiled);
    let stored = services.tenant().commit_with(batch, move |tx| {
        before.iter().try_for_each(|event| tx.publish(event).map(drop))?;
        memory::expire(tx, &expired)?;
        session.iter().try_for_each(|session| tx.count_turn(session))?;
        after.iter().try_for_each(|event| tx.publish(event).map(drop))
    });
    match stored {
        Err(error) if !must => {
            tracing::warn!(%error, "a compile was not told of");
            compiled.report.degraded.push(Note {
                code: "events_not_stored",
                pointer: String::new(),
                detail: "the store cannot be written".to_owned(),
            });
            Ok(())
        }
        stored => stored.map(drop),
    }
}

/// What the names in `compression.adapters` mean. Where none are given, a compile goes on without
/// the store; the flag says so.
fn known_adapters(
    services: &Services,
    section: Option<&Node<'_>>,
) -> Result<(KnownAdapters, bool), StoreError> {
    match adapters::known(services, section) {
        Err(error) if request::given_adapters(section).is_none() => {
            tracing::warn!(%error, "adapters could not be read");
            Ok((adapters::ours(), true))
        }
        known => Ok((known?, false)),
    }
}

/// Finds where the payload leaves the one before it: the one the caller names, else the last
/// of its session.
fn note_change(
    services: &Services,
    compiled: &mut Compiled,
    model: &Model,
    previous: Option<&Previous>,
    session: Option<&str>,
) {
    let before = match previous {
        Some(Previous::Payload(raw)) => Some(Bytes::copy_from_slice(raw.as_str().as_bytes())),
        Some(Previous::Id(id)) => {
            let known = services.recall_payload(id);
            if known.is_none() {
                compiled.report.warnings.push(Note {
                    code: "previous_unknown",
                    pointer: "/cache/previous".to_owned(),
                    detail: "no such answer is remembered".to_owned(),
                });
            }
            known
        }
        None => session.and_then(|session| services.recall_session(session)),
    };
    let Some(Ok(before)) = before.as_deref().map(std::str::from_utf8) else { return };
    if before == compiled.payload() {
        return;
    }
    let read = |text| json::parse(text, Limits::default()).ok();
    let (Some(before), Some(now)) = (read(before), read(compiled.payload())) else { return };
    let counter = &services.pipeline().counter;
    let count = |text: &str| counter.count(model.tokenizer, text);
    let found = pipeline::first_change(&before, &now, &compiled.hints, &count);
    compiled.report.cache.first_change = found
        .map(|change| FirstChange { tokens_behind: model.scale(change.tokens_behind), ..change });
}
