//! Thought signatures that Gemini 3 and later ask for.

use std::sync::Arc;

use serde_json::json;

use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::{Content, Extra, Message, Part, RawJson, Role, Source, Target, counted};
use crate::json::{self, Limits, Node};

/// The signature that Google documents for calls that its own model did not make
/// (<https://ai.google.dev/gemini-api/docs/thought-signatures>).
const PLACEHOLDER_SIGNATURE: &str = "skip_thought_signature_validator";

/// The member of a call under which Google's endpoint for Chat Completions has the signature: the same
/// page.
const EXTRA_CONTENT: &str = "extra_content";

/// Between the id of a call and its signature in ids that `LiteLLM` makes, whose clients give back the
/// id alone: <https://github.com/BerriAI/litellm/pull/16895>.
const SIGNATURE_IN_ID: &str = "__thought__";

/// Whether a gateway put a signature into the id of a call.
pub(super) fn has_signature(id: &str) -> bool {
    signature_in(id).is_some()
}

fn signature_in(id: &str) -> Option<&str> {
    let (own, signature) = id.split_once(SIGNATURE_IN_ID)?;
    (!own.is_empty() && !signature.is_empty()).then_some(signature)
}

/// Puts the signature that is in the id of a call where Google has it, unless there is one.
pub(super) fn take_signature(id: &str, extra: &mut Extra) {
    if let Some(signature) = signature_in(id)
        && !extra.iter().any(|(name, _)| **name == *EXTRA_CONTENT)
    {
        extra.push(extra_content(signature));
    }
}

fn extra_content(signature: &str) -> (Arc<str>, RawJson) {
    let google = json!({"google": {"thought_signature": signature}});
    (EXTRA_CONTENT.into(), RawJson::new(google.to_string()))
}

impl ConversationAdapter<'_> {
    /// Gives a call of Chat Completions the signature that Google put next to it.
    pub(super) fn own_signature(&self, part: &mut Part) {
        let is_call = matches!(part.content, Content::ToolCall(_));
        if !is_call || self.target != Target::Gemini || self.source == Source::Gemini {
            return;
        }
        let Some(at) = part.extra.iter().position(|(name, _)| **name == *EXTRA_CONTENT) else {
            return;
        };
        let found = part.extra.get(at).and_then(|(_, raw)| {
            let node = json::parse(raw.as_str(), Limits::default()).ok()?;
            let signature = node.get("google")?.get("thought_signature").and_then(Node::as_str)?;
            Some(Arc::from(signature))
        });
        if found.is_some() {
            part.signature = found;
            part.extra.remove(at);
        }
    }

    /// Signs the first call of each step with the placeholder, if the step's first call has no
    /// signature: the provider refuses an unsigned one in the current turn. Earlier turns are signed
    /// too, so that a new message of the user changes no byte before it. A step is all that the model
    /// says between two messages of others.
    pub(super) fn sign_calls(&mut self, history: &mut [Message]) {
        let (mut count, mut first) = (0_u64, None);
        let is_model = |message: &Message| message.role == Role::Assistant;
        for step in history.chunk_by_mut(|one, next| is_model(one) == is_model(next)) {
            let is_call = |part: &&mut Part| matches!(part.content, Content::ToolCall(_));
            let mut messages = step.iter_mut().filter(|message| is_model(message));
            let call = messages.find_map(|message| {
                let origin = message.origin;
                message.parts.iter_mut().find(is_call).map(|call| (origin, call))
            });
            let Some((origin, call)) = call else { continue };
            if sign(call, self.target) {
                count += 1;
                first.get_or_insert(origin);
            }
        }
        if let Some(origin) = first {
            let at = pointer(self.source, origin, MessageRegion::History);
            let detail = format!(
                "{} without a thought signature got the placeholder",
                counted(count, "call")
            );
            self.notes.degraded("call_signed", at, detail);
        }
    }
}

/// Gives a call the placeholder if it has no signature; true if it did. In Chat Completions the signature
/// is in a member that is Google's own.
fn sign(call: &mut Part, target: Target) -> bool {
    if target == Target::Gemini {
        let is_signed = call.signature.as_ref().is_some_and(|own| !own.is_empty());
        if !is_signed {
            call.signature = Some(Arc::from(PLACEHOLDER_SIGNATURE));
        }
        return !is_signed;
    }
    let is_signed = call.extra.iter().any(|(name, _)| **name == *EXTRA_CONTENT);
    if !is_signed {
        call.extra.push(extra_content(PLACEHOLDER_SIGNATURE));
    }
    !is_signed
}
