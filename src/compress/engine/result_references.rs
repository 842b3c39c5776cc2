//! References in the forms of a list's results, to the texts before them.

use std::borrow::Cow;
use std::sync::Arc;

use super::counted_text::{CountedText, recount};
use super::encoder::{EarlierText, Encoder, RESULT_KIND};
use super::lines::LazyLineIndex;
use super::mark::ReferenceTarget;
use super::{CachedForm, Fidelity, ReferenceKey, ShownForm, arguments_of};
use crate::compress::lossless::equivalent;
use crate::compress::notation::NotationKind;
use crate::domain::AllowedNotations;
use crate::tokenizer::Digest;

/// Tokens below which no reference pays.
const MIN_TEXT_TOKENS: u64 = 12;

impl Encoder<'_> {
    /// The form of a text by itself, with references if they take fewer tokens.
    pub(super) fn form_with_references(
        &mut self,
        text: &Arc<str>,
        digest: Digest,
        known: &CachedForm,
    ) -> (ShownForm, Arc<LazyLineIndex>) {
        let mut form = known.form.clone();
        let mut lines = Arc::clone(&known.lines);
        let may_refer = self.notations != AllowedNotations::None;
        if !may_refer || form.tokens_after < MIN_TEXT_TOKENS || form.rules == ["escape"] {
            return (form, lines);
        }
        let digest = self.list_digest.then(&digest, RESULT_KIND);
        let key = ReferenceKey {
            name: self.name,
            lossless: self.lossless,
            notations: self.notations,
            explained: self.explained,
            digest,
        };
        let found = if let Some(found) = self.engine.references.get(&key) {
            found
        } else {
            self.catch_up();
            let found = self.find_references(text, known).map(Arc::new);
            self.engine.references.insert(key, found.clone());
            found
        };
        if let Some(found) = found {
            form.tokens_after = found.form.tokens_after;
            form.text.clone_from(&found.form.text);
            form.rules.clone_from(&found.form.rules);
            form.kinds = found.form.kinds;
            lines = Arc::clone(&found.lines);
        }
        (form, lines)
    }

    /// Whether a text with references might take fewer tokens than so many. What they represent has
    /// no more tokens than bytes.
    pub(super) fn may_refer(&self, text: &Arc<str>, known: &CachedForm, tokens: u64) -> bool {
        if self.notations == AllowedNotations::None {
            return false;
        }
        let CachedForm { form, lines, plain, .. } = known;
        let may = |text: &str, own: u64, lines: &LazyLineIndex| {
            own < tokens.saturating_add(self.backlog.at_most(text, lines.resolve(text)))
        };
        let shown = form.text.as_ref().unwrap_or(text);
        let has_blocks = || form.rules.iter().any(|rule| rule != "clean");
        may(shown, form.tokens_after, lines)
            || match plain {
                Some(plain) => may(text, form.tokens_before, plain),
                None => has_blocks(),
            }
    }

    /// The text with references, in its short form by itself or without blocks: what is in
    /// an earlier text may be there without them.
    fn find_references(&self, text: &Arc<str>, known: &CachedForm) -> Option<CachedForm> {
        let CachedForm { form, lines, .. } = known;
        let shown = form.text.as_ref().unwrap_or(text);
        let own = Some(form.tokens_after);
        let referring = self.write_references(shown, own, lines, form.tokens_after);
        let referring = referring.map(|mut known| {
            let reference = Cow::Borrowed("reference");
            known.form.rules = form.rules.iter().cloned().chain([reference]).collect();
            known.form.kinds = known.form.kinds.union(form.kinds);
            known
        });
        let is_clean = form.rules.first().is_some_and(|rule| rule == "clean");
        if form.rules.len() == usize::from(is_clean) {
            return referring;
        }
        let plain = if is_clean { equivalent(text) } else { Cow::Borrowed(&**text) };
        let tokens = referring.as_ref().map_or(form.tokens_after, |known| known.form.tokens_after);
        let other = match &known.plain {
            Some(lines) => self.write_references(&plain, Some(form.tokens_before), lines, tokens),
            None => self.write_references(&plain, None, &LazyLineIndex::new(&plain), tokens),
        };
        let other = other.map(|mut known| {
            let clean = is_clean.then_some("clean");
            let rules = clean.into_iter().chain(["reference"]);
            known.form.rules = rules.map(Cow::Borrowed).collect();
            known
        });
        other.or(referring)
    }

    /// The output of rung 2 may be in an earlier text as it is shown.
    pub(super) fn refer_again(&mut self, form: &mut ShownForm, lines: &mut Arc<LazyLineIndex>) {
        let is_reduced =
            form.class == Fidelity::Reversible && self.notations != AllowedNotations::None;
        let Some(text) = form.text.clone().filter(|_| is_reduced) else {
            return;
        };
        self.catch_up();
        let own = Some(form.tokens_after);
        if let Some(known) = self.write_references(&text, own, lines, form.tokens_after) {
            form.text = known.form.text;
            form.tokens_after = known.form.tokens_after;
            form.rules.push(Cow::Borrowed("reference"));
            form.kinds.insert(NotationKind::Reference);
            *lines = known.lines;
        }
    }

    /// A text, which takes so many tokens if that is known, with references, if it takes
    /// fewer than `tokens` with them.
    fn write_references(
        &self,
        shown: &str,
        own: Option<u64>,
        lines: &LazyLineIndex,
        tokens: u64,
    ) -> Option<CachedForm> {
        let (counter, name) = (self.counter, self.name);
        let mut pays = |span: &str, reference: &str, least_saved: u64| {
            // No text takes more tokens than it has bytes.
            if span.len() as u64 <= counter.at_least(name, reference) + 2 + least_saved {
                return false;
            }
            let least = counter.at_least(name, span);
            least > reference.len() as u64 + 2 + least_saved || {
                let cost = counter.count_once(name, reference) + 2 + least_saved;
                least > cost || counter.count_once(name, span) > cost
            }
        };
        let kind = NotationKind::Reference;
        let legend = (!self.explained.contains(kind)).then(|| kind.legend());
        let (referring, changes) = self.backlog.write_references(
            shown,
            lines.resolve(shown),
            legend.as_deref(),
            &mut pays,
        )?;
        let tokens_after = own
            .map(|tokens| CountedText { text: shown, tokens })
            .and_then(|own| recount(counter, name, own, &referring, &changes))
            .unwrap_or_else(|| counter.count_once(name, &referring));
        if tokens_after >= tokens {
            return None;
        }
        let lines = Arc::new(LazyLineIndex::new(&referring));
        let text = Some(referring.into());
        let kinds = kind.into();
        let form = ShownForm { text, kinds, tokens_after, ..ShownForm::as_it_came(tokens) };
        Some(CachedForm { form, lines, plain: None, spans: None })
    }

    /// Adds to the backlog what waits for it.
    pub(super) fn catch_up(&mut self) {
        for before in self.pending.drain(..) {
            match before {
                EarlierText::Result(nth, text, lines) => {
                    self.backlog.add(ReferenceTarget::Result(nth), text, lines);
                }
                EarlierText::Call(nth, arguments) => {
                    for (place, text) in arguments_of(nth, &arguments) {
                        let lines = Arc::new(LazyLineIndex::new(&text));
                        self.backlog.add(place, text, lines);
                    }
                }
            }
        }
    }
}
