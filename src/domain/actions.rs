//! What happens to messages in a compile.

use serde::Serialize;

/// Messages of the history by what happened to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = ActionCounts)]
pub struct Actions {
    /// Word for word.
    pub kept: usize,
    /// Shortened without loss.
    pub compressed: usize,
    /// Replaced by a reference to the same text earlier in the payload.
    pub deduplicated: usize,
    /// Tool result or thinking cleared.
    pub cleared: usize,
    /// Messages that the summary replaces.
    pub summarized: usize,
    /// Messages that were left out.
    pub dropped: usize,
    /// Removed by hooks; absent if none was.
    #[serde(skip_serializing_if = "is_zero")]
    pub removed: usize,
    /// Changed by hooks; absent if none was.
    #[serde(skip_serializing_if = "is_zero")]
    pub changed: usize,
    /// Messages that hooks added, which are none of the request's; absent if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub added: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Actions {
    /// Counts a message.
    pub(crate) fn add(&mut self, action: Action) {
        match action {
            Action::Kept => self.kept += 1,
            Action::Compressed => self.compressed += 1,
            Action::Deduplicated => self.deduplicated += 1,
            Action::Cleared => self.cleared += 1,
            Action::Summarized => self.summarized += 1,
            Action::Dropped => self.dropped += 1,
            Action::Removed => self.removed += 1,
            Action::Changed => self.changed += 1,
            Action::Added => self.added += 1,
        }
    }
}

/// What happened to one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = MessageAction)]
pub enum Action {
    Kept,
    Compressed,
    Deduplicated,
    Cleared,
    Summarized,
    Dropped,
    /// Removed by a hook.
    Removed,
    /// Changed by a hook.
    Changed,
    /// Added by a hook.
    Added,
}

impl Action {
    /// The rule that a decision names for it if no edit has one of its own.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Compressed | Self::Deduplicated => "on_arrival",
            Self::Cleared => "ladder:clear",
            Self::Summarized => "ladder:summary",
            Self::Dropped => "ladder:drop",
            Self::Removed | Self::Changed | Self::Added => "hook",
        }
    }
}
