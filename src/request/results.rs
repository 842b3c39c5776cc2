//! The body of `POST /tools/results`.

use std::sync::Arc;

use super::compile::session_id;
use super::compress::ReferenceStyle;
use crate::domain::{AllowedNotations, Notes, Part, RawJson, Source, program_id};
use crate::json::{Fault, Faults, Fields, Node, Path};
use crate::provider;

const KEYS: &[&str] = &[
    "results",
    "source",
    "model",
    "truncate",
    "compression",
    "notations",
    "read_tool",
    "session_id",
];
const RESULT_KEYS: &[&str] = &["id", "name", "arguments", "content", "is_error", "caller"];
const TRUNCATE_KEYS: &[&str] = &["threshold", "head_chars", "tail_chars", "store", "per_tool"];
const TOOL_KEYS: &[&str] = &["name", "threshold", "head_chars", "tail_chars"];

/// Values of `compression`, each with the `level` of `/compress` that it means.
pub const RESULT_LEVELS: &[(&str, Option<&str>)] =
    &[("off", None), ("lossless", Some("lossless")), ("reversible", Some("reversible"))];

/// Results of one request.
const MAX_RESULTS: usize = 256;
const MAX_TOOLS: usize = 1_000;
/// The largest whole number that every JSON reader keeps.
const MAX_CHARS: u64 = 1 << 53;

/// The results of tools.
#[derive(Debug)]
pub struct ResultsRequest {
    pub results: Vec<RawResult>,
    /// The shape of the messages that are wanted.
    pub source: Source,
    pub model: Option<Arc<str>>,
    pub truncate: Option<TruncateOptions>,
    /// The level of compression; none for off.
    pub level: Option<&'static str>,
    /// None if the request has no such member.
    pub notations: Option<AllowedNotations>,
    pub reference: Option<ReferenceStyle>,
    pub session_id: Option<Arc<str>>,
}

/// The result of one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct RawResult {
    /// The id of its call.
    pub id: Arc<str>,
    pub name: Arc<str>,
    /// Its texts, joined.
    pub text: String,
    /// What is no text in its content: media, and items that only a provider reads.
    pub parts: Vec<Part>,
    pub is_error: Option<bool>,
    /// The arguments of the tool's call, as JSON.
    pub arguments: Option<Arc<str>>,
    /// The caller of its call as the provider wrote it, if that is a program: the program reads the
    /// result, and no model.
    pub program: Option<RawJson>,
}

/// The lengths to which results are cut.
#[derive(Debug, Clone)]
pub struct TruncateOptions {
    pub usual: Lengths,
    /// Whether the whole of what is cut is kept.
    pub store: bool,
    /// Lengths that replace the general ones; `None` means never cut. The last one of a name
    /// counts.
    pub per_tool: Vec<(Arc<str>, Option<Lengths>)>,
}

/// In UTF-16 units, as of ContextChef.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    pub threshold: u64,
    pub head: u64,
    pub tail: u64,
}

impl TruncateOptions {
    /// The lengths for results of a tool; `None` if they are never cut.
    pub fn lengths(&self, tool: &str) -> Option<Lengths> {
        let own = self.per_tool.iter().rev().find(|(name, _)| **name == *tool);
        own.map_or(Some(self.usual), |(_, lengths)| *lengths)
    }
}

/// Reads it; all faults at once.
pub fn read_results(body: &Node<'_>) -> Result<ResultsRequest, Vec<Fault>> {
    let mut faults = Faults::default();
    let Some(fields) = Fields::read(body, Path::Root, KEYS, &mut faults) else {
        return Err(faults.into_vec());
    };
    if fields.get("results").is_none() {
        fields.fault("results", "is missing", &mut faults);
    }
    let list = fields.path().key("results");
    let mut results = Vec::new();
    for (at, node) in fields.list("results", MAX_RESULTS, &mut faults).iter().enumerate() {
        results.extend(result(node, list.index(at), &mut faults));
    }
    let level = fields.choice("compression", RESULT_LEVELS, &mut faults);
    let notations = fields.choice("notations", AllowedNotations::WORDS, &mut faults);
    let names = fields.flag("read_tool", &mut faults).unwrap_or(false);
    let request = ResultsRequest {
        results,
        source: fields.choice("source", Source::WORDS, &mut faults).unwrap_or(Source::Openai),
        model: fields.text_without_nul("model", &mut faults).map(Into::into),
        truncate: truncate(&fields, &mut faults),
        level: level.unwrap_or(Some("lossless")),
        notations: body.get("notations").map(|_| notations.unwrap_or_default()),
        reference: names.then_some(ReferenceStyle::Tool),
        session_id: session_id(&fields, &mut faults),
    };
    if faults.is_empty() { Ok(request) } else { Err(faults.into_vec()) }
}

fn result(node: &Node<'_>, path: Path<'_>, faults: &mut Faults) -> Option<RawResult> {
    let given = Fields::read(node, path, RESULT_KEYS, faults)?;
    let id = given.text("id", faults);
    match id {
        Some("") => given.fault("id", "must not be empty", faults),
        None if given.get("id").is_none() => given.fault("id", "is missing", faults),
        _ => {}
    }
    let content = given.node().get("content");
    let mut is_error = given.flag("is_error", faults);
    let blocks = content.and_then(|node| {
        let path = given.path().key("content");
        provider::read_content(node, &path, faults, &mut Notes::default())
    });
    let (text, parts) = if let Some(blocks) = blocks {
        let own = content.and_then(|node| node.get("isError")).and_then(Node::as_bool);
        is_error = is_error.or(own);
        let (texts, parts): (Vec<Part>, Vec<Part>) =
            blocks.into_iter().partition(|part| part.as_text().is_some());
        let texts: Vec<&str> = texts.iter().filter_map(Part::as_text).map(|text| &**text).collect();
        (Some(texts.join("\n")), parts)
    } else {
        // A content that is no text is shown to a model as its JSON.
        let json = |node: &Node<'_>| node.as_str().unwrap_or(node.raw).to_owned();
        (content.map(json), Vec::new())
    };
    if text.is_none() {
        given.fault("content", "is missing", faults);
    }
    let name = given.text("name", faults).unwrap_or_default();
    let arguments = given.get("arguments").filter(|node| !node.is_null());
    let arguments = arguments.map(|node| node.as_str().unwrap_or(node.raw).into());
    let caller = given.get("caller").filter(|node| !node.is_null());
    if caller.is_some_and(|node| node.get("type").and_then(Node::as_str).is_none()) {
        given.fault("caller", "must be the `caller` of the call, an object with a `type`", faults);
    }
    let program = caller.filter(|node| program_id(node).is_some());
    let program = program.map(|node| RawJson::new(node.raw));
    Some(RawResult {
        id: id?.into(),
        name: name.into(),
        text: text?,
        parts,
        is_error,
        arguments,
        program,
    })
}

fn truncate(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<TruncateOptions> {
    const DEFAULT_LENGTHS: Lengths = Lengths { threshold: 5_000, head: 0, tail: 1_000 };
    let node = fields.get("truncate")?;
    let given = Fields::read(node, fields.path().key("truncate"), TRUNCATE_KEYS, faults)?;
    let usual = lengths(&given, DEFAULT_LENGTHS, faults);
    let list = given.path().key("per_tool");
    let mut per_tool = Vec::new();
    for (at, node) in given.list("per_tool", MAX_TOOLS, faults).iter().enumerate() {
        if let Some(name) = node.as_str() {
            per_tool.push((name.into(), None));
        } else if let Some(own) = Fields::read(node, list.index(at), TOOL_KEYS, faults) {
            let lengths = lengths(&own, usual, faults);
            match own.text("name", faults) {
                Some(name) => per_tool.push((name.into(), Some(lengths))),
                None => own.fault("name", "is missing", faults),
            }
        }
    }
    Some(TruncateOptions { usual, store: given.flag("store", faults).unwrap_or(false), per_tool })
}

fn lengths(given: &Fields<'_, '_>, usual: Lengths, faults: &mut Faults) -> Lengths {
    let mut whole = |key| given.whole(key, 0, MAX_CHARS, faults);
    Lengths {
        threshold: whole("threshold").unwrap_or(usual.threshold),
        head: whole("head_chars").unwrap_or(usual.head),
        tail: whole("tail_chars").unwrap_or(usual.tail),
    }
}
