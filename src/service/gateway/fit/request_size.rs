//! The size of a request as its provider counts it.

use crate::domain::{Model, Notes, Target};
use crate::json::{self, Faults, Limits};
use crate::pipeline::{self, Deadline, PipelineContext};
use crate::provider;

/// Tokens of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestSize {
    /// Those of system text and tools.
    pub(super) head: u64,
    pub(super) total: u64,
}

impl RequestSize {
    /// Counts a body; none if it cannot be read as a whole, or the time is up.
    pub(super) fn measure(
        pipeline: &PipelineContext,
        model: &Model,
        target: Target,
        body: &str,
        deadline: &Deadline,
    ) -> Option<Self> {
        let node = json::parse(body, Limits::default()).ok()?;
        let (mut faults, mut notes) = (Faults::default(), Notes::default());
        let conversation = provider::read(&node, target.into(), &mut faults, &mut notes);
        if !faults.is_empty() {
            return None;
        }
        let counter = &pipeline.counter;
        let counts =
            pipeline::count_messages(counter, model, &conversation, target, deadline).ok()?;
        let tools = pipeline::count_tools(counter, model, &conversation.tools, deadline).ok()?;
        let system: u64 = counts.each.iter().take(conversation.system.len()).sum();
        Some(Self { head: system + tools, total: counts.total + tools })
    }
}
