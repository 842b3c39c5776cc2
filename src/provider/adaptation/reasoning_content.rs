//! `reasoning_content`, which some models want in messages of the assistant, and thinking, which they
//! want before calls on Anthropic's wire.

use super::{ConversationAdapter, MessageRegion, is_thinking, pointer};
use crate::domain::{
    Content, Message, Part, RawJson, Role, Target, Thinking, WantedReasoning, counted,
};

const REASONING_CONTENT: &str = "reasoning_content";
/// A space: the model refuses an empty text, and a text with words would pass for its own thoughts.
const PLACEHOLDER: &str = "\" \"";

impl ConversationAdapter<'_> {
    /// Gives a placeholder to messages of the assistant without `reasoning_content`, such as those
    /// that another model wrote: in thinking mode the provider refuses a history in which one lacks it
    /// ([`WantedReasoning`]).
    pub(super) fn reasoning_content(&mut self, history: &mut [Message]) {
        let wanted = self.destination.wanted_reasoning;
        match self.target {
            _ if wanted == WantedReasoning::Never => {}
            Target::Openai => self.fill_reasoning_content(history, wanted),
            Target::Anthropic => self.fill_thinking(history),
            _ => {}
        }
    }

    /// Gives empty thinking to messages that call tools and have none. In thinking mode the provider
    /// refuses them without it, and takes it empty
    /// (<https://api-docs.deepseek.com/guides/thinking_mode#tool-calls>).
    fn fill_thinking(&mut self, history: &mut [Message]) {
        let lacks = |message: &&mut Message| {
            message.has_tool_calls() && !message.parts.iter().any(is_thinking)
        };
        let mut changed = Vec::new();
        for message in history.iter_mut().filter(lacks) {
            let empty = Content::Thinking(Thinking { text: "".into(), opaque: None });
            message.parts.insert(0, Part::new(empty));
            changed.push(message.origin);
        }
        self.note_added(&changed, "with calls got an empty `thinking`");
    }

    fn fill_reasoning_content(&mut self, history: &mut [Message], wanted: WantedReasoning) {
        let mut changed = Vec::new();
        let is_wanted = |message: &&mut Message| {
            message.role == Role::Assistant
                && (wanted == WantedReasoning::Always || message.has_tool_calls())
        };
        for message in history.iter_mut().filter(is_wanted) {
            let own = message.extra.iter_mut().find(|(name, _)| &**name == REASONING_CONTENT);
            let placeholder = RawJson::new(PLACEHOLDER);
            match own {
                Some((_, text)) if ["\"\"", "null"].contains(&text.as_str()) => *text = placeholder,
                Some(_) => continue,
                None => message.extra.push((REASONING_CONTENT.into(), placeholder)),
            }
            changed.push(message.origin);
        }
        self.note_added(&changed, "of the assistant got a blank `reasoning_content`");
    }

    /// Notes that messages were changed: how many, with the place of the first. `origins`: of all of them.
    fn note_added(&mut self, origins: &[Option<usize>], what: &str) {
        let Some(first) = origins.first() else { return };
        let at = pointer(self.source, *first, MessageRegion::History);
        let detail = format!("{} {what}", counted(origins.len() as u64, "message"));
        self.notes.repaired("reasoning_content_added", at, detail);
    }
}
