//! What the answers amount to: shares of right ones with 95 % intervals, and the rule for notations.

use std::collections::BTreeMap;

use super::answer::{FormAnswer, ModelAnswer, is_compared};
use super::form::TextForm;

/// Pairs that a notation needs to be used without being asked for.
pub(super) const MIN_PAIRS: usize = 200;
/// Points that may be lost to the original at the lower end of the interval.
pub(super) const MAX_LOST_POINTS: f64 = 5.0;
/// Standard deviations on each side of a 95 % interval.
const DEVIATIONS: f64 = 1.959_964;

/// A figure in points, 0 to 100, with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PointInterval {
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Answers to one question over the original and over another form.
#[derive(Debug, Clone, Copy)]
struct AnswerPair {
    /// The kind and the number of the text: questions about one depend on each other.
    kind: &'static str,
    text: usize,
    is_right_in_original: bool,
    is_right_in_form: bool,
}

/// The pairs of one row of a table.
#[derive(Debug, Clone, Default)]
pub(super) struct PairGroup {
    pairs: Vec<AnswerPair>,
    /// Questions that the form does not show the answer to.
    pub(super) not_in_sight: usize,
}

/// Whether a notation may be used without being asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotationVerdict {
    Passed,
    Failed,
    TooFew,
}

/// All rows, by what they are about.
#[derive(Debug, Default)]
pub(super) struct ReadingFigures {
    pub(super) notations: BTreeMap<String, PairGroup>,
    /// Kinds of texts in lossless forms and in reduced ones, with the form.
    pub(super) texts: BTreeMap<(TextForm, &'static str), PairGroup>,
    /// Kinds of questions over the plain form.
    pub(super) questions: BTreeMap<&'static str, PairGroup>,
}

impl ReadingFigures {
    /// Pairs each answer over a form with that over the original. `answers`: in the order of
    /// [`super::answer::list`].
    pub(super) fn new(answers: &[FormAnswer<'_>]) -> Self {
        let mut figures = Self::default();
        let mut originals: BTreeMap<(&str, usize, usize), &FormAnswer<'_>> = BTreeMap::new();
        for answer in answers {
            let asked = &answer.asked;
            let key = (asked.text.kind, asked.text.number, asked.place);
            if !is_compared(asked.form.form) {
                originals.insert(key, answer);
                continue;
            }
            let Some(original) = originals.get(&key) else { continue };
            for group in figures.groups(answer) {
                group.add(original, answer);
            }
        }
        figures
    }

    /// The rows that an answer belongs to.
    fn groups(&mut self, answer: &FormAnswer<'_>) -> Vec<&mut PairGroup> {
        let asked = &answer.asked;
        let form = asked.form.form;
        let mut groups = vec![self.texts.entry((form, asked.text.kind)).or_default()];
        if form == TextForm::Plain {
            groups.push(self.questions.entry(asked.question.kind.as_str()).or_default());
        }
        let of_form = |name: &&String| form == TextForm::Plain || name.starts_with("computed ");
        if !form.is_reduced() {
            let mut names: Vec<&String> = asked.form.notations.iter().filter(of_form).collect();
            names.sort_unstable();
            names.dedup();
            for name in &names {
                self.notations.entry((*name).clone()).or_default();
            }
            let own = self.notations.iter_mut().filter(|(name, _)| names.contains(name));
            groups.extend(own.map(|(_, group)| group));
        }
        groups
    }

    /// The notations that are used without being asked for and are read worse than the rule allows.
    pub(super) fn failed(&self) -> Vec<&str> {
        let is_failed = |group: &PairGroup| group.verdict() == NotationVerdict::Failed;
        let rows = self.notations.iter().filter(|(name, _)| !name.starts_with("computed "));
        rows.filter(|(_, group)| is_failed(group)).map(|(name, _)| name.as_str()).collect()
    }
}

impl PairGroup {
    fn add(&mut self, original: &FormAnswer<'_>, answer: &FormAnswer<'_>) {
        if answer.said == ModelAnswer::NotInSight {
            self.not_in_sight += 1;
            return;
        }
        self.pairs.push(AnswerPair {
            kind: answer.asked.text.kind,
            text: answer.asked.text.number,
            is_right_in_original: original.is_right(),
            is_right_in_form: answer.is_right(),
        });
    }

    pub(super) fn count(&self) -> usize {
        self.pairs.len()
    }

    pub(super) fn original(&self) -> PointInterval {
        share(self.pairs.iter().map(|pair| pair.is_right_in_original))
    }

    pub(super) fn form(&self) -> PointInterval {
        share(self.pairs.iter().map(|pair| pair.is_right_in_form))
    }

    /// What the form gains on the original, in points; below 0 if it is read worse.
    pub(super) fn difference(&self) -> PointInterval {
        let gain = |pair: &AnswerPair| {
            f64::from(i8::from(pair.is_right_in_form) - i8::from(pair.is_right_in_original))
        };
        let count = whole(self.pairs.len());
        let mean = self.pairs.iter().map(gain).sum::<f64>() / count.max(1.0);
        let mut texts: BTreeMap<(&str, usize), f64> = BTreeMap::new();
        for pair in &self.pairs {
            *texts.entry((pair.kind, pair.text)).or_default() += gain(pair) - mean;
        }
        // Without a second text nothing is known of how texts differ.
        let groups = whole(texts.len());
        let spread = texts.values().map(|sum| sum * sum).sum::<f64>();
        let half = if texts.len() > 1 {
            DEVIATIONS * (spread * groups / (groups - 1.0)).sqrt() / count
        } else {
            f64::INFINITY
        };
        PointInterval {
            mean: 100.0 * mean,
            low: (100.0 * (mean - half)).max(-100.0),
            high: (100.0 * (mean + half)).min(100.0),
        }
    }

    pub(super) fn verdict(&self) -> NotationVerdict {
        if self.count() < MIN_PAIRS {
            NotationVerdict::TooFew
        } else if self.difference().low > -MAX_LOST_POINTS {
            NotationVerdict::Passed
        } else {
            NotationVerdict::Failed
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of questions")]
fn whole(count: usize) -> f64 {
    count as f64
}

/// The share of what is true, with Wilson's interval.
fn share(values: impl Iterator<Item = bool> + Clone) -> PointInterval {
    let count = whole(values.clone().count());
    let right = whole(values.filter(|is_right| *is_right).count());
    if count == 0.0 {
        return PointInterval { mean: 0.0, low: 0.0, high: 100.0 };
    }
    let (mean, squared) = (right / count, DEVIATIONS * DEVIATIONS);
    let centre = (mean + squared / (2.0 * count)) / (1.0 + squared / count);
    let half = DEVIATIONS / (1.0 + squared / count)
        * (mean * (1.0 - mean) / count + squared / (4.0 * count * count)).sqrt();
    PointInterval {
        mean: 100.0 * mean,
        low: 100.0 * (centre - half),
        high: 100.0 * (centre + half),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs of `texts` texts; `lost` of ten questions are wrong over the form alone.
    fn group(texts: usize, lost: usize) -> PairGroup {
        let pair = |text: usize, place: usize| AnswerPair {
            kind: "log",
            text,
            is_right_in_original: place != 9,
            is_right_in_form: place != 9 && place >= lost,
        };
        let pairs = (0..texts).flat_map(|text| (0..10).map(move |place| pair(text, place)));
        PairGroup { pairs: pairs.collect(), not_in_sight: 0 }
    }

    #[test]
    fn a_share_has_the_interval_of_wilson() {
        let half = share([true, false].into_iter().cycle().take(100));
        assert!((half.mean - 50.0).abs() < 1e-9);
        assert!((half.low - 40.383).abs() < 0.01 && (half.high - 59.617).abs() < 0.01, "{half:?}");
        let all = share(std::iter::repeat_n(true, 20));
        assert!(all.high > 99.99 && (all.low - 83.887).abs() < 0.01, "{all:?}");
        assert_eq!(share(std::iter::empty()), PointInterval { mean: 0.0, low: 0.0, high: 100.0 });
    }

    #[test]
    fn questions_that_are_lost_lower_the_difference() {
        let same = group(20, 0).difference();
        assert_eq!((same.mean, same.low, same.high), (0.0, 0.0, 0.0));
        let lost = group(20, 2).difference();
        assert!((lost.mean + 20.0).abs() < 1e-9, "{lost:?}");
        assert!((group(20, 2).form().mean - 70.0).abs() < 1e-9);
        assert!((group(20, 2).original().mean - 90.0).abs() < 1e-9);
    }

    #[test]
    fn texts_that_differ_widen_the_interval() {
        let mut mixed = group(10, 0);
        let others = group(10, 4).pairs.into_iter();
        mixed.pairs.extend(others.map(|pair| AnswerPair { kind: "csv", ..pair }));
        let difference = mixed.difference();
        assert!((difference.mean + 20.0).abs() < 1e-9);
        // Half of 20 texts lose 4 of 10 and half none: a deviation of 20 points between texts.
        let half = DEVIATIONS * 20.0 / 19.0_f64.sqrt();
        assert!((difference.high - difference.mean - half).abs() < 0.01, "{difference:?}");
    }

    #[test]
    fn the_rule_needs_enough_pairs_and_a_small_loss() {
        assert_eq!(group(20, 0).verdict(), NotationVerdict::Passed);
        assert_eq!(group(19, 0).verdict(), NotationVerdict::TooFew);
        assert_eq!(group(20, 1).verdict(), NotationVerdict::Failed);
        assert!(group(1, 0).difference().low <= -100.0);
    }
}
