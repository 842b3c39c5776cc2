//! The run context: who acts, for whom, how far, and on what.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::value;
use crate::domain::{Classification, Timestamp, word_of};
use crate::json::{Fault, Faults, Node, places};
use crate::pack::{AccessMode, CLASSIFICATIONS, Refusal, RefusalCode};

/// A run context that was checked.
#[derive(Debug, Clone)]
pub struct RunContext {
    pub tenant_id: Arc<str>,
    /// Whom memory and evidence are about.
    pub subject: Option<Arc<str>>,
    pub session_id: Option<Arc<str>>,
    pub intent: Option<Arc<str>>,
    pub intent_class: Option<Arc<str>>,
    pub safety_mode: AccessMode,
    pub pack_version: Option<Arc<str>>,
    pub snapshot: Option<Arc<str>>,
    pub bucket_tokens: Option<u64>,
    /// Further limits of the run; passed on.
    pub limits: Value,
    /// Keys, each allowed or denied.
    pub permissions: Option<Vec<(Arc<str>, bool)>>,
    /// Keys; `*` for all adapters or all capabilities.
    pub prohibitions: Vec<Arc<str>>,
    pub ceiling: Option<Classification>,
    pub as_of: Timestamp,
    /// Whether the caller gave the time: then it counts as a fact.
    pub is_timed: bool,
    /// The facts that rules see, without the keys that only correlate.
    pub facts: Value,
    pub correlation: Value,
}

impl RunContext {
    /// A run that is bound to nothing.
    pub(super) fn ungoverned(tenant_id: Arc<str>) -> Self {
        Self {
            tenant_id,
            subject: None,
            session_id: None,
            intent: None,
            intent_class: None,
            safety_mode: AccessMode::Destructive,
            pack_version: None,
            snapshot: None,
            bucket_tokens: None,
            limits: Value::Null,
            permissions: None,
            prohibitions: Vec::new(),
            ceiling: None,
            as_of: Timestamp::default(),
            is_timed: false,
            facts: Value::Null,
            correlation: Value::Null,
        }
    }
}

/// Keys that only distinguish one call from another: never hashed, never visible to rules.
const CORRELATION_KEYS: &[&str] = &[
    "run_id",
    "trace_id",
    "span_id",
    "trace_flags",
    "tracestate",
    "baggage",
    "session_id",
    "request_id",
    "compile_id",
    "token_ref",
    "claim_hash",
    "nbf",
    "exp",
];

/// Removes the keys that only correlate from an object, at any depth; those of its first level are
/// returned.
pub(super) fn without_correlation(value: Value) -> (Value, Value) {
    let mut kept = Map::new();
    if let Value::Object(members) = &value {
        for (key, member) in members {
            if CORRELATION_KEYS.contains(&key.as_str()) {
                kept.insert(key.clone(), member.clone());
            }
        }
    }
    let mut value = value;
    strip(&mut value);
    (value, Value::Object(kept))
}

/// A caller's own facts may use these names.
fn strip(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|key, _| !CORRELATION_KEYS.contains(&key.as_str()));
            for (key, member) in members.iter_mut() {
                if !matches!(key.as_str(), "context" | "context_query" | "message") {
                    strip(member);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Collects what is wrong with a context.
struct ContextReader<'r, 'a> {
    node: &'r Node<'a>,
    at: &'r str,
    faults: Faults,
}

impl ContextReader<'_, '_> {
    fn fault(&mut self, key: &str, detail: impl Into<String>) {
        let pointer = format!("{}/{key}", self.at);
        self.faults.add_found(Fault { pointer, detail: detail.into(), did_you_mean: None });
    }

    fn text(&mut self, key: &str) -> Option<Arc<str>> {
        let node = self.node.get(key).filter(|node| !node.is_null())?;
        match node.as_str() {
            Some("") => self.fault(key, "must not be empty"),
            Some(text) => return Some(text.into()),
            None => self.fault(key, format!("must be a string, not {}", node.kind())),
        }
        None
    }

    fn required(&mut self, key: &str) -> Arc<str> {
        if self.node.get(key).is_none_or(Node::is_null) {
            self.fault(key, "is missing");
        }
        self.text(key).unwrap_or_else(|| "".into())
    }
}

/// Reads a run context, with every reason for which it is refused.
pub(super) fn read(node: &Node<'_>, at: &str, now: Timestamp) -> Result<RunContext, Vec<Refusal>> {
    let mut reading = ContextReader { node, at, faults: Faults::default() };
    if node.as_object().is_none() {
        let detail = format!("must be an object, not {}", node.kind());
        return Err(vec![Refusal::new(RefusalCode::CtxInvalid, None, detail).at(at)]);
    }
    let tenant_id = reading.required("tenant_id");
    let user = user(&mut reading);
    let ceiling = reading.text("data_ceiling").and_then(|word| {
        let found = CLASSIFICATIONS.iter().find(|(known, _)| *known == &*word);
        if found.is_none() {
            reading.fault("data_ceiling", "must be PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED");
        }
        found.map(|(_, ceiling)| *ceiling)
    });
    let given = reading.text("as_of");
    let as_of = given.as_ref().and_then(|text| Timestamp::parse(text));
    if given.is_some() && as_of.is_none() {
        reading.fault("as_of", "must be a time such as 2026-12-31T23:59:59Z");
    }
    let mut context = RunContext {
        tenant_id,
        subject: reading.text("on_behalf_of").or_else(|| user.clone()),
        session_id: reading.text("session_id"),
        intent: reading.text("intent"),
        intent_class: reading.text("intent_class"),
        safety_mode: AccessMode::ReadOnly,
        pack_version: reading.text("pack_version"),
        snapshot: reading.text("kg_snapshot_id"),
        bucket_tokens: None,
        limits: node.get("run_budget").map_or_else(|| json!({}), value),
        permissions: permissions(&mut reading),
        prohibitions: prohibitions(&mut reading),
        ceiling,
        as_of: as_of.unwrap_or(now),
        is_timed: as_of.is_some(),
        facts: Value::Null,
        correlation: Value::Null,
    };
    (context.facts, context.correlation) = without_correlation(value(node));
    if let Some(user) = &user {
        name_user(&mut context.facts, user);
    }
    let (mut refusals, faults) = (Vec::new(), reading.faults.into_vec());
    if !faults.is_empty() {
        let detail = format!("the run context is not valid in {}", places(&faults));
        refusals.push(Refusal::new(RefusalCode::CtxInvalid, None, detail).at_all(faults));
    }
    match safety_mode(node, at) {
        Ok(mode) => context.safety_mode = mode,
        Err(refusal) => refusals.push(refusal),
    }
    match bucket_tokens(node, at) {
        Ok(tokens) => context.bucket_tokens = tokens,
        Err(refusal) => refusals.push(refusal),
    }
    if refusals.is_empty() { Ok(context) } else { Err(refusals) }
}

/// Reads the acting user; `user_id` is another name for `user.user_id`.
fn user(reading: &mut ContextReader<'_, '_>) -> Option<Arc<str>> {
    let alias = reading.text("user_id");
    let user = reading.node.get("user").filter(|node| !node.is_null());
    if let Some(other) = user.filter(|node| node.as_object().is_none()) {
        reading.fault("user", format!("must be an object, not {}", other.kind()));
        return None;
    }
    let own = user.and_then(|user| user.get("user_id")).filter(|node| !node.is_null());
    let Some(own) = own else {
        if alias.is_none() {
            reading.fault("user/user_id", "is missing");
        }
        return alias;
    };
    match own.as_str() {
        Some("") => reading.fault("user/user_id", "must not be empty"),
        Some(text) => return Some(text.into()),
        None => reading.fault("user/user_id", format!("must be a string, not {}", own.kind())),
    }
    None
}

/// Puts the acting user where rules look for it, whichever key named it.
fn name_user(facts: &mut Value, user: &Arc<str>) {
    let Some(members) = facts.as_object_mut() else { return };
    let own = members.entry("user").or_insert(Value::Null);
    if own.is_null() {
        *own = json!({});
    }
    let Some(own) = own.as_object_mut() else { return };
    let id = own.entry("user_id").or_insert(Value::Null);
    if id.is_null() {
        *id = Value::from(&**user);
    }
}

fn safety_mode(node: &Node<'_>, at: &str) -> Result<AccessMode, Refusal> {
    let word = node.get("safety_mode").and_then(Node::as_str);
    let found = word.and_then(|word| AccessMode::WORDS.iter().find(|(known, _)| *known == word));
    found.map(|(_, mode)| *mode).ok_or_else(|| {
        let words: Vec<&str> =
            AccessMode::WORDS.iter().map(|(_, mode)| word_of(AccessMode::WORDS, *mode)).collect();
        let detail = format!("`safety_mode` must be one of {}", words.join(", "));
        let refusal = Refusal::new(RefusalCode::CtxSafetyModeInvalid, Some("tools"), detail);
        refusal.at(&format!("{at}/safety_mode"))
    })
}

fn bucket_tokens(node: &Node<'_>, at: &str) -> Result<Option<u64>, Refusal> {
    /// More than any window.
    const MAX_TOKENS: u64 = 1 << 40;
    let Some(given) = node.get("run_budget").and_then(|budget| budget.get("bucket_tokens")) else {
        return Ok(None);
    };
    match given.as_u64().filter(|tokens| *tokens <= MAX_TOKENS) {
        _ if given.is_null() => Ok(None),
        Some(tokens) => Ok(Some(tokens)),
        None => {
            let detail = "`bucket_tokens` must be a whole number from 0";
            let refusal = Refusal::new(RefusalCode::BudgetTotalInvalid, Some("budget"), detail);
            Err(refusal.at(&format!("{at}/run_budget/bucket_tokens")))
        }
    }
}

/// A key of an adapter's capability.
fn key(node: &Node<'_>) -> Option<Arc<str>> {
    let adapter = node.get("adapter_id").and_then(Node::as_str)?;
    let capability = node.get("capability").and_then(Node::as_str)?;
    Some(format!("{adapter}.{capability}").into())
}

fn list<'r, 'a>(reading: &mut ContextReader<'r, 'a>, name: &str) -> Option<&'r [Node<'a>]> {
    let node = reading.node.get(name).filter(|node| !node.is_null())?;
    let items = node.as_array();
    if items.is_none() {
        reading.fault(name, format!("must be an array, not {}", node.kind()));
    }
    items
}

fn permissions(reading: &mut ContextReader<'_, '_>) -> Option<Vec<(Arc<str>, bool)>> {
    let items = list(reading, "permissions")?;
    let mut found = Vec::new();
    for (at, item) in items.iter().enumerate() {
        match (key(item), item.get("allow").and_then(Node::as_bool)) {
            (Some(key), Some(allow)) => found.push((key, allow)),
            _ => reading.fault(
                &format!("permissions/{at}"),
                "must have `adapter_id`, `capability` and `allow`",
            ),
        }
    }
    Some(found)
}

fn prohibitions(reading: &mut ContextReader<'_, '_>) -> Vec<Arc<str>> {
    let mut found = Vec::new();
    for (at, item) in list(reading, "prohibitions").unwrap_or_default().iter().enumerate() {
        match key(item) {
            Some(key) => found.push(key),
            None => reading
                .fault(&format!("prohibitions/{at}"), "must have `adapter_id` and `capability`"),
        }
    }
    found
}
