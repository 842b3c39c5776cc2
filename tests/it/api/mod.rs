//! Black box: a real server on a real socket, spoken to over HTTP.

mod adapters;
mod artifacts;
mod candidates;
mod change;
mod compilations;
mod compress;
mod counts;
mod ends;
mod events;
mod expand;
mod firing;
mod health;
mod hooks;
mod hostile;
mod keys;
mod limits;
mod memory;
mod models;
mod once;
mod packs;
mod read_tool;
mod round_trip;
mod sessions;
mod tenants;
mod tokens;
