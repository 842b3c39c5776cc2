//! `POST /tools/calls`: the calls of one assistant message. Ours are carried out, all others are
//! the caller's to run.

mod memory;
mod read;
mod trial;
mod wire;

use std::sync::Arc;

pub(in crate::service) use self::read::carry_out as read;
pub(in crate::service) use self::trial::Trial;

use super::{Error, Services};
use crate::domain::{MemoryScope, RawJson, Source, ToolCall};
use crate::json::{self, Limits};
use crate::pipeline::{CREATE_MEMORY, MODIFY_MEMORY, READ_TOOL};
use crate::request;

/// What becomes of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Handled {
    pub id: Arc<str>,
    pub name: Arc<str>,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The caller runs it, with these arguments.
    Caller { arguments: RawJson },
    /// It was ours: the message to append, in the caller's shape.
    Service { answer: Answer, message: RawJson },
}

/// What one of our tools answers a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Done(String),
    /// Nothing was done, and why.
    Refused(String),
}

impl Answer {
    pub fn text(&self) -> &str {
        match self {
            Self::Done(text) | Self::Refused(text) => text,
        }
    }
}

/// What a model may write, and where.
#[derive(Debug, Clone)]
pub(super) struct Rights {
    pub(super) scope: MemoryScope,
    /// Any key where there is no list.
    pub(super) allowed_keys: Option<Vec<Arc<str>>>,
}

/// Carries out the calls in `body` that are ours, in their order; answers one each.
pub fn calls(services: &Services, body: &str) -> Result<Vec<Handled>, Error> {
    let node = json::parse(body, Limits::default())?;
    let request = request::read_calls(&node).map_err(Error::Invalid)?;
    let (source, calls) = wire::read(&request)?;
    let mut scope = request.scope;
    scope.session_id = scope.session_id.or(request.session_id);
    let rights = Rights { scope, allowed_keys: request.allowed_keys };
    let remembering = calls.iter().filter(|call| is_memory(&call.name)).cloned().collect();
    let mut remembered = memory::carry_out(services, rights, remembering)?.into_iter();
    let mut handled = Vec::with_capacity(calls.len());
    for call in calls {
        let answer = match &*call.name {
            name if is_memory(name) => remembered.next(),
            READ_TOOL => Some(read::carry_out(services, &call)?),
            _ => None,
        };
        let outcome = match answer {
            Some(answer) => {
                let message = wire::result(source, &call, &answer);
                Outcome::Service { answer, message }
            }
            None => Outcome::Caller { arguments: wire::arguments(&call) },
        };
        handled.push(Handled { id: call.id, name: call.name, outcome });
    }
    Ok(handled)
}

impl Handled {
    /// What became of a call of ours, with its result in a shape.
    pub(super) fn service(source: Source, call: ToolCall, answer: Answer) -> Self {
        let message = wire::result(source, &call, &answer);
        Self { id: call.id, name: call.name, outcome: Outcome::Service { answer, message } }
    }

    /// The result to append, where it was ours.
    pub(super) fn message(&self) -> Option<&RawJson> {
        match &self.outcome {
            Outcome::Service { message, .. } => Some(message),
            Outcome::Caller { .. } => None,
        }
    }
}

pub(super) fn is_memory(name: &str) -> bool {
    [CREATE_MEMORY, MODIFY_MEMORY].contains(&name)
}

/// A member of a call's arguments that must be a text.
fn text<'a>(
    call: &ToolCall,
    arguments: &'a serde_json::Value,
    key: &str,
) -> Result<&'a str, Answer> {
    arguments.get(key).and_then(serde_json::Value::as_str).ok_or_else(|| {
        Answer::Refused(format!("{} needs `{key}`, a text. Nothing was done.", call.name))
    })
}

/// A call's arguments, which must be a JSON object.
fn object(call: &ToolCall) -> Result<serde_json::Value, Answer> {
    let parsed = serde_json::from_str::<serde_json::Value>(&call.arguments).ok();
    parsed.filter(serde_json::Value::is_object).ok_or_else(|| {
        Answer::Refused(format!(
            "the arguments of {} must be a JSON object. Nothing was done.",
            call.name
        ))
    })
}
