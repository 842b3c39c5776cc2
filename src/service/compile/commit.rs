//! What a compile leaves behind: all of it or nothing.

use std::sync::Arc;

use crate::domain::{MemoryEntry, Note};
use crate::hook::Run;
use crate::json::Node;
use crate::pipeline::Compiled;
use crate::service::record::{Begun, NewRecord};
use crate::service::sessions::{self, Open, Turn};
use crate::service::told::Told;
use crate::service::{Services, StoreError, memory};
use crate::store::Batch;

/// Stores what the compile leaves behind and tells of it, all of it or nothing. Where that is what
/// is told and no more, a compile does not fail for it.
pub(super) fn commit(
    services: &Services,
    compiled: &mut Compiled,
    (id, session): (&Arc<str>, Option<(&Open, sessions::Compiled)>),
    (expired, turn): (Vec<MemoryEntry>, Option<(Arc<Turn>, String)>),
    (told, runs): (&Told, &[Run]),
    recorded: Option<(&Node<'_>, &Begun)>,
) -> Result<(), StoreError> {
    let mut batch = Batch::default();
    let open = session.as_ref().map(|(open, _)| &open.id);
    let record = recorded.map(|recorded| {
        let compiled = (&*compiled, runs);
        NewRecord::of(services, (id, open), recorded, compiled, &mut batch)
    });
    let record = record.transpose()?;
    let kept = services.tenant().kept();
    for text in std::mem::take(&mut compiled.artifacts) {
        batch.artifact(text, "text/plain");
    }
    let heard = session.as_ref().is_some_and(|(_, left)| left.heard.is_something());
    let must = !batch.is_empty() || !expired.is_empty() || heard || turn.is_some();
    if heard || turn.is_some() {
        // The caller is told that the session holds it.
        batch.flush();
    }
    let of = session.as_ref().map(|(open, _)| &open.id);
    let (before, after) = told.events(id, of, (compiled, runs));
    let session = session.map(|(open, left)| (open.clone(), left));
    let stored = services.tenant().commit_with(batch, move |tx, _| {
        before.iter().try_for_each(|event| tx.publish(event).map(drop))?;
        turn.iter().try_for_each(|(turn, _)| turn.carry_out(tx))?;
        memory::expire(tx, &expired)?;
        session.iter().try_for_each(|(open, left)| open.commit(tx, left))?;
        turn.iter().try_for_each(|(turn, answer)| turn.append(tx, answer))?;
        record.iter().try_for_each(|record| record.store(tx, kept))?;
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
            Ok(())
        }
        stored => stored.map(drop),
    }
}
