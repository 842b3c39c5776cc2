//! An adapter as data: which texts it takes, which of their lines stay, and how what is left of
//! the rest is put next to them.

use std::borrow::Cow;
use std::sync::Arc;

use super::{AdapterAttempt, Cut, FormatAdapter, InnerTexts, KeepRatio, Part};
use crate::compress::digest;
use crate::domain::{AdapterDefinition, LineRemoval, LineSelector};
use crate::limit::{Deadline, Pattern, PatternBudget};

/// Bytes of a text that patterns are tried on.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// Of so many bytes that may go one stays.
const KEEP_SHARE: usize = 3;
/// Between the lines of a summary that is put into a line.
const LINE_SEPARATOR: &str = "; ";
/// Lines after which the deadline is asked.
const MAX_LINES_UNASKED: usize = 256;

/// A definition with its patterns compiled.
#[derive(Debug)]
pub(crate) struct CustomAdapter {
    definition: Arc<AdapterDefinition>,
    holds: Option<Pattern>,
    lines: Vec<(usize, Pattern)>,
    share: Option<(Pattern, usize)>,
    keep: Vec<Pattern>,
    /// None if all lines may go that are not kept.
    shrink: Option<Vec<Pattern>>,
    deadline: Deadline,
}

/// The lines of a text.
struct SplitLines<'t> {
    /// Lines that stay.
    kept: Vec<&'t str>,
    /// Lines that may go.
    rest: Vec<&'t str>,
}

impl CustomAdapter {
    /// None if a pattern does not compile; requests are checked before.
    pub(crate) fn new(definition: Arc<AdapterDefinition>, deadline: &Deadline) -> Option<Self> {
        let detect = &definition.detect;
        let holds = match detect.regex.as_deref() {
            Some(own) => Some(pattern(own)?),
            None => None,
        };
        let lines = detect.line_matches.iter().map(|(line, own)| Some((*line, pattern(own)?)));
        let lines = lines.collect::<Option<_>>()?;
        let share = match &detect.min_share_of_lines {
            Some((own, milli)) => Some((pattern(own)?, usize::try_from(*milli).ok()?)),
            None => None,
        };
        let keep = definition.keep.iter().filter_map(|lines| match lines {
            LineSelector::Matching(own) => Some(own),
            LineSelector::Between(..) | LineSelector::Last(_) => None,
        });
        let keep = patterns(keep)?;
        let shrink = match &definition.shrink {
            LineRemoval::Rest => None,
            LineRemoval::Matching(own) => Some(patterns(own.iter())?),
        };
        let deadline = deadline.clone();
        Some(Self { definition, holds, lines, share, keep, shrink, deadline })
    }

    /// Whether a text has a match. Once the request has to stop none is found, and what comes of it
    /// is thrown away.
    fn is_match(&self, pattern: &Pattern, text: &str) -> bool {
        pattern.is_match(text, &self.deadline).unwrap_or(false)
    }

    /// The number of lines with a match; none if the request has to stop.
    fn count_matching(&self, pattern: &Pattern, text: &str) -> Option<usize> {
        let mut matching = 0;
        for (line, number) in text.lines().zip(1..) {
            // Short lines pass through a search without a look at the deadline.
            if number % MAX_LINES_UNASKED == 0 && self.deadline.check().is_err() {
                return None;
            }
            matching += usize::from(self.is_match(pattern, line));
        }
        Some(matching)
    }

    /// Lines of a text that stay.
    pub(super) fn kept_lines(&self, text: &str) -> usize {
        self.split_lines(text).map_or(0, |lines| lines.kept.len())
    }

    /// The lines of a text; none if the request has to stop.
    fn split_lines<'t>(&self, text: &'t str) -> Option<SplitLines<'t>> {
        let count = text.lines().count();
        let (mut kept, mut rest) = (Vec::new(), Vec::new());
        for (line, number) in text.lines().zip(1..) {
            let is_named = self.definition.keep.iter().any(|lines| match lines {
                LineSelector::Between(first, last) => (*first..=*last).contains(&number),
                LineSelector::Last(last) => number + last > count,
                LineSelector::Matching(_) => false,
            });
            if number % MAX_LINES_UNASKED == 0 && self.deadline.check().is_err() {
                return None;
            }
            let any = |patterns: &Vec<Pattern>| patterns.iter().any(|own| self.is_match(own, line));
            let may_go = self.shrink.as_ref().is_none_or(any);
            let stays = is_named || !may_go || any(&self.keep);
            if stays { &mut kept } else { &mut rest }.push(line);
        }
        // A search that was stopped found nothing, so that a line to keep may be in the rest.
        self.deadline.check().ok().map(|()| SplitLines { kept, rest })
    }

    /// The lines that stay with what the others come to; none if all stay.
    fn join_lines(&self, text: &str, ratio: KeepRatio) -> Option<String> {
        let SplitLines { kept, rest } = self.split_lines(text)?;
        if rest.is_empty() {
            return None;
        }
        let rest = rest.join("\n");
        let keep = ratio.asked_bytes(rest.len()).unwrap_or(rest.len() / KEEP_SHARE);
        let mut summary = digest::lines(&rest, keep);
        if is_in_line(&self.definition.join) {
            let lines: Vec<&str> = summary.lines().filter(|line| !line.is_empty()).collect();
            summary = lines.join(LINE_SEPARATOR);
        }
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
                text.lines().nth(number - 1).is_some_and(|line| self.is_match(pattern, line))
            })
            && self.holds.as_ref().is_none_or(|pattern| self.is_match(pattern, text))
            && self.share.as_ref().is_none_or(|(pattern, milli)| {
                self.count_matching(pattern, text)
                    .is_some_and(|lines| lines * 1000 >= count() * milli)
            })
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let cut = self
            .join_lines(part.text, part.ratio)
            .map(|with| Cut { range: 0..part.text.len(), with });
        AdapterAttempt::new(cut.into_iter().collect(), |after| self.holds(part.text, after))
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        self.split_lines(before).is_some_and(|lines| after.contains(&lines.kept.join("\n")))
    }
}

/// Whether a template puts the summary into a line, next to something else.
fn is_in_line(join: &str) -> bool {
    join.split('\n').any(|line| line.contains("{summary}") && line.trim() != "{summary}")
}

/// None if it does not compile. How many there may be, and how large, was checked with the request.
fn pattern(source: &str) -> Option<Pattern> {
    PatternBudget::new(1, usize::MAX).compile(source).ok()
}

fn patterns<'s>(sources: impl Iterator<Item = &'s Arc<str>>) -> Option<Vec<Pattern>> {
    sources.map(|source| pattern(source)).collect()
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
        let custom = CustomAdapter::new(definition.into(), &Deadline::default()).unwrap();
        shorten(&[&custom], text, &|_, _| true).text
    }

    fn ledger() -> String {
        let row = |n: usize| format!("{n},lamp {n},paid in cash at the counter\n");
        std::iter::once("id,item,note\n".to_owned()).chain((1..40).map(row)).collect()
    }

    /// A ledger whose rows differ in more than a number.
    fn other_ledger() -> String {
        let words = ["lamp", "chair", "table", "clock", "mirror", "carpet", "kettle"];
        let row = |n: usize| {
            format!(
                "{n},{} of room_{},sent to part_{}.txt\n",
                words[n % 7],
                n * 37 % 101,
                n * n % 97
            )
        };
        std::iter::once("id,item,note\n".to_owned()).chain((1..60).map(row)).collect()
    }

    #[test]
    fn a_ledger_keeps_its_head_and_some_of_its_rows() {
        let shown = shown(definition(), &ledger()).unwrap();
        assert!(shown.starts_with("id,item,note\n["), "{shown}");
        assert!(shown.ends_with(']'), "{shown}");
        assert!(shown.len() < ledger().len() / 2, "{shown}");
    }

    #[test]
    fn a_summary_in_a_line_is_one_line() {
        let joined = |join: &str| {
            shown(AdapterDefinition { join: join.into(), ..definition() }, &other_ledger()).unwrap()
        };
        for join in ["{kept}\n[{summary}]", "{kept} | {summary}", "{summary} ← {kept}"] {
            let shown = joined(join);
            assert_eq!(shown.lines().count(), join.lines().count(), "{shown}");
            assert!(shown.matches("; ").count() > 3, "{shown}");
        }
        for join in ["{kept}\n{summary}", "{kept}\n---\n{summary}\n---"] {
            assert!(joined(join).lines().count() > 6);
        }
    }

    #[test]
    fn as_much_stays_as_is_asked_for() {
        let custom = CustomAdapter::new(definition().into(), &Deadline::default()).unwrap();
        let length =
            |milli| custom.join_lines(&other_ledger(), KeepRatio::of_milli(milli)).unwrap().len();
        assert!(length(100) < length(300) && length(300) < length(800));
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
        assert!(
            CustomAdapter::new(
                AdapterDefinition { keep, ..definition() }.into(),
                &Deadline::default()
            )
            .is_none()
        );
    }

    #[test]
    fn once_the_time_is_up_a_text_stays_as_it_is() {
        let deadline = Deadline::default();
        let keep = vec![LineSelector::Matching("lamp".into())];
        let definition = AdapterDefinition { keep, ..definition() };
        let custom = CustomAdapter::new(definition.into(), &deadline).unwrap();
        assert_eq!(custom.kept_lines(&ledger()), 39);
        deadline.cancel();
        assert!(custom.split_lines(&ledger()).is_none());
        assert_eq!(shorten(&[&custom], &ledger(), &|_, _| true).text, None);
    }
}
