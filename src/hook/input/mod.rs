//! The `input` of hooks at each point: one struct a point, whose fields are the members on the
//! wire, in their order. What receivers, `GET /hook-points`, trials and the manual show comes from
//! here.

mod history;
mod memory;
mod memory_entry;
mod session;
mod tool;

pub use history::{
    AfterCompressInput, BeforeCompileInput, BeforeCompressInput, CompressTrigger, MessageSpan,
    SummarizeInput, TokenChange, TokenPressure, TransformContextInput,
};
pub use memory::{MemoryChangedInput, MemoryExpiredInput, MemoryUpdateInput, RecallMemoryInput};
pub use memory_entry::{Importance, MemoryEntryInput, ScopeInput, TtlInput};
pub use session::{CacheExpiringInput, DelegationInput, EventInput, SessionSwitchInput};
pub use tool::{
    CallBatch, CompressFormatInput, HookedCall, HookedResult, RetrieveEvidenceInput, ToolArguments,
    ToolCallInput, ToolResultInput,
};

use serde::Serialize;

use crate::json::to_text;

/// The name of a member of an `input`, and its description.
pub type InputMember = (&'static str, &'static str);

/// The `input` of hooks at one point.
pub trait PointInput: Serialize {
    /// The purpose of the point.
    const SENTENCE: &'static str;
    /// The fields, in their order.
    const MEMBERS: &'static [InputMember];

    /// A small input in which no member is missing, for trials of hooks.
    fn sample() -> Self;

    /// Writes the input as it is on the wire.
    fn to_json(&self) -> String {
        to_text(self)
    }
}
