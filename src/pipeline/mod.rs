//! The compile pipeline: typed stages in one order. No store, no network, no clock.

mod deadline;
mod repair;

pub use deadline::{Deadline, Stopped};
