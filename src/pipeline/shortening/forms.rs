//! The forms in which a message of the list and its texts are shown, and the limits of edits.

use std::convert::Infallible;
use std::sync::Arc;

use super::{MessageAuthor, ShortenJob};
use crate::compress::{
    Depth, EditLimit, Encoder, MIN_FILL_BYTES, ReducedSize, ShownForm, TextOwner, find_fill,
    stays_whole,
};
use crate::pipeline::compress::Clearing;
use crate::pipeline::report::Action;
use crate::provider::MessageText;
use crate::request::{CompressRequest, Level};

/// Visibility of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visibility {
    Whole,
    /// Its texts are reduced by rung 2 to this depth.
    To(Depth),
    /// Its tool results, or its thinking too, are cleared; all other texts are reduced to this
    /// depth.
    Cleared(Depth, Clearing),
    /// Its tool results show as much as there is room for, in so many bytes each; other texts are
    /// reduced to this depth.
    Excerpt {
        bytes: u32,
        words: Depth,
    },
    Gone(Action),
}

impl ShortenJob<'_> {
    /// The limit of edits to words that a person wrote.
    pub(super) fn hold_words(&self, hold: EditLimit) -> EditLimit {
        match hold {
            EditLimit::Free | EditLimit::To(_) if self.request.reader.results_only => {
                EditLimit::Fixed
            }
            hold => hold,
        }
    }

    /// Edits that a text of the model, or the arguments of its call, may get.
    pub(super) fn hold_own(&self, hold: EditLimit, text: &str) -> EditLimit {
        match self.hold_words(hold) {
            EditLimit::To(_) if stays_whole(text) => EditLimit::Fixed,
            hold => hold,
        }
    }

    /// Edits that the texts of a message may get.
    pub(super) fn hold_in(&self, at: usize, visibility: Visibility) -> EditLimit {
        match (self.hold(at), visibility) {
            (
                EditLimit::Free,
                Visibility::To(depth)
                | Visibility::Cleared(depth, _)
                | Visibility::Excerpt { words: depth, .. },
            ) => EditLimit::To(depth),
            (hold, _) => hold,
        }
    }

    /// Edits that the results of a message may get.
    pub(super) fn hold_result(&self, at: usize, visibility: Visibility) -> EditLimit {
        match (self.hold(at), visibility) {
            (EditLimit::Free, Visibility::Excerpt { bytes, .. }) => EditLimit::Excerpt { bytes },
            _ => self.hold_in(at, visibility),
        }
    }

    /// Whether a message's texts may take another form at rung 1.
    pub(super) fn hold(&self, at: usize) -> EditLimit {
        match self.makers.get(at) {
            Some(MessageAuthor::Ours | MessageAuthor::OursForGood) => EditLimit::Ours,
            _ if self.fixed.get(at) == Some(&true) => EditLimit::Fixed,
            _ => EditLimit::Free,
        }
    }
}

/// The form of a text by itself.
pub(super) fn find_form(
    encoder: &Encoder<'_>,
    spoken: &MessageText,
    text: &Arc<str>,
    hold: EditLimit,
) -> Option<ShownForm> {
    Some(match (spoken, hold) {
        (MessageText::Words(_), hold) => encoder.encode_prompt_alone(text, hold),
        (MessageText::Said(_), EditLimit::To(depth)) => {
            encoder.encode_reply(text, ReducedSize::To(depth))
        }
        (MessageText::Call(..), EditLimit::To(depth)) => {
            encoder.encode_arguments(text, ReducedSize::To(depth))
        }
        (MessageText::Result(_), EditLimit::To(depth)) => {
            encoder.encode_alone(text, Some(ReducedSize::To(depth)))
        }
        (MessageText::Result(_), EditLimit::Free) => encoder.encode_alone(text, None),
        _ => return None,
    })
}

/// The owner of the texts in a part of a message.
pub(super) fn text_owner(spoken: &MessageText) -> TextOwner {
    match spoken {
        MessageText::Result(_) => TextOwner::Result,
        MessageText::Words(_) => TextOwner::Words,
        MessageText::Said(_) => TextOwner::Reply,
        MessageText::Call(..) => TextOwner::Arguments,
    }
}

/// Tokens of one text after lossless edits alone.
pub(super) fn count_text(
    request: &CompressRequest<'_, '_>,
    text: &Arc<str>,
    mut encoder: Encoder<'_>,
) -> u64 {
    let form = encoder.encode_result(&[Arc::clone(text)], EditLimit::Free).into_iter().next();
    request.model.scale(form.map_or(0, |form| form.tokens_after))
}

/// The form of one text without a list around it, as far down the rungs as the level goes and the budget asks for.
pub(super) fn shorten_text<'e>(
    request: &CompressRequest<'_, '_>,
    text: &Arc<str>,
    encoder: &dyn Fn() -> Encoder<'e>,
) -> Option<ShownForm> {
    let form = |hold| encoder().encode_result(&[Arc::clone(text)], hold).into_iter().next();
    let tokens_of = |form: &Option<ShownForm>| {
        request.model.scale(form.as_ref().map_or(0, |form| form.tokens_after))
    };
    let fits = |form: &Option<ShownForm>| {
        request.budget_tokens.is_some_and(|budget| tokens_of(form) <= budget)
    };
    let lossless = form(EditLimit::Free);
    if request.level < Level::Reversible || fits(&lossless) {
        return lossless;
    }
    // Adapters of the caller's own decide what may go; ours leave room that lines can fill.
    let is_filled = request.budget_tokens.is_some() && request.adapters.is_usual();
    if !is_filled {
        let reduced = form(EditLimit::To(Depth::Reduced));
        if request.budget_tokens.is_none() || fits(&reduced) {
            return reduced;
        }
    }
    let budget = request.budget_tokens.unwrap_or_default();
    let encoder = encoder();
    let mut source = encoder.start_excerpts(text);
    let mut excerpt = |bytes| Some(encoder.excerpt(&mut source, bytes));
    let found = find_fill(text.len() as u64, budget, |bytes| {
        Ok::<_, Infallible>(tokens_of(&excerpt(bytes)))
    });
    // If not even a few lines have room, these are the least that is shown.
    excerpt(found.ok().flatten().map_or(MIN_FILL_BYTES, |found| found.bytes))
}
