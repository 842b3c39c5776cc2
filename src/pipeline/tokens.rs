//! Counting on its own: a text, messages, tools.

use serde::Serialize;

use super::measure::{Cost, Meter};
use super::{Deadline, StopReason, turn_scope};
use crate::domain::{Conversation, Message, Model, Target, ToolDefinition};
use crate::tokenizer::Counter;

/// The answer of `POST /tokens`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = TokensResponse)]
pub struct TokensAnswer {
    /// Tokens in all, framing included where messages or tools are counted.
    pub tokens: u64,
    /// Tokens of each message, system text first, where messages are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_message: Option<Vec<u64>>,
    /// The tokenizer that counted.
    #[schema(example = "o200k_base")]
    pub tokenizer: &'static str,
    /// Whether the provider counts the same.
    pub exact: bool,
}

/// Tokens of one text, without framing.
pub fn count_text(
    counter: &Counter,
    model: &Model,
    text: &str,
    deadline: &Deadline,
) -> Result<u64, StopReason> {
    let meter = Meter::new(counter, model.tokenizer, Target::Openai, deadline);
    Ok(model.scale(meter.text(text)?))
}

/// Tokens of the messages of a conversation.
#[derive(Debug, Clone)]
pub struct MessageCounts {
    /// Those of each message, system text first.
    pub each: Vec<u64>,
    /// Their sum, with the framing before the reply.
    pub total: u64,
    /// Whether a part of them is estimated: media, and what is encrypted.
    pub is_estimate: bool,
}

/// Tokens of each message, and of the framing before the reply.
pub fn count_messages(
    counter: &Counter,
    model: &Model,
    conversation: &Conversation,
    target: Target,
    deadline: &Deadline,
) -> Result<MessageCounts, StopReason> {
    let meter = Meter::new(counter, model.tokenizer, target, deadline);
    let (mut costs, mut is_estimate) = (Vec::new(), false);
    let messages = || conversation.system.iter().chain(&conversation.history);
    for message in messages() {
        deadline.check()?;
        let cost = meter.message(message)?;
        is_estimate |= cost.is_estimated();
        costs.push(cost);
    }
    let known: Vec<&Message> = messages().collect();
    turn_scope::uncount_cleared(known.into_iter().zip(&mut costs));
    let raw: Vec<u64> = costs.into_iter().map(Cost::real).collect();
    let total = model.scale(raw.iter().sum::<u64>() + meter.reply());
    // The parts of a sum are rounded so that they never add up to more than it.
    let (mut sum, mut done) = (0, 0);
    let each = raw.iter().map(|tokens| {
        sum += tokens;
        let own = model.scale(sum) - done;
        done += own;
        own
    });
    Ok(MessageCounts { each: each.collect(), total, is_estimate })
}

/// Tokens of tool definitions.
pub fn count_tools(
    counter: &Counter,
    model: &Model,
    tools: &[ToolDefinition],
    deadline: &Deadline,
) -> Result<u64, StopReason> {
    let meter = Meter::new(counter, model.tokenizer, Target::Openai, deadline);
    Ok(model.scale(meter.tools(tools)?))
}
