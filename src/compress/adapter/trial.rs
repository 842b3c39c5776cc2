//! Helpers for the tests of all adapters.

use super::{Cut, FormatAdapter, InnerTexts, Part, shorten};
use crate::compress::atom::{atoms, is_boundary};
use crate::compress::segment::segment;

/// Nothing inside is shortened.
pub(super) struct NoInside;

impl InnerTexts for NoInside {
    fn shorten(&mut self, _: &str) -> Option<String> {
        None
    }
}

/// Cuts of an adapter in a text, whether it detects the text or not.
pub(super) fn cuts(adapter: &dyn FormatAdapter, text: &str) -> Vec<Cut> {
    adapter.attempt(Part::new(text, &segment(text)), &mut NoInside).cuts
}

#[track_caller]
pub(super) fn apply(text: &str, cuts: &[Cut]) -> String {
    let mut out = String::new();
    let mut copied = 0;
    for cut in cuts {
        assert!(cut.range.start >= copied, "cuts overlap");
        out.push_str(&text[copied..cut.range.start]);
        out.push_str(&cut.with);
        copied = cut.range.end;
    }
    out + &text[copied..]
}

/// The text as one adapter shortens it; none if it stays as it was.
#[track_caller]
pub(super) fn shortened(adapter: &dyn FormatAdapter, text: &str) -> Option<String> {
    let shown = shorten(&[adapter], text, &|_, _| true);
    assert_eq!(shown.reverted, Vec::<String>::new(), "{text}");
    shown.text
}

/// No cut falls into an atom.
#[track_caller]
pub(super) fn atoms_are_whole(text: &str, cuts: &[Cut]) {
    let atoms = atoms(text);
    for Cut { range, .. } in cuts {
        let whole = is_boundary(&atoms, range.start) && is_boundary(&atoms, range.end);
        assert!(whole, "{:?} cuts an atom of {text:?}", &text[range.clone()]);
    }
}
