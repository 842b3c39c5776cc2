//! Signed thinking of the model, as bytes that can be taken out of a list of blocks.

use std::ops::Range;

use super::{BodyReader, str_of};
use crate::json::Node;

/// Thinking of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThinkingPlace {
    /// The index of the message.
    pub message: usize,
    /// The bytes of the blocks in the body, with a comma next to them.
    pub span: Range<usize>,
}

/// Returns the places of the thinking among the blocks of a message. A message without another block
/// keeps its thinking: a list of blocks must not be empty.
pub(super) fn places(
    reader: BodyReader<'_>,
    index: usize,
    content: Option<&Node<'_>>,
) -> Vec<ThinkingPlace> {
    let blocks = content.and_then(Node::as_array).unwrap_or_default();
    let is_thinking =
        |block: &Node<'_>| matches!(str_of(block, "type"), "thinking" | "redacted_thinking");
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
