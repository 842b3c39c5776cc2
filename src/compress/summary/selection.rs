//! Selects the parts of a message that are quoted, by section.

use std::ops::Range;

use super::line::one_line;
use super::statement::is_code;
use crate::compress::extract::{sentences, weigh};
use crate::domain::{Content, Message, Part, Role};

/// Words that say what is still to be done.
const NEXT_STEP_WORDS: [&str; 15] = [
    "next",
    "todo",
    "to do",
    "remaining",
    "remains to",
    "left to do",
    "still need",
    "still have to",
    "going to",
    "i'll ",
    "i will",
    "let me",
    "let's",
    "then i",
    "- [ ]",
];
/// Words of rules that bind the next steps.
const BINDING_WORDS: [&str; 14] = [
    "must",
    "never",
    "always",
    "do not",
    "don't",
    "only use",
    "only the",
    "make sure",
    "remember",
    "keep in mind",
    "important",
    "prefer",
    "should",
    "required",
];
/// Bytes of a text that are looked through for sentences, at its beginning and at its end.
const MAX_SEARCH_BYTES: usize = 16 << 10;

pub(super) fn pick_request(message: &Message, width: usize, lines: &mut Vec<String>) {
    if message.role == Role::User {
        all_texts(message).for_each(|text| lines.extend(opening(text, width)));
    }
}

/// What a model found: the beginning of its reply without headings, and without the steps that it
/// only announces.
pub(super) fn pick_reply(message: &Message, width: usize, lines: &mut Vec<String>) {
    if message.role == Role::Assistant {
        all_texts(message).for_each(|text| lines.extend(opening(&findings(text, width), width)));
    }
}

/// The first sentences of a reply that say what was found: as many as `width` characters hold, one
/// at least.
fn findings(text: &str, width: usize) -> String {
    /// What models say before a step, or for courtesy.
    const ANNOUNCEMENTS: [&str; 13] = [
        "i can help",
        "i can assist",
        "here's the change",
        "please confirm",
        "please provide",
        "let me",
        "let's",
        "i'll ",
        "i will ",
        "i'm going to",
        "i am going to",
        "now i",
        "next, i",
    ];
    const MIN_WORDS: usize = 3;
    let mut said = String::new();
    let head = text.get(..text.floor_char_boundary(MAX_SEARCH_BYTES)).unwrap_or(text);
    let head = without_code(head);
    let mut found: Vec<Range<usize>> = Vec::new();
    sentences(&head, 0..head.len(), &mut found);
    for sentence in found.into_iter().filter_map(|range| head.get(range)).map(str::trim) {
        let low = sentence.to_lowercase();
        let is_unspaced = |letter: char| letter >= '\u{2e80}';
        let is_short = sentence.split_whitespace().nth(MIN_WORDS - 1).is_none()
            && !sentence.contains(is_unspaced);
        // What was asked has been answered.
        let is_open = sentence.ends_with(['?', '？']);
        let is_filler = weigh(sentence, false).worth == 0;
        if is_short || is_open || is_filler || ANNOUNCEMENTS.iter().any(|words| low.contains(words))
        {
            continue;
        }
        // Half a sentence is no finding.
        if !said.is_empty() && said.len() + sentence.len() >= width {
            break;
        }
        if !said.is_empty() {
            said.push(' ');
        }
        said.push_str(sentence);
    }
    said
}

/// The lines of a text without those of code between fences, what announces it, and headings.
fn without_code(text: &str) -> String {
    let mut is_code = false;
    let mut kept = Vec::new();
    for line in text.lines() {
        let body = line.trim();
        if body.starts_with("```") || body.starts_with("~~~") {
            is_code = !is_code;
            if is_code && kept.last().is_some_and(|line: &&str| line.trim_end().ends_with(':')) {
                kept.pop();
            }
        } else if !is_code && !is_heading(body) {
            kept.push(line);
        }
    }
    kept.join("\n")
}

pub(super) fn pick_calls(message: &Message, width: usize, lines: &mut Vec<String>) {
    for call in message.tool_calls() {
        let arguments = one_line(&call.arguments, width);
        lines.push(format!("{}({arguments})", call.name));
    }
}

/// Lines in which a model says what it will do. That it does so is no news: only what is after the
/// words at the start of a message, which are quoted as its reply.
pub(super) fn next(message: &Message, width: usize, lines: &mut Vec<String>) {
    if message.role == Role::Assistant {
        all_texts(message).for_each(|text| with_words(text, &NEXT_STEP_WORDS, width, lines));
    }
}

/// Lines that a user wants to be held to.
pub(super) fn to_keep(message: &Message, width: usize, lines: &mut Vec<String>) {
    if message.role == Role::User {
        all_texts(message).for_each(|text| with_words(text, &BINDING_WORDS, width, lines));
    }
}

/// The sentences of a text with one of the words.
fn with_words(text: &str, words: &[&str], width: usize, lines: &mut Vec<String>) {
    for part in search_parts(text) {
        let mut found: Vec<Range<usize>> = Vec::new();
        sentences(part, 0..part.len(), &mut found);
        for sentence in found.into_iter().filter_map(|range| part.get(range)) {
            let sentence = sentence.split("```").next().unwrap_or_default();
            let low = sentence.to_lowercase();
            if words.iter().any(|word| low.contains(word)) && !is_code(sentence) {
                lines.extend(opening(sentence, width));
            }
        }
    }
}

/// A text, or both ends of a long one.
fn search_parts(text: &str) -> impl Iterator<Item = &str> {
    let (head, tail) = if text.len() <= 2 * MAX_SEARCH_BYTES {
        (text, "")
    } else {
        let head = text.floor_char_boundary(MAX_SEARCH_BYTES);
        let tail = text.ceil_char_boundary(text.len() - MAX_SEARCH_BYTES);
        (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default())
    };
    [head, tail].into_iter().filter(|part| !part.trim().is_empty())
}

/// All texts of a message, those inside tool results too.
pub(super) fn all_texts(message: &Message) -> impl Iterator<Item = &str> {
    message
        .parts
        .iter()
        .flat_map(|part| match &part.content {
            Content::ToolResult(result) => result.content.as_slice(),
            _ => std::slice::from_ref(part),
        })
        .filter_map(Part::as_text)
        .map(AsRef::as_ref)
}

pub(super) fn is_long_result(message: &Message, most: usize) -> bool {
    message.role == Role::Tool
        && all_texts(message).any(|text| text.len() > most && text.chars().count() > most)
}

/// Whether a line is a heading of Markdown, or in bold as a whole.
fn is_heading(line: &str) -> bool {
    let inner = line.strip_prefix("**").and_then(|rest| rest.strip_suffix("**"));
    line.starts_with('#')
        || inner.is_some_and(|inner| !inner.contains("**") && !inner.ends_with('.'))
}

/// A line without the mark of a list before it: lines of a summary have one of their own. The box of
/// a task stays.
pub(super) fn without_list_mark(line: &str) -> &str {
    let rest = ["- ", "* ", "• "].iter().find_map(|mark| line.trim_start().strip_prefix(mark));
    rest.filter(|rest| !rest.starts_with('[')).unwrap_or(line)
}

/// The first words of a text, on one line; none of a text without words.
fn opening(text: &str, width: usize) -> Option<String> {
    let line = one_line(without_list_mark(text), width);
    line.contains(char::is_alphanumeric).then_some(line)
}
