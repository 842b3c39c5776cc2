//! Writing JSON straight into a buffer, so that a payload is encoded once.

use std::fmt::Write as _;

use super::scan;

/// Appends `text` as a JSON string, quotes included.
#[inline]
pub fn write_string(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    escape_into(out, text);
    out.push('"');
}

/// The same with more escapes than JSON asks for: of a slash as `\/`, of other characters by their codes.
/// `is_escaped` is true for these; it must not be for characters that JSON's own escapes consist of.
pub fn write_string_escaping(out: &mut String, text: &str, is_escaped: impl Fn(char) -> bool) {
    let mut plain = String::new();
    write_string(&mut plain, text);
    for letter in plain.chars() {
        match letter {
            _ if !is_escaped(letter) => out.push(letter),
            '/' => out.push_str("\\/"),
            _ => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
}

/// The bytes that [`write_string`] appends.
pub fn string_bytes(text: &str) -> usize {
    let more = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => "\\n".len() - 1,
        0..b' ' => "\\u0000".len() - 1,
        _ => 0,
    };
    text.len() + text.bytes().map(more).sum::<usize>() + "\"\"".len()
}

/// Appends `text` with the escapes that JSON asks for, and no others.
#[inline]
pub fn escape_into(out: &mut String, text: &str) {
    match scan::next_special(text.as_bytes()) {
        None => out.push_str(text),
        Some(first) => escape_from(out, text, first),
    }
}

/// The same, if the first character that is escaped is known.
fn escape_from(out: &mut String, text: &str, first: usize) {
    out.reserve(text.len() + 2);
    let bytes = text.as_bytes();
    let mut copied = 0;
    let mut next = Some(first);
    while let Some(step) = next {
        let at = copied + step;
        out.push_str(text.get(copied..at).unwrap_or_default());
        copied = at + 1;
        match bytes.get(at).copied().unwrap_or_default() {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            byte => {
                out.push_str("\\u00");
                for digit in [byte >> 4, byte & 15] {
                    out.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
                }
            }
        }
        next = scan::next_special(bytes.get(copied..).unwrap_or_default());
    }
    out.push_str(text.get(copied..).unwrap_or_default());
}

/// The text of a JSON document without the white space between its tokens. Strings and numbers
/// keep their bytes. The text must be JSON: what is not is copied as it is.
pub fn minify(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut copied = 0;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while let Some(step) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or(&[]))
                {
                    at += step;
                    if bytes.get(at) == Some(&b'"') {
                        break;
                    }
                    at += 2;
                }
                at += 1;
            }
            b' ' | b'\n' | b'\r' | b'\t' => {
                out.push_str(text.get(copied..at).unwrap_or_default());
                at += 1;
                copied = at;
            }
            _ => at += 1,
        }
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_are_written_as_serde_json_writes_them(text in any::<String>()) {
            let mut out = String::new();
            write_string(&mut out, &text);
            prop_assert_eq!(string_bytes(&text), out.len());
            prop_assert_eq!(out, serde_json::to_string(&text).unwrap());
        }

        #[test]
        fn minify_takes_only_space_between_tokens(
            list in prop::collection::vec(any::<String>(), 0..6), number in any::<f64>()
        ) {
            let value = serde_json::json!({"list": list, "n": number, "o": {"": [1, true, null]}});
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            prop_assert_eq!(minify(&pretty), value.to_string());
        }
    }

    #[test]
    fn minify_keeps_numbers_as_written() {
        assert_eq!(minify("{ \"a b\" : [ 1.50 , 1e5 ] }\n"), "{\"a b\":[1.50,1e5]}");
    }
}
