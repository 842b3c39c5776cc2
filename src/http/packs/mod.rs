//! `/packs` and `/policy`: documents that govern compiles, and their rules.

mod golden;
mod list;
mod publication;
mod rule;

pub(super) use golden::*;
pub(super) use list::*;
pub(super) use publication::*;
pub(super) use rule::*;
