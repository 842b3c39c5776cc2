//! Offers a text to the adapters, makes the cuts, and takes back what does not hold.

use std::borrow::Cow;
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use super::prose::ProseAdapter;
use super::{AdapterAttempt, Cut, FormatAdapter, InnerTexts, KeepRatio, Part, plain_text};
use crate::compress::MAX_EDIT_BYTES;
use crate::compress::segment::{Kind, Span, segment};

/// Bytes below which nothing is worth leaving out.
pub(crate) const MIN_TEXT_BYTES: usize = 120;
/// Texts inside one another: a log in a string in a JSON document in a fence.
const MAX_DEPTH: usize = 3;

/// Output of adapters over a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AdapterOutput {
    /// None if it stays as it was.
    pub(crate) text: Option<String>,
    /// The cuts that made it.
    pub(crate) cuts: Vec<Cut>,
    /// The adapters that took something out, in the order of their first cuts.
    pub(crate) used: Vec<String>,
    /// Adapters whose cuts broke the format, and were taken back.
    pub(crate) reverted: Vec<String>,
    /// Adapters whose cuts were not worth it.
    pub(crate) refused: Vec<String>,
}

/// Offers a text to the adapters. `pays` says of a part, before and after, whether what it saves
/// is worth it.
pub(crate) fn shorten(
    adapters: &[&dyn FormatAdapter],
    text: &str,
    pays: &dyn Fn(&str, &str) -> bool,
) -> AdapterOutput {
    shorten_parts(adapters, text, None, pays)
}

/// The same of a text whose parts may be known.
pub(crate) fn shorten_parts(
    adapters: &[&dyn FormatAdapter],
    text: &str,
    spans: Option<&[Span]>,
    pays: &dyn Fn(&str, &str) -> bool,
) -> AdapterOutput {
    shorten_within(MAX_EDIT_BYTES, adapters, text, spans, pays)
}

/// The same, if no adapter takes more than `most` bytes.
fn shorten_within(
    most: usize,
    adapters: &[&dyn FormatAdapter],
    text: &str,
    spans: Option<&[Span]>,
    pays: &dyn Fn(&str, &str) -> bool,
) -> AdapterOutput {
    let mut work = ShortenWork::new(adapters, pays, most);
    let plain = plain_text(text);
    let is_own = matches!(plain, Cow::Borrowed(own) if own.len() == text.len());
    let spans = spans.filter(|_| is_own);
    let shown = if declares(&plain) { None } else { work.text(&plain, spans) };
    let (shown, cuts) = shown.unzip();
    let cuts = match (&shown, is_own) {
        // Places are those of the text without its codes.
        (Some(shown), false) => vec![Cut { range: 0..text.len(), with: shown.clone() }],
        _ => cuts.unwrap_or_default(),
    };
    let ShortenWork { used, reverted, refused, .. } = work;
    AdapterOutput { text: shown, cuts, used, reverted, refused }
}

/// Prose that a summariser is asked to shorten, and the share of it that stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProsePassage {
    pub(crate) text: Arc<str>,
    pub(crate) ratio: KeepRatio,
}

/// The prose in a text that its adapters ask a summariser about.
pub(crate) fn prose_passages(adapters: &[&dyn FormatAdapter], text: &str) -> Vec<ProsePassage> {
    let plain = plain_text(text);
    if declares(&plain) || !adapters.iter().any(|adapter| adapter.asks_summarizer()) {
        return Vec::new();
    }
    let mut work = ShortenWork::new(adapters, &|_, _| true, MAX_EDIT_BYTES);
    work.prose = Some(Vec::new());
    let _ = work.text(&plain, None);
    work.prose.unwrap_or_default()
}

/// Whether a text is an XML document with declarations of its own: what its entities represent
/// cannot be read from the elements, so no part of it is a text by itself.
fn declares(text: &str) -> bool {
    /// Bytes in which the document type begins.
    const HEAD_BYTES: usize = 1_000;
    let text = text.trim_start().as_bytes();
    if text.first() != Some(&b'<') {
        return false;
    }
    let head = text.get(..HEAD_BYTES.min(text.len())).unwrap_or_default();
    let after = memchr::memmem::find(head, b"<!DOCTYPE").and_then(|at| text.get(at..));
    let sign = after.and_then(|after| after.iter().find(|byte| matches!(byte, b'[' | b'>')));
    sign == Some(&b'[')
}

struct ShortenWork<'w> {
    adapters: &'w [&'w dyn FormatAdapter],
    pays: &'w dyn Fn(&str, &str) -> bool,
    /// Bytes that an adapter may be given: its work is linear in them.
    most: usize,
    depth: usize,
    /// What the adapter of the outer text was told.
    ratio: KeepRatio,
    asks: bool,
    /// Prose that a summariser is asked about, where it is looked for.
    prose: Option<Vec<ProsePassage>>,
    used: Vec<String>,
    reverted: Vec<String>,
    refused: Vec<String>,
}

impl InnerTexts for ShortenWork<'_> {
    fn shorten(&mut self, text: &str) -> Option<String> {
        self.depth += 1;
        let shown = if self.depth > MAX_DEPTH {
            None
        } else {
            self.text(&plain_text(text), None).map(|(shown, _)| shown)
        };
        self.depth -= 1;
        shown
    }
}

impl<'w> ShortenWork<'w> {
    fn new(
        adapters: &'w [&'w dyn FormatAdapter],
        pays: &'w dyn Fn(&str, &str) -> bool,
        most: usize,
    ) -> Self {
        Self {
            adapters,
            pays,
            most,
            depth: 0,
            ratio: KeepRatio::default(),
            asks: false,
            prose: None,
            used: vec![],
            reverted: vec![],
            refused: vec![],
        }
    }

    /// The text in its shorter form, and the cuts that made it.
    fn text(&mut self, text: &str, spans: Option<&[Span]>) -> Option<(String, Vec<Cut>)> {
        if text.len() < MIN_TEXT_BYTES || self.adapters.is_empty() {
            return None;
        }
        let spans = spans.map_or_else(|| Cow::Owned(segment(text)), Cow::Borrowed);
        let whole = Part::new(text, &spans);
        if let Some(adapter) = self.find_adapter(whole) {
            return self.shorten_part(adapter, whole);
        }
        // Words among data that no adapter could read as a whole may be a part of it.
        let data = |span: &&Span| span.kind == Kind::Yaml;
        let data: usize = spans.iter().filter(data).map(|span| span.range.len()).sum();
        let is_data = data * 2 >= text.len();
        let mut out = String::new();
        let mut all = Vec::new();
        let mut copied = 0;
        for Span { kind, range } in &*spans {
            let kind = *kind;
            if is_data && kind != Kind::Yaml {
                continue;
            }
            let Some(own) = text.get(range.clone()).filter(|own| own.len() >= MIN_TEXT_BYTES)
            else {
                continue;
            };
            let spans = [Span { kind, range: 0..own.len() }];
            let part = Part::new(own, &spans);
            let shown =
                self.find_adapter(part).and_then(|adapter| self.shorten_part(adapter, part));
            if let Some((shown, cuts)) = shown {
                out.push_str(text.get(copied..range.start).unwrap_or_default());
                out.push_str(&shown);
                copied = range.end;
                let place = |at: usize| range.start + at;
                all.extend(cuts.into_iter().map(|cut| Cut {
                    range: place(cut.range.start)..place(cut.range.end),
                    with: cut.with,
                }));
            }
        }
        (copied > 0).then(|| (out + text.get(copied..).unwrap_or_default(), all))
    }

    /// The first adapter that knows the format.
    fn find_adapter(&mut self, part: Part<'_>) -> Option<&'w dyn FormatAdapter> {
        // Whichever formats were chosen: what shrinks inside of them is prose.
        let inside: &'w [&'w dyn FormatAdapter] =
            if self.depth > 0 { &[&ProseAdapter] } else { &[] };
        self.adapters.iter().chain(inside).copied().find(|adapter| {
            let detects = || std::panic::catch_unwind(AssertUnwindSafe(|| adapter.detects(part)));
            detects().unwrap_or_default()
        })
    }

    fn pays(&self, before: &str, after: &str) -> bool {
        after.len() < before.len() && (self.pays)(before, after)
    }

    /// The part in its shorter form, if that holds and pays.
    fn shorten_part(
        &mut self,
        adapter: &dyn FormatAdapter,
        part: Part<'_>,
    ) -> Option<(String, Vec<Cut>)> {
        if part.text.len() > self.most {
            add_name(&mut self.reverted, adapter.name());
            return None;
        }
        // A panic is a defect of the adapter, and must not fail a request.
        let (depth, outer, asked) = (self.depth, self.ratio, self.asks);
        self.ratio = adapter.ratio().or(outer);
        self.asks |= adapter.asks_summarizer();
        let part = Part { ratio: self.ratio, ..part };
        if self.asks
            && adapter.takes_prose()
            && let Some(found) = &mut self.prose
        {
            found.push(ProsePassage { text: part.text.into(), ratio: self.ratio });
        }
        let tried = std::panic::catch_unwind(AssertUnwindSafe(|| {
            let AdapterAttempt { cuts, holds } = adapter.attempt(part, self);
            if cuts.is_empty() {
                return PartResult::Nothing;
            }
            match apply(part.text, &cuts) {
                Some(shown) if !self.pays(part.text, &shown) => PartResult::NoLess,
                Some(shown) if holds(&shown) => PartResult::Less(shown, cuts),
                _ => PartResult::Broken,
            }
        }));
        (self.depth, self.ratio, self.asks) = (depth, outer, asked);
        // The adapter of the outer text is named for the texts inside it.
        let is_inside = depth > 0;
        match tried {
            Ok(PartResult::Nothing) => None,
            Ok(PartResult::Less(shown, cuts)) => {
                if !is_inside {
                    add_name(&mut self.used, adapter.name());
                }
                Some((shown, cuts))
            }
            Ok(PartResult::NoLess) => {
                if !is_inside {
                    add_name(&mut self.refused, adapter.name());
                }
                None
            }
            Ok(PartResult::Broken) | Err(_) => {
                add_name(&mut self.reverted, adapter.name());
                None
            }
        }
    }
}

/// Result of an adapter over a part.
enum PartResult {
    Nothing,
    Less(String, Vec<Cut>),
    NoLess,
    Broken,
}

fn add_name(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// The text with its cuts; none if they overlap or split a character.
pub(crate) fn apply(text: &str, cuts: &[Cut]) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for Cut { range: Range { start, end }, with } in cuts {
        out.push_str(text.get(copied..*start).filter(|_| start <= end)?);
        out.push_str(with);
        copied = *end;
    }
    out.push_str(text.get(copied..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts the second half, and holds if nothing bad is left.
    #[derive(Debug)]
    struct Half(&'static str, fn(&str) -> bool);

    impl FormatAdapter for Half {
        fn name(&self) -> &str {
            self.0
        }

        fn detects(&self, part: Part<'_>) -> bool {
            assert!(!part.text.contains("detect panics"), "told to");
            part.text.contains(self.0)
        }

        fn attempt<'p>(
            &'p self,
            part: Part<'p>,
            inside: &mut dyn InnerTexts,
        ) -> AdapterAttempt<'p> {
            assert!(!part.text.contains("cut panics"), "told to");
            let end = part.text.len();
            let cut = if let Some((head, inner)) = part.text.split_once("inside:") {
                let with = inside.shorten(inner).unwrap_or_default();
                Cut { range: head.len()..end, with }
            } else {
                Cut { range: end / 2..end, with: "…".to_owned() }
            };
            AdapterAttempt::new(vec![cut], |after| self.holds(part.text, after))
        }

        fn holds(&self, _: &str, after: &str) -> bool {
            self.1(after)
        }
    }

    fn with(adapters: &[&dyn FormatAdapter], text: &str) -> AdapterOutput {
        shorten(adapters, text, &|_, _| true)
    }

    fn text_of(word: &str) -> String {
        format!("{word} {}", "and some more words. ".repeat(12))
    }

    #[test]
    fn the_first_that_knows_a_text_takes_it() {
        let (one, two) = (Half("one", |_| true), Half("two", |_| true));
        let both = with(&[&two, &one], &text_of("one two"));
        assert_eq!(both.used, ["two"]);
        assert!(both.text.is_some_and(|text| text.ends_with('…')));
        assert_eq!(with(&[&two, &one], &text_of("one")).used, ["one"]);
        assert_eq!(with(&[&two, &one], &text_of("nobody")).text, None);
        assert_eq!(with(&[], &text_of("one")).text, None);
    }

    #[test]
    fn what_does_not_hold_or_pay_or_panics_stands_as_it_was() {
        let (good, bad) = (Half("good", |_| true), Half("bad", |_| false));
        let taken_back = with(&[&bad], &text_of("bad"));
        assert_eq!((taken_back.text, taken_back.reverted), (None, vec!["bad".to_owned()]));
        let kept = shorten(&[&good], &text_of("good"), &|_, _| false);
        assert_eq!((kept.text, kept.refused), (None, vec!["good".to_owned()]));
        assert_eq!(kept.reverted, Vec::<String>::new());
        let panicked = with(&[&good], &text_of("good cut panics"));
        assert_eq!((panicked.text, panicked.reverted), (None, vec!["good".to_owned()]));
        assert_eq!(with(&[&good], &text_of("good detect panics")).text, None);
    }

    #[test]
    fn what_is_too_much_work_stands_as_it_was() {
        let one = Half("one", |_| true);
        let text = text_of("one");
        let kept = shorten_within(text.len() - 1, &[&one], &text, None, &|_, _| true);
        assert_eq!((kept.text, kept.reverted), (None, vec!["one".to_owned()]));
        assert_eq!(shorten_within(text.len(), &[&one], &text, None, &|_, _| true).used, ["one"]);
    }

    #[test]
    fn texts_inside_texts_are_offered_a_few_levels_deep() {
        let one = Half("one", |_| true);
        let text = format!("one {}{}", "one inside: ".repeat(9), text_of("one"));
        assert_eq!(with(&[&one], &text).used, ["one"]);
    }

    #[test]
    fn parts_are_offered_where_nobody_knows_the_whole() {
        #[derive(Debug)]
        struct Json;
        impl FormatAdapter for Json {
            fn name(&self) -> &'static str {
                "json"
            }
            fn detects(&self, part: Part<'_>) -> bool {
                part.is_all(|kind| kind == crate::compress::segment::Kind::Json)
            }
            fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
                let cut = Cut { range: 0..part.text.trim_end().len(), with: "{}".to_owned() };
                AdapterAttempt::new(vec![cut], |_| true)
            }
            fn holds(&self, _: &str, _: &str) -> bool {
                true
            }
        }
        let json = format!("{{\n  \"a\": [{}1]\n}}", "1, ".repeat(60));
        let text = format!("Before it.\n\n{json}\n\nBehind it.");
        let shown = with(&[&Json], &text);
        assert_eq!(shown.text.as_deref(), Some("Before it.\n\n{}\n\nBehind it."));
    }

    #[test]
    fn cuts_that_overlap_are_refused() {
        let cut = |range| Cut { range, with: String::new() };
        assert_eq!(apply("abcdef", &[cut(1..3), cut(4..5)]).as_deref(), Some("adf"));
        assert_eq!(apply("abcdef", &[cut(1..3), cut(2..5)]), None);
        assert_eq!(apply("aé", &[cut(0..2)]), None);
        assert_eq!(apply("abc", &[cut(2..9)]), None);
    }
}
