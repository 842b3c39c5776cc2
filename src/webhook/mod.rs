//! Calls webhooks over the network.
//!
//! [`Webhooks`] is the [`crate::hook::Caller`] of a running server: one client for the whole
//! process, over a connector that checks each address right before it connects. [`Policy`] decides
//! which addresses are allowed, and checks URLs when hooks are registered; [`Dns`] finds addresses.
//! [`Keyring`] seals the secrets of hooks, which sign every call by Standard Webhooks.
//!
//! ```no_run
//! # use std::sync::Arc;
//! # use contexture::{config::HooksConfig, domain::Clock, webhook::{Dns, Policy, Webhooks}};
//! # fn build(config: &HooksConfig, listen: std::net::SocketAddr, dev: bool) -> Result<(), Box<dyn std::error::Error>> {
//! let policy = Policy {
//!     allow: config.hooks_allow_cidr.clone(),
//!     loopback: dev,
//!     own: vec![listen],
//! };
//! let webhooks = Webhooks::new(config, policy, Arc::new(Dns::system()), Clock::system())?;
//! let url = webhooks.policy().check_url("https://hooks.example.com/rag")?;
//! # drop(url);
//! # Ok(())
//! # }
//! ```
//!
//! Rules for every call: one deadline from the first question to a name server to the last
//! byte of the response; a cap on the bytes that are read, counted while they arrive; no redirect, no
//! proxy, no decompression; a second try only if no connection was made; after five failures
//! in a row no call for ten seconds.

mod address;
mod breaker;
mod call;
mod chat;
mod client;
mod connector;
mod credentials;
mod gate;
mod leak;
mod resolver;
mod seal;
mod signature;
mod summarizer;
mod target;
mod tls;

pub use address::{BlockReason, Policy, is_public};
pub use breaker::{MAX_FAILURES, OPEN_PAUSE};
pub use call::{CallContext, Exchange, HOP_HEADER, MAX_HOPS, Webhooks, new_id};
pub use chat::{ChatEndpoint, ChatFailure, ChatRequest};
pub use gate::MAX_CONCURRENT_CALLS;
pub use resolver::{Dns, LookupFuture, Resolver};
pub use seal::{BadKey, Keyring, Purpose, SealError};
pub use signature::sign;
pub use summarizer::Summarizer;
pub use tls::{SetupError, client_config, public_authorities, system_authorities};
