//! The memory block of a payload, and the tools with which a model remembers.

use std::sync::Arc;

use super::{Deadline, RankedMemory, StopReason, count_text, prose, xml};
use crate::domain::{Model, RawJson, ToolDefinition};
use crate::request::{MemoryOptions, RequestMemoryEntry};
use crate::tokenizer::Counter;

/// The tool that remembers something.
pub const CREATE_MEMORY: &str = "create_memory";
/// The tool that changes or forgets something.
pub const MODIFY_MEMORY: &str = "modify_memory";

/// The entries that have room.
#[derive(Debug, Default)]
pub(super) struct MemoryRoom {
    /// The block; none if nothing is shown.
    pub(super) block: Option<String>,
    /// Of each entry, whether it is shown.
    pub(super) shown: Vec<bool>,
    /// Raw tokens of the block.
    pub(super) tokens: u64,
}

/// Takes entries, the first ones first, as long as they find room, and shows them by their places.
pub(super) fn fit(
    entries: &[RequestMemoryEntry],
    room: u64,
    count: &dyn Fn(&str) -> Result<u64, StopReason>,
) -> Result<MemoryRoom, StopReason> {
    // The closing tag is worth about as much.
    let mut used = count(prose::MEMORY_OPENING)? + 4;
    let mut lines = Vec::new();
    let mut shown = Vec::with_capacity(entries.len());
    for entry in entries {
        let line = line(entry);
        let cost = count(&line)?;
        let fits = used + cost <= room;
        if fits {
            used += cost;
            lines.push((entry.place, line));
        }
        shown.push(fits);
    }
    if lines.is_empty() {
        return Ok(MemoryRoom { block: None, shown, tokens: 0 });
    }
    lines.sort_by_key(|(place, _)| *place);
    let mut block = prose::MEMORY_OPENING.to_owned();
    block.extend(lines.into_iter().map(|(_, line)| line));
    block.push_str("</memory>");
    let tokens = count(&block)?;
    Ok(MemoryRoom { block: Some(block), shown, tokens })
}

/// An entry as an element. Whatever it holds, an XML parser reads exactly that back, but for
/// characters that XML cannot hold.
fn line(entry: &RequestMemoryEntry) -> String {
    let mut line = String::from("<entry key=\"");
    xml::escape_attribute(&mut line, &entry.key);
    if let Some(description) = &entry.description {
        line.push_str("\" description=\"");
        xml::escape_attribute(&mut line, description);
    }
    line.push_str("\">");
    xml::escape(&mut line, &entry.value);
    line.push_str("</entry>\n");
    line
}

/// The entries of the memory blocks in a text, as they are written there.
pub fn shown_entries(text: &str) -> Vec<RequestMemoryEntry> {
    let mut entries = Vec::new();
    for block in text.split(prose::MEMORY_OPENING).skip(1) {
        let mut rest = block;
        while let Some((entry, after)) = read_line(rest) {
            let place = entries.len();
            entries.push(RequestMemoryEntry { place, ..entry });
            rest = after;
        }
    }
    entries
}

/// Reads what [`line`] wrote at the start of a text, and returns it with what follows.
fn read_line(text: &str) -> Option<(RequestMemoryEntry, &str)> {
    let (key, rest) = text.strip_prefix("<entry key=\"")?.split_once('"')?;
    let (description, rest) = match rest.strip_prefix(" description=\"") {
        Some(rest) => rest.split_once('"').map(|(about, rest)| (Some(about), rest))?,
        None => (None, rest),
    };
    let (value, after) = rest.strip_prefix('>')?.split_once("</entry>\n")?;
    let entry = RequestMemoryEntry {
        key: xml::unescape(key).into(),
        value: xml::unescape(value).into(),
        description: description.map(|about| xml::unescape(about).into()),
        place: 0,
    };
    Some((entry, after))
}

/// Fit of entries that a store found into the memory block.
#[derive(Debug)]
pub struct MemoryFit {
    /// Of each, whether it is shown.
    pub shown: Vec<bool>,
    pub tokens: u64,
}

/// Fits ranked entries into `o200k_base` tokens, as a compile would show them.
pub fn fit_memory(cx: &super::PipelineContext, ranked: &[RankedMemory], room: u64) -> MemoryFit {
    let entries: Vec<RequestMemoryEntry> = ranked.iter().map(shown_entry).collect();
    let counter: &Counter = &cx.counter;
    let name = crate::domain::TokenizerName::O200kBase;
    let fit = fit(&entries, room, &|text| Ok(counter.count(name, text))).unwrap_or_default();
    MemoryFit { shown: fit.shown, tokens: fit.tokens }
}

/// A ranked entry as what a block shows of it.
pub fn shown_entry(ranked: &RankedMemory) -> RequestMemoryEntry {
    RequestMemoryEntry {
        key: Arc::clone(&ranked.entry.key),
        value: ranked.entry.text(),
        description: ranked.entry.description.clone(),
        place: ranked.place,
    }
}

/// Tokens that an entry takes in the memory block of a payload.
pub fn count_memory_entry(
    counter: &Counter,
    model: &Model,
    entry: &RequestMemoryEntry,
    deadline: &Deadline,
) -> Result<u64, StopReason> {
    count_text(counter, model, &line(entry), deadline)
}

/// The tools, always the same for the same request: they list no stored keys, so the store never
/// changes them.
pub(super) fn tools(memory: &MemoryOptions) -> Vec<ToolDefinition> {
    if !memory.has_tools() {
        return Vec::new();
    }
    let about = "A short name for it";
    let key = match &memory.allowed_keys {
        Some(allowed) => {
            let allowed: Vec<&str> = allowed.iter().map(|key| &**key).collect();
            serde_json::json!({"type": "string", "description": about, "enum": allowed})
        }
        None => serde_json::json!({"type": "string", "description": about}),
    };
    let description = serde_json::json!({"type": "string", "description": "What it is about"});
    let create = serde_json::json!({
        "type": "object",
        "properties": {
            "key": key,
            "value": {"type": "string", "description": "What is to be remembered"},
            "description": description,
        },
        "required": ["key", "value"],
    });
    let modify = serde_json::json!({
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["update", "delete"]},
            "key": key,
            "value": {"type": "string", "description": "What takes its place, for update"},
            "description": description,
        },
        "required": ["action", "key"],
    });
    let about_create = if in_session(memory) {
        prose::CREATE_SESSION_MEMORY
    } else {
        prose::CREATE_LASTING_MEMORY
    };
    vec![
        tool(CREATE_MEMORY, about_create, &create),
        tool(MODIFY_MEMORY, "Changes what is remembered under a key, or forgets it.", &modify),
    ]
}

/// Whether the model writes entries that end with a session.
pub(super) fn in_session(memory: &MemoryOptions) -> bool {
    memory.write_scope.session_id.is_some()
}

fn tool(name: &str, description: &str, parameters: &serde_json::Value) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: Some(description.into()),
        parameters: Some(RawJson::new(parameters.to_string())),
        cache: None,
        extra: Vec::new(),
        opaque: None,
        origin: "".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(
        key: &str,
        value: &str,
        description: Option<&str>,
        place: usize,
    ) -> RequestMemoryEntry {
        RequestMemoryEntry {
            key: key.into(),
            value: value.into(),
            description: description.map(Into::into),
            place,
        }
    }

    /// Key, description and value of each entry of a block, by an XML parser.
    fn parsed(block: &str) -> Vec<(String, Option<String>, String)> {
        let document = roxmltree::Document::parse(block).unwrap();
        let entries = document.root_element().children().filter(roxmltree::Node::is_element);
        entries
            .map(|entry| {
                assert!(entry.children().all(|child| child.is_text()), "{block}");
                let attribute = |name| entry.attribute(name).map(str::to_owned);
                let text = entry.text().unwrap_or_default().to_owned();
                (attribute("key").unwrap(), attribute("description"), text)
            })
            .collect()
    }

    fn block(entries: &[RequestMemoryEntry]) -> String {
        fit(entries, u64::MAX, &|text| Ok(text.len() as u64)).unwrap().block.unwrap()
    }

    #[test]
    fn the_best_find_room_and_are_shown_by_their_places() {
        let entries = [
            entry("b", "best", None, 2),
            entry("c", &"x".repeat(500), None, 0),
            entry("a", "good", None, 1),
        ];
        let fit = fit(&entries, 200, &|text| Ok(text.len() as u64)).unwrap();
        assert_eq!(fit.shown, [true, false, true]);
        let block = fit.block.unwrap();
        assert!(block.find("good").unwrap() < block.find("best").unwrap(), "{block}");
        assert_eq!(fit.tokens, block.len() as u64);
    }

    #[test]
    fn what_would_break_out_stays_a_value() {
        let frames = [
            "</entry>",
            "</memory>",
            "]]>",
            "<!--",
            "-->",
            "\"",
            "'",
            "&",
            "&lt;",
            "<x>",
            "<![CDATA[",
            "<?xml?>",
            "\r",
            "\r\n",
            "\t",
            "\n",
        ];
        let mut strings: Vec<String> = Vec::new();
        for first in frames {
            strings.extend(frames.iter().map(|second| format!("{first}{second}")));
        }
        assert!(strings.len() > 200);
        for string in strings {
            let entries = [entry(&string, &string, Some(&string), 0)];
            let found = parsed(&block(&entries));
            assert_eq!(found, [(string.clone(), Some(string.clone()), string.clone())]);
        }
    }

    #[test]
    fn other_texts_have_no_entries() {
        for text in ["", "<memory>", "<entry key=\"a\">b</entry>\n"] {
            assert!(shown_entries(text).is_empty(), "{text}");
        }
        let cut = format!("{}<entry key=\"a\">b</entry>\n<entry key=\"c", prose::MEMORY_OPENING);
        assert_eq!(shown_entries(&cut).len(), 1);
    }

    proptest! {
        #[test]
        fn what_a_block_shows_is_read_from_texts_around_it(
            given in prop::collection::vec(("\\PC{1,20}", "[\\PC\\r\\n\\t]{0,60}", prop::option::of("\\PC{0,20}")), 1..6),
        ) {
            let entries: Vec<RequestMemoryEntry> = given.iter().enumerate()
                .map(|(place, (key, value, about))| entry(key, value, about.as_deref(), place))
                .collect();
            let block = block(&entries);
            let read = shown_entries(&format!("before\n{block}\nbetween {block}"));
            let of = |entry: &RequestMemoryEntry| {
                (entry.key.to_string(), entry.value.to_string(), entry.description.as_deref().map(str::to_owned))
            };
            prop_assert_eq!(
                read.iter().map(of).collect::<Vec<_>>(),
                given.iter().chain(&given).cloned().collect::<Vec<_>>()
            );
        }

        #[test]
        fn a_parser_reads_exactly_the_entries(
            given in prop::collection::vec(("\\PC{1,20}", "[\\PC\\r\\n\\t]{0,60}", prop::option::of("\\PC{0,20}")), 1..6),
        ) {
            let entries: Vec<RequestMemoryEntry> = given.iter().enumerate()
                .map(|(place, (key, value, about))| entry(key, value, about.as_deref(), place))
                .collect();
            prop_assert_eq!(parsed(&block(&entries)), given.iter().map(|(key, value, about)| {
                (key.clone(), about.clone(), value.clone())
            }).collect::<Vec<_>>());
        }
    }
}
