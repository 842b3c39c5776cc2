//! Items of `OpenAI`'s Responses API that need one another: a call of a built-in tool and its output,
//! reasoning and the item that it led to. The API refuses one without the other
//! (<https://platform.openai.com/docs/guides/reasoning>,
//! <https://platform.openai.com/docs/guides/tools-computer-use>).

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use serde_json::json;

use super::call_half::CallHalf;
use super::calls::valid_id;
use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::{CallIds, Content, HalfFamily, Message, Part, RawJson, Role, Target, Thinking};
use crate::json::{self, Limits, to_text};
use crate::provider::{MISSING_RESULT, is_reference};

/// A program of the model's that calls tools. It has no output yet while its calls get their results.
const PROGRAM: &str = "program";

impl ConversationAdapter<'_> {
    /// Gives calls of built-in tools ids of their own, and brings their outputs to them. Removes
    /// halves whose other half is missing and cannot be made up, and reasoning without anything after it.
    pub(super) fn item_pairs(&mut self, history: &mut Vec<Message>) {
        if self.target != Target::OpenaiResponses {
            return;
        }
        let mut pairing = ItemPairing::default();
        let mut found = Vec::new();
        for message in history.iter_mut() {
            match message.role {
                Role::User => pairing.run += 1,
                Role::Assistant => found.push(pairing.read(std::mem::take(&mut message.parts))),
                Role::System | Role::Tool => {}
            }
        }
        let is_model = |message: &&mut Message| message.role == Role::Assistant;
        for (message, found) in history.iter_mut().filter(is_model).zip(found) {
            let FoundItems { items, mut counts } = found;
            message.parts = pairing.put_together(items, &mut counts);
            let thoughts = message.parts.iter().rev().take_while(|part| is_item(part)).count();
            message.parts.truncate(message.parts.len() - thoughts);
            let at = pointer(self.source, message.origin, MessageRegion::History);
            self.note_halves(
                &at,
                [
                    ("unanswered_call", counts.unanswered),
                    ("orphan_result", counts.orphans),
                    ("duplicate_call_id", counts.duplicate_ids),
                    ("duplicate_result", counts.duplicate_outputs),
                    ("late_result", counts.late),
                    ("reasoning_alone_dropped", counts.reasoning + thoughts),
                ],
            );
        }
        history.retain(|message| message.role != Role::Assistant || !message.parts.is_empty());
    }
}

/// How many items of a message were mended.
#[derive(Default)]
struct ItemCounts {
    unanswered: usize,
    orphans: usize,
    duplicate_ids: usize,
    duplicate_outputs: usize,
    late: usize,
    reasoning: usize,
}

/// A part of a message, and the call that it is, by its index.
struct FoundItem {
    part: Part,
    call: Option<usize>,
}

struct FoundItems {
    items: Vec<FoundItem>,
    counts: ItemCounts,
}

/// A call of a built-in tool.
struct ItemCall {
    /// The id that is sent.
    id: String,
    /// The number of messages of the user before it.
    run: usize,
    is_answered: bool,
    /// Its output, if that was after a message of the user.
    late_output: Option<Part>,
}

/// Finds the call of each output, front to back. Each item is read once: screenshots are long.
#[derive(Default)]
struct ItemPairing {
    calls: Vec<ItemCall>,
    /// Ids that calls have so far.
    given: CallIds,
    /// Calls without an output under each id, as the request has it, by their tools, oldest first.
    open: HashMap<String, BTreeMap<String, VecDeque<usize>>>,
    run: usize,
    has_references: bool,
}

impl ItemPairing {
    /// Reads the parts of a message: outputs without a call are left out, and late ones are kept
    /// with their call.
    fn read(&mut self, parts: Vec<Part>) -> FoundItems {
        let mut counts = ItemCounts::default();
        let mut items = Vec::with_capacity(parts.len());
        for mut part in parts {
            match &part.content {
                Content::ToolCall(call) => {
                    self.given.take(Arc::clone(&call.id));
                }
                _ => self.has_references |= is_reference(&part),
            }
            let call = match CallHalf::new(&part, HalfFamily::BuiltInTool) {
                Some(CallHalf::Call(id)) => Some(self.open_call(id, &mut part, &mut counts)),
                Some(CallHalf::Output(id)) => match self.answer(&id, part, &mut counts) {
                    Some(own) => {
                        part = own;
                        None
                    }
                    None => continue,
                },
                None => None,
            };
            items.push(FoundItem { part, call });
        }
        FoundItems { items, counts }
    }

    fn open_call(&mut self, id: String, part: &mut Part, counts: &mut ItemCounts) -> usize {
        let valid = valid_id(Target::OpenaiResponses, &id);
        let mut own = valid.as_deref().unwrap_or(&id).to_owned();
        if self.given.has(&own) {
            counts.duplicate_ids += 1;
            // The repair of functions gives `id_2`, `id_3` and so on, also to calls that follow.
            own = self.given.find_free(&format!("{own}_item")).to_string();
        }
        if own != id {
            set_call_id(part, &own);
        }
        self.given.take(own.as_str().into());
        let index = self.calls.len();
        let tools = self.open.entry(id).or_default();
        tools.entry(tool_of(part).to_owned()).or_default().push_back(index);
        let (run, late_output) = (self.run, None);
        self.calls.push(ItemCall { id: own, run, is_answered: false, late_output });
        index
    }

    /// Finds the call of an output; returns the output if it stays where it is.
    fn answer(&mut self, id: &str, mut part: Part, counts: &mut ItemCounts) -> Option<Part> {
        let Some(open) = self.open.get_mut(id) else {
            if self.has_references {
                return Some(part);
            }
            counts.orphans += 1;
            return None;
        };
        // Several tools may have calls of one id.
        let call = match open.get_mut(tool_of(&part)) {
            Some(own) => own.pop_front(),
            None => open.values_mut().find_map(VecDeque::pop_front),
        };
        let Some(call) = call.and_then(|index| self.calls.get_mut(index)) else {
            counts.duplicate_outputs += 1;
            return None;
        };
        call.is_answered = true;
        if call.id != id {
            set_call_id(&mut part, &call.id);
        }
        if call.run == self.run {
            return Some(part);
        }
        counts.late += 1;
        call.late_output = Some(part);
        None
    }

    /// The parts of a message with the outputs of its calls, and without calls that have none.
    fn put_together(&mut self, items: Vec<FoundItem>, counts: &mut ItemCounts) -> Vec<Part> {
        let mut parts = Vec::with_capacity(items.len());
        for FoundItem { part, call } in items {
            let Some(call) = call.and_then(|index| self.calls.get_mut(index)) else {
                parts.push(part);
                continue;
            };
            if call.is_answered || is_program(&part) {
                parts.push(part);
                parts.extend(call.late_output.take());
            } else if let Some(output) = missing_output(&part, &call.id) {
                counts.unanswered += 1;
                parts.extend([part, output]);
            } else {
                counts.unanswered += 1;
                // Reasoning that led to the call goes with it.
                while parts.last().is_some_and(is_item) {
                    parts.pop();
                    counts.reasoning += 1;
                }
            }
        }
        parts
    }
}

/// The output of a call that never got one, as calls of functions get it; none of a tool whose output
/// cannot be made up, such as a screenshot.
/// <https://developers.openai.com/api/docs/guides/tools-shell>,
/// <https://developers.openai.com/api/docs/guides/tools-apply-patch>
fn missing_output(call: &Part, id: &str) -> Option<Part> {
    let Content::Opaque { kind, .. } = &call.content else { return None };
    let text = MISSING_RESULT;
    let output = match &**kind {
        "shell_call" => json!({"type": "shell_call_output", "call_id": id, "output": [
            {"stdout": "", "stderr": text, "outcome": {"type": "exit", "exit_code": 1}}]}),
        "local_shell_call" => json!({"type": "local_shell_call_output", "id": id, "output": text}),
        "apply_patch_call" => json!({"type": "apply_patch_call_output", "call_id": id,
            "status": "failed", "output": text}),
        _ => return None,
    };
    let raw = RawJson::new(output.to_string());
    Some(Part::new(Content::Opaque { kind: format!("{kind}_output").into(), raw }))
}

/// The tool that an item is a call or an output of.
fn tool_of(part: &Part) -> &str {
    let Content::Opaque { kind, .. } = &part.content else { return "" };
    let call = kind.strip_suffix("_output").unwrap_or(kind);
    call.strip_suffix("_call").unwrap_or(call)
}

/// Writes another id into the item of a call, or of an output.
fn set_call_id(part: &mut Part, id: &str) {
    let Content::Opaque { raw, .. } = &mut part.content else { return };
    let Ok(node) = json::parse(raw.as_str(), Limits::default()) else { return };
    // Some clients name the call of an output in `id`.
    let key = if node.get("call_id").is_some() { "call_id" } else { "id" };
    let text = json::with_members(&node, |name, _| (name == key).then(|| to_text(id)));
    if let Some(text) = text {
        *raw = RawJson::new(text);
    }
}

fn is_program(part: &Part) -> bool {
    matches!(&part.content, Content::Opaque { kind, .. } if **kind == *PROGRAM)
}

/// Whether a part is an item of reasoning.
fn is_item(part: &Part) -> bool {
    matches!(part.content, Content::Thinking(Thinking { opaque: Some(_), .. }))
}
