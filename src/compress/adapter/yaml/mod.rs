//! YAML: scalars and comments that are prose are shortened where they are.
//!
//! They are found by their words, not by their keys. Everything else keeps its bytes:
//! keys, anchors, tags, flow collections, digests, addresses, certificates, scripts. A scalar is
//! written in the style it had; if that style cannot say the shorter words, it stays.

mod scalar;
mod scan;

use super::words::is_prose;
use super::{AdapterAttempt, Cut, FormatAdapter, InnerTexts, Part};
use crate::compress::segment;
use scan::{YamlEvent, YamlKind, scan};

/// Keys of a text that is taken for YAML as a whole although parts of it look like something else.
const MIN_KEYS: usize = 3;
/// Bytes of a scalar that is looked into.
const MIN_SCALAR_BYTES: usize = 120;

/// The adapter of this module.
#[derive(Debug)]
pub(crate) struct YamlAdapter;

impl FormatAdapter for YamlAdapter {
    fn name(&self) -> &'static str {
        "yaml"
    }

    fn finds_prose(&self) -> bool {
        true
    }

    fn detects(&self, part: Part<'_>) -> bool {
        let is_yaml = |kind| kind == segment::Kind::Yaml;
        if part.is_all(is_yaml) {
            return true;
        }
        // A comment at its head is a heading elsewhere, a document at its head front matter, and
        // if values are sentences, it all looks like prose.
        let may_be = |kind| {
            matches!(kind, segment::Kind::Yaml | segment::Kind::Markdown(_) | segment::Kind::Prose)
        };
        part.is_all(may_be)
            && opens(part.text)
            && scan(part.text).is_some_and(|events| {
                let keys = events.iter().filter(|event| event.kind == YamlKind::Key);
                let small =
                    |event: &&YamlEvent| !raw(event, part.text).starts_with(char::is_uppercase);
                let (all, names) = (keys.clone().count(), keys.filter(small).count());
                // Words with a capital before a colon are labels of a writer, or names of speakers.
                all >= MIN_KEYS && (names * 2 > all || part.has(is_yaml))
            })
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        let Some(own) = scan(before) else { return false };
        let may_shrink =
            |at: usize| own.get(at).is_some_and(|event| prose(event, raw(event, before)).is_some());
        is_kept(before, &own, after, &may_shrink)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, inside: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let Some(own) = scan(part.text) else {
            return AdapterAttempt::none();
        };
        let mut cuts = Vec::new();
        // Those that were cut are prose, by which they were found.
        let mut is_cut = vec![false; own.len()];
        for (event, is_cut) in own.iter().zip(&mut is_cut) {
            let shorter = shorten_scalar(event, part.text, inside);
            *is_cut = shorter.is_some();
            cuts.extend(shorter);
        }
        let may_shrink = move |at: usize| is_cut.get(at) == Some(&true);
        let holds = move |after: &str| is_kept(part.text, &own, after, &may_shrink);
        AdapterAttempt::new(cuts, holds)
    }
}

/// Whether the first line that says something is one of YAML. Most prose is let go by it.
fn opens(text: &str) -> bool {
    let mut lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.next().is_some_and(|line| {
        let key = line.split([':', ' ']).next().unwrap_or_default();
        matches!(line.as_bytes().first(), Some(b'%' | b'-'))
            || line.get(key.len()..).is_some_and(|rest| rest.starts_with(':'))
    })
}

fn raw<'t>(event: &YamlEvent, text: &'t str) -> &'t str {
    text.get(event.range.clone()).unwrap_or_default()
}

/// Whether a text has the same pieces; those that may shrink may have fewer words.
fn is_kept(
    before: &str,
    own: &[YamlEvent],
    after: &str,
    may_shrink: &dyn Fn(usize) -> bool,
) -> bool {
    let Some(shown) = scan(after) else { return false };
    let mut pairs = own.iter().zip(&shown).enumerate();
    own.len() == shown.len()
        && pairs.all(|(at, (own, shown))| {
            let (raw, other) = (raw(own, before), raw(shown, after));
            let has_words =
                || scalar::words(own, other).is_some_and(|words| !words.trim().is_empty());
            own.kind == shown.kind
                && own.column == shown.column
                && (raw == other || other.len() < raw.len() && may_shrink(at) && has_words())
        })
}

/// The words of a scalar or comment that is prose.
fn prose(event: &YamlEvent, raw: &str) -> Option<String> {
    if raw.len() < MIN_SCALAR_BYTES {
        return None;
    }
    scalar::words(event, raw).filter(|words| is_prose(words))
}

fn shorten_scalar(event: &YamlEvent, text: &str, inside: &mut dyn InnerTexts) -> Option<Cut> {
    let raw = raw(event, text);
    let words = prose(event, raw)?;
    let short = inside.shorten(&words)?;
    let with = scalar::write(event, raw, short.trim_end())?;
    (with.len() < raw.len()).then(|| Cut { range: event.range.clone(), with })
}

#[cfg(test)]
mod tests;
