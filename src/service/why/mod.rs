//! Explains why a payload differs from the cached prefix of the previous one.

mod hashes;

use self::hashes::SentHashes;
pub use self::hashes::{HashChange, HashChangeReason};
use super::Services;
use super::compile::{Error, compile};
use crate::domain::TokenizerName;
use crate::json::{self, Limits, Node};
use crate::pipeline::{self, ChangeHints, Deadline, FirstChange, PayloadBlocks};

/// The first place where a document leaves another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundChange {
    /// Of payloads.
    Payloads(FirstChange),
    /// Of records that have hashes of what was sent, and no text.
    Hashes(HashChange),
}

/// Compares two documents, each a request (which is compiled first), a response, a payload, or the
/// record of a request through the gateway. Returns none if the second continues the first.
pub fn first_change(services: &Services, a: &str, b: &str) -> Result<Option<FoundChange>, Error> {
    let nodes = (json::parse(a, Limits::default())?, json::parse(b, Limits::default())?);
    if let (Some(before), Some(now)) = (SentHashes::read(&nodes.0), SentHashes::read(&nodes.1)) {
        return Ok(hashes::first_change(&before, &now).map(FoundChange::Hashes));
    }
    let (a, b) = (payload(services, a)?, payload(services, b)?);
    let (a, b) = (json::parse(&a, Limits::default())?, json::parse(&b, Limits::default())?);
    let counter = &services.pipeline().counter;
    let count = |text: &str| counter.count(TokenizerName::O200kBase, text);
    let (a, b) = (PayloadBlocks::from_node(a), PayloadBlocks::from_node(b));
    let change = pipeline::first_change(&a, &b, &ChangeHints::default(), &count);
    Ok(change.map(FoundChange::Payloads))
}

/// The payload that a document contains, or that it compiles to.
fn payload(services: &Services, text: &str) -> Result<String, Error> {
    let node = json::parse(text, Limits::default())?;
    if let Some(payload) = node.get("payload") {
        return Ok(payload.raw.to_owned());
    }
    if is_request(&node) {
        let response = compile(services, text, &Deadline::default())?;
        return Ok(response.payload().to_owned());
    }
    Ok(text.to_owned())
}

/// Whether a document is a request, which has a key that no payload has.
fn is_request(node: &Node<'_>) -> bool {
    ["target", "source", "budget", "compression"].iter().any(|key| node.get(key).is_some())
}
