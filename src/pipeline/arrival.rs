//! The on-arrival form of tool results, and the count of every message.

use std::sync::Arc;

use super::measure::{self, Cost, Meter, TextSource};
use super::report::Action;
use super::{StopReason, prose};
use crate::compress::{
    Depth, EditLimit, Encoder, Engine, Fidelity, Lossless, ReducedSize, Reducer, ShownForm,
};
use crate::domain::{
    Content, Message, Notes, Part, RawJson, Role, output_texts, with_output_texts,
};
use crate::request::OnArrival;

/// Costs and forms of each message on arrival, one entry for each message.
#[derive(Debug)]
pub(super) struct Output {
    /// Tokens of the message in its short form, by itself.
    pub(super) costs: Vec<Cost>,
    /// Raw tokens that this form saves; a mark before a look-alike costs.
    pub(super) saved: Vec<i64>,
    /// Its forms as long as everything before it is in sight.
    pub(super) forms: Vec<ArrivedForms>,
}

/// The forms of a message's texts.
#[derive(Debug, Default, Clone)]
pub(super) struct ArrivedForms {
    /// Of its tool results.
    pub(super) forms: Vec<ShownForm>,
    /// Forms of its own texts; empty if they are unchanged.
    pub(super) words: Vec<ShownForm>,
    /// Of the outputs of built-in tools in it that are shortened.
    pub(super) outputs: Vec<ShownOutput>,
    /// Raw tokens that the forms save in addition to what the results save by themselves.
    pub(super) saved: u64,
}

/// An item with the output of a built-in tool, shortened.
#[derive(Debug, Clone)]
pub(super) struct ShownOutput {
    /// The place of its part in the message.
    part: usize,
    /// The item as it is shown.
    raw: RawJson,
    /// The forms of its texts.
    forms: Vec<ShownForm>,
    /// Raw tokens that they save.
    saved: u64,
}

impl ArrivedForms {
    fn all(&self) -> impl Iterator<Item = &ShownForm> {
        let outputs = self.outputs.iter().flat_map(|output| &output.forms);
        self.forms.iter().chain(&self.words).chain(outputs)
    }

    fn add_outputs(&mut self, outputs: Vec<ShownOutput>) {
        self.saved += outputs.iter().map(|output| output.saved).sum::<u64>();
        self.outputs = outputs;
    }

    /// The action on the message, if no later rung changes it.
    pub(super) fn action(&self) -> Action {
        let rules = || self.all().flat_map(|form| &form.rules);
        if rules().all(|rule| rule == "escape") {
            Action::Kept
        } else if rules().all(|rule| rule == "reference") {
            Action::Deduplicated
        } else {
            Action::Compressed
        }
    }

    /// The rules, in order, as a decision names them.
    pub(super) fn rules(&self) -> String {
        let mut rules = Vec::new();
        for rule in self.all().flat_map(|form| &form.rules) {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        name_rules(rules.into_iter().map(AsRef::as_ref), "on_arrival")
    }

    /// The originals of the texts in its outputs of built-in tools of which something is left out.
    pub(super) fn shortened_outputs(&self, message: &Message) -> Vec<Arc<str>> {
        let mut found = Vec::new();
        for output in &self.outputs {
            let texts = message.parts.get(output.part).map(output_texts).unwrap_or_default();
            let forms = texts.into_iter().zip(&output.forms);
            let less = forms.filter(|(_, form)| form.class == Fidelity::Reversible);
            found.extend(less.map(|(own, _)| own.text));
        }
        found
    }

    /// Notations and adapters whose work was reverted.
    pub(super) fn reverted(&self) -> impl Iterator<Item = &str> {
        self.all().flat_map(|form| form.reverted.iter().map(AsRef::as_ref))
    }

    pub(super) fn class(&self) -> Option<Fidelity> {
        let changed = self.all().filter(|form| form.text.is_some());
        changed.map(|form| form.class).max()
    }
}

/// Warns of work that was taken back.
pub(super) fn warn<'n>(notes: &mut Notes, pointer: &str, names: impl Iterator<Item = &'n str>) {
    for name in names {
        let (code, name) = match name.strip_prefix("adapter:") {
            Some(name) => ("adapter_reverted", name),
            None => ("notation_reverted", name),
        };
        notes.warn(code, pointer.to_owned(), name);
    }
}

/// Joins rules to the name that a decision shows: `adapter:json+log`, followed by the rules of
/// rung 1; or, if only rung 1 changed the text, its rules after `first`.
pub(super) fn name_rules<'r>(rules: impl Iterator<Item = &'r str>, first: &str) -> String {
    let (further, exact): (Vec<&str>, Vec<&str>) =
        rules.partition(|rule| rule.starts_with("adapter:") || Depth::is_extract(rule));
    if further.is_empty() {
        return format!("{first}:{}", exact.join("+"));
    }
    let mut text = String::new();
    for rule in further {
        let rule = if text.is_empty() { rule } else { rule.trim_start_matches("adapter:") };
        text.extend((!text.is_empty()).then_some('+'));
        text.push_str(rule);
    }
    if !exact.is_empty() {
        text.push_str(",lossless:");
        text.push_str(&exact.join("+"));
    }
    text
}

pub(super) fn run(
    meter: &Meter<'_>,
    mut arrival_pass: ArrivalPass<'_>,
    history: &[Message],
    protected: &[bool],
) -> Result<Output, StopReason> {
    let mut costs = Vec::with_capacity(history.len());
    let mut saved = Vec::with_capacity(history.len());
    let mut forms = Vec::with_capacity(history.len());
    for (message, protected) in history.iter().zip(protected) {
        meter.check()?;
        let arrived = arrival_pass
            .arrive(message, if *protected { ArrivalForm::Fixed } else { ArrivalForm::Whole });
        let mut known = arrived.forms.iter();
        let mut won = 0;
        // Every text was counted when its form was found.
        costs.push(meter.message_by(message, &mut |whose, text| match whose {
            TextSource::Own => meter.text(text),
            TextSource::Result => known.next().map_or_else(
                || meter.text(text),
                |form| {
                    won += measure::saved(form.tokens_before, form.tokens_alone);
                    Ok(form.tokens_alone)
                },
            ),
        })?);
        saved.push(won);
        forms.push(arrived);
    }
    Ok(Output { costs, saved, forms })
}

/// Gives the messages in sight their forms, in order, as they arrive.
#[derive(Debug)]
pub(super) struct ArrivalPass<'s> {
    engine: &'s Engine,
    meter: &'s Meter<'s>,
    reducer: Reducer<'s>,
    on_arrival: OnArrival,
    encoder: Encoder<'s>,
}

/// Form in which a message is to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArrivalForm {
    /// Unchanged, except for the mark that escapes a look-alike.
    Fixed,
    /// As it arrived.
    Whole,
    /// Its texts so far down rung 2.
    To(ReducedSize),
}

impl<'s> ArrivalPass<'s> {
    pub(super) fn new(
        engine: &'s Engine,
        meter: &'s Meter<'s>,
        on_arrival: OnArrival,
        reducer: Reducer<'s>,
    ) -> Self {
        let encoder = encoder(engine, meter, reducer);
        Self { engine, meter, reducer, on_arrival, encoder }
    }

    /// Starts again: no message is before the next one.
    pub(super) fn clear(&mut self) {
        self.encoder = encoder(self.engine, self.meter, self.reducer);
    }

    /// The forms of the next message.
    pub(super) fn arrive(&mut self, message: &Message, shape: ArrivalForm) -> ArrivedForms {
        let mut arrived = ArrivedForms::default();
        if self.on_arrival == OnArrival::Off {
            // Nothing is referred to, so nothing has to be remembered.
            if let ArrivalForm::To(size) = shape {
                arrived.forms = self.alone(message, size);
                arrived.words = self.words(message, size);
                arrived.saved = arrived.all().map(saved).sum();
                arrived.add_outputs(self.outputs(message, size));
            }
            return arrived;
        }
        let hold = match (shape, self.on_arrival) {
            (ArrivalForm::Fixed, _) => EditLimit::Fixed,
            (ArrivalForm::To(ReducedSize::To(depth)), _) => EditLimit::To(depth),
            (ArrivalForm::To(ReducedSize::Excerpt { bytes }), _) => EditLimit::Excerpt { bytes },
            (ArrivalForm::Whole, OnArrival::Reversible) => EditLimit::To(Depth::Reduced),
            (ArrivalForm::Whole, _) => EditLimit::Free,
        };
        for part in &message.parts {
            match &part.content {
                Content::ToolCall(call) => self.encoder.add_call(&call.arguments),
                Content::ToolResult(result) => {
                    let texts = result.content.iter().filter_map(Part::as_text);
                    let texts: Vec<_> = texts.cloned().collect();
                    // A line of ours that the caller sent back is already short, and often occurs
                    // many times.
                    let is_line = texts.iter().all(|text| prose::is_cleared(text));
                    let hold = if is_line { EditLimit::Fixed } else { hold };
                    let forms = self.encoder.encode_result(&texts, hold);
                    arrived.saved += texts
                        .iter()
                        .zip(&forms)
                        .map(|(text, form)| match shape {
                            ArrivalForm::To(_) => {
                                self.arrived_alone(text).saturating_sub(form.tokens_after)
                            }
                            _ => form.tokens_alone.saturating_sub(form.tokens_after),
                        })
                        .sum::<u64>();
                    arrived.forms.extend(forms);
                }
                _ => {}
            }
        }
        if let ArrivalForm::To(size) = shape {
            arrived.words = self.words(message, size);
            arrived.saved += arrived.words.iter().map(saved).sum::<u64>();
            arrived.add_outputs(self.outputs(message, size));
        }
        arrived
    }

    /// Raw tokens that rung 2 saves of a message by itself, compared with the form in which it
    /// arrived.
    pub(super) fn saves(&self, message: &Message, size: ReducedSize) -> u64 {
        let before = |text: &Arc<str>, form: &ShownForm| match self.on_arrival {
            OnArrival::Off => form.tokens_before,
            _ => self.arrived_alone(text),
        };
        let forms = self.alone(message, size);
        let results = result_texts(message).zip(&forms);
        let saved_there =
            results.map(|(text, form)| before(text, form).saturating_sub(form.tokens_after));
        let outputs = self.outputs(message, size);
        saved_there.sum::<u64>()
            + self.words(message, size).iter().map(saved).sum::<u64>()
            + outputs.iter().map(|output| output.saved).sum::<u64>()
    }

    /// Tokens of a result's text by itself, in its form on arrival.
    pub(super) fn arrived_alone(&self, text: &Arc<str>) -> u64 {
        let reduced = ReducedSize::To(Depth::Reduced);
        let size = (self.on_arrival == OnArrival::Reversible).then_some(reduced);
        self.encoder.encode_alone(text, size).tokens_alone
    }

    fn alone(&self, message: &Message, size: ReducedSize) -> Vec<ShownForm> {
        result_texts(message).map(|text| self.encoder.encode_alone(text, Some(size))).collect()
    }

    /// The outputs of built-in tools that get shorter. They arrive as they are, and nothing refers to
    /// them: their texts are in items that only the provider reads.
    fn outputs(&self, message: &Message, size: ReducedSize) -> Vec<ShownOutput> {
        let mut found = Vec::new();
        for (part, own) in message.parts.iter().enumerate() {
            let Content::Opaque { raw, .. } = &own.content else { continue };
            let texts = output_texts(own);
            let is_ours = texts.iter().all(|own| prose::is_cleared(&own.text));
            if is_ours {
                continue;
            }
            let forms = texts.iter().map(|own| self.encoder.encode_alone(&own.text, Some(size)));
            let forms: Vec<ShownForm> = forms.collect();
            let shown = forms.iter().map(|form| form.text.as_deref());
            let shown = with_output_texts(raw, &texts, shown);
            // A count that was stopped saves nothing: the compile ends at the next check.
            let count = |raw: &RawJson| self.meter.text(raw.as_str()).unwrap_or_default();
            let saved = count(raw).saturating_sub(count(&shown));
            if saved > 0 {
                found.push(ShownOutput { part, raw: shown, forms, saved });
            }
        }
        found
    }

    fn words(&self, message: &Message, size: ReducedSize) -> Vec<ShownForm> {
        if !may_be_shortened(message) {
            return Vec::new();
        }
        // An excerpt is made of results: what the model said beside them is only reduced.
        let depth = size.depth().unwrap_or(Depth::Reduced);
        own_texts(message).map(|text| self.encoder.encode_reply(text, depth)).collect()
    }
}

fn saved(form: &ShownForm) -> u64 {
    form.tokens_before.saturating_sub(form.tokens_after)
}

fn encoder<'s>(engine: &'s Engine, meter: &'s Meter<'s>, reducer: Reducer<'s>) -> Encoder<'s> {
    let name = meter.tokenizer();
    Encoder::new(engine, meter.counter(), name, Lossless::Equivalent).with_reducer(reducer)
}

/// Whether rung 2 may change the message's own texts. A provider's own items may quote them.
fn may_be_shortened(message: &Message) -> bool {
    let is_opaque = |part: &Part| matches!(part.content, Content::Opaque { .. });
    matches!(message.role, Role::User | Role::Assistant)
        && !message.parts.iter().any(is_opaque)
        && !own_texts(message).any(|text| prose::is_history_summary(text))
}

/// Whether a part is a text of its message, and nothing counts its characters.
fn is_own(part: &Part) -> bool {
    matches!(part.content, Content::Text(_)) && part.extra.is_empty()
}

fn own_texts(message: &Message) -> impl Iterator<Item = &Arc<str>> {
    message.parts.iter().filter(|part| is_own(part)).filter_map(Part::as_text)
}

/// The texts of a message's results.
pub(super) fn result_texts(message: &Message) -> impl Iterator<Item = &Arc<str>> {
    message.tool_results().flat_map(|result| result.content.iter().filter_map(Part::as_text))
}

/// Puts the forms of a message's texts in their places.
pub(super) fn show(message: &mut Message, arrived: &ArrivedForms) {
    let results = message.parts.iter_mut().flat_map(|part| match &mut part.content {
        Content::ToolResult(result) => result.content.as_mut_slice(),
        _ => &mut [],
    });
    place(results, &arrived.forms);
    place(message.parts.iter_mut().filter(|part| is_own(part)), &arrived.words);
    for output in &arrived.outputs {
        if let Some(Content::Opaque { raw, .. }) =
            message.parts.get_mut(output.part).map(|part| &mut part.content)
        {
            *raw = output.raw.clone();
        }
    }
}

fn place<'p>(parts: impl Iterator<Item = &'p mut Part>, forms: &[ShownForm]) {
    let texts = parts.filter_map(|part| match &mut part.content {
        Content::Text(text) => Some(text),
        _ => None,
    });
    for (text, form) in texts.zip(forms) {
        if let Some(form) = &form.text {
            text.clone_from(form);
        }
    }
}
