//! `/compilations`: the records of compiles.

mod actions;
mod list;
mod page;

pub(super) use self::actions::*;
pub(super) use self::list::*;
