//! The steps that live compiles and replays share: [`CompileRun`].

use super::Error;
use super::govern::{GovernContext, GovernSource, govern};
use crate::json::Node;
use crate::pack::PackRef;
use crate::pipeline::{self, CompiledPayload, Deadline, HookPort, PipelineRun, Timings};
use crate::request::CompileRequest;
use crate::service::Services;

/// Context of a compile besides its request, for live compiles and replays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompileRun<'r> {
    pub(crate) services: &'r Services,
    /// The request as JSON. Packs read members of it.
    pub(crate) node: &'r Node<'r>,
    pub(crate) deadline: &'r Deadline,
}

impl CompileRun<'_> {
    /// Governs the request by its pack, or by `pack` if it is given. Returns none if there is no
    /// pack.
    pub(crate) fn govern(
        &self,
        request: &mut CompileRequest,
        hooks: &mut dyn HookPort,
        pack: Option<&PackRef>,
        source: GovernSource,
    ) -> Result<Option<GovernContext>, Error> {
        govern(self, request, hooks, pack, source)
    }

    /// Runs the stages, and checks that hooks did not change what the pack requires. `head` is
    /// written before the payload.
    pub(crate) fn run(
        &self,
        request: CompileRequest,
        head: String,
        hooks: &mut dyn HookPort,
        governance: Option<&GovernContext>,
        timings: &mut Timings,
    ) -> Result<CompiledPayload, Error> {
        let run = PipelineRun { deadline: self.deadline, hooks, timings };
        let compiled = pipeline::compile(self.services.pipeline(), request, head, run)?;
        governance.map_or(Ok(()), |governance| governance.check(&compiled))?;
        Ok(compiled)
    }
}
