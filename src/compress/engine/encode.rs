//! The way there: forms for the tool results of a list, from the first to the last.

use std::sync::Arc;

use super::back_references::BackReferences;
use super::lines::LazyLineIndex;
use super::names::TextNames;
use super::reduce::{NamedReducer, Reducer, ReductionStep};
use super::reduction_chain::ReductionChain;
use super::shown_facts::{FactContext, ShownFacts};
use super::{
    CachedForm, Depth, Engine, Fidelity, Lossless, MIN_ARGUMENT_BYTES, ShownForm, SourceText,
    TextRole,
};
use crate::domain::TokenizerName;
use crate::tokenizer::{Counter, Digest};

/// What a text is to those that follow.
const CALL_KIND: u8 = 1;
pub(super) const RESULT_KIND: u8 = 2;
const FIXED_KIND: u8 = 3;
/// The first of the depths of rung 2; the others stand behind it.
const FIRST_REDUCED_KIND: u8 = 4;

/// What a held result is to those that follow.
fn kind_of(hold: EditLimit) -> u8 {
    match hold {
        EditLimit::Free => RESULT_KIND,
        EditLimit::Fixed | EditLimit::Ours => FIXED_KIND,
        EditLimit::To(depth) => FIRST_REDUCED_KIND + depth as u8,
    }
}

/// Gives the tool results of a list their short forms, from the first to the last.
#[derive(Debug)]
pub struct Encoder<'e> {
    pub(super) engine: &'e Engine,
    pub(super) counter: &'e Counter,
    pub(super) name: TokenizerName,
    pub(super) allow: Lossless,
    /// Those of rung 2, where a text may be taken so far.
    reducer: Option<NamedReducer<'e>>,
    /// What names the texts of the list.
    names: Option<&'e TextNames>,
    /// What the texts of the list show, and where the next one stands.
    beside: Option<FactContext<'e>>,
    pub(super) backlog: BackReferences,
    /// What stands before and is not in the backlog yet: most lists are seen again, a little
    /// longer, and only what is new has to be looked up.
    pub(super) waiting: Vec<EarlierText>,
    /// Names everything that stands before.
    pub(super) before: Digest,
    results: usize,
    calls: usize,
}

/// Whether a result may take another form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditLimit {
    Free,
    /// It may be taken so far down rung 2.
    To(Depth),
    /// It stands as it came, but for the mark that tells a look-alike.
    Fixed,
    /// It is a form of ours already: its marks are meant.
    Ours,
}

/// Whose a text is that rung 2 takes further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextOwner {
    /// A tool's.
    Result,
    /// The user's, or of the system.
    Words,
    /// The model's.
    Said,
    /// The model's, for a tool.
    Arguments,
}

/// A text that stands before.
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
            allow,
            reducer: None,
            names: None,
            beside: None,
            backlog: BackReferences::default(),
            waiting: Vec::new(),
            before: Digest::of(""),
            results: 0,
            calls: 0,
        }
    }

    /// What rung 2 is taken with, where texts are not held.
    #[must_use]
    pub fn with(mut self, reducer: Reducer<'e>) -> Self {
        let reducer = NamedReducer::from(reducer);
        self.before = self.before.then(&reducer.id, 0);
        self.reducer = Some(reducer);
        self
    }

    /// Goes by what others found of the same texts.
    #[must_use]
    pub fn naming(mut self, names: &'e TextNames) -> Self {
        self.names = Some(names);
        self
    }

    fn digest(&self, text: &Arc<str>) -> Digest {
        self.names.map_or_else(|| Digest::of(text), |names| names.digest(text))
    }

    /// The message whose texts come next, and what the others of its list show: where formats go,
    /// a text shows what they do not.
    pub fn beside(&mut self, told: &'e ShownFacts<'e>, at: usize) {
        self.beside = Some(FactContext::of(told, at));
    }

    /// The next tool call of the list: the text of its arguments.
    pub fn call(&mut self, arguments: &Arc<str>) {
        self.calls += 1;
        if arguments.len() >= MIN_ARGUMENT_BYTES {
            self.before = self.before.then(&self.digest(arguments), CALL_KIND);
            self.waiting.push(EarlierText::Call(self.calls, Arc::clone(arguments)));
        }
    }

    /// The next tool result of the list, by its texts: their forms, one each. What is held can be
    /// pointed at all the same.
    pub fn result(&mut self, texts: &[Arc<str>], hold: EditLimit) -> Vec<ShownForm> {
        self.results += 1;
        let mut forms = Vec::with_capacity(texts.len());
        for text in texts {
            let digest = self.digest(text);
            let role = TextRole::Result(self.allow);
            let source = SourceText { role, text, digest };
            let known = self.engine.known(self.counter, self.name, source);
            let (form, lines) = match hold {
                EditLimit::Fixed | EditLimit::Ours => as_it_is(text, &known, hold),
                EditLimit::To(depth) => self.reduced(text, digest, &known, depth),
                EditLimit::Free => self.referring(text, digest, &known),
            };
            // A reference names a result by its number alone, so it must hold one text.
            if texts.len() == 1 {
                let shown = form.text.clone().unwrap_or_else(|| Arc::clone(text));
                self.waiting.push(EarlierText::Result(self.results, shown, lines));
            }
            // What is shown follows from what stands before, and from this.
            self.before = self.before.then(&digest, kind_of(hold));
            // What stands beside a text has no say in what an adapter leaves of it.
            if let (Some(beside), EditLimit::To(depth)) = (&self.beside, hold)
                && depth.is_told()
            {
                let (list, at) = beside.id();
                let at = Digest::of(&at.to_string());
                self.before = self.before.then(&list.then(&at, 0), 0);
            }
            forms.push(form);
        }
        if texts.len() != 1 {
            self.before = self.before.then(&Digest::of(""), RESULT_KIND);
        }
        forms
    }

    /// A text of the user or of the system: only what machines have put out is touched in it, and
    /// nothing can point at it.
    pub fn words(&self, text: &Arc<str>, hold: EditLimit) -> ShownForm {
        let digest = self.digest(text);
        let source = SourceText { role: TextRole::Words, text, digest };
        let known = self.engine.known(self.counter, self.name, source);
        match hold {
            EditLimit::Free => known.form.clone(),
            EditLimit::Fixed | EditLimit::Ours => as_it_is(text, &known, hold).0,
            EditLimit::To(depth) => {
                self.taken(text, ReductionChain::of(TextRole::Words, digest, &known), depth)
            }
        }
    }

    /// A text of the model, or of the user where nobody would decode it: only rung 2 is taken.
    pub fn said(&self, text: &Arc<str>, depth: Depth) -> ShownForm {
        self.taken(text, self.descent(text, TextOwner::Said), depth)
    }

    /// The arguments of a call, the long strings in them taken so far.
    pub fn arguments(&self, text: &Arc<str>, depth: Depth) -> ShownForm {
        self.taken(text, self.descent(text, TextOwner::Arguments), depth)
    }

    /// The form of a result's text by itself, without references.
    pub fn alone(&self, text: &Arc<str>, depth: Option<Depth>) -> ShownForm {
        let descent = self.descent(text, TextOwner::Result);
        match depth {
            Some(depth) => self.taken(text, descent, depth),
            None => descent.into_form(),
        }
    }

    /// A text by itself before rung 2, to be taken down step by step.
    pub fn descent(&self, text: &Arc<str>, whose: TextOwner) -> ReductionChain {
        let role = match whose {
            TextOwner::Result => TextRole::Result(self.allow),
            TextOwner::Words => TextRole::Words,
            TextOwner::Said => TextRole::Said,
            TextOwner::Arguments => TextRole::Arguments,
        };
        let digest = self.digest(text);
        let source = SourceText { role, text, digest };
        let known = self.engine.known(self.counter, self.name, source);
        ReductionChain::of(role, digest, &known)
    }

    /// Takes the text of a descent one step further, in the place of the message whose texts come
    /// next.
    pub fn descend(&self, descent: &mut ReductionChain, text: &str, step: Depth) {
        let Some(reducer) = &self.reducer else { return };
        let step = ReductionStep { reducer, depth: step, beside: self.beside };
        descent.step(self.engine, self.counter, self.name, step, text);
    }

    fn taken(&self, text: &str, descent: ReductionChain, depth: Depth) -> ShownForm {
        self.down(text, descent, depth).into_form()
    }

    fn down(&self, text: &str, mut descent: ReductionChain, depth: Depth) -> ReductionChain {
        for step in Depth::ALL.into_iter().filter(|step| *step <= depth) {
            self.descend(&mut descent, text, step);
        }
        descent
    }

    /// What is left of a result's text, or its form with references where that is shorter.
    fn reduced(
        &mut self,
        text: &Arc<str>,
        digest: Digest,
        known: &CachedForm,
        depth: Depth,
    ) -> (ShownForm, Arc<LazyLineIndex>) {
        let purpose = TextRole::Result(self.allow);
        let mut descent = self.down(text, ReductionChain::of(purpose, digest, known), depth);
        self.catch_up();
        if self.may_refer(text, known, descent.form().tokens_after) {
            let (form, lines) = self.referring(text, digest, known);
            descent = self.down(text, ReductionChain::from(purpose, digest, form, lines), depth);
        }
        let (mut form, mut lines) = descent.into_parts();
        self.refer_again(&mut form, &mut lines);
        (form, lines)
    }
}

/// A text that may not be changed; a mark before what only looks like ours is no change of it.
fn as_it_is(text: &str, known: &CachedForm, hold: EditLimit) -> (ShownForm, Arc<LazyLineIndex>) {
    let mut form = known.form.clone();
    let is_escaped = form.rules == ["escape"] && hold == EditLimit::Fixed;
    if form.text.is_none() || is_escaped {
        return (form, Arc::clone(&known.lines));
    }
    form.text = None;
    form.rules.clear();
    form.class = Fidelity::Exact;
    form.tokens_after = form.tokens_before;
    form.tokens_alone = form.tokens_before;
    (form, Arc::new(LazyLineIndex::of(text)))
}
