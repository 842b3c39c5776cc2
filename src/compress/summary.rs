//! Rung 4, built in: a summary made of the conversation's own lines.
//!
//! A pure function of the messages it covers. It quotes and never paraphrases: what was asked,
//! what was said, which tools were called, which errors came back. The first request is always
//! quoted; of the rest the newest first, until the section's share of the room is used, then put
//! back in order. What room is left goes to the lines that show most of what nothing quoted shows:
//! paths, numbers, names.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::atom::{atoms, is_boundary};
use super::digest::pieces_of;
use super::extract::{Unit, select_beside};
use super::notation::reports_error;
use crate::domain::{Content, Message, Part, Role, TokenizerName};
use crate::tokenizer::Counter;

/// A summary of covered messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Lines by section, without any wrapper.
    pub text: Arc<str>,
}

/// One section: its heading, and hundredths of the room it may use.
struct Section {
    heading: &'static str,
    share: u64,
    /// Characters of one line.
    width: usize,
    /// Characters of the very first line, where that one is never left out for newer ones.
    first: Option<usize>,
    pick: fn(&Message, usize, &mut Vec<String>),
}

const SECTIONS: &[Section] = &[
    Section { heading: "Asked:", share: 30, width: 400, first: Some(2_000), pick: asked },
    Section { heading: "Said:", share: 20, width: 240, first: None, pick: said },
    Section { heading: "Tools called:", share: 10, width: 160, first: None, pick: called },
];
/// Hundredths of the room for errors, and for lines that show what nothing else does.
const ERRORS: u64 = 20;
const REST: u64 = 20;

/// Summarises messages in at most `room` tokens; headings are left out of sections that have
/// no room. `stub_over`: tool results of more characters are not searched. `told`: whether a fact
/// stands in what is not covered.
pub fn summarize(
    counter: &Counter,
    name: TokenizerName,
    covered: &[&Message],
    (room, stub_over): (u64, Option<usize>),
    told: &dyn Fn(u64) -> bool,
) -> Summary {
    let page = |left| Page { counter, name, left, lines: vec![] };
    let searched = || {
        let is_searched =
            |message: &Message| stub_over.is_none_or(|most| !is_long_result(message, most));
        covered.iter().enumerate().filter(move |(_, message)| is_searched(message))
    };
    let mut text = String::new();
    let mut spare = 0;
    for section in SECTIONS {
        let mut page = page(room * section.share / 100 + spare);
        page.quote(section, covered, stub_over);
        spare = page.left;
        page.write(&mut text);
    }
    let mut lines = Vec::new();
    for (at, message) in searched().filter(|(_, message)| message.role == Role::Tool) {
        let own = texts(message).flat_map(str::lines).map(str::trim);
        lines.extend(own.filter(|line| reports_error(line)).map(|line| (at, line)));
    }
    let mut errors = page((room * ERRORS / 100).saturating_add(spare));
    errors.quote_most("Errors seen:", lines, (ERROR, &|_| false, ""));
    spare = errors.left;
    errors.write(&mut text);
    let known: BTreeSet<&str> =
        text.lines().map(|line| line.strip_prefix("- ").unwrap_or(line)).collect();
    let mut lines = Vec::new();
    for (at, message) in searched() {
        for line in texts(message).flat_map(str::lines).flat_map(pieces_of).map(str::trim) {
            let is_gap = line.starts_with(['…', '[']) && line.contains('…');
            if line.len() >= SHORT && !is_gap && !known.contains(line) {
                lines.push((at, line));
            }
        }
    }
    let mut rest = page((room * REST / 100).saturating_add(spare));
    rest.quote_most("Also there:", lines, (0, told, &text));
    rest.write(&mut text);
    Summary { text: text.trim_end().into() }
}

/// What a line that reports an error is worth beside its facts.
const ERROR: u32 = 3;
/// Bytes of a line that is worth quoting for what it shows.
const SHORT: usize = 8;

/// One section while it is filled.
struct Page<'c> {
    counter: &'c Counter,
    name: TokenizerName,
    /// Tokens that are left.
    left: u64,
    /// Lines with the place of their message.
    lines: Vec<(usize, String)>,
}

impl Page<'_> {
    fn quote(&mut self, section: &Section, covered: &[&Message], stub_over: Option<usize>) {
        let Some(left) = self.left.checked_sub(self.counter.count(self.name, section.heading) + 1)
        else {
            return;
        };
        let whole = std::mem::replace(&mut self.left, left);
        let mut picked = Vec::new();
        let says = |message: &Message, width, picked: &mut Vec<String>| {
            (section.pick)(message, width, picked);
            picked.drain(..).next()
        };
        let first = section.first.and_then(|width| {
            let said = |message: &&Message| says(message, 1, &mut picked).is_some();
            let at = covered.iter().position(said)?;
            let alone =
                !covered.iter().skip(at + 1).any(|message| says(message, 1, &mut picked).is_some());
            // What everything began with may take half of the section, about three characters
            // to a token; the newest share the rest.
            let room = if alone { left } else { left / 2 };
            let width = width.min(usize::try_from(room * 3).unwrap_or(width));
            Some((at, says(covered.get(at)?, width, &mut picked)?))
        });
        let began = first.as_ref().map(|(at, _)| *at);
        if let Some((at, line)) = first {
            self.take(at, line);
        }
        'newest: for (at, message) in covered.iter().enumerate().rev() {
            let stubbed = stub_over.is_some_and(|most| is_long_result(message, most));
            if stubbed || Some(at) == began {
                continue;
            }
            (section.pick)(message, section.width, &mut picked);
            for line in picked.drain(..).rev() {
                if self.lines.last().is_some_and(|(_, last)| *last == line) {
                    continue;
                }
                if !self.take(at, line) {
                    break 'newest;
                }
            }
        }
        if self.lines.is_empty() {
            self.left = whole;
        } else {
            self.lines.push((usize::MAX, section.heading.to_owned()));
        }
    }

    /// Quotes of lines with the places of their messages those that show most of what is neither
    /// `told` nor said in a text; a line is worth `weight` beside its facts.
    fn quote_most(
        &mut self,
        heading: &str,
        mut lines: Vec<(usize, &str)>,
        (weight, told, said): (u32, &dyn Fn(u64) -> bool, &str),
    ) {
        /// Characters of a line.
        const WIDTH: usize = 400;
        let Some(left) = self.left.checked_sub(self.counter.count(self.name, heading) + 1) else {
            return;
        };
        let whole = std::mem::replace(&mut self.left, left);
        let mut known = BTreeSet::new();
        lines.retain(|(_, line)| known.insert(*line));
        // At most about four bytes to a token; where that is too many, fewer.
        let mut bytes = usize::try_from(left).unwrap_or(usize::MAX).saturating_mul(4);
        for _ in 0..5 {
            let said = Unit { text: said, weight: 0, must: true };
            let units = lines.iter().map(|(_, text)| Unit { text, weight, must: false });
            let units: Vec<Unit<'_>> = std::iter::once(said).chain(units).collect();
            let kept = select_beside(&units, said.text.len() + bytes, told);
            let kept = lines.iter().zip(kept.iter().skip(1)).filter(|(_, kept)| **kept);
            self.left = left;
            if kept.clone().all(|((at, line), _)| self.take(*at, one_line(line, WIDTH))) {
                break;
            }
            self.lines.clear();
            self.left = whole;
            bytes = bytes * 3 / 4;
        }
        if self.lines.is_empty() {
            self.left = whole;
        } else {
            // They are put back into the order of the conversation from its end.
            self.lines.reverse();
            self.lines.push((usize::MAX, heading.to_owned()));
        }
    }

    /// Takes a line where it has room: its own tokens, its dash and its line end.
    fn take(&mut self, at: usize, line: String) -> bool {
        let cost = self.counter.count(self.name, &line) + 2;
        let Some(left) = self.left.checked_sub(cost) else { return false };
        self.left = left;
        self.lines.push((at, line));
        true
    }

    /// The heading, then the lines in the order of the conversation.
    fn write(mut self, text: &mut String) {
        let Some((_, heading)) = self.lines.pop() else { return };
        text.push_str(&heading);
        // Lines of one message were taken from its end.
        self.lines.reverse();
        self.lines.sort_by_key(|(at, _)| *at);
        for (_, line) in &self.lines {
            text.push_str("\n- ");
            text.push_str(line);
        }
        text.push('\n');
    }
}

fn asked(message: &Message, width: usize, lines: &mut Vec<String>) {
    if message.role == Role::User {
        texts(message).for_each(|text| lines.extend(opening(text, width)));
    }
}

fn said(message: &Message, width: usize, lines: &mut Vec<String>) {
    if message.role == Role::Assistant {
        texts(message).for_each(|text| lines.extend(opening(text, width)));
    }
}

fn called(message: &Message, width: usize, lines: &mut Vec<String>) {
    for call in message.tool_calls() {
        let arguments = one_line(&call.arguments, width);
        lines.push(format!("{}({arguments})", call.name));
    }
}

/// All texts of a message, those inside tool results too.
fn texts(message: &Message) -> impl Iterator<Item = &str> {
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

fn is_long_result(message: &Message, most: usize) -> bool {
    message.role == Role::Tool
        && texts(message).any(|text| text.len() > most && text.chars().count() > most)
}

/// The first words of a text, on one line, ending at a sentence where there is one.
fn opening(text: &str, width: usize) -> Option<String> {
    let line = one_line(text, width);
    (!line.is_empty()).then_some(line)
}

/// A text on one line of at most `width` characters; a cut is shown by `…`, falls between words
/// where there are any, and never inside an atom: an address or a digest is whole or absent.
pub(super) fn one_line(text: &str, width: usize) -> String {
    /// Characters behind the cut that are looked at, so that an atom is seen to reach over it.
    const BEHIND: usize = 256;
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            used += 1;
        }
        line.extend(word.chars().take(width + BEHIND));
        used += word.chars().take(width + BEHIND).count();
        if used > width + BEHIND {
            break;
        }
    }
    if used <= width {
        return line;
    }
    let most = line.char_indices().nth(width).map_or(line.len(), |(at, _)| at);
    let atoms = atoms(&line);
    let head = line.as_bytes().get(..=most).unwrap_or(line.as_bytes());
    let spaces = memchr::memrchr_iter(b' ', head);
    let cut = spaces.into_iter().find(|at| is_boundary(&atoms, *at));
    line.truncate(match cut {
        Some(at) => at,
        None if is_boundary(&atoms, most) => most,
        None => 0,
    });
    line.push('…');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ToolCall, ToolResult};
    use proptest::prelude::*;

    fn conversation() -> Vec<Message> {
        let call = ToolCall {
            id: "c".into(),
            name: "run".into(),
            arguments: r#"{"command": "cargo test"}"#.into(),
            custom: false,
        };
        let result = ToolResult {
            call_id: "c".into(),
            name: None,
            content: vec![Part::text("ok\nerror[E0308]: mismatched types\n")],
            is_error: None,
        };
        vec![
            Message::text(Role::User, "Please mend the build of src/main.rs."),
            Message::new(Role::Assistant, vec![Part::new(Content::ToolCall(call))]),
            Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]),
            Message::text(Role::Assistant, "It fails with a type error."),
        ]
    }

    #[test]
    fn a_summary_quotes_what_matters() {
        let messages = conversation();
        let covered: Vec<&Message> = messages.iter().collect();
        let counter = Counter::new();
        let summary =
            summarize(&counter, TokenizerName::O200kBase, &covered, (400, None), &|_| false);
        assert_eq!(
            &*summary.text,
            "Asked:\n- Please mend the build of src/main.rs.\nSaid:\n- It fails with a type error.\n\
             Tools called:\n- run({\"command\": \"cargo test\"})\nErrors seen:\n- error[E0308]: mismatched types"
        );
    }

    #[test]
    fn the_first_request_outlives_the_newer_ones() {
        let mut messages = vec![Message::text(Role::User, "Port the parser to Rust. ".repeat(30))];
        messages.extend(
            (0..50).map(|n| Message::text(Role::User, format!("And then step {n}, please."))),
        );
        let covered: Vec<&Message> = messages.iter().collect();
        let counter = Counter::new();
        let summary =
            summarize(&counter, TokenizerName::O200kBase, &covered, (200, None), &|_| false);
        assert!(summary.text.starts_with("Asked:\n- Port the parser to Rust."), "{}", summary.text);
        assert!(summary.text.ends_with("step 49, please."), "{}", summary.text);
    }

    #[test]
    fn a_cut_falls_between_words_and_never_inside_an_atom() {
        assert_eq!(one_line("three plain\n words", 14), "three plain…");
        assert_eq!(one_line("see https://example.com/a/b?c=d for more", 12), "see…");
        assert_eq!(one_line("9f2c41d07be8a3556c1d90aa", 10), "…");
        assert_eq!(one_line("he said \"no more of that\" and left", 20), "he said…");
        assert_eq!(one_line("abc éa bcd", 4), "abc…");
        assert_eq!(one_line("ぜんぶひとつのことばです", 4), "ぜんぶひ…");
    }

    proptest! {
        #[test]
        fn a_summary_keeps_its_room(room in 0u64..300, times in 0usize..20) {
            let one = conversation();
            let covered: Vec<&Message> = one.iter().cycle().take(times).collect();
            let counter = Counter::new();
            let summary = summarize(&counter, TokenizerName::O200kBase, &covered, (room, None), &|_| false);
            prop_assert!(counter.count(TokenizerName::O200kBase, &summary.text) <= room);
        }
    }
}
