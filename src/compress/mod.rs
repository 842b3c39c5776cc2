//! The compression engine: what makes a text shorter without losing what it says.

mod arrival;
mod lossless;
mod notation;
mod offload;
mod summary;

pub use arrival::{Arrival, Arrivals};
pub use lossless::equivalent;
pub use offload::Offload;
pub use summary::{Summary, summarize};
