//! The halves of a provider's own calls, by the id that joins them.

use super::ConversationAdapter;
use crate::domain::{HalfFamily, HalfRole, ItemHalf, Part};

/// One half of a call, with the call's id.
pub(super) enum CallHalf {
    Call(String),
    Output(String),
}

impl CallHalf {
    /// The half that a part is, if it is one of this family and has an id.
    pub(super) fn new(part: &Part, family: HalfFamily) -> Option<Self> {
        let (half, item) = ItemHalf::in_part(part)?;
        if half.family != family {
            return None;
        }
        let id = half.id(item)?;
        Some(if half.role == HalfRole::Output { Self::Output(id) } else { Self::Call(id) })
    }
}

impl ConversationAdapter<'_> {
    /// Notes how many items of a message were mended, by the code of the repair.
    pub(super) fn note_halves<const N: usize>(
        &mut self,
        at: &str,
        counts: [(&'static str, usize); N],
    ) {
        for (code, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            let detail = format!("{count} items of the provider's own");
            self.notes.repaired(code, at.to_owned(), detail);
        }
    }
}
