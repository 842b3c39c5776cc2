//! The forms on arrival of the newest texts of a request.

use std::collections::HashMap;
use std::sync::Arc;

use super::lineage::{KnownLineage, NewDecision};
use crate::compress::{EditLimit, Encoder, Lossless, ShownForm};
use crate::domain::{AllowedNotations, TokenizerName, ToolPattern};
use crate::gateway::{
    DecidedText, GroupKind, MIN_EDIT_BYTES, MessageDecision, NumberedText, OutlinedMessage,
    RequestOutline, TextGroup, is_exact_tool, numbered_texts,
};
use crate::pipeline::{Deadline, PipelineContext};
use crate::service::Services;

/// Tokens from which machine output in a text of the user is edited.
const MIN_WORDS_TOKENS: u64 = 400;

/// Makes forms for the newest texts of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct FormMaker<'m> {
    pub(super) pipeline: &'m PipelineContext,
    pub(super) tokenizer: TokenizerName,
    pub(super) outline: &'m RequestOutline,
    pub(super) protected: &'m [ToolPattern],
    pub(super) deadline: &'m Deadline,
}

/// The forms of the newest texts.
#[derive(Debug, Default)]
pub(super) struct MadeForms {
    pub(super) decisions: Vec<NewDecision>,
    /// Whether the time was up before all of them were made.
    pub(super) is_cut: bool,
}

impl MadeForms {
    /// Tokens that the forms save.
    pub(super) fn saved_tokens(&self) -> u64 {
        let forms = self.decisions.iter().flat_map(|new| &new.decision.forms);
        forms.map(|form| form.saved_tokens).sum()
    }
}

impl FormMaker<'_> {
    /// Makes a form for each text of the undecided messages. References lead to results of the same
    /// list, as they are sent; all of them stay in the list for as long as the forms are used, since
    /// a form is known by all messages before it.
    pub(super) fn make(&self, lineage: &KnownLineage<'_>) -> MadeForms {
        let PipelineContext { engine, counter, .. } = self.pipeline;
        let mut encoder = Encoder::new(engine, counter, self.tokenizer, Lossless::Equivalent)
            .with_notations(AllowedNotations::Plain);
        let undecided: Vec<usize> = lineage.undecided().collect();
        let mut made = MadeForms::default();
        for (index, message) in self.outline.messages.iter().enumerate() {
            if self.deadline.check().is_err() {
                made.is_cut = true;
                return made;
            }
            if undecided.binary_search(&index).is_ok() {
                let Some(decision) = self.decide(&mut encoder, message) else {
                    made.is_cut = true;
                    return made;
                };
                made.decisions.push(NewDecision { index, decision });
            } else if self.outline.is_in_sight {
                add_shown(&mut encoder, message, lineage.decision(index));
            }
        }
        made
    }

    /// Decides about the texts of a message; none if the time is up.
    fn decide(
        &self,
        encoder: &mut Encoder<'_>,
        message: &OutlinedMessage,
    ) -> Option<MessageDecision> {
        let mut numbered = numbered_texts(message).into_iter();
        let mut decision = MessageDecision::default();
        for group in &message.groups {
            self.deadline.check().ok()?;
            let texts: Vec<_> = numbered.by_ref().take(group.texts.len()).collect();
            for (text, form) in texts.into_iter().zip(self.forms(encoder, group)?) {
                decision.forms.extend(decided(text, &form));
            }
        }
        Some(decision)
    }

    /// The forms of a group, one for each text.
    fn forms(&self, encoder: &mut Encoder<'_>, group: &TextGroup) -> Option<Vec<ShownForm>> {
        let texts: Vec<Arc<str>> = group.texts.iter().map(|text| Arc::clone(&text.text)).collect();
        let bytes = texts.iter().map(|text| text.len()).sum();
        self.deadline.allowance().take(bytes).ok()?;
        let is_fixed = self.is_fixed(group);
        Some(match group.kind {
            GroupKind::Words if is_fixed => Vec::new(),
            GroupKind::Words => {
                texts.iter().map(|text| encoder.encode_prompt(text, EditLimit::Free)).collect()
            }
            GroupKind::Result if !self.outline.is_in_sight && is_fixed => Vec::new(),
            GroupKind::Result if !self.outline.is_in_sight => {
                texts.iter().map(|text| encoder.encode_alone(text, None)).collect()
            }
            GroupKind::Result => {
                let limit = if is_fixed { EditLimit::Ours } else { EditLimit::Free };
                encoder.encode_result(&texts, limit)
            }
        })
    }

    fn is_fixed(&self, group: &TextGroup) -> bool {
        let is_protected = |tool: &str| {
            is_exact_tool(tool) || self.protected.iter().any(|pattern| pattern.covers(tool))
        };
        let is_long = group.texts.iter().any(|text| text.text.len() >= MIN_EDIT_BYTES);
        group.is_fixed || !is_long || group.tool.as_deref().is_some_and(is_protected)
    }
}

/// The form on arrival of a text of a tool's result that stands alone; none if it stays as it is.
pub fn short_form(services: &Services, tool: &str, text: &str) -> Option<String> {
    if text.len() < MIN_EDIT_BYTES || is_exact_tool(tool) {
        return None;
    }
    let PipelineContext { engine, counter, .. } = services.pipeline();
    let tokenizer = TokenizerName::O200kBase;
    let encoder = Encoder::new(engine, counter, tokenizer, Lossless::Equivalent)
        .with_notations(AllowedNotations::Plain);
    let form = encoder.encode_alone(&text.into(), None);
    let shown = form.text.filter(|_| form.tokens_after < form.tokens_before)?;
    Some((*shown).to_owned())
}

/// The form of a text, if it is shorter.
fn decided(numbered: NumberedText<'_>, form: &ShownForm) -> Option<DecidedText> {
    let NumberedText { group, digest, occurrence, .. } = numbered;
    let shown = form.text.as_ref()?;
    let saved_tokens = form.tokens_before.checked_sub(form.tokens_after)?;
    let is_small = group.kind == GroupKind::Words && form.tokens_before < MIN_WORDS_TOKENS;
    let is_worth_it = saved_tokens > 0 && !is_small;
    is_worth_it.then(|| DecidedText { digest, occurrence, form: Arc::clone(shown), saved_tokens })
}

/// Adds the results of a message, as they are sent, for later ones to refer to.
fn add_shown(
    encoder: &mut Encoder<'_>,
    message: &OutlinedMessage,
    decision: Option<&MessageDecision>,
) {
    let applied = decision.map(|decision| decision.applied(message)).unwrap_or_default();
    let forms: HashMap<usize, &Arc<str>> =
        applied.iter().map(|form| (form.text.span.start, &form.decided.form)).collect();
    for group in message.groups.iter().filter(|group| group.kind == GroupKind::Result) {
        let shown = group
            .texts
            .iter()
            .map(|text| Arc::clone(forms.get(&text.span.start).copied().unwrap_or(&text.text)));
        encoder.encode_result(&shown.collect::<Vec<_>>(), EditLimit::Ours);
    }
}
