//! Pieces of any characters: each alternative of the patterns, in their order.

use super::rules::SplitRules;
use crate::tokenizer::characters::CharacterClass;

/// Bytes of the piece that a text begins with.
pub(super) fn first(rules: SplitRules, text: &str) -> usize {
    let mut characters = text.chars();
    let Some(first) = characters.next() else { return 0 };
    let class = CharacterClass::new(first);
    let second = characters.next().map(CharacterClass::new);
    let found = match rules {
        SplitRules::Cl100k => word(text, first, class, second),
        SplitRules::O200k => cased_word(text, first, class),
    };
    if let Some(end) = found {
        return end;
    }
    if class == CharacterClass::Number {
        return text
            .char_indices()
            .take(3)
            .take_while(|(_, character)| CharacterClass::new(*character) == CharacterClass::Number)
            .last()
            .map_or(0, |(at, character)| at + character.len_utf8());
    }
    if is_symbol(class) || first == ' ' && second.is_some_and(is_symbol) {
        let end = first.len_utf8() + run(after(text, first.len_utf8()), is_symbol);
        let joins = |byte: &u8| match rules {
            SplitRules::O200k => matches!(byte, b'\r' | b'\n' | b'/'),
            SplitRules::Cl100k => matches!(byte, b'\r' | b'\n'),
        };
        return end + after(text, end).bytes().take_while(joins).count();
    }
    blanks(text)
}

/// Letters and what is before them, or what is short for a word, of `cl100k_base`.
fn word(
    text: &str,
    first: char,
    class: CharacterClass,
    second: Option<CharacterClass>,
) -> Option<usize> {
    let short = contraction(text);
    if short > 0 {
        return Some(short);
    }
    let begins = class.is_letter() || is_prefix(first, class) && second?.is_letter();
    let begin = first.len_utf8();
    begins.then(|| begin + run(after(text, begin), CharacterClass::is_letter))
}

/// Capitals and then small letters, one of them at least, with what is before them and after them,
/// of `o200k_base`.
fn cased_word(text: &str, first: char, class: CharacterClass) -> Option<usize> {
    let prefix = if is_prefix(first, class) { first.len_utf8() } else { 0 };
    let ended_small = |from: usize| small_end(after(text, from)).map(|end| from + end);
    let capitals = |from: usize| match run(after(text, from), begins_word) {
        0 => None,
        end => Some(from + end),
    };
    // A mark is a letter and can be before one.
    let end = ended_small(prefix)
        .or_else(|| ended_small(0))
        .or_else(|| capitals(prefix))
        .or_else(|| capitals(0))?;
    Some(end + contraction(after(text, end)))
}

/// Any number of letters that can begin a word, and then those that can end one, as many as possible.
fn small_end(text: &str) -> Option<usize> {
    let mut end = None;
    for (at, character) in text.char_indices() {
        let class = CharacterClass::new(character);
        if class == CharacterClass::Lower {
            return Some(at + run(after(text, at), ends_word));
        }
        if !begins_word(class) {
            break;
        }
        if ends_word(class) {
            end = Some(at + character.len_utf8());
        }
    }
    end
}

/// White space: up to the last line break, all at the end of a text, and otherwise without the last one,
/// which belongs to what follows.
fn blanks(text: &str) -> usize {
    let end = run(text, |class| class == CharacterClass::Space);
    let blank = text.get(..end).unwrap_or_default();
    if let Some(last) = blank.bytes().rposition(|byte| matches!(byte, b'\r' | b'\n')) {
        return last + 1;
    }
    match blank.char_indices().next_back() {
        Some((last, _)) if last > 0 && end < text.len() => last,
        _ => end,
    }
}

/// Bytes of the `'s`, `'re` and so on that a text begins with.
fn contraction(text: &str) -> usize {
    let Some(text) = text.strip_prefix('\'') else { return 0 };
    let mut letters = text.chars();
    let (first, second) = (letters.next(), letters.next());
    let folded = |letter: Option<char>| letter.map(|letter| letter.to_ascii_lowercase());
    match (folded(first), folded(second)) {
        (Some('s' | 't' | 'm' | 'd'), _) => 2,
        // The long s is an s to a pattern that ignores case.
        (Some('ſ'), _) => 1 + 'ſ'.len_utf8(),
        (Some('r' | 'v'), Some('e')) | (Some('l'), Some('l')) => 3,
        _ => 0,
    }
}

/// Bytes of the characters that a text begins with, of classes that `holds` says yes to.
#[inline]
fn run(text: &str, holds: impl Fn(CharacterClass) -> bool) -> usize {
    text.char_indices()
        .find(|(_, character)| !holds(CharacterClass::new(*character)))
        .map_or(text.len(), |(at, _)| at)
}

fn after(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// What can be before a word, as a part of its piece.
fn is_prefix(character: char, class: CharacterClass) -> bool {
    !matches!(character, '\r' | '\n') && !class.is_letter() && class != CharacterClass::Number
}

fn is_symbol(class: CharacterClass) -> bool {
    matches!(class, CharacterClass::Mark | CharacterClass::Other)
}

fn begins_word(class: CharacterClass) -> bool {
    matches!(class, CharacterClass::Upper | CharacterClass::Caseless | CharacterClass::Mark)
}

fn ends_word(class: CharacterClass) -> bool {
    matches!(class, CharacterClass::Lower | CharacterClass::Caseless | CharacterClass::Mark)
}
