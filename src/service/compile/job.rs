//! The steps that every compile goes through, live or replayed: [`CompileJob`].
//!
//! A job governs its request, runs it, and completes the inputs of its record. A live compile, a dry
//! run and a turn ([`super::live`]) read the request before, and store effects after; a replay takes
//! the request and the answers of hooks from a record.

use super::Error;
use super::governance::{GovernContext, GovernSource, GovernTask, govern};
use crate::hook::HookRun;
use crate::json::Node;
use crate::pack::PackRef;
use crate::pipeline::{self, CompiledPayload, Deadline, PipelineRun, Timings, timed};
use crate::request::CompileRequest;
use crate::service::hook_runner::HookRunner;
use crate::service::record::{RecordDraft, RecordedAdapters};
use crate::service::{RefusedCompile, Services};

/// The surroundings of a compile.
#[derive(Debug, Clone)]
pub(crate) struct JobContext<'j> {
    pub(crate) services: &'j Services,
    /// The request as JSON, with its defaults. Packs read members of it.
    pub(crate) node: &'j Node<'j>,
    pub(crate) deadline: Deadline,
    /// Time that was spent before the job.
    pub(crate) timings: Timings,
}

/// A compile in progress.
pub(crate) struct CompileJob<'j> {
    pub(super) services: &'j Services,
    pub(super) node: &'j Node<'j>,
    pub(super) timings: Timings,
    pub(super) hooks: HookRunner<'j>,
    /// The record, without the outcome.
    pub(super) draft: RecordDraft,
    deadline: Deadline,
    governance: Option<GovernContext>,
}

impl<'j> CompileJob<'j> {
    /// Starts a compile. `adapters` are the stored adapters that the request can name.
    pub(crate) fn new(
        context: JobContext<'j>,
        request: &CompileRequest,
        adapters: RecordedAdapters,
        hooks: HookRunner<'j>,
    ) -> Self {
        let JobContext { services, node, deadline, timings } = context;
        let draft = RecordDraft::new(request, adapters, hooks.pinned());
        Self { services, node, timings, hooks, draft, deadline, governance: None }
    }

    /// Governs the request by its pack, or by `pack` if it is given; does nothing if there is no
    /// pack.
    pub(crate) fn govern(
        &mut self,
        request: &mut CompileRequest,
        pack: Option<&PackRef>,
        source: GovernSource,
    ) -> Result<(), Error> {
        let Self { services, node, deadline, hooks, timings, .. } = self;
        let task = GovernTask { services, node, deadline, pack, source };
        let governed = timed(&mut timings.store, || govern(task, request, hooks));
        self.governance = governed.inspect_err(|_| self.draft.inputs.set_memory(request))?;
        Ok(())
    }

    /// Runs the stages, and checks that hooks did not change what the pack requires. `head` is
    /// written before the payload.
    pub(crate) fn run(
        &mut self,
        request: CompileRequest,
        head: String,
    ) -> Result<CompiledPayload, Error> {
        self.draft.inputs.set_memory(&request);
        let Self { services, deadline, hooks, timings, .. } = self;
        let run = PipelineRun { deadline, hooks, timings };
        let compiled = pipeline::compile(services.pipeline(), request, head, run)?;
        self.governance.as_ref().map_or(Ok(()), |governance| governance.check(&compiled))?;
        Ok(compiled)
    }

    /// Completes the inputs of the record after the last hook that can change the payload.
    pub(crate) fn settle(&mut self) {
        let inputs = &mut self.draft.inputs;
        inputs.summaries = self.hooks.take_summaries();
        match &self.governance {
            Some(governance) => governance.note_stages(inputs),
            None => inputs.ungoverned(self.services.pipeline()),
        }
    }

    /// Completes the inputs of the record of a refusal.
    pub(crate) fn settle_refusal(&mut self, refused: &RefusedCompile) {
        self.draft.inputs.under(refused.stages.clone(), refused.recalled.clone());
    }

    /// The members of the response that a pack adds, as JSON text.
    pub(super) fn governed_members(&mut self, runs: &[HookRun], published: bool) -> String {
        self.governance.take().map(|own| own.members(runs, published)).unwrap_or_default()
    }

    /// The members of the response that the pack of a replay adds.
    pub(crate) fn governed_replay(&mut self) -> String {
        let runs = self.hooks.runs().to_vec();
        self.governed_members(&runs, false)
    }

    /// Ends a replay. Returns its record without the outcome, and the runs of its hooks.
    pub(crate) fn into_record(self) -> (RecordDraft, Vec<HookRun>) {
        (self.draft, self.hooks.into_parts().0)
    }
}
