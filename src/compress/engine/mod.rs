//! The engine: rung 1 over the texts of a list, in order.
//!
//! Every text has a short form of its own ([`standalone`]), which depends on nothing else; after
//! that, lines that occur in an earlier text are replaced by references ([`back_references`]).
//! Decoding goes the other way round and needs the list alone.

mod back_references;
mod block_decoder;
mod blocks;
mod counted_text;
mod decoder;
mod depth;
mod encoder;
mod excerpts;
mod legends;
mod lines;
mod mark;
mod names;
mod own_lines;
mod reducer;
mod reduction_chain;
mod result_references;
mod shown_facts;
mod shown_form;
mod standalone;
mod text_parts;
mod tokens;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::compress::notation::{NotationKinds, find_notation};
use crate::compress::segment::Span;
use crate::domain::{AllowedNotations, TokenizerName};
use crate::json::{self, Limits};
use crate::tokenizer::{Counter, Digest};

pub use decoder::{DecodedText, Decoder};
pub use depth::{Depth, ReducedSize};
pub use encoder::{EditLimit, Encoder, TextOwner};
pub use excerpts::ExcerptSource;
pub use names::TextNames;
pub use reducer::{Reducer, stays_whole};
pub use reduction_chain::ReductionChain;
pub use shown_facts::{FactMessage, FactSet, FactState, ShownFacts};
pub use shown_form::{Fidelity, ShownForm};

use legends::LegendCounter;
use lines::LazyLineIndex;
use mark::{LITERAL_MARKS, ReferenceTarget};
use reducer::ReducedKey;
use tokens::{EditTokens, TokenSource};

/// Bytes of short forms that are remembered.
const MAX_CACHE_BYTES: u64 = 64 << 20;
/// Texts, changed or not, that are remembered.
const MAX_CACHE_ITEMS: usize = 1 << 14;
/// Bytes from which an argument of a call is worth pointing at.
const MIN_ARGUMENT_BYTES: usize = 40;

/// Edits of rung 1 that are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lossless {
    /// Only edits that decode from the shown text.
    Exact,
    /// Also edits that leave out what has no meaning, such as indentation.
    Equivalent,
}

/// The role of a text, which decides what may be done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum TextRole {
    Result(Lossless),
    Words,
    /// No notation: decoders of a list do not look there.
    Reply,
    /// The arguments of a call: they stay what they are, a JSON object.
    Arguments,
}

/// A text with its role and its digest.
#[derive(Debug, Clone, Copy)]
struct SourceText<'t> {
    role: TextRole,
    notations: AllowedNotations,
    text: &'t str,
    digest: Digest,
}

/// Edits of rung 1 that a form of a text may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FormRules {
    role: TextRole,
    passes: EncodingPasses,
    notations: AllowedNotations,
}

/// Edits of rung 1 that are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EncodingPasses {
    All,
    /// Only notations: the text has nothing without meaning.
    Notations,
    /// Only the removal of what has no meaning: no notation would find anything.
    Clean,
}

/// A cache of short forms. It saves work and changes no output. A process shares one.
pub struct Engine {
    forms: Cache<FormKey, Arc<CachedForm>, FormWeighter>,
    /// Forms with references, by the text and all that precedes it; none if there is
    /// nothing to refer to.
    references: Cache<ReferenceKey, Option<Arc<CachedForm>>, FormWeighter>,
    /// Forms after rung 2, by the text and the adapters.
    reduced: Cache<ReducedKey, Arc<CachedForm>, FormWeighter>,
}

/// The text of a short form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct FormKey {
    name: TokenizerName,
    role: TextRole,
    notations: AllowedNotations,
    digest: Digest,
    /// The kinds of notations that it explains.
    legends: NotationKinds,
}

/// The text of a form with references, and the list before it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ReferenceKey {
    name: TokenizerName,
    lossless: Lossless,
    notations: AllowedNotations,
    /// Kinds of notations that the list explains before it.
    explained: NotationKinds,
    digest: Digest,
}

/// A short form and its lines.
#[derive(Debug)]
struct CachedForm {
    form: ShownForm,
    lines: Arc<LazyLineIndex>,
    /// The lines of the original text, if the form has blocks in their place.
    plain: Option<Arc<LazyLineIndex>>,
    /// The parts of the original text, if they were computed.
    spans: Option<Box<[Span]>>,
}

#[derive(Debug, Clone)]
struct FormWeighter;

impl<K> Weighter<K, Arc<CachedForm>> for FormWeighter {
    fn weight(&self, _: &K, known: &Arc<CachedForm>) -> u64 {
        let form = known.form.text.as_ref().map_or(0, |form| form.len());
        let spans = known.spans.as_ref().map_or(0, |spans| size_of_val(&**spans));
        let plain = known.plain.as_ref().map_or(0, |lines| lines.weight());
        160 + (form + known.lines.weight() + plain + spans) as u64
    }
}

impl Weighter<ReferenceKey, Option<Arc<CachedForm>>> for FormWeighter {
    fn weight(&self, _: &ReferenceKey, known: &Option<Arc<CachedForm>>) -> u64 {
        let weight = |known: &Arc<CachedForm>| {
            known.form.text.as_ref().map_or(0, |form| form.len()) + known.lines.weight()
        };
        160 + known.as_ref().map_or(0, weight) as u64
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("remembered", &self.forms.len()).finish_non_exhaustive()
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    pub fn new() -> Self {
        Self {
            forms: Cache::with_weighter(MAX_CACHE_ITEMS, MAX_CACHE_BYTES, FormWeighter),
            references: Cache::with_weighter(MAX_CACHE_ITEMS, MAX_CACHE_BYTES, FormWeighter),
            reduced: Cache::with_weighter(MAX_CACHE_ITEMS, MAX_CACHE_BYTES, FormWeighter),
        }
    }

    fn short_form(
        &self,
        counter: &Counter,
        name: TokenizerName,
        source: SourceText<'_>,
    ) -> Arc<CachedForm> {
        let SourceText { role, notations, text, digest } = source;
        if matches!(role, TextRole::Reply | TextRole::Arguments) {
            // Nothing is made of them at rung 1, so there is nothing to remember.
            let tokens = counter.count_digest(name, text, digest, &mut || true).unwrap_or_default();
            return Arc::new(CachedForm::as_it_came(tokens));
        }
        let legends = NotationKinds::default();
        let key = FormKey { name, role, notations, digest, legends };
        if let Some(known) = self.forms.get(&key) {
            return known;
        }
        let tokens = EditTokens::new(counter, name, text, TokenSource::Digest(digest));
        let rules = FormRules { role, passes: EncodingPasses::All, notations };
        let (form, spans) = make_short_form(&tokens, rules).into_form(tokens.total());
        // Only results are pointed at.
        let is_result = matches!(role, TextRole::Result(_));
        let shown = form.text.as_deref().unwrap_or(text);
        let lines = if is_result { LazyLineIndex::new(shown) } else { LazyLineIndex::default() };
        let has_blocks =
            form.class == Fidelity::Exact && form.rules.iter().any(|rule| rule != "escape");
        let plain = (has_blocks && is_result).then(|| Arc::new(LazyLineIndex::new(text)));
        let spans = spans.map(Vec::into_boxed_slice);
        let known = Arc::new(CachedForm { form, lines: Arc::new(lines), plain, spans });
        self.forms.insert(key, Arc::clone(&known));
        known
    }

    /// The short form of a text in a list that explains these kinds of notations before it.
    fn explained_form(
        &self,
        counter: &Counter,
        name: TokenizerName,
        source: SourceText<'_>,
        explained: NotationKinds,
    ) -> Arc<CachedForm> {
        let known = self.short_form(counter, name, source);
        let legends = known.form.kinds.without(explained);
        if legends.is_empty() {
            return known;
        }
        let SourceText { role, notations, digest, .. } = source;
        let key = FormKey { name, role, notations, digest, legends };
        if let Some(known) = self.forms.get(&key) {
            return known;
        }
        let known = Arc::new(LegendCounter { counter, name }.explain(&known, legends));
        self.forms.insert(key, Arc::clone(&known));
        known
    }
}

impl CachedForm {
    /// The form of an unchanged text that no reference points at.
    fn as_it_came(tokens: u64) -> Self {
        Self {
            form: ShownForm::as_it_came(tokens),
            lines: Arc::default(),
            plain: None,
            spans: None,
        }
    }

    /// The form of the same text if it stays unchanged.
    fn unchanged(&self) -> Self {
        let ShownForm { reverted, refused, tokens_before, .. } = self.form.clone();
        let form = ShownForm { reverted, refused, ..ShownForm::as_it_came(tokens_before) };
        let lines = self.plain.clone().unwrap_or_default();
        Self { form, lines, plain: None, spans: None }
    }

    /// Whether anything but white space and codes was rewritten.
    fn is_rewritten(&self) -> bool {
        self.form.rules.iter().any(|rule| rule != "clean")
    }
}

/// The short form of a text by itself.
#[derive(Debug, Default)]
struct ShortForm {
    /// None if the text stays unchanged.
    text: Option<String>,
    equivalent: bool,
    rules: Vec<&'static str>,
    reverted: Vec<&'static str>,
    /// The parts of the text, if they were computed.
    spans: Option<Vec<Span>>,
    tokens: u64,
}

fn make_short_form(tokens: &EditTokens<'_>, rules: FormRules) -> ShortForm {
    if matches!(rules.role, TextRole::Reply | TextRole::Arguments) {
        return ShortForm { tokens: tokens.total(), ..ShortForm::default() };
    }
    let text = tokens.text();
    if mark::has_marks(text) {
        let escaped = LITERAL_MARKS.map(|mark| format!("{mark}{text}"));
        let escaped = escaped.map(|text| (tokens.count(&text), text));
        let (tokens, escaped) =
            escaped.into_iter().min_by_key(|(tokens, _)| *tokens).unwrap_or_default();
        return ShortForm {
            text: Some(escaped),
            rules: vec!["escape"],
            tokens,
            ..ShortForm::default()
        };
    }
    let solo = standalone::find_form(tokens, rules);
    let clean = solo.equivalent.then_some("clean");
    ShortForm {
        text: solo.form,
        equivalent: solo.equivalent,
        rules: clean.into_iter().chain(solo.notations).collect(),
        reverted: solo.reverted,
        spans: solo.spans,
        tokens: solo.tokens,
    }
}

impl ShortForm {
    /// Kinds of the notations in it.
    fn kinds(&self) -> NotationKinds {
        let has_blocks = self.rules.iter().any(|rule| find_notation(rule).is_some());
        let text = self.text.as_deref().filter(|_| has_blocks);
        text.map(legends::kinds_of).unwrap_or_default()
    }

    /// The form of a text that takes `tokens_before` tokens, and the parts of the text.
    fn into_form(self, tokens_before: u64) -> (ShownForm, Option<Vec<Span>>) {
        let form = ShownForm {
            kinds: self.kinds(),
            text: self.text.map(Arc::from),
            class: if self.equivalent { Fidelity::Equivalent } else { Fidelity::Exact },
            rules: self.rules.into_iter().map(Cow::Borrowed).collect(),
            reverted: self.reverted.into_iter().map(Cow::Borrowed).collect(),
            tokens_after: self.tokens,
            tokens_alone: self.tokens,
            ..ShownForm::as_it_came(tokens_before)
        };
        (form, self.spans)
    }
}

/// The texts in a call's arguments that a reference can name.
fn arguments_of(nth: usize, arguments: &str) -> Vec<(ReferenceTarget, Arc<str>)> {
    if arguments.len() < MIN_ARGUMENT_BYTES {
        return Vec::new();
    }
    let Ok(node) = json::parse(arguments, Limits::default()) else {
        return vec![(ReferenceTarget::Call(nth, None), arguments.into())];
    };
    let members = node.as_object().into_iter().flatten();
    let texts = members.filter_map(|(key, value)| match &value.value {
        json::Value::String(text) if text.len() >= MIN_ARGUMENT_BYTES && mark::is_key(key) => {
            Some((ReferenceTarget::Call(nth, Some(key.to_string())), text.to_shared()))
        }
        _ => None,
    });
    texts.collect()
}

#[cfg(test)]
mod row_tests;
#[cfg(test)]
mod tests;
