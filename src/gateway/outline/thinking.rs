//! Signed thinking of the model, as bytes that can be taken out of a list of blocks.

use std::ops::Range;

use super::{BodyReader, str_of};
use crate::json::Node;

/// Thinking of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThinkingPlace {
    /// The index of the message.
    pub message: usize,
    /// The bytes of the blocks in the body, with a comma next to them, or those of a whole message.
    pub span: Range<usize>,
}

fn is_thinking(block: &Node<'_>) -> bool {
    matches!(str_of(block, "type"), "thinking" | "redacted_thinking")
}

/// Returns the place of a message that has thinking and nothing else, up to the next message. It goes as
/// a whole, since a list of blocks must not be empty; neighbours of one role are one turn to the provider
/// (<https://docs.anthropic.com/en/api/messages>). The last message of a list stays.
pub(super) fn alone(
    reader: BodyReader<'_>,
    index: usize,
    message: &Node<'_>,
    next: Option<&Node<'_>>,
) -> Option<ThinkingPlace> {
    let blocks = message.get("content").and_then(Node::as_array)?;
    let is_alone = !blocks.is_empty() && blocks.iter().all(is_thinking);
    let span = reader.span(message)?.start..reader.span(next?)?.start;
    is_alone.then_some(ThinkingPlace { message: index, span })
}

/// Returns the places of the thinking among the other blocks of a message; none if it has no others.
pub(super) fn places(
    reader: BodyReader<'_>,
    index: usize,
    content: Option<&Node<'_>>,
) -> Vec<ThinkingPlace> {
    let blocks = content.and_then(Node::as_array).unwrap_or_default();
    let spans: Option<Vec<Range<usize>>> = blocks.iter().map(|block| reader.span(block)).collect();
    let Some(spans) = spans.filter(|_| !blocks.iter().all(is_thinking)) else { return Vec::new() };
    let mut found: Vec<Range<usize>> = Vec::new();
    // The end of the last block that stays.
    let mut kept_end = None;
    let mut run: Option<usize> = None;
    for (block, span) in blocks.iter().zip(&spans) {
        if is_thinking(block) {
            run = run.or(Some(span.start));
            continue;
        }
        // Up to the block that follows, with the comma before it.
        found.extend(run.take().map(|start| start..span.start));
        kept_end = Some(span.end);
    }
    if let (Some(_), Some(start), Some(last)) = (run, kept_end, spans.last()) {
        found.push(start..last.end);
    }
    found.into_iter().map(|span| ThinkingPlace { message: index, span }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    #[test]
    fn a_message_of_thinking_alone_goes_as_a_whole() {
        let thought = r#"{"content":[{"type":"thinking","signature":"s"}]}"#;
        let list = format!("[1, {thought} , {{\"content\":[]}},{thought}]");
        let node = parse(&list, Limits::default()).unwrap();
        let items = node.as_array().unwrap();
        let reader = BodyReader { body: &list };
        let found = |index: usize| alone(reader, index, &items[index], items.get(index + 1));
        let mut left = list.clone();
        left.replace_range(found(1).unwrap().span, "");
        assert_eq!(left, format!("[1, {{\"content\":[]}},{thought}]"));
        assert_eq!([found(0), found(2), found(3)], [None, None, None]);
    }

    #[test]
    fn a_list_without_its_thinking_is_a_list() {
        let (thought, sealed) =
            (r#"{"type":"thinking","signature":"s"}"#, r#"{"type":"redacted_thinking"}"#);
        let text = r#"{"type":"text"}"#;
        for (blocks, wanted) in [
            (format!("[{thought} , {text}]"), format!("[{text}]")),
            (format!("[{thought},{sealed},{text},{thought} ]"), format!("[{text} ]")),
            (format!("[{text},{thought},{text}]"), format!("[{text},{text}]")),
            (format!("[{text}]"), format!("[{text}]")),
            (format!("[{thought}]"), format!("[{thought}]")),
            ("\"text\"".to_owned(), "\"text\"".to_owned()),
        ] {
            let node = parse(&blocks, Limits::default()).unwrap();
            let places = places(BodyReader { body: &blocks }, 3, Some(&node));
            let mut left = blocks.clone();
            for place in places.iter().rev() {
                assert_eq!(place.message, 3);
                left.replace_range(place.span.clone(), "");
            }
            assert_eq!(left, wanted, "{blocks}");
        }
    }
}
