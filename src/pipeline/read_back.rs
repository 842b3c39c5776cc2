//! `compression.read_tool`: the model may read results that were cleared.
//!
//! A cleared result then names its artifact, and the tool that reads it is one of the tools. A
//! result that was read back is not cleared again: the model would only ask once more. Nor is a result
//! that a program reads.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::StopReason;
use super::arrival::{self, ArrivalPass};
use super::measure::Meter;
use super::prose::{self, READ_TOOL};
use crate::domain::{
    ArtifactId, Message, Part, ProgramCalls, RawJson, ToolDefinition, output_texts,
};
use crate::request::ReferenceStyle;

/// What a line of a notation begins with.
const MARK: char = '§';
/// The same after another line.
const MARKED_LINE: &str = "\n§";

const TOOL_DESCRIPTION: &str = "Reads an earlier tool result that was cleared from this conversation to \
    save room. The id stands in the line that took its place.";
const TOOL_PARAMETERS: &str = r#"{"type":"object","properties":{"id":{"type":"string","description":"The artifact's id, 24 hex digits"},"lines":{"type":"string","description":"Only these lines, such as 120-180"},"query":{"type":"string","description":"Only lines that hold these words"}},"required":["id"]}"#;

/// The tool's definition, always the same.
pub(super) fn tool() -> ToolDefinition {
    ToolDefinition {
        name: READ_TOOL.into(),
        description: Some(TOOL_DESCRIPTION.into()),
        parameters: Some(RawJson::new(TOOL_PARAMETERS)),
        cache: None,
        extra: Vec::new(),
        opaque: None,
        origin: "".into(),
    }
}

/// Whether the results of a conversation can be read back, and which of them were.
#[derive(Debug, Default)]
pub(super) struct ReadBack {
    pub(super) on: bool,
    /// Ids of the calls that read something back.
    calls: BTreeSet<Arc<str>>,
    /// The calls of programs.
    pub(super) programs: ProgramCalls,
    /// Whether the messages are those of a payload: notations in their results are ours.
    pub(super) is_payload: bool,
}

impl ReadBack {
    pub(super) fn new(on: bool, history: &[Message]) -> Self {
        let calls = history.iter().flat_map(Message::tool_calls);
        let calls = calls.filter(|call| &*call.name == READ_TOOL).map(|call| Arc::clone(&call.id));
        let programs = ProgramCalls::new(history.iter());
        Self { on, calls: calls.collect(), programs, is_payload: false }
    }

    /// Whether the results of a message are shown byte for byte, without the mark that escapes what
    /// looks like a notation: programs read them, or they are notations of ours.
    pub(super) fn shows_bytes(&self, message: &Message) -> bool {
        self.programs.holds(message) || (self.is_payload && has_notation(message))
    }

    /// Whether a message is the result of a call that read something back, or that a program made.
    pub(super) fn holds(&self, message: &Message) -> bool {
        let is_read = !self.calls.is_empty()
            && message.tool_results().any(|result| self.calls.contains(&result.call_id));
        is_read || self.programs.holds(message)
    }

    /// Gives the messages their forms on arrival, but for results that keep their bytes: no other text
    /// refers to them.
    pub(super) fn arrive(
        &self,
        meter: &Meter<'_>,
        pass: ArrivalPass<'_>,
        history: &[Message],
        fixed: &[bool],
    ) -> Result<arrival::Output, StopReason> {
        let keeps_bytes = |message: &Message| self.shows_bytes(message);
        if !history.iter().any(keeps_bytes) {
            return arrival::run(meter, pass, history, fixed);
        }
        let empty = |message: &Message| {
            if keeps_bytes(message) {
                Message::new(message.role, Vec::new())
            } else {
                message.clone()
            }
        };
        let shown: Vec<Message> = history.iter().map(empty).collect();
        let mut arrived = arrival::run(meter, pass, &shown, fixed)?;
        for (message, cost) in history.iter().zip(&mut arrived.costs) {
            if keeps_bytes(message) {
                meter.check()?;
                *cost = meter.message(message)?;
            }
        }
        Ok(arrived)
    }

    /// The line in the place of a result's texts.
    pub(super) fn line(&self, content: &[Part], tool: Option<&str>) -> Arc<str> {
        let id = self.on.then(|| original(content)).flatten();
        let id = id.map(|text| ArtifactId::of_text(&text));
        let texts = content.iter().filter_map(Part::as_text).map(AsRef::as_ref);
        let read = id.map(|id| (ReferenceStyle::Tool, id));
        prose::cleared_line(tool, texts, prose::ClearedExtras { read, names_percent: 0 }).into()
    }
}

/// Whether a result of a message has a notation of ours.
fn has_notation(message: &Message) -> bool {
    let mut texts = message.tool_results().flat_map(|result| &result.content);
    texts.any(|part| {
        part.as_text().is_some_and(|text| text.starts_with(MARK) || text.contains(MARKED_LINE))
    })
}

/// The output of a built-in tool in an item, as the content of a result; empty if it has none.
pub(super) fn output_content(part: &Part) -> Vec<Part> {
    output_texts(part).into_iter().map(|own| Part::text(own.text)).collect()
}

/// The text that reading a cleared result returns: its texts, a line for each if there are
/// several.
pub(super) fn original(content: &[Part]) -> Option<Arc<str>> {
    let texts: Vec<&Arc<str>> = content.iter().filter_map(Part::as_text).collect();
    match texts.as_slice() {
        [] => None,
        [text] => Some(Arc::clone(text)),
        texts => {
            let texts: Vec<&str> = texts.iter().map(|text| &***text).collect();
            Some(texts.join("\n").into())
        }
    }
}
