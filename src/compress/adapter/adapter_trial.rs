//! One adapter on one text, for authors of definitions.

use std::sync::Arc;

use super::custom::CustomAdapter;
use super::{AdapterSet, FormatAdapter, Part, plain_text, shorten};
use crate::compress::segment::{Span, segment};
use crate::domain::{AdapterChoice, AdapterChoices};
use crate::limit::Deadline;

/// Result of one adapter over a text, for the definition of an adapter to be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialOutput {
    /// Whether it takes the text, or a part of it if it does not take the whole.
    pub detects: bool,
    /// The shortened text; none if the text stays as it is.
    pub text: Option<String>,
    /// Whether its cuts broke the format, and were taken back.
    pub reverted: bool,
    /// Lines that a definition keeps of a text that it takes as a whole.
    pub kept_lines: Option<usize>,
}

impl TrialOutput {
    /// Offers a text to one adapter; none if it is none that can be used. `count`: tokens.
    pub fn run(
        adapter: &AdapterChoice,
        text: &str,
        count: &dyn Fn(&str) -> u64,
        deadline: &Deadline,
    ) -> Option<Self> {
        let adapters = AdapterSet::new(&AdapterChoices::Chosen(vec![adapter.clone()]), deadline);
        let list: Vec<&dyn FormatAdapter> = adapters.list(false).collect();
        let one = *list.first()?;
        let plain = plain_text(text);
        let plain = &*plain;
        let spans = segment(plain);
        let takes_all = one.detects(Part::new(plain, &spans));
        let takes_part = |Span { kind, range }: &Span| {
            plain.get(range.clone()).is_some_and(|text| {
                let spans = [Span { kind: *kind, range: 0..text.len() }];
                one.detects(Part::new(text, &spans))
            })
        };
        let custom = match adapter {
            AdapterChoice::Custom(definition) if takes_all => {
                CustomAdapter::new(Arc::clone(definition), deadline)
            }
            AdapterChoice::Custom(_) | AdapterChoice::Named(_) | AdapterChoice::Tuned(..) => None,
        };
        let made = shorten(&list, text, &|before, after| count(after) < count(before));
        Some(Self {
            detects: takes_all || spans.iter().any(takes_part),
            text: made.text,
            reverted: !made.reverted.is_empty(),
            kept_lines: custom.map(|custom| custom.kept_lines(plain)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AdapterDefinition, DetectRules, LineRemoval, LineSelector};

    fn ledger(join: &str) -> AdapterChoice {
        let definition = AdapterDefinition {
            name: "ledger".into(),
            detect: DetectRules {
                line_matches: vec![(1, "^id,".into())],
                ..DetectRules::default()
            },
            keep: vec![LineSelector::Between(1, 2)],
            shrink: LineRemoval::Rest,
            join: join.into(),
        };
        AdapterChoice::Custom(Arc::new(definition))
    }

    fn words(text: &str) -> u64 {
        text.split(|c: char| !c.is_alphanumeric()).count() as u64
    }

    fn text() -> String {
        let row = |n: usize| format!("{n},lamp {n},paid in cash at the counter\n");
        std::iter::once("id,item,note\n".to_owned()).chain((1..40).map(row)).collect()
    }

    #[test]
    fn a_definition_is_tried_on_a_text() {
        let tried =
            TrialOutput::run(&ledger("{kept}\n[{summary}]"), &text(), &words, &Deadline::default())
                .unwrap();
        assert!(tried.detects && !tried.reverted);
        assert_eq!(tried.kept_lines, Some(2));
        let shown = tried.text.unwrap();
        assert!(shown.starts_with("id,item,note\n1,lamp 1,"), "{shown}");
    }

    #[test]
    fn a_text_of_another_format_stands_as_it_is() {
        let tried =
            TrialOutput::run(&ledger("{kept}{summary}"), "no ledger", &words, &Deadline::default())
                .unwrap();
        let none = TrialOutput { detects: false, text: None, reverted: false, kept_lines: None };
        assert_eq!(tried, none);
    }

    #[test]
    fn what_takes_no_fewer_tokens_stands_as_it_is() {
        let join = format!("{}{{kept}}{{summary}}", "and, what is more, ".repeat(200));
        let tried =
            TrialOutput::run(&ledger(&join), &text(), &words, &Deadline::default()).unwrap();
        assert_eq!((tried.detects, tried.text, tried.kept_lines), (true, None, Some(2)));
    }

    #[test]
    fn a_name_of_nothing_is_no_adapter() {
        assert_eq!(
            TrialOutput::run(
                &AdapterChoice::Named("nobody".into()),
                &text(),
                &words,
                &Deadline::default()
            ),
            None
        );
    }
}
