//! Tool calls and their results: ids, names and arguments in the form a target accepts.
//!
//! New ids and names are made from the old ones alone, so call, result and definition agree and a
//! grown conversation keeps them.

use std::collections::HashMap;
use std::sync::Arc;

use super::call_signatures::{has_signature, take_signature};
use super::fields::{NAMESPACE, string_value};
use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::{Content, Extra, Message, RawJson, Source, Target, ToolCall};
use crate::json::{self, to_text, write_string};
use crate::provider::SYNTHETIC_CALL_ID;
use crate::provider::words::shown;

/// Calls by their id in the request: the id and the name they have now.
type RenamedCalls = HashMap<Arc<str>, (Arc<str>, Arc<str>)>;

impl ConversationAdapter<'_> {
    pub(super) fn calls(&mut self, history: &mut [Message]) {
        if self.target == Target::Neutral {
            return;
        }
        let mut known = RenamedCalls::new();
        let mut made: HashMap<Arc<str>, usize> = HashMap::new();
        for message in history {
            let origin = message.origin;
            for part in &mut message.parts {
                if self.target == Target::OpenaiResponses {
                    rename_group(&mut part.extra);
                }
                match &mut part.content {
                    Content::ToolCall(call) => {
                        let before = call.id.clone();
                        if self.source != Source::Gemini
                            && (self.target == Target::Gemini || self.destination.signs_calls)
                        {
                            take_signature(&before, &mut part.extra);
                        }
                        self.call(call, origin, &mut made);
                        // Only here are results matched by name.
                        if self.target == Target::Gemini {
                            known.insert(before, (call.id.clone(), call.name.clone()));
                        }
                    }
                    Content::ToolResult(result) => {
                        if let Some((id, name)) = known.get(&result.call_id) {
                            result.call_id = id.clone();
                            result.name = Some(name.clone());
                        } else {
                            if let Some(id) = self.valid_id(&result.call_id) {
                                result.call_id = id;
                            }
                            if let Some(name) =
                                result.name.as_ref().and_then(|name| valid_name(self.target, name))
                            {
                                result.name = Some(name);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn call(
        &mut self,
        call: &mut ToolCall,
        origin: Option<usize>,
        made: &mut HashMap<Arc<str>, usize>,
    ) {
        let at = || pointer(self.source, origin, MessageRegion::History);
        if let Some(name) = valid_name(self.target, &call.name) {
            let detail = format!("{} → {name}", shown(&call.name));
            self.notes.degraded("tool_name_renamed", at(), detail);
            call.name = name;
        }
        if let Some(id) = self.valid_id(&call.id) {
            let detail = format!("{} → {id}", shown(&call.id));
            self.notes.degraded("call_id_renamed", at(), detail);
            call.id = id;
        }
        if matches!(self.target, Target::Anthropic | Target::Gemini) {
            self.arguments(call, origin);
        }
        // Gemini accepts only ids that it issued. Generated ids are for matching and are never
        // written.
        if self.target == Target::Gemini && self.source != Source::Gemini {
            let n = made.entry(call.name.clone()).or_default();
            call.id = format!("{SYNTHETIC_CALL_ID}{}-{n}", call.name).into();
            *n += 1;
        }
    }

    fn valid_id(&self, id: &str) -> Option<Arc<str>> {
        if self.destination.is_mistral {
            return short_id(id);
        }
        // The gateway reads the signature there, and refuses no length.
        let is_whole = self.destination.signs_calls && has_signature(id);
        valid_id(self.target, id).filter(|_| !is_whole)
    }

    /// Arguments must be an object there.
    fn arguments(&mut self, call: &mut ToolCall, origin: Option<usize>) {
        let at = || pointer(self.source, origin, MessageRegion::History);
        let (key, code) = if call.custom {
            ("input", "custom_call_wrapped")
        } else if call.arguments.trim().is_empty() {
            call.arguments = "{}".into();
            return;
        } else if is_object(&call.arguments) {
            return;
        } else {
            ("raw_arguments", "arguments_wrapped")
        };
        let mut wrapped = format!("{{\"{key}\":");
        write_string(&mut wrapped, &call.arguments);
        wrapped.push('}');
        self.notes.degraded(code, at(), shown(&call.name));
        call.arguments = wrapped.into();
        call.custom = false;
    }
}

/// Gives the member of a call or a result that names its group the name that the group has.
fn rename_group(extra: &mut Extra) {
    let own = extra.iter_mut().find(|(name, _)| **name == *NAMESPACE);
    let Some((_, raw)) = own else { return };
    let new = string_value(raw).and_then(|name| valid_name(Target::OpenaiResponses, &name));
    if let Some(new) = new {
        *raw = RawJson::new(to_text(&*new));
    }
}

fn is_object(text: &str) -> bool {
    json::parse(text, json::Limits::default()).is_ok_and(|node| node.as_object().is_some())
}

/// The id in a form that the target accepts, if it is not in one. Anthropic takes letters,
/// digits, `_` and `-`; Chat Completions refuses ids over 40 characters, Responses over 64.
pub(super) fn valid_id(target: Target, id: &str) -> Option<Arc<str>> {
    let (longest, any) = match target {
        Target::Openai => (40, true),
        Target::OpenaiResponses => (64, true),
        Target::Anthropic => (64, false),
        Target::Gemini | Target::Neutral => return None,
    };
    let fits = id.chars().count() <= longest
        && !id.is_empty()
        && (any || id.bytes().all(|byte| is_word(char::from(byte))));
    (!fits).then(|| rename(id, longest, is_word))
}

/// The id in nine letters and digits, if it is not: of its hash alone.
fn short_id(id: &str) -> Option<Arc<str>> {
    const LENGTH: usize = 9;
    let fits = id.len() == LENGTH && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (!fits).then(|| {
        blake3::hash(id.as_bytes()).to_hex().chars().take(LENGTH).collect::<String>().into()
    })
}

/// The tool name in a form that the target accepts, if it is not in one: `[a-zA-Z0-9_-]{1,64}`,
/// Gemini with `.` and `:` and no digit or dash at the head.
pub(super) fn valid_name(target: Target, name: &str) -> Option<Arc<str>> {
    const MAX_NAME_BYTES: usize = 64;
    let gemini = target == Target::Gemini;
    let allowed = |c: char| is_word(c) || (gemini && matches!(c, '.' | ':'));
    let head = |c: char| !gemini || c.is_ascii_alphabetic() || c == '_';
    if target == Target::Neutral
        || (name.len() <= MAX_NAME_BYTES
            && name.chars().all(allowed)
            && name.chars().next().is_some_and(head))
    {
        return None;
    }
    if name.chars().next().is_some_and(head) {
        return Some(rename(name, MAX_NAME_BYTES, allowed));
    }
    Some(rename(&format!("_{name}"), MAX_NAME_BYTES, allowed))
}

/// The participant's name in a form that Chat Completions takes, if it is not in one: at most 64
/// characters, none of them white space or one of `<|\/>`.
pub(super) fn valid_participant(name: &str) -> Option<Arc<str>> {
    const MAX_NAME_CHARS: usize = 64;
    let allowed = |c: char| !c.is_whitespace() && !matches!(c, '<' | '|' | '\\' | '/' | '>');
    let fits = name.chars().count() <= MAX_NAME_CHARS && name.chars().all(allowed);
    (!fits).then(|| rename(name, MAX_NAME_CHARS, allowed))
}

/// Whether a model that calls `name` means a tool that its definition calls `tool`: one of a name that
/// the model's provider refuses was shown to it under another.
pub fn means(name: &str, tool: &str) -> bool {
    const TARGETS: [Target; 4] =
        [Target::Openai, Target::OpenaiResponses, Target::Anthropic, Target::Gemini];
    let is_shown = |target| valid_name(target, tool).is_some_and(|shown| *shown == *name);
    name == tool || TARGETS.into_iter().any(is_shown)
}

pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// A name of allowed characters, made unique by eight digits of the old name's hash.
pub(super) fn rename(old: &str, longest: usize, allowed: impl Fn(char) -> bool) -> Arc<str> {
    const HASH_DIGITS: usize = 8;
    let mut new: String = old
        .chars()
        .take(longest.saturating_sub(HASH_DIGITS + 1))
        .map(|c| if allowed(c) { c } else { '_' })
        .collect();
    let hash = blake3::hash(old.as_bytes()).to_hex();
    new.push('_');
    new.extend(hash.chars().take(HASH_DIGITS));
    new.into()
}
