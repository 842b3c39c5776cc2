//! The on-arrival form of tool results, and the count of every message.

use super::Stopped;
use super::measure::{self, Cost, Meter};
use super::report::Action;
use crate::compress::{Class, Encoder, Engine, Form, Hold, Lossless};
use crate::domain::{Content, Message, Part};
use crate::request::OnArrival;

/// What is known of each message on arrival, one entry each.
#[derive(Debug)]
pub(super) struct Output {
    /// What it takes in its short form by itself.
    pub(super) costs: Vec<Cost>,
    /// Raw tokens that this form saves; a mark before a look-alike costs.
    pub(super) saved: Vec<i64>,
    /// Its forms as long as everything before it is in sight.
    pub(super) forms: Vec<Arrived>,
}

/// The forms of the texts of a message's tool results.
#[derive(Debug, Default, Clone)]
pub(super) struct Arrived {
    pub(super) forms: Vec<Form>,
    /// Raw tokens that references save beside the forms by themselves.
    pub(super) saved: u64,
}

impl Arrived {
    /// What happened to the message, if nothing else does.
    pub(super) fn action(&self) -> Action {
        let mut rules = self.forms.iter().flat_map(|form| &form.rules).peekable();
        if rules.peek().is_none() || rules.clone().all(|rule| *rule == "escape") {
            Action::Kept
        } else if rules.all(|rule| *rule == "reference") {
            Action::Deduplicated
        } else {
            Action::Compressed
        }
    }

    /// The rules, in order, as a decision names them.
    pub(super) fn rules(&self) -> String {
        let mut rules: Vec<&str> = Vec::new();
        for rule in self.forms.iter().flat_map(|form| &form.rules) {
            if !rules.contains(rule) {
                rules.push(rule);
            }
        }
        format!("on_arrival:{}", rules.join("+"))
    }

    /// Notations whose blocks had to be taken back.
    pub(super) fn reverted(&self) -> impl Iterator<Item = &'static str> {
        self.forms.iter().flat_map(|form| form.reverted.iter().copied())
    }

    pub(super) fn class(&self) -> Option<Class> {
        let changed = self.forms.iter().filter(|form| form.text.is_some());
        changed.map(|form| form.class).max()
    }
}

pub(super) fn run(
    meter: &Meter<'_>,
    engine: &Engine,
    history: &[Message],
    protected: &[bool],
    on_arrival: OnArrival,
) -> Result<Output, Stopped> {
    let mut costs = Vec::with_capacity(history.len());
    let mut saved = Vec::with_capacity(history.len());
    let mut forms = Vec::with_capacity(history.len());
    let mut sight = Sight::new(engine, meter, on_arrival);
    for (message, protected) in history.iter().zip(protected) {
        meter.check()?;
        let arrived = sight.arrive(message, *protected);
        let mut known = arrived.forms.iter();
        let mut won = 0;
        // Every text was counted when its form was found.
        costs.push(meter.message_by(message, &mut |text| match known.next() {
            Some(form) => {
                won += measure::saved(form.tokens_before, form.tokens_alone);
                Ok(form.tokens_alone)
            }
            None => meter.text(text),
        })?);
        saved.push(won);
        forms.push(arrived);
    }
    Ok(Output { costs, saved, forms })
}

/// Gives the messages in sight their forms, in order, as they arrive.
#[derive(Debug)]
pub(super) struct Sight<'s> {
    engine: &'s Engine,
    meter: &'s Meter<'s>,
    /// None where nothing is shortened on arrival.
    encoder: Option<Encoder<'s>>,
}

impl<'s> Sight<'s> {
    pub(super) fn new(engine: &'s Engine, meter: &'s Meter<'s>, on_arrival: OnArrival) -> Self {
        let encoder = (on_arrival == OnArrival::Lossless).then(|| encoder(engine, meter));
        Self { engine, meter, encoder }
    }

    /// Begins anew: nothing stands before the next message.
    pub(super) fn clear(&mut self) {
        if self.encoder.is_some() {
            self.encoder = Some(encoder(self.engine, self.meter));
        }
    }

    /// The forms of the next message. `fixed`: its texts stand as they are.
    pub(super) fn arrive(&mut self, message: &Message, fixed: bool) -> Arrived {
        let mut arrived = Arrived::default();
        let Some(encoder) = &mut self.encoder else { return arrived };
        let hold = if fixed { Hold::Fixed } else { Hold::Free };
        for part in &message.parts {
            match &part.content {
                Content::ToolCall(call) => encoder.call(&call.arguments),
                Content::ToolResult(result) => {
                    let texts = result.content.iter().filter_map(Part::as_text);
                    let texts: Vec<_> = texts.cloned().collect();
                    arrived.forms.extend(encoder.result(&texts, hold));
                }
                _ => {}
            }
        }
        let saved = |form: &Form| form.tokens_alone.saturating_sub(form.tokens_after);
        arrived.saved = arrived.forms.iter().map(saved).sum();
        arrived
    }
}

fn encoder<'s>(engine: &'s Engine, meter: &'s Meter<'s>) -> Encoder<'s> {
    Encoder::new(engine, meter.counter(), meter.tokenizer(), Lossless::Equivalent)
}

/// Puts the forms of a message's texts in their places.
pub(super) fn show(message: &mut Message, forms: &[Form]) {
    let texts = message.parts.iter_mut().flat_map(|part| match &mut part.content {
        Content::ToolResult(result) => result.content.as_mut_slice(),
        _ => &mut [],
    });
    let texts = texts.filter_map(|part| match &mut part.content {
        Content::Text(text) => Some(text),
        _ => None,
    });
    for (text, form) in texts.zip(forms) {
        if let Some(form) = &form.text {
            text.clone_from(form);
        }
    }
}
