//! Compile a conversation into a payload.

mod change;
mod error;
mod events;
mod evidence;
mod govern;
mod hooks;
mod job;
mod memory_recall;
mod named_inputs;
mod pack_faults;
mod pack_fragments;
mod recall;
mod refusal;
mod run;

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

use super::defaults::add_absent;
use super::effects::StoredTurn;
use super::sessions::{self, SessionHandle};
use super::{Services, StoreError};
use crate::domain::{MemoryScope, Source};
use crate::hook::HookRun;
use crate::json::{self, Limits, Node};
use crate::pipeline::{Deadline, Report, Timings, timed};
pub use crate::provider::REPAIR_MODES;
pub use crate::request::{CACHE_TTLS, CacheState, Level, OnArrival, ThinkingPolicy};

pub use error::Error;
use events::UnreadCompile;
pub(super) use govern::{GovernSource, note_stages};
pub(super) use hooks::{line as hook_line, pinned, require_scope_for_urls, scope};
use job::{CompileJob, JobInput};
pub(super) use memory_recall::{MemoryRecall, read_memory, remember};
pub(super) use named_inputs::known_adapters;
pub use refusal::RefusedCompile;
pub(super) use run::CompileRun;

/// The response to a compile, or to the compression of a text or a list.
#[derive(Debug)]
pub struct CompiledResponse {
    /// JSON text: `{"id", "payload", "report"}`, or the response of `POST /compress`.
    pub body: Bytes,
    pub report: Arc<Report>,
    pub timings: Timings,
}

impl CompiledResponse {
    /// The body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_default()
    }
}

/// Compiles the request in `body`. Blocks the thread until the compile is done or `deadline` stops
/// it.
pub fn compile(
    services: &Services,
    body: &str,
    deadline: &Deadline,
) -> Result<CompiledResponse, Error> {
    compile_request(services, CompileInput::parse(body)?, deadline)
}

/// Compiles without calling a webhook, storing or publishing anything: the report lists the hooks
/// that would be called.
pub fn dry_run(
    services: &Services,
    body: &str,
    deadline: &Deadline,
) -> Result<CompiledResponse, Error> {
    let input = CompileInput { is_dry: true, ..CompileInput::parse(body)? };
    compile_request(services, input, deadline)
}

/// A turn of a session, with everything that the compile of its request reads.
pub(super) trait CompileTurn: StoredTurn {
    fn session(&self) -> &SessionHandle;

    /// The shape of the session's messages.
    fn source(&self) -> Source;

    /// The results of the turn's tool calls, as JSON.
    fn results(&self) -> &str;

    /// Runs of the hooks that were called for the turn's tool calls.
    fn runs(&self) -> &[HookRun];

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
    pub(super) is_dry: bool,
    /// When the work on the request began; its `deadline_ms` counts from here.
    pub(super) start: Instant,
    pub(super) timings: Timings,
}

impl<'b> CompileInput<'b> {
    fn parse(body: &'b str) -> Result<Self, Error> {
        let (start, mut timings) = (Instant::now(), Timings::default());
        let node = timed(&mut timings.parse, || json::parse(body, Limits::default()))?;
        Ok(Self { node, turn: None, is_dry: false, start, timings })
    }
}

/// Compiles a parsed request, with the defaults of its session and of the caller's key.
pub(super) fn compile_request(
    services: &Services,
    input: CompileInput<'_>,
    deadline: &Deadline,
) -> Result<CompiledResponse, Error> {
    let defaults = services.caller().defaults.clone();
    let CompileInput { mut node, turn, is_dry, start, mut timings } = input;
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
    let input = JobInput { node: &node, session, turn, is_dry, start, timings };
    let (mut job, request) = match CompileJob::read(services, input, deadline) {
        Ok(read) => read,
        Err(UnreadCompile { error, events }) => {
            if !is_dry {
                let session = node.get("session_id").and_then(Node::as_str);
                events::publish_failure(services, session, events.as_ref(), &[], &error);
            }
            return Err(error);
        }
    };
    let done = job.carry_out(request);
    done.inspect_err(|error| job.publish_failure(error))
}

/// Converts a response to the published shape of compiled contexts; a response without a pack is
/// unchanged.
pub fn as_published(response: CompiledResponse) -> CompiledResponse {
    match govern::as_published(response.text()) {
        Some(body) => CompiledResponse { body: Bytes::from(body), ..response },
        None => response,
    }
}
