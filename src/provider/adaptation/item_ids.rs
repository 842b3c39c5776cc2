//! Ids of items for the Responses API, which takes each once, of at most 64 letters, digits, `_` and `-`,
//! and with the beginning that it gives to items of the kind. Some gateways make others:
//! <https://developers.openai.com/api/reference/resources/responses>.

use std::sync::Arc;

use memchr::memmem;

use super::calls::{is_word, rename};
use super::fields::string_value;
use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::{CallIds, Content, Message, Part, RawJson, Role, Target, Thinking};
use crate::json::{self, Limits, Node, to_text};
use crate::provider::is_reference;

const ID: &str = "id";
/// Characters of an id that a number follows.
const MAX_STEM_CHARS: usize = 56;
const MAX_ID_CHARS: usize = 64;
/// The beginning of ids of reasoning.
const REASONING: &str = "rs";

impl ConversationAdapter<'_> {
    /// Shortens ids of items, and gives an item of the provider's own another id if an item before it
    /// has it. A call of a function can be without one; ids of texts are made unique as they are
    /// written, since texts of one id are one item.
    pub(super) fn item_ids(&mut self, history: &mut [Message]) {
        if self.target != Target::OpenaiResponses {
            return;
        }
        let mut taken = CallIds::default();
        for message in history.iter_mut().filter(|message| message.role == Role::Assistant) {
            let mut changed = 0_usize;
            if let Some(long) = message.id.as_deref().and_then(mended_id) {
                message.id = Some(long);
                changed += 1;
            }
            changed += usize::from(shorten_member(&mut message.extra));
            for part in &mut message.parts {
                changed += usize::from(remove_foreign_id(part));
                changed += usize::from(shorten_member(&mut part.extra));
                changed += usize::from(mend_part(part, &mut taken));
            }
            if changed > 0 {
                let at = pointer(self.source, message.origin, MessageRegion::History);
                let detail = format!("{changed} ids of items");
                self.notes.repaired("item_id_replaced", at, detail);
            }
        }
    }
}

/// Whether the API takes an id for reasoning.
pub(super) fn is_reasoning_id(id: &str) -> bool {
    id.starts_with(REASONING) && is_id(id)
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_ID_CHARS && id.chars().all(is_word)
}

/// The id in a form that the API takes, if it is not in one.
fn mended_id(id: &str) -> Option<Arc<str>> {
    (!is_id(id)).then(|| rename(id, MAX_ID_CHARS, is_word))
}

/// The beginning of ids of a kind of item that has its output in it, and so can have any id of that form.
fn beginning_of(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "code_interpreter_call" => "ci",
        "file_search_call" => "fs",
        "image_generation_call" => "ig",
        "mcp_call" => "mcp",
        "web_search_call" => "ws",
        _ => return None,
    })
}

/// Shortens the id among the members of a part or message; true if it was too long.
fn shorten_member(extra: &mut crate::domain::Extra) -> bool {
    let Some((_, raw)) = extra.iter_mut().find(|(name, _)| &**name == ID) else { return false };
    let short = string_value(raw).and_then(|id| mended_id(&id));
    let Some(short) = short else { return false };
    *raw = RawJson::new(to_text(&*short));
    true
}

/// Removes the id of a call or a text that is not as the provider's own are: they may be without one.
fn remove_foreign_id(part: &mut Part) -> bool {
    let beginning = match &part.content {
        Content::ToolCall(call) if call.custom => "ctc",
        Content::ToolCall(_) => "fc",
        Content::Text(_) => "msg",
        _ => return false,
    };
    let count = part.extra.len();
    part.extra.retain(|(name, raw)| {
        &**name != ID || string_value(raw).is_none_or(|id| id.starts_with(beginning) && is_id(&id))
    });
    part.extra.len() < count
}

/// Mends the id of a call of a function or of an item; true if it had to be.
fn mend_part(part: &mut Part, taken: &mut CallIds) -> bool {
    if is_reference(part) {
        return false;
    }
    let (kind, raw) = match &mut part.content {
        Content::ToolCall(_) => {
            let at = part.extra.iter().position(|(name, _)| &**name == ID);
            let id = at.and_then(|at| string_value(&part.extra.get(at)?.1));
            let is_new = id.is_none_or(|id| taken.take(id.into()));
            if !is_new && let Some(at) = at {
                part.extra.remove(at);
            }
            return !is_new;
        }
        Content::Opaque { kind, raw } => (Some(kind), raw),
        Content::Thinking(Thinking { opaque: Some(raw), .. }) => (None, raw),
        _ => return false,
    };
    // Screenshots are long, and few outputs have an id.
    if memmem::find(raw.as_str().as_bytes(), b"\"id\"").is_none() {
        return false;
    }
    let Ok(node) = json::parse(raw.as_str(), Limits::default()) else { return false };
    let kind = kind.map(|kind| &**kind);
    let is_output = kind.is_some_and(|kind| kind.ends_with("_output"));
    let is_request = kind == Some("mcp_approval_request");
    if is_request || is_output && node.get("call_id").is_none() {
        // It names its call, or its answer has it.
        return false;
    }
    let Some(id) = node.get(ID).and_then(Node::as_str) else { return false };
    let beginning = kind.and_then(beginning_of);
    let mut own: Arc<str> = match beginning.filter(|beginning| !id.starts_with(beginning)) {
        Some(beginning) => format!("{beginning}_{id}").into(),
        None => id.into(),
    };
    if let Some(mended) = mended_id(&own) {
        own = mended;
    }
    if taken.has(&own) {
        // Room for the number.
        let stem: String = own.chars().take(MAX_STEM_CHARS).collect();
        own = taken.find_free(&stem);
    }
    taken.take(own.clone());
    if *own == *id {
        return false;
    }
    let new = json::with_members(&node, |name, _| (name == ID).then(|| to_text(&*own)));
    if let Some(new) = new {
        *raw = RawJson::new(new);
    }
    true
}
