//! Compile a conversation into a payload.

mod cached_prefix;
mod change;
mod cost;
mod events;
mod governance;
mod hooks;
mod job;
mod live;
mod memory_recall;
mod named_inputs;
mod pack_faults;
mod pack_fragments;
mod recall;
mod refusal;
mod response;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

pub use super::CompileError as Error;
use super::defaults::add_absent;
use super::effects::StoredTurn;
use super::event_owner::EventOwner;
use super::idempotency::IdempotentRequest;
use super::response_body::ResponseBody;
use super::sessions::{self, SessionHandle};
use super::{Services, StoreError};
use crate::domain::{MemoryScope, Source};
pub use crate::hook::Denial;
use crate::hook::HookRun;
pub use crate::json::replace_halves;
use crate::json::{self, Limits, Node};
use crate::pipeline::{Deadline, Report, Timings, timed};
pub use crate::provider::{MemberForm, PassedMember, REPAIR_MODES, passed_members};
pub use crate::request::{
    CACHE_TTLS, COMPRESSED_BY, CacheState, Level, MAX_DEADLINE_MS, OnArrival, TailPlacement,
    ThinkingPolicy,
};
use crate::store::HookOutcome;

use events::UnreadCompile;
pub(super) use governance::GovernSource;
pub(super) use hooks::{inline_hooks, line as hook_line, pinned, require_scope_for_urls, scope};
pub(super) use job::{CompileJob, JobContext};
use live::{LiveCompile, LiveInput};
pub(super) use memory_recall::{MemoryRecall, read_memory, remember, remember_asking};
pub(super) use named_inputs::known_adapters;
pub(super) use pack_faults::with_pack_faults;

/// The response to a compile, or to the compression of a text or a list.
#[derive(Debug)]
pub struct CompiledResponse {
    /// JSON text: `{"id", "payload", "report"}`, or the response of `POST /compress`.
    pub body: ResponseBody,
    /// The place of the payload in the body's first part; empty if a text or a list was compressed.
    pub payload: Range<usize>,
    pub report: Arc<Report>,
    pub timings: Timings,
}

impl CompiledResponse {
    /// The body as text.
    pub fn text(&self) -> Cow<'_, str> {
        self.body.text()
    }

    /// The payload as JSON text.
    pub fn payload(&self) -> &str {
        let bytes = self.body.start().get(self.payload.clone()).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

/// Options of a compile outside of its request.
#[derive(Debug, Clone, Copy, Default)]
pub struct CompileMode {
    /// Whether no webhook is called, and nothing is stored or published: the report lists the hooks
    /// that would be called.
    pub is_dry: bool,
    /// Whether a pack's compiled context is returned in the shape of the published schema.
    pub published: bool,
}

/// Compiles the request in `body`. Blocks the thread until the compile is done or `deadline` stops
/// it.
pub fn compile(
    services: &Services,
    body: &str,
    deadline: &Deadline,
) -> Result<CompiledResponse, Error> {
    compile_as(services, body, CompileMode::default(), None, deadline)
}

/// Compiles the request in `body`, as [`compile`] does, with these options. `once` gets the response
/// for repeated requests.
pub fn compile_as(
    services: &Services,
    body: &str,
    mode: CompileMode,
    once: Option<&IdempotentRequest>,
    deadline: &Deadline,
) -> Result<CompiledResponse, Error> {
    let (start, mut timings) = (Instant::now(), Timings::default());
    let node = timed(&mut timings.parse, || json::parse(body, Limits::default()))?;
    let input = CompileInput { node, turn: None, mode, once, start, timings };
    compile_request(services, input, deadline)
}

/// A turn of a session, with everything that the compile of its request reads.
pub(super) trait CompileTurn: StoredTurn {
    fn session(&self) -> &SessionHandle;

    /// The shape of the session's messages, once it is decided.
    fn source(&self) -> Option<Source>;

    /// The results of the turn's tool calls, as JSON.
    fn results(&self) -> &str;

    /// Runs of the hooks that were called for the turn's tool calls.
    fn runs(&self) -> &[HookRun];

    /// Outcomes of hooks about the results of the turn's calls, which are stored with the turn.
    fn outcomes(&self) -> &[HookOutcome];

    /// Reads memory as it will be after the memory writes of the turn, which are not committed yet;
    /// none if the turn has no writes.
    fn recall(
        &self,
        services: &Services,
        scope: &MemoryScope,
        query: &str,
    ) -> Result<Option<MemoryRecall>, StoreError>;
}

/// A parsed request that is not checked yet.
pub(super) struct CompileInput<'b> {
    pub(super) node: Node<'b>,
    /// The turn that the request was made for. It has its session.
    pub(super) turn: Option<Arc<dyn CompileTurn>>,
    pub(super) mode: CompileMode,
    /// The request that may be repeated, if it is no turn.
    pub(super) once: Option<&'b IdempotentRequest>,
    /// When the work on the request began; its `deadline_ms` counts from here.
    pub(super) start: Instant,
    pub(super) timings: Timings,
}

/// Compiles a parsed request, with the defaults of its session and of the caller's key.
pub(super) fn compile_request(
    services: &Services,
    input: CompileInput<'_>,
    deadline: &Deadline,
) -> Result<CompiledResponse, Error> {
    let defaults = services.caller().defaults.clone();
    let CompileInput { mut node, turn, mode, once, start, mut timings } = input;
    hooks::require_scope_for_urls(services, &node)?;
    let session = timed(&mut timings.store, || match &turn {
        Some(turn) => Ok(Some(turn.session().clone())),
        None => sessions::open(services, &node),
    })?;
    // The first value of a key wins, so the session's defaults override those of the key.
    for defaults in [session.as_ref().and_then(SessionHandle::defaults), defaults.as_deref()] {
        defaults.map_or(Ok(()), |defaults| add_absent(&mut node, defaults))?;
    }
    let (session, turn) = (session.as_ref(), turn.as_ref());
    let id: Arc<str> = format!("cmp_{}", uuid::Uuid::now_v7().simple()).into();
    let input = LiveInput { node: &node, session, turn, mode, once, id: &id, start, timings };
    let (mut compile, request) = match LiveCompile::read(services, input, deadline) {
        Ok(read) => read,
        Err(UnreadCompile { error, events }) => {
            if !mode.is_dry {
                let session = node.get("session_id").and_then(Node::as_str).map(Arc::from);
                let owner = EventOwner { session: session.as_ref(), compilation: Some(&id) };
                events::publish_failure(services, owner, &events, &[], &error);
            }
            return Err(error);
        }
    };
    let done = compile.carry_out(request);
    done.inspect_err(|error| compile.publish_failure(error))
}
