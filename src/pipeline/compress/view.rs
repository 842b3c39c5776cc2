//! Messages in the form that the ladder gave them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::{
    Content, Message, Part, Role, ToolResult, has_output, output_texts, output_tool,
    with_output_texts,
};
use crate::pipeline::prose;
use crate::pipeline::read_back::{ReadBack, output_content};
use crate::request::ClearOptions;

/// The parts of a turn that rung 3 removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clearing {
    Results,
    ResultsAndThinking,
}

/// A message after rung 3; `None` if it has nothing to clear.
pub(crate) fn clear_message(
    message: &Message,
    clearing: Clearing,
    read_back: &ReadBack,
    tools: &ResultTools,
) -> Option<Message> {
    match message.role {
        Role::Tool if read_back.holds(message) => None,
        Role::Tool => {
            if message.tool_results().all(is_cleared_line) {
                return None;
            }
            let mut message = message.clone();
            for part in &mut message.parts {
                if let Content::ToolResult(result) = &mut part.content
                    && !is_cleared_line(result)
                {
                    let line = read_back.line(&result.content, tools.tool_name(result));
                    result.content = vec![Part::text(line)];
                    part.extra.clear();
                }
            }
            Some(message)
        }
        Role::Assistant if has_output(message) => clear_outputs(message, read_back),
        Role::Assistant if clearing == Clearing::ResultsAndThinking => without_thinking(message),
        _ => None,
    }
}

/// The message with one line in the place of each output of a built-in tool.
fn clear_outputs(message: &Message, read_back: &ReadBack) -> Option<Message> {
    let mut message = message.clone();
    let mut any = false;
    for part in &mut message.parts {
        let texts = output_texts(part);
        if texts.iter().all(|own| prose::is_cleared(&own.text)) {
            continue;
        }
        let line = read_back.line(&output_content(part), output_tool(part).as_deref());
        let shown = (0..texts.len()).map(|at| Some(if at == 0 { &*line } else { "" }));
        if let Content::Opaque { raw, .. } = &mut part.content {
            *raw = with_output_texts(raw, &texts, shown);
            any = true;
        }
    }
    any.then_some(message)
}

/// Whether a result is a line of ours already: what it says of the original would be lost.
fn is_cleared_line(result: &ToolResult) -> bool {
    let mut texts = result.content.iter().map(Part::as_text).peekable();
    texts.peek().is_some() && texts.all(|text| text.is_some_and(|text| prose::is_cleared(text)))
}

/// A model's message without its thinking; none if it has no thinking, nothing else, or an item
/// that may refer to it.
pub(crate) fn without_thinking(message: &Message) -> Option<Message> {
    let is_thinking = |part: &Part| matches!(part.content, Content::Thinking(_));
    // A provider's own items may refer to the thinking next to them.
    let is_opaque = |part: &Part| matches!(part.content, Content::Opaque { .. });
    if !message.parts.iter().any(is_thinking) || message.parts.iter().any(is_opaque) {
        return None;
    }
    let mut message = message.clone();
    message.parts.retain(|part| !is_thinking(part));
    // The Responses API refuses the id of an item without the reasoning that led to it.
    message.id = None;
    message.extra.retain(|(name, _)| &**name != "id");
    for part in &mut message.parts {
        part.extra.retain(|(name, _)| &**name != "id");
    }
    // A message of thinking alone would be empty without it, and refused.
    (!message.parts.is_empty()).then_some(message)
}

/// Tool names by the ids of their calls.
#[derive(Debug, Default)]
pub(crate) struct ResultTools(BTreeMap<Arc<str>, Arc<str>>);

impl ResultTools {
    pub(crate) fn new(history: &[Message]) -> Self {
        let calls = history.iter().flat_map(Message::tool_calls);
        Self(calls.map(|call| (Arc::clone(&call.id), Arc::clone(&call.name))).collect())
    }

    /// The tool that gave a result: most results bear only the id of their call.
    pub(crate) fn tool_name<'t>(&'t self, result: &'t ToolResult) -> Option<&'t str> {
        result.name.as_deref().or_else(|| self.0.get(&result.call_id).map(AsRef::as_ref))
    }
}

/// Whether rung 3 may take a message, which takes so many raw tokens.
pub(crate) fn may_clear(
    message: &Message,
    clear: &ClearOptions,
    tools: &ResultTools,
    tokens: u64,
) -> bool {
    let mut results = message.tool_results().peekable();
    let excluded =
        |result| tools.tool_name(result).is_some_and(|tool| clear.exclude_tools.contains(tool));
    let mut outputs = message.parts.iter().filter(|part| !output_texts(part).is_empty()).peekable();
    if results.peek().is_none() && outputs.peek().is_none() {
        return true;
    }
    let is_excluded =
        |part| output_tool(part).is_some_and(|tool| clear.exclude_tools.contains(&*tool));
    clear.is_on
        && tokens >= clear.least_tokens
        && !results.any(excluded)
        && !outputs.any(is_excluded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{RawJson, Thinking};

    fn thinking() -> Part {
        Part::new(Content::Thinking(Thinking { text: "t".into(), opaque: None }))
    }

    fn cleared_parts(parts: Vec<Part>) -> Option<usize> {
        let message = Message::new(Role::Assistant, parts);
        clear_message(
            &message,
            Clearing::ResultsAndThinking,
            &ReadBack::default(),
            &ResultTools::default(),
        )
        .map(|message| message.parts.len())
    }

    #[test]
    fn thinking_goes_whole_and_only_where_nothing_refers_to_it() {
        assert_eq!(cleared_parts(vec![thinking(), Part::text("a")]), Some(1));
        assert_eq!(cleared_parts(vec![thinking()]), None);
        let raw = RawJson::new("{}");
        let item = Part::new(Content::Opaque { kind: "web_search_call".into(), raw });
        assert_eq!(cleared_parts(vec![thinking(), item, Part::text("a")]), None);
    }

    #[test]
    fn results_give_way_to_one_line() {
        let content = vec![Part::text("long"), Part::text("text")];
        let result = ToolResult { call_id: "c".into(), name: None, content, is_error: None };
        let message = Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]);
        let tools = ResultTools(BTreeMap::from([("c".into(), "read".into())]));
        let cleared =
            clear_message(&message, Clearing::Results, &ReadBack::default(), &tools).unwrap();
        let Content::ToolResult(result) = &cleared.parts[0].content else { panic!("a result") };
        let line = "[Old tool result content cleared: read, 2 lines]";
        assert_eq!(result.content, [Part::text(line)]);
    }
}
