//! The compression engine: what makes a text shorter without losing what it says.

mod arrival;
mod artifact;
mod chain;
mod engine;
mod lossless;
mod notation;
mod summary;

pub use arrival::{Arrival, Arrivals};
pub use artifact::artifact_id;
pub use chain::{chain, end_of};
pub use engine::{Class, Decoded, Decoder, Encoder, Engine, Form, Lossless};
pub use lossless::{equivalent, normal};
pub use summary::{Summary, summarize};
