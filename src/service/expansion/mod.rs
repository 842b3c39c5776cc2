//! Restores originals: from the store, from the texts that the caller kept, or from the shown text.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;

mod answer;
mod kept_originals;
mod text;

use self::answer::{ResponseText, write_list, write_text};
use self::kept_originals::KeptOriginals;
use super::Services;
use super::artifacts;
use super::compile::Error;
use super::original_forms::OriginalsByForm;
use super::recognized_messages::{
    MessageRecipe, RecipeStep, RecognizedMessages, read_index, replaces_others,
};
use crate::compress::{self, DecodedText, Decoder};
use crate::domain::ArtifactId;
use crate::json::{self, Faults, Limits, Node, Path};
use crate::limit::Allowance;
use crate::pipeline::{self, Deadline, Edit, StopReason, splice};
use crate::provider::{self, ContentWrap, MessageText};
use crate::request::Fields;

const KEYS: &[&str] = &["messages", "contents", "input", "text", "originals", "id", "artifact"];

/// What was expanded; written after the messages or the text.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
#[schema(as = Expanded)]
pub struct ExpandReport {
    /// Messages that came back.
    pub expanded: usize,
    /// Messages that were their own originals.
    pub unchanged: usize,
    /// What is no longer available; it was passed through as it came.
    pub missing: Vec<MissingOriginal>,
    /// Messages, by index, that bear marks of ours and no longer stand where we put them. They
    /// were decoded from their own text as far as that goes.
    pub edited: Vec<usize>,
    /// Whether every message is known to be the original, byte for byte. One that is not known is
    /// not where it bears marks of something left out.
    pub identical: bool,
}

/// Something that could not be restored.
#[derive(Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct MissingOriginal {
    /// The message's place in the list that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// The artifact or answer that is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// The normal form of a text, without what `equivalent` edits leave out.
pub fn normal(text: &str) -> String {
    compress::normal(text)
}

/// Restores what `body` names or contains. Blocks the thread.
pub fn expand(services: &Services, body: &str, deadline: &Deadline) -> Result<Bytes, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let Some(fields) = Fields::read(&node, Path::Root, KEYS, &mut faults) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    let id = fields.text("id", &mut faults);
    let artifact = fields.text("artifact", &mut faults);
    let text = fields.text("text", &mut faults);
    let key = provider::list_key(&node);
    let items = node.get(key).and_then(Node::as_array);
    if node.get(key).is_some() && items.is_none() {
        fields.fault(key, "must be an array of messages", &mut faults);
    }
    let given = [id.is_some(), artifact.is_some(), items.is_some(), text.is_some()];
    if given.iter().filter(|given| **given).count() != 1 && faults.is_empty() {
        faults.add(&Path::Root, "must hold one of messages, `text`, `id` and `artifact`");
    }
    let originals = KeptOriginals::read(&fields, &mut faults);
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    deadline.check()?;
    match (id, artifact, text) {
        (Some(id), ..) => by_id(services, id, deadline.allowance()),
        (_, Some(id), _) => by_artifact(services, id, deadline.allowance()),
        (.., Some(text)) => {
            text::expand(&services.tenant(), text, &originals, deadline.allowance())
        }
        (.., None) => {
            let items = items.unwrap_or_default();
            let KeptOriginals { texts: originals, recipes } = originals;
            let recognized = RecognizedMessages::find_with(&services.tenant(), items, &recipes)?;
            let returned = OriginalsByForm::new(&originals);
            let mut work = ExpandWork {
                items,
                recognized,
                originals,
                returned,
                done: ExpandReport::default(),
            };
            work.done.identical = true;
            let messages = work.run(deadline)?;
            Ok(write_list(key, &messages, &work.done))
        }
    }
}

fn by_id(services: &Services, id: &str, allowance: &Allowance) -> Result<Bytes, Error> {
    let tenant = services.tenant();
    let index = tenant.answer(id)?.and_then(|items| items.into_iter().next());
    let texts = match index {
        Some(index) => read_index(&tenant, index)?,
        None => None,
    };
    let Some(texts) = texts else {
        let missing = vec![MissingOriginal { index: None, id: Some(id.to_owned()) }];
        return Ok(write_list(
            "messages",
            &[],
            &ExpandReport { missing, ..ExpandReport::default() },
        ));
    };
    let done = ExpandReport { expanded: texts.len(), identical: true, ..ExpandReport::default() };
    if let [text] = texts.as_slice()
        && let Ok(node) = json::parse(text, Limits::default())
        && node.get("role").is_none()
        && let Some(text) = node.get("text")
    {
        return write_text(&ResponseText::Json(text.raw), &done, allowance);
    }
    Ok(write_list("messages", &texts, &done))
}

fn by_artifact(services: &Services, id: &str, allowance: &Allowance) -> Result<Bytes, Error> {
    let found = match ArtifactId::parse(id) {
        Some(id) => artifacts::find::<Error>(services, id)?,
        None => None,
    };
    let Some((_, text)) = found else {
        let missing = vec![MissingOriginal { index: None, id: Some(id.to_owned()) }];
        return write_text(
            &ResponseText::Nothing,
            &ExpandReport { missing, ..ExpandReport::default() },
            allowance,
        );
    };
    let done = ExpandReport { expanded: 1, identical: true, ..ExpandReport::default() };
    write_text(&ResponseText::Text(&text), &done, allowance)
}

/// The expansion of a list.
struct ExpandWork<'w> {
    items: &'w [Node<'w>],
    recognized: RecognizedMessages,
    originals: BTreeMap<String, Arc<str>>,
    returned: OriginalsByForm,
    done: ExpandReport,
}

impl ExpandWork<'_> {
    fn run(&mut self, deadline: &Deadline) -> Result<Vec<Arc<str>>, Error> {
        self.returned.remove_decoded(self.items, deadline)?;
        let decoded = self.decode(deadline)?;
        let mut messages: Vec<Arc<str>> = Vec::with_capacity(self.items.len());
        let mut next = 0;
        if let Some((count, texts)) = self.recognized.whole.take() {
            self.done.unchanged +=
                self.items.iter().zip(&texts).filter(|(item, text)| item.raw == &***text).count();
            self.done.expanded += texts.len().saturating_sub(self.done.unchanged);
            messages.extend(texts);
            next = count;
        }
        let recognised = self.recognized.originals.iter().any(Option::is_some);
        for (at, mut decoded) in decoded.into_iter().enumerate().skip(next) {
            deadline.check()?;
            decoded.missing |= self.recognized.lost.get(at).is_some_and(|lost| *lost);
            let Some(item) = self.items.get(at) else { continue };
            match self.recognized.originals.get_mut(at).and_then(Option::take) {
                Some(text) if MessageRecipe::is_recipe(&text) => {
                    messages.extend(self.restore_by_recipe(at, item, &text, decoded));
                }
                Some(text) => {
                    self.done.expanded += 1;
                    messages.push(text);
                }
                None if self.recognized.own.get(at).is_some_and(|own| *own) => {
                    self.done.unchanged += 1;
                    messages.push(item.raw.into());
                }
                None => messages.push(self.restore_alone(at, item, decoded, recognised)),
            }
        }
        Ok(messages)
    }

    /// Decodes each message from the list alone.
    fn decode(&self, deadline: &Deadline) -> Result<Vec<DecodedMessage>, Error> {
        let bytes = self.items.iter().map(|item| item.raw.len()).sum();
        let mut reader = Decoder::new(bytes);
        let mut found = Vec::with_capacity(self.items.len());
        let allowance = deadline.allowance();
        for item in self.items {
            deadline.check()?;
            let mut back = DecodedMessage::default();
            let mut slot = 0;
            for spoken in provider::message_texts(item) {
                back.gaps |= spoken.slots().iter().any(|slot| compress::has_gaps(&slot.text));
                match spoken {
                    MessageText::Call(place, _) => {
                        reader.add_call(&place.text);
                        slot += 1;
                    }
                    MessageText::Said(place) => {
                        self.add_edit(&mut back, &mut slot, place, DecodedText::Same, allowance)?;
                    }
                    MessageText::Words(place) => {
                        let decoded = reader.decode_prompt(&place.text);
                        self.add_edit(&mut back, &mut slot, place, decoded, allowance)?;
                    }
                    MessageText::Result(answered) => {
                        let texts: Vec<Arc<str>> =
                            answered.slots.iter().map(|slot| Arc::clone(&slot.text)).collect();
                        let decoded = reader.decode_result(&texts);
                        for (place, decoded) in answered.slots.into_iter().zip(decoded) {
                            if decoded == DecodedText::Same && pipeline::is_cleared(&place.text) {
                                back.missing = true;
                            }
                            self.add_edit(&mut back, &mut slot, place, decoded, allowance)?;
                        }
                    }
                }
            }
            back.missing |= replaces_others(item);
            found.push(back);
        }
        Ok(found)
    }

    /// Adds a decoded text to the edits of its message, and takes its bytes from the allowance.
    fn add_edit(
        &self,
        back: &mut DecodedMessage,
        slot: &mut usize,
        place: provider::TextSlot,
        decoded: DecodedText,
        allowance: &Allowance,
    ) -> Result<(), Error> {
        match self.returned.restore(&place.text, decoded) {
            DecodedText::Same => {}
            DecodedText::Missing => back.missing = true,
            DecodedText::Text(text) => {
                allowance.take(json::string_bytes(&text)).map_err(StopReason::from)?;
                let text = text.into();
                back.edits.push((*slot, Edit { at: place.raw, text, wrap: ContentWrap::Text }));
            }
        }
        *slot += 1;
        Ok(())
    }

    /// Restores a message that is in no response that we know.
    fn restore_alone(
        &mut self,
        at: usize,
        item: &Node<'_>,
        back: DecodedMessage,
        recognised: bool,
    ) -> Arc<str> {
        // With gaps, the message may be a shortened one whose response is not known here.
        let is_missing = back.missing || back.gaps;
        if is_missing {
            self.done.missing.push(MissingOriginal { index: Some(at), id: None });
            self.done.identical = false;
        }
        if back.edits.is_empty() {
            self.done.unchanged += usize::from(!is_missing);
            return item.raw.into();
        }
        if recognised {
            self.done.edited.push(at);
        }
        // The text does not show whether white space was left out.
        self.done.identical = false;
        self.done.expanded += 1;
        let edits: Vec<Edit> = back.edits.into_iter().map(|(_, edit)| edit).collect();
        splice(item.raw, &edits).into()
    }

    /// Restores a message of a response whose originals the caller kept, by its recipe.
    fn restore_by_recipe(
        &mut self,
        at: usize,
        item: &Node<'_>,
        recipe: &str,
        back: DecodedMessage,
    ) -> Vec<Arc<str>> {
        let steps = MessageRecipe::steps(recipe);
        let (mut before, mut instead, mut after) = (Vec::new(), Vec::new(), Vec::new());
        let mut edits: BTreeMap<usize, Edit> = back.edits.into_iter().collect();
        // The range of each text, and that of the content that contains it.
        let mut places = Vec::new();
        for spoken in provider::message_texts(item) {
            let (content, slots) = match spoken {
                MessageText::Result(answered) => {
                    (answered.content.map(|(at, _)| at), answered.slots)
                }
                MessageText::Call(slot, _) | MessageText::Words(slot) | MessageText::Said(slot) => {
                    (None, vec![slot])
                }
            };
            places.extend(slots.into_iter().map(|slot| {
                let whole = content.clone().unwrap_or_else(|| slot.raw.clone());
                (slot.raw, whole)
            }));
        }
        let mut lost = Vec::new();
        for step in steps {
            let id = step.id();
            let Some(text) = self.originals.get(id) else {
                // The text that was decoded may be the original itself.
                let decoded = match &step {
                    RecipeStep::Text(slot, _) => edits.get(slot),
                    _ => None,
                };
                if decoded.is_none_or(|edit| ArtifactId::of_text(&edit.text).to_string() != *id) {
                    lost.push(id.clone());
                }
                continue;
            };
            match step {
                RecipeStep::Message(_) => instead.push(Arc::clone(text)),
                RecipeStep::Before(_) => before.push(Arc::clone(text)),
                RecipeStep::After(_) => after.push(Arc::clone(text)),
                RecipeStep::Text(slot, _) | RecipeStep::Json(slot, _) => {
                    let Some((own, whole)) = places.get(slot) else { continue };
                    let (at, wrap) = match step {
                        RecipeStep::Json(..) => (whole.clone(), ContentWrap::Raw),
                        _ => (own.clone(), ContentWrap::Text),
                    };
                    edits.insert(slot, Edit { at, text: Arc::clone(text), wrap });
                }
            }
        }
        for id in lost {
            self.done.identical = false;
            self.done.missing.push(MissingOriginal { index: Some(at), id: Some(id) });
        }
        self.done.expanded += 1;
        if instead.is_empty() {
            let mut edits: Vec<Edit> = edits.into_values().collect();
            edits.sort_by_key(|edit| edit.at.start);
            instead.push(splice(item.raw, &edits).into());
        }
        before.append(&mut instead);
        before.append(&mut after);
        before
    }
}

/// A decoded message.
#[derive(Debug, Default)]
struct DecodedMessage {
    /// Edits, by the index of the text in its message.
    edits: Vec<(usize, Edit)>,
    missing: bool,
    /// Whether something may have been left out of the text.
    gaps: bool,
}
