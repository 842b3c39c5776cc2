<<<<<<< HEAD
//! The scenarios of `tests/it/scenarios.toml`, as black-box tests of `POST /compile` and `/compress`.
=======
//! The scenarios of `tests/it/scenarios.toml`, as black-box tests of `POST /compile` and `/artifacts`.
>>>>>>> main

mod artifacts;
mod compile;
mod compression;
mod guardrails;
mod janitor;
mod targets;
mod targets_media;
