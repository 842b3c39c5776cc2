//! One test binary for everything that needs more than one module: it links once.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    missing_debug_implementations,
    unreachable_pub,
    reason = "clippy.toml's allow-*-in-tests reaches test functions only, not the helpers here"
)]

mod api;
mod architecture;
mod cache_doc;
mod cli_compress;
mod cli_doctor;
mod cli_files;
mod cli_pack;
mod cli_read_test;
mod cli_serve;
mod cli_server;
mod cli_terminal;
mod cli_usage;
mod commit_cut;
mod conformance;
mod demo;
mod documents;
mod encodings;
mod faults;
mod full_disk;
mod gateway;
mod golden;
mod hooks_apply;
mod hooks_doc;
mod hooks_listen;
mod invariant;
mod migrations;
mod openapi;
mod openapi_examples;
mod operations;
mod parity;
mod problem;
mod process;
mod readme;
mod recipes;
mod scenario;
mod scenarios;
mod secrecy;
mod sessions_doc;
mod sight;
mod sql;
mod support;
#[cfg(feature = "otlp")]
mod token_counts;
mod traces;
mod webhook;
mod words;
