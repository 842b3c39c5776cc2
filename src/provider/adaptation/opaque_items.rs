//! Items that only one provider knows: their owner, and their treatment for other targets.

use std::sync::Arc;

use memchr::memmem;

use super::fields::member;
use super::losses::LossCounts;
use super::{ConversationAdapter, compaction};
use crate::domain::{Content, Media, MediaSource, Part, RawJson, Source, Target};
use crate::json::{self, Node};
use crate::provider::words::is_leftover;
use crate::provider::{COMPACTION, ITEM_REFERENCE, is_failed_compaction};

/// The member in which the Responses API says who made an item. Its items of input have no such member:
/// <https://developers.openai.com/api/reference/resources/responses>.
pub(super) const CREATED_BY: &str = "created_by";

impl ConversationAdapter<'_> {
    /// Whether the target accepts an item unchanged. A neutral conversation may contain items of
    /// any provider: there the kind decides. `inside`: it is inside a tool's result.
    pub(super) fn knows(&self, kind: &str, raw: &RawJson, inside: bool) -> bool {
        if self.target.reads_items_of(self.source) {
            // Programs put them into the messages of every shape; one provider takes each.
            return match (kind, self.target) {
                ("search_result", target) => matches!(target, Target::Anthropic | Target::Neutral),
                ("reasoning", target) => target != Target::Openai,
                _ => true,
            };
        }
        self.source == Source::Neutral
            && raw.as_str().starts_with('{')
            && owner(kind, raw) == Some(self.target)
            && (!inside || matches!(kind, "document" | "search_result" | "tool_reference"))
    }

    /// Adapts an item that is not inside a result; false removes it.
    pub(super) fn opaque(&self, part: &mut Part, lost: &mut LossCounts) -> bool {
        let Content::Opaque { kind, raw } = &mut part.content else { return true };
        if self.target != Target::Neutral {
            // A piece of a stream: the call that it belongs to is there.
            if &**kind == "input_json_delta" {
                lost.leftovers.push(Arc::clone(kind));
                return false;
            }
            if **kind == *COMPACTION {
                if is_failed_compaction(raw) {
                    lost.leftovers.push(Arc::clone(kind));
                    return false;
                }
                let is_empty =
                    |name: &str, value: &Node<'_>| name == "encrypted_content" && value.is_null();
                remove_members(raw, lost, is_empty);
            }
            remove_leftovers(raw, lost);
            if self.target == Target::OpenaiResponses {
                remove_nulls(raw, lost);
                remove_maker(raw, lost);
            }
        }
        // Changes of tools have a place in system messages alone.
        if is_tool_change(kind)
            && self.target == Target::Anthropic
            && !self.destination.changes_tools
        {
            lost.opaque.push(kind.clone());
            return false;
        }
        // A refusal is a part of an item, and cannot be an item by itself.
        let whole = &**kind != "refusal" || self.target != Target::OpenaiResponses;
        if whole && self.knows(kind, raw, false) {
            return true;
        }
        if let Some(text) = search_result(kind, raw) {
            part.content = Content::Text(text.into());
            lost.results += 1;
            return true;
        }
        let said = (&**kind == "refusal").then(|| member(raw, "refusal")).flatten();
        if let Some(text) = said {
            part.content = Content::Text(text.into());
            lost.refusals += 1;
            return true;
        }
        lost.opaque.push(kind.clone());
        false
    }

    /// Turns a document made of text blocks into plain text if the target does not know it.
    pub(super) fn document(&self, part: &mut Part, inside: bool, lost: &mut LossCounts) {
        let Content::Opaque { kind, raw } = &part.content else { return };
        if &**kind != "document" || self.knows(kind, raw, inside) {
            return;
        }
        let Some((mut document, blocks)) = plain_document(raw) else { return };
        lost.joined += usize::from(blocks > 1);
        document.cache = part.cache;
        *part = document;
    }
}

/// Whether a block of Anthropic's adds a tool to those that the model has, or takes one away.
pub fn is_tool_change(kind: &str) -> bool {
    matches!(kind, "tool_addition" | "tool_removal")
}

/// Takes off an item what programs left in it.
pub(super) fn remove_leftovers(raw: &mut RawJson, lost: &mut LossCounts) {
    remove_members(raw, lost, |name, value| {
        // Null where a list belongs is refused as well.
        is_leftover(name, value.raw) || (name == "content" && value.is_null())
    });
}

/// Takes null members off an item of the Responses API and off its action, as SDKs write what an item does
/// not have: most of them may be absent and may not be null
/// (<https://github.com/openai/openai-python/issues/3008>).
fn remove_nulls(raw: &mut RawJson, lost: &mut LossCounts) {
    /// Members that are null where there is nothing, and are never absent.
    const NULLABLE: [&str; 4] = ["code", "max_output_length", "outputs", "result"];
    const ACTION: &str = "action";
    // Few items have one, and some are long.
    if memmem::find(raw.as_str().as_bytes(), b"null").is_none() {
        return;
    }
    let is_null = |name: &str, value: &Node<'_>| value.is_null() && !NULLABLE.contains(&name);
    remove_members(raw, lost, is_null);
    let Ok(node) = json::parse(raw.as_str(), json::Limits::default()) else { return };
    let Some(action) = node.get(ACTION) else { return };
    let members = action.as_object().into_iter().flatten();
    let gone: Vec<Arc<str>> = members
        .filter(|(name, value)| is_null(name, value))
        .map(|(name, _)| format!("{ACTION}.{name}").into())
        .collect();
    if let Some(short) = json::without_members(action, is_null)
        && let Some(text) =
            json::with_members(&node, |name, _| (name == ACTION).then(|| short.clone()))
    {
        lost.leftovers.extend(gone);
        *raw = RawJson::new(text);
    }
}

/// Takes [`CREATED_BY`] off an item.
fn remove_maker(raw: &mut RawJson, lost: &mut LossCounts) {
    // Few items have it, and some are long.
    if memmem::find(raw.as_str().as_bytes(), CREATED_BY.as_bytes()).is_some() {
        remove_members(raw, lost, |name, _| name == CREATED_BY);
    }
}

/// Takes members off an item that its target refuses.
pub(super) fn remove_members(
    raw: &mut RawJson,
    lost: &mut LossCounts,
    goes: impl Fn(&str, &Node<'_>) -> bool,
) {
    let Ok(node) = json::parse(raw.as_str(), json::Limits::default()) else { return };
    let Some(text) = json::without_members(&node, &goes) else { return };
    let members = node.as_object().into_iter().flatten();
    let gone = members.filter(|(name, value)| goes(name, value)).map(|(name, _)| (&**name).into());
    lost.leftovers.extend(gone);
    *raw = RawJson::new(text);
}

/// The text of Anthropic's `search_result`: its title and address, then what was found.
pub(super) fn search_result(kind: &str, raw: &RawJson) -> Option<String> {
    if kind != "search_result" {
        return None;
    }
    let node = json::parse(raw.as_str(), json::Limits::default()).ok()?;
    let word = |name: &str| node.get(name).and_then(Node::as_str).unwrap_or_default();
    let mut text = format!("[search result: {}] {}", word("title"), word("source"));
    for block in node.get("content")?.as_array()? {
        text.push('\n');
        text.push_str(block.get("text").and_then(Node::as_str).unwrap_or_default());
    }
    Some(text.replace('\0', "\u{fffd}"))
}

/// A document as plain text, and the number of its blocks; `None` if it contains more than text.
fn plain_document(raw: &RawJson) -> Option<(Part, usize)> {
    let node = json::parse(raw.as_str(), json::Limits::default()).ok()?;
    let source = node.get("source")?;
    if source.get("type")?.as_str()? != "content" {
        return None;
    }
    let content = source.get("content")?;
    let block = |block| Node::get(block, "text").and_then(Node::as_str);
    let texts: Vec<&str> = if let Some(text) = content.as_str() {
        vec![text]
    } else {
        content.as_array()?.iter().map(block).collect::<Option<_>>()?
    };
    // As in readers: some databases cannot store NUL.
    let text = texts.join("\n").replace('\0', "\u{fffd}");
    let mut part = Part::new(Content::Media(Media {
        media_type: "text/plain".into(),
        source: MediaSource::Text(text.into()),
        name: node.get("title").and_then(Node::as_str).map(Into::into),
    }));
    let beside = node.as_object().map(Vec::as_slice).unwrap_or_default().iter();
    part.extra = beside
        .filter(|(name, _)| !matches!(&**name, "type" | "source" | "title" | "cache_control"))
        .map(|(name, value)| ((&**name).into(), RawJson::new(value.raw)))
        .collect();
    Some((part, texts.len()))
}

/// The provider that owns an item, by the names in its reference. Anthropic's blocks and `OpenAI`'s
/// items both have names with the prefix `mcp_`.
fn owner(kind: &str, raw: &RawJson) -> Option<Target> {
    match kind {
        COMPACTION => compaction::owner(raw),
        "server_tool_use" | "mcp_tool_use" | "container_upload" | "search_result" | "document"
        | "tool_addition" | "tool_reference" | "tool_removal" => Some(Target::Anthropic),
        "reasoning"
        | "mcp_list_tools"
        | "mcp_approval_request"
        | "mcp_approval_response"
        | ITEM_REFERENCE => Some(Target::OpenaiResponses),
        "executableCode" | "executable_code" | "codeExecutionResult" | "code_execution_result" => {
            Some(Target::Gemini)
        }
        _ if kind.ends_with("_tool_result") => Some(Target::Anthropic),
        _ if kind.ends_with("_call") || kind.ends_with("_call_output") => {
            Some(Target::OpenaiResponses)
        }
        _ => None,
    }
}
