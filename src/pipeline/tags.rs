//! Tags of our own frames inside of text that others wrote: broken up, so that no text closes its
//! frame or opens another one.

use std::borrow::Cow;

/// The frames of a payload. A text inside one is read as the application's.
const FRAME_TAGS: &[&str] = &[
    "available_toolkits",
    "dynamic_state",
    "ephemeral_message",
    "history_summary",
    "implicit_context",
    "memory",
];

/// Breaks up tags of any of our frames, opening and closing ones.
pub(super) fn without_frames(text: &str) -> Cow<'_, str> {
    broken_up(text, FRAME_TAGS, false)
}

/// Breaks up what would close the frame `name`.
pub(super) fn without_closing<'t>(text: &'t str, name: &str) -> Cow<'t, str> {
    broken_up(text, &[name], true)
}

/// Puts a backslash after the `<` of each tag of these names. A model reads a tag in any case and
/// over blanks, so both are ignored.
fn broken_up<'t>(text: &'t str, names: &[&str], closing_only: bool) -> Cow<'t, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices('<') {
        let behind = text.get(at + 1..).unwrap_or_default();
        if is_tag(behind, names, closing_only) {
            out.push_str(text.get(copied..=at).unwrap_or_default());
            out.push('\\');
            copied = at + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// Whether the text after a `<` is a tag of one of the names.
fn is_tag(behind: &str, names: &[&str], closing_only: bool) -> bool {
    let inside = behind.trim_start_matches(is_blank);
    let name = inside.trim_start_matches(|character| character == '/' || is_blank(character));
    let closes = inside.starts_with('/');
    (closes || !closing_only) && names.iter().any(|known| is_name(name, known))
}

/// Whether a text begins with a name and no more of it, passing over characters without width.
fn is_name(text: &str, known: &str) -> bool {
    let mut shown = text.chars().filter(|character| !is_invisible(*character));
    let is_same = |own: char| shown.next().is_some_and(|other| other.eq_ignore_ascii_case(&own));
    known.chars().all(is_same)
        && shown.next().is_none_or(|next| !next.is_alphanumeric() && !matches!(next, '_' | '-'))
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || is_invisible(character)
}

/// Characters without width.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_our_frames_are_broken_up_in_any_case_and_over_blanks() {
        for tag in [
            "</implicit_context>",
            "</IMPLICIT_CONTEXT>",
            "</ implicit_context >",
            "<\n/\timplicit_context>",
            "<\u{200b}/\u{feff}Implicit_Context",
            "<memory>",
            "</Memory\n>",
            "</dynamic_state>",
            "<history_summary>",
            "<ephemeral_message type=\"prefill_enforcement\">",
            "</mem\u{200b}ory>",
            "<\u{180e}//memory>",
            "</available_toolkits>",
        ] {
            let broken = without_frames(tag);
            assert_eq!(broken, tag.replacen('<', "<\\", 1), "{tag:?}");
            assert_eq!(without_frames(&broken), broken, "{tag:?}");
        }
    }

    #[test]
    fn other_text_is_left_alone() {
        for text in [
            "a < b",
            "<b>memory</b>",
            "<memory_order>",
            "<memory-pool>",
            "</implicit_contexts>",
            "<",
            "< /",
            "</é",
        ] {
            assert!(matches!(without_frames(text), Cow::Borrowed(_)), "{text:?}");
        }
        assert_eq!(without_closing("<block> </ BLOCK>", "block"), "<block> <\\/ BLOCK>");
    }
}
