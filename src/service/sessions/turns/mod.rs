//! `POST /sessions/{id}/turns`: what happened since is appended to the session's messages, the calls
//! in it are judged, those of ours carried out, and the next payload is compiled; all of it or nothing.

mod calls;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::calls::{CallEffects, OpenCalls};
use super::SessionHandle;
use super::handle::open_as;
use super::messages::{check, list_text};
use crate::domain::{RawJson, Source};
use crate::hook::HookRun;
use crate::json::{self, Fault, Limits, Node, Value};
use crate::pipeline::Deadline;
use crate::provider;
use crate::request;
use crate::service::compile::{self, CompiledResponse, TurnOptions, compile_turn};
use crate::service::hook_effects::HookEffects;
use crate::service::idempotency::{IdempotentRequest, remember};
use crate::service::tools::{CallTrial, HandledCall};
use crate::service::{Error, Services, StoreError};
use crate::store::Tx;

/// Messages that may be appended at once.
const MOST_APPENDED: usize = 1_000;
/// Messages of a session, as many as a request may have.
const MOST_HELD: u64 = 10_000;
/// How often a turn begins anew because another one of its session was faster.
const MOST_TRIES: usize = 16;

/// Why a turn was not taken. Nothing of it was stored.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    #[error(transparent)]
    Compile(#[from] compile::Error),
    #[error(transparent)]
    Other(#[from] Error),
}

impl From<StoreError> for TurnError {
    fn from(error: StoreError) -> Self {
        Self::Other(error.into())
    }
}

/// A turn on its way through a compile.
#[derive(Debug)]
pub(in crate::service) struct TurnContext {
    pub(in crate::service) session: SessionHandle,
    pub(in crate::service) source: Source,
    /// What is appended: what came, with the results of ours.
    append: Vec<RawJson>,
    /// How many messages the session held before.
    held: u64,
    memory: Option<Arc<CallTrial>>,
    heard: HookEffects,
    /// What became of the calls, as JSON.
    pub(in crate::service) results: String,
    once: Option<IdempotentRequest>,
    /// Whether the session, or what is remembered, has changed in between.
    moved: Arc<AtomicBool>,
}

/// Appends what happened since, and compiles; `write` writes what became of its calls.
pub fn turn(
    services: &Services,
    id: &str,
    body: &str,
    (once, deadline): (Option<&IdempotentRequest>, &Deadline),
    write: fn(Vec<HandledCall>) -> String,
) -> Result<CompiledResponse, TurnError> {
    // It may be the first use of the session: what cannot name one is a fault, not an absence.
    if !request::is_session_id(id) {
        let detail = "the session's id must be 1 to 256 bytes without control characters";
        return Err(fault("", detail).into());
    }
    let node = json::parse(body, Limits::default()).map_err(Error::from)?;
    let given = TurnRequest::read(&node)?;
    services.await_switch(Some(&id.into()));
    for _ in 0..MOST_TRIES {
        deadline.check().map_err(compile::Error::from)?;
        let session = open_as(services, id.into())?;
        let (turn, text) = given.prepare(services, session, once, write)?;
        let turn = Arc::new(turn);
        let done = compile_turn(services, &text, &turn, deadline);
        if done.is_ok() || !turn.moved.load(Ordering::Relaxed) {
            return Ok(done?);
        }
    }
    Err(Error::Conflict("the session has too many turns at once".to_owned()).into())
}

/// The body, apart from what its keys mean to a compile.
struct TurnRequest<'r, 'a> {
    append: &'r [Node<'a>],
    rest: Vec<(&'r str, &'r str)>,
    source: Option<Source>,
    detected: Source,
}

impl<'r, 'a> TurnRequest<'r, 'a> {
    fn read(node: &'r Node<'a>) -> Result<Self, Error> {
        let Value::Object(members) = &node.value else {
            return Err(fault("", format!("must be an object, not {}", node.kind())));
        };
        let append = node.get("append").filter(|append| !append.is_null());
        let append = match append.map(|append| (append.as_array(), append)) {
            Some((Some(list), _)) if list.len() > MOST_APPENDED => {
                return Err(fault(
                    "/append",
                    format!("must hold at most {MOST_APPENDED} messages"),
                ));
            }
            Some((Some(list), _)) => list,
            Some((None, append)) => {
                return Err(fault("/append", format!("must be an array, not {}", append.kind())));
            }
            None => &[],
        };
        for own in ["messages", "contents", "input", "session_id"] {
            if node.get(own).is_some() {
                let pointer = format!("/{own}");
                return Err(fault(&pointer, "the session has it; append what is new"));
            }
        }
        let source = match node.get("source").and_then(Node::as_str) {
            Some(word) => Some(Source::parse(word).ok_or_else(|| {
                let words: Vec<_> = Source::ALL.iter().map(|source| source.as_str()).collect();
                fault("/source", format!("must be one of {}", words.join(", ")))
            })?),
            None => None,
        };
        let rest = members.iter().map(|(name, value)| (name.as_ref(), value.raw));
        let rest = rest.filter(|(name, _)| !["append", "source"].contains(name)).collect();
        Ok(Self { append, rest, source, detected: detect(append) })
    }

    /// The turn as the session is now, and the request that it makes.
    fn prepare(
        &self,
        services: &Services,
        session: SessionHandle,
        once: Option<&IdempotentRequest>,
        write: fn(Vec<HandledCall>) -> String,
    ) -> Result<(TurnContext, String), TurnError> {
        let tenant = services.tenant();
        let known = session.source();
        let source = known.or(self.source).unwrap_or(self.detected);
        if let Some(given) = self.source.filter(|given| *given != source) {
            let detail = format!(
                "the session's messages are in the shape of `{}`, not of `{}`",
                source.as_str(),
                given.as_str()
            );
            return Err(fault("/source", detail).into());
        }
        let texts = || self.append.iter().map(|node| node.raw);
        let faults = check(source, texts(), "/append");
        if !faults.is_empty() {
            return Err(Error::Invalid(faults).into());
        }
        let held = tenant.read(|tx| tx.session_messages(&session.id))?;
        let mut append: Vec<RawJson> = texts().map(RawJson::new).collect();
        let calls = OpenCalls::find(source, &append)?;
        let options = self.options(services, &session, source, &calls)?;
        let CallEffects { trial, carried, heard } =
            calls.carry_out(services, &session.id, options)?;
        let results = carried.insert_into(&mut append);
        let count = held.len() as u64;
        if count + append.len() as u64 > MOST_HELD {
            let detail = format!("a session holds at most {MOST_HELD} messages");
            return Err(fault("/append", detail).into());
        }
        let all = held.iter().map(String::as_str).chain(append.iter().map(RawJson::as_str));
        let text = self.request(&session.id, source, &list_text(source, all));
        let turn = TurnContext {
            session,
            source,
            append,
            held: count,
            memory: trial,
            heard,
            results: write(results),
            once: once.cloned(),
            moved: Arc::default(),
        };
        Ok((turn, text))
    }

    /// The request with a list of messages.
    fn request(&self, id: &str, source: Source, list: &str) -> String {
        let mut text = format!("{{{list},\"source\":\"{}\",\"session_id\":", source.as_str());
        json::write_string(&mut text, id);
        for (name, value) in &self.rest {
            text.push(',');
            json::write_string(&mut text, name);
            text.push(':');
            text.push_str(value);
        }
        text.push('}');
        text
    }

    /// What the turn's calls are judged by, where there are any.
    fn options(
        &self,
        services: &Services,
        session: &SessionHandle,
        source: Source,
        calls: &OpenCalls,
    ) -> Result<TurnOptions, TurnError> {
        if calls.is_empty() {
            return Ok(TurnOptions::default());
        }
        let smallest = match source {
            Source::Gemini => r#"{"role":"user","parts":[{"text":"x"}]}"#,
            _ => r#"{"role":"user","content":"x"}"#,
        };
        let text = self.request(&session.id, source, &list_text(source, [smallest].into_iter()));
        Ok(compile::turn_options(services, &text, session)?)
    }
}

impl TurnContext {
    /// Reads what memory shows once the calls of the turn are carried out, which is not yet done.
    pub(in crate::service) fn memory(&self) -> Option<&Arc<CallTrial>> {
        self.memory.as_ref()
    }

    /// Carries out what the compile was made with; says so where that cannot be any more.
    pub(in crate::service) fn carry_out(&self, tx: &Tx<'_>) -> Result<(), StoreError> {
        let same = match &self.memory {
            Some(trial) => trial.carry_out(tx)?,
            None => true,
        };
        if !same || tx.count_messages(&self.session.id)? != self.held {
            self.moved.store(true, Ordering::Relaxed);
            return Err(StoreError::moved());
        }
        self.heard.store(tx)
    }

    /// What became of the hooks that were asked about calls of ours.
    pub(in crate::service) fn runs(&self) -> &[HookRun] {
        &self.heard.runs
    }

    /// Appends the messages, and remembers what is answered.
    pub(in crate::service) fn append(&self, tx: &Tx<'_>, answer: &str) -> Result<(), StoreError> {
        tx.add_session_messages(&self.session.id, &self.append)?;
        remember(self.once.as_ref(), tx, || format!("200 {answer}"))
    }
}

/// The shape of messages that came alone.
fn detect(append: &[Node<'_>]) -> Source {
    let list: Vec<&str> = append.iter().map(|node| node.raw).collect();
    let text = format!("{{\"messages\":[{}]}}", list.join(","));
    json::parse(&text, Limits::default()).map_or(Source::Openai, |node| provider::detect(&node))
}

fn fault(pointer: &str, detail: impl Into<String>) -> Error {
    let fault = Fault { pointer: pointer.to_owned(), detail: detail.into(), did_you_mean: None };
    Error::Invalid(vec![fault])
}
