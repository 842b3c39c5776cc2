//! The short form of one text without a list around it.

use std::convert::Infallible;
use std::sync::Arc;

use crate::compress::{Depth, EditLimit, Encoder, ShownForm, find_excerpt};
use crate::request::{CompressRequest, Level};

/// The form of a text, as far down the rungs as the level goes and the budget asks for.
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
    let reduced = form(EditLimit::To(Depth::Reduced));
    let Some(budget) = request.budget_tokens.filter(|_| !fits(&reduced)) else { return reduced };
    let first = text.len() as u64 * budget / tokens_of(&lossless).max(1);
    let found = find_excerpt(first, text.len() as u64, budget, |bytes| {
        Ok::<_, Infallible>(tokens_of(&form(EditLimit::Excerpt { bytes })))
    });
    match found {
        Ok(Some(found)) => form(EditLimit::Excerpt { bytes: found.bytes }),
        // Not even a few lines have room.
        _ => form(EditLimit::To(Depth::Gist)),
    }
}
