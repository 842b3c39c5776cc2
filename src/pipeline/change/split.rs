//! Finds where to split a text of which only the end differs, so that what is before that place can
//! be cached.

use serde::Serialize;

use super::comparison::{Compared, is_same, only_text};
use crate::json::{Node, Value};

/// Members in which the texts of a block are.
const TEXT_KEYS: &[&str] = &["content", "parts", "text"];

/// The place in a text after which it differs from the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = SystemSplitPlace)]
pub struct SplitPlace {
    /// JSON Pointer into this payload: the text.
    #[schema(example = "/system/0/text")]
    pub pointer: String,
    /// Characters (Unicode code points) of the text before the place: whole lines, or whole words of
    /// its first line.
    #[schema(example = 8_120)]
    pub characters: u64,
    /// Tokens of the text before the place.
    #[schema(example = 1_904)]
    pub tokens: u64,
}

/// The first text that differs between two blocks, and the part of it that does not.
pub(super) struct SplitText<'n> {
    pub(super) pointer: String,
    pub(super) head: &'n str,
}

/// Finds the first text that differs between two blocks; none if it differs from its beginning.
pub(super) fn find_split<'n>(
    before: &Node<'_>,
    now: &'n Node<'_>,
    pointer: String,
) -> Option<SplitText<'n>> {
    match (&before.value, &now.value) {
        (Value::String(before), Value::String(now)) => split(before, now, pointer),
        (Value::Array(parts), Value::String(now)) => split(only_text(parts)?, now, pointer),
        (Value::String(before), Value::Array(parts)) => {
            split(before, only_text(parts)?, pointer + "/0/text")
        }
        (Value::Array(before), Value::Array(now)) => {
            let mut pairs = before.iter().zip(now).enumerate();
            let (at, (before, now)) =
                pairs.find(|(_, (before, now))| !is_same(before, now, Compared::All))?;
            find_split(before, now, format!("{pointer}/{at}"))
        }
        (Value::Object(_), Value::Object(now)) => {
            let members = now.iter().filter(|(key, _)| TEXT_KEYS.contains(&key.as_ref()));
            let mut pairs = members.filter_map(|(key, now)| Some((key, before.get(key)?, now)));
            let (key, before, now) =
                pairs.find(|(_, before, now)| !is_same(before, now, Compared::All))?;
            find_split(before, now, format!("{pointer}/{key}"))
        }
        _ => None,
    }
}

/// The lines, or else the words, that both texts begin with.
fn split<'n>(before: &str, now: &'n str, pointer: String) -> Option<SplitText<'n>> {
    let same = before.bytes().zip(now.bytes()).take_while(|(before, now)| before == now).count();
    let is_continued = same == before.len();
    let end = if is_continued { same } else { last_break(now, same) };
    let head = now.get(..end).filter(|head| !head.trim().is_empty() && head.len() < now.len())?;
    Some(SplitText { pointer, head })
}

/// The end of the last line in the first bytes of a text, or else of the last word.
fn last_break(text: &str, bytes: usize) -> usize {
    let head = text.as_bytes().get(..bytes).unwrap_or_default();
    let after = |wanted: fn(&u8) -> bool| head.iter().rposition(wanted).map(|at| at + 1);
    after(|byte| *byte == b'\n').or_else(|| after(u8::is_ascii_whitespace)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{self, Limits};

    fn found(before: &str, now: &str) -> Option<(String, String)> {
        let (before, now) = (
            json::parse(before, Limits::default()).unwrap(),
            json::parse(now, Limits::default()).unwrap(),
        );
        let split = find_split(&before, &now, "/system/0".to_owned())?;
        Some((split.pointer, split.head.to_owned()))
    }

    #[test]
    fn a_text_is_split_before_the_line_that_differs() {
        for (before, now, head) in [
            ("Rules.\\n\\nToday: 1", "Rules.\\n\\nToday: 2", Some("Rules.\n\n")),
            ("Rules é 1", "Rules é 2", Some("Rules é ")),
            ("Rules.", "Rules. Today: 2", Some("Rules.")),
            ("Rules. Today: 2", "Rules.", None),
            ("a", "b", None),
            ("\\né", "\\nè", None),
        ] {
            let block = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
            let split = found(&block(before), &block(now));
            let wanted = head.map(|head| ("/system/0/text".to_owned(), head.to_owned()));
            assert_eq!(split, wanted, "{now}");
        }
    }

    #[test]
    fn a_text_with_a_mark_is_the_same_text() {
        let marked = r#"{"role":"system","content":[{"type":"text","text":"A\n1","prompt_cache_breakpoint":{}}]}"#;
        let plain = r#"{"role":"system","content":"A\n2"}"#;
        assert_eq!(found(marked, plain).unwrap().0, "/system/0/content");
        assert_eq!(found(plain, marked).unwrap().0, "/system/0/content/0/text");
    }
}
