//! A list of messages, or a text, made shorter on its own: `POST /compress`.
//!
//! Messages stay in the shape they came in; what is edited is edited in place. Rung 1 goes first
//! and over everything; if that is not enough, or a level asks for more, the ladder chooses
//! turns by their costs, and rung 1 goes once more over what is left in sight.

mod lossless;
mod plan;
mod report;
mod splice;

pub use report::Shortened;
pub use splice::{Edit, splice};

use std::sync::Arc;

use super::measure::{Cost, Meter};
use super::stage::{Timings, timed};
use super::{Context, Deadline, Error, prose, protect};
use crate::compress::{Encoder, Hold, Lossless};
use crate::domain::{ArtifactId, Message, Notes};
use crate::json::Node;
use crate::provider::{self, Answered, Spoken, Wrap};
use crate::request::{CompressRequest, Given, Level, List, Originals};

/// What is shown in the place of the messages that came.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The message's JSON text.
    pub json: String,
    /// Where it stood; none for the summary of the messages that are gone.
    pub origin: Option<usize>,
    /// Whether it is another one than came.
    pub changed: bool,
    /// The texts in it that stand for originals.
    pub edits: Vec<Edited>,
}

/// A text of a tool result that stands for an original.
#[derive(Debug, Clone)]
pub struct Edited {
    /// Its place among the texts of the tool results of its message.
    pub slot: usize,
    pub artifact: ArtifactId,
    /// Whether the original is the JSON of a whole content.
    pub json: bool,
}

/// A text that is shown shortened, or not at all.
#[derive(Debug, Clone)]
pub struct Original {
    pub text: Arc<str>,
    /// Where its message stood in the list.
    pub message: usize,
    pub tokens: u64,
    /// Whether it is the JSON of a whole message that is gone.
    pub whole: bool,
    /// What its text is called by.
    pub artifact: ArtifactId,
}

/// Whose a message of the list is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Maker {
    #[default]
    Caller,
    /// An earlier answer of ours, whose original is stored.
    Ours,
    /// An earlier answer of ours, whose original only the caller has: no further rung may take it.
    OursForGood,
}

/// Makes the request's text or messages shorter. `makers`: one for each message; what an earlier
/// answer made takes no other form at rung 1.
pub fn shorten(
    cx: &Context,
    request: &CompressRequest<'_, '_>,
    makers: &[Maker],
    deadline: &Deadline,
    timings: &mut Timings,
) -> Result<Shortened, Error> {
    let meter = Meter::new(&cx.counter, request.model.tokenizer, request.target, deadline);
    let allow = match request.originals {
        Originals::None => Lossless::Exact,
        Originals::Store | Originals::Return => Lossless::Equivalent,
    };
    let encoder = || Encoder::new(&cx.engine, &cx.counter, request.model.tokenizer, allow);
    match &request.given {
        Given::Text(text) => {
            deadline.check()?;
            let form =
                timed(&mut timings.count, || encoder().result(&[Arc::clone(text)], Hold::Free));
            Ok(report::of_text(request, text, form.into_iter().next()))
        }
        Given::List(list) => {
            let mut notes = request.notes.clone();
            let job =
                timed(&mut timings.count, || Job::new(&meter, request, list, makers, &mut notes))?;
            let shown = timed(&mut timings.compile, || job.run(&encoder))?;
            let before = job.costs.iter().map(|cost| cost.real()).sum();
            timed(&mut timings.count, || report::of_list(&meter, &job, shown, before, notes))
        }
    }
}

/// A list on its way.
pub(super) struct Job<'j> {
    meter: &'j Meter<'j>,
    request: &'j CompressRequest<'j, 'j>,
    list: &'j List<'j, 'j>,
    /// The calls and results of each message.
    spoken: Vec<Vec<Spoken>>,
    /// Whether the message stands as it is, one flag each.
    fixed: Vec<bool>,
    makers: &'j [Maker],
    /// What each message takes as it came, and what stands outside of the list, last.
    costs: Vec<Cost>,
    /// The neutral messages that were read from each message.
    neutral: Vec<Vec<&'j Message>>,
}

impl<'j> Job<'j> {
    fn new(
        meter: &'j Meter<'j>,
        request: &'j CompressRequest<'j, 'j>,
        list: &'j List<'j, 'j>,
        makers: &'j [Maker],
        notes: &mut Notes,
    ) -> Result<Self, Error> {
        let count = list.items.len();
        let conversation = &list.conversation;
        let (history, system) = (&conversation.history, &conversation.system);
        let flags = protect::run(&request.protect, history, system, notes);
        let mut fixed: Vec<bool> =
            makers.iter().map(|maker| *maker == Maker::OursForGood).collect();
        fixed.resize(count, false);
        for (message, flag) in history.iter().zip(flags) {
            if let Some(fixed) = message.origin.and_then(|at| fixed.get_mut(at)) {
                *fixed |= flag;
            }
        }
        let mut costs = vec![Cost::default(); count + 1];
        let mut neutral = vec![Vec::new(); count];
        for message in system.iter().chain(history) {
            meter.check()?;
            let at = message.origin.filter(|at| *at < count).unwrap_or(count);
            if let Some(cost) = costs.get_mut(at) {
                *cost += meter.message(message)?;
            }
            if let Some(messages) = neutral.get_mut(at) {
                messages.push(message);
            }
        }
        if let Some(outside) = costs.last_mut() {
            outside.text += meter.reply() + meter.tools(&conversation.tools)?;
        }
        let spoken = list.items.iter().map(provider::spoken).collect();
        Ok(Self { meter, request, list, spoken, fixed, makers, costs, neutral })
    }

    fn run<'e>(&self, encoder: &dyn Fn() -> Encoder<'e>) -> Result<Vec<report::Row>, Error> {
        let whole = plan::Plan::whole(self.list.items.len());
        let first = lossless::run(self, &whole, encoder())?;
        let taken = self.request.level;
        if taken == Level::Lossless || self.fits(&first) {
            return Ok(first);
        }
        let plan = plan::run(self, &first, taken)?;
        let mut further = lossless::run(self, &plan, encoder())?;
        if !plan.pays && !self.fits(&further) {
            let plan = plan::run(self, &first, Level::Reversible)?;
            further = lossless::run(self, &plan, encoder())?;
        }
        // What is gone may have been pointed at by what is left.
        Ok(if self.after(&further) < self.after(&first) { further } else { first })
    }

    /// Whether there is a budget, and the rows meet it.
    fn fits(&self, rows: &[report::Row]) -> bool {
        let budget = self.request.budget_tokens;
        budget.is_some_and(|budget| self.request.model.scale(self.after(rows)) <= budget)
    }

    /// Raw tokens that the rows take, with what stands outside of the list.
    fn after(&self, rows: &[report::Row]) -> u64 {
        let outside = self.costs.last().map_or(0, |cost| cost.real());
        outside + rows.iter().map(|row| row.after).sum::<u64>()
    }

    /// Whether one line in the place of a result takes fewer tokens than its texts.
    fn clears(&self, answered: &Answered) -> bool {
        let count = |text: &str| self.meter.counter().count(self.meter.tokenizer(), text);
        let texts: u64 = answered.slots.iter().map(|slot| count(&slot.text)).sum();
        // An object around the line takes some tokens more.
        let around = match answered.content {
            None => return false,
            Some((_, Wrap::Object)) => 6,
            Some(_) => 0,
        };
        count(prose::CLEARED_RESULT) + around < texts
    }

    /// Whether a message's results may take another form at rung 1.
    fn hold(&self, at: usize) -> Hold {
        match self.makers.get(at) {
            Some(Maker::Ours | Maker::OursForGood) => Hold::Ours,
            _ if self.fixed.get(at) == Some(&true) => Hold::Fixed,
            _ => Hold::Free,
        }
    }

    fn item(&self, at: usize) -> Option<&Node<'j>> {
        self.list.items.get(at)
    }

    /// The neutral messages that were read from a message of the list.
    fn messages(&self, at: usize) -> &[&'j Message] {
        self.neutral.get(at).map_or(&[], Vec::as_slice)
    }
}

/// The request's text or messages as they came: there was no time for more, not even to count.
pub fn passed_on(request: &CompressRequest<'_, '_>, notes: Notes) -> Shortened {
    match &request.given {
        Given::Text(text) => report::passed(request, Vec::new(), Some(text.to_string()), notes),
        Given::List(list) => {
            let shown = list.items.iter().enumerate().map(|(at, item)| Shown {
                json: item.raw.to_owned(),
                origin: Some(at),
                changed: false,
                edits: Vec::new(),
            });
            report::passed(request, shown.collect(), None, notes)
        }
    }
}
