//! The on-arrival form of tool results, and the count of every message.

use std::sync::Arc;

use super::arrived_forms::{ArrivedForms, ShownOutput, is_own};
use super::measure::{self, Cost, Meter, TextSource};
use super::{StopReason, prose, turn_scope};
use crate::compress::{
    Depth, EditLimit, Encoder, Engine, Lossless, ReducedSize, Reducer, ShownForm,
};
use crate::domain::{
    AllowedNotations, Content, Message, Part, RawJson, Role, ToolCall, output_texts,
    with_output_texts,
};
use crate::request::{CompileRequest, OnArrival};

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
    turn_scope::uncount_cleared(history.iter().zip(&mut costs));
    Ok(Output { costs, saved, forms })
}

/// What may be done to a result when it arrives.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArrivalRules {
    on_arrival: OnArrival,
    notations: AllowedNotations,
}

impl ArrivalRules {
    /// The rules of a request, whose history may have a form on arrival of its own.
    pub(super) fn new(on_arrival: OnArrival, request: &CompileRequest) -> Self {
        Self { on_arrival, notations: request.compression.notations }
    }
}

/// Gives the messages in sight their forms, in order, as they arrive.
#[derive(Debug)]
pub(super) struct ArrivalPass<'s> {
    engine: &'s Engine,
    meter: &'s Meter<'s>,
    reducer: Reducer<'s>,
    rules: ArrivalRules,
    encoder: Encoder<'s>,
    /// Bytes from which what a message says itself is cut in an excerpt.
    own_bytes: usize,
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
        rules: ArrivalRules,
        reducer: Reducer<'s>,
    ) -> Self {
        let encoder = encoder(engine, meter, reducer, rules);
        Self { engine, meter, reducer, rules, encoder, own_bytes: MIN_OWN_EXCERPT_BYTES }
    }

    /// Starts again: no message is before the next one.
    pub(super) fn clear(&mut self) {
        self.encoder = encoder(self.engine, self.meter, self.reducer, self.rules);
    }

    /// The forms of the next message.
    pub(super) fn arrive(&mut self, message: &Message, shape: ArrivalForm) -> ArrivedForms {
        let mut arrived = ArrivedForms::default();
        if self.rules.on_arrival == OnArrival::Off {
            // Nothing is referred to, so nothing has to be remembered.
            if let ArrivalForm::To(size) = shape {
                arrived.forms = self.alone(message, size);
                self.add_own(&mut arrived, message, size);
                arrived.saved += arrived.forms.iter().map(saved).sum::<u64>();
            }
            return arrived;
        }
        let hold = match (shape, self.rules.on_arrival) {
            (ArrivalForm::Fixed, _) => EditLimit::Fixed,
            (ArrivalForm::To(ReducedSize::To(depth)), _) => EditLimit::To(depth),
            (ArrivalForm::To(ReducedSize::Excerpt { bytes }), _) => EditLimit::Excerpt { bytes },
            (ArrivalForm::Whole, OnArrival::Reversible) => EditLimit::To(Depth::Reduced),
            (ArrivalForm::Whole, _) => EditLimit::Free,
        };
        if let ArrivalForm::To(size) = shape {
            self.add_own(&mut arrived, message, size);
        }
        let shown = arrived.arguments.iter().map(|form| form.text.clone());
        let mut shown_arguments = shown.collect::<Vec<_>>().into_iter();
        for part in &message.parts {
            match &part.content {
                // What follows refers to what is shown.
                Content::ToolCall(call) => match shown_arguments.next().flatten() {
                    Some(shown) => self.encoder.add_call(&shown),
                    None => self.encoder.add_call(&call.arguments),
                },
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
        arrived
    }

    /// Adds the forms of what is no result.
    fn add_own(&self, arrived: &mut ArrivedForms, message: &Message, size: ReducedSize) {
        arrived.words = self.words(message, size);
        arrived.arguments = self.arguments(message, size);
        arrived.saved += arrived.own().map(saved).sum::<u64>();
        arrived.add_outputs(self.outputs(message, size));
    }

    /// Raw tokens that rung 2 saves of a message by itself, compared with the form in which it
    /// arrived.
    pub(super) fn saves(&self, message: &Message, size: ReducedSize) -> u64 {
        let before = |text: &Arc<str>, form: &ShownForm| match self.rules.on_arrival {
            OnArrival::Off => form.tokens_before,
            _ => self.arrived_alone(text),
        };
        let forms = self.alone(message, size);
        let results = result_texts(message).zip(&forms);
        let saved_there =
            results.map(|(text, form)| before(text, form).saturating_sub(form.tokens_after));
        let mut own = ArrivedForms::default();
        self.add_own(&mut own, message, size);
        saved_there.sum::<u64>() + own.saved
    }

    /// Tokens of a result's text by itself, in its form on arrival.
    pub(super) fn arrived_alone(&self, text: &Arc<str>) -> u64 {
        let reduced = ReducedSize::To(Depth::Reduced);
        let size = (self.rules.on_arrival == OnArrival::Reversible).then_some(reduced);
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
        let encode =
            |text: &Arc<str>| self.encoder.encode_reply(text, self.size_of_own(text, size));
        own_texts(message).map(encode).collect()
    }

    /// Arguments are cut in excerpts alone: they have no format of their own that an adapter keeps.
    fn arguments(&self, message: &Message, size: ReducedSize) -> Vec<ShownForm> {
        if size.depth().is_some() || !message.tool_calls().any(|call| self.is_cut_call(call)) {
            return Vec::new();
        }
        let encode = |call: &ToolCall| {
            let size = self.size_of_own(&call.arguments, size);
            self.encoder.encode_arguments(&call.arguments, size)
        };
        message.tool_calls().map(encode).collect()
    }

    /// Sets how many tokens the history may take after a compaction point: what a message says itself
    /// is cut only if it has no room whole.
    pub(super) fn set_target(&mut self, tokens: u64) {
        let bytes = usize::try_from(tokens.saturating_mul(BYTES_PER_TOKEN)).unwrap_or(usize::MAX);
        self.own_bytes = bytes.max(MIN_OWN_EXCERPT_BYTES);
    }

    /// The size of what a message says itself, in an excerpt of the message: texts that are not long
    /// are only reduced.
    fn size_of_own(&self, text: &str, size: ReducedSize) -> ReducedSize {
        match size {
            ReducedSize::Excerpt { .. } if text.len() < self.own_bytes => {
                ReducedSize::To(Depth::Reduced)
            }
            size => size,
        }
    }

    fn is_cut_call(&self, call: &ToolCall) -> bool {
        call.arguments.len() >= self.own_bytes && !call.custom
    }

    /// The texts of a message that an excerpt of it cuts, results and outputs of built-in tools aside.
    pub(super) fn cut_own_texts<'m>(
        &self,
        message: &'m Message,
    ) -> impl Iterator<Item = &'m Arc<str>> {
        let texts = may_be_shortened(message).then(|| own_texts(message)).into_iter().flatten();
        let texts = texts.filter(|text| text.len() >= self.own_bytes);
        let calls = message.tool_calls().filter(|call| self.is_cut_call(call));
        texts.chain(calls.map(|call| &call.arguments))
    }
}

/// Bytes of a text of the user or the model, or of the arguments of a call, that is cut in an excerpt
/// whatever the room. What is shorter is not worth a gap in what somebody said.
const MIN_OWN_EXCERPT_BYTES: usize = 2_000;
/// Bytes of a text to a token, about.
const BYTES_PER_TOKEN: u64 = 4;

fn saved(form: &ShownForm) -> u64 {
    form.tokens_before.saturating_sub(form.tokens_after)
}

fn encoder<'s>(
    engine: &'s Engine,
    meter: &'s Meter<'s>,
    reducer: Reducer<'s>,
    rules: ArrivalRules,
) -> Encoder<'s> {
    let name = meter.tokenizer();
    let encoder = Encoder::new(engine, meter.counter(), name, Lossless::Equivalent);
    encoder.with_reducer(reducer).with_notations(rules.notations)
}

/// Whether rung 2 may change the message's own texts. A provider's own items may quote them.
fn may_be_shortened(message: &Message) -> bool {
    let is_opaque = |part: &Part| matches!(part.content, Content::Opaque { .. });
    matches!(message.role, Role::User | Role::Assistant)
        && !message.parts.iter().any(is_opaque)
        && !own_texts(message).any(|text| prose::is_history_summary(text))
}

fn own_texts(message: &Message) -> impl Iterator<Item = &Arc<str>> {
    message.parts.iter().filter(|part| is_own(part)).filter_map(Part::as_text)
}

/// The texts of a message's results.
pub(super) fn result_texts(message: &Message) -> impl Iterator<Item = &Arc<str>> {
    message.tool_results().flat_map(|result| result.content.iter().filter_map(Part::as_text))
}

#[cfg(test)]
mod tests {
    use super::super::arrived_forms::show;
    use super::*;
    use crate::compress::{AdapterSet, DecodedText, Decoder};
    use crate::domain::{AdapterChoices, Target, TokenizerName, ToolResult};
    use crate::limit::Deadline;
    use crate::tokenizer::Counter;

    fn file() -> String {
        let lines =
            (0..200_u64).map(|at| format!("let value_{} = read({});", at * at * 31, at * 977));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn writing(text: &str) -> Message {
        let arguments = serde_json::json!({"path": "a.rs", "content": text}).to_string().into();
        let call = ToolCall { id: "w".into(), name: "write".into(), arguments, custom: false };
        Message::new(Role::Assistant, vec![Part::new(Content::ToolCall(call))])
    }

    fn reading(text: &str) -> Message {
        let content = vec![Part::text(text)];
        let result = ToolResult { call_id: "r".into(), name: None, content, is_error: None };
        Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))])
    }

    /// A result after a call with the same text in its arguments, as it decodes from the shown list.
    fn decoded_after(shape: ArrivalForm) -> DecodedText {
        let (engine, counter, deadline) = (Engine::new(), Counter::new(), Deadline::default());
        let meter = Meter::new(&counter, TokenizerName::O200kBase, Target::Openai, &deadline);
        let adapters = AdapterSet::new(&AdapterChoices::default(), &deadline);
        let reducer = Reducer { adapters: &adapters, pointer: None };
        let rules =
            ArrivalRules { on_arrival: OnArrival::Lossless, notations: AllowedNotations::Plain };
        let mut pass = ArrivalPass::new(&engine, &meter, rules, reducer);
        let (mut call, mut result) = (writing(&file()), reading(&file()));
        for (message, shape) in [(&mut call, shape), (&mut result, ArrivalForm::Whole)] {
            let arrived = pass.arrive(message, shape);
            show(message, &arrived);
        }
        let mut decoder = Decoder::new(0);
        for call in call.tool_calls() {
            decoder.add_call(&call.arguments);
        }
        let shown: Vec<_> = result_texts(&result).cloned().collect();
        decoder.decode_result(&shown).swap_remove(0)
    }

    #[test]
    fn results_decode_after_arguments_that_are_cut() {
        for shape in [
            ArrivalForm::Whole,
            ArrivalForm::To(ReducedSize::Excerpt { bytes: 400 }),
            ArrivalForm::To(ReducedSize::Excerpt { bytes: 4_000 }),
        ] {
            assert_eq!(decoded_after(shape), DecodedText::Text(file()), "{shape:?}");
        }
    }
}
