//! What a compile leaves behind: all of it or nothing.

use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::{MemoryEntry, Note};
use crate::hook::{HookRun, QueuedCall};
use crate::json::Node;
use crate::pipeline::CompiledPayload;
use crate::service::compile_events::CompileEvents;
use crate::service::fact_observers::FactObservers;
use crate::service::hooks::queue::enqueue;
use crate::service::hooks::{disable_gone, gone};
use crate::service::record::{CompileOutcome, NewRecord, RecordDraft};
use crate::service::sessions::{self, SessionHandle, TurnContext};
use crate::service::{Services, StoreError, memory};
use crate::store::{Batch, HookOutcome, ObservedFact};

/// What is told of a compile, to whom.
pub(super) struct CommitInput<'t> {
    pub(super) told: &'t CompileEvents,
    pub(super) runs: &'t [HookRun],
    /// Calls that are made from the queue.
    pub(super) later: Vec<QueuedCall>,
    /// What hooks said of results of tools.
    pub(super) said: Vec<HookOutcome>,
    /// Changes of memory, and who hears of them.
    pub(super) facts: Vec<ObservedFact>,
    pub(super) hearers: FactObservers,
}

/// Stores what the compile leaves behind and tells of it, all of it or nothing. Where that is what
/// is told and no more, a compile does not fail for it.
pub(super) fn commit(
    services: &Services,
    compiled: &mut CompiledPayload,
    (id, session): (&Arc<str>, Option<(&SessionHandle, sessions::SessionCompile)>),
    (expired, turn): (Vec<MemoryEntry>, Option<(Arc<TurnContext>, String)>),
    heard: CommitInput<'_>,
    recorded: Option<(&Node<'_>, &RecordDraft)>,
) -> Result<Vec<ObservedFact>, StoreError> {
    let CommitInput { told, runs, later, said, mut facts, hearers } = heard;
    let of_turn: Arc<Mutex<Vec<ObservedFact>>> = Arc::default();
    let noted = Arc::clone(&of_turn);
    let known = facts.clone();
    let mut batch = Batch::default();
    let open = session.as_ref().map(|(open, _)| &open.id);
    let record = recorded.map(|recorded| {
        let came = (CompileOutcome::Compiled(compiled), runs);
        NewRecord::of(services, (id, open), recorded, came, &mut batch)
    });
    let record = record.transpose()?;
    let kept = services.tenant().kept();
    for text in std::mem::take(&mut compiled.artifacts) {
        batch.artifact(text, "text/plain");
    }
    let calibrates = session.as_ref().is_some_and(|(_, left)| left.heard.is_something());
    let told_of = calibrates || turn.is_some() || !later.is_empty();
    let must = !batch.is_empty() || !expired.is_empty() || !said.is_empty() || told_of;
    if told_of {
        // The caller is told that the session holds it, or that it is queued.
        batch.flush();
    }
    let of = session.as_ref().map(|(open, _)| &open.id);
    let (before, after) = told.events(id, of, (compiled, runs));
    let session = session.map(|(open, left)| (open.clone(), left));
    let gone = gone(runs);
    let stored = services.tenant().commit_with(batch, move |tx, _| {
        before.iter().try_for_each(|event| tx.publish(event).map(drop))?;
        turn.iter().try_for_each(|(turn, _)| turn.carry_out(tx))?;
        *noted.lock().unwrap_or_else(PoisonError::into_inner) = hearers.enqueue(tx)?;
        memory::expire(tx, &expired)?;
        enqueue(tx, hearers.scope(), &later)?;
        tx.keep_hook_outcomes(&said)?;
        hearers.enqueue_facts(tx, &known)?;
        session.iter().try_for_each(|(open, left)| open.commit(tx, left))?;
        turn.iter().try_for_each(|(turn, answer)| turn.append(tx, answer))?;
        record.iter().try_for_each(|record| record.store(tx, kept))?;
        disable_gone(tx, &gone)?;
        after.iter().try_for_each(|event| tx.publish(event).map(drop))
    });
    match stored {
        Err(error) if !must => {
            tracing::warn!(%error, "a compile was not told of");
            compiled.report.degraded.push(Note {
                code: "events_not_stored",
                pointer: String::new(),
                detail: "the store cannot be written".to_owned(),
            });
            Ok(Vec::new())
        }
        stored => {
            stored?;
            let mut noted = of_turn.lock().unwrap_or_else(PoisonError::into_inner);
            facts.splice(0..0, noted.drain(..));
            Ok(facts)
        }
    }
}
