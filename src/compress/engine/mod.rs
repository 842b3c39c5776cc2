//! The engine: rung 1 over the texts of a list, in order.
//!
//! Every text has a short form of its own ([`solo`]), which depends on nothing else; then lines
//! that stand in an earlier text give way to references ([`backlog`]). Decoding goes the other
//! way round and needs the list alone.

mod backlog;
mod lines;
mod mark;
mod solo;

use std::fmt;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::domain::TokenizerName;
use crate::json::{self, Limits};
use crate::tokenizer::{Counter, Digest};

use backlog::{Backlog, Shown};
use lines::Lines;
use mark::{LITERAL, Place};

/// Bytes of short forms that are remembered.
const REMEMBERED_BYTES: u64 = 64 << 20;
/// Texts, changed or not, that are remembered.
const REMEMBERED: usize = 1 << 14;
/// Bytes from which an argument of a call is worth pointing at.
const ARGUMENT: usize = 40;
/// Bytes that decoding may make of a list, beside sixteen times its own.
const MOST_DECODED: usize = 64 << 20;

/// Which edits of rung 1 may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lossless {
    /// Only those that decode from the shown text.
    Exact,
    /// Those that leave something out that says nothing, too.
    Equivalent,
}

/// How much of a text can be got back from what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Decoding the shown list gives the original bytes.
    Exact,
    /// It gives bytes that are equal after a documented normalisation.
    Equivalent,
}

/// A text as it is shown.
#[derive(Debug, Clone)]
pub struct Form {
    /// None where the text stands as it is.
    pub text: Option<Arc<str>>,
    pub class: Class,
    /// What was done, in order: `clean`, the notations' names, `reference`, `escape`.
    pub rules: Vec<&'static str>,
    pub tokens_before: u64,
    pub tokens_after: u64,
    /// What it would take without its references, which other texts decide about.
    pub tokens_alone: u64,
}

/// Short forms that were found before. They save work and change nothing. Share one a process.
pub struct Engine {
    forms: Cache<(TokenizerName, Lossless, Digest), Arc<Known>, Bytes>,
}

/// A short form and its lines.
#[derive(Debug)]
struct Known {
    form: Form,
    lines: Arc<Lines>,
}

#[derive(Debug, Clone)]
struct Bytes;

impl Weighter<(TokenizerName, Lossless, Digest), Arc<Known>> for Bytes {
    fn weight(&self, _: &(TokenizerName, Lossless, Digest), known: &Arc<Known>) -> u64 {
        let form = known.form.text.as_ref().map_or(0, |form| form.len());
        160 + (form + known.lines.weight()) as u64
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("remembered", &self.forms.len()).finish()
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    pub fn new() -> Self {
        Self { forms: Cache::with_weighter(REMEMBERED, REMEMBERED_BYTES, Bytes) }
    }

    fn known(
        &self,
        counter: &Counter,
        name: TokenizerName,
        allow: Lossless,
        text: &str,
    ) -> Arc<Known> {
        let key = (name, allow, Digest::of(text));
        if let Some(known) = self.forms.get(&key) {
            return known;
        }
        let form = form(counter, name, allow, text);
        let lines = Arc::new(Lines::of(form.text.as_deref().unwrap_or(text)));
        let known = Arc::new(Known { form, lines });
        self.forms.insert(key, Arc::clone(&known));
        known
    }
}

/// The short form of a text by itself.
fn form(counter: &Counter, name: TokenizerName, allow: Lossless, text: &str) -> Form {
    if mark::has_marks(text) {
        let tokens_before = counter.count(name, text);
        let escaped = LITERAL.map(|mark| format!("{mark}{text}"));
        let escaped = escaped.map(|text| (counter.count(name, &text), text));
        let (tokens_after, escaped) =
            escaped.into_iter().min_by_key(|(tokens, _)| *tokens).unwrap_or_default();
        return Form {
            text: Some(escaped.into()),
            class: Class::Exact,
            rules: vec!["escape"],
            tokens_before,
            tokens_after,
            tokens_alone: tokens_after,
        };
    }
    let solo = solo::solo(counter, name, text, allow == Lossless::Exact);
    let clean = solo.equivalent.then_some("clean");
    Form {
        text: solo.form.map(Arc::from),
        class: if solo.equivalent { Class::Equivalent } else { Class::Exact },
        rules: clean.into_iter().chain(solo.notations).collect(),
        tokens_before: solo.tokens_before,
        tokens_after: solo.tokens_after,
        tokens_alone: solo.tokens_after,
    }
}

/// Whether a result may take another form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    Free,
    /// It stands as it came, but for the mark that tells a look-alike.
    Fixed,
    /// It is a form of ours already: its marks are meant.
    Ours,
}

/// Gives the tool results of a list their short forms, from the first to the last.
#[derive(Debug)]
pub struct Encoder<'e> {
    engine: &'e Engine,
    counter: &'e Counter,
    name: TokenizerName,
    allow: Lossless,
    backlog: Backlog,
    results: usize,
    calls: usize,
}

impl<'e> Encoder<'e> {
    pub fn new(
        engine: &'e Engine,
        counter: &'e Counter,
        name: TokenizerName,
        allow: Lossless,
    ) -> Self {
        let backlog = Backlog::default();
        Self { engine, counter, name, allow, backlog, results: 0, calls: 0 }
    }

    /// The next tool call of the list: the text of its arguments.
    pub fn call(&mut self, arguments: &str) {
        self.calls += 1;
        for (place, text) in arguments_of(self.calls, arguments) {
            let lines = Arc::new(Lines::of(&text));
            self.backlog.add(place, text, lines);
        }
    }

    /// The next tool result of the list, by its texts: their forms, one each. What is held can
    /// be pointed at all the same.
    pub fn result(&mut self, texts: &[Arc<str>], hold: Hold) -> Vec<Form> {
        let fixed = hold != Hold::Free;
        self.results += 1;
        let mut forms = Vec::with_capacity(texts.len());
        for text in texts {
            let known = self.engine.known(self.counter, self.name, self.allow, text);
            let mut form = known.form.clone();
            let escaped = form.rules == ["escape"] && hold != Hold::Ours;
            if fixed && !escaped {
                form.text = None;
                form.rules.clear();
                form.class = Class::Exact;
                form.tokens_after = form.tokens_before;
                form.tokens_alone = form.tokens_before;
            }
            let mut lines = Arc::clone(&known.lines);
            if fixed && form.text.is_none() && known.form.text.is_some() {
                lines = Arc::new(Lines::of(text));
            }
            let shown = form.text.clone().unwrap_or_else(|| Arc::clone(text));
            if !escaped
                && !fixed
                && let Some(referring) = self.refer(&shown, &lines, form.tokens_after)
            {
                let tokens = self.counter.count(self.name, &referring);
                if tokens < form.tokens_after {
                    form.tokens_after = tokens;
                    form.rules.push("reference");
                    lines = Arc::new(Lines::of(&referring));
                    form.text = Some(referring.into());
                }
            }
            // A reference names a result by its number alone, so it must hold one text.
            if texts.len() == 1 {
                let shown = form.text.clone().unwrap_or_else(|| Arc::clone(text));
                self.backlog.add(Place::Result(self.results), shown, lines);
            }
            forms.push(form);
        }
        forms
    }

    fn refer(&self, shown: &str, lines: &Lines, tokens: u64) -> Option<String> {
        if tokens < 12 {
            return None;
        }
        let mut pays = |span: &str, reference: &str| {
            // Every word is a token at least, so most spans need not be counted.
            words(span, 24)
                || self.counter.count(self.name, span)
                    > self.counter.count(self.name, reference) + 2
        };
        self.backlog.refer(shown, lines, &mut pays)
    }
}

/// Whether a text has at least so many words of letters.
fn words(text: &str, least: usize) -> bool {
    let mut found = 0;
    let mut inside = false;
    for byte in text.bytes() {
        let letter = byte.is_ascii_alphabetic();
        // What follows an apostrophe may belong to the word before.
        if letter && !inside {
            found += 1;
            if found >= least {
                return true;
            }
        }
        inside = letter || byte == b'\'';
    }
    false
}

/// The texts in a call's arguments that a reference can name.
fn arguments_of(nth: usize, arguments: &str) -> Vec<(Place, Arc<str>)> {
    if arguments.len() < ARGUMENT {
        return Vec::new();
    }
    let Ok(node) = json::parse(arguments, Limits::default()) else {
        return vec![(Place::Call(nth, None), arguments.into())];
    };
    let members = node.as_object().into_iter().flatten();
    let texts = members.filter_map(|(key, value)| match &value.value {
        json::Value::String(text) if text.len() >= ARGUMENT && mark::is_key(key) => {
            Some((Place::Call(nth, Some(key.to_string())), text.to_shared()))
        }
        _ => None,
    });
    texts.collect()
}

/// Gives the tool results of a list their texts back, from the first to the last.
#[derive(Debug)]
pub struct Decoder {
    shown: Shown,
    results: usize,
    calls: usize,
    /// Bytes that may still be made.
    left: usize,
}

/// What a shown text decodes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decoded {
    /// It holds no mark of ours.
    Same,
    Text(String),
    /// It holds marks that cannot be followed; it stays as it is.
    Missing,
}

impl Decoder {
    /// A decoder of a list that takes so many bytes.
    pub fn new(bytes: usize) -> Self {
        let left = MOST_DECODED.saturating_add(bytes.saturating_mul(16));
        Self { shown: Shown::default(), results: 0, calls: 0, left }
    }

    /// The next tool call of the list: the text of its arguments.
    pub fn call(&mut self, arguments: &str) {
        self.calls += 1;
        for (place, text) in arguments_of(self.calls, arguments) {
            self.shown.add(place, text);
        }
    }

    /// The next tool result of the list, by its texts.
    pub fn result(&mut self, texts: &[Arc<str>]) -> Vec<Decoded> {
        self.results += 1;
        let decoded = texts.iter().map(|text| self.text(text)).collect();
        if let [text] = texts {
            self.shown.add(Place::Result(self.results), Arc::clone(text));
        }
        decoded
    }

    fn text(&mut self, text: &str) -> Decoded {
        if let Some(literal) = LITERAL.iter().find_map(|mark| text.strip_prefix(mark)) {
            return Decoded::Text(literal.to_owned());
        }
        if !mark::has_marks(text) {
            return Decoded::Same;
        }
        let resolved = self.shown.resolve(text, self.left);
        match resolved.and_then(|text| solo::decoded(&text, self.left)) {
            Some(text) => {
                self.left = self.left.saturating_sub(text.len());
                Decoded::Text(text)
            }
            None => Decoded::Missing,
        }
    }
}

#[cfg(test)]
mod tests;
