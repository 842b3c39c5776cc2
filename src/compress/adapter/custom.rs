//! An adapter as data: which texts it takes, which of their lines stay, and how what is left of
//! the rest is put next to them.

use std::borrow::Cow;
use std::sync::Arc;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::{Attempt, Cut, FormatAdapter, InnerTexts, Part};
use crate::compress::digest;
use crate::domain::{AdapterDefinition, LineRemoval, LineSelector};

/// Bytes of a compiled pattern.
const MAX_PATTERN_BYTES: usize = 1 << 20;
/// Bytes of a text that patterns are tried on.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// Of so many bytes that may go one stays.
const KEEP_SHARE: usize = 3;

/// A definition with its patterns compiled.
#[derive(Debug)]
pub(crate) struct CustomAdapter {
    definition: Arc<AdapterDefinition>,
    holds: Option<Regex>,
    lines: Vec<(usize, Regex)>,
    share: Option<(Regex, usize)>,
    keep: RegexSet,
    /// None if all lines may go that are not kept.
    shrink: Option<RegexSet>,
}

impl CustomAdapter {
    /// None if a pattern does not compile; requests are checked before.
    pub(crate) fn new(definition: Arc<AdapterDefinition>) -> Option<Self> {
        let detect = &definition.detect;
        let holds = detect.regex.as_deref().map(pattern).transpose().ok()?;
        let lines = detect.line_matches.iter().map(|(line, own)| Some((*line, pattern(own).ok()?)));
        let lines = lines.collect::<Option<_>>()?;
        let share = match &detect.min_share_of_lines {
            Some((own, milli)) => Some((pattern(own).ok()?, usize::try_from(*milli).ok()?)),
            None => None,
        };
        let keep = definition.keep.iter().filter_map(|lines| match lines {
            LineSelector::Matching(own) => Some(own),
            LineSelector::Between(..) | LineSelector::Last(_) => None,
        });
        let keep = patterns(keep).ok()?;
        let shrink = match &definition.shrink {
            LineRemoval::Rest => None,
            LineRemoval::Matching(own) => Some(patterns(own.iter()).ok()?),
        };
        Some(Self { definition, holds, lines, share, keep, shrink })
    }

    /// Lines of a text that stay.
    pub(super) fn kept_lines(&self, text: &str) -> usize {
        self.split_lines(text).0.len()
    }

    /// The lines that stay, and the lines that may go.
    fn split_lines<'t>(&self, text: &'t str) -> (Vec<&'t str>, Vec<&'t str>) {
        let count = text.lines().count();
        let (mut kept, mut rest) = (Vec::new(), Vec::new());
        for (line, number) in text.lines().zip(1..) {
            let is_named = self.definition.keep.iter().any(|lines| match lines {
                LineSelector::Between(first, last) => (*first..=*last).contains(&number),
                LineSelector::Last(last) => number + last > count,
                LineSelector::Matching(_) => false,
            });
            let may_go = self.shrink.as_ref().is_none_or(|shrink| shrink.is_match(line));
            let stays = is_named || !may_go || self.keep.is_match(line);
            if stays { &mut kept } else { &mut rest }.push(line);
        }
        (kept, rest)
    }

    /// The lines that stay with what the others come to; none if all stay.
    fn join_lines(&self, text: &str) -> Option<String> {
        let (kept, rest) = self.split_lines(text);
        if rest.is_empty() {
            return None;
        }
        let rest = rest.join("\n");
        let summary = digest::lines(&rest, rest.len() / KEEP_SHARE);
        let (before, after) = self.definition.join.split_once("{kept}")?;
        let with = |text: &str| text.replace("{summary}", &summary);
        Some(format!("{}{}{}", with(before), kept.join("\n"), with(after)))
    }
}

impl FormatAdapter for CustomAdapter {
    fn name(&self) -> &str {
        &self.definition.name
    }

    fn identity(&self) -> Cow<'_, str> {
        format!("{:?}", self.definition).into()
    }

    fn detects(&self, part: Part<'_>) -> bool {
        let text = part.text;
        let detect = &self.definition.detect;
        if text.len() > MAX_TEXT_BYTES {
            return false;
        }
        let count = || text.lines().count();
        detect.min_lines.is_none_or(|least| count() >= least)
            && self.lines.iter().all(|(number, pattern)| {
                text.lines().nth(number - 1).is_some_and(|line| pattern.is_match(line))
            })
            && self.holds.as_ref().is_none_or(|pattern| pattern.is_match(text))
            && self.share.as_ref().is_none_or(|(pattern, milli)| {
                let matching = text.lines().filter(|line| pattern.is_match(line)).count();
                matching * 1000 >= count() * milli
            })
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> Attempt<'p> {
        let cut = self.join_lines(part.text).map(|with| Cut { range: 0..part.text.len(), with });
        Attempt::new(cut.into_iter().collect(), |after| self.holds(part.text, after))
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        let (kept, _) = self.split_lines(before);
        after.contains(&kept.join("\n"))
    }
}

fn pattern(source: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source)
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .build()
}

fn patterns<'s>(sources: impl Iterator<Item = &'s Arc<str>>) -> Result<RegexSet, regex::Error> {
    let mut builder = RegexSetBuilder::new(sources.map(AsRef::as_ref).collect::<Vec<&str>>());
    builder.size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_PATTERN_BYTES).build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::adapter::shorten;
    use crate::domain::DetectRules;

    fn definition() -> AdapterDefinition {
        AdapterDefinition {
            name: "ledger".into(),
            detect: DetectRules {
                min_lines: Some(3),
                line_matches: vec![(1, ",".into())],
                min_share_of_lines: Some((",".into(), 900)),
                ..DetectRules::default()
            },
            keep: vec![LineSelector::Between(1, 1)],
            shrink: LineRemoval::Rest,
            join: "{kept}\n[{summary}]".into(),
        }
    }

    fn shown(definition: AdapterDefinition, text: &str) -> Option<String> {
        let custom = CustomAdapter::new(definition.into()).unwrap();
        shorten(&[&custom], text, &|_, _| true).text
    }

    fn ledger() -> String {
        let row = |n: usize| format!("{n},lamp {n},paid in cash at the counter\n");
        std::iter::once("id,item,note\n".to_owned()).chain((1..40).map(row)).collect()
    }

    #[test]
    fn a_ledger_keeps_its_head_and_some_of_its_rows() {
        let shown = shown(definition(), &ledger()).unwrap();
        assert!(shown.starts_with("id,item,note\n["), "{shown}");
        assert!(shown.ends_with(']'), "{shown}");
        assert!(shown.len() < ledger().len() / 2, "{shown}");
    }

    #[test]
    fn every_condition_has_to_be_met() {
        let text = ledger();
        let other = |detect| shown(AdapterDefinition { detect, ..definition() }, &text).is_some();
        assert!(other(DetectRules { regex: Some("lamp 7".into()), ..DetectRules::default() }));
        assert!(!other(DetectRules { regex: Some("lamp 77".into()), ..DetectRules::default() }));
        assert!(!other(DetectRules { min_lines: Some(41), ..DetectRules::default() }));
        assert!(!other(DetectRules {
            line_matches: vec![(2, "^id".into())],
            ..DetectRules::default()
        }));
        assert!(!other(DetectRules {
            line_matches: vec![(99, "".into())],
            ..DetectRules::default()
        }));
        let share = Some(("^[0-9]".into(), 980));
        assert!(!other(DetectRules { min_share_of_lines: share, ..DetectRules::default() }));
    }

    #[test]
    fn lines_are_kept_by_number_and_by_pattern() {
        let keep = vec![LineSelector::Last(1), LineSelector::Matching("lamp 1[0-2]\\b".into())];
        let shrink = LineRemoval::Matching(vec!["lamp".into()]);
        let definition = AdapterDefinition { keep, shrink, ..definition() };
        let shown = shown(definition, &ledger()).unwrap();
        let kept = "id,item,note\n10,lamp 10,paid in cash at the counter\n11,lamp 11,paid in cash at \
                    the counter\n12,lamp 12,paid in cash at the counter\n39,lamp 39,paid in cash at \
                    the counter\n[";
        assert!(shown.starts_with(kept), "{shown}");
    }

    #[test]
    fn a_pattern_that_does_not_compile_is_no_adapter() {
        let keep = vec![LineSelector::Matching("(".into())];
        assert!(CustomAdapter::new(AdapterDefinition { keep, ..definition() }.into()).is_none());
    }
}
