//! The results that hooks at `tool_result` changed, as a report counts them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::StopReason;
use super::measure::{self, Meter};
use crate::domain::{Content, Message, Part, ReplacedResult, Role, ToolResult};

/// The results of a conversation that hooks changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ChangedResults {
    /// Ids of their calls.
    call_ids: BTreeSet<Arc<str>>,
    /// Raw tokens that the results take less than before; negative if they take more.
    pub(super) saved_tokens: i64,
}

impl ChangedResults {
    pub(super) fn count(
        meter: &Meter<'_>,
        replaced: &[ReplacedResult],
    ) -> Result<Self, StopReason> {
        let tokens = |result: &ToolResult| {
            let part = Part::new(Content::ToolResult(result.clone()));
            meter.message(&Message::new(Role::Tool, vec![part])).map(|cost| cost.real())
        };
        let mut changed = Self::default();
        for ReplacedResult { old, new } in replaced {
            changed.call_ids.insert(Arc::clone(&new.call_id));
            changed.saved_tokens += measure::saved(tokens(old)?, tokens(new)?);
        }
        Ok(changed)
    }

    /// Whether the result of a message is one of them.
    pub(super) fn contains(&self, message: &Message) -> bool {
        !self.call_ids.is_empty()
            && message.tool_results().any(|result| self.call_ids.contains(&result.call_id))
    }
}
