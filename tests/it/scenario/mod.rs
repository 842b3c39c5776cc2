//! The scenarios of `tests/it/scenarios.toml`, as black-box tests of `POST /compile` and `/artifacts`.

mod artifacts;
mod compile;
mod guardrails;
mod janitor;
mod targets;
mod targets_media;
