//! Media in results of tools that hold text alone: all results of Chat Completions, those of Gemini's
//! models before the third, and failed ones of Anthropic's (the API says that all content of a result with
//! `is_error` must be text). They go into a message of the user after the results, so that the model sees
//! them.

use super::ConversationAdapter;
use super::losses::count;
use super::{MessageRegion, pointer};
use crate::domain::{Content, Message, Part, Role, Target, ToolResult};

impl ConversationAdapter<'_> {
    /// Moves the media of each run of results into a message after the run.
    pub(super) fn result_media(&mut self, history: &mut Vec<Message>) {
        let has_media =
            |message: &Message| message.tool_results().any(|result| self.moves_media(result));
        if !history.iter().any(has_media) {
            return;
        }
        let mut moved: Vec<Part> = Vec::new();
        let mut found = Vec::with_capacity(history.len());
        for mut message in std::mem::take(history) {
            if message.role == Role::Tool {
                self.take_media(&mut message, &mut moved);
            } else if !moved.is_empty() {
                found.push(Message::new(Role::User, std::mem::take(&mut moved)));
            }
            found.push(message);
        }
        if !moved.is_empty() {
            found.push(Message::new(Role::User, moved));
        }
        *history = found;
    }

    /// Whether the media of a result have to be after it.
    fn moves_media(&self, result: &ToolResult) -> bool {
        let is_text = match self.target {
            Target::Openai => true,
            Target::Anthropic => result.is_error == Some(true),
            Target::Gemini => !self.destination.takes_result_media,
            Target::OpenaiResponses | Target::Neutral => false,
        };
        is_text && result.content.iter().any(|part| matches!(part.content, Content::Media(_)))
    }

    /// Takes the media out of a message's results, each of which says that it is shown below.
    fn take_media(&mut self, message: &mut Message, moved: &mut Vec<Part>) {
        let before = moved.len();
        for part in &mut message.parts {
            let Content::ToolResult(result) = &mut part.content else { continue };
            if !self.moves_media(result) {
                continue;
            }
            for part in &mut result.content {
                let Content::Media(media) = &part.content else { continue };
                let noun = if media.is_image() { "image" } else { "attachment" };
                let text = format!("[{noun}: in the message behind the results]");
                moved.push(std::mem::replace(part, Part::text(text)));
            }
        }
        let count_moved = moved.len() - before;
        if count_moved > 0 {
            let at = pointer(self.source, message.origin, MessageRegion::History);
            self.notes.degraded("media_behind_results", at, count(count_moved));
        }
    }
}
