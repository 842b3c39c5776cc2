//! `/packs` and `/policy`: documents that govern compiles, and their rules.

mod golden;
mod publish;
mod read;
mod rule;

pub(super) use golden::*;
pub(super) use publish::*;
pub(super) use read::*;
pub(super) use rule::*;
