//! `/compilations`: the records of compiles.

mod actions;
mod list;

pub(super) use self::actions::*;
pub(super) use self::list::*;
