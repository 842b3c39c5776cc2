//! The description as YAML that readers of version 1.1 and of version 1.2 read alike.

use std::borrow::Cow;

/// Quotes the values in YAML of version 1.2 that version 1.1 reads as truth values or times.
pub fn portable_yaml(yaml: &str) -> String {
    let mut out = String::with_capacity(yaml.len());
    // Lines of a block text are indented more than the line that begins it.
    let mut block: Option<usize> = None;
    for line in yaml.trim_end().lines() {
        let indent = line.len() - line.trim_start().len();
        if block.is_some_and(|block| indent > block || line.is_empty()) {
            out.push_str(line);
        } else {
            let begins = line.ends_with(['|', '>']) || line.ends_with("|-") || line.ends_with(">-");
            block = begins.then_some(indent);
            out.push_str(&quote_value(line));
        }
        out.push('\n');
    }
    out
}

/// Quotes the plain text at the end of a line if YAML 1.1 takes it for a truth value or a time.
fn quote_value(line: &str) -> Cow<'_, str> {
    let Some((head, value)) = line.rsplit_once(' ') else { return Cow::Borrowed(line) };
    let is_value = head.ends_with(':') || head.trim_start() == "-" || head.ends_with(" -");
    if is_value && (is_truth(value) || is_time(value)) {
        return Cow::Owned(format!("{head} '{value}'"));
    }
    Cow::Borrowed(line)
}

/// Words that are truth values in YAML 1.1 (<https://yaml.org/type/bool.html>) and texts in YAML 1.2.
fn is_truth(value: &str) -> bool {
    ["y", "n", "yes", "no", "on", "off"].iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Whether a text begins as a date (<https://yaml.org/type/timestamp.html>).
fn is_time(value: &str) -> bool {
    let is_like = |(byte, form): (&u8, &u8)| {
        if *form == b'0' { byte.is_ascii_digit() } else { byte == form }
    };
    value.len() >= 10 && value.as_bytes().iter().zip(b"0000-00-00").all(is_like)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_yaml_1_1_reads_otherwise_is_quoted() {
        for (line, shown) in [
            ("  - off", "  - 'off'"),
            ("  example: 2026-12-31T23:59:59Z", "  example: '2026-12-31T23:59:59Z'"),
            ("  - - no", "  - - 'no'"),
            ("  nullable: true", "  nullable: true"),
            ("  description: The light is on", "  description: The light is on"),
            ("  - 'off'", "  - 'off'"),
            ("  id: 2026-12", "  id: 2026-12"),
        ] {
            assert_eq!(quote_value(line), shown);
        }
    }
}
