//! Items of `OpenAI`'s Responses API.
//!
//! Consecutive output of the model is one assistant message, its items the parts in their order.
//! Uninterpreted members of an item (`id`, `status`, `phase`) are in the extra members of its part:
//! of the first, if an item has several; the id on every text.

use std::collections::HashSet;
use std::sync::Arc;

use super::block;
use super::context::{ReadContext, extra, present};
use super::message::{self, LegacyIds, ListedItem};
use crate::domain::{Content, Message, Part, RawJson, Role, Thinking, ToolCall, ToolResult};
use crate::json::{self, Node, Path, to_text};
use crate::provider::COMPACTION;

/// Reads a list of input items.
pub(super) fn read_list(
    cx: &mut ReadContext<'_>,
    items: &[Node<'_>],
    path: &Path<'_>,
) -> Vec<Message> {
    let mut run = ItemCollector::default();
    let mut legacy = LegacyIds::default();
    for (index, item) in items.iter().enumerate() {
        let path = path.index(index);
        if item.as_object().is_none() {
            cx.fault(&path, format!("an item must be an object, not {}", item.kind()));
            continue;
        }
        match cx.member(item, "type", &path).as_deref() {
            Some("message") => {
                let item = ListedItem { node: item, index, path: &path };
                read_message_item(cx, item, &mut legacy, &mut run);
            }
            None if item.get("role").is_some() || item.get("type").is_none() => {
                let item = ListedItem { node: item, index, path: &path };
                read_message_item(cx, item, &mut legacy, &mut run);
            }
            None => {}
            Some("function_call") => {
                let call = call(cx, item, &path, false);
                run.add(index, call, ItemEffect::Call);
            }
            Some("custom_tool_call") => {
                let call = call(cx, item, &path, true);
                run.add(index, call, ItemEffect::Call);
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                let part = output(cx, item, &path);
                let mut message = Message::new(Role::Tool, vec![part]);
                message.origin = Some(index);
                run.end(message);
            }
            Some("reasoning") => run.add(index, reasoning(cx, item, &path), ItemEffect::Reasons),
            // The name that compactions had at first, which clients keep in their histories:
            // <https://github.com/openai/codex>, `ResponseItem`.
            Some("compaction_summary") => {
                let mut part = block::opaque(cx, item, &path);
                if let Content::Opaque { kind, raw } = &mut part.content
                    && let Some(text) = json::with_members(item, |name, _| {
                        (name == "type").then(|| to_text(COMPACTION))
                    })
                {
                    (*kind, *raw) = (COMPACTION.into(), RawJson::new(text));
                }
                run.add_own(index, part, COMPACTION, item);
            }
            // An item of the provider's own keeps its place and its bytes.
            Some(kind) => run.add_own(index, block::opaque(cx, item, &path), kind, item),
        }
    }
    run.finish()
}

/// The effect of an item on the assistant message that is being collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemEffect {
    /// Text: the start of a new message if there was text before.
    Begins,
    /// Reasoning: the start of a new message if there was text, or a call of a built-in tool with its
    /// output, before.
    Reasons,
    /// A call: the start of a new message if what came before has all its outputs.
    Call,
    Goes,
}

/// Messages so far, and the assistant message that items are still added to.
#[derive(Debug, Default)]
struct ItemCollector {
    messages: Vec<Message>,
    open: Option<OpenMessage>,
}

/// An assistant message that items are still added to.
#[derive(Debug)]
struct OpenMessage {
    message: Message,
    /// It has text and no calls: it was a whole answer.
    is_complete: bool,
    /// Calls of built-in tools that have no output yet.
    unanswered: HashSet<Arc<str>>,
    /// It has a call of a built-in tool whose output is in the call.
    has_whole_call: bool,
    /// It has the outputs of all its calls: what follows is another turn.
    is_answered: bool,
}

impl OpenMessage {
    fn new(index: usize) -> Self {
        let mut message = Message::new(Role::Assistant, Vec::new());
        message.origin = Some(index);
        Self {
            message,
            is_complete: false,
            unanswered: HashSet::new(),
            has_whole_call: false,
            is_answered: false,
        }
    }

    /// Whether it ends in a call of a built-in tool whose output is in the call.
    fn is_settled(&self) -> bool {
        self.has_whole_call && self.unanswered.is_empty() && !self.message.has_tool_calls()
    }

    /// Whether a next item with this effect is part of another message.
    fn ends_before(&self, step: ItemEffect) -> bool {
        match step {
            ItemEffect::Begins => self.is_complete || self.is_answered,
            ItemEffect::Reasons => self.is_complete || self.is_answered || self.is_settled(),
            ItemEffect::Call => self.is_answered || self.is_settled(),
            ItemEffect::Goes => false,
        }
    }
}

impl ItemCollector {
    fn add(&mut self, index: usize, part: Part, step: ItemEffect) {
        let open = self.open_for(index, step);
        open.message.parts.push(part);
        if step == ItemEffect::Call {
            open.is_complete = false;
        }
    }

    /// The message that a next item with this effect is part of.
    fn open_for(&mut self, index: usize, step: ItemEffect) -> &mut OpenMessage {
        if self.open.as_ref().is_some_and(|open| open.ends_before(step)) {
            self.close();
        }
        self.open.get_or_insert_with(|| OpenMessage::new(index))
    }

    /// Adds an item of the provider's own. A call of a built-in tool and its output are a turn of
    /// their own, like a call of a function and its result: the ladder takes them one by one.
    fn add_own(&mut self, index: usize, part: Part, kind: &str, item: &Node<'_>) {
        let is_output = kind.ends_with("_output");
        // A compaction replaces all before it, and stays whatever happens to what follows it.
        let is_alone = kind == COMPACTION;
        let is_answered = self.open.as_ref().is_some_and(|open| open.is_answered);
        if is_alone || (is_answered && !is_output) {
            self.close();
        }
        // So is a call with its output in it.
        let is_whole_call = kind.ends_with("_call") && item.get("call_id").is_none();
        let step = if is_output { ItemEffect::Goes } else { ItemEffect::Call };
        let open = self.open_for(index, step);
        open.message.parts.push(part);
        // Clients name the call of an output of the local shell in either member.
        let id = item.get("call_id").or_else(|| item.get("id").filter(|_| is_output));
        match id.and_then(Node::as_str) {
            Some(id) if is_output => {
                open.unanswered.remove(id);
                open.is_answered = open.unanswered.is_empty() && !open.message.has_tool_calls();
            }
            Some(id) => {
                open.unanswered.insert(id.into());
            }
            None => open.has_whole_call |= is_whole_call,
        }
        if is_alone {
            self.close();
        }
    }

    fn close(&mut self) {
        self.messages.extend(self.open.take().map(|open| open.message));
    }

    fn end(&mut self, message: Message) {
        self.close();
        message::push_message(message, &mut self.messages);
    }

    fn finish(mut self) -> Vec<Message> {
        self.close();
        self.messages
    }
}

/// Reads a `message` item, with or without its `type`.
fn read_message_item(
    cx: &mut ReadContext<'_>,
    item: ListedItem<'_, '_>,
    legacy: &mut LegacyIds,
    run: &mut ItemCollector,
) {
    let ListedItem { node, index, .. } = item;
    let Some(mut message) = message::read_message(cx, item, legacy) else { return };
    message.extra.retain(|(key, _)| &**key != "type");
    if message.role != Role::Assistant {
        run.end(message);
        return;
    }
    let calls = message.has_tool_calls();
    if message.parts.is_empty() {
        message.parts.push(Part::text(""));
    }
    let id = present(node, "id").map(|id| (Arc::from("id"), RawJson::new(id.raw)));
    // Texts that name one id are written as one item again.
    for (at, part) in message.parts.iter_mut().enumerate() {
        if at == 0 || matches!(part.content, Content::Text(_)) {
            part.extra.extend(id.clone());
        }
        if at == 0 {
            part.extra.append(&mut message.extra);
        }
    }
    let mut step = ItemEffect::Begins;
    for part in message.parts {
        run.add(index, part, step);
        step = ItemEffect::Goes;
    }
    if let Some(open) = &mut run.open {
        let own = &mut open.message;
        own.id = own.id.take().or(message.id);
        own.name = own.name.take().or(message.name);
        open.is_complete = !calls && !own.has_tool_calls();
    }
}

fn call(cx: &mut ReadContext<'_>, item: &Node<'_>, path: &Path<'_>, custom: bool) -> Part {
    let id = cx.required(item, "call_id", path, "a tool call needs an id");
    let name = cx.tool_name(item, path);
    let key = if custom { "input" } else { "arguments" };
    let at = path.key(key);
    let arguments = match item.get(key) {
        None => {
            cx.fault(path, format!("`{key}` is missing"));
            Arc::from("{}")
        }
        Some(text) if custom => cx.string(text, &at).unwrap_or_default(),
        Some(text) => cx.arguments(text, &at, &id, false),
    };
    let mut part = Part::new(Content::ToolCall(ToolCall { id, name, arguments, custom }));
    part.extra = extra(item, &["type", "call_id", "name", key]);
    part
}

fn output(cx: &mut ReadContext<'_>, item: &Node<'_>, path: &Path<'_>) -> Part {
    let call_id = cx.required(item, "call_id", path, "a tool result needs the id of its call");
    let output = cx.require_member(item, "output", path);
    let content = match output {
        Some(output) => block::result_content(cx, output, &path.key("output")),
        None => Vec::new(),
    };
    let result = ToolResult { call_id, name: None, content, is_error: None };
    let mut part = Part::new(Content::ToolResult(result));
    part.extra = extra(item, &["type", "call_id", "output"]);
    part
}

/// A reasoning item is returned whole: it may be encrypted, and the provider knows its id.
fn reasoning(cx: &mut ReadContext<'_>, item: &Node<'_>, path: &Path<'_>) -> Part {
    let mut texts = Vec::new();
    for key in ["summary", "content"] {
        let items = item.get(key).and_then(Node::as_array).unwrap_or_default();
        texts.extend(items.iter().filter_map(|part| part.get("text")?.as_str()));
    }
    let text = cx.text(&texts.join("\n\n"), path);
    Part::new(Content::Thinking(Thinking { text, opaque: Some(cx.raw(item, path, true)) }))
}
