//! The compression engine: makes texts shorter, by notations, adapters and selection.

mod adapter;
mod atom;
mod breaks;
mod chain;
mod digest;
mod engine;
mod errors;
mod extract;
#[cfg(fuzzing)]
pub mod fuzz;
mod gaps;
mod lossless;
mod notation;
mod offload;
mod segment;
mod summary;

/// Bytes that one edit may be given. The work of each is linear in them, so this bounds it; an edit
/// that would take more is not made, and reported as one that was taken back.
const MAX_EDIT_BYTES: usize = 16 << 20;

pub use adapter::{AdapterSet, Tryout, built_in_names};
pub use chain::{chain, end_of};
pub use engine::{
    Decoded, Decoder, Depth, EditLimit, Encoder, Engine, FactSet, FactState, Fidelity, Lossless,
    Reducer, ReductionChain, ShownFacts, ShownForm, TextNames, TextOwner, stays_whole,
};
pub use errors::Errors;
pub use gaps::has_gaps;
pub use lossless::{equivalent, normal};
pub use notation::names as notations;
pub use offload::Offload;
pub use summary::{SECTIONS, SummaryInput, summarize};
