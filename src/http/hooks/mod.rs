//! `/hooks`, `/hook-points` and `/hook-order`: what others veto, change, add to and watch.

mod delivery;
mod entry;
mod order;
mod trial;

pub(super) use self::delivery::*;
pub(super) use self::entry::*;
pub(super) use self::order::*;
pub(super) use self::trial::*;
