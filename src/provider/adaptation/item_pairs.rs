//! Items of `OpenAI`'s Responses API that need one another: a call of a built-in tool and its output,
//! reasoning and the item that it led to. The API refuses one without the other
//! (<https://platform.openai.com/docs/guides/reasoning>,
//! <https://platform.openai.com/docs/guides/tools-computer-use>).

use std::collections::HashSet;

use super::call_half::CallHalf;
use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::{Content, HalfFamily, Message, Part, Role, Target, Thinking};

/// A program of the model's that calls tools. It has no output yet while its calls are answered.
const PROGRAM: &str = "program";

impl ConversationAdapter<'_> {
    /// Removes halves of calls of built-in tools whose other half is missing, and reasoning without
    /// anything after it.
    pub(super) fn item_pairs(&mut self, history: &mut Vec<Message>) {
        if self.target != Target::OpenaiResponses {
            return;
        }
        let is_model = |message: &&mut Message| message.role == Role::Assistant;
        let parts = history.iter_mut().filter(is_model).flat_map(|message| &message.parts);
        // In the order of the parts, each of which is read once: screenshots are long.
        let halves: Vec<Option<CallHalf>> =
            parts.map(|part| CallHalf::new(part, HalfFamily::BuiltInTool)).collect();
        // A call is answered by an output after it, an output answers a call before it.
        let (mut called, mut answered) = (HashSet::new(), HashSet::new());
        for half in halves.iter().flatten() {
            match half {
                CallHalf::Call(id) => {
                    called.insert(id.as_str());
                }
                CallHalf::Output(id) if called.contains(id.as_str()) => {
                    answered.insert(id.as_str());
                }
                CallHalf::Output(_) => {}
            }
        }
        let is_program = |part: &Part| matches!(&part.content, Content::Opaque { kind, .. } if **kind == *PROGRAM);
        let mut halves = halves.iter();
        for message in history.iter_mut().filter(is_model) {
            let (mut calls, mut outputs) = (0, 0);
            message.parts.retain(|part| match halves.next().and_then(Option::as_ref) {
                Some(CallHalf::Call(id))
                    if !answered.contains(id.as_str()) && !is_program(part) =>
                {
                    calls += 1;
                    false
                }
                Some(CallHalf::Output(id)) if !answered.contains(id.as_str()) => {
                    outputs += 1;
                    false
                }
                _ => true,
            });
            let thoughts = message.parts.iter().rev().take_while(|part| is_item(part)).count();
            message.parts.truncate(message.parts.len() - thoughts);
            let at = pointer(self.source, message.origin, MessageRegion::History);
            self.note_halves(
                &at,
                [
                    ("unanswered_call", calls),
                    ("orphan_result", outputs),
                    ("reasoning_alone_dropped", thoughts),
                ],
            );
        }
        history.retain(|message| message.role != Role::Assistant || !message.parts.is_empty());
    }
}

/// Whether a part is an item of reasoning.
fn is_item(part: &Part) -> bool {
    matches!(part.content, Content::Thinking(Thinking { opaque: Some(_), .. }))
}
