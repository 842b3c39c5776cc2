//! Messages in the form that the ladder gave them.

use std::sync::Arc;

use crate::domain::{Content, Message, Part, Role};
use crate::pipeline::prose;

/// What rung 3 takes out of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::pipeline) enum Clearing {
    Results,
    ResultsAndThinking,
}

/// A message after rung 3; `None` where it has nothing to clear.
pub(in crate::pipeline) fn cleared(message: &Message, clearing: Clearing) -> Option<Message> {
    match message.role {
        Role::Tool => {
            let mut message = message.clone();
            for part in &mut message.parts {
                if let Content::ToolResult(result) = &mut part.content {
                    result.content = vec![Part::text(Arc::from(prose::CLEARED_RESULT))];
                    part.extra.clear();
                }
            }
            Some(message)
        }
        Role::Assistant if clearing == Clearing::ResultsAndThinking => {
            let is_thinking = |part: &Part| matches!(part.content, Content::Thinking(_));
            if !message.parts.iter().any(is_thinking) {
                return None;
            }
            let mut message = message.clone();
            message.parts.retain(|part| !is_thinking(part));
            // A message of thinking alone says nothing without it, and would be refused empty.
            (!message.parts.is_empty()).then_some(message)
        }
        _ => None,
    }
}
