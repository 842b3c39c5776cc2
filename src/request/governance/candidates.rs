//! Evidence and memory records as the request contains them. An absent value or an unknown word is
//! judged by the stages, which report the item as rejected. A member that cannot be read is a fault
//! of the request: a guess in its place could show content that was not allowed.

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
    /// The content: canonical JSON, or a text.
    pub content: Option<EvidenceContent>,
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
pub struct EvidenceContent {
    pub text: Arc<str>,
    pub hash: ContentHash,
}

impl EvidenceRef {
    /// The classification; `None` for an unknown word.
    pub fn level(&self) -> Option<Classification> {
        if &*self.classification == "PII" {
            return Some(Classification::Restricted);
        }
        CLASSIFICATIONS.iter().find(|(word, _)| *word == &*self.classification).map(|(_, l)| *l)
    }

    /// The snapshot of the evidence: the part of its id after the last `#`.
    pub fn snapshot(&self) -> Option<&str> {
        self.id.rsplit_once('#').map(|(_, snapshot)| snapshot)
    }
}

/// Something that is remembered.
#[derive(Debug, Clone)]
pub struct MemoryRecord {
    pub id: Arc<str>,
    /// Any intent, if the list is empty.
    pub intents: Vec<Arc<str>>,
    pub tier: Option<MemoryTier>,
    pub text: Arc<str>,
    pub promoted_at: Timestamp,
    pub classification: Option<Classification>,
    pub tenant_id: Option<Arc<str>>,
    /// `None` for a record of the whole tenant.
    pub subject: Option<Arc<str>>,
    pub is_promoted: bool,
    /// Thousandths.
    pub confidence: u32,
    pub expires_at: Option<Timestamp>,
    pub session_id: Option<Arc<str>>,
    pub version: u64,
}

/// An item of a list. A member that is there and cannot be read is a fault; `null` counts as
/// absent.
struct ListItem<'i, 'a> {
    node: &'i Node<'a>,
    /// JSON Pointer to the list.
    list: &'i str,
    index: usize,
}

impl<'i, 'a> ListItem<'i, 'a> {
    fn new(node: &'i Node<'a>, list: &'i str, index: usize, faults: &mut Faults) -> Option<Self> {
        if node.as_object().is_none() {
            let pointer = format!("{list}/{index}");
            let detail = format!("must be an object, not {}", node.kind());
            faults.add_found(Fault { pointer, detail, did_you_mean: None });
            return None;
        }
        Some(Self { node, list, index })
    }

    fn get(&self, key: &str) -> Option<&'i Node<'a>> {
        self.node.get(key).filter(|node| !node.is_null())
    }

    fn fault(&self, key: &str, detail: impl Into<String>, faults: &mut Faults) {
        let pointer = format!("{}/{}/{key}", self.list, self.index);
        faults.add_found(Fault { pointer, detail: detail.into(), did_you_mean: None });
    }

    fn word(&self, key: &str, faults: &mut Faults) -> Option<&'i str> {
        let node = self.get(key)?;
        let word = node.as_str();
        if word.is_none() {
            self.fault(key, format!("must be a string, not {}", node.kind()), faults);
        }
        word
    }

    fn text(&self, key: &str, faults: &mut Faults) -> Option<Arc<str>> {
        self.word(key, faults).map(Into::into)
    }

    /// Reads a text; empty if it is absent.
    fn name(&self, key: &str, faults: &mut Faults) -> Arc<str> {
        self.word(key, faults).unwrap_or_default().into()
    }

    fn texts(&self, key: &str, faults: &mut Faults) -> Vec<Arc<str>> {
        let Some(node) = self.get(key) else { return Vec::new() };
        let Some(items) = node.as_array() else {
            self.fault(key, format!("must be an array, not {}", node.kind()), faults);
            return Vec::new();
        };
        let mut texts: Vec<Arc<str>> = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            if let Some(text) = item.as_str() {
                texts.push(text.into());
            } else {
                let detail = format!("must be a string, not {}", item.kind());
                self.fault(&format!("{key}/{at}"), detail, faults);
            }
        }
        texts
    }

    fn time(&self, key: &str, faults: &mut Faults) -> Option<Timestamp> {
        let node = self.get(key)?;
        let time = node.as_str().and_then(Timestamp::parse);
        if time.is_none() {
            let detail = "must be a time such as 2026-12-31T23:59:59Z; a date alone is none";
            self.fault(key, detail, faults);
        }
        time
    }

    fn whole<T: TryFrom<u64>>(&self, key: &str, faults: &mut Faults) -> Option<T> {
        let node = self.get(key)?;
        let number = node.as_u64().and_then(|number| T::try_from(number).ok());
        if number.is_none() {
            self.fault(key, "must be a whole number from 0", faults);
        }
        number
    }

    /// A share of one, as thousandths.
    fn share(&self, key: &str, faults: &mut Faults) -> Option<u32> {
        let node = self.get(key)?;
        let share = node.as_f64().filter(|share| (0.0..=1.0).contains(share));
        if share.is_none() {
            self.fault(key, "must be a number from 0 to 1", faults);
        }
        share.map(milli)
    }
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
    let items = items(node, at, most, faults);
    let mut read = Vec::with_capacity(items.len());
    for (index, node) in items.iter().enumerate() {
        let item = ListItem::new(node, at, index, faults);
        read.extend(item.map(|item| piece(&item, faults)));
    }
    read
}

fn piece(item: &ListItem<'_, '_>, faults: &mut Faults) -> EvidenceRef {
    let mut is = |key: &str, words: &[&str]| {
        item.word(key, faults).is_some_and(|word| words.contains(&word))
    };
    let is_trusted = is("integrity", &["authoritative", "verified"]);
    let is_current = is("freshness", &["current"]);
    EvidenceRef {
        id: item.name("id", faults),
        class: item.name("class", faults),
        classification: item.name("classification", faults),
        payload_hash: item.name("payload_hash", faults),
        content: content(item, faults),
        tenant_id: item.text("tenant_id", faults),
        is_trusted,
        is_current,
        expires_at: item.time("expires_at", faults),
        priority: item.whole("priority", faults),
        conflicts_with: item.texts("conflicts_with", faults),
    }
}

/// Reads the content of a piece of evidence; its payload, if it has a text too.
fn content(item: &ListItem<'_, '_>, faults: &mut Faults) -> Option<EvidenceContent> {
    let said = item.text("text", faults);
    let text = match item.get("payload").map(json::jcs) {
        Some(Ok(canonical)) => Arc::<str>::from(canonical),
        Some(Err(error)) => {
            let detail =
                format!("the number {} is beyond what every JSON reader holds", error.number);
            item.fault(&format!("payload{}", error.pointer), detail, faults);
            return None;
        }
        None => said?,
    };
    let hash = ContentHash::of(&text);
    Some(EvidenceContent { text, hash })
}

/// Reads a hook's answer `{"evidence": […]}` by the rules for a request's own evidence; returns
/// what is wrong with it if it is not valid.
pub fn read_evidence(answer: &str) -> Result<Vec<EvidenceRef>, String> {
    let node = json::parse(answer, Limits::default()).map_err(|error| error.to_string())?;
    let mut faults = Faults::default();
    let given = node.get("evidence").ok_or("/evidence: is missing")?;
    let found = evidence(given, "/evidence", super::MAX_ITEMS, &mut faults);
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
    const AT: &str = "/pack/memory";
    let items = items(node, AT, most, faults);
    let mut read = Vec::with_capacity(items.len());
    for (index, node) in items.iter().enumerate() {
        let item = ListItem::new(node, AT, index, faults);
        read.extend(item.map(|item| record(&item, faults)));
    }
    read
}

fn record(item: &ListItem<'_, '_>, faults: &mut Faults) -> MemoryRecord {
    let tier = item.word("tier", faults);
    let tier = tier.and_then(|word| MemoryTier::WORDS.iter().find(|(known, _)| *known == word));
    let level = item.word("classification", faults);
    let level = level.map(|word| if word == "PII" { "RESTRICTED" } else { word });
    let level = level.and_then(|word| CLASSIFICATIONS.iter().find(|(known, _)| *known == word));
    let mut intents = item.texts("intents", faults);
    intents.extend(item.text("intent_id", faults));
    MemoryRecord {
        id: item.name("id", faults),
        intents,
        tier: tier.map(|(_, tier)| *tier),
        text: item.name("text", faults),
        promoted_at: item.time("promoted_at", faults).unwrap_or_default(),
        classification: level.map(|(_, level)| *level),
        tenant_id: item.text("tenant_id", faults),
        subject: item.text("subject", faults),
        is_promoted: item.word("status", faults) == Some("promoted"),
        confidence: item.share("confidence", faults).unwrap_or(0),
        expires_at: item.time("expires_at", faults),
        session_id: item.text("session_id", faults),
        version: item.whole("version", faults).unwrap_or(1),
    }
}

/// A share of one as thousandths.
fn milli(share: f64) -> u32 {
    // From 0 to 1000, so its text is a whole number that fits.
    format!("{:.0}", share * 1000.0).parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_with_a_member_that_cannot_be_read_is_no_evidence() {
        let of = |more: &str| {
            let own = r#""id":"a","class":"b","classification":"c","payload_hash":"d""#;
            read_evidence(&format!("{{\"evidence\":[{{{own}{more}}}]}}"))
        };
        assert_eq!(of("").unwrap().len(), 1);
        assert_eq!(of(r#","expires_at":null,"priority":null"#).unwrap().len(), 1);
        for (more, place) in [
            (r#","expires_at":"2020-01-01""#, "expires_at"),
            (r#","conflicts_with":"a""#, "conflicts_with"),
            (r#","conflicts_with":[5]"#, "conflicts_with/0"),
            (r#","tenant_id":5"#, "tenant_id"),
            (r#","priority":1.5"#, "priority"),
            (r#","payload":{"n":9007199254740993}"#, "payload/n"),
        ] {
            let fault = of(more).unwrap_err();
            assert!(fault.starts_with(&format!("/evidence/0/{place}: ")), "{fault}");
        }
    }
}
