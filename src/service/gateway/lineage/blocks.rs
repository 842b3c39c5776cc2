//! The blocks of mode `session` in the list of one request.

use std::sync::Arc;

use super::KnownLineage;
use crate::domain::ContentHash;
use crate::gateway::SessionBlocks;
use crate::service::Services;
use crate::service::gateway::EditSkip;
use crate::service::gateway::known_blocks::{BlockSlot, PutBlocks};
use crate::store::{Error, StoredDecision};

/// What became of blocks that were to be stored.
enum KeptBlocks {
    /// They are stored, unless there are earlier ones.
    Own { earlier: Vec<StoredDecision> },
    /// A key that shows the same was first with this list: its blocks are found by this row next time.
    OfOther(StoredDecision),
}

impl KnownLineage<'_> {
    /// The blocks that mode `session` put into the list, as they are sent.
    pub(crate) fn shown_blocks(&self) -> Vec<PutBlocks> {
        self.blocks.shown(self.points.passed.as_ref().map_or(0, |passed| passed.place.end))
    }

    /// The blocks as they are sent once a point is passed.
    pub(crate) fn blocks_after_point(&self) -> Vec<PutBlocks> {
        self.blocks.shown(self.newest)
    }

    /// The first message that loses a block at a point.
    pub(crate) fn first_block_change(&self) -> Option<usize> {
        self.blocks.first_change(self.newest)
    }

    /// The last message, if it is not decided which blocks follow it.
    pub(crate) fn open_blocks(&self) -> Option<BlockSlot> {
        self.blocks.undecided().filter(|_| !self.is_store_away)
    }

    /// Stores the blocks that follow the last message. Those that another request stored before stand.
    pub(crate) fn put_blocks(
        &mut self,
        services: &Services,
        blocks: SessionBlocks,
    ) -> Result<(), EditSkip> {
        let Some(BlockSlot { hash, .. }) = self.open_blocks() else { return Ok(()) };
        let cache = services.decisions();
        let new = [StoredDecision { digest: ContentHash(hash.0), decision: blocks.pack() }];
        let owner = self.owner.row().filter(|_| !blocks.0.is_empty());
        let named = owner.clone();
        let written = services.tenant().write::<_, Error>(move |tx| {
            let earlier = tx.keep_decisions(owner.as_slice())?.into_iter().next();
            match earlier.filter(|earlier| Some(earlier) != owner.as_ref()) {
                Some(row) => Ok(KeptBlocks::OfOther(row)),
                None => Ok(KeptBlocks::Own { earlier: tx.keep_decisions(&new)? }),
            }
        });
        let kept = written.map_err(|error| {
            tracing::debug!(%error, "blocks cannot be stored");
            cache.note_unstored(hash);
            EditSkip::Store
        })?;
        let earlier = match kept {
            KeptBlocks::Own { earlier } => {
                if let Some(row) = &named {
                    self.owner.note_stored(services, row);
                }
                earlier
            }
            KeptBlocks::OfOther(row) => {
                self.owner.note_stored(services, &row);
                cache.note_unstored(hash);
                return Err(EditSkip::Store);
            }
        };
        cache.note_tenant(&services.caller().tenant, true);
        // The request was sent without them meanwhile.
        if cache.is_unstored(&hash) {
            return Err(EditSkip::Store);
        }
        let stands = earlier.first().map_or(Some(blocks), |earlier| {
            // A stored form that cannot be read is one of a version after this one.
            SessionBlocks::unpack(&earlier.decision)
        });
        let stands = Arc::new(stands.unwrap_or_default());
        cache.insert_blocks(hash, Arc::clone(&stands));
        self.blocks.put(&stands);
        Ok(())
    }
}
