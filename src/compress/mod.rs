//! The compression engine: what makes a text shorter without losing what it says.

mod arrival;
mod atom;
mod lossless;
mod notation;
mod segment;
mod summary;

pub use arrival::{Arrival, Arrivals};
pub use lossless::equivalent;
pub use summary::{Summary, summarize};
