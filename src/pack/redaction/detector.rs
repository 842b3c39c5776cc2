//! Detectors that packs may name.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A kind of text to detect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detector {
    /// With letters of any script, in its name and its domain.
    Email,
    /// With the sign and number of a country, as E.164 has it.
    Phone,
    /// 13 to 19 digits with a valid check digit.
    CreditCard,
    /// An IBAN with valid check digits.
    Iban,
    Ipv4,
    /// Keys of well-known services, recognized by their prefixes.
    Secret,
    /// A tax number of India. Elsewhere the word is short for the number of a card.
    Pan,
}

/// A pattern that was written here compiles; a test meets each.
fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

// A last label is ASCII letters alone, or letters of other scripts alone, as in the root zone of the
// domain name system: so a word of another script that follows without a space is no part of it.
static EMAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?x) [\p{L}\p{M}\p{Nd}\u{200c}\u{200d}._%+-]+ @
            (?: [\p{L}\p{M}\p{Nd}\u{200c}\u{200d}-]+ \. )+
            (?: xn--[A-Za-z0-9-]+ | [A-Za-z]{2,} | [[\p{L}\p{M}\u{200c}\u{200d}]--[A-Za-z]]{2,} )",
    )
});
// Word boundaries are those of ASCII: in scripts without spaces a number follows a letter.
static PHONE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\+[1-9][0-9]?(?:[ ().-]{0,2}[0-9]){6,13}(?-u:\b)"));
static DIGITS: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?-u:\b)[0-9]+(?:[ -][0-9]+)*(?-u:\b)"));
static IBAN: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?-u:\b)[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]+)+"));
static IPV4: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?x) (?-u:\b) (?: (?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2}) \. ){3}
            (?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2}) (?-u:\b)",
    )
});
static SECRET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?x)(?-u:\b)(?:sk-[A-Za-z0-9_-]{16,} | (?:AKIA|ASIA)[0-9A-Z]{16} | gh[opsur]_[A-Za-z0-9]{36,}
            | github_pat_[A-Za-z0-9_]{22,} | glpat-[A-Za-z0-9_-]{20,} | xox[abeprs]-[A-Za-z0-9-]{10,}
            | AIza[0-9A-Za-z_-]{35} | [rs]k_live_[0-9A-Za-z]{16,}
            | eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})",
    )
});
static PAN: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?-u:\b)[A-Z]{5}[0-9]{4}[A-Z](?-u:\b)"));

impl Detector {
    pub(crate) const NAMES: &[(&str, Self)] = &[
        ("email", Self::Email),
        ("phone", Self::Phone),
        ("credit_card", Self::CreditCard),
        ("iban", Self::Iban),
        ("ipv4", Self::Ipv4),
        ("secret", Self::Secret),
        ("pan", Self::Pan),
    ];

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, detector)| *detector)
    }

    pub(super) fn find(self, text: &str) -> Vec<Range<usize>> {
        let all = |regex: &Option<Regex>| -> Vec<Range<usize>> {
            regex
                .iter()
                .flat_map(|regex| regex.find_iter(text))
                .map(|found| found.range())
                .collect()
        };
        match self {
            Self::Email if !text.contains('@') => Vec::new(),
            Self::Email => {
                all(&EMAIL).into_iter().map(|found| without_prose(text, found)).collect()
            }
            Self::Phone if !text.contains('+') => Vec::new(),
            Self::Phone => all(&PHONE),
            Self::CreditCard if !has_digits(text, 13) => Vec::new(),
            Self::CreditCard => all(&DIGITS)
                .into_iter()
                .flat_map(|run| within(text, run, [' ', '-'], is_card))
                .collect(),
            Self::Iban if !has_digits(text, 2) => Vec::new(),
            Self::Iban => all(&IBAN)
                .into_iter()
                .flat_map(|run| within(text, run, [' ', ' '], is_iban))
                .collect(),
            Self::Ipv4 | Self::Pan if !has_digits(text, 4) => Vec::new(),
            Self::Ipv4 => all(&IPV4),
            Self::Secret => all(&SECRET),
            Self::Pan => all(&PAN),
        }
    }
}

/// An address without the words before it, if their script has no spaces between words: an ASCII
/// name at an ASCII domain begins with its first ASCII character. A name in such a script stays
/// whole.
fn without_prose(text: &str, found: Range<usize>) -> Range<usize> {
    let address = text.get(found.clone()).unwrap_or_default();
    let Some((name, domain)) = address.split_once('@') else { return found };
    let Some((at, last)) = name.char_indices().rfind(|(_, letter)| is_unspaced(*letter)) else {
        return found;
    };
    let start = at + last.len_utf8();
    let own = name.get(start..).unwrap_or_default();
    let is_ascii = own.is_ascii() && domain.is_ascii();
    if is_ascii && own.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        found.start + start..found.end
    } else {
        found
    }
}

/// Whether a letter is of a script that has no spaces between words: Thai, Lao, Tibetan, Myanmar,
/// Khmer, Japanese and Chinese.
fn is_unspaced(letter: char) -> bool {
    matches!(
        letter,
        '\u{0e00}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3005}'..='\u{312f}'
            | '\u{31a0}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ff9f}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// Whether a text has so many digits; without them nothing is looked for.
fn has_digits(text: &str, least: usize) -> bool {
    text.bytes().filter(u8::is_ascii_digit).count() >= least
}

/// The longest stretches of whole groups in a run that check, from the left.
fn within(
    text: &str,
    run: Range<usize>,
    between: [char; 2],
    checks: fn(&str) -> bool,
) -> Vec<Range<usize>> {
    /// Groups that one number may have.
    const MAX_GROUPS: usize = 20;
    let shown = text.get(run.clone()).unwrap_or_default();
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut start = run.start;
    for (at, mark) in shown.match_indices(between) {
        groups.push(start..run.start + at);
        start = run.start + at + mark.len();
    }
    groups.push(start..run.end);
    let mut found = Vec::new();
    let mut first = 0;
    while let Some(begin) = groups.get(first) {
        let last = (first + MAX_GROUPS).min(groups.len());
        let hit = (first..last).rev().find_map(|at| {
            let range = begin.start..groups.get(at)?.end;
            text.get(range.clone()).filter(|text| checks(text)).map(|_| (range, at))
        });
        match hit {
            Some((range, at)) => {
                found.push(range);
                first = at + 1;
            }
            None => first += 1,
        }
    }
    found
}

/// 13 to 19 digits, of which every second one from the right is doubled in their sum.
fn is_card(text: &str) -> bool {
    /// Groups of one digit, with a character between each two.
    const MAX_CARD_BYTES: usize = 2 * 19 - 1;
    if text.len() > MAX_CARD_BYTES {
        return false;
    }
    let digits: Vec<u32> = text.chars().filter_map(|character| character.to_digit(10)).collect();
    if !(13..=19).contains(&digits.len()) {
        return false;
    }
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, digit * 2) {
            (0, _) => *digit,
            (_, twice) if twice > 9 => twice - 9,
            (_, twice) => twice,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether the text is an IBAN: with its first four characters moved to the end, the remainder of a
/// division by 97 is 1.
fn is_iban(text: &str) -> bool {
    /// Groups of one character, with a space between each two.
    const MAX_IBAN_BYTES: usize = 2 * 34 - 1;
    if text.len() > MAX_IBAN_BYTES {
        return false;
    }
    let plain: String = text.chars().filter(|character| *character != ' ').collect();
    if !(15..=34).contains(&plain.len()) {
        return false;
    }
    let (head, rest) = plain.split_at(4);
    let letters = head.get(..2).unwrap_or_default();
    let digits = head.get(2..).unwrap_or_default();
    if !letters.bytes().all(|byte| byte.is_ascii_uppercase())
        || !digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        return false;
    }
    let rest = rest.chars().chain(head.chars()).filter_map(|character| character.to_digit(36));
    rest.fold(0, |rest, value| (rest * if value > 9 { 100 } else { 10 } + value) % 97) == 1
}
