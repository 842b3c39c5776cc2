//! The words of a scalar, and how other words are written in the same style.

use std::fmt::Write as _;

use super::scan::{YamlEvent, YamlKind};

/// The words of a scalar or comment; `None` if it holds none.
pub(super) fn words(event: &YamlEvent, raw: &str) -> Option<String> {
    match event.kind {
        YamlKind::Plain => Some(fold(raw)),
        YamlKind::Single => Some(fold(quoted_words(raw)?).replace("''", "'")),
        YamlKind::Double => unescaped(quoted_words(raw)?),
        YamlKind::Block => {
            let own = |line: &str| line.get(event.column..).unwrap_or_default().to_owned();
            Some(lines(raw).map(own).collect::<Vec<_>>().join("\n"))
        }
        YamlKind::Comment => {
            let own = |line: &str| {
                let line = line.trim_start().strip_prefix('#').unwrap_or(line);
                line.strip_prefix(' ').unwrap_or(line).to_owned()
            };
            Some(lines(raw).map(own).collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

/// Other words in the style of a scalar or comment; `None` if that style cannot say them.
pub(super) fn write(event: &YamlEvent, raw: &str, words: &str) -> Option<String> {
    let breaks = if raw.contains("\r\n") { "\r\n" } else { "\n" };
    match event.kind {
        YamlKind::Plain => can_be_plain(words, raw).then(|| unfold(words, raw, breaks)).flatten(),
        YamlKind::Single => Some(format!("'{}'", unfold(&words.replace('\'', "''"), raw, breaks)?)),
        YamlKind::Double => Some(escape(words, raw)),
        YamlKind::Block => {
            let indent = " ".repeat(event.column);
            if words.starts_with([' ', '\t', '\n']) {
                return None;
            }
            Some(join_lines(words, breaks, |line| format!("{indent}{line}"), ""))
        }
        YamlKind::Comment => {
            let indent = " ".repeat(event.column);
            let head = if raw.starts_with("# ") { "# " } else { "#" };
            let all = join_lines(
                words,
                breaks,
                |line| format!("{indent}{head}{line}"),
                &format!("{indent}#"),
            );
            // The first line begins at its sign.
            all.get(event.column..).map(str::to_owned)
        }
        _ => None,
    }
}

fn lines(raw: &str) -> impl Iterator<Item = &str> {
    raw.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line))
}

fn join_lines(words: &str, breaks: &str, line: impl Fn(&str) -> String, blank: &str) -> String {
    let written =
        words.split('\n').map(|own| if own.is_empty() { blank.to_owned() } else { line(own) });
    written.collect::<Vec<_>>().join(breaks)
}

fn quoted_words(raw: &str) -> Option<&str> {
    raw.get(1..raw.len().checked_sub(1)?)
}

/// Lines as one: a break is a blank, and a blank line a break.
fn fold(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut blanks = 0;
    for (at, line) in lines(raw).enumerate() {
        let line = if at == 0 {
            line.trim_end_matches([' ', '\t'])
        } else {
            line.trim_matches([' ', '\t'])
        };
        if line.is_empty() && at > 0 {
            blanks += 1;
            continue;
        }
        if at > 0 {
            if blanks > 0 {
                out.extend(std::iter::repeat_n('\n', blanks));
            } else {
                out.push(' ');
            }
        }
        blanks = 0;
        out.push_str(line);
    }
    out
}

/// Words as lines, indented as those of `raw` are; `None` if it has one line and they more.
fn unfold(words: &str, raw: &str, breaks: &str) -> Option<String> {
    if !words.contains('\n') {
        return Some(words.to_owned());
    }
    let second = lines(raw).skip(1).find(|line| !line.trim().is_empty())?;
    let indent = second.get(..second.len() - second.trim_start_matches(' ').len())?;
    let mut out = String::with_capacity(words.len());
    let mut lines = words.split('\n');
    out.push_str(lines.next()?.trim_end());
    out.push_str(breaks);
    for line in lines {
        out.push_str(breaks);
        if !line.trim().is_empty() {
            out.push_str(indent);
            out.push_str(line.trim());
        }
    }
    Some(out)
}

/// Whether words may be without quotes in a block.
fn can_be_plain(words: &str, raw: &str) -> bool {
    let opens =
        words.chars().next().is_some_and(|first| raw.starts_with(first) || first.is_alphanumeric());
    opens
        && !words.contains(": ")
        && !words.contains(" #")
        && !words.contains('\t')
        && words.split('\n').all(|line| {
            let line = line.trim();
            !line.ends_with(':')
                && !line.starts_with('#')
                && !line.starts_with("---")
                && !line.starts_with("...")
        })
        && words.trim() == words
        && !words.chars().any(|letter| letter.is_control() && letter != '\n')
}

/// A text between double quotes, its escapes read.
fn unescaped(inner: &str) -> Option<String> {
    // A break after a backslash joins lines without a blank.
    let mut lines = lines(inner);
    let mut raw = lines.next()?.to_owned();
    let mut blanks = 0;
    for line in lines {
        let line = line.trim_start_matches([' ', '\t']);
        if line.is_empty() {
            blanks += 1;
            continue;
        }
        let open = raw.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
        if open && blanks == 0 {
            raw.pop();
        } else if open {
            return None;
        } else {
            raw.truncate(raw.trim_end_matches([' ', '\t']).len());
            raw.push_str(if blanks == 0 { " " } else { "\\n" });
            (1..blanks).for_each(|_| raw.push_str("\\n"));
        }
        blanks = 0;
        raw.push_str(line);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw.as_str();
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(rest.get(..at)?);
        let escape = rest.get(at + 1..)?;
        let (letter, length) = unit(escape)?;
        out.push(letter);
        rest = escape.get(length..)?;
    }
    out.push_str(rest);
    Some(out)
}

/// The character that follows a backslash, and the bytes of its name.
fn unit(escape: &str) -> Option<(char, usize)> {
    let first = escape.chars().next()?;
    let digits = match first {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => 0,
    };
    if digits > 0 {
        let code = u32::from_str_radix(escape.get(1..=digits)?, 16).ok()?;
        return Some((char::from_u32(code)?, digits + 1));
    }
    let letter = match first {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        ' ' | '"' | '/' | '\\' => first,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    };
    Some((letter, first.len_utf8()))
}

/// Words between double quotes, on one line.
fn escape(words: &str, raw: &str) -> String {
    let is_ascii = raw.is_ascii() && (raw.contains("\\u") || raw.contains("\\x"));
    let mut out = String::with_capacity(words.len() + 2);
    out.push('"');
    for letter in words.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if letter.is_control() || (is_ascii && !letter.is_ascii()) => {
                let code = u32::from(letter);
                let _ = match code {
                    0..0x100 => write!(out, "\\x{code:02x}"),
                    0x100..0x10000 => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}
