//! Removes what is kept no longer, some rows in each transaction.

use std::sync::{Arc, MutexGuard, PoisonError};

use super::cleanup::{self, ArtifactAge, Caps, Cleanup, Eviction, Reason};
use super::{DueTenant, DueWork, Error, Store, Tenant};
use crate::domain::{ArtifactId, ContentHash};

/// Artifacts that are removed in one transaction, so that a large cleanup does not block writes.
const DELETE_BATCH_ARTIFACTS: usize = 50;

impl Store {
    /// Cleans up the rows of every tenant, by the settings; a background job.
    ///
    /// Memory entries and sessions that have expired are excluded: events report each.
    pub fn clean(&self) -> Result<(), Error> {
        self.clean_tenants(&self.due_tenants()?)
    }

    /// Cleans up the rows of tenants, by what is due of each.
    pub fn clean_tenants(&self, due: &[DueTenant]) -> Result<(), Error> {
        for of in due.iter().filter(|of| of.has(DueWork::Artifacts)) {
            self.tenant(&of.name).freeing_room().cleanup(&Caps::default())?;
        }
        let _alone = self.alone();
        for of in due.iter().filter(|of| of.has(DueWork::Rows)) {
            self.tenant(&of.name).freeing_room().forget()?;
        }
        self.inner.backend.shrink()
    }

    fn alone(&self) -> MutexGuard<'_, ()> {
        self.inner.cleaning.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tenant {
    /// Evicts artifacts that have expired or are older than `caps` allows, and then the least
    /// recently used, until count and bytes are within the caps. An absent cap has the value of the
    /// setting.
    ///
    /// The plan is made once; artifacts stored in the meantime are not in it. Artifacts that cannot
    /// be removed stay, and are reported.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method alone is of one lifetime"
    )]
    pub fn cleanup(&self, caps: &Caps) -> Result<Cleanup, Error> {
        let _alone = self.store().alone();
        // After the pending records of reads: they decide what is evicted.
        self.write(|_| Ok::<_, Error>(()))?;
        let entries = self.read(|tx| tx.artifact_entries())?;
        let caps = caps.or(&self.retention().caps);
        let plan = cleanup::plan(entries, &caps, self.store().now());
        let mut done = Cleanup::default();
        for chunk in plan.chunks(DELETE_BATCH_ARTIFACTS) {
            // An artifact that cannot be removed must not protect the others.
            if self.evict(chunk, &mut done).is_err() {
                for one in chunk.chunks(1) {
                    if let Err(error) = self.evict(one, &mut done) {
                        tracing::warn!(%error, "an artifact could not be removed");
                        done.failed.extend(one.iter().map(|(entry, _)| entry.id));
                    }
                }
            }
        }
        Ok(done)
    }

    /// Removes part of a plan, all of it or nothing.
    fn evict(&self, part: &[(ArtifactAge, Reason)], done: &mut Cleanup) -> Result<(), Error> {
        let entries: Vec<_> = part.iter().map(|(entry, _)| *entry).collect();
        let removed = self.write(move |tx| tx.remove_artifacts(&entries))?;
        for ((entry, reason), _) in part.iter().zip(removed).filter(|(_, removed)| *removed) {
            done.count(entry, *reason);
            self.notify_eviction(entry.id, entry.bytes, *reason);
        }
        Ok(())
    }

    fn notify_eviction(&self, artifact: ArtifactId, bytes: u64, reason: Reason) {
        let tenant = Arc::clone(self.name());
        (self.store().inner.on_evicted)(&Eviction { tenant, artifact, bytes, reason });
    }

    /// Deletes expired chains, responses and messages, and then the messages that expire first,
    /// until the rest takes no more space than the settings allow.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method alone is of one lifetime"
    )]
    pub(super) fn forget(&self) -> Result<(), Error> {
        while self.write(|tx| tx.delete_expired::<ContentHash>("chains", "chain"))? {}
        while self.write(|tx| tx.delete_expired::<String>("answers", "id"))? {}
        while self.write(|tx| tx.forget_messages(tx.now()))? {}
        while self.write(|tx| tx.forget_replies())? {}
        while self.write(|tx| tx.forget_compilations())? {}
        let kept = self.retention().events;
        while self.write(move |tx| tx.forget_events(kept))? {}
        while self.write(|tx| tx.forget_deliveries())? {}
        while self.write(|tx| tx.delete_expired::<ContentHash>("tickets", "digest"))? {}
        while self.write(|tx| tx.delete_expired::<ContentHash>("summary_turns", "digest"))? {}
        let ttl = self.retention().ttl;
        while self.write(move |tx| tx.forget_summaries(ttl))? {}
        let last = self.read(|tx| tx.last_unused())?;
        while self.write(move |tx| tx.forget_decisions(last))? {}
        while self.write(|tx| tx.forget_old_usage())? {}
        let most = self.retention().originals_max_bytes;
        if let Some(last) = self.read(|tx| tx.last_beyond(most))? {
            while self.write(move |tx| tx.forget_messages(last))? {}
        }
        Ok(())
    }
}
