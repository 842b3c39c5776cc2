//! What adapting a message loses, and the notes of it.

use std::sync::Arc;

use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::Message;
use crate::provider::words::{list_distinct, list_names};

/// The losses of one message, collected so that each kind is one note.
#[derive(Default)]
pub(super) struct LossCounts {
    pub(super) thinking: usize,
    pub(super) signatures: usize,
    pub(super) opaque: Vec<Arc<str>>,
    pub(super) fields: Vec<Arc<str>>,
    pub(super) media: Vec<String>,
    /// Media whose bytes are of another type than was declared.
    pub(super) retyped: Vec<String>,
    /// Files that got a name.
    pub(super) named: usize,
    /// What programs left in parts while they collected a stream.
    pub(super) leftovers: Vec<Arc<str>>,
    /// Search results that became text.
    pub(super) results: usize,
    /// Reasoning items that the conversation has already.
    pub(super) doubled: usize,
    pub(super) refusals: usize,
    /// Documents whose blocks became one text.
    pub(super) joined: usize,
    pub(super) errors: usize,
    pub(super) marks: usize,
}

impl ConversationAdapter<'_> {
    pub(super) fn report(&mut self, message: &Message, place: MessageRegion, lost: LossCounts) {
        let at = || pointer(self.source, message.origin, place);
        let counted = [
            ("thinking_dropped", lost.thinking),
            ("signature_dropped", lost.signatures),
            ("refusal_as_text", lost.refusals),
            ("document_blocks_joined", lost.joined),
            ("is_error_dropped", lost.errors),
            ("cache_mark_dropped", lost.marks),
            ("search_result_as_text", lost.results),
        ];
        for (code, n) in counted.into_iter().filter(|(_, n)| *n > 0) {
            self.notes.degraded(code, at(), count(n));
        }
        for (code, names) in [("opaque_dropped", lost.opaque), ("part_fields_dropped", lost.fields)]
        {
            if !names.is_empty() {
                self.notes.degraded(code, at(), list_distinct(&names));
            }
        }
        if !lost.media.is_empty() {
            self.notes.degraded("media_as_text", at(), list_names(&lost.media));
        }
        if !lost.retyped.is_empty() {
            self.notes.repaired("media_type_corrected", at(), list_distinct(&lost.retyped));
        }
        if lost.doubled > 0 {
            self.notes.repaired("duplicate_reasoning", at(), count(lost.doubled));
        }
        if lost.named > 0 {
            self.notes.repaired("file_named", at(), count(lost.named));
        }
        if !lost.leftovers.is_empty() {
            self.notes.repaired("leftover_removed", at(), list_distinct(&lost.leftovers));
        }
    }
}

/// The number of parts in a note; one needs no number.
pub(super) fn count(parts: usize) -> String {
    if parts == 1 { String::new() } else { format!("{parts} parts") }
}
