//! Contexture: a context compiler as a service.
//!
//! A conversation goes in, the payload for the provider comes out: inside the token budget,
//! cache-stable, with a report of every decision. Terms such as budget, turn and artifact are in
//! `docs/glossary.md`. Modules are listed in reading order; an arrow never points up this list.
//! `tests/it/architecture/` holds the table of allowed arrows.

pub mod limit;

pub mod json;

pub mod domain;

pub mod config;
pub mod telemetry;

pub mod store;

pub mod tokenizer;

pub mod provider;

pub mod policy;

pub mod pack;

pub mod compress;
pub mod request;

pub mod hook;
pub mod webhook;

pub mod gateway;
pub mod upstream;

pub mod pipeline;

pub mod service;

pub mod http;
pub mod server;

pub mod cli;

#[cfg(test)]
#[path = "../tests/it/support/prerequisite.rs"]
mod prerequisite;
