//! `/hooks`, `/hook-points` and `/hook-order`: hooks of the operator and of tenants, where they
//! run, and in which order.

mod delivery;
mod entry;
mod order;
mod trial;

pub(super) use self::delivery::*;
pub(super) use self::entry::*;
pub(super) use self::order::*;
pub(super) use self::trial::*;
