//! The compression engine: what makes a text shorter without losing what it says.

mod atom;
mod chain;
mod engine;
#[cfg(fuzzing)]
pub mod fuzz;
mod lossless;
mod notation;
mod offload;
mod segment;
mod summary;

pub use chain::{chain, end_of};
pub use engine::{Class, Decoded, Decoder, Encoder, Engine, Form, Hold, Lossless};
pub use lossless::{equivalent, normal};
pub use notation::names as notations;
pub use offload::Offload;
pub use summary::{Summary, summarize};
