//! YAML by its lines: keys, indentation, sequence markers, block scalars. Text is YAML if the
//! lines nest, or if a flat map has values; lines that name a speaker are prose.

use super::line_bytes::is_sentence;
use super::{LineRegion, fence};
use crate::compress::text::LineTable;

/// Reads the region that begins at a line; `None` if none begins.
pub(super) fn region(lines: &LineTable<'_>, at: usize) -> Option<LineRegion> {
    if lines.indent(at) > 0 || read_entry(lines.body(at)).is_none() {
        return None;
    }
    let mut scan = YamlRegionScan::default();
    let end = lines.run_end(at, |line| scan.take(lines, line));
    Some(LineRegion { end, holds: scan.is_yaml() })
}

/// A line of a map or a sequence.
#[derive(Debug, Clone, Copy)]
struct YamlEntry<'a> {
    /// Dashes and blanks before the key.
    dash: usize,
    key: &'a [u8],
    value: &'a [u8],
}

#[derive(Debug, Default)]
struct YamlRegionScan<'a> {
    keys: usize,
    /// Keys of the top level, to see one that comes again.
    top: Vec<&'a [u8]>,
    /// Keys that hold maps or sequences, or entries of sequences that are maps.
    nested: usize,
    labels: usize,
    sentences: usize,
    repeats: bool,
    /// The margin of a block scalar or of a value that may go on.
    scalar: Option<usize>,
    /// A key without a value waits for something deeper than this.
    open: Option<usize>,
    went_on: usize,
}

impl<'a> YamlRegionScan<'a> {
    fn take(&mut self, lines: &LineTable<'a>, line: usize) -> bool {
        let indent = lines.indent(line);
        let body = lines.body(line);
        if self.scalar.is_some_and(|margin| indent > margin) {
            return true;
        }
        self.scalar = None;
        if indent == 0 && matches!(body, b"---" | b"...") {
            // The next document may have the same keys.
            self.top.clear();
            return true;
        }
        if body.starts_with(b"#") {
            return true;
        }
        if lines.slice(lines.start(line)..lines.head(line)).contains(&b'\t') || fence::opens(body) {
            return false;
        }
        let Some(entry) = read_entry(body) else { return self.continues(indent, body) };
        if self.open.take().is_some_and(|margin| indent > margin) {
            self.nested += 1;
        }
        self.count(entry, indent);
        let margin = indent + entry.dash;
        match entry.value {
            [] => self.open = Some(margin),
            [b'|' | b'>', rest @ ..] if rest.len() <= 2 => {
                self.nested += 1;
                self.scalar = Some(margin);
            }
            _ => self.open = None,
        }
        true
    }

    fn count(&mut self, entry: YamlEntry<'a>, indent: usize) {
        if entry.dash > 0 && !entry.key.is_empty() {
            self.nested += 1;
        }
        if entry.key.is_empty() {
            return;
        }
        self.keys += 1;
        self.labels += usize::from(entry.key.first().is_some_and(u8::is_ascii_uppercase));
        self.sentences += usize::from(is_sentence(entry.value) || is_sentence(entry.key));
        if indent == 0 && entry.dash == 0 {
            // A map of more keys than this is read as data anyway.
            const MAX_SEARCH_BYTES: usize = 64;
            self.repeats |= self.top.len() < MAX_SEARCH_BYTES && self.top.contains(&entry.key);
            if self.top.len() < MAX_SEARCH_BYTES {
                self.top.push(entry.key);
            }
        }
    }

    /// A value on more lines than its own.
    fn continues(&mut self, indent: usize, body: &[u8]) -> bool {
        if indent == 0 || self.keys == 0 || self.open.is_some() || body.starts_with(b"- ") {
            // A plain entry of a sequence.
            return body.starts_with(b"- ") && !is_sentence(body.get(2..).unwrap_or_default());
        }
        self.went_on += 1;
        self.went_on * 2 <= self.keys
    }

    fn is_yaml(&self) -> bool {
        if self.keys < 2 || self.repeats {
            return false;
        }
        let is_told = self.sentences * 2 >= self.keys;
        // Keys that all begin with a capital are labels, unless they nest.
        if self.nested == 0 { !is_told && self.labels < self.keys } else { !is_told }
    }
}

/// `key:`, `key: value`, `- key: value`, `- value`, `? key`, `: value`.
fn read_entry(body: &[u8]) -> Option<YamlEntry<'_>> {
    let mut dash = 0;
    while let Some(rest) = body.get(dash..).and_then(|rest| rest.strip_prefix(b"- ")) {
        dash = body.len() - rest.trim_ascii_start().len();
    }
    let rest = body.get(dash..)?;
    match rest {
        [b'?', b' ', key @ ..] => return Some(YamlEntry { dash: dash + 2, key, value: b"" }),
        [b':', b' ', value @ ..] => return Some(YamlEntry { dash: dash + 2, key: b"", value }),
        _ => {}
    }
    if let Some(key) = flow_key(rest).filter(|_| dash > 0) {
        return Some(YamlEntry { dash, key, value: rest.get(..1)? });
    }
    let colon = key_end(rest)?;
    let (key, after) = rest.split_at_checked(colon)?;
    let after = after.strip_prefix(b":")?;
    if !matches!(after.first(), None | Some(b' ')) {
        return None;
    }
    Some(YamlEntry { dash, key, value: after.trim_ascii() })
}

/// The first key of a map in flow style that takes the rest of a line.
fn flow_key(rest: &[u8]) -> Option<&[u8]> {
    let inner = rest.trim_ascii_end().strip_suffix(b"}")?.strip_prefix(b"{")?.trim_ascii_start();
    let (key, after) = inner.split_at_checked(key_end(inner)?)?;
    after.starts_with(b": ").then_some(key)
}

/// End of a key: a plain word, or a quoted text.
fn key_end(rest: &[u8]) -> Option<usize> {
    const MAX_KEY_BYTES: usize = 64;
    let rest = rest.get(..rest.len().min(MAX_KEY_BYTES))?;
    if let Some(quote @ (b'"' | b'\'')) = rest.first() {
        return Some(memchr::memchr(*quote, rest.get(1..)?)? + 2);
    }
    // The paths of an interface have places for values.
    let is_path = rest.first() == Some(&b'/');
    let is_key = |byte: &&u8| {
        byte.is_ascii_alphanumeric()
            || b"_-./$@+".contains(byte)
            || is_path && matches!(byte, b'{' | b'}')
    };
    let is_letter = |at: usize| rest.get(at).is_some_and(u8::is_ascii_lowercase);
    // `cache:expired: 3`
    let joins = |at: usize| {
        rest.get(at) == Some(&b':') && at.checked_sub(1).is_some_and(is_letter) && is_letter(at + 1)
    };
    let length = (0..rest.len())
        .take_while(|at| rest.get(*at).as_ref().is_some_and(is_key) || joins(*at))
        .count();
    let is_said = is_path || rest.iter().take(length).any(u8::is_ascii_alphanumeric);
    (length > 0 && is_said).then_some(length)
}
