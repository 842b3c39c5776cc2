//! Explains why a payload differs from the cached prefix of the previous one.

mod hashes;

use self::hashes::SentHashes;
pub use self::hashes::{HashChange, HashChangeReason};
use super::Services;
use super::compile::{Error, compile};
use crate::domain::{Source, TokenizerName};
use crate::json::{self, Fault, Limits, Node, Value};
use crate::pipeline::{self, ChangeHints, Deadline, FirstChange, PayloadBlocks};

/// The first place where a document leaves another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundChange {
    /// Of payloads.
    Payloads(FirstChange),
    /// Of records that have hashes of what was sent, and no text.
    Hashes(HashChange),
}

/// How the second of two documents goes with what the provider has cached of the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Comparison {
    /// It leaves the cached prefix.
    Left(FoundChange),
    /// All that is cached of the first is its beginning.
    Continues,
    /// It is the beginning of the first, which has more messages.
    IsBeginning,
}

/// One of the two documents is not compared.
#[derive(Debug)]
pub struct RefusedDocument {
    /// Whether it is the second one.
    pub is_second: bool,
    pub error: Error,
}

/// Compares two documents, each a request (which is compiled first), a response, a payload, or the
/// record of a request through the gateway.
pub fn compare(services: &Services, a: &str, b: &str) -> Result<Comparison, RefusedDocument> {
    let of_first = |error| RefusedDocument { is_second: false, error };
    let of_second = |error| RefusedDocument { is_second: true, error };
    let nodes = (
        json::parse(a, Limits::default()).map_err(|error| of_first(error.into()))?,
        json::parse(b, Limits::default()).map_err(|error| of_second(error.into()))?,
    );
    match (SentHashes::read(&nodes.0), SentHashes::read(&nodes.1)) {
        (Some(before), Some(now)) => {
            let change = hashes::first_change(&before, &now).map(FoundChange::Hashes);
            return Ok(change.map_or(Comparison::Continues, Comparison::Left));
        }
        (Some(_), None) => return Err(of_first(refusal(RECORD_ALONE))),
        (None, Some(_)) => return Err(of_second(refusal(RECORD_ALONE))),
        (None, None) => {}
    }
    let a = payload(services, &nodes.0, a).map_err(of_first)?;
    let b = payload(services, &nodes.1, b).map_err(of_second)?;
    let a = json::parse(&a, Limits::default()).map_err(|error| of_first(error.into()))?;
    let b = json::parse(&b, Limits::default()).map_err(|error| of_second(error.into()))?;
    let counter = &services.pipeline().counter;
    let count = |text: &str| counter.count(TokenizerName::O200kBase, text);
    let (a, b) = (PayloadBlocks::from_node(a), PayloadBlocks::from_node(b));
    let change = pipeline::first_change(&a, &b, &ChangeHints::default(), &count);
    Ok(match change {
        Some(change) => Comparison::Left(FoundChange::Payloads(change)),
        None if b.messages() < a.messages() => Comparison::IsBeginning,
        None => Comparison::Continues,
    })
}

const RECORD_ALONE: &str = "a record that has hashes and no texts, and the other document is none: \
                            compare two records, or two payloads";

fn refusal(detail: &str) -> Error {
    let (pointer, detail) = (String::new(), detail.to_owned());
    Error::Invalid(vec![Fault { pointer, detail, did_you_mean: None }])
}

/// The payload that a document contains, or that it compiles to.
fn payload(services: &Services, node: &Node<'_>, text: &str) -> Result<String, Error> {
    if let Some(payload) = node.get("payload").filter(|payload| has_messages(payload)) {
        return Ok(payload.raw.to_owned());
    }
    if is_request(node) {
        let response = compile(services, text, &Deadline::default())?;
        return Ok(response.payload().to_owned());
    }
    if has_messages(node) {
        return Ok(text.to_owned());
    }
    Err(refusal(match node.value {
        Value::Array(_) => {
            "a list, and neither a request nor a payload: put messages into {\"messages\": [...]}"
        }
        _ => "neither a request nor a payload: it has no `messages`, `input` or `contents`",
    }))
}

/// Whether a document has the messages of a payload. The Responses API takes a text for them, too.
fn has_messages(node: &Node<'_>) -> bool {
    let mut members = Source::LIST_KEYS.iter().filter_map(|key| node.get(key));
    members.any(|member| matches!(member.value, Value::Array(_) | Value::String(_)))
}

/// Whether a document is a request, which has a key that no payload has.
fn is_request(node: &Node<'_>) -> bool {
    ["target", "source", "budget", "compression"].iter().any(|key| node.get(key).is_some())
}
