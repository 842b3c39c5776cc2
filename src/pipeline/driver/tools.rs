//! Stage 3: the tools of a compile.

use std::sync::Arc;

use super::Driver;
use crate::domain::{Conversation, Message, Role, ToolDefinition};
use crate::pipeline::stage::timed;
use crate::pipeline::{StopReason, tools};

/// The output of stage 3.
pub(super) struct ToolChoice {
    /// Tools to be added after all others.
    pub(super) loaded: Vec<ToolDefinition>,
    /// Tools in the request's list.
    pub(super) total: usize,
    /// Names of the tools of that list that are not in the payload.
    pub(super) removed: Vec<Arc<str>>,
}

impl Driver<'_> {
    /// Stages 0 and 3: the conversation with the tools that the model gets, in what the target
    /// supports; loaded tools are returned apart.
    pub(super) fn choose(
        &mut self,
        mut conversation: Conversation,
    ) -> Result<(Conversation, ToolChoice), StopReason> {
        let (options, deadline) = (&self.request.tools, self.meter.deadline());
        let run = || tools::run(&mut conversation, options, deadline);
        let chosen = timed(&mut self.timings.compile, run)?;
        if let Some(directory) = chosen.directory {
            conversation.system.push(Message::text(Role::System, directory));
        }
        let count = chosen.loaded.len();
        conversation.tools.extend(chosen.loaded);
        let mut conversation = self.ingest(conversation);
        let all = conversation.tools.len();
        let loaded = conversation.tools.split_off(all.saturating_sub(count));
        Ok((conversation, ToolChoice { loaded, total: chosen.total, removed: chosen.removed }))
    }

    /// Raw tokens of each.
    pub(super) fn count_tools(&mut self, tools: &[ToolDefinition]) -> Result<Vec<u64>, StopReason> {
        let count = || tools.iter().map(|tool| self.meter.tool(tool)).collect();
        timed(&mut self.timings.count, count)
    }
}
