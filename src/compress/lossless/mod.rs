//! Rung 1, class `equivalent`: what a text loses says nothing.
//!
//! Terminal codes, a byte order mark, carriage returns before line ends, white space at line ends,
//! progress that overwrites itself, and, of a text that is one document, white space between the tokens of JSON and between the
//! elements of XML.
//! Strings, numbers, attributes and words keep their bytes.

mod line_ends;
mod progress;
mod xml;

use std::borrow::Cow;

use super::text::without_codes;
use crate::json::tape::Tape;
use crate::json::{Limits, space_outside_strings};

pub(crate) use xml::{MAX_XML_DEPTH, MAX_XML_EVENTS, indentation};

/// The text without what says nothing. Borrowed if there is nothing to take.
pub fn equivalent(text: &str) -> Cow<'_, str> {
    without_layout(without_line_ends(text))
}

/// What some editors write at the beginning of a file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text without terminal codes, a byte order mark, what says nothing at the ends of lines, and
/// progress that is overwritten.
pub(crate) fn without_line_ends(text: &str) -> Cow<'_, str> {
    let lines = match without_codes(text) {
        Cow::Borrowed(text) => line_ends::without_line_ends(without_mark(text)),
        Cow::Owned(text) => {
            Cow::Owned(line_ends::without_line_ends(without_mark(&text)).into_owned())
        }
    };
    // What a patch says of a file that holds carriage returns is no progress.
    if !lines.contains('\r') || line_ends::is_diff(&lines) {
        return lines;
    }
    match progress::without_overwritten(&lines) {
        Cow::Borrowed(_) => lines,
        Cow::Owned(last) => Cow::Owned(last),
    }
}

/// The text without a byte order mark before it. A mark by itself stays: there is no text to read.
fn without_mark(text: &str) -> &str {
    let bare = text.trim_start_matches(BYTE_ORDER_MARK);
    if bare.is_empty() { text } else { bare }
}

/// Removes the white space between the tokens of a document, after [`without_line_ends`].
pub(crate) fn without_layout(lines: Cow<'_, str>) -> Cow<'_, str> {
    match minified_json(&lines).or_else(|| xml::minified(&lines)) {
        Some(short) => Cow::Owned(short),
        None => lines,
    }
}

/// A JSON document without white space between its tokens, if the text is one and has any.
fn minified_json(text: &str) -> Option<String> {
    /// Nesting and values of a text that is still rewritten.
    const REWRITE_LIMITS: Limits = Limits { depth: 64, values: 500_000 };
    let bare = text.trim_matches([' ', '\t', '\r', '\n']);
    if !bare.starts_with(['{', '[']) || !bare.ends_with(['}', ']']) {
        return None;
    }
    let none = || bare.len() == text.len() || !bare.contains([' ', '\t', '\n']);
    if space_outside_strings(bare).is_none() && none() {
        return None;
    }
    // A key that is twice makes readers disagree about the value: such a text stays.
    Tape::compact(bare, REWRITE_LIMITS)
}

/// The normal form that all texts of one meaning share: two texts are equivalent if it is the
/// same. It is what is left after, in this order,
///
/// 1. CSI and OSC sequences, and then a byte order mark before the text,
/// 2. carriage returns before line feeds; spaces and tabs before line feeds and at the end, but
///    in a unified diff,
/// 3. of the states of a progress between carriage returns in one line, all but the last: they
///    differ in numbers, signs and words of up to three letters alone, report no error, and are in
///    no unified diff,
/// 4. white space outside of the strings of a text that is one JSON document,
/// 5. white space between the elements of a text that is one XML document, in elements that hold
///    nothing but elements
///
/// are gone. [`equivalent`] goes the whole way, so its answer is its own normal form.
pub fn normal(text: &str) -> String {
    equivalent(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn terminal_codes_go() {
        assert_eq!(equivalent("\u{1b}[31;1merror\u{1b}[0m: x"), "error: x");
        assert_eq!(equivalent("\u{1b}]0;title\u{7}a\u{1b}]8;;u\u{1b}\\b"), "ab");
    }

    #[test]
    fn a_byte_order_mark_hides_no_document() {
        assert_eq!(equivalent("\u{feff}{\n  \"a\": 1\n}\n"), "{\"a\":1}");
        let list = "\u{feff}<list>\n  <item>x</item>\n</list>\n";
        assert_eq!(equivalent(list), "<list><item>x</item></list>");
        assert_eq!(equivalent("\u{1b}[1m\u{feff}id,name\r\n1,x\r\n"), "id,name\n1,x\n");
        for text in ["\u{feff}", "a\u{feff}b", "a\n\u{feff}b"] {
            assert_eq!(equivalent(text), text);
        }
    }

    #[test]
    fn what_is_no_code_stays() {
        for text in
            ["\u{1b}", "\u{1b}[", "\u{1b}[31", "\u{1b}]0;never ends", "\u{1b}(B", "a\\x1b[0m"]
        {
            assert_eq!(equivalent(text), text);
        }
    }

    #[test]
    fn line_ends_lose_their_blanks() {
        assert_eq!(equivalent("a \r\nb\t\n\n  c  "), "a\nb\n\n  c");
        assert_eq!(equivalent("a 10%\rb 20%\nok"), "a 10%\rb 20%\nok");
    }

    #[test]
    fn progress_shows_its_last_state() {
        assert_eq!(
            equivalent("get:\n\u{1b}[K 9% |-| \r\u{1b}[K10% |=| \r\nok"),
            "get:\n10% |=|\nok"
        );
        let diff = "--- a\n+++ b\n@@ -1 +1 @@\n-1%\r2%\n+3%\r4%\n";
        assert_eq!(equivalent(diff), diff);
    }

    #[test]
    fn a_diff_keeps_the_blanks_of_its_lines() {
        let diff = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n \n-x \n+y\n";
        assert_eq!(equivalent(diff), diff);
        assert_eq!(equivalent(&diff.replace('\n', "\r\n")), diff);
    }

    #[test]
    fn json_loses_the_space_between_its_tokens() {
        assert_eq!(equivalent("{\n  \"a b\": [1.50, 2]\n}\n"), "{\"a b\":[1.50,2]}");
        for text in ["{ \"a\": 1, \"a\": 2 }", "{ not json }", "[see above]"] {
            assert_eq!(equivalent(text), text);
        }
    }

    #[test]
    fn a_code_inside_a_sequence_that_never_ended_stays() {
        for text in ["\u{1b}[3\u{1b}[0m1m", "\u{1b}\u{1b}[0m[31m", "\u{1b}]0;a\u{1b}[0mb\u{7}"] {
            assert_eq!(equivalent(text), text);
        }
    }

    #[test]
    fn xml_loses_the_space_between_its_elements() {
        let text = "<list>\r\n  <item>a  b</item>\r\n</list>\r\n";
        assert_eq!(equivalent(text), "<list><item>a  b</item></list>");
    }

    /// Bits that make codes, line ends, JSON and XML, and what comes close to them.
    fn any_text() -> impl Strategy<Value = String> {
        let bits = prop::sample::select(vec![
            "\u{1b}",
            "\u{1b}[",
            "\u{1b}[0m",
            "\u{1b}]0;a",
            "\u{7}",
            "\u{1b}\\",
            "\u{feff}",
            "[",
            "m",
            "3",
            ";",
            " ",
            "\t",
            "\r",
            "5%",
            "\r1/9",
            "error",
            "\n",
            "\r\n",
            "@@ -1",
            "{",
            "}",
            "]",
            "\"",
            "\\",
            ":",
            ",",
            "1",
            "null",
            "<a>",
            "</a>",
            "<b x=\"1\"/>",
            "<c>",
            "</c>",
            "<!--",
            "-->",
            "<?",
            "?>",
            "<![CDATA[",
            "]]>",
            "\n  ",
            "é",
            "text",
            "<a xml:space='preserve'>",
            "&amp;",
            "<!DOCTYPE a>",
        ]);
        prop::collection::vec(bits, 0..24).prop_map(|bits| bits.concat())
    }

    /// Documents that are mostly well-formed.
    fn any_xml() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "\n  ",
            "\n",
            " ",
            "",
            "words",
            "<e/>",
            "<!-- c -->",
            "<![CDATA[ x\n ]]>",
            "<?pi a?>",
            "&lt;",
        ]);
        let tree = leaf.prop_map(str::to_owned).prop_recursive(4, 32, 5, |inner| {
            let tag = prop::sample::select(vec!["a", "b xml:space=\"preserve\"", "c k='>'", "c"]);
            (tag, prop::collection::vec(inner, 0..6)).prop_map(|(tag, inner)| {
                let name = tag.split(' ').next().unwrap_or_default();
                format!("<{tag}>{}</{name}>", inner.concat())
            })
        });
        prop::collection::vec(tree, 1..4).prop_map(|list| format!("<root>{}</root>", list.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn what_is_shown_has_the_normal_form_of_the_original(text in prop_oneof![any_text(), any_xml()]) {
            let short = equivalent(&text);
            prop_assert_eq!(normal(&short), normal(&text));
            prop_assert_eq!(equivalent(&short), short.clone());
        }

        #[test]
        fn xml_loses_white_space_only(text in any_xml()) {
            let squash = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(squash(&equivalent(&text)), squash(&text));
        }

        #[test]
        fn only_blanks_and_codes_are_ever_lost(text in "([ -~]|\n|\r|\t|\u{1b}\\[3[0-9]m|\u{1b}|é){0,80}") {
            let squash = |text: &str| {
                without_codes(text).chars().filter(|c| !c.is_whitespace()).collect::<String>()
            };
            let short = equivalent(&text);
            prop_assert!(short.len() <= text.len());
            // States of a progress have numbers.
            if !text.contains(['%', '/']) {
                prop_assert_eq!(squash(&short), squash(&text));
            }
        }

        #[test]
        fn never_panics(text in any::<String>()) {
            let _ = equivalent(&text);
        }
    }
}
