//! Steps of a candidate, each with a line in the log.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Error;
use crate::domain::{
    Actor, ActorKind, Candidate, CandidateState, Classification, ReviewVerdict, word_of,
};
use crate::service::CandidateRefusal;
use crate::store::{TenantLog, Tx};

/// The action of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CandidateAction {
    Propose,
    Revise,
    Duplicate,
    AutoReject,
    Contradict,
    Submit,
    Reopen,
    Approve,
    Reject,
    RequestChanges,
    Promote,
    Supersede,
    Delete,
}

impl CandidateAction {
    const WORDS: &[(&str, Self)] = &[
        ("propose", Self::Propose),
        ("revise", Self::Revise),
        ("duplicate", Self::Duplicate),
        ("auto_reject", Self::AutoReject),
        ("contradict", Self::Contradict),
        ("submit", Self::Submit),
        ("reopen", Self::Reopen),
        ("approve", Self::Approve),
        ("reject", Self::Reject),
        ("request_changes", Self::RequestChanges),
        ("promote", Self::Promote),
        ("supersede", Self::Supersede),
        ("deleted", Self::Delete),
    ];
}

impl From<ReviewVerdict> for CandidateAction {
    fn from(verdict: ReviewVerdict) -> Self {
        match verdict {
            ReviewVerdict::Approve => Self::Approve,
            ReviewVerdict::Reject => Self::Reject,
            ReviewVerdict::RequestChanges => Self::RequestChanges,
        }
    }
}

/// A step from a candidate's state to another.
#[derive(Debug)]
pub(super) struct CandidateStep<'s> {
    action: CandidateAction,
    to: CandidateState,
    by: &'s Actor,
    pub(super) reason: Option<&'s str>,
    /// Ids, keys and words, never a value.
    data: Map<String, Value>,
}

impl<'s> CandidateStep<'s> {
    pub(super) fn new(action: CandidateAction, to: CandidateState, by: &'s Actor) -> Self {
        Self { action, to, by, reason: None, data: Map::new() }
    }

    /// Adds data to the line of the log. Callers add members in the order of their names.
    pub(super) fn add_data(&mut self, name: &str, value: impl Into<Value>) {
        self.data.insert(name.to_owned(), value.into());
    }
}

/// Moves a candidate to another state and logs the step; an error if the state machine does not
/// allow it.
pub(super) fn take_step(
    tx: &Tx<'_>,
    candidate: &mut Candidate,
    step: &CandidateStep<'_>,
) -> Result<(), Error> {
    let (from, to) = (candidate.state, step.to);
    if !from.may_become(to) {
        return Err(CandidateRefusal::Transition { from, to }.into());
    }
    log_step(tx, candidate, Some(from), step)?;
    candidate.state = to;
    Ok(())
}

/// Logs a step that moves the candidate nowhere, or that is its first.
pub(super) fn log_step(
    tx: &Tx<'_>,
    candidate: &mut Candidate,
    from: Option<CandidateState>,
    step: &CandidateStep<'_>,
) -> Result<(), Error> {
    let now = tx.now();
    let state = |state| word_of(CandidateState::WORDS, state);
    // Sorted and without absent members: the canonical form.
    let mut body: BTreeMap<&str, Value> = BTreeMap::from([
        ("action", word_of(CandidateAction::WORDS, step.action).into()),
        ("at", now.to_string().into()),
        ("by", principal(step.by)),
        ("candidate", (&*candidate.id).into()),
        ("to", state(step.to).into()),
    ]);
    body.extend(from.map(|from| ("from", state(from).into())));
    body.extend(step.reason.map(|reason| ("reason", reason.into())));
    if !step.data.is_empty() {
        body.insert("data", Value::Object(step.data.clone()));
    }
    let link = tx.append_log(TenantLog::Transitions, |seq| write_line(body, seq), None)?;
    candidate.last_event = link.seq;
    candidate.updated_at = now;
    Ok(())
}

/// Writes a line of a log with its number.
pub(super) fn write_line(mut body: BTreeMap<&str, Value>, seq: u64) -> String {
    body.insert("seq", seq.into());
    // Texts and numbers: serialising them cannot fail.
    serde_json::to_string(&body).unwrap_or_default()
}

pub(super) fn principal(by: &Actor) -> Value {
    json!({"id": by.id, "kind": word_of(ActorKind::WORDS, by.kind)})
}

pub(super) fn word_of_classification(classification: Classification) -> &'static str {
    word_of(Classification::WORDS, classification)
}
