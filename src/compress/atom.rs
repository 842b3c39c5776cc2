//! Atoms: pieces of text that are kept whole or not at all. Addresses, paths, digests, identifiers,
//! numbers with their units, quoted strings, secrets, ids of calls.
//!
//! A word of letters is none. Whatever holds a digit, a mark between letters, or a capital after a
//! small letter is one, so a form that no list names is not cut either. Each byte is looked at a
//! bounded number of times.

use std::ops::Range;

use crate::domain::MONTH_NAMES;

/// Longest quoted string that is an atom.
const MAX_QUOTE_BYTES: usize = 160;

/// The atoms of a text: byte ranges, disjoint, in order.
pub(crate) fn atoms(text: &str) -> Vec<Range<usize>> {
    let mut scan =
        AtomScan { text, bytes: text.as_bytes(), at: 0, found: Vec::new(), no_pem: false };
    while scan.at < text.len() {
        scan.step();
    }
    scan.found
}

/// Whether a cut at byte `at` cuts none of `atoms`.
pub(crate) fn is_boundary(atoms: &[Range<usize>], at: usize) -> bool {
    let next = atoms.partition_point(|atom| atom.end <= at);
    atoms.get(next).is_none_or(|atom| atom.start >= at)
}

struct AtomScan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    found: Vec<Range<usize>>,
    /// No PEM block ends after this point.
    no_pem: bool,
}

impl AtomScan<'_> {
    fn step(&mut self) {
        if let Some(after) = self.plain_word() {
            self.at = after;
            return;
        }
        let start = self.at;
        let Some(first) = self.char_at(start) else {
            self.at = self.bytes.len();
            return;
        };
        let end = self
            .pem(start)
            .or_else(|| self.find_quote_end(start, first))
            .or_else(|| self.url(start));
        if let Some(end) = end {
            self.push(start, end);
            return;
        }
        if !is_word(first) && !self.leads(start, first) {
            self.at = start + first.len_utf8();
            return;
        }
        let run = self.run(start);
        let end = start + trimmed_length(self.text.get(start..run).unwrap_or_default());
        if end > start && is_atom(self.text.get(start..end).unwrap_or_default()) {
            let end = self.with_unit(start, end);
            self.push(start, end);
        } else {
            self.at = run.max(start + first.len_utf8());
        }
    }

    /// The byte after a word of small letters, a mark that may end it, and the blank after both:
    /// most of any prose.
    fn plain_word(&self) -> Option<usize> {
        const MAX_WORD_BYTES: usize = 18;
        let rest = self.bytes.get(self.at..)?;
        let first = usize::from(rest.first()?.is_ascii_alphabetic());
        let letters = rest.iter().skip(first).take(MAX_WORD_BYTES);
        let length = first + letters.take_while(|byte| byte.is_ascii_lowercase()).count();
        let mark = match rest.get(length)? {
            b' ' | b'\n' => return Some(self.at + length + 1),
            b',' | b'.' | b':' | b';' | b'!' | b'?' | b')' if length > 0 => length + 1,
            _ => return None,
        };
        matches!(rest.get(mark), Some(b' ' | b'\n')).then_some(self.at + mark + 1)
    }

    fn push(&mut self, start: usize, end: usize) {
        self.found.push(start..end);
        self.at = end;
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(b' ')
    }

    /// A block from `-----BEGIN …` to the end of the line `-----END …`.
    fn pem(&mut self, start: usize) -> Option<usize> {
        const END_MARK: &[u8] = b"-----END ";
        let rest = self.bytes.get(start..)?;
        if self.no_pem || !rest.starts_with(b"-----BEGIN ") {
            return None;
        }
        let Some(last) = memchr::memmem::find(rest, END_MARK) else {
            self.no_pem = true;
            return None;
        };
        let line = rest.get(last..)?;
        Some(start + last + memchr::memchr2(b'\n', b'"', line).unwrap_or(line.len()))
    }

    /// A string in quotes or backticks on one line; an apostrophe opens none inside a word.
    fn find_quote_end(&self, start: usize, first: char) -> Option<usize> {
        if !matches!(first, '"' | '`' | '\'') || (first == '\'' && self.follows_word(start)) {
            return None;
        }
        let rest = self.bytes.get(start + 1..self.bytes.len().min(start + MAX_QUOTE_BYTES))?;
        let mark = u8::try_from(first).ok()?;
        let close = memchr::memchr2(mark, b'\n', rest)?;
        let end = start + close + 2;
        let is_closed = close > 0 && rest.get(close) == Some(&mark);
        let is_string = mark != b'\'' || !self.byte(end).is_ascii_alphanumeric();
        (is_closed && is_string).then_some(end)
    }

    fn follows_word(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| {
            self.byte(before).is_ascii_alphanumeric() || self.byte(before) >= 0x80
        })
    }

    /// `scheme://…`, with what a connection string carries, and data URIs.
    fn url(&self, start: usize) -> Option<usize> {
        const MAX_SCHEME_BYTES: usize = 24;
        if !self.byte(start).is_ascii_alphabetic() || self.follows_word(start) {
            return None;
        }
        let head = self.bytes.get(start..self.bytes.len().min(start + MAX_SCHEME_BYTES))?;
        let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+.-".contains(byte);
        let scheme = head.iter().take_while(|byte| is_scheme(byte)).count();
        let rest = head.get(scheme..)?;
        if !(rest.starts_with(b"://") || (rest.starts_with(b":") && head.starts_with(b"data:"))) {
            return None;
        }
        let text = self.text.get(start..)?;
        let ends = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '<' | '>' | '`');
        let length = text.find(ends).unwrap_or(text.len());
        let length = trimmed_url(text.get(..length)?);
        (length > scheme + 3).then_some(start + length)
    }

    /// Whether a mark begins an atom with what follows it: `/etc`, `./x`, `~/x`, `$HOME`, `#12`,
    /// `--flag`, `-3`, `@scope/x`, `_x`.
    fn leads(&self, at: usize, first: char) -> bool {
        let next = self.byte(at + 1);
        match first {
            '/' | '$' | '@' | '\\' => next.is_ascii_alphanumeric() || next == b'_' || next == b'.',
            '.' => next.is_ascii_alphanumeric() || matches!(next, b'/' | b'.' | b'_'),
            '~' => next == b'/',
            '#' | '+' => next.is_ascii_digit(),
            '-' => {
                next.is_ascii_digit() || (next == b'-' && self.byte(at + 2).is_ascii_alphabetic())
            }
            '€' | '£' | '¥' => self.byte(at + first.len_utf8()).is_ascii_digit(),
            _ => false,
        }
    }

    /// Finds the end of the run of letters, digits and the marks between them.
    fn run(&self, start: usize) -> usize {
        let mut at = start;
        let mut before = b' ';
        while let Some(byte) = self.bytes.get(at).copied() {
            let next = self.byte(at + 1);
            let goes_on = match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => true,
                _ if at == start => true,
                b'.' | b'/' | b'\\' | b'-' | b'+' | b'~' | b'#' | b'%' | b'$' | b'@' => true,
                b':' => matches!(next, b':' | b'/' | b'\\') || self.is_word_at(at + 1),
                // A list of names is no atom, `1,234` is one.
                b',' => before.is_ascii_digit() && next.is_ascii_digit(),
                b'=' => before == b'=' || next == b'=' || !self.is_word_at(at + 1),
                0x80.. => self.is_word_at(at),
                _ => false,
            };
            if !goes_on {
                return at;
            }
            before = byte;
            at += if byte < 0x80 { 1 } else { self.char_at(at).map_or(1, char::len_utf8) };
        }
        self.text.len()
    }

    /// Whether a letter of a word begins at a byte.
    fn is_word_at(&self, at: usize) -> bool {
        self.char_at(at).is_some_and(is_word)
    }

    /// A number takes the unit or the month after it: `12 ms`, `3 March 2024`.
    fn with_unit(&self, start: usize, end: usize) -> usize {
        let is_number = self.bytes.get(start..end).is_some_and(|atom| {
            atom.iter().all(|byte| !byte.is_ascii_alphabetic() && *byte != b'/' && *byte < 0x80)
                && atom.last().is_some_and(|last| last.is_ascii_digit() || *last == b'%')
        });
        if !is_number {
            return end;
        }
        let rest = self.text.get(end..).unwrap_or_default();
        let Some(rest) = rest.strip_prefix([' ', '\u{a0}', '\u{202f}']).or(Some(rest)) else {
            return end;
        };
        let from = self.text.len() - rest.len();
        let length = rest.find(|letter: char| !(is_word(letter) || "°%/".contains(letter)));
        let unit = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
        if UNITS.contains(&unit) {
            return from + unit.len();
        }
        if MONTH_NAMES.contains(&unit.get(..3).unwrap_or_default()) && unit.len() <= 9 {
            let end = from + unit.len();
            let year = self.bytes.get(end..).unwrap_or_default();
            let digits = year.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
            let has_year = year.first() == Some(&b' ') && digits == 4;
            return if has_year { end + 5 } else { end };
        }
        end
    }
}

/// Units that are apart from their numbers.
const UNITS: [&str; 58] = [
    "%", "°", "°C", "°F", "ns", "µs", "us", "ms", "s", "sec", "min", "h", "hours", "hour",
    "minutes", "minute", "seconds", "second", "days", "day", "weeks", "months", "years", "B", "kB",
    "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "bytes", "bits", "kbps", "Mbps", "Gbps",
    "MB/s", "GB/s", "Hz", "kHz", "MHz", "GHz", "m", "mm", "cm", "km", "g", "kg", "mg", "px",
    "tokens", "lines", "percent", "requests", "retries", "rpm",
];

/// Letters and digits that make words with blanks between them. Scripts that write without blanks
/// are left out: a sentence of theirs is not one word.
fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || letter == '_'
        || (letter.is_alphanumeric() && letter < '\u{0e00}')
}

/// Length without the marks of the sentence around it.
fn trimmed_length(run: &str) -> usize {
    let bare = run.trim_end_matches(['.', ',', ':', '-', '+', '~', '#', '@', '$', '\\']);
    bare.len()
}

/// As [`trimmed_length`], for an address; a bracket stays if the address opened it.
fn trimmed_url(url: &str) -> usize {
    let mut length = url.len();
    let mut closing = url.matches(')').count();
    let opening = url.matches('(').count();
    while let Some(last) = url.get(..length).and_then(|url| url.chars().next_back()) {
        match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | ']' | '}' | '*' => {}
            ')' if closing > opening => closing -= 1,
            _ => break,
        }
        length -= last.len_utf8();
    }
    length
}

/// Whether a run is more than a word: it holds a digit, a mark between letters, or a capital after
/// a small letter.
fn is_atom(run: &str) -> bool {
    /// Letters without a blank that are no word of a sentence: keys in capitals only.
    const MAX_KEY_CHARS: usize = 20;
    if run.len() >= MAX_KEY_CHARS && run.is_ascii() {
        return true;
    }
    let mut small = false;
    for (at, letter) in run.char_indices() {
        let is_mark = letter.is_ascii_digit()
            || matches!(letter, '_' | '@' | '/' | '\\' | '$' | '%' | '=' | ':')
            || (matches!(letter, '.' | '#' | '+') && at > 0)
            || (letter == '-' && at == 0)
            || (letter == '.' && run.len() > 1);
        if is_mark || (small && letter.is_uppercase()) {
            return true;
        }
        small = letter.is_lowercase();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str) -> Vec<&str> {
        atoms(text).into_iter().map(|atom| &text[atom]).collect()
    }

    #[track_caller]
    fn holds(text: &str, atom: &str) {
        assert!(found(text).contains(&atom), "{atom:?} not in {:?}", found(text));
    }

    #[test]
    fn words_are_no_atoms() {
        let text = "The delay can cascade: people in the store (all of them) must call. Don't!";
        assert_eq!(found(text), Vec::<&str>::new());
    }

    #[test]
    fn addresses_lose_the_marks_of_the_sentence() {
        holds("See https://docs.example.com/a?b=c&d=1.", "https://docs.example.com/a?b=c&d=1");
        holds(
            "(at https://en.example.org/wiki/Rust_(language))",
            "https://en.example.org/wiki/Rust_(language)",
        );
        holds("write to anna.berg@example.com, please", "anna.berg@example.com");
        holds("postgresql://u:p@host:5432/db?x=1 is it", "postgresql://u:p@host:5432/db?x=1");
    }

    #[test]
    fn paths_are_whole() {
        let paths = "/etc/passwd ./a/main.rs ~/x/y src/a-b/c.rs:12:5 C:\\Users\\a @scope/pkg ../x";
        paths.split(' ').for_each(|path| holds(&format!("in {path}, as said"), path));
    }

    #[test]
    fn digests_and_ids_are_whole() {
        let ids = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 \
                   550e8400-e29b-41d4-a716-446655440000 sha256:9f86d081884c7d65 call_Xy12AbCd \
                   toolu_01A09q90qw90lq917835lq9";
        ids.split(' ').for_each(|id| holds(&format!("the id {id}."), id));
    }

    #[test]
    fn identifiers_are_whole() {
        let names = "fetchInvoice max_delay process.env.KEY std::mem::swap PascalCase $HOME --no-x";
        names.split(' ').for_each(|name| holds(&format!("use {name} here"), name));
    }

    #[test]
    fn numbers_keep_units_and_decimals() {
        let numbers = "12 ms|98%|3.14|1,234.56|v1.2.3-rc.1|2024-01-02T03:04:05Z|-40 °C|\
                       3 March 2024|$5|€12.50|512 GiB";
        numbers.split('|').for_each(|number| holds(&format!("it is {number}, mostly"), number));
    }

    #[test]
    fn strings_are_whole_and_apostrophes_are_none() {
        assert_eq!(found("say \"the quick fox\" and `x = y`"), ["\"the quick fox\"", "`x = y`"]);
        assert_eq!(found("it's the dog's bone"), Vec::<&str>::new());
        assert_eq!(found("with 'single quotes' too"), ["'single quotes'"]);
    }

    #[test]
    fn secrets_are_never_cut() {
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
        let keys = "AKIAABCDEFGHIJKLMNOP ghp_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ \
                    sk-abcdefghijklmnopqrst1 xoxb-12345678901-abcdefghij \
                    glpat-abcdefghij1234567890 SG.abcdefghijklmnopqrst.abcdefghijklmnopqrst";
        for secret in keys.split(' ').chain([jwt]) {
            holds(&format!("the key is {secret}. Keep it"), secret);
        }
        let pem =
            "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0\n-----END PRIVATE KEY-----";
        holds(&format!("key:\n{pem}\nend"), pem);
    }

    #[test]
    fn a_boundary_cuts_no_atom() {
        let atoms = atoms("see a_b now");
        assert_eq!(atoms.first(), Some(&(4..7)));
        let cuts: Vec<_> = (0..=11).filter(|at| !is_boundary(&atoms, *at)).collect();
        assert_eq!(cuts, [5, 6]);
        assert!(is_boundary(&[], 3));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn atoms_are_disjoint_and_on_the_boundaries_of_characters(
            text in "([a-zA-Z0-9 .:/@_'\"`$#=,-]|\n|é|中|°|://|-----BEGIN |-----END ){0,80}"
        ) {
            let mut from = 0;
            for atom in atoms(&text) {
                prop_assert!(atom.start >= from && atom.end > atom.start);
                prop_assert!(text.get(atom.clone()).is_some());
                from = atom.end;
            }
        }

        #[test]
        fn any_text_is_read(text in any::<String>()) {
            let atoms = atoms(&text);
            prop_assert!(atoms.iter().all(|atom| text.get(atom.clone()).is_some()));
        }
    }
}
