//! The input of a compile under a pack, in addition to its conversation.

mod candidates;
mod context;
mod pack_member;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::domain::Timestamp;
use crate::json::{self, Fault, Faults, Fields, Node, Path};
use crate::pack::{BUCKETS, PackRef, Refusal, RefusalCode};
use crate::provider;

pub use candidates::{EvidenceRef, MemoryRecord, read_evidence};
pub use context::RunContext;
use pack_member::PackMember;
pub use pack_member::{PackInBody, find_pack_document};

/// The keys of `/compile` that are read here.
const KEYS: &[&str] = &["pack", "run_context", "request", "evidence"];

/// The most evidence refs, and the most memory records, of a request.
const MAX_ITEMS: usize = 1_000;

/// The source of the pack.
#[derive(Debug, Clone)]
pub enum PackSource {
    Published(PackRef),
    /// A document, as JSON text.
    Inline(Arc<str>),
}

/// A compile under a pack, as it was asked for.
#[derive(Debug, Clone)]
pub struct GovernedRequest {
    pub pack: PackSource,
    pub run: RunContext,
    pub invoke: InvokeOptions,
    pub evidence: Vec<EvidenceRef>,
    /// Records that replace those of the store.
    pub memory: Option<Vec<MemoryRecord>>,
    pub blocks: Vec<CallerBlock>,
    /// Whether the body has a conversation in addition to the request.
    has_list: bool,
    /// The places of the run context and the request in the body, as JSON Pointers.
    places: [String; 2],
}

/// The same two if they are next to the pack; stages use these in their messages.
const BESIDE: [&str; 2] = ["/run_context", "/request"];

impl GovernedRequest {
    /// A refusal with the pointers that the body has.
    pub fn placed(&self, refusal: Refusal) -> Refusal {
        refusal.placed(|pointer| {
            let mut known = BESIDE.iter().zip(&self.places);
            let found =
                known.find_map(|(beside, place)| Some((place, pointer.strip_prefix(beside)?)));
            found.map(|(place, rest)| format!("{place}{rest}"))
        })
    }

    /// The faults of members that are absent and that every pack asks for, for a request that has
    /// other faults: by themselves they are refused by the stages that read them.
    pub fn absent_members(&self) -> Vec<Fault> {
        let [_, request_at] = &self.places;
        absent_members(&self.invoke, self.has_list, request_at)
    }

    /// The governed request for the built-in pack, if a request names none.
    pub fn ungoverned(pack: &PackRef, tenant: &Arc<str>) -> Self {
        Self {
            pack: PackSource::Published(pack.clone()),
            run: RunContext::ungoverned(Arc::clone(tenant)),
            invoke: InvokeOptions {
                intent: Some("default".into()),
                message: None,
                channel: None,
                locale: None,
                context_query: Value::Null,
                facts: json!({}),
                recent_turns: Vec::new(),
                correlation: Value::Null,
            },
            evidence: Vec::new(),
            memory: None,
            blocks: Vec::new(),
            has_list: true,
            places: BESIDE.map(str::to_owned),
        }
    }
}

/// The request to the agent, under a pack.
#[derive(Debug, Clone)]
pub struct InvokeOptions {
    pub intent: Option<Arc<str>>,
    /// The task; the last user message of the conversation if it is absent.
    pub message: Option<Arc<str>>,
    pub channel: Option<Arc<str>>,
    pub locale: Option<Arc<str>>,
    pub context_query: Value,
    /// The facts that rules see, without the keys that only correlate.
    pub facts: Value,
    /// Earlier turns that are not in the conversation: the role and the text.
    pub recent_turns: Vec<(Arc<str>, Arc<str>)>,
    pub correlation: Value,
}

/// A block of the caller's own.
#[derive(Debug, Clone)]
pub struct CallerBlock {
    pub bucket: Arc<str>,
    pub kind: Arc<str>,
    pub text: Arc<str>,
    pub priority: i64,
    /// `request`, or `hook:` and the id of the hook that gave it.
    pub source: Arc<str>,
}

/// Whether only the pack and the task may fill a bucket.
pub fn is_owned(bucket: &str) -> bool {
    OWNED_BUCKETS.contains(&bucket)
}

/// Why a request under a pack cannot be read.
#[derive(Debug)]
pub enum GovernedError {
    Invalid(Vec<Fault>),
    Refused(Refusal),
}

impl GovernedError {
    /// Puts everything that is wrong into one error. If nothing but refusals are, it has the code of
    /// the first one.
    fn merge(mut faults: Faults, refusals: Vec<Refusal>, absent: Vec<Fault>) -> Self {
        let mut refusals = refusals.into_iter();
        let first = if faults.is_empty() { refusals.next() } else { None };
        if let Some(first) = first {
            let others = refusals.flat_map(|refusal| refusal.said.faults).chain(absent);
            return Self::Refused(first.and_at(others));
        }
        refusals.for_each(|refusal| refusal.add_to(&mut faults));
        faults.extend(absent);
        Self::Invalid(faults.into_vec())
    }
}

/// Reads the keys of a body that belong to a pack, with all faults; `None` if it names none. `now` is
/// the time if the run context has none.
pub fn read_governed(
    body: &Node<'_>,
    now: Timestamp,
) -> Result<Option<GovernedRequest>, GovernedError> {
    let given = |key: &str| body.get(key).filter(|node| !node.is_null());
    let mut faults = Faults::default();
    let root = Path::Root;
    let Some(pack) = given("pack") else {
        for key in ["run_context", "request", "evidence"] {
            if given(key).is_some() {
                faults.add(&root.key(key), "needs a `pack`");
            }
        }
        let faults = faults.into_vec();
        return if faults.is_empty() { Ok(None) } else { Err(GovernedError::Invalid(faults)) };
    };
    check_numbers(body, &mut faults);
    let place = PackMember { pack, body, at: root.key("pack") };
    let source = place.source(&mut faults);
    let mut refusals = Vec::new();
    let context = place.find("run_context");
    let run_at = context.as_ref().map_or_else(String::new, |(_, at)| at.clone());
    let run = if let Some((node, at)) = context {
        context::read(node, &at, now).map_err(|refused| refusals.extend(refused)).ok()
    } else {
        let detail = "a compile under a pack needs a `run_context`";
        let refusal = Refusal::new(RefusalCode::CtxInvalid, None, detail);
        refusals.push(refusal.at(&place.pointer_to("run_context")));
        None
    };
    let (request, at) = match place.find("request") {
        Some((node, at)) => (Some(node), at),
        None => (None, place.pointer_to("request")),
    };
    let invoke = invoke(request, &at, &mut faults);
    let invoke = invoke.map_err(|refused| refusals.push(refused)).ok().flatten();
    let evidence = match place.find("evidence") {
        Some((node, at)) => candidates::evidence(node, &at, MAX_ITEMS, &mut faults),
        None => Vec::new(),
    };
    let memory = place.own("memory").map(|node| candidates::memory(node, MAX_ITEMS, &mut faults));
    let blocks = place.own("blocks").map(|node| blocks(node, &mut faults)).unwrap_or_default();
    let places = [run_at, at];
    let has_list = has_conversation(body);
    let read = match (source, run, invoke) {
        (Some(pack), Some(run), Some(invoke)) if faults.is_empty() => {
            let request =
                GovernedRequest { pack, run, invoke, evidence, memory, blocks, has_list, places };
            return Ok(Some(request));
        }
        (.., read) => read,
    };
    let [_, request_at] = &places;
    let absent = read.map(|invoke| absent_members(&invoke, has_list, request_at));
    Err(GovernedError::merge(faults, refusals, absent.unwrap_or_default()))
}

/// Whether a body has a conversation, in any provider's shape.
pub(super) fn has_conversation(body: &Node<'_>) -> bool {
    let has = |key: &&str| body.get(key).is_some_and(|node| !node.is_null());
    provider::CONVERSATION_KEYS.iter().any(has)
}

/// The faults of a request without an intent, and without any text for the task.
fn absent_members(invoke: &InvokeOptions, has_list: bool, request_at: &str) -> Vec<Fault> {
    let has_user = invoke.recent_turns.iter().any(|(role, _)| &**role == "user");
    let has_task = has_list || has_user || invoke.message.is_some();
    let found = [("intent", invoke.intent.is_some()), ("message", has_task)];
    let absent = found.iter().filter(|(_, is_there)| !is_there);
    let fault = |(key, _): &(&str, bool)| Fault {
        pointer: format!("{request_at}/input/{key}"),
        detail: "is missing".to_owned(),
        did_you_mean: None,
    };
    absent.map(fault).collect()
}

/// Reports numbers that other readers would round: two requests would have one hash.
fn check_numbers(body: &Node<'_>, faults: &mut Faults) {
    for key in KEYS {
        let Some(node) = body.get(key).filter(|node| !json::is_i_json(node)) else { continue };
        if let Err(error) = json::jcs(node) {
            faults.add_found(Fault {
                pointer: format!("/{key}{}", error.pointer),
                detail: format!(
                    "the number {} is beyond what every JSON reader holds",
                    error.number
                ),
                did_you_mean: None,
            });
        }
    }
}

/// Converts a value to the type of another library. It was parsed before, so this cannot fail.
fn value(node: &Node<'_>) -> Value {
    serde_json::from_str(node.raw).unwrap_or_default()
}

/// Reads the request to the agent; none if it is no object, which is a fault.
fn invoke(
    request: Option<&Node<'_>>,
    at: &str,
    faults: &mut Faults,
) -> Result<Option<InvokeOptions>, Refusal> {
    let empty = json!({});
    let facts = request.map_or(empty, value);
    if !facts.is_object() {
        let detail = "must be an object".to_owned();
        faults.add_found(Fault { pointer: at.to_owned(), detail, did_you_mean: None });
        return Ok(None);
    }
    let input = request.and_then(|node| node.get("input"));
    let mut text = |key: &str| -> Option<Arc<str>> {
        let node = input?.get(key).filter(|node| !node.is_null())?;
        let text = node.as_str();
        if text.is_none() {
            let detail = format!("must be a string, not {}", node.kind());
            let pointer = format!("{at}/input/{key}");
            faults.add_found(Fault { pointer, detail, did_you_mean: None });
        }
        text.map(Into::into)
    };
    let (intent, message) = (text("intent"), text("message"));
    let (channel, locale) = (text("channel"), text("locale"));
    let refs = request.and_then(|node| node.get("context_pack_refs")).and_then(Node::as_array);
    if refs.is_some_and(|refs| refs.len() > 1) {
        let detail = "one pack governs a compile; how several would be merged is not defined";
        let refusal = Refusal::new(RefusalCode::PackMultipleUnsupported, None, detail);
        return Err(refusal.at(&format!("{at}/context_pack_refs")));
    }
    let session = request.and_then(|node| node.get("session"));
    let turns = session.and_then(|session| session.get("recent_turns"));
    let turns = turns.filter(|node| !node.is_null());
    let recent_turns = turns.map(|node| recent_turns(node, at, faults)).unwrap_or_default();
    let query = input.and_then(|input| input.get("context_query")).map_or_else(|| json!({}), value);
    let (facts, correlation) = context::without_correlation(facts);
    Ok(Some(InvokeOptions {
        intent: intent.filter(|text| !text.is_empty()),
        message: message.filter(|text| !text.is_empty()),
        channel,
        locale,
        context_query: query,
        facts,
        recent_turns,
        correlation,
    }))
}

/// Earlier turns. Each is a text of the user or the assistant.
fn recent_turns(node: &Node<'_>, at: &str, faults: &mut Faults) -> Vec<(Arc<str>, Arc<str>)> {
    let mut fault = |pointer: String, detail: &str| {
        let (pointer, detail) = (format!("{at}/session/recent_turns{pointer}"), detail.to_owned());
        faults.add_found(Fault { pointer, detail, did_you_mean: None });
    };
    let Some(turns) = node.as_array() else {
        fault(String::new(), "must be an array");
        return Vec::new();
    };
    let mut found = Vec::with_capacity(turns.len());
    for (place, turn) in turns.iter().enumerate() {
        let role = turn.get("role").map_or(Some("user"), Node::as_str);
        let role = role.filter(|role| matches!(*role, "user" | "assistant"));
        let key = if turn.get("content").is_some() { "content" } else { "text" };
        match (role, turn.get(key).and_then(Node::as_str)) {
            (Some(role), Some(text)) => found.push((role.into(), text.into())),
            (None, _) => fault(format!("/{place}/role"), "must be `user` or `assistant`"),
            (_, None) => fault(format!("/{place}/{key}"), "must be a string"),
        }
    }
    found
}

/// Whether a bucket may have this name: it is written into the wrapper of the bucket's blocks.
pub fn is_bucket_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(is_plain)
}

/// The buckets that only the pack and the task fill.
const OWNED_BUCKETS: &[&str] = &["system", "policy", "tools", "task"];

fn blocks(node: &Node<'_>, faults: &mut Faults) -> Vec<CallerBlock> {
    const KNOWN: &[&str] = &["bucket", "kind", "text", "priority"];
    let root = Path::Root;
    let (pack, mut found) = (root.key("pack"), Vec::new());
    let list = pack.key("blocks");
    let nodes = node.as_array().filter(|nodes| nodes.len() <= MAX_ITEMS);
    if nodes.is_none() {
        faults.add(&list, format!("must be an array of at most {MAX_ITEMS} items"));
    }
    for (at, node) in nodes.unwrap_or_default().iter().enumerate() {
        let Some(block) = Fields::read(node, list.index(at), KNOWN, faults) else { continue };
        let bucket = block.text("bucket", faults).unwrap_or("session");
        if OWNED_BUCKETS.contains(&bucket) || !is_bucket_name(bucket) {
            let others = BUCKETS.iter().filter(|name| !OWNED_BUCKETS.contains(name));
            let others: Vec<&str> = others.copied().collect();
            let detail = format!(
                "must be one of {}, or a name of your own of letters, digits, `_`, `.` and `-`",
                others.join(", ")
            );
            block.fault("bucket", detail, faults);
        }
        let text = block.text("text", faults);
        if text.is_none() {
            block.fault("text", "is missing", faults);
        }
        found.push(CallerBlock {
            bucket: bucket.into(),
            kind: block.text("kind", faults).unwrap_or("caller").into(),
            text: text.unwrap_or_default().into(),
            priority: block.integer("priority", 0, 1_000_000, faults).unwrap_or(50),
            source: "request".into(),
        });
    }
    found
}
