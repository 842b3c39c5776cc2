//! Sessions over HTTP.

mod entry;
mod lineage;
mod persistence;
mod snapshots;
mod steps;
mod timeline;
mod turn_calls;
mod turns;
mod usage;
