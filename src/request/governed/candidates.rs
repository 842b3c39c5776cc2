//! Evidence and memory that may be shown, as they were handed in. Stages judge them; what has no
//! form at all is passed on as such, so that it is told as rejected.

use std::sync::Arc;

use crate::domain::{Classification, ContentHash, MemoryTier, Timestamp};
use crate::json::{self, Fault, Faults, Limits, Node};
use crate::pack::CLASSIFICATIONS;

/// A piece of evidence.
#[derive(Debug, Clone, Default)]
pub struct EvidenceRef {
    pub id: Arc<str>,
    pub class: Arc<str>,
    /// As it was written; `PII` is the article's word for what is restricted.
    pub classification: Arc<str>,
    pub payload_hash: Arc<str>,
    /// What stands behind it: canonical JSON, or a text.
    pub content: Option<Content>,
    pub tenant_id: Option<Arc<str>>,
    /// Whether what vouches for it may be relied on.
    pub is_trusted: bool,
    pub is_current: bool,
    pub expires_at: Option<Timestamp>,
    pub priority: Option<i64>,
    pub conflicts_with: Vec<Arc<str>>,
}

/// The content of a piece of evidence.
#[derive(Debug, Clone)]
pub struct Content {
    pub text: Arc<str>,
    pub hash: ContentHash,
}

impl EvidenceRef {
    /// Who may see it; none for a word that there is not.
    pub fn level(&self) -> Option<Classification> {
        if &*self.classification == "PII" {
            return Some(Classification::Restricted);
        }
        CLASSIFICATIONS.iter().find(|(word, _)| *word == &*self.classification).map(|(_, l)| *l)
    }

    /// The snapshot that it is of: what stands behind the last `#` of its id.
    pub fn snapshot(&self) -> Option<&str> {
        self.id.rsplit_once('#').map(|(_, snapshot)| snapshot)
    }
}

/// Something that is remembered.
#[derive(Debug, Clone)]
pub struct MemoryRecord {
    pub id: Arc<str>,
    /// Any, where there are none.
    pub intents: Vec<Arc<str>>,
    pub tier: Option<MemoryTier>,
    pub text: Arc<str>,
    pub promoted_at: Timestamp,
    pub classification: Option<Classification>,
    pub tenant_id: Option<Arc<str>>,
    /// Everybody's of the tenant, where there is none.
    pub subject: Option<Arc<str>>,
    pub is_promoted: bool,
    /// Thousandths.
    pub confidence: u32,
    pub expires_at: Option<Timestamp>,
    pub session_id: Option<Arc<str>>,
    pub version: u64,
}

fn text(node: &Node<'_>, key: &str) -> Option<Arc<str>> {
    node.get(key).and_then(Node::as_str).map(Into::into)
}

fn time(node: &Node<'_>, key: &str) -> Option<Timestamp> {
    node.get(key).and_then(Node::as_str).and_then(Timestamp::parse)
}

fn items<'r, 'a>(node: &'r Node<'a>, at: &str, most: usize, faults: &mut Faults) -> &'r [Node<'a>] {
    let mut fault = |detail: String| {
        faults.add_found(Fault { pointer: at.to_owned(), detail, did_you_mean: None });
    };
    match node.as_array() {
        Some(items) if items.len() <= most => items,
        Some(_) => {
            fault(format!("must hold at most {most} items"));
            &[]
        }
        None => {
            fault(format!("must be an array, not {}", node.kind()));
            &[]
        }
    }
}

pub(super) fn evidence(
    node: &Node<'_>,
    at: &str,
    most: usize,
    faults: &mut Faults,
) -> Vec<EvidenceRef> {
    let items = items(node, at, most, faults).iter();
    let word = |node: &Node<'_>, key: &str| text(node, key).unwrap_or_else(|| "".into());
    items
        .map(|item| {
            let payload = item.get("payload").filter(|node| !node.is_null());
            let canonical = payload.and_then(|node| json::jcs(node).ok()).map(Arc::<str>::from);
            let content = canonical.or_else(|| text(item, "text")).map(|text| {
                let hash = ContentHash::of(&text);
                Content { text, hash }
            });
            let is = |key: &str, words: &[&str]| {
                item.get(key).and_then(Node::as_str).is_some_and(|word| words.contains(&word))
            };
            let priority = item.get("priority").and_then(Node::as_u64);
            let conflicts = item.get("conflicts_with").and_then(Node::as_array);
            EvidenceRef {
                id: word(item, "id"),
                class: word(item, "class"),
                classification: word(item, "classification"),
                payload_hash: word(item, "payload_hash"),
                content,
                tenant_id: text(item, "tenant_id"),
                is_trusted: is("integrity", &["authoritative", "verified"]),
                is_current: is("freshness", &["current"]),
                expires_at: time(item, "expires_at"),
                priority: priority.and_then(|priority| i64::try_from(priority).ok()),
                conflicts_with: conflicts
                    .into_iter()
                    .flatten()
                    .filter_map(|node| node.as_str().map(Into::into))
                    .collect(),
            }
        })
        .collect()
}

/// What a hook has found: `{"evidence": […]}`, held to what a request's own is; or what is wrong
/// with it.
pub fn read_evidence(answer: &str) -> Result<Vec<EvidenceRef>, String> {
    let node = json::parse(answer, Limits::default()).map_err(|error| error.to_string())?;
    let mut faults = Faults::default();
    let given = node.get("evidence").ok_or("/evidence: is missing")?;
    let found = evidence(given, "/evidence", super::MOST, &mut faults);
    let of_text = |key: &'static str| {
        let items = given.as_array().unwrap_or_default().iter().zip(0_usize..);
        items.filter_map(move |(item, at)| {
            let is_text = item.get(key).is_some_and(|value| value.as_str().is_some());
            (!is_text).then(|| format!("/evidence/{at}/{key}: must be a text"))
        })
    };
    let wrong = ["id", "class", "classification", "payload_hash"].into_iter().flat_map(of_text);
    let told =
        faults.into_vec().into_iter().map(|fault| format!("{}: {}", fault.pointer, fault.detail));
    match told.chain(wrong).next() {
        Some(fault) => Err(fault),
        None => Ok(found),
    }
}

pub(super) fn memory(node: &Node<'_>, most: usize, faults: &mut Faults) -> Vec<MemoryRecord> {
    let items = items(node, "/pack/memory", most, faults).iter();
    items
        .map(|item| {
            let tier = item.get("tier").and_then(Node::as_str);
            let tier =
                tier.and_then(|word| MemoryTier::WORDS.iter().find(|(known, _)| *known == word));
            let level = item.get("classification").and_then(Node::as_str);
            let level = level.map(|word| if word == "PII" { "RESTRICTED" } else { word });
            let level =
                level.and_then(|word| CLASSIFICATIONS.iter().find(|(known, _)| *known == word));
            let listed = item.get("intents").and_then(Node::as_array).into_iter().flatten();
            let mut intents: Vec<Arc<str>> =
                listed.filter_map(|node| node.as_str().map(Into::into)).collect();
            intents.extend(text(item, "intent_id"));
            let confidence = item.get("confidence").and_then(Node::as_f64).unwrap_or(0.0);
            MemoryRecord {
                id: text(item, "id").unwrap_or_else(|| "".into()),
                intents,
                tier: tier.map(|(_, tier)| *tier),
                text: text(item, "text").unwrap_or_else(|| "".into()),
                promoted_at: time(item, "promoted_at").unwrap_or_default(),
                classification: level.map(|(_, level)| *level),
                tenant_id: text(item, "tenant_id"),
                subject: text(item, "subject"),
                is_promoted: item.get("status").and_then(Node::as_str) == Some("promoted"),
                confidence: milli(confidence),
                expires_at: time(item, "expires_at"),
                session_id: text(item, "session_id"),
                version: item.get("version").and_then(Node::as_u64).unwrap_or(1),
            }
        })
        .collect()
}

/// A share of one as thousandths.
fn milli(share: f64) -> u32 {
    // From 0 to 1000, so its text is a whole number that fits.
    format!("{:.0}", (share * 1000.0).clamp(0.0, 1000.0)).parse().unwrap_or(0)
}
