//! The reduction of one text by itself: each step down rung 2 builds on the one before.

use std::borrow::Cow;
use std::sync::Arc;

use super::lines::LazyLineIndex;
use super::reducer::{DepthStep, DigestCache, stays_whole};
use super::{CachedForm, Engine, ShownForm, SourceText, TextRole};
use crate::compress::notation::NotationKinds;
use crate::domain::{AllowedNotations, TokenizerName};
use crate::tokenizer::{Counter, Digest};

/// Rules for all steps of a chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChainRules {
    pub(super) role: TextRole,
    pub(super) notations: AllowedNotations,
    /// Kinds of notations that the list explains before the text.
    pub(super) explained: NotationKinds,
}

/// A text, its form so far, and what its further steps build on.
#[derive(Debug)]
pub struct ReductionChain {
    rules: ChainRules,
    /// The text's own.
    digest: Digest,
    form: ShownForm,
    lines: Arc<LazyLineIndex>,
    digests: DigestCache,
}

impl ReductionChain {
    /// Starts with the form after rung 1.
    pub(super) fn new(rules: ChainRules, digest: Digest, known: &CachedForm) -> Self {
        Self::with_form(rules, digest, known.form.clone(), Arc::clone(&known.lines))
    }

    /// Starts with a form after rung 1 that may contain references.
    pub(super) fn with_form(
        rules: ChainRules,
        digest: Digest,
        form: ShownForm,
        lines: Arc<LazyLineIndex>,
    ) -> Self {
        Self { rules, digest, form, lines, digests: DigestCache::default() }
    }

    pub(super) fn rules(&self) -> ChainRules {
        self.rules
    }

    /// The text's form so far.
    pub fn form(&self) -> &ShownForm {
        &self.form
    }

    pub(super) fn parts(&self) -> (ShownForm, Arc<LazyLineIndex>) {
        (self.form.clone(), Arc::clone(&self.lines))
    }

    /// Goes back to a form after rung 1. What was found for digests of the text serves further
    /// ones.
    pub(super) fn restart(&mut self, form: ShownForm, lines: Arc<LazyLineIndex>) {
        (self.form, self.lines) = (form, lines);
    }

    pub(super) fn into_form(self) -> ShownForm {
        self.form
    }

    pub(super) fn into_parts(self) -> (ShownForm, Arc<LazyLineIndex>) {
        (self.form, self.lines)
    }

    /// Takes the form of the next depth if it is shorter than the current one.
    pub(super) fn step(
        &mut self,
        engine: &Engine,
        counter: &Counter,
        name: TokenizerName,
        step: DepthStep<'_>,
        text: &str,
    ) {
        if stays_whole(text) {
            return;
        }
        let ChainRules { role, notations, .. } = self.rules;
        let source = SourceText { role, notations, text, digest: self.digest };
        let known = engine.reduce(counter, name, step, source, &mut self.digests);
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
