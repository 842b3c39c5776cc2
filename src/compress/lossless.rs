//! Rung 1, class `equivalent`: what a text loses says nothing (DESIGN §2, the ladder).
//!
//! Terminal codes, carriage returns before line ends, white space at line ends, and white space
//! between the tokens of a text that is one JSON document. Strings and numbers keep their bytes.

use std::borrow::Cow;

use crate::json;

/// Nesting of a JSON text that is still rewritten.
const DEPTH: usize = 64;
/// Values of a JSON text that is still rewritten.
const VALUES: usize = 500_000;

/// The text without what says nothing. Borrowed where there is nothing to take.
pub fn equivalent(text: &str) -> Cow<'_, str> {
    let codes = without_codes(text);
    let lines = match codes {
        Cow::Borrowed(text) => without_line_ends(text),
        Cow::Owned(text) => Cow::Owned(without_line_ends(&text).into_owned()),
    };
    match minified(&lines) {
        Some(short) => Cow::Owned(short),
        None => lines,
    }
}

/// Takes out CSI (`ESC [ … final byte`) and OSC (`ESC ] … BEL` or `ESC \`) sequences. Other
/// escapes, and sequences that never end, are text.
fn without_codes(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out: Option<String> = None;
    let mut copied = 0;
    for start in memchr::memchr_iter(0x1b, bytes) {
        // An earlier sequence may have taken this one in.
        if start < copied {
            continue;
        }
        let Some(end) = code_end(bytes, start) else { continue };
        let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
        out.push_str(text.get(copied..start).unwrap_or_default());
        copied = end;
    }
    match out {
        None => Cow::Borrowed(text),
        Some(mut out) => {
            out.push_str(text.get(copied..).unwrap_or_default());
            Cow::Owned(out)
        }
    }
}

/// The byte after the sequence that begins at `start`.
fn code_end(bytes: &[u8], start: usize) -> Option<usize> {
    /// Bytes of a sequence; what is longer is no terminal code.
    const LONGEST: usize = 4096;
    let body = bytes.get(start + 2..bytes.len().min(start + LONGEST))?;
    match bytes.get(start + 1)? {
        b'[' => {
            let last = body.iter().position(|byte| !(0x20..=0x3f).contains(byte))?;
            (0x40..=0x7e).contains(body.get(last)?).then_some(start + 2 + last + 1)
        }
        b']' => {
            let last = body.iter().position(|byte| matches!(byte, 0x07 | 0x1b | b'\n'))?;
            match (body.get(last)?, body.get(last + 1)) {
                (0x07, _) => Some(start + 2 + last + 1),
                (0x1b, Some(b'\\')) => Some(start + 2 + last + 2),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Takes out carriage returns before line ends, and spaces and tabs at line ends. In a unified
/// diff the white space stays: it is part of what the patch says.
fn without_line_ends(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    let loose = memchr::memchr_iter(b'\n', bytes)
        .chain([bytes.len()])
        .any(|end| end.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(is_blank));
    if !loose {
        return Cow::Borrowed(text);
    }
    let blanks: &[char] = if is_diff(text) { &['\r'] } else { &[' ', '\t', '\r'] };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        out.push_str(line.trim_end_matches(blanks));
        out.push('\n');
        rest = after;
    }
    // A carriage return at the very end stands before no line end.
    let blanks: &[char] = if blanks.len() == 1 { &[] } else { &[' ', '\t'] };
    out.push_str(rest.trim_end_matches(blanks));
    Cow::Owned(out)
}

fn is_diff(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("@@ -"))
}

fn minified(text: &str) -> Option<String> {
    let bare = text.trim_matches([' ', '\t', '\r', '\n']);
    if !bare.starts_with(['{', '[']) || !bare.contains([' ', '\t', '\n']) {
        return None;
    }
    let limits = json::Limits { depth: DEPTH, values: VALUES };
    // A key that stands twice makes readers disagree about the value: such a text stays.
    json::parse(bare, limits).ok()?;
    let short = json::minify(bare);
    (short.len() < text.len()).then_some(short)
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
        // A progress line that overwrites itself is text.
        assert_eq!(equivalent("10%\r20%\r30%\nok"), "10%\r20%\r30%\nok");
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

    proptest! {
        #[test]
        fn only_blanks_and_codes_are_ever_lost(text in "([ -~]|\n|\r|\t|\u{1b}\\[3[0-9]m|\u{1b}|é){0,80}") {
            let squash = |text: &str| {
                without_codes(text).chars().filter(|c| !c.is_whitespace()).collect::<String>()
            };
            let short = equivalent(&text);
            prop_assert!(short.len() <= text.len());
            prop_assert_eq!(squash(&short), squash(&text));
        }

        #[test]
        fn never_panics(text in any::<String>()) {
            let _ = equivalent(&text);
        }
    }
}
