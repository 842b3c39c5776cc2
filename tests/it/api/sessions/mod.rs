//! Sessions over HTTP.

mod entry;
mod lasting;
mod lineage;
mod snapshots;
mod steps;
mod turn_calls;
mod turns;
mod usage;
