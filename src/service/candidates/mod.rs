//! Candidates for memory: proposed, reviewed, promoted.
//!
//! A proposal is captured before anything else, and every step of a candidate is a line of an audit
//! log; both are written in the transaction of the change. Only a promoted candidate becomes an
//! entry, so only promoted facts are recalled.

mod check;
mod promotion;
mod proposal;
mod step;

use std::sync::Arc;

use serde_json::Value;

pub(super) use self::proposal::{Ids, propose_in};
use self::step::{CandidateAction, CandidateStep, log_step, take_step};
use super::idempotency::ResponseRecorder;
use super::page::PagedList;
use super::{CandidateRefusal, Error, Services};
use crate::domain::{
    Actor, ActorKind, Candidate, CandidateState, ChainLink, MemoryRole, Principal, PrincipalKind,
    Review, Scope,
};
use crate::json::{self, Limits};
use crate::request::{self, ProposeFault, ReviewRequest};
pub use crate::store::{LogLine, LogVerification};
use crate::store::{Page, TenantLog, Tx};

const UNKNOWN: Error = Error::NotFound("there is no candidate of this id");

/// A candidate with its capture.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownCandidate {
    pub candidate: Candidate,
    pub capture_id: Option<Arc<str>>,
    pub capture: ChainLink,
}

/// A page of the log of candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Events {
    pub lines: Vec<LogLine>,
    /// The line after which the log continues.
    pub next: Option<u64>,
    /// The check of both logs from end to end, if it was requested.
    pub verified: Option<LogCheck>,
}

/// Results of checking the two logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogCheck {
    pub transitions: LogVerification,
    pub captures: LogVerification,
}

/// Proposes the fact in `body`. Returns whether the candidate is new: a revision is not, and needs
/// the version that it revises.
pub fn propose(
    services: &Services,
    body: &str,
    if_match: Option<u64>,
    recorder: ResponseRecorder<(ShownCandidate, bool)>,
) -> Result<(ShownCandidate, bool), Error> {
    let node = json::parse(body, Limits::default())?;
    let mut proposed = request::read_proposal(&node).map_err(|fault| match fault {
        ProposeFault::Class(word) => CandidateRefusal::Class(word).into(),
        ProposeFault::Faults(faults) => Error::Invalid(faults),
    })?;
    proposed.by = actor(services.caller(), &proposed.by, MemoryRole::Capturer)?;
    // The ids are chosen before the transaction, which may run twice.
    let (ids, promotion) = (Ids::new(), services.promotion());
    services.write_observed(None, move |tx| {
        let candidate = propose_in(tx, &proposed, if_match, &ids, promotion)?;
        let done = (show(tx, candidate)?, proposed.revises.is_none());
        recorder.remember(tx, &done)?;
        Ok(done)
    })
}

/// Finds a candidate by its id.
pub fn find(services: &Services, id: &str) -> Result<ShownCandidate, Error> {
    services.tenant().read(|tx| show(tx, tx.candidate(id)?.ok_or(UNKNOWN)?))
}

/// Lists at most `limit` candidates. Returns the id after which the list continues, if it does.
pub fn list(
    services: &Services,
    state: Option<CandidateState>,
    after: Option<&str>,
    limit: usize,
) -> Result<Page<ShownCandidate, Arc<str>>, Error> {
    let list = PagedList {
        limit,
        bytes: Candidate::text_bytes,
        position: |row: &Candidate| Arc::clone(&row.id),
    };
    let after = after.map(Arc::from);
    services.tenant().read(|tx| {
        let Page { rows, next } = list.read_rows(services, after, |after, count| {
            Ok(tx.list_candidates(state, after.map(|after| &**after), count)?)
        })?;
        let all: Result<Vec<_>, Error> = rows.into_iter().map(|one| show(tx, one)).collect();
        Ok(Page { rows: all?, next })
    })
}

/// Stores the verdict of a reviewer. It reopens a candidate that was rejected automatically.
pub fn review(
    services: &Services,
    id: &str,
    body: &str,
    if_match: Option<u64>,
    recorder: ResponseRecorder<ShownCandidate>,
) -> Result<ShownCandidate, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut request = request::read_review(&node).map_err(Error::Invalid)?;
    request.by = decider(services.caller(), &request.by, MemoryRole::Reviewer)?;
    let id = id.to_owned();
    services.write_observed(None, move |tx| {
        let mut candidate = current(tx, &id, if_match)?;
        if candidate.proposers.iter().any(|proposer| proposer.id == request.by.id) {
            return Err(CandidateRefusal::SelfReview.into());
        }
        apply_verdict(tx, &mut candidate, &request)?;
        candidate.version += 1;
        tx.put_candidate(&candidate)?;
        let done = show(tx, candidate)?;
        recorder.remember(tx, &done)?;
        Ok(done)
    })
}

fn apply_verdict(
    tx: &Tx<'_>,
    candidate: &mut Candidate,
    request: &ReviewRequest,
) -> Result<(), Error> {
    let ReviewRequest { verdict, reason, classification, by } = request;
    if candidate.state == CandidateState::AutoRejected {
        // The fact may have been proposed again meanwhile, as another candidate.
        if let Some(first) = check::duplicate_of(tx, candidate)? {
            return Err(Error::Conflict(format!("the candidate {first} says the same")));
        }
        take_step(
            tx,
            candidate,
            &CandidateStep::new(CandidateAction::Reopen, CandidateState::InReview, by),
        )?;
    }
    let mut step = CandidateStep::new(CandidateAction::from(*verdict), verdict.state(), by);
    step.reason = Some(reason);
    if let Some(classification) = classification {
        candidate.proposal.classification = *classification;
        step.add_data("classification", step::word_of_classification(*classification));
    }
    take_step(tx, candidate, &step)?;
    candidate.review =
        Some(Review { verdict: *verdict, reason: Arc::clone(reason), by: by.clone() });
    Ok(())
}

/// Promotes an approved candidate to a memory entry.
pub fn promote(
    services: &Services,
    id: &str,
    body: &str,
    if_match: Option<u64>,
    recorder: ResponseRecorder<ShownCandidate>,
) -> Result<ShownCandidate, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut request = request::read_promotion(&node).map_err(Error::Invalid)?;
    request.by = decider(services.caller(), &request.by, MemoryRole::Promoter)?;
    let id = id.to_owned();
    services.write_observed(None, move |tx| {
        let mut candidate = current(tx, &id, if_match)?;
        let from = candidate.state;
        if from != CandidateState::Approved {
            return Err(CandidateRefusal::Transition { from, to: CandidateState::Promoted }.into());
        }
        promotion::promote_in(tx, &mut candidate, &request)?;
        candidate.version += 1;
        tx.put_candidate(&candidate)?;
        let done = show(tx, candidate)?;
        recorder.remember(tx, &done)?;
        Ok(done)
    })
}

/// Deletes a candidate and the content of its captures. The log keeps its lines, with a last one of
/// the deletion, and still verifies. A memory entry that was made of the candidate stays.
pub fn delete(services: &Services, id: &str, if_match: Option<u64>) -> Result<(), Error> {
    let caller = services.caller();
    let kind = match caller.kind {
        PrincipalKind::Service => ActorKind::Automation,
        _ => ActorKind::User,
    };
    let named = Actor { id: caller.key.clone().unwrap_or_else(|| "owner".into()), kind };
    let by = decider(caller, &named, MemoryRole::Reviewer)?;
    let id = id.to_owned();
    services.write_observed(None, move |tx| {
        let mut candidate = tx.candidate(&id)?.ok_or(UNKNOWN)?;
        if if_match.is_some_and(|version| version != candidate.version) {
            return Err(Error::Stale(candidate.version));
        }
        let state = candidate.state;
        let step = CandidateStep::new(CandidateAction::Delete, state, &by);
        log_step(tx, &mut candidate, Some(state), &step)?;
        tx.delete_candidate(&id)?;
        Ok(())
    })
}

/// Lists the log of candidates in order, after the line `after`.
pub fn events(
    services: &Services,
    after: u64,
    limit: usize,
    verify: bool,
) -> Result<Events, Error> {
    let list = PagedList {
        limit,
        bytes: |line: &LogLine| line.body.as_str().len(),
        position: |line| line.link.seq,
    };
    services.tenant().read(|tx| {
        let Page { rows: lines, next } =
            list.read_rows(services, Some(after), |after, count| {
                Ok(tx.log_lines(
                    TenantLog::Transitions,
                    after.copied().unwrap_or_default(),
                    count,
                )?)
            })?;
        let verified = if verify {
            let transitions = tx.verify_log(TenantLog::Transitions)?;
            Some(LogCheck { transitions, captures: tx.verify_log(TenantLog::Captures)? })
        } else {
            None
        };
        Ok(Events { lines, next, verified })
    })
}

/// The actor of a request. The key of a service acts for the actor that the request names, as does
/// a caller without a key; any other key acts for itself. A key needs `role`, or the scope `admin`.
fn actor(caller: &Principal, named: &Actor, role: MemoryRole) -> Result<Actor, CandidateRefusal> {
    let Some(key) = &caller.key else { return Ok(named.clone()) };
    if !caller.roles.contains(role) && !caller.has_any(&[Scope::Admin]) {
        return Err(CandidateRefusal::Lacks(role));
    }
    let kind = match caller.kind {
        PrincipalKind::Service => return Ok(named.clone()),
        PrincipalKind::User => ActorKind::User,
        PrincipalKind::Agent => ActorKind::Agent,
        PrincipalKind::Automation => ActorKind::Automation,
    };
    Ok(Actor { id: Arc::clone(key), kind })
}

/// The actor of a decision, which an agent may not make.
fn decider(caller: &Principal, named: &Actor, role: MemoryRole) -> Result<Actor, CandidateRefusal> {
    let actor = actor(caller, named, role)?;
    if actor.kind == ActorKind::Agent { Err(CandidateRefusal::Agent) } else { Ok(actor) }
}

/// Finds a candidate to be changed, in the version that the caller has seen.
fn current(tx: &Tx<'_>, id: &str, if_match: Option<u64>) -> Result<Candidate, Error> {
    let candidate = tx.candidate(id)?.ok_or(UNKNOWN)?;
    match if_match {
        Some(version) if version == candidate.version => Ok(candidate),
        Some(_) => Err(Error::Stale(candidate.version)),
        None => Err(Error::Invalid(vec![json::Fault {
            pointer: String::new(),
            detail: "the header If-Match must name the candidate's `ETag`".to_owned(),
            did_you_mean: None,
        }])),
    }
}

fn show(tx: &Tx<'_>, candidate: Candidate) -> Result<ShownCandidate, Error> {
    let before = candidate.capture.saturating_sub(1);
    let line = tx.log_lines(TenantLog::Captures, before, 1)?.into_iter().next();
    let id = line.as_ref().and_then(|line| {
        let body: Value = serde_json::from_str(line.body.as_str()).ok()?;
        body.get("id").and_then(Value::as_str).map(Arc::from)
    });
    let lost =
        ChainLink { seq: candidate.capture, prev_hash: ChainLink::START, hash: ChainLink::START };
    let capture = line.map_or(lost, |line| line.link);
    Ok(ShownCandidate { candidate, capture_id: id, capture })
}
