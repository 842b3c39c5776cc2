//! Texts in the outputs of built-in tools, inside items of the provider's own: what a shell printed,
//! what a patch or an MCP tool returned.
//!
//! The client wrote them, or may send them in other words: unlike all else in such an item they are not
//! signed. <https://developers.openai.com/api/docs/guides/tools-shell>,
//! <https://developers.openai.com/api/docs/guides/tools-connectors-mcp>

use std::ops::Range;
use std::sync::Arc;

use super::{Content, Message, Part, RawJson, program_of};
use crate::json::{self, Limits, Node, write_string};

/// A text of an output, which is not empty.
#[derive(Debug, Clone)]
pub struct OutputText {
    pub text: Arc<str>,
    /// Bytes of the string in the item's JSON text, quotes included.
    range: Range<usize>,
}

/// The texts of the output in an item, in order; none if it has no output, or a program reads it.
pub fn output_texts(part: &Part) -> Vec<OutputText> {
    let Content::Opaque { kind, raw } = &part.content else { return Vec::new() };
    let has_output = matches!(
        &**kind,
        "shell_call_output" | "local_shell_call_output" | "apply_patch_call_output" | "mcp_call"
    );
    if !has_output || program_of(part).is_some() {
        return Vec::new();
    }
    let text = raw.as_str();
    let Ok(node) = json::parse(text, Limits::default()) else { return Vec::new() };
    let Some(output) = node.get("output") else { return Vec::new() };
    let runs = output.as_array().unwrap_or_default();
    let streams = runs.iter().flat_map(|run| ["stdout", "stderr"].map(|key| run.get(key)));
    let strings = std::iter::once(output).chain(streams.flatten());
    strings.filter_map(|string| find_text(text, string)).collect()
}

fn find_text(item: &str, string: &Node<'_>) -> Option<OutputText> {
    // Data URIs are media.
    let text = string.as_str().filter(|text| !text.is_empty() && !text.starts_with("data:"))?;
    let start = (string.raw.as_ptr() as usize).checked_sub(item.as_ptr() as usize)?;
    Some(OutputText { text: text.into(), range: start..start + string.raw.len() })
}

/// The item with other texts in the places of these; none stays as it is.
pub fn with_output_texts<'t>(
    raw: &RawJson,
    texts: &[OutputText],
    shown: impl Iterator<Item = Option<&'t str>>,
) -> RawJson {
    let item = raw.as_str();
    let mut out = String::with_capacity(item.len());
    let mut copied = 0;
    for (OutputText { range, .. }, shown) in texts.iter().zip(shown) {
        let Some(shown) = shown else { continue };
        out.push_str(item.get(copied..range.start).unwrap_or_default());
        write_string(&mut out, shown);
        copied = range.end;
    }
    out.push_str(item.get(copied..).unwrap_or_default());
    RawJson::new(out)
}

/// The name of the tool whose output is in an item.
pub fn output_tool(part: &Part) -> Option<String> {
    let Content::Opaque { kind, raw } = &part.content else { return None };
    if let Some(tool) = kind.strip_suffix("_call_output") {
        return Some(tool.to_owned());
    }
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    node.get("name")?.as_str().map(str::to_owned)
}

/// Whether a message has the output of a built-in tool.
pub fn has_output(message: &Message) -> bool {
    message.parts.iter().any(|part| !output_texts(part).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(kind: &str, raw: &str) -> Part {
        Part::new(Content::Opaque { kind: kind.into(), raw: RawJson::new(raw) })
    }

    #[test]
    fn texts_are_found_and_replaced_in_their_places() {
        let raw = r#"{"call_id":"a","output":[{"stdout":"a\n","stderr":"","outcome":{"type":"exit"}}, {"stdout":"b","stderr":"c \"d\""}],"x":1}"#;
        let part = item("shell_call_output", raw);
        let texts = output_texts(&part);
        let found: Vec<&str> = texts.iter().map(|own| &*own.text).collect();
        assert_eq!(found, ["a\n", "b", "c \"d\""]);
        let shown = [Some("\u{e9}\n"), None, Some("")];
        let Content::Opaque { raw, .. } = &part.content else { panic!("an item") };
        assert_eq!(
            with_output_texts(raw, &texts, shown.into_iter()).as_str(),
            r#"{"call_id":"a","output":[{"stdout":"é\n","stderr":"","outcome":{"type":"exit"}}, {"stdout":"b","stderr":""}],"x":1}"#
        );
        assert_eq!(output_tool(&part).unwrap(), "shell");
    }

    #[test]
    fn only_outputs_in_words_have_texts() {
        let one = |kind, raw| output_texts(&item(kind, raw)).len();
        assert_eq!(one("local_shell_call_output", r#"{"id":"l","output":"b.txt"}"#), 1);
        assert_eq!(one("mcp_call", r#"{"id":"m","name":"look","output":"found"}"#), 1);
        assert_eq!(one("mcp_call", r#"{"id":"m","name":"look","output":null}"#), 0);
        assert_eq!(one("computer_call_output", r#"{"output":{"image_url":"data:"}}"#), 0);
        let called = r#"{"call_id":"a","output":"x","caller":{"type":"program","caller_id":"p"}}"#;
        assert_eq!(one("apply_patch_call_output", called), 0);
        assert_eq!(output_tool(&item("mcp_call", r#"{"name":"look"}"#)).unwrap(), "look");
    }
}
