//! Calls the providers of the gateway: relays a request and its response as they flow.
//!
//! An upstream comes from the settings and from nothing else, so its address may be a private one.
//! The client follows no redirect, decompresses nothing and keeps no cookie. It has no limit on the
//! whole of a response; the caller gives up after silence.

mod client;
mod connector;

pub use client::{RelayedRequestBody, SendFailure, UpstreamClient, UpstreamSetupError};
