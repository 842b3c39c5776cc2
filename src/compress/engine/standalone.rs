//! The short form of a text by itself: it depends on nothing but the text.

use std::borrow::Cow;
use std::panic::AssertUnwindSafe;

use super::block_decoder::decodes_to;
use super::blocks::{self, BlockRules, Blocks, DecodeCheck, MIN_TEXT_BYTES, MIN_WORDS_BYTES};
use super::mark::has_marks;
use super::tokens::EditTokens;
use super::{EncodingPasses, FormRules, Lossless, TextRole};
use crate::compress::MAX_EDIT_BYTES;
use crate::compress::lossless::{without_layout, without_line_ends};
use crate::compress::segment::Span;

/// A form that decodes to the very bytes may take one token in so many more.
const EXACT_BONUS_SHARE: u64 = 50;

/// The short form that was found for a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StandaloneForm {
    /// The short form; none if the text stays as it is.
    pub(super) form: Option<String>,
    /// Whether something was taken out that says nothing (class `equivalent`).
    pub(super) equivalent: bool,
    /// The notations used, in the order of their first blocks.
    pub(super) notations: Vec<&'static str>,
    /// Notations whose blocks had to be taken back.
    pub(super) reverted: Vec<&'static str>,
    /// The parts of the original text, if they were computed.
    pub(super) spans: Option<Vec<Span>>,
    /// The tokens of the form.
    pub(super) tokens: u64,
}

/// Finds the short form of a text that is not ours to decode as it is.
pub(super) fn find_form(tokens: &EditTokens<'_>, rules: FormRules) -> StandaloneForm {
    let solo = StandaloneForm {
        form: None,
        equivalent: false,
        notations: Vec::new(),
        reverted: Vec::new(),
        spans: None,
        tokens: 0,
    };
    let FormRules { role, passes, notations } = rules;
    let shortest = if role == TextRole::Words { MIN_WORDS_BYTES } else { MIN_TEXT_BYTES };
    if tokens.text().len() < shortest {
        return StandaloneForm { tokens: tokens.total(), ..solo };
    }
    let values = notations.values().filter(|_| passes != EncodingPasses::Clean);
    let blocks =
        |check| values.map(|values| BlockRules { role, values, check, max_bytes: MAX_EDIT_BYTES });
    // Of the forms that are found only one is shown: it is decoded as a whole. If that does
    // not give the text back, each block of all of them is.
    let (found, source) = solo.clone().find_shortest(tokens, rules, blocks(DecodeCheck::Later));
    if found.holds(&source) {
        found
    } else {
        solo.find_shortest(tokens, rules, blocks(DecodeCheck::Each)).0
    }
}

impl StandaloneForm {
    /// The shorter form of the text and of what is left without that which says nothing, and the
    /// one of the two that it was made of. No block is made without rules for blocks.
    fn find_shortest<'t>(
        mut self,
        tokens: &EditTokens<'t>,
        rules: FormRules,
        block_rules: Option<BlockRules>,
    ) -> (Self, Cow<'t, str>) {
        let blocks = |tokens: &EditTokens<'_>, text: &str| {
            let made = block_rules.map(|rules| blocks::write_blocks(tokens, text, rules));
            made.unwrap_or_default()
        };
        let text = tokens.text();
        let mut made = blocks(tokens, text);
        self.spans = block_rules.map(|_| std::mem::take(&mut made.spans));
        let of_any_layout = made.of_any_layout;
        self.take(tokens, made);
        let may_clean = rules.role == TextRole::Result(Lossless::Equivalent)
            && rules.passes != EncodingPasses::Notations;
        if !may_clean {
            return (self, Cow::Borrowed(text));
        }
        let lines = without_line_ends(text);
        let others = text.len().saturating_sub(of_any_layout);
        let is_of_any_layout = lines.len() == text.len() && self.is_of_any_layout(others);
        if is_of_any_layout && self.is_far_shorter(tokens) {
            return (self, Cow::Borrowed(text));
        }
        let clean = without_layout(lines);
        if is_of_any_layout
            && tokens.at_least(&clean) + self.tokens / EXACT_BONUS_SHARE >= self.tokens
        {
            return (self, Cow::Borrowed(text));
        }
        // Removing a part may leave a line that would be taken for a mark of ours.
        if clean == text || has_marks(&clean) {
            return (self, Cow::Borrowed(text));
        }
        let mut other =
            Self { form: None, equivalent: true, notations: Vec::new(), ..self.clone() };
        let tokens = tokens.for_text(&clean);
        other.take(&tokens, blocks(&tokens, &clean));
        if other.tokens + self.tokens / EXACT_BONUS_SHARE < self.tokens {
            if other.form.is_none() {
                other.form = Some(clean.clone().into_owned());
            }
            return (other, clean);
        }
        (self, Cow::Borrowed(text))
    }

    /// Whether a text without the white space of its format would be written alike, but for a few
    /// words of a header: all of it but some bytes is in blocks that white space has no say in.
    fn is_of_any_layout(&self, others: usize) -> bool {
        /// Tokens of the words that tell how a document was laid out.
        const LAYOUT_WORDS_TOKENS: u64 = 4;
        self.form.is_some()
            && (others as u64 + LAYOUT_WORDS_TOKENS) * EXACT_BONUS_SHARE <= self.tokens
    }

    /// Whether the form is shorter than the text would be without any white space, by a fifth, as
    /// its share of the bytes has it: white space has few tokens.
    fn is_far_shorter(&self, tokens: &EditTokens<'_>) -> bool {
        let text = tokens.text();
        let says = text.bytes().filter(|byte| *byte > b' ').count() as u64;
        self.tokens * text.len() as u64 * 5 <= tokens.total() * says * 4
    }

    /// Whether the form decodes to what it was made of.
    fn holds(&self, source: &str) -> bool {
        let Some(form) = self.form.as_ref().filter(|_| !self.notations.is_empty()) else {
            return true;
        };
        // A panic is a defect of a notation, and must not fail a request.
        std::panic::catch_unwind(AssertUnwindSafe(|| decodes_to(form, source))).unwrap_or(false)
    }

    /// Takes a form with blocks, if it has fewer tokens than the text.
    fn take(&mut self, tokens: &EditTokens<'_>, blocks: Blocks) {
        self.reverted = blocks.reverted;
        if !blocks.used.is_empty() {
            let (after, are_cut) = tokens.form(&blocks.text, &blocks.block_tokens);
            // Each block takes less than its lines, and all else the same.
            let is_shorter = are_cut && blocks.are_cut;
            if is_shorter || tokens.exceeds(tokens.text(), after) {
                self.tokens = after;
                self.notations = blocks.used;
                self.form = Some(blocks.text);
                return;
            }
        }
        self.tokens = tokens.total();
    }
}
