//! Lines of a key and its value: what the lines are about, and values that others do not share.

use foldhash::{HashMap, HashMapExt as _};

use super::super::page::LinePage;
use super::columns::RareColumns;

/// Keys that are looked at.
const MAX_KEYS: usize = 48;
/// Bytes of the longest key.
const MAX_KEY_BYTES: usize = 28;
/// Words that end the keys which say what something is, in which state, and until when, in small
/// letters.
const IDENTITY_WORDS: [&str; 17] = [
    "after", "before", "crate", "expires", "health", "host", "id", "issuer", "model", "name",
    "package", "phase", "result", "serial", "status", "subject", "version",
];

/// A line of a key and its value that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordLine {
    /// It says what is described, and how it is.
    Identity { nth: usize },
    /// It begins one of several records.
    First { nth: usize },
    /// Its value is one that hardly another line of its key has.
    RareValue,
    /// Its key is of a group that hardly another key is of.
    RareGroup { nth: usize },
}

/// Calls `each` with the lines that are asked for, if a good part of a text is keys and values.
pub(super) fn mark_records(page: &LinePage<'_>, mut each: impl FnMut(usize, RecordLine)) {
    let solid = page.solid();
    let pairs: Vec<(usize, &str, &str)> = solid
        .iter()
        .filter_map(|at| pair(page.body(*at)).map(|(key, value)| (*at, key, value)))
        .collect();
    if pairs.len() < 8 || pairs.len() * 4 < solid.len() {
        return;
    }
    let mut keys: HashMap<&str, usize> = HashMap::with_capacity(MAX_KEYS);
    let mut columns = RareColumns::default();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (at, key, value) in &pairs {
        *counts.entry(key).or_default() += 1;
        let next = keys.len();
        let column = match keys.get(key) {
            Some(column) => *column,
            None if next < MAX_KEYS => *keys.entry(key).or_insert(next),
            None => continue,
        };
        columns.add_state(column, *at, value);
    }
    for at in columns.find(page.len()).states {
        each(at, RecordLine::RareValue);
    }
    mark_identities(&pairs, &counts, &mut each);
    mark_firsts(page, &pairs, &counts, &mut each);
    if pairs.len() * 10 >= solid.len() * 7 {
        mark_rare_groups(&pairs, &mut each);
    }
}

type Pair<'t> = (usize, &'t str, &'t str);

/// Keys that say what a text describes. What most of its records have tells none from another.
fn mark_identities(
    pairs: &[Pair<'_>],
    counts: &HashMap<&str, usize>,
    each: &mut impl FnMut(usize, RecordLine),
) {
    /// Lines of a key of one thing.
    const MAX_COUNT: usize = 3;
    let identities = pairs.iter().filter(|(_, key, _)| {
        let last = key.rsplit([' ', '_', '-']).next().unwrap_or_default();
        let is_number = last.eq_ignore_ascii_case("number") && key.contains("erial");
        let is_known = IDENTITY_WORDS.iter().any(|word| word.eq_ignore_ascii_case(last));
        (is_known || is_number) && counts.get(key).is_some_and(|count| *count <= MAX_COUNT)
    });
    for (nth, (at, _, _)) in identities.enumerate() {
        each(*at, RecordLine::Identity { nth });
    }
}

/// The first line of each paragraph that begins with the same key.
fn mark_firsts(
    page: &LinePage<'_>,
    pairs: &[Pair<'_>],
    counts: &HashMap<&str, usize>,
    each: &mut impl FnMut(usize, RecordLine),
) {
    /// Records of a list of few.
    const RECORDS: std::ops::RangeInclusive<usize> = 3..=12;
    let opens = |at: usize| at == 0 || page.is_blank(at - 1);
    let mut firsts: HashMap<&str, usize> = HashMap::new();
    let opened = pairs.iter().filter(|(at, _, _)| opens(*at) && page.indent(*at) == 0);
    for (_, key, _) in opened {
        *firsts.entry(key).or_default() += 1;
    }
    let is_record = |key: &str| {
        firsts.get(key).is_some_and(|count| RECORDS.contains(count))
            // The first one may follow a line without a blank between.
            && counts.get(key) <= firsts.get(key).map(|count| count + 1).as_ref()
    };
    for (nth, (at, _, _)) in pairs.iter().filter(|(_, key, _)| is_record(key)).enumerate() {
        each(*at, RecordLine::First { nth });
    }
}

/// Entries of groups of one or two among entries of large ones: `security.csrf.enabled=false`
/// among `shop.…` and `cache.…`.
fn mark_rare_groups(pairs: &[Pair<'_>], each: &mut impl FnMut(usize, RecordLine)) {
    /// Entries of the smallest group that others are rare next to.
    const MIN_GROUP: usize = 5;
    const MAX_RARE: usize = 2;
    let group = |key: &str| key.split_once(['.', '_']).map(|(group, _)| group.len());
    let mut groups: HashMap<&str, usize> = HashMap::new();
    let mut grouped = 0;
    for (_, key, _) in pairs {
        if let Some(group) = group(key).and_then(|length| key.get(..length)) {
            *groups.entry(group).or_default() += 1;
            grouped += 1;
        }
    }
    let large: usize = groups.values().filter(|count| **count >= MIN_GROUP).sum();
    if grouped * 10 < pairs.len() * 7 || large * 10 < grouped * 7 {
        return;
    }
    let is_rare = |key: &str| {
        let own = group(key).and_then(|length| key.get(..length));
        own.and_then(|own| groups.get(own)).is_some_and(|count| *count <= MAX_RARE)
    };
    for (nth, (at, _, _)) in pairs.iter().filter(|(_, key, _)| is_rare(key)).enumerate() {
        each(*at, RecordLine::RareGroup { nth });
    }
}

/// A key and its value: `Serial Number:    ZL2ABCD4`, `STATUS:CONFIRMED`, `port=8443`.
fn pair(body: &str) -> Option<(&str, &str)> {
    let end = body.find([':', '='])?;
    let (key, value) = (body.get(..end)?.trim_ascii_end(), body.get(end + 1..)?.trim_ascii());
    let is_of_key = |letter: char| letter.is_alphanumeric() || " ._-/".contains(letter);
    let is_key = (2..=MAX_KEY_BYTES).contains(&key.len())
        && key.starts_with(|letter: char| letter.is_alphabetic())
        && key.chars().all(is_of_key);
    (is_key && !value.is_empty()).then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str) -> Vec<(usize, RecordLine)> {
        let mut found = Vec::new();
        mark_records(&LinePage::new(text), |at, line| found.push((at, line)));
        found
    }

    #[test]
    fn a_value_that_others_of_its_key_do_not_have_is_rare() {
        let event = |at| {
            let status = if at == 7 { "CANCELLED" } else { "CONFIRMED" };
            format!("BEGIN:VEVENT\nSUMMARY:Review {at}\nSTATUS:{status}\nEND:VEVENT\n")
        };
        let text: String = (0..20).map(event).collect();
        assert_eq!(marked(&text), [(7 * 4 + 2, RecordLine::RareValue)]);
    }

    #[test]
    fn keys_say_what_is_described() {
        let text = "Device Model:  ST14\nSerial Number: ZL2A\nRotation Rate: 7200 rpm\nForm Factor: 3.5 inches\nSector Sizes: 512 bytes\nLocal Time is: Thu\nATA Version is: 4\nDevice is: known\n";
        let found: Vec<usize> = marked(text).into_iter().map(|(at, _)| at).collect();
        assert_eq!(found, [0, 1]);
    }

    #[test]
    fn each_of_several_records_has_a_first_line() {
        let record = |at| format!("Package: p{at}\nSection: libs\nSize: {at}\n\n");
        let text: String = (0..4).map(record).collect();
        let found: Vec<usize> = marked(&text).into_iter().map(|(at, _)| at).collect();
        assert_eq!(found, [0, 4, 8, 12]);
    }

    #[test]
    fn entries_of_small_groups_are_rare_among_large_ones() {
        let entry = |at| format!("cache.a{at}.size=10\n");
        let text = (0..16).map(entry).collect::<String>() + "security.csrf=false\n";
        assert_eq!(marked(&text), [(16, RecordLine::RareGroup { nth: 0 })]);
    }
}
