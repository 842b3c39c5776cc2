//! Reductions of the texts of each message down rung 2 by themselves, and what they save: the
//! ladder asks again and again, and each step is found once.

use std::cell::RefCell;
use std::sync::Arc;

use super::ShortenJob;
use super::forms::{Visibility, find_form, text_owner};
use crate::compress::{Depth, EditLimit, Encoder, FactSet, ReducedSize, ReductionChain, ShownForm};
use crate::pipeline::measure;
use crate::provider::MessageText;

/// The texts of the messages of a list, as far as they were asked for.
#[derive(Debug)]
pub(super) struct ReductionChains(Vec<RefCell<Option<Vec<ReducedText>>>>);

/// A text on its way down.
#[derive(Debug)]
pub(super) struct ReducedText {
    text: Arc<str>,
    /// None if it is never changed, at any depth.
    descent: Option<ReductionChain>,
    /// Its steps, depth by depth; one if it does not change.
    steps: Vec<ReductionStep>,
    /// The facts that it shows at its deepest step, if they were asked for.
    facts: Option<FactSet>,
}

#[derive(Debug)]
struct ReductionStep {
    /// Raw tokens; an escape costs.
    saved: i64,
    shown: Option<Arc<str>>,
}

impl ReductionChains {
    pub(super) fn new(messages: usize) -> Self {
        Self((0..messages).map(|_| RefCell::default()).collect())
    }

    /// Reduces the texts of a message to a depth, as far as they may be edited, and passes them to
    /// `read`. `encoder` knows the facts around the message.
    pub(super) fn reduce<T>(
        &self,
        job: &ShortenJob<'_>,
        encoder: &Encoder<'_>,
        at: usize,
        depth: Depth,
        read: impl FnOnce(&mut [ReducedText]) -> T,
    ) -> Option<T> {
        let mut own = self.0.get(at)?.borrow_mut();
        let own = own.get_or_insert_with(|| start_chains(job, encoder, at));
        for text in own.iter_mut() {
            text.reduce_to(encoder, depth);
        }
        Some(read(own))
    }
}

fn start_chains(job: &ShortenJob<'_>, encoder: &Encoder<'_>, at: usize) -> Vec<ReducedText> {
    let spoken = job.spoken.get(at).into_iter().flatten();
    let texts = spoken.flat_map(|spoken| {
        let hold = job.hold_in(at, Visibility::To(Depth::Reduced));
        spoken.slots().iter().map(move |slot| {
            let text = Arc::clone(&slot.text);
            let hold = match spoken {
                MessageText::Result(_) => hold,
                MessageText::Words(_) => job.hold_words(hold),
                MessageText::Said(_) | MessageText::Call(..) => job.hold_own(hold, &text),
            };
            if let EditLimit::To(_) = hold {
                let descent = Some(encoder.start_chain(&text, text_owner(spoken)));
                return ReducedText { text, descent, steps: Vec::new(), facts: None };
            }
            let form = find_form(encoder, spoken, &text, hold);
            let steps = vec![form.as_ref().map_or(ReductionStep::UNCHANGED, ReductionStep::new)];
            ReducedText { text, descent: None, steps, facts: None }
        })
    });
    texts.collect()
}

impl ReducedText {
    fn reduce_to(&mut self, encoder: &Encoder<'_>, depth: Depth) {
        let Some(descent) = &mut self.descent else { return };
        for step in Depth::ALL.into_iter().take(depth as usize + 1).skip(self.steps.len()) {
            encoder.reduce_step(descent, &self.text, ReducedSize::To(step));
            let step = ReductionStep::new(descent.form());
            if self.steps.last().is_none_or(|before| before.shown != step.shown) {
                self.facts = None;
            }
            self.steps.push(step);
        }
    }

    fn at(&self, depth: Depth) -> Option<&ReductionStep> {
        self.steps.get(depth as usize).or(self.steps.last())
    }

    /// Raw tokens that it saves at a depth to which it was taken.
    pub(super) fn saved(&self, depth: Depth) -> i64 {
        self.at(depth).map_or(0, |step| step.saved)
    }

    /// The facts that it shows at its deepest step.
    pub(super) fn facts(&mut self) -> &FactSet {
        let shown = self.steps.last().and_then(|step| step.shown.as_ref());
        self.facts.get_or_insert_with(|| FactSet::new(shown.unwrap_or(&self.text)))
    }
}

impl ReductionStep {
    /// The step of a text that is unchanged.
    const UNCHANGED: Self = Self { saved: 0, shown: None };

    fn new(form: &ShownForm) -> Self {
        let saved = measure::saved(form.tokens_before, form.tokens_alone);
        Self { saved, shown: form.text.clone() }
    }
}
