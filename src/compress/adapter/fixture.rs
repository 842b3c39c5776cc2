//! Fixtures of the tests of adapters: a text under an adapter, with a plain one for prose inside.

use super::{AdapterAttempt, AdapterOutput, Cut, FormatAdapter, InnerTexts, Part, shorten};
use crate::compress::segment::Kind;

/// Keeps the first sentence of a text and the last.
#[derive(Debug)]
struct EndsAdapter;

impl FormatAdapter for EndsAdapter {
    fn name(&self) -> &'static str {
        "ends"
    }

    fn detects(&self, part: Part<'_>) -> bool {
        part.is_all(|kind| matches!(kind, Kind::Prose | Kind::Markdown(_)))
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        let ends: Vec<usize> = part
            .text
            .match_indices([' ', '\n'])
            .map(|(at, _)| at)
            .filter(|at| part.text[..*at].ends_with('.'))
            .collect();
        let cuts = match ends.as_slice() {
            [first, .., last] => vec![Cut { range: *first..*last, with: " […]".to_owned() }],
            _ => Vec::new(),
        };
        AdapterAttempt::new(cuts, |_| true)
    }

    fn holds(&self, _: &str, _: &str) -> bool {
        true
    }
}

/// Applies an adapter to a text as long as that shortens it.
pub(super) fn shortened(adapter: &dyn FormatAdapter, text: &str) -> AdapterOutput {
    shorten(&[adapter, &EndsAdapter], text, &|_, _| true)
}

/// The text in its shorter form, or as it is; nothing may have been taken back.
#[track_caller]
pub(super) fn shown(adapter: &dyn FormatAdapter, text: &str) -> String {
    let shortened = shortened(adapter, text);
    assert_eq!(shortened.reverted, Vec::<String>::new(), "{text}");
    let shown = shortened.text.unwrap_or_else(|| text.to_owned());
    assert!(shown.len() <= text.len());
    shown
}

/// Sentences of which the middle ones go.
pub(super) const PROSE: &str = "The boiler in the cellar is lit before sunrise by whoever has the early shift. \
    It takes about half an hour until the water is warm enough for the kitchen. \
    Nobody may leave the cellar while the valve is open. \
    The keys hang beside the door of the workshop.";
/// The same without them.
pub(super) const SHORT_PROSE: &str = "The boiler in the cellar is lit before sunrise by whoever has the early shift. \
    […] The keys hang beside the door of the workshop.";

/// Any text of words, and of what formats give a meaning to.
pub(super) fn any_prose() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let word = prop_oneof![
        8 => "[a-z]{1,9}",
        1 => prop::sample::select(vec![
            "<", "&", "]]>", "--", "-", "'", "\"", "it's", "a: b", "#", "# x", "key:", "{x}", "[y]",
            "\\", "é", "日本", "%", "@", "`", "!", "|", ">", "a,b", "…", "*x", "&y", "?", "1.5", "\t",
        ]).prop_map(str::to_owned),
    ];
    let sentence = prop::collection::vec(word, 3..12).prop_map(|words| words.join(" ") + ".");
    let joint = prop::sample::select(vec![" ", " ", " ", "\n", "\n\n"]);
    prop::collection::vec((sentence, joint), 1..9).prop_map(|sentences| {
        let text: String = sentences.iter().flat_map(|(text, joint)| [text, *joint]).collect();
        text.trim().to_owned()
    })
}
