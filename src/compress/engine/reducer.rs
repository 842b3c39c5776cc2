//! Rung 2 over one text: its adapters, and rung 1 over what they leave.

use std::borrow::Cow;
use std::sync::Arc;

use super::counted_text::{CountedText, TextChange, recount};
use super::legends::LegendCounter;
use super::lines::LazyLineIndex;
use super::shown_facts::{FactContext, FactContextId};
use super::tokens::{EditTokens, TokenSource};
use super::{
    CachedForm, Depth, EncodingPasses, Engine, Fidelity, FormRules, ReducedSize, ShownForm,
    SourceText, TextRole, make_short_form,
};
use crate::compress::adapter::{
    self, AdapterSet, Cut, FormatAdapter, shorten_parts, with_line_feeds,
};
use crate::compress::digest::{self, DigestSize};
use crate::compress::fill::FillSource;
use crate::compress::notation::NotationKinds;
use crate::compress::segment::Span;
use crate::domain::{AllowedNotations, ArtifactId, TokenizerName};
use crate::tokenizer::{Counter, Digest};

/// Parameters of rung 2.
#[derive(Debug, Clone, Copy)]
pub struct Reducer<'r> {
    pub adapters: &'r AdapterSet,
    /// The line that says where the whole of a shortened result is available, if it is.
    pub pointer: Option<fn(ArtifactId) -> String>,
}

/// A reducer, and the digest that identifies its results.
#[derive(Debug, Clone, Copy)]
pub(super) struct NamedReducer<'r> {
    reducer: Reducer<'r>,
    pub(super) id: Digest,
}

impl NamedReducer<'_> {
    /// Whether a hook made a shorter form of the text: only the hook knows what may be cut of it.
    pub(super) fn has_hook_form(&self, text: &str) -> bool {
        self.reducer.adapters.has_hook_form(text)
    }
}

impl<'r> From<Reducer<'r>> for NamedReducer<'r> {
    fn from(reducer: Reducer<'r>) -> Self {
        // Lines that say it in other words make other forms.
        let line = reducer.pointer.map(|line| line(ArtifactId::of_text("")));
        let pointer = Digest::from_text(line.as_deref().unwrap_or_default());
        let is_there = u8::from(line.is_some());
        Self { reducer, id: reducer.adapters.digest().then(&pointer, is_there) }
    }
}

/// One step down rung 2: the adapters, how far they go, and the facts shown elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct DepthStep<'r> {
    pub(super) reducer: &'r NamedReducer<'r>,
    pub(super) size: ReducedSize,
    pub(super) context: Option<FactContext<'r>>,
    /// Kinds of notations that the list explains before the text.
    pub(super) explained: NotationKinds,
}

/// The cache key of a form after rung 2.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ReducedKey {
    name: TokenizerName,
    role: TextRole,
    notations: AllowedNotations,
    size: ReducedSize,
    reducer: Digest,
    text: Digest,
    /// The kinds of notations that it explains.
    legends: NotationKinds,
    /// The texts whose facts are left out, if any are.
    context: Option<FactContextId>,
}

/// Shared material of the digests of one text, computed once.
#[derive(Debug, Default)]
pub(super) struct DigestCache {
    /// Their source, once one is made.
    source: Option<digest::DigestSource>,
    /// The source of excerpts.
    fill: Option<FillSource>,
    /// The last digest and its form: a small text often has the same one at the next depth.
    last: Option<(Digest, Arc<CachedForm>)>,
}

/// Whether a text is so short that rung 2 leaves all of it, at any depth.
pub fn stays_whole(text: &str) -> bool {
    text.len() < adapter::MIN_TEXT_BYTES.min(digest::MIN_TEXT_BYTES)
}

impl Engine {
    /// The text after rung 2, no longer than it is after rung 1 alone. `digests`: what was found
    /// for those that the text has at other depths.
    pub(super) fn reduce(
        &self,
        counter: &Counter,
        name: TokenizerName,
        step: DepthStep<'_>,
        source: SourceText<'_>,
        digests: &mut DigestCache,
    ) -> Arc<CachedForm> {
        let DepthStep { reducer, size, context: beside, explained } = step;
        let SourceText { role, notations, text, digest } = source;
        let key = ReducedKey {
            name,
            role,
            notations,
            legends: NotationKinds::default(),
            size,
            reducer: reducer.id,
            text: digest,
            context: beside
                .filter(|_| size.depth().is_some_and(Depth::depends_on_context))
                .map(|beside| beside.id()),
        };
        if let Some(known) = self.reduced.get(&key) {
            return self.explain_reduced(counter, known, &key, explained);
        }
        let reducer = &reducer.reducer;
        // A pass that finds nothing in the whole finds nothing in what is left of it.
        let whole = self.short_form(counter, name, source);
        let tried = match (whole.is_rewritten(), whole.form.class) {
            (false, _) => EncodingPasses::Clean,
            (true, Fidelity::Exact) => EncodingPasses::Notations,
            (true, _) => EncodingPasses::All,
        };
        let spans = whole.spans.as_deref();
        let rules = FormRules { role, passes: tried, notations };
        let reduction = Reduction { counter, name, reducer, rules, text, digest, spans };
        let is_shown = |fact| {
            let context = beside.zip(size.depth());
            context.is_some_and(|(beside, depth)| beside.holds(depth, fact))
        };
        let known = match size.digest() {
            None => Arc::new(reduction.cache_form(reduction.run_adapters())),
            Some((size, rule)) => digests.digest_form(&reduction, size, rule, &is_shown),
        };
        if !reducer.adapters.is_stopped() {
            self.reduced.insert(key.clone(), Arc::clone(&known));
        }
        self.explain_reduced(counter, known, &key, explained)
    }

    /// The form with legends for what the list does not explain before it.
    fn explain_reduced(
        &self,
        counter: &Counter,
        known: Arc<CachedForm>,
        key: &ReducedKey,
        explained: NotationKinds,
    ) -> Arc<CachedForm> {
        let legends = known.form.kinds.without(explained);
        if legends.is_empty() {
            return known;
        }
        let key = ReducedKey { legends, ..key.clone() };
        if let Some(known) = self.reduced.get(&key) {
            return known;
        }
        let counter = LegendCounter { counter, name: key.name };
        let known = Arc::new(counter.explain(&known, legends));
        self.reduced.insert(key, Arc::clone(&known));
        known
    }
}

impl DigestCache {
    fn digest_form(
        &mut self,
        reduction: &Reduction<'_>,
        size: DigestSize,
        rule: &'static str,
        is_shown: &dyn Fn(u64) -> bool,
    ) -> Arc<CachedForm> {
        let text_role = reduction.rules.role;
        let text = match text_role {
            TextRole::Arguments => Cow::Borrowed(reduction.text),
            _ => with_line_feeds(reduction.text),
        };
        let text = &*text;
        let left =
            Some(text).filter(|text| text.len() >= digest::MIN_TEXT_BYTES).and_then(|text| {
                if let (DigestSize::Bytes(bytes), true) = (size, text_role != TextRole::Arguments) {
                    let source = self.fill.get_or_insert_with(|| FillSource::new(text));
                    return source.fill(text, bytes);
                }
                let source = self.source.get_or_insert_with(|| match text_role {
                    TextRole::Arguments => digest::DigestSource::of_arguments(text),
                    TextRole::Result(_) | TextRole::Words | TextRole::Reply => {
                        digest::DigestSource::of_text(text)
                    }
                });
                source.digest(text, size, is_shown)
            });
        let Some(left) = left else {
            return Arc::new(reduction.cache_form(reduction.unchanged_form()));
        };
        let digest = Digest::from_text(&left);
        if let Some((_, known)) = self.last.as_ref().filter(|(last, _)| *last == digest) {
            return Arc::new(known.with_rule(rule));
        }
        let form = reduction.short_form(left, None, vec![rule.into()]);
        let known = Arc::new(reduction.cache_form(form));
        self.last = Some((digest, Arc::clone(&known)));
        known
    }
}

impl CachedForm {
    /// The same form if it is a digest of another depth.
    fn with_rule(&self, rule: &'static str) -> Self {
        let mut form = self.form.clone();
        if let Some(first) = form.rules.first_mut() {
            *first = rule.into();
        }
        Self { form, lines: Arc::clone(&self.lines), plain: None, spans: None }
    }
}

/// One text and how it is to be reduced.
struct Reduction<'r> {
    counter: &'r Counter,
    name: TokenizerName,
    reducer: &'r Reducer<'r>,
    /// Rules for what the adapters leave.
    rules: FormRules,
    text: &'r str,
    /// The text's own.
    digest: Digest,
    /// The parts of the text, if they were computed.
    spans: Option<&'r [Span]>,
}

impl Reduction<'_> {
    fn run_adapters(&self) -> ShownForm {
        if self.rules.role == TextRole::Arguments {
            return self.unchanged_form();
        }
        let words = matches!(self.rules.role, TextRole::Words | TextRole::Reply);
        let list: Vec<&dyn FormatAdapter> = self.reducer.adapters.list(words).collect();
        let (counter, name) = (self.counter, self.name);
        let pays = |before: &str, after: &str| {
            // The rest of the whole is looked at in its last form.
            if before == self.text {
                return true;
            }
            let after = counter.count(name, after);
            counter.at_least(name, before) > after || counter.count(name, before) > after
        };
        let shortened = shorten_parts(&list, self.text, self.spans, &pays);
        let rule = |adapter: &String| Cow::Owned(format!("adapter:{adapter}"));
        let used: Vec<_> = shortened.used.iter().map(rule).collect();
        let mut form = match shortened.text {
            Some(left) => self.short_form(left, Some(&shortened.cuts), used.clone()),
            None => self.unchanged_form(),
        };
        if form.text.is_none() {
            form.refused.extend(used);
        }
        form.reverted.extend(shortened.reverted.iter().map(rule));
        form.refused.extend(shortened.refused.iter().map(rule));
        form
    }

    /// The form, and its lines.
    fn cache_form(&self, form: ShownForm) -> CachedForm {
        // Only results are pointed at.
        let shown = form.text.as_deref().filter(|_| matches!(self.rules.role, TextRole::Result(_)));
        let lines = shown.map_or_else(Arc::default, |shown| Arc::new(LazyLineIndex::new(shown)));
        CachedForm { form, lines, plain: None, spans: None }
    }

    /// The form of the unchanged text.
    fn unchanged_form(&self) -> ShownForm {
        ShownForm::as_it_came(self.tokens())
    }

    /// Tokens of the original text.
    fn tokens(&self) -> u64 {
        let counted = self.counter.count_digest(self.name, self.text, self.digest, &mut || true);
        counted.unwrap_or_default()
    }

    /// The form of what is left of the text, after these cuts if they are known.
    fn short_form(
        &self,
        left: String,
        cuts: Option<&Vec<Cut>>,
        rules: Vec<Cow<'static, str>>,
    ) -> ShownForm {
        let stays = self.unchanged_form();
        let changed = || {
            let own = CountedText { text: self.text, tokens: self.tokens() };
            recount(self.counter, self.name, own, &left, &TextChange::from_cuts(cuts?))
        };
        let tokens =
            EditTokens::new(self.counter, self.name, &left, TokenSource::Changes(&changed));
        let formed = make_short_form(&tokens, self.rules);
        let kinds = formed.kinds();
        let mut tokens = formed.tokens;
        let mut text = formed.text.unwrap_or(left);
        if let (Some(line), TextRole::Result(_)) = (self.reducer.pointer, self.rules.role) {
            text.push('\n');
            text.push_str(&line(ArtifactId::of_text(self.text)));
            tokens = self.counter.count_once(self.name, &text);
        }
        if tokens >= stays.tokens_before {
            return stays;
        }
        ShownForm {
            text: Some(text.into()),
            class: Fidelity::Reversible,
            kinds,
            rules: rules.into_iter().chain(formed.rules.into_iter().map(Cow::Borrowed)).collect(),
            reverted: formed.reverted.into_iter().map(Cow::Borrowed).collect(),
            tokens_after: tokens,
            tokens_alone: tokens,
            ..stays
        }
    }
}
