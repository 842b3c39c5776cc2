//! Rung 1 over the messages that are in sight.

use std::borrow::Cow;
use std::sync::Arc;

use super::forms::Visibility;
use super::output::Edit;
use super::plan::ShortenPlan;
use super::removals::original_text;
use super::report::{Row, RowContent};
use super::{ClearedLine, Error, MessageThinking, Original, ShortenJob, TextEdit};
use crate::compress::{
    EditLimit, Encoder, Fidelity, ReducedSize, ShownFacts, ShownForm, TextNames,
};
use crate::domain::{ArtifactId, ValueClass};
use crate::pipeline::measure;
use crate::pipeline::report::Action;
use crate::provider::{ContentWrap, MessageText, ResultTexts, TextSlot};

/// The messages of the list in the sight that the plan leaves them, one row each, and one for
/// the summary in its place.
pub(super) fn run<'e>(
    job: &ShortenJob<'_>,
    plan: &ShortenPlan,
    mut encoder: Encoder<'e>,
    facts: Option<&'e ShownFacts<'e>>,
) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::with_capacity(job.spoken.len() + 1);
    for (at, spoken) in job.spoken.iter().enumerate() {
        job.meter.check()?;
        if plan.summary_at == Some(at)
            && let Some(summary) = &plan.summary
        {
            rows.push(Row::summary(summary.json.clone(), summary.tokens));
        }
        let visibility = plan.visibility.get(at).copied().unwrap_or(Visibility::Whole);
        if let Visibility::Gone(action) = visibility {
            rows.push(gone_row(job, at, action));
            continue;
        }
        if let Some(facts) = facts {
            encoder.set_fact_context(facts, at);
        }
        let mut edits = Edits::new(job, at);
        if let Some(thought) = job.thinking_of(at, visibility) {
            edits.cut_thinking(thought);
        }
        let mut results = 0..;
        for spoken in spoken {
            match spoken {
                MessageText::Call(slot, wrap) => {
                    let form = match job.hold_own(job.hold_in(at, visibility), &slot.text) {
                        EditLimit::To(depth) => {
                            Some(encoder.encode_arguments(&slot.text, ReducedSize::To(depth)))
                        }
                        _ => None,
                    };
                    let shown = form.as_ref().and_then(|form| form.text.as_ref());
                    encoder.add_call(shown.unwrap_or(&slot.text));
                    edits.edit_call(slot, *wrap, form);
                }
                MessageText::Words(slot) => {
                    let form = encoder
                        .encode_prompt(&slot.text, job.hold_words(job.hold_in(at, visibility)));
                    edits.edit_texts(std::slice::from_ref(slot), vec![form]);
                }
                MessageText::Said(slot) => {
                    match job.hold_own(job.hold_in(at, visibility), &slot.text) {
                        EditLimit::To(depth) => {
                            let form = encoder.encode_reply(&slot.text, ReducedSize::To(depth));
                            edits.edit_texts(std::slice::from_ref(slot), vec![form]);
                        }
                        _ => edits.slots += 1,
                    }
                }
                MessageText::Result(answered) => {
                    let nth = results.next().unwrap_or_default();
                    if let Some(line) = job.line(at, nth, visibility) {
                        let raw = job.item(at).map_or("", |item| item.raw);
                        edits.clear_result(&mut encoder, answered, raw, line);
                        continue;
                    }
                    let texts: Vec<Arc<str>> =
                        answered.slots.iter().map(|slot| Arc::clone(&slot.text)).collect();
                    let forms = encoder.encode_result(&texts, job.hold_result(at, visibility));
                    edits.edit_texts(&answered.slots, forms);
                }
            }
        }
        rows.push(edits.into_row(job));
    }
    Ok(rows)
}

fn gone_row(job: &ShortenJob<'_>, at: usize, action: Action) -> Row {
    let before = job.costs.get(at).map_or(0, |cost| cost.real());
    let raw = job.item(at).map_or("", |item| item.raw);
    let original = Original {
        text: raw.into(),
        message: at,
        tokens: before,
        whole: true,
        artifact: ArtifactId::of_text(raw),
    };
    Row {
        shown: None,
        origin: Some(at),
        action,
        rules: Vec::new(),
        reverted: Vec::new(),
        refused: Vec::new(),
        class: None,
        values: None,
        before,
        after: 0,
        alone: 0,
        originals: vec![original],
    }
}

/// The edits of one message.
struct Edits<'j> {
    names: &'j TextNames,
    /// The index of the message in the list.
    message: usize,
    places: Vec<Edit>,
    originals: Vec<Original>,
    shown: Vec<TextEdit>,
    /// Texts of the message so far.
    slots: usize,
    rules: Vec<Cow<'static, str>>,
    reverted: Vec<Cow<'static, str>>,
    refused: Vec<Cow<'static, str>>,
    class: Option<Fidelity>,
    values: Option<ValueClass>,
    /// Whether a result gave way to one line.
    cleared: bool,
    /// Whether parts of the message are gone.
    parted: bool,
    /// Raw tokens saved as shown, and without references; escapes cost.
    saved: i64,
    alone: i64,
}

impl<'j> Edits<'j> {
    fn new(job: &ShortenJob<'j>, message: usize) -> Self {
        Self {
            names: job.names,
            message,
            places: Vec::new(),
            originals: Vec::new(),
            shown: Vec::new(),
            slots: 0,
            rules: Vec::new(),
            reverted: Vec::new(),
            refused: Vec::new(),
            class: None,
            values: None,
            cleared: false,
            parted: false,
            saved: 0,
            alone: 0,
        }
    }

    fn edit_texts(&mut self, slots: &[TextSlot], forms: Vec<ShownForm>) {
        for (slot, form) in slots.iter().zip(forms) {
            let place = self.slots;
            self.slots += 1;
            self.values = self.values.max(form.values());
            self.saved += measure::saved(form.tokens_before, form.tokens_after);
            self.alone += measure::saved(form.tokens_before, form.tokens_alone);
            self.reverted.extend(form.reverted);
            self.refused.extend(form.refused);
            let Some(text) = form.text else { continue };
            self.places.push(Edit { at: slot.raw.clone(), text, wrap: ContentWrap::Text });
            self.add_original(place, Arc::clone(&slot.text), form.tokens_before, false);
            self.add_rules(form.rules);
            self.class = self.class.max(Some(form.class));
        }
    }

    fn edit_call(&mut self, slot: &TextSlot, wrap: ContentWrap, form: Option<ShownForm>) {
        let place = self.slots;
        self.slots += 1;
        let Some((form, text)) = form.and_then(|form| Some((form.clone(), form.text?))) else {
            return;
        };
        self.saved += measure::saved(form.tokens_before, form.tokens_after);
        self.alone += measure::saved(form.tokens_before, form.tokens_alone);
        self.places.push(Edit { at: slot.raw.clone(), text, wrap });
        self.add_original(
            place,
            Arc::clone(&slot.text),
            form.tokens_before,
            wrap == ContentWrap::Raw,
        );
        self.add_rules(form.rules);
        self.class = self.class.max(Some(form.class));
    }

    fn add_rules(&mut self, rules: Vec<Cow<'static, str>>) {
        for rule in rules {
            if !self.rules.contains(&rule) {
                self.rules.push(rule);
            }
        }
    }

    fn clear_result(
        &mut self,
        encoder: &mut Encoder<'_>,
        answered: &ResultTexts,
        raw: &str,
        line: &ClearedLine,
    ) {
        encoder.encode_result(&[line.text.as_str().into()], EditLimit::Fixed);
        self.cleared = true;
        let place = self.slots;
        self.slots += usize::from(answered.content.is_some());
        let Some((at, wrap)) = &answered.content else { return };
        let before = line.before;
        let saved = measure::saved(before, line.tokens);
        self.saved += saved;
        self.alone += saved;
        self.places.push(Edit { at: at.clone(), text: line.text.as_str().into(), wrap: *wrap });
        match answered.slots.as_slice() {
            [slot] if slot.raw == *at => {
                self.add_original(place, Arc::clone(&slot.text), before, false);
            }
            _ => self.add_original(place, original_text(answered, raw).into(), before, true),
        }
    }

    /// Takes the thinking out.
    fn cut_thinking(&mut self, thought: &MessageThinking) {
        let places = thought.places.iter().cloned();
        self.places.extend(places.map(|at| Edit { at, text: "".into(), wrap: ContentWrap::Raw }));
        (self.cleared, self.parted) = (true, true);
        self.saved += thought.saved;
        self.alone += thought.saved;
    }

    fn add_original(&mut self, slot: usize, text: Arc<str>, tokens: u64, json: bool) {
        let artifact = self.names.artifact_id(&text);
        self.shown.push(TextEdit { slot, artifact, json });
        let message = self.message;
        self.originals.push(Original { text, message, tokens, whole: false, artifact });
    }

    fn into_row(mut self, job: &ShortenJob<'_>) -> Row {
        let at = self.message;
        let before = job.costs.get(at).map_or(0, |cost| cost.real());
        let changed = !self.places.is_empty();
        // Providers put calls before or after texts.
        self.places.sort_by_key(|edit| edit.at.start);
        let action = match changed {
            false => Action::Kept,
            true if self.cleared => Action::Cleared,
            true if self.rules == ["escape"] => Action::Kept,
            true if self.rules == ["reference"] => Action::Deduplicated,
            true => Action::Compressed,
        };
        let mut stands_for = None;
        if self.parted {
            let raw = job.item(at).map_or("", |item| item.raw);
            let artifact = ArtifactId::of_text(raw);
            let text = raw.into();
            self.originals.push(Original {
                text,
                message: at,
                tokens: before,
                whole: false,
                artifact,
            });
            stands_for = Some(artifact);
        }
        let less = |saved: i64| u64::try_from(i64::try_from(before).unwrap_or(i64::MAX) - saved);
        Row {
            shown: Some(RowContent::Message { places: self.places, edits: self.shown, stands_for }),
            origin: Some(at),
            action,
            rules: self.rules,
            reverted: self.reverted,
            refused: self.refused,
            class: self.class,
            values: self.values,
            before,
            after: less(self.saved).unwrap_or_default(),
            alone: less(self.alone).unwrap_or_default(),
            originals: self.originals,
        }
    }
}
