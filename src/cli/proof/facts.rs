//! The facts that an agent works with: paths, numbers, hashes, names and error lines, and how many
//! of them a text contains.
//!
//! A number or a name must be in the text unchanged. A path also counts if all of its parts are, so
//! that a tree of names shows its paths. The number of a line in a listing is not one of the line's
//! facts. A value that a notation computes, such as a running number, does not count as visible.

use std::collections::BTreeSet;

/// Kinds of facts, in the order of [`ProvenFacts::seen_in`].
pub(super) const FACT_KINDS: [&str; 5] = ["paths", "numbers", "hex ids", "names", "error lines"];

/// Error lines that are searched for. Each needs a pass over the text.
const MAX_ERROR_LINES: usize = 2_000;
/// Words that make a line an error line.
const ERROR_WORDS: [&str; 9] = [
    "error",
    "errors",
    "exception",
    "failed",
    "failure",
    "fatal",
    "panicked",
    "traceback",
    "denied",
];

/// The number of facts of a kind that a text contains, and their total number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FactShare {
    pub(super) seen: usize,
    pub(super) total: usize,
}

/// The facts of a text, each once.
pub(super) struct ProvenFacts {
    /// Paths, numbers, hex ids and names.
    words: [BTreeSet<String>; 4],
    /// Error lines, without white space.
    errors: BTreeSet<String>,
}

impl ProvenFacts {
    pub(super) fn new(text: &str) -> Self {
        let text: String =
            unescape(text).lines().flat_map(|line| [strip_line_number(line), "\n"]).collect();
        // The punctuation around the items of a list is not part of the line.
        let trim = |line| str::trim_matches(line, [' ', '\t', '\r', '"', ',']);
        let errors = text.lines().map(trim).filter(|line| (9..400).contains(&line.len()));
        let errors = errors.filter(|line| is_error_line(line)).map(remove_space);
        Self { words: words(&text), errors: errors.take(MAX_ERROR_LINES).collect() }
    }

    /// Counts the facts that another text contains, by kind.
    pub(super) fn seen_in(&self, text: &str) -> Vec<FactShare> {
        let both = format!("{text}\n{}", unescape(text));
        let visible = words(&both);
        let parts: BTreeSet<&str> = both.split(|sign| !in_name(sign)).collect();
        let dense = remove_space(&both);
        let mut found: Vec<FactShare> = Vec::with_capacity(FACT_KINDS.len());
        for (kind, (wanted, visible)) in self.words.iter().zip(&visible).enumerate() {
            let in_parts = |path: &str| {
                kind == 0 && path.split('/').all(|part| part.is_empty() || parts.contains(part))
            };
            let seen =
                wanted.iter().filter(|fact| visible.contains(*fact) || in_parts(fact)).count();
            found.push(FactShare { seen, total: wanted.len() });
        }
        let seen = self.errors.iter().filter(|line| dense.contains(line.as_str())).count();
        found.push(FactShare { seen, total: self.errors.len() });
        found
    }
}

/// Decodes the escapes of JSON strings, for results that are a text within JSON.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let mut signs = after.chars();
        let sign = match signs.next() {
            Some('n' | 'r') => '\n',
            Some('t') => '\t',
            Some(sign @ ('"' | '/' | '\\')) => sign,
            _ => {
                out.push('\\');
                rest = after;
                continue;
            }
        };
        out.push(sign);
        rest = signs.as_str();
    }
    out.push_str(rest);
    out
}

/// Removes the number of a line of a listing: `  12\t`, `12→` or `12|`.
fn strip_line_number(line: &str) -> &str {
    let rest = line.trim_start().trim_start_matches(|sign: char| sign.is_ascii_digit());
    let numbered = line.trim_start().len() > rest.len();
    rest.strip_prefix(['\t', '→', '|']).filter(|_| numbered).unwrap_or(line)
}

fn remove_space(text: &str) -> String {
    text.split_whitespace().collect()
}

fn is_error_line(line: &str) -> bool {
    let mut words = line.split(|sign: char| !sign.is_ascii_alphabetic());
    words.any(|word| ERROR_WORDS.iter().any(|error| word.eq_ignore_ascii_case(error)))
}

fn in_name(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '.' | '-' | '@' | '~' | '+')
}

/// Finds the words of a text that are facts, by kind.
fn words(text: &str) -> [BTreeSet<String>; 4] {
    let mut found = [const { BTreeSet::new() }; 4];
    let [paths, numbers, hex, names] = &mut found;
    for path in text.split(|sign| sign != '/' && !in_name(sign)) {
        let path = path.trim_end_matches(['.', '/']);
        let parts = path.split('/').filter(|part| !part.is_empty()).count();
        if parts > 1 && path.len() < 300 && path.contains(|sign: char| sign.is_alphabetic()) {
            paths.insert(path.to_owned());
        }
    }
    for word in text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_' && sign != '.')
    {
        let word = word.trim_matches('.');
        if is_number(word) {
            numbers.insert(word.to_owned());
        }
        for word in word.split('.') {
            if is_hex(word) {
                hex.insert(word.to_owned());
            } else if is_name(word) {
                names.insert(word.to_owned());
            }
        }
    }
    found
}

/// Checks for a number of three digits or more, with or without a fraction.
fn is_number(word: &str) -> bool {
    let (whole, fraction) = word.split_once('.').unwrap_or((word, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (3..30).contains(&whole.len()) && digits(whole) && digits(fraction)
}

/// Checks for the form of a commit id or a digest.
fn is_hex(word: &str) -> bool {
    (7..=64).contains(&word.len())
        && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Checks for an identifier: `snake_case`, `camelCase` or `PascalCase` of two words or more.
fn is_name(word: &str) -> bool {
    if word.len() > 100 || !word.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_')
    {
        return false;
    }
    let snake = word.trim_matches('_').contains('_');
    let bytes = word.as_bytes().windows(2);
    let turns = bytes.filter(|pair| matches!(pair, [b'a'..=b'z' | b'0'..=b'9', b'A'..=b'Z']));
    snake || turns.count() > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "read src/checkout/pay.rs:88 at 3f9c2ab1\n\
        error: order_id 48213 is gone, retryPolicy took 12.5 of 1500.25 ms\n12 and/or\n";

    fn seen(text: &str) -> Vec<(usize, usize)> {
        ProvenFacts::new(TEXT)
            .seen_in(text)
            .into_iter()
            .map(|share| (share.seen, share.total))
            .collect()
    }

    #[test]
    fn all_facts_are_in_sight_in_the_text_itself() {
        assert_eq!(seen(TEXT), [(2, 2), (2, 2), (1, 1), (2, 2), (1, 1)]);
        assert_eq!(seen(""), [(0, 2), (0, 2), (0, 1), (0, 2), (0, 1)]);
    }

    #[test]
    fn a_part_of_a_fact_is_not_the_fact() {
        assert_eq!(seen("148213 3f9c2ab11 order_ids src/checkout"), seen(""));
    }

    #[test]
    fn the_number_of_a_line_is_no_fact_of_it() {
        let facts = ProvenFacts::new("   211\terror: gone after 500 ms\n   212\t}\n");
        let seen = facts.seen_in("error: gone after 500 ms");
        assert_eq!((seen[1].seen, seen[1].total), (1, 1));
        assert_eq!((seen[4].seen, seen[4].total), (1, 1));
    }

    #[test]
    fn the_quotes_of_a_list_are_no_part_of_its_lines() {
        let facts = ProvenFacts::new("[\n  \"build failed: no space\",\n  \"x\"\n]");
        assert_eq!(
            facts.seen_in("[2]\nbuild failed: no space\nx")[4],
            FactShare { seen: 1, total: 1 }
        );
    }

    #[test]
    fn a_tree_shows_its_paths() {
        assert_eq!(seen("src/\n  checkout/\n    pay.rs")[0], (1, 2));
    }

    #[test]
    fn json_around_a_text_hides_nothing() {
        let facts = ProvenFacts::new(r#"{"out": "a/b.rs\nerror: no such_file"}"#);
        let seen = facts.seen_in("a/b.rs\nerror: no such_file");
        assert_eq!((seen[0].seen, seen[0].total), (1, 1));
        assert_eq!((seen[3].seen, seen[3].total), (1, 1));
    }
}
