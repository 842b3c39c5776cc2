//! The way there: forms for the tool results of a list, from the first to the last.

use std::sync::Arc;

use super::backlog::Backlog;
use super::descent::Descent;
use super::lines::LinesLater;
use super::names::Names;
use super::reduce::{Named, Reducer};
use super::told::{Beside, Told};
use super::{ARGUMENT, Class, Depth, Engine, Form, Known, Lossless, Use};
use crate::domain::TokenizerName;
use crate::tokenizer::{Counter, Digest};

/// What a text is to those that follow.
const CALL: u8 = 1;
pub(super) const RESULT: u8 = 2;
const FIXED: u8 = 3;
/// The first of the depths of rung 2; the others stand behind it.
const REDUCED: u8 = 4;

/// What a held result is to those that follow.
fn role(hold: Hold) -> u8 {
    match hold {
        Hold::Free => RESULT,
        Hold::Fixed | Hold::Ours => FIXED,
        Hold::To(depth) => REDUCED + depth as u8,
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
    reducer: Option<Named<'e>>,
    /// What names the texts of the list.
    names: Option<&'e Names>,
    /// What the texts of the list show, and where the next one stands.
    beside: Option<Beside<'e>>,
    pub(super) backlog: Backlog,
    /// What stands before and is not in the backlog yet: most lists are seen again, a little
    /// longer, and only what is new has to be looked up.
    pub(super) waiting: Vec<Before>,
    /// Names everything that stands before.
    pub(super) before: Digest,
    results: usize,
    calls: usize,
}

/// Whether a result may take another form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
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
pub enum Whose {
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
pub(super) enum Before {
    Result(usize, Arc<str>, Arc<LinesLater>),
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
            backlog: Backlog::default(),
            waiting: Vec::new(),
            before: Digest::of(""),
            results: 0,
            calls: 0,
        }
    }

    /// What rung 2 is taken with, where texts are not held.
    #[must_use]
    pub fn with(mut self, reducer: Reducer<'e>) -> Self {
        let reducer = Named::from(reducer);
        self.before = self.before.then(&reducer.id, 0);
        self.reducer = Some(reducer);
        self
    }

    /// Goes by what others found of the same texts.
    #[must_use]
    pub fn naming(mut self, names: &'e Names) -> Self {
        self.names = Some(names);
        self
    }

    fn digest(&self, text: &Arc<str>) -> Digest {
        self.names.map_or_else(|| Digest::of(text), |names| names.digest(text))
    }

    /// The message whose texts come next, and what the others of its list show: where formats go,
    /// a text shows what they do not.
    pub fn beside(&mut self, told: &'e Told<'e>, at: usize) {
        self.beside = Some(Beside::of(told, at));
    }

    /// The next tool call of the list: the text of its arguments.
    pub fn call(&mut self, arguments: &Arc<str>) {
        self.calls += 1;
        if arguments.len() >= ARGUMENT {
            self.before = self.before.then(&self.digest(arguments), CALL);
            self.waiting.push(Before::Call(self.calls, Arc::clone(arguments)));
        }
    }

    /// The next tool result of the list, by its texts: their forms, one each. What is held can be
    /// pointed at all the same.
    pub fn result(&mut self, texts: &[Arc<str>], hold: Hold) -> Vec<Form> {
        self.results += 1;
        let mut forms = Vec::with_capacity(texts.len());
        for text in texts {
            let digest = self.digest(text);
            let known =
                self.engine.known(self.counter, self.name, Use::Result(self.allow), (text, digest));
            let (form, lines) = match hold {
                Hold::Fixed | Hold::Ours => as_it_is(text, &known, hold),
                Hold::To(depth) => self.reduced((text, digest), &known, depth),
                Hold::Free => self.referring(text, digest, &known),
            };
            // A reference names a result by its number alone, so it must hold one text.
            if texts.len() == 1 {
                let shown = form.text.clone().unwrap_or_else(|| Arc::clone(text));
                self.waiting.push(Before::Result(self.results, shown, lines));
            }
            // What is shown follows from what stands before, and from this.
            self.before = self.before.then(&digest, role(hold));
            // What stands beside a text has no say in what an adapter leaves of it.
            if let (Some(beside), Hold::To(depth)) = (&self.beside, hold)
                && depth.is_told()
            {
                let (list, at) = beside.id();
                let at = Digest::of(&at.to_string());
                self.before = self.before.then(&list.then(&at, 0), 0);
            }
            forms.push(form);
        }
        if texts.len() != 1 {
            self.before = self.before.then(&Digest::of(""), RESULT);
        }
        forms
    }

    /// A text of the user or of the system: only what machines have put out is touched in it, and
    /// nothing can point at it.
    pub fn words(&self, text: &Arc<str>, hold: Hold) -> Form {
        let digest = self.digest(text);
        let known = self.engine.known(self.counter, self.name, Use::Words, (text, digest));
        match hold {
            Hold::Free => known.form.clone(),
            Hold::Fixed | Hold::Ours => as_it_is(text, &known, hold).0,
            Hold::To(depth) => self.taken(text, Descent::of(Use::Words, digest, &known), depth),
        }
    }

    /// A text of the model, or of the user where nobody would decode it: only rung 2 is taken.
    pub fn said(&self, text: &Arc<str>, depth: Depth) -> Form {
        self.taken(text, self.descent(text, Whose::Said), depth)
    }

    /// The arguments of a call, the long strings in them taken so far.
    pub fn arguments(&self, text: &Arc<str>, depth: Depth) -> Form {
        self.taken(text, self.descent(text, Whose::Arguments), depth)
    }

    /// The form of a result's text by itself, without references.
    pub fn alone(&self, text: &Arc<str>, depth: Option<Depth>) -> Form {
        let descent = self.descent(text, Whose::Result);
        match depth {
            Some(depth) => self.taken(text, descent, depth),
            None => descent.into_form(),
        }
    }

    /// A text by itself before rung 2, to be taken down step by step.
    pub fn descent(&self, text: &Arc<str>, whose: Whose) -> Descent {
        let purpose = match whose {
            Whose::Result => Use::Result(self.allow),
            Whose::Words => Use::Words,
            Whose::Said => Use::Said,
            Whose::Arguments => Use::Arguments,
        };
        let digest = self.digest(text);
        let known = self.engine.known(self.counter, self.name, purpose, (text, digest));
        Descent::of(purpose, digest, &known)
    }

    /// Takes the text of a descent one step further, in the place of the message whose texts come
    /// next.
    pub fn descend(&self, descent: &mut Descent, text: &str, step: Depth) {
        let Some(reducer) = &self.reducer else { return };
        let by = (self.engine, self.counter, self.name);
        descent.step(by, (reducer, step, self.beside), text);
    }

    fn taken(&self, text: &str, descent: Descent, depth: Depth) -> Form {
        self.down(text, descent, depth).into_form()
    }

    fn down(&self, text: &str, mut descent: Descent, depth: Depth) -> Descent {
        for step in Depth::ALL.into_iter().filter(|step| *step <= depth) {
            self.descend(&mut descent, text, step);
        }
        descent
    }

    /// What is left of a result's text, or its form with references where that is shorter.
    fn reduced(
        &mut self,
        (text, digest): (&Arc<str>, Digest),
        known: &Known,
        depth: Depth,
    ) -> (Form, Arc<LinesLater>) {
        let purpose = Use::Result(self.allow);
        let mut descent = self.down(text, Descent::of(purpose, digest, known), depth);
        self.catch_up();
        if self.may_refer(text, known, descent.form().tokens_after) {
            let (form, lines) = self.referring(text, digest, known);
            descent = self.down(text, Descent::from(purpose, digest, form, lines), depth);
        }
        let (mut form, mut lines) = descent.into_parts();
        self.refer_again(&mut form, &mut lines);
        (form, lines)
    }
}

/// A text that may not be changed; a mark before what only looks like ours is no change of it.
fn as_it_is(text: &str, known: &Known, hold: Hold) -> (Form, Arc<LinesLater>) {
    let mut form = known.form.clone();
    let is_escaped = form.rules == ["escape"] && hold == Hold::Fixed;
    if form.text.is_none() || is_escaped {
        return (form, Arc::clone(&known.lines));
    }
    form.text = None;
    form.rules.clear();
    form.class = Class::Exact;
    form.tokens_after = form.tokens_before;
    form.tokens_alone = form.tokens_before;
    (form, Arc::new(LinesLater::of(text)))
}
