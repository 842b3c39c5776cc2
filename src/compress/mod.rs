//! The compression engine: what makes a text shorter without losing what it says.

mod arrival;
mod chain;
mod engine;
mod lossless;
mod notation;
mod offload;
mod segment;
mod summary;

pub use arrival::{Arrival, Arrivals};
pub use chain::{chain, end_of};
pub use engine::{Class, Decoded, Decoder, Encoder, Engine, Form, Hold, Lossless};
pub use lossless::equivalent;
pub use offload::Offload;
pub use summary::{Summary, summarize};
