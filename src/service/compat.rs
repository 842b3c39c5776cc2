//! The wire format of another product: what headroom's clients and `LiteLLM`'s guardrail send and
//! read.
//!
//! A gateway that gets an error for a compression fails the request of its own caller. So nothing
//! is refused here: what cannot be read is ignored, and if a compression fails, the response has
//! the messages as they came and the reason ([`passed_on`]).

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use bytes::Bytes;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json as value_of};

use super::compile::{CompiledResponse, Error};
use super::compress::{CompressJob, CompressOutcome, carry_out};
use super::{Services, artifacts, tokens};
use crate::domain::{AllowedNotations, ArtifactId};
use crate::json::{self, Faults, Limits, Node, Path};
use crate::limit::{Allowance, AllowanceExceeded};
use crate::pipeline::{Deadline, StopReason};
use crate::request::{ModelReader, ReferenceStyle};

/// The name of the tool with which a model asks for an original; the name of a server may come
/// before it.
const RETRIEVE: &str = "headroom_retrieve";

/// The members of a request that are read; others are ignored.
#[derive(Debug, Default)]
struct GatewayMembers<'b> {
    messages: Option<&'b RawValue>,
    model: Option<&'b RawValue>,
    token_budget: Option<&'b RawValue>,
    config: Option<&'b RawValue>,
}

impl<'b> GatewayMembers<'b> {
    /// Reads the members until the text ends or is not valid.
    fn read(body: &'b str) -> Self {
        let mut members = Self::default();
        let mut reader = serde_json::Deserializer::from_str(body);
        // Only the messages matter, wherever the fault is.
        let _ = reader.deserialize_map(MemberFinder(&mut members));
        members
    }
}

struct MemberFinder<'a, 'b>(&'a mut GatewayMembers<'b>);

impl<'de: 'b, 'b> Visitor<'de> for MemberFinder<'_, 'b> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<String>()? {
            let value = members.next_value_seed(RawSeed)?;
            match key.as_str() {
                "messages" => self.0.messages = Some(value),
                "model" => self.0.model = Some(value),
                "token_budget" => self.0.token_budget = Some(value),
                "config" => self.0.config = Some(value),
                _ => {}
            }
        }
        Ok(())
    }
}

struct RawSeed;

impl<'de> serde::de::DeserializeSeed<'de> for RawSeed {
    type Value = &'de RawValue;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        <&RawValue>::deserialize(reader)
    }
}

/// Compresses the messages in `body`. Takes the thread until it is done or `deadline` stops it.
pub fn compress(
    services: &Services,
    body: &str,
    deadline: &Deadline,
) -> Result<CompiledResponse, Error> {
    let members = GatewayMembers::read(body);
    let Some(messages) = members.messages else {
        // The body is parsed again for a precise fault.
        json::parse(body, Limits::default())?;
        let mut faults = Faults::default();
        faults.add(&Path::Root.key("messages"), "is missing");
        return Err(Error::Invalid(faults.into_vec()));
    };
    let value = |raw: Option<&RawValue>| {
        let value = raw.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
        value.unwrap_or(Value::Null)
    };
    let config = value(members.config);
    let mode = config.get("mode").and_then(Value::as_str);
    // Other modes ask for messages that a provider accepts without a retrieval tool.
    let inline = mode.is_some_and(|mode| mode != "ccr");
    let reference = (!inline).then_some(ReferenceStyle::Hash);
    let (budget, words) = (value(members.token_budget), config.get("compress_user_messages"));
    let results_only =
        budget.as_u64().is_none_or(|budget| budget == 0) && words != Some(&Value::Bool(true));
    let reader = ModelReader { reference, results_only, ..ModelReader::default() };
    let options = options(messages.get(), &value(members.model), &budget, &config);
    let mut request = format!("{{\"messages\":{}", messages.get());
    for (key, value) in &options {
        let _ = write!(request, ",\"{key}\":{value}");
    }
    request.push('}');
    let job = CompressJob { body: &request, reader, asked: None };
    carry_out(services, job, deadline, &write)
}

/// Translates the options into ours.
fn options(messages: &str, model: &Value, budget: &Value, config: &Value) -> Map<String, Value> {
    let (mut options, mut protect) = (Map::new(), Map::new());
    let mut set = |key: &str, value: Value| options.insert(key.to_owned(), value);
    set("explain", "full".into());
    set("on_deadline", "pass".into());
    // A malformed call stops nothing: it stays as it is, and the rest is compressed.
    set("repair", "lenient".into());
    let notations = config.get("notations").and_then(Value::as_str);
    let notations = notations.unwrap_or(AllowedNotations::default().as_str());
    // Words of other versions of the clients are no fault.
    if AllowedNotations::WORDS.iter().any(|(word, _)| *word == notations) {
        set("notations", notations.into());
    }
    let whole = |key: &str| config.get(key).and_then(Value::as_u64);
    if let Some(model) = model.as_str().filter(|model| !model.is_empty()) {
        set("model", model.into());
    }
    let budget = budget.as_u64().filter(|budget| *budget > 0);
    set("level", if budget.is_some() { "summary" } else { "reversible" }.into());
    if let Some(budget) = budget {
        set("budget_tokens", budget.into());
    }
    let clear = config.get("clear").unwrap_or(&Value::Null);
    if *clear == Value::Bool(false) || clear["keep"] == "all" {
        set("clear", false.into());
    }
    if let Some(recent) = whole("protect_recent").filter(|recent| *recent <= 10_000) {
        set("keep_recent_turns", 0.into());
        protect.insert("recent_messages".to_owned(), recent.into());
    }
    if let Some(frozen) = whole("frozen_message_count").filter(|frozen| *frozen <= 10_000) {
        protect.insert("messages".to_owned(), (0..frozen).collect());
    }
    protect.insert("tools".to_owned(), retrieve_tools(messages).into());
    set("protect", protect.into());
    options
}

/// Characters of a server's name, with which clients begin the names of its tools.
const MAX_SERVER_NAME_CHARS: usize = 128;

/// The names of the retrieval tool in the messages, whose results stay as they are.
fn retrieve_tools(messages: &str) -> Vec<String> {
    let mut names = BTreeSet::from([RETRIEVE.to_owned()]);
    for (at, _) in messages.match_indices(RETRIEVE) {
        let before = messages.get(..at).unwrap_or_default();
        let is_name = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        // A longer text is not a name, and is not read to its end.
        let server = before.chars().rev().take(MAX_SERVER_NAME_CHARS).take_while(is_name).count();
        let name = messages.get(at - server..at + RETRIEVE.len()).unwrap_or_default();
        if server > 0 && server < MAX_SERVER_NAME_CHARS && names.len() < 64 {
            names.insert(name.to_owned());
        }
    }
    names.into_iter().collect()
}

/// Writes the response in this wire format.
fn write(done: &CompressOutcome<'_>) -> Bytes {
    let (report, list) = (done.report, done.list);
    let degraded = report.degraded.iter().find(|note| note.code == "deadline");
    if degraded.is_some() {
        return Bytes::from(write_passed(list, "deadline"));
    }
    let decisions = report.decisions.iter().flatten();
    let changed = decisions.filter(|decision| decision.tokens_before != decision.tokens_after);
    let transforms: BTreeSet<&str> = changed.map(|decision| &*decision.rule).collect();
    let shown = |id: &ArtifactId| list.contains(&format!("hash={id}"));
    let ids = done.shortened.originals.iter().map(|original| original.artifact);
    let hashes: BTreeSet<ArtifactId> = ids.filter(shown).collect();
    let figures = value_of!({
        "tokens_before": report.tokens_before,
        "tokens_after": report.tokens_after,
        "tokens_saved": report.tokens_before.saturating_sub(report.tokens_after),
        "compression_ratio": ratio(report.tokens_after, report.tokens_before),
        "transforms_applied": transforms,
        "ccr_hashes": hashes,
    });
    Bytes::from(with_figures(list, &figures))
}

fn ratio(after: u64, before: u64) -> f64 {
    match (u32::try_from(after), u32::try_from(before)) {
        (Ok(after), Ok(before)) if before > 0 => f64::from(after) / f64::from(before),
        _ => 1.0,
    }
}

/// Writes `{"messages": …}` with the members of `figures` after the list.
fn with_figures(messages: &str, figures: &Value) -> String {
    let figures = figures.to_string();
    let rest = figures.strip_prefix('{').unwrap_or("}");
    format!("{{\"messages\":{messages},{rest}")
}

/// Writes the messages of a request as they came, with the reason.
pub fn passed_on(body: &str, reason: &str) -> String {
    write_passed(GatewayMembers::read(body).messages.map_or("[]", RawValue::get), reason)
}

fn write_passed(messages: &str, reason: &str) -> String {
    let figures = value_of!({
        "tokens_before": 0,
        "tokens_after": 0,
        "tokens_saved": 0,
        "compression_ratio": 1.0,
        "transforms_applied": [],
        "ccr_hashes": [],
        "compression_skipped": true,
        "skip_reason": reason,
    });
    with_figures(messages, &figures)
}

/// An original that a model asks for.
#[derive(Debug, serde::Serialize, utoipa::ToSchema)]
pub struct RetrievedOriginal {
    /// The hash from a marker.
    #[schema(example = "9f2c41d07be8a3556c1d90aa")]
    pub hash: String,
    /// The original, or the lines of it that the query is about.
    pub original_content: String,
    /// Tokens of the whole original.
    pub original_tokens: u64,
    /// Items of a JSON array, lines of any other text.
    pub original_item_count: usize,
    /// The query of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

/// The original that a request asks for.
#[derive(Debug)]
pub struct AskedOriginal {
    pub hash: String,
    /// The lines that are wanted are about this; all lines if it is none.
    pub query: Option<String>,
}

/// Finds an original; none if no text of this hash is stored.
pub fn retrieve(
    services: &Services,
    asked: &AskedOriginal,
) -> Result<Option<RetrievedOriginal>, super::Error> {
    let AskedOriginal { hash, query } = asked;
    let Some(id) = ArtifactId::parse(&hash.to_ascii_lowercase()) else { return Ok(None) };
    let Some((artifact, text)) = artifacts::find::<super::Error>(services, id)? else {
        return Ok(None);
    };
    let items = serde_json::from_str::<Vec<&RawValue>>(&text).map(|items| items.len());
    let query = query.as_deref().map(str::trim).filter(|query| !query.is_empty());
    // Counting is not stopped, since there is no deadline.
    let original_tokens = tokens::of_text(services, &text).unwrap_or_default();
    let part = query.map(|query| matching_lines(&text, query, services.allowance())).transpose();
    let part = part.map_err(StopReason::from)?.flatten();
    Ok(Some(RetrievedOriginal {
        hash: artifact.id.to_string(),
        original_tokens,
        original_item_count: items.unwrap_or_else(|_| text.lines().count()),
        original_content: part.unwrap_or(text),
        query: query.map(str::to_owned),
    }))
}

/// Reads which original `body` asks for: `{"hash", "query"?}`.
pub fn read_asked(body: &str) -> Result<AskedOriginal, super::Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    // Other members are ignored, as everywhere in this wire format.
    let text = |key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    let Some(hash) = text("hash") else {
        faults.add(&Path::Root.key("hash"), "must be a string");
        return Err(super::Error::Invalid(faults.into_vec()));
    };
    Ok(AskedOriginal { hash, query: text("query") })
}

/// Finds the lines that contain the query, else those that contain all of its words, else any of
/// them. Returns none if there are no such lines; the model then gets the whole text.
fn matching_lines(
    text: &str,
    query: &str,
    allowance: &Allowance,
) -> Result<Option<String>, AllowanceExceeded> {
    let whole = artifacts::search(text, query, 1, allowance)?;
    if !whole.is_empty() {
        return Ok(Some(whole));
    }
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let all = |line: &str| words.iter().all(|word| line.contains(word));
    let any = |line: &str| words.iter().any(|word| line.contains(word));
    let mut found = artifacts::find_lines(text, 1, allowance, &all)?;
    if found.is_empty() {
        found = artifacts::find_lines(text, 1, allowance, &any)?;
    }
    Ok((!found.is_empty()).then_some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_whatever_follows_them() {
        let list = r#"[{"role": "user",  "content": "a"}]"#;
        for body in [
            format!(r#"{{"messages": {list}}}"#),
            format!(r#"{{"a": 1, "a": 2, "messages": {list}, "config": "#),
            format!(r#"{{"messages": {list}}} and more"#),
            format!(r#"{{"x": {}1{}, "messages": {list}}}"#, "[".repeat(400), "]".repeat(400)),
        ] {
            assert_eq!(
                GatewayMembers::read(&body).messages.map(RawValue::get),
                Some(list),
                "{body}"
            );
        }
        assert!(GatewayMembers::read("nope").messages.is_none());
        assert!(GatewayMembers::read("[1]").messages.is_none());
    }

    #[test]
    fn the_tool_is_found_after_the_name_of_a_server() {
        let messages = r#"[{"name": "mcp__context__headroom_retrieve"}, "headroom_retrieve"]"#;
        let names = retrieve_tools(messages);
        assert_eq!(names, ["headroom_retrieve", "mcp__context__headroom_retrieve"]);
    }

    #[test]
    fn a_query_finds_its_words_or_nothing() {
        let text = "one error here\nfine\nan Error of the disk\nthe disk";
        let matching_lines =
            |text, query| matching_lines(text, query, &Allowance::default()).unwrap();
        assert_eq!(matching_lines(text, "error of").as_deref(), Some("3:an Error of the disk\n"));
        assert_eq!(matching_lines(text, "disk error").as_deref(), Some("3:an Error of the disk\n"));
        assert_eq!(
            matching_lines(text, "disk nothing").as_deref(),
            Some("3:an Error of the disk\n4:the disk\n")
        );
        assert_eq!(matching_lines(text, "absent"), None);
    }
}
