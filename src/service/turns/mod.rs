//! `POST /sessions/{id}/turns`: appends messages to a session, judges the tool calls in them, runs
//! the calls of our tools, and compiles the next payload, unless the request wants none. Either all of
//! it is stored or nothing.

mod append_only;
mod calls;
mod members;
mod options;
mod shape;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use self::calls::{CallEffects, InsertedResults, OpenCalls};
use self::members::MemberTexts;
use self::options::{TurnOptions, read_options, turn_options};
use self::shape::TurnShape;
use crate::domain::{MemoryScope, RawJson, Source};
use crate::hook::HookRun;
use crate::json::{self, Fault, Limits, Node, Value};
use crate::pipeline::{Deadline, Timings};
use crate::provider::MAX_MESSAGES;
use crate::request;
use crate::service::compile::{
    self, CompileInput, CompileMode, CompileTurn, CompiledResponse, MemoryRecall, compile_request,
    read_memory,
};
use crate::service::effects::{Effects, StoredTurn};
use crate::service::idempotency::{IdempotentRequest, remember};
use crate::service::response_body::ResponseBody;
use crate::service::sessions::messages::{check_list, list_node};
use crate::service::sessions::{SessionHandle, open_as};
use crate::service::tools::{CallTrial, HandledCall};
use crate::service::{Error, Services, StoreError};
use crate::store::{HookOutcome, Tx};

/// Messages that one turn may append.
const MAX_APPENDED_MESSAGES: usize = 1_000;
/// Keys that the turn reads itself.
const OWN_KEYS: &[&str] = &["append", "source", "compile"];
/// Attempts of a turn, which starts again if another turn of its session is committed first.
const MAX_TRIES: usize = 16;

/// The reason why a turn failed. Nothing of it was stored.
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

/// A turn while its payload is compiled.
#[derive(Debug)]
struct TurnContext {
    session: SessionHandle,
    shape: TurnShape,
    /// The messages that are appended, with the results of calls that the service ran.
    append: Vec<RawJson>,
    /// Number of messages in the session before the turn.
    held: u64,
    memory: Option<Arc<CallTrial>>,
    /// Effects of the hooks that were called about the calls.
    effects: Effects,
    /// The outcomes of the calls, as JSON.
    results: String,
    once: Option<IdempotentRequest>,
    /// Whether the session, or its memory, has changed since the turn was prepared.
    is_stale: Arc<AtomicBool>,
}

/// Parameters of the response of a turn.
#[derive(Debug, Clone, Copy)]
pub struct TurnResponse<'t> {
    /// The idempotency key of the request, if it has one.
    pub once: Option<&'t IdempotentRequest>,
    /// Writes the outcomes of the calls as JSON.
    pub write: fn(Vec<HandledCall>) -> String,
}

/// Outcome of a turn.
#[derive(Debug)]
pub enum TurnOutcome {
    Compiled(CompiledResponse),
    /// The response of a turn without a compile, as JSON text.
    Appended(String),
}

/// Appends the messages of a request to a session, and compiles unless the request wants no payload.
pub fn turn(
    services: &Services,
    id: &str,
    body: &str,
    response: TurnResponse<'_>,
    deadline: &Deadline,
) -> Result<TurnOutcome, TurnError> {
    // The turn may create the session, so an id that is not valid is a fault.
    if !request::is_session_id(id) {
        let detail = format!("the session's id {}", request::SESSION_ID_RULE);
        return Err(fault("", detail).into());
    }
    let start = Instant::now();
    let node = json::parse(body, Limits::default()).map_err(Error::from)?;
    let read = TurnRequest::read(&node)?;
    let parsed = start.elapsed();
    services.await_switch(Some(&id.into()));
    for _ in 0..MAX_TRIES {
        deadline.check().map_err(compile::Error::from)?;
        let session = open_as(services, id.into())?;
        let prepared = read.prepare(services, session, response)?;
        if !read.compiles {
            let done = read.append(services, &prepared);
            if done.is_ok() || !prepared.turn.is_stale.load(Ordering::Relaxed) {
                return done;
            }
            continue;
        }
        // `deadline_ms` counts from here: hooks about calls have run by now, and their time does
        // not count.
        let start = Instant::now();
        let texts = prepared.member_texts();
        let node = read.request(&prepared, &texts)?;
        let parse = parsed.saturating_add(start.elapsed());
        let input = CompileInput {
            once: None,
            node,
            turn: Some(Arc::clone(&prepared.turn) as Arc<dyn CompileTurn>),
            mode: CompileMode::default(),
            start,
            timings: Timings { parse, ..Timings::default() },
        };
        let done = compile_request(services, input, deadline);
        if done.is_ok() || !prepared.turn.is_stale.load(Ordering::Relaxed) {
            return Ok(TurnOutcome::Compiled(done?));
        }
    }
    Err(Error::Conflict("the session has too many turns at once".to_owned()).into())
}

/// The body of a turn. Members for the compile are not interpreted here.
struct TurnRequest<'r, 'a> {
    append: &'r [Node<'a>],
    /// The members that a compile reads.
    rest: Vec<&'r (Cow<'a, str>, Node<'a>)>,
    source: Option<Source>,
    /// Whether the next payload is compiled.
    compiles: bool,
}

/// A turn that was prepared for the current state of its session.
struct PreparedTurn {
    turn: Arc<TurnContext>,
    /// The stored messages of the session, as JSON texts.
    held: Vec<Arc<str>>,
    /// Indexes of the results of calls among the appended messages.
    result_places: BTreeSet<usize>,
}

impl PreparedTurn {
    fn member_texts(&self) -> MemberTexts<'_> {
        MemberTexts::new(self.turn.shape.source, &self.turn.session.id)
    }
}

impl<'r, 'a> TurnRequest<'r, 'a> {
    fn read(node: &'r Node<'a>) -> Result<Self, Error> {
        let Value::Object(members) = &node.value else {
            return Err(fault("", format!("must be an object, not {}", node.kind())));
        };
        let append = node.get("append").filter(|append| !append.is_null());
        let append = match append.map(|append| (append.as_array(), append)) {
            Some((Some(list), _)) if list.len() > MAX_APPENDED_MESSAGES => {
                return Err(fault(
                    "/append",
                    format!("must hold at most {MAX_APPENDED_MESSAGES} messages"),
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
                let words: Vec<_> = Source::WORDS.iter().map(|(word, _)| *word).collect();
                fault("/source", format!("must be one of {}", words.join(", ")))
            })?),
            None => None,
        };
        let is_read = |(name, _): &&(Cow<'a, str>, Node<'a>)| !OWN_KEYS.contains(&&**name);
        let rest = members.iter().filter(is_read).collect();
        let compiles = match node.get("compile").filter(|compile| !compile.is_null()) {
            Some(compile) => compile.as_bool().ok_or_else(|| {
                fault("/compile", format!("must be true or false, not {}", compile.kind()))
            })?,
            None => true,
        };
        Ok(Self { append, rest, source, compiles })
    }

    /// Prepares the turn for the current state of its session: handles its calls and inserts their
    /// results.
    fn prepare(
        &self,
        services: &Services,
        session: SessionHandle,
        response: TurnResponse<'_>,
    ) -> Result<PreparedTurn, TurnError> {
        let shape = TurnShape::find(services, &session, self)?;
        let source = shape.source;
        if let Some(given) = self.source.filter(|given| *given != source) {
            let detail = format!(
                "the session's messages are in the shape of `{}`, not of `{}`",
                source.as_str(),
                given.as_str()
            );
            return Err(fault("/source", detail).into());
        }
        let appended = list_node(source, self.append.to_vec());
        let faults = check_list(source, shape.is_lenient, &appended, "/append");
        if !faults.is_empty() {
            return Err(Error::Invalid(faults).into());
        }
        let held = services.tenant().read(|tx| {
            // The payload is about as long as the messages that it is made of.
            let appended = self.append.iter().map(|node| node.raw.len()).sum::<usize>();
            tx.session_messages(&session.id, |held| {
                Ok::<_, Error>(services.reserve_work(held + appended)?)
            })
        })?;
        let mut append: Vec<RawJson> =
            self.append.iter().map(|node| RawJson::new(node.raw)).collect();
        let calls = OpenCalls::find(source, &appended, append.len());
        let options = self.options(services, &session, source, &calls)?;
        let CallEffects { trial, results, effects } =
            calls.carry_out(services, &session.id, options)?;
        let InsertedResults { calls, places } = results.insert_into(&mut append);
        let count = held.len();
        // A session has no more messages than a request may have.
        if count + append.len() > MAX_MESSAGES {
            let detail = format!("a session holds at most {MAX_MESSAGES} messages");
            return Err(fault("/append", detail).into());
        }
        let turn = TurnContext {
            session,
            shape,
            append,
            held: count as u64,
            memory: trial,
            effects,
            results: (response.write)(calls),
            once: response.once.cloned(),
            is_stale: Arc::default(),
        };
        Ok(PreparedTurn { turn: Arc::new(turn), held, result_places: places })
    }

    /// Builds the request: the stored messages, the appended ones and the results of calls.
    fn request<'n>(
        &'n self,
        prepared: &'n PreparedTurn,
        texts: &'n MemberTexts<'n>,
    ) -> Result<Node<'n>, Error> {
        let turn = &*prepared.turn;
        let held = prepared.held.iter().map(|text| &**text);
        let mut items = json::parse_each(held, Limits::default())?;
        let mut own = self.append.iter();
        for (at, text) in turn.append.iter().enumerate() {
            if prepared.result_places.contains(&at) {
                items.push(json::parse(text.as_str(), Limits::default())?);
            } else {
                items.extend(own.next().cloned());
            }
        }
        let node = list_node(turn.shape.source, items);
        Ok(texts.add_to(node, &self.rest))
    }

    /// Stores a prepared turn without a compile.
    fn append(
        &self,
        services: &Services,
        prepared: &PreparedTurn,
    ) -> Result<TurnOutcome, TurnError> {
        let TurnContext { session, shape, .. } = &*prepared.turn;
        let texts = MemberTexts::new(shape.source, &session.id);
        let empty = Node { raw: "", value: Value::Object(Vec::new()) };
        let node = texts.add_to(empty, &self.rest);
        let options = read_options(services, node, session)?;
        append_only::append(services, prepared, options.request).map(TurnOutcome::Appended)
    }

    /// Reads the options for judging the calls of the turn, if there are any calls.
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
        let texts = MemberTexts::new(source, &session.id);
        let empty = Node { raw: "", value: Value::Object(Vec::new()) };
        let node = texts.add_to(empty, &self.rest);
        Ok(turn_options(services, node, session)?)
    }
}

impl StoredTurn for TurnContext {
    fn carry_out(&self, tx: &Tx<'_>) -> Result<(), StoreError> {
        let is_unchanged = match &self.memory {
            Some(trial) => trial.carry_out(tx)?,
            None => true,
        };
        if !is_unchanged || tx.count_messages(&self.session.id)? != self.held {
            self.is_stale.store(true, Ordering::Relaxed);
            return Err(StoreError::conflict());
        }
        self.effects.store(tx).map(drop)
    }

    fn append(&self, tx: &Tx<'_>, response: &ResponseBody) -> Result<(), StoreError> {
        tx.add_session_messages(&self.session.id, &self.append)?;
        remember(self.once.as_ref(), tx, || format!("200 {response}"))
    }
}

impl CompileTurn for TurnContext {
    fn session(&self) -> &SessionHandle {
        &self.session
    }

    fn source(&self) -> Option<Source> {
        self.shape.decided()
    }

    fn results(&self) -> &str {
        &self.results
    }

    fn runs(&self) -> &[HookRun] {
        &self.effects.runs
    }

    fn outcomes(&self) -> &[HookOutcome] {
        &self.effects.outcomes
    }

    fn recall(
        &self,
        services: &Services,
        scope: &MemoryScope,
        query: &str,
    ) -> Result<Option<MemoryRecall>, StoreError> {
        let (scope, query) = (scope.clone(), query.to_owned());
        let read = move |tx: &Tx<'_>| read_memory(tx, &scope, &query);
        self.memory.as_ref().map(|trial| trial.read(services, read)).transpose()
    }
}

fn fault(pointer: &str, detail: impl Into<String>) -> Error {
    let fault = Fault { pointer: pointer.to_owned(), detail: detail.into(), did_you_mean: None };
    Error::Invalid(vec![fault])
}
