//! Excerpts of one result by itself, at one size after another: what is found for one serves the
//! next.

use std::sync::Arc;

use super::lines::LazyLineIndex;
use super::reduction_chain::ReductionChain;
use super::{Depth, Encoder, ReducedSize, ShownForm, TextOwner};

/// A result of which excerpts are made.
#[derive(Debug)]
pub struct ExcerptSource {
    text: Arc<str>,
    chain: ReductionChain,
    /// Its form after rung 1, to which each excerpt is compared.
    lossless: (ShownForm, Arc<LazyLineIndex>),
}

impl Encoder<'_> {
    /// Starts with a result by itself, without references.
    pub fn start_excerpts(&self, text: &Arc<str>) -> ExcerptSource {
        let chain = self.start_chain(text, TextOwner::Result);
        let lossless = chain.parts();
        ExcerptSource { text: Arc::clone(text), chain, lossless }
    }

    /// The excerpt of so many bytes, or the form after rung 1 if that takes no more tokens.
    pub fn excerpt(&self, source: &mut ExcerptSource, bytes: u32) -> ShownForm {
        let ExcerptSource { text, chain, lossless: (form, lines) } = source;
        chain.restart(form.clone(), Arc::clone(lines));
        let size = if self.has_hook_form(text) {
            ReducedSize::To(Depth::Reduced)
        } else {
            ReducedSize::Excerpt { bytes }
        };
        self.reduce_step(chain, text, size);
        chain.form().clone()
    }
}
