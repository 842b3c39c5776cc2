//! The forms in which the texts of a message are shown, as they arrived or shorter.

use std::sync::Arc;

use super::report::Action;
use crate::compress::{Depth, Fidelity, ShownForm};
use crate::domain::{Content, Message, Notes, Part, RawJson, ValueClass, output_texts};

/// The forms of a message's texts.
#[derive(Debug, Default, Clone)]
pub(super) struct ArrivedForms {
    /// Of its tool results.
    pub(super) forms: Vec<ShownForm>,
    /// Forms of its own texts; empty if they are unchanged.
    pub(super) words: Vec<ShownForm>,
    /// Forms of the arguments of its calls; empty if they are unchanged.
    pub(super) arguments: Vec<ShownForm>,
    /// Of the outputs of built-in tools in it that are shortened.
    pub(super) outputs: Vec<ShownOutput>,
    /// Raw tokens that the forms save in addition to what the results save by themselves.
    pub(super) saved: u64,
}

/// An item with the output of a built-in tool, shortened.
#[derive(Debug, Clone)]
pub(super) struct ShownOutput {
    /// The place of its part in the message.
    pub(super) part: usize,
    /// The item as it is shown.
    pub(super) raw: RawJson,
    /// The forms of its texts.
    pub(super) forms: Vec<ShownForm>,
    /// Raw tokens that they save.
    pub(super) saved: u64,
}

impl ArrivedForms {
    pub(super) fn all(&self) -> impl Iterator<Item = &ShownForm> {
        let outputs = self.outputs.iter().flat_map(|output| &output.forms);
        self.forms.iter().chain(&self.words).chain(&self.arguments).chain(outputs)
    }

    /// Forms of what the message says itself: its texts, and the arguments of its calls.
    pub(super) fn own(&self) -> impl Iterator<Item = &ShownForm> {
        self.words.iter().chain(&self.arguments)
    }

    pub(super) fn add_outputs(&mut self, outputs: Vec<ShownOutput>) {
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

    /// How rung 1 shows the values of the texts; none if it changed none.
    pub(super) fn values(&self) -> Option<&'static str> {
        self.all().filter_map(ShownForm::values).max().map(ValueClass::as_str)
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

/// Whether a part is a text of its message, and nothing counts its characters.
pub(super) fn is_own(part: &Part) -> bool {
    matches!(part.content, Content::Text(_)) && part.extra.is_empty()
}

/// Puts the forms of a message's texts in their places.
pub(super) fn show(message: &mut Message, arrived: &ArrivedForms) {
    let results = message.parts.iter_mut().flat_map(|part| match &mut part.content {
        Content::ToolResult(result) => result.content.as_mut_slice(),
        _ => &mut [],
    });
    place(results, &arrived.forms);
    place(message.parts.iter_mut().filter(|part| is_own(part)), &arrived.words);
    let calls = message.parts.iter_mut().filter_map(|part| match &mut part.content {
        Content::ToolCall(call) => Some(call),
        _ => None,
    });
    for (call, form) in calls.zip(&arrived.arguments) {
        if let Some(form) = &form.text {
            call.arguments.clone_from(form);
        }
    }
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
