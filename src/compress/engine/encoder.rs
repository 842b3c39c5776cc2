//! The encoder: short forms for the tool results of a list, from the first to the last.

use std::sync::Arc;

use super::back_references::BackReferences;
use super::legends;
use super::lines::LazyLineIndex;
use super::names::TextNames;
use super::reducer::{DepthStep, NamedReducer, Reducer};
use super::reduction_chain::{ChainRules, ReductionChain};
use super::shown_facts::{FactContext, ShownFacts};
use super::{
    CachedForm, Depth, Engine, Fidelity, Lossless, MIN_ARGUMENT_BYTES, ReducedSize, ShownForm,
    SourceText, TextRole,
};
use crate::compress::notation::NotationKinds;
use crate::domain::{AllowedNotations, TokenizerName};
use crate::tokenizer::{Counter, Digest};

/// The kind of a text, as it goes into the digest of everything before the next text.
const CALL_KIND: u8 = 1;
pub(super) const RESULT_KIND: u8 = 2;
const FIXED_KIND: u8 = 3;
/// The first of the depths of rung 2; the others follow it.
const FIRST_REDUCED_KIND: u8 = 4;
const EXCERPT_KIND: u8 = FIRST_REDUCED_KIND + Depth::Gist as u8 + 1;

/// The kind of a result by its limit, as it goes into that digest.
fn limit_kind(hold: EditLimit) -> u8 {
    match hold {
        EditLimit::Free => RESULT_KIND,
        EditLimit::Fixed | EditLimit::Ours => FIXED_KIND,
        EditLimit::To(depth) => FIRST_REDUCED_KIND + depth as u8,
        EditLimit::Excerpt { .. } => EXCERPT_KIND,
    }
}

/// Gives the tool results of a list their short forms, from the first to the last.
#[derive(Debug)]
pub struct Encoder<'e> {
    pub(super) engine: &'e Engine,
    pub(super) counter: &'e Counter,
    pub(super) name: TokenizerName,
    pub(super) lossless: Lossless,
    pub(super) notations: AllowedNotations,
    /// Kinds of notations that the list explains so far.
    pub(super) explained: NotationKinds,
    /// The adapters of rung 2, if texts may be shortened so far.
    reducer: Option<NamedReducer<'e>>,
    /// Digests and ids of the texts of the list.
    names: Option<&'e TextNames>,
    /// The facts that the texts of the list show, and the place of the next text.
    context: Option<FactContext<'e>>,
    pub(super) backlog: BackReferences,
    /// Earlier texts that are not in the backlog yet: most lists are seen again, a little
    /// longer, and only what is new has to be looked up.
    pub(super) pending: Vec<EarlierText>,
    /// The digest of everything before the next text.
    pub(super) list_digest: Digest,
    results: usize,
    calls: usize,
}

/// Whether a result may take another form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditLimit {
    Free,
    /// It may be taken so far down rung 2.
    To(Depth),
    /// Lines of it may stay, in so many bytes.
    Excerpt {
        bytes: u32,
    },
    /// It stays unchanged, except for the mark that tells a look-alike from a block.
    Fixed,
    /// It is a form of ours already: its marks are decoded.
    Ours,
}

/// The owner of a text that rung 2 shortens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextOwner {
    /// A tool's.
    Result,
    /// The user's, or of the system.
    Words,
    /// The model's.
    Reply,
    /// The model's, for a tool.
    Arguments,
}

/// An earlier text.
#[derive(Debug)]
pub(super) enum EarlierText {
    Result(usize, Arc<str>, Arc<LazyLineIndex>),
    Call(usize, Arc<str>),
}

impl<'e> Encoder<'e> {
    pub fn new(
        engine: &'e Engine,
        counter: &'e Counter,
        name: TokenizerName,
        allow: Lossless,
    ) -> Self {
        Self {
            engine,
            counter,
            name,
            lossless: allow,
            notations: AllowedNotations::default(),
            explained: NotationKinds::default(),
            reducer: None,
            names: None,
            context: None,
            backlog: BackReferences::default(),
            pending: Vec::new(),
            list_digest: Digest::from_text(""),
            results: 0,
            calls: 0,
        }
    }

    /// Sets the notations that may be used.
    #[must_use]
    pub fn with_notations(mut self, notations: AllowedNotations) -> Self {
        self.notations = notations;
        self
    }

    /// Sets the adapters of rung 2, for texts that are not held.
    #[must_use]
    pub fn with_reducer(mut self, reducer: Reducer<'e>) -> Self {
        let reducer = NamedReducer::from(reducer);
        self.list_digest = self.list_digest.then(&reducer.id, 0);
        self.reducer = Some(reducer);
        self
    }

    /// Uses the digests that other encoders computed for the same texts.
    #[must_use]
    pub fn with_names(mut self, names: &'e TextNames) -> Self {
        self.names = Some(names);
        self
    }

    fn digest(&self, text: &Arc<str>) -> Digest {
        self.names.map_or_else(|| Digest::from_text(text), |names| names.digest(text))
    }

    /// Sets the message of the texts that follow, and the facts that the other messages show: if
    /// formats go, a text shows what they do not.
    pub fn set_fact_context(&mut self, facts: &'e ShownFacts<'e>, at: usize) {
        self.context = Some(FactContext::new(facts, at));
    }

    /// Adds the next tool call of the list, by the text of its arguments.
    pub fn add_call(&mut self, arguments: &Arc<str>) {
        self.calls += 1;
        if arguments.len() >= MIN_ARGUMENT_BYTES {
            self.list_digest = self.list_digest.then(&self.digest(arguments), CALL_KIND);
            self.pending.push(EarlierText::Call(self.calls, Arc::clone(arguments)));
        }
    }

    /// Encodes the next tool result of the list, by its texts: one form each. A held text can be
    /// pointed at all the same.
    pub fn encode_result(&mut self, texts: &[Arc<str>], hold: EditLimit) -> Vec<ShownForm> {
        self.results += 1;
        let mut forms = Vec::with_capacity(texts.len());
        for text in texts {
            let digest = self.digest(text);
            let role = TextRole::Result(self.lossless);
            let known = self.form_in_list(role, text, digest, self.explained);
            let (form, lines) = match hold {
                EditLimit::Fixed | EditLimit::Ours => as_it_is(text, &known, hold),
                EditLimit::To(depth) => {
                    self.reduce_result(text, digest, &known, ReducedSize::To(depth))
                }
                EditLimit::Excerpt { bytes } => {
                    self.reduce_result(text, digest, &known, ReducedSize::Excerpt { bytes })
                }
                EditLimit::Free => {
                    let alone = self.form_in_list(role, text, digest, NotationKinds::default());
                    let (form, lines) = self.form_with_references(text, digest, &known);
                    let tokens_alone = alone.form.tokens_after.max(form.tokens_after);
                    (ShownForm { tokens_alone, ..form }, lines)
                }
            };
            self.explained = self.explained.union(match hold {
                EditLimit::Ours => legends::explained_in(text),
                _ => form.kinds,
            });
            // A reference names a result by its number alone, so it must hold one text.
            if texts.len() == 1 {
                let shown = form.text.clone().unwrap_or_else(|| Arc::clone(text));
                self.pending.push(EarlierText::Result(self.results, shown, lines));
            }
            // The form follows from the texts before it, and from this digest.
            self.list_digest = self.list_digest.then(&digest, limit_kind(hold));
            if let EditLimit::Excerpt { bytes } = hold {
                let bytes = Digest::from_text(&bytes.to_string());
                self.list_digest = self.list_digest.then(&bytes, 0);
            }
            // The result of an adapter does not depend on the other texts.
            if let (Some(beside), EditLimit::To(depth)) = (&self.context, hold)
                && depth.depends_on_context()
            {
                let (list, at) = beside.id();
                let at = Digest::from_text(&at.to_string());
                self.list_digest = self.list_digest.then(&list.then(&at, 0), 0);
            }
            forms.push(form);
        }
        if texts.len() != 1 {
            self.list_digest = self.list_digest.then(&Digest::from_text(""), RESULT_KIND);
        }
        forms
    }

    /// The form of a text at rung 1 in a list that explains these kinds of notations before it.
    fn form_in_list(
        &self,
        role: TextRole,
        text: &str,
        digest: Digest,
        explained: NotationKinds,
    ) -> Arc<CachedForm> {
        let source = SourceText { role, notations: self.notations, text, digest };
        self.engine.explained_form(self.counter, self.name, source, explained)
    }

    /// Encodes the next text of the user or of the system: only machine output in it is touched,
    /// and nothing can point at it.
    pub fn encode_prompt(&mut self, text: &Arc<str>, hold: EditLimit) -> ShownForm {
        let form = self.prompt_form(text, hold, self.explained);
        self.explained = self.explained.union(match hold {
            EditLimit::Ours => legends::explained_in(text),
            _ => form.kinds,
        });
        form
    }

    /// Encodes a text of the user or of the system by itself.
    pub fn encode_prompt_alone(&self, text: &Arc<str>, hold: EditLimit) -> ShownForm {
        self.prompt_form(text, hold, NotationKinds::default())
    }

    fn prompt_form(&self, text: &Arc<str>, hold: EditLimit, explained: NotationKinds) -> ShownForm {
        let digest = self.digest(text);
        let rules = self.chain_rules(TextRole::Words, explained);
        let known = self.form_in_list(rules.role, text, digest, explained);
        match hold {
            EditLimit::Free => known.form.clone(),
            EditLimit::Fixed | EditLimit::Ours => as_it_is(text, &known, hold).0,
            EditLimit::To(depth) => self.reduce_into_form(
                text,
                ReductionChain::new(rules, digest, &known),
                ReducedSize::To(depth),
            ),
            EditLimit::Excerpt { bytes } => self.reduce_into_form(
                text,
                ReductionChain::new(rules, digest, &known),
                ReducedSize::Excerpt { bytes },
            ),
        }
    }

    /// Encodes a text of the model, or of the user if no caller would decode it: only rung 2 is
    /// applied.
    pub fn encode_reply(&self, text: &Arc<str>, size: ReducedSize) -> ShownForm {
        let chain = self.start_chain(text, TextOwner::Reply);
        self.reduce_into_form(text, chain, size)
    }

    /// Encodes the arguments of a call: the long strings in them are shortened.
    pub fn encode_arguments(&self, text: &Arc<str>, size: ReducedSize) -> ShownForm {
        let chain = self.start_chain(text, TextOwner::Arguments);
        self.reduce_into_form(text, chain, size)
    }

    /// Encodes a result's text by itself, without references.
    pub fn encode_alone(&self, text: &Arc<str>, size: Option<ReducedSize>) -> ShownForm {
        let descent = self.start_chain(text, TextOwner::Result);
        match size {
            Some(size) => self.reduce_into_form(text, descent, size),
            None => descent.into_form(),
        }
    }

    /// Starts the reduction of a text by itself, to be taken down rung 2 step by step.
    pub fn start_chain(&self, text: &Arc<str>, whose: TextOwner) -> ReductionChain {
        let role = match whose {
            TextOwner::Result => TextRole::Result(self.lossless),
            TextOwner::Words => TextRole::Words,
            TextOwner::Reply => TextRole::Reply,
            TextOwner::Arguments => TextRole::Arguments,
        };
        let digest = self.digest(text);
        let rules = self.chain_rules(role, NotationKinds::default());
        let known = self.form_in_list(role, text, digest, rules.explained);
        ReductionChain::new(rules, digest, &known)
    }

    fn chain_rules(&self, role: TextRole, explained: NotationKinds) -> ChainRules {
        ChainRules { role, notations: self.notations, explained }
    }

    /// Reduces a text by one step, in the place of the message whose texts come
    /// next.
    pub fn reduce_step(&self, descent: &mut ReductionChain, text: &str, step: ReducedSize) {
        let Some(reducer) = &self.reducer else { return };
        let explained = descent.rules().explained;
        let step = DepthStep { reducer, size: step, context: self.context, explained };
        descent.step(self.engine, self.counter, self.name, step, text);
    }

    fn reduce_into_form(
        &self,
        text: &str,
        descent: ReductionChain,
        size: ReducedSize,
    ) -> ShownForm {
        self.reduce_to(text, descent, size).into_form()
    }

    fn reduce_to(
        &self,
        text: &str,
        mut descent: ReductionChain,
        size: ReducedSize,
    ) -> ReductionChain {
        let depth = size.depth().or(self.has_hook_form(text).then_some(Depth::Reduced));
        let Some(depth) = depth else {
            // An excerpt builds on no depth: a shorter form would leave its room empty.
            self.reduce_step(&mut descent, text, size);
            return descent;
        };
        for step in Depth::ALL.into_iter().filter(|step| *step <= depth) {
            self.reduce_step(&mut descent, text, ReducedSize::To(step));
        }
        descent
    }

    /// Whether a hook made a shorter form of the text, which is shown in the place of an excerpt.
    pub(super) fn has_hook_form(&self, text: &str) -> bool {
        self.reducer.as_ref().is_some_and(|reducer| reducer.has_hook_form(text))
    }

    /// Reduces a result's text, or returns its form with references if that is shorter.
    fn reduce_result(
        &mut self,
        text: &Arc<str>,
        digest: Digest,
        known: &CachedForm,
        size: ReducedSize,
    ) -> (ShownForm, Arc<LazyLineIndex>) {
        let rules = self.chain_rules(TextRole::Result(self.lossless), self.explained);
        let mut descent = self.reduce_to(text, ReductionChain::new(rules, digest, known), size);
        self.catch_up();
        if self.may_refer(text, known, descent.form().tokens_after) {
            let (form, lines) = self.form_with_references(text, digest, known);
            descent =
                self.reduce_to(text, ReductionChain::with_form(rules, digest, form, lines), size);
        }
        let (mut form, mut lines) = descent.into_parts();
        if !self.explained.is_empty() {
            form.tokens_alone = self.encode_alone(text, Some(size)).tokens_alone;
        }
        self.refer_again(&mut form, &mut lines);
        (form, lines)
    }
}

/// The form of a text that may not be changed; a mark before what only looks like ours is no
/// change.
fn as_it_is(text: &str, known: &CachedForm, hold: EditLimit) -> (ShownForm, Arc<LazyLineIndex>) {
    let mut form = known.form.clone();
    let is_escaped = form.rules == ["escape"] && hold == EditLimit::Fixed;
    if form.text.is_none() || is_escaped {
        return (form, Arc::clone(&known.lines));
    }
    form.text = None;
    form.rules.clear();
    form.kinds = NotationKinds::default();
    form.class = Fidelity::Exact;
    form.tokens_after = form.tokens_before;
    form.tokens_alone = form.tokens_before;
    (form, Arc::new(LazyLineIndex::new(text)))
}
