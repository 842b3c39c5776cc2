//! `/compilations`: the records of compiles.

mod act;
mod list;
mod page;

pub(super) use self::act::*;
pub(super) use self::list::*;
