//! A text by itself on its way down rung 2: each step goes by the one before.

use std::borrow::Cow;
use std::sync::Arc;

use super::lines::LazyLineIndex;
use super::reduce::{Digests, ReductionStep, stays_whole};
use super::{CachedForm, Engine, ShownForm, SourceText, TextRole};
use crate::domain::TokenizerName;
use crate::tokenizer::{Counter, Digest};

/// A text, how far it was taken, and what its further steps go by.
#[derive(Debug)]
pub struct ReductionChain {
    role: TextRole,
    /// The text's own.
    digest: Digest,
    form: ShownForm,
    lines: Arc<LazyLineIndex>,
    digests: Digests,
}

impl ReductionChain {
    /// The beginning: the form after rung 1.
    pub(super) fn of(role: TextRole, digest: Digest, known: &CachedForm) -> Self {
        Self::from(role, digest, known.form.clone(), Arc::clone(&known.lines))
    }

    /// The beginning, where the form after rung 1 may hold references.
    pub(super) fn from(
        role: TextRole,
        digest: Digest,
        form: ShownForm,
        lines: Arc<LazyLineIndex>,
    ) -> Self {
        Self { role, digest, form, lines, digests: Digests::default() }
    }

    /// The text's form as far as it was taken.
    pub fn form(&self) -> &ShownForm {
        &self.form
    }

    pub(super) fn into_form(self) -> ShownForm {
        self.form
    }

    pub(super) fn into_parts(self) -> (ShownForm, Arc<LazyLineIndex>) {
        (self.form, self.lines)
    }

    /// Takes the form of the next depth where it is shorter than the one at hand.
    pub(super) fn step(
        &mut self,
        engine: &Engine,
        counter: &Counter,
        name: TokenizerName,
        step: ReductionStep<'_>,
        text: &str,
    ) {
        if stays_whole(text) {
            return;
        }
        let source = SourceText { role: self.role, text, digest: self.digest };
        let known = engine.reduced(counter, name, step, source, &mut self.digests);
        if known.form.text.is_some() && known.form.tokens_after < self.form.tokens_after {
            let before = std::mem::replace(&mut self.form, known.form.clone());
            self.form.tokens_alone = self.form.tokens_alone.min(before.tokens_alone);
            add(&mut self.form.reverted, &before.reverted);
            self.lines = Arc::clone(&known.lines);
        }
        add(&mut self.form.reverted, &known.form.reverted);
        add(&mut self.form.refused, &known.form.refused);
    }
}

fn add(names: &mut Vec<Cow<'static, str>>, others: &[Cow<'static, str>]) {
    for name in others {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
}
