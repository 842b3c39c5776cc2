//! `/hooks`, `/hook-points` and `/hook-order`: what others veto, change, add to and watch.

mod entry;
mod order;

pub(super) use self::entry::*;
pub(super) use self::order::*;
