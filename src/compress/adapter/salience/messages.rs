//! What people wrote: messages of a chat, and paragraphs with labels (`Decision: …`).

use foldhash::{HashMap, HashMapExt as _};

use super::super::page::LinePage;

/// Calls `each` with the messages of a chat that tell facts, and how many precede each.
///
/// Each line has its time and who wrote it, so these set no message apart.
pub(super) fn mark_messages(page: &LinePage<'_>, mut each: impl FnMut(usize, usize)) -> bool {
    const MIN_MESSAGES: usize = 12;
    const MAX_WRITERS: usize = 24;
    let solid = page.solid();
    let mut writers: HashMap<&str, usize> = HashMap::new();
    let mut messages: Vec<(usize, &str)> = Vec::new();
    for (nth, at) in solid.iter().enumerate() {
        if nth >= MIN_MESSAGES * 2 && messages.len() * 2 < nth {
            return false;
        }
        if let Some((writer, words)) = message(page.body(*at)) {
            *writers.entry(writer).or_default() += 1;
            messages.push((*at, words));
        }
    }
    let is_chat = messages.len() >= MIN_MESSAGES
        && messages.len() * 10 >= solid.len() * 8
        && (2..=MAX_WRITERS).contains(&writers.len());
    let told: Vec<usize> =
        messages.iter().filter(|(_, words)| tells_fact(words)).map(|(at, _)| *at).collect();
    // Of a log, every line has numbers.
    if !is_chat || told.len() * 2 > messages.len() {
        return false;
    }
    told.into_iter().enumerate().for_each(|(nth, at)| each(at, nth));
    true
}

/// Who wrote a message, and what: `[09:41] ann: hello`, `09:41 <ann> hello`.
fn message(body: &str) -> Option<(&str, &str)> {
    /// Words before the name: a date and a time.
    const MAX_TIME_WORDS: usize = 3;
    let mut rest = body;
    let mut has_time = false;
    for _ in 0..MAX_TIME_WORDS {
        let (word, after) = rest.split_once(' ')?;
        let is_time = word.contains(':') && word.bytes().filter(u8::is_ascii_digit).count() >= 3;
        let is_date = word.contains(['-', '/', '.']) && word.bytes().any(|b| b.is_ascii_digit());
        if !is_time && !is_date && word != "-" {
            break;
        }
        has_time |= is_time;
        rest = after;
    }
    let (writer, words) = rest.split_once(": ").or_else(|| rest.split_once("> "))?;
    let is_name = !writer.is_empty() && writer.split(' ').count() <= 2;
    (has_time && is_name).then_some((writer, words))
}

/// Whether a message has a number, or the name of something.
fn tells_fact(words: &str) -> bool {
    const MIN_WORDS: usize = 3;
    let is_fact = |word: &str| {
        word.bytes().any(|byte| byte.is_ascii_digit())
            || word.trim_matches(|letter: char| !letter.is_alphanumeric()).contains(['_', '/'])
    };
    let mut count = 0;
    words.split(' ').fold(false, |found, word| {
        count += 1;
        found || is_fact(word)
    }) && count >= MIN_WORDS
}

/// Calls `each` with the labelled lines of paragraphs, and with the headings that number them.
pub(super) fn mark_labels(page: &LinePage<'_>, mut each: impl FnMut(usize, usize)) {
    /// Lines that are labelled so at the least.
    const MIN_LABELLED: usize = 2;
    let solid = page.solid();
    let is_prose = |at: &&usize| {
        let body = page.body(**at);
        body.split(' ').count() >= 7
            && body.bytes().filter(u8::is_ascii_lowercase).count() * 3 > body.len() * 2
    };
    if solid.iter().filter(is_prose).count() * 2 < solid.len() {
        return;
    }
    let mut labels: HashMap<&str, usize> = HashMap::new();
    for label in solid.iter().filter_map(|at| label(page.body(*at))) {
        *labels.entry(label).or_default() += 1;
    }
    let is_labelled = |at: usize| {
        let count = label(page.body(at)).and_then(|label| labels.get(label));
        count.is_some_and(|count| *count >= MIN_LABELLED)
    };
    let labelled: Vec<usize> = solid.iter().copied().filter(|at| is_labelled(*at)).collect();
    if labelled.len() * 4 <= solid.len() {
        labelled.into_iter().enumerate().for_each(|(nth, at)| each(at, nth));
    }
}

/// The word that a line is labelled with: `Decision: …`.
fn label(body: &str) -> Option<&str> {
    const BYTES: std::ops::RangeInclusive<usize> = 3..=14;
    let (label, rest) = body.split_once(": ")?;
    let is_word = label.bytes().all(|byte| byte.is_ascii_alphabetic())
        && label.starts_with(|letter: char| letter.is_ascii_uppercase());
    (is_word && BYTES.contains(&label.len()) && rest.contains(' ')).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_with_facts_are_found() {
        let pair = |at| format!("[09:4{at}] ann: looking at the graphs\n[09:4{at}] bob: ok\n");
        let mut text: String = (0..7).map(pair).collect();
        text += "[09:50] ann: the rate fell to 41 %\n09:51 <bob> it is cache_v2, turning it off\n";
        let mut found = Vec::new();
        assert!(mark_messages(&LinePage::new(&text), |at, _| found.push(at)));
        assert_eq!(found, [14, 15]);
        let entry = |at| format!("09:41:00 worker: took job {at}\n");
        let log: String = (0..20).map(entry).collect();
        assert!(!mark_messages(&LinePage::new(&log), |at, _| panic!("{at}")));
    }

    #[test]
    fn labels_of_paragraphs_are_found() {
        let words = "The state of the migration was described at great length by everyone.\n";
        let text = words.repeat(3)
            + "Decision: It is paused until January.\n"
            + &words.repeat(4)
            + "Decision: Nodes are turned off.\n"
            + words;
        let mut found = Vec::new();
        mark_labels(&LinePage::new(&text), |at, _| found.push(at));
        assert_eq!(found, [3, 8]);
    }
}
