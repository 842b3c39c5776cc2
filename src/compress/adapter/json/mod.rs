//! JSON and JSON Lines: long strings are shortened, long arrays lose items.
//!
//! The output is JSON again: strings are re-encoded as they were written, numbers and keys keep
//! their bytes, and in the place of items that went is one string that counts them. Items that show
//! a key path first, report an error, hold a number far from the others or facts that no other item
//! shows stay.

mod paths;

use std::ops::Range;

use super::elision::{self, MAX_WHOLE_ITEMS};
use super::{AdapterAttempt, Cut, FormatAdapter, InnerTexts, KeepRatio, Part};
use crate::compress::segment::Kind;
use crate::compress::text::{self, mix};
use crate::json::tape::{self, Tape, TapeFormat, TapeNode};
use crate::json::{self, Limits};
use paths::Paths;

/// Nesting and values of a document that is shortened.
const DOCUMENT_LIMITS: Limits = Limits { depth: 64, values: 1_000_000 };
/// Long arrays inside one another that lose items.
const MAX_NESTED_ARRAYS: usize = 4;
/// Bytes of a string that is looked into.
const MIN_STRING_BYTES: usize = 120;

const ITEM_NOUN: &str = "item";
const LINE_NOUN: &str = "line";

/// The adapter of this module.
#[derive(Debug)]
pub(crate) struct JsonAdapter;

impl FormatAdapter for JsonAdapter {
    fn name(&self) -> &'static str {
        "json"
    }

    fn finds_prose(&self) -> bool {
        true
    }

    fn detects(&self, part: Part<'_>) -> bool {
        part.is_all(|kind| matches!(kind, Kind::Json | Kind::JsonLines))
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        JsonDocuments::read(before).is_some_and(|own| own.holds(after))
    }

    fn attempt<'p>(&'p self, part: Part<'p>, inside: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let Some(own) = JsonDocuments::read(part.text) else {
            return AdapterAttempt::none();
        };
        let roots: Vec<TapeNode<'_, '_>> = own.nodes().collect();
        let mut work = JsonWork { text: part.text, inside, ratio: part.ratio, cuts: Vec::new() };
        work.list(&roots, LINE_NOUN, MAX_NESTED_ARRAYS);
        AdapterAttempt::new(work.cuts, move |after| own.holds(after))
    }
}

/// The values of a text: one, or one on each line.
struct JsonDocuments<'a> {
    tape: Tape<'a>,
    roots: Vec<u32>,
}

impl<'a> JsonDocuments<'a> {
    /// `None` if the text is neither.
    fn read(text: &'a str) -> Option<Self> {
        let form =
            TapeFormat { layout: None, ascii: false, slashes: false, limits: DOCUMENT_LIMITS };
        let mut tape = Tape::default();
        if let Some(root) = tape.read(text, form) {
            return Some(Self { tape, roots: vec![root] });
        }
        let lines = text.split('\n').filter(|line| !line.trim().is_empty());
        let roots: Option<Vec<u32>> = lines.map(|line| tape.read(line, form)).collect();
        roots.filter(|roots| roots.len() > 1).map(|roots| Self { tape, roots })
    }

    fn nodes(&self) -> impl Iterator<Item = TapeNode<'_, 'a>> {
        self.roots.iter().filter_map(|at| self.tape.node(*at))
    }

    /// Whether a text has these values, with marks in the place of items, and shorter strings.
    fn holds(&self, after: &str) -> bool {
        let shown = JsonDocuments::read(after);
        shown.is_some_and(|shown| is_list_of(&mut self.nodes(), &mut shown.nodes(), LINE_NOUN))
    }
}

struct JsonWork<'w> {
    text: &'w str,
    inside: &'w mut dyn InnerTexts,
    ratio: KeepRatio,
    cuts: Vec<Cut>,
}

impl<'w> JsonWork<'w> {
    fn value(&mut self, node: TapeNode<'_, 'w>, lists: usize) {
        match node.kind() {
            tape::TapeKind::String => self.string(node),
            tape::TapeKind::Array => {
                let items: Vec<TapeNode<'_, 'w>> = node.items().collect();
                self.list(&items, ITEM_NOUN, lists);
            }
            tape::TapeKind::Object => {
                for (_, value) in node.members() {
                    self.value(value, lists);
                }
            }
            tape::TapeKind::Number | tape::TapeKind::Other => {}
        }
    }

    fn string(&mut self, node: TapeNode<'_, 'w>) {
        if node.raw().len() < MIN_STRING_BYTES {
            return;
        }
        let Some(text) = node.text() else { return };
        if let Some(short) = self.inside.shorten(text) {
            let mut with = String::with_capacity(short.len() + 2);
            write_like(&mut with, &short, node.raw());
            if with.len() < node.raw().len() {
                self.cut(node, node, with);
            }
        }
    }

    /// The items of an array, or the documents of a text. `lists` more of them may lose items.
    fn list(&mut self, items: &[TapeNode<'_, 'w>], noun: &str, lists: usize) {
        let gaps = if lists == 0 { Vec::new() } else { gaps(items, noun, self.ratio) };
        let lists = lists - usize::from(items.len() > MAX_WHOLE_ITEMS && lists > 0);
        let mut at = 0;
        for gap in gaps {
            for item in items.get(at..gap.start).unwrap_or_default() {
                self.value(*item, lists);
            }
            let gone = items.get(gap.clone()).unwrap_or_default();
            if let (Some(first), Some(last)) = (gone.first(), gone.last()) {
                let mut mark = String::new();
                json::write_string(&mut mark, &elision::mark(gone.len(), noun));
                self.cut(*first, *last, mark);
            }
            at = gap.end;
        }
        for item in items.get(at..).unwrap_or_default() {
            self.value(*item, lists);
        }
    }

    /// Puts a text into the place of some values of one list.
    fn cut(&mut self, first: TapeNode<'_, 'w>, last: TapeNode<'_, 'w>, with: String) {
        let offset = |raw: &str| raw.as_ptr() as usize - self.text.as_ptr() as usize;
        let range = offset(first.raw())..offset(last.raw()) + last.raw().len();
        self.cuts.push(Cut { range, with });
    }
}

/// The items of a list that go.
fn gaps(items: &[TapeNode<'_, '_>], noun: &str, ratio: KeepRatio) -> Vec<Range<usize>> {
    // A list that contains such a string would look like one that lost items.
    if items.len() <= MAX_WHOLE_ITEMS || items.iter().any(|item| mark_items(*item, noun).is_some())
    {
        return Vec::new();
    }
    let mut paths = Paths::new(items.len());
    for (at, item) in items.iter().enumerate() {
        paths.add_item(at, *item);
    }
    let raw: Vec<&str> = items.iter().map(|item| item.raw()).collect();
    elision::gaps(&raw, &paths.must(), ratio)
}

fn mark_items(item: TapeNode<'_, '_>, noun: &str) -> Option<usize> {
    elision::mark_items(item.text()?, noun)
}

/// Whether `after` is `before` with marks in the place of items, and shorter strings.
fn is_list_of<'t, 'a: 't, 'u, 'b: 'u>(
    before: &mut dyn Iterator<Item = TapeNode<'t, 'a>>,
    after: &mut dyn Iterator<Item = TapeNode<'u, 'b>>,
    noun: &str,
) -> bool {
    for shown in after {
        if let Some(count) = mark_items(shown, noun) {
            let Some(next) = before.next() else { return false };
            // Either a mark, or a string that always was there.
            let mut gone = |others: usize| 1 + before.take(others).count();
            if next.raw() == shown.raw() || count > 0 && gone(count - 1) == count {
                continue;
            }
            return false;
        }
        if !before.next().is_some_and(|own| is_same(own, shown)) {
            return false;
        }
    }
    before.next().is_none()
}

fn is_same(before: TapeNode<'_, '_>, after: TapeNode<'_, '_>) -> bool {
    if before.raw() == after.raw() {
        return true;
    }
    if before.kind() != after.kind() {
        return false;
    }
    match before.kind() {
        tape::TapeKind::String => {
            before.raw().len() >= MIN_STRING_BYTES && after.raw().len() < before.raw().len()
        }
        tape::TapeKind::Array => is_list_of(&mut before.items(), &mut after.items(), ITEM_NOUN),
        tape::TapeKind::Object => {
            before.len() == after.len()
                && before.members().zip(after.members()).all(|((key, value), (name, shown))| {
                    key.raw() == name.raw() && is_same(value, shown)
                })
        }
        tape::TapeKind::Number | tape::TapeKind::Other => false,
    }
}

/// Appends a text as a JSON string, with the escapes that the string `like` has if JSON leaves a
/// choice: of all that is not ASCII, and of slashes.
fn write_like(out: &mut String, text: &str, like: &str) {
    let is_ascii = like.is_ascii() && like.contains("\\u");
    let slashes = like.contains("\\/");
    if !is_ascii && !slashes {
        json::write_string(out, text);
        return;
    }
    json::write_string_escaping(out, text, |letter| {
        slashes && letter == '/' || is_ascii && !letter.is_ascii()
    });
}

fn hash(parent: u64, key: &str) -> u64 {
    mix(parent, text::hash(key.as_bytes()))
}

#[cfg(test)]
mod tests;
