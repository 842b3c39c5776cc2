//! Rung 1 over the messages that are in sight, and the JSON text of each.

use std::sync::Arc;

use super::plan::{Plan, Sight};
use super::report::Row;
use super::splice::{Edit, splice};
use super::{Edited, Error, Job, Original, Shown};
use crate::compress::{Class, Encoder, Form, Hold};
use crate::domain::ArtifactId;
use crate::pipeline::report::Action;
use crate::pipeline::{measure, prose};
use crate::provider::{Answered, Spoken, TextSlot, Wrap};

/// The messages of the list in the sight that the plan leaves them, one row each, and one for
/// the summary in its place.
pub(super) fn run(job: &Job<'_>, plan: &Plan, mut encoder: Encoder<'_>) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::with_capacity(job.spoken.len() + 1);
    for (at, spoken) in job.spoken.iter().enumerate() {
        job.meter.check()?;
        if plan.summary_at == Some(at)
            && let Some((json, tokens)) = &plan.summary
        {
            rows.push(Row::summary(json.clone(), *tokens));
        }
        let sight = plan.sights.get(at).copied().unwrap_or(Sight::Whole);
        if let Sight::Gone(action) = sight {
            rows.push(gone(job, at, action));
            continue;
        }
        let mut edits = Edits { message: at, ..Edits::default() };
        for spoken in spoken {
            match spoken {
                Spoken::Call(arguments) => encoder.call(arguments),
                Spoken::Words(slot) => {
                    let form = encoder.words(&slot.text, job.hold(at));
                    edits.take(std::slice::from_ref(slot), vec![form]);
                }
                Spoken::Result(answered) if sight == Sight::Cleared && job.clears(answered) => {
                    let raw = job.item(at).map_or("", |item| item.raw);
                    edits.clear(job, &mut encoder, (answered, raw));
                }
                Spoken::Result(answered) => {
                    let texts: Vec<Arc<str>> =
                        answered.slots.iter().map(|slot| Arc::clone(&slot.text)).collect();
                    let forms = encoder.result(&texts, job.hold(at));
                    edits.take(&answered.slots, forms);
                }
            }
        }
        rows.push(edits.row(job, sight));
    }
    Ok(rows)
}

fn gone(job: &Job<'_>, at: usize, action: Action) -> Row {
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
        class: None,
        before,
        after: 0,
        alone: 0,
        originals: vec![original],
    }
}

/// What is edited in one message.
#[derive(Default)]
struct Edits {
    /// Where the message stands in the list.
    message: usize,
    places: Vec<Edit>,
    originals: Vec<Original>,
    shown: Vec<Edited>,
    /// Texts of tool results that stand before.
    slots: usize,
    rules: Vec<&'static str>,
    reverted: Vec<&'static str>,
    class: Option<Class>,
    /// Raw tokens saved as shown, and without references; escapes cost.
    saved: i64,
    alone: i64,
}

impl Edits {
    fn take(&mut self, slots: &[TextSlot], forms: Vec<Form>) {
        for (slot, form) in slots.iter().zip(forms) {
            let place = self.slots;
            self.slots += 1;
            self.saved += measure::saved(form.tokens_before, form.tokens_after);
            self.alone += measure::saved(form.tokens_before, form.tokens_alone);
            self.reverted.extend(&form.reverted);
            let Some(text) = form.text else { continue };
            self.places.push(Edit {
                at: slot.raw.clone(),
                text: text.to_string(),
                wrap: Wrap::Text,
            });
            self.original(place, Arc::clone(&slot.text), form.tokens_before, false);
            for rule in form.rules {
                if !self.rules.contains(&rule) {
                    self.rules.push(rule);
                }
            }
            if self.class != Some(Class::Equivalent) {
                self.class = Some(form.class);
            }
        }
    }

    fn clear(
        &mut self,
        job: &Job<'_>,
        encoder: &mut Encoder<'_>,
        (answered, raw): (&Answered, &str),
    ) {
        let count = |text: &str| job.meter.counter().count(job.meter.tokenizer(), text);
        encoder.result(&[prose::CLEARED_RESULT.into()], Hold::Fixed);
        let place = self.slots;
        self.slots += usize::from(answered.content.is_some());
        let Some((at, wrap)) = &answered.content else { return };
        let before: u64 = answered.slots.iter().map(|slot| count(&slot.text)).sum();
        let saved = measure::saved(before, count(prose::CLEARED_RESULT));
        self.saved += saved;
        self.alone += saved;
        let text = prose::CLEARED_RESULT.to_owned();
        self.places.push(Edit { at: at.clone(), text, wrap: *wrap });
        match answered.slots.as_slice() {
            [slot] if slot.raw == *at => {
                self.original(place, Arc::clone(&slot.text), before, false);
            }
            _ => self.original(place, raw.get(at.clone()).unwrap_or_default().into(), before, true),
        }
    }

    fn original(&mut self, slot: usize, text: Arc<str>, tokens: u64, json: bool) {
        let artifact = ArtifactId::of_text(&text);
        self.shown.push(Edited { slot, artifact, json });
        let message = self.message;
        self.originals.push(Original { text, message, tokens, whole: false, artifact });
    }

    fn row(self, job: &Job<'_>, sight: Sight) -> Row {
        let at = self.message;
        let raw = job.item(at).map_or("", |item| item.raw);
        let before = job.costs.get(at).map_or(0, |cost| cost.real());
        let changed = !self.places.is_empty();
        let json = if changed { splice(raw, &self.places) } else { raw.to_owned() };
        let action = match (changed, sight) {
            (false, _) => Action::Kept,
            (true, Sight::Cleared) => Action::Cleared,
            (true, _) if self.rules == ["escape"] => Action::Kept,
            (true, _) if self.rules == ["reference"] => Action::Deduplicated,
            (true, _) => Action::Compressed,
        };
        let less = |saved: i64| u64::try_from(i64::try_from(before).unwrap_or(i64::MAX) - saved);
        Row {
            shown: Some(Shown { json, origin: Some(at), changed, edits: self.shown }),
            origin: Some(at),
            action,
            rules: self.rules,
            reverted: self.reverted,
            class: self.class,
            before,
            after: less(self.saved).unwrap_or_default(),
            alone: less(self.alone).unwrap_or_default(),
            originals: self.originals,
        }
    }
}
