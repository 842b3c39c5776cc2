//! Counts tokens.

use super::Services;
use super::compile::Error;
use crate::domain::{Models, Notes, Source, Target};
use crate::json::{self, Faults, Limits, Path};
use crate::pipeline::{self, Deadline, StopReason, TokensAnswer as Answer};
use crate::provider;
use crate::request::{Fields, resolve_model};

const KEYS: &[&str] = &["text", "model", "source", "target", "tools"];

/// Counts the tokens in `body`: `{"text" | "messages" | "tools", "model"?}`. Blocks the thread.
pub fn count(services: &Services, body: &str, deadline: &Deadline) -> Result<Answer, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let mut notes = Notes::default();
    let known: Vec<&str> = KEYS.iter().chain(provider::CONVERSATION_KEYS).copied().collect();
    let Some(fields) = Fields::read(&node, Path::Root, &known, &mut faults) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    let target = fields.choice("target", Target::WORDS, &mut faults).unwrap_or(Target::Openai);
    let source = fields.choice("source", Source::WORDS, &mut faults);
    let model = fields.text_without_nul("model", &mut faults);
    let model = resolve_model(model, target, services.models(), &mut notes);
    let text = fields.text("text", &mut faults);
    let has_messages = provider::CONVERSATION_KEYS.iter().any(|key| fields.get(key).is_some());
    let has_tools = fields.get("tools").is_some();
    if text.is_some() == (has_messages || has_tools)
        && fields.get("text").is_none_or(|node| node.as_str().is_some())
    {
        faults.add(&Path::Root, "must hold either `text`, or messages or `tools`");
    }
    let conversation = has_messages.then(|| {
        let source = source.unwrap_or_else(|| provider::detect(&node));
        provider::read(&node, source, &mut faults, &mut notes)
    });
    let tools = fields.get("tools").filter(|_| !has_messages).map(|tools| {
        provider::read_tools(tools, &Path::Root.key("tools"), &mut faults, &mut notes)
    });
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let counter = &services.pipeline().counter;
    let mut answer = Answer {
        tokens: 0,
        per_message: None,
        tokenizer: model.tokenizer.as_str(),
        exact: model.is_exact(),
    };
    if let Some(text) = text {
        answer.tokens = pipeline::count_text(counter, &model, text, deadline)?;
    }
    if let Some(conversation) = conversation {
        let counts = pipeline::count_messages(counter, &model, &conversation, target, deadline)?;
        answer.tokens += counts.total;
        answer.exact = answer.exact && !counts.is_estimate;
        answer.per_message = Some(counts.each);
        answer.tokens += pipeline::count_tools(counter, &model, &conversation.tools, deadline)?;
    }
    if let Some(tools) = tools {
        answer.tokens += pipeline::count_tools(counter, &model, &tools, deadline)?;
    }
    Ok(answer)
}

/// Counts the tokens of a text for the default model.
pub(super) fn of_text(services: &Services, text: &str) -> Result<u64, StopReason> {
    let model = Models::for_target(Target::Openai);
    pipeline::count_text(&services.pipeline().counter, &model, text, &Deadline::default())
}
