//! Small questions about the bytes of a line. Each looks at a line once at the most.

/// How many times a byte stands at the beginning.
pub(super) fn run_of(bytes: &[u8], mark: u8) -> usize {
    bytes.iter().take_while(|byte| **byte == mark).count()
}

/// Digits at the beginning.
pub(super) fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// A list item's marker with the blank after it: `- `, `* `, `+ `, `12. `, `12) `.
pub(super) fn list_marker(body: &[u8]) -> Option<usize> {
    let width = match body.first()? {
        b'-' | b'*' | b'+' => 1,
        b'0'..=b'9' => {
            let digits = digits(body.get(..body.len().min(10))?);
            matches!(body.get(digits)?, b'.' | b')').then_some(digits + 1)?
        }
        _ => return None,
    };
    matches!(body.get(width)?, b' ' | b'\t').then_some(width + 1)
}

pub(super) fn contains(bytes: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(bytes, part).is_some()
}

/// Whether the whole text is a path beyond doubt: no blanks, and a slash or an extension.
pub(super) fn is_path(text: &[u8]) -> bool {
    const LONGEST: usize = 512;
    if text.is_empty() || text.len() > LONGEST {
        return false;
    }
    let is_plain = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || *byte >= 0x80
            || matches!(byte, b'.' | b'_' | b'-' | b'/' | b'@' | b'+' | b'~' | b'$' | b'[' | b']')
    };
    if !text.iter().all(is_plain) || !text.iter().any(u8::is_ascii_alphanumeric) {
        return false;
    }
    if text.ends_with(b"/") || text.starts_with(b"/") || text.starts_with(b"./") {
        return true;
    }
    let name = text.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let has_extension = name.iter().rposition(|byte| *byte == b'.').is_some_and(|dot| {
        let extension = name.get(dot + 1..).unwrap_or_default();
        (1..=8).contains(&extension.len()) && extension.iter().all(u8::is_ascii_alphanumeric)
    });
    has_extension || (text.contains(&b'/') && !text.starts_with(b"@"))
}

/// Whether a text reads as a sentence: words parted by blanks, and few marks.
pub(crate) fn is_sentence(text: &[u8]) -> bool {
    const LOOK: usize = 160;
    let text = text.get(..text.len().min(LOOK)).unwrap_or_default();
    let mut words = 0;
    let mut marks = 0;
    for word in text.split(|byte| *byte == b' ').filter(|word| !word.is_empty()) {
        let core = word.trim_ascii();
        let core = core.strip_suffix(b".").or(core.strip_suffix(b",")).unwrap_or(core);
        let is_word =
            core.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80 || *byte == b'\'');
        if is_word && !core.is_empty() { words += 1 } else { marks += 1 }
    }
    words >= 4 && words >= marks * 2
}

/// Whether a line is words, blanks and the marks of sentences, and nothing that any format uses.
pub(super) fn is_plain(body: &[u8]) -> bool {
    let mut blanks = 0;
    let mut comma = false;
    for byte in body {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'\'' | 0x80.. if !comma => {}
            b' ' => {
                blanks += 1;
                comma = false;
            }
            b',' if !comma => comma = true,
            _ => return false,
        }
    }
    blanks >= 3 && body.first().is_some_and(u8::is_ascii_alphabetic)
}
