//! Media in the results of tools for Chat Completions, whose results are text: they go into a message
//! of the user behind the results, so that the model sees them.

use super::ConversationAdapter;
use super::losses::count;
use super::{MessageRegion, pointer};
use crate::domain::{Content, Message, Part, Role, Target};

impl ConversationAdapter<'_> {
    /// Moves the media of each run of results into a message behind the run.
    pub(super) fn result_media(&mut self, history: &mut Vec<Message>) {
        let has_media = |message: &Message| {
            message.tool_results().any(|result| {
                result.content.iter().any(|part| matches!(part.content, Content::Media(_)))
            })
        };
        if self.target != Target::Openai || !history.iter().any(has_media) {
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

    /// Takes the media out of a message's results, each of which says that it is shown below.
    fn take_media(&mut self, message: &mut Message, moved: &mut Vec<Part>) {
        let before = moved.len();
        for part in &mut message.parts {
            let Content::ToolResult(result) = &mut part.content else { continue };
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
