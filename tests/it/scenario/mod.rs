//! The scenarios of `tests/it/scenarios.toml`, as black-box tests.

mod artifacts;
mod candidates;
mod compile;
mod compression;
mod events;
mod guardrails;
mod hooks;
pub mod janitor;
mod memory;
mod memory_hooks;
mod pack;
mod rests;
mod sessions;
mod skills;
pub mod summarizer;
mod targets;
mod targets_media;
mod tools;
mod wire;
mod without_pack;
