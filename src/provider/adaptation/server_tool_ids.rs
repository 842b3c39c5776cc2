//! Ids of calls of Anthropic's server tools, which the API takes with the beginning that it gives them and
//! letters, digits and `_` alone. Gateways to other clouds make others
//! (<https://github.com/decolua/9router/issues/3685>).

use std::collections::HashMap;

use super::calls::rename;
use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::{Content, HalfFamily, ItemHalf, Message, Part, RawJson, Role, Target};
use crate::json::{self, Limits, Node, to_text};

const BEGINNING: &str = "srvtoolu_";
const MAX_ID_CHARS: usize = 64;
/// The member of a call by a program, and of its result, that says which program it was.
const CALLER: &str = "caller";
const TOOL_ID: &str = "tool_id";

/// The ids that calls have now, by those of the request.
type RenamedIds = HashMap<String, String>;

impl ConversationAdapter<'_> {
    /// Renames calls of server tools, with their results and with the calls that their programs made.
    pub(super) fn server_tool_ids(&mut self, history: &mut [Message]) {
        if self.target != Target::Anthropic {
            return;
        }
        let parts = history.iter().flat_map(|message| &message.parts);
        let renamed: RenamedIds = parts.filter_map(renamed_call).collect();
        if renamed.is_empty() {
            return;
        }
        for message in history {
            let mut count = 0_usize;
            for part in &mut message.parts {
                count += usize::from(rename_item(part, &renamed) || rename_caller(part, &renamed));
            }
            if count > 0 && message.role == Role::Assistant {
                let at = pointer(self.source, message.origin, MessageRegion::History);
                self.notes.repaired("item_id_replaced", at, format!("{count} ids of items"));
            }
        }
    }
}

fn is_valid(id: &str) -> bool {
    let rest = id.strip_prefix(BEGINNING).unwrap_or_default();
    !rest.is_empty() && id.len() <= MAX_ID_CHARS && rest.chars().all(is_allowed)
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The id of a call of a server tool with the one that it gets, if the API refuses it.
fn renamed_call(part: &Part) -> Option<(String, String)> {
    let Content::Opaque { kind, .. } = &part.content else { return None };
    if &**kind != "server_tool_use" {
        return None;
    }
    let (half, item) = ItemHalf::in_part(part)?;
    let id = half.id(item).filter(|id| !is_valid(id))?;
    let rest = rename(&id, MAX_ID_CHARS - BEGINNING.len(), is_allowed);
    Some((id, format!("{BEGINNING}{rest}")))
}

/// Renames the call that an item is, or is the result of; true if it is one of them.
fn rename_item(part: &mut Part, renamed: &RenamedIds) -> bool {
    let half = ItemHalf::in_part(part).map(|(half, _)| half);
    let Some(half) = half.filter(|half| half.family == HalfFamily::ServerTool) else {
        return false;
    };
    let Content::Opaque { raw, .. } = &mut part.content else { return false };
    let own = half.id(raw).and_then(|id| renamed.get(&id));
    replace_members(raw, |name, value| match name {
        CALLER => with_renamed_program(value, renamed),
        "id" | "tool_use_id" if value.as_str().is_some() => own.map(|new| to_text(new.as_str())),
        _ => None,
    })
}

/// Renames the program that a call or a result is of; true if it is one of them.
fn rename_caller(part: &mut Part, renamed: &RenamedIds) -> bool {
    let own = part.extra.iter_mut().find(|(name, _)| &**name == CALLER);
    let Some((_, caller)) = own else { return false };
    let node = json::parse(caller.as_str(), Limits::default()).ok();
    let new = node.and_then(|node| with_renamed_program(&node, renamed));
    let is_new = new.is_some();
    if let Some(text) = new {
        *caller = RawJson::new(text);
    }
    is_new
}

/// A caller whose program has another id now.
fn with_renamed_program(caller: &Node<'_>, renamed: &RenamedIds) -> Option<String> {
    caller.get(TOOL_ID)?.as_str().and_then(|id| renamed.get(id))?;
    json::with_members(caller, |name, value| {
        let new = value.as_str().filter(|_| name == TOOL_ID).and_then(|id| renamed.get(id));
        new.map(|new| to_text(new.as_str()))
    })
}

/// Writes other members into an object; true if one was another.
fn replace_members(raw: &mut RawJson, new: impl Fn(&str, &Node<'_>) -> Option<String>) -> bool {
    let Ok(node) = json::parse(raw.as_str(), Limits::default()) else { return false };
    let text = json::with_members(&node, new).filter(|text| text != raw.as_str());
    let is_new = text.is_some();
    if let Some(text) = text {
        *raw = RawJson::new(text);
    }
    is_new
}
