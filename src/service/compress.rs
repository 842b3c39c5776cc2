//! Compresses a text, or messages in their own shape.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde::Serialize;

use super::compile::{CompiledResponse, Error, hook_line};
use super::recognized_messages::{
    MessageRecipe, RecognizedMessages, ReturnedRecipes, ShownList, is_unmarked, keep_text,
    message_of,
};
use super::result_hooks::ResultHooks;
use super::usage::CountedRequest;
use super::{Services, adapters, usage};
use crate::compress::chain;
use crate::domain::{Notes, ReplacedResult};
use crate::hook::Point;
use crate::json::{self, Limits, Node};
use crate::pipeline::{
    self, ChangedList, Deadline, HookPort, PipelineRun, Report, ShortenOutput, ShortenResult,
    StopReason, Timings, timed,
};
use crate::provider;
use crate::request::{self, CompressInput, CompressRequest, Level, ModelReader};
pub use crate::request::{COMPRESS_LEVELS, Originals};
use crate::store::{Batch, CommittedBatch};

/// The original of something that is not shown in full.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = OriginalText)]
pub struct KeptOriginal {
    /// The first 24 hex digits of the text's SHA-256.
    #[schema(example = "9f2c41d07be8a3556c1d90aa")]
    pub id: String,
    /// The message it belongs to: its own id, or its index in the list.
    pub message_id: String,
    /// Bytes of the text in UTF-8.
    pub bytes: usize,
    /// Tokens of the text.
    pub tokens: u64,
    /// Until when it is kept; absent where it is not kept here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// Every key that a request may have.
pub fn keys() -> impl Iterator<Item = &'static str> {
    request::COMPRESS_KEYS.iter().chain(provider::CONVERSATION_KEYS).copied()
}

/// Result of a compression, from which responses are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct CompressOutcome<'d> {
    id: &'d str,
    request: &'d CompressRequest<'d, 'd>,
    pub(super) shortened: &'d ShortenOutput,
    pub(super) report: &'d Report,
    /// The shown messages, as a JSON list.
    pub(super) list: &'d str,
    kept: &'d StoredOriginals,
}

/// What is known of the originals of a response after it is stored.
#[derive(Debug, Default)]
struct StoredOriginals {
    /// None if the caller keeps the originals.
    committed: Option<CommittedBatch>,
    /// How the originals that the caller keeps are put back.
    recipes: ReturnedRecipes,
}

/// Compresses the text or the messages in `body`. Blocks the thread until it is done or `deadline`
/// stops it.
pub fn compress(
    services: &Services,
    body: &str,
    deadline: &Deadline,
) -> Result<CompiledResponse, Error> {
    let input = CompressJob { body, reader: ModelReader::default(), asked: None };
    carry_out(services, input, deadline, &write)
}

/// A body to compress, and the reader of the result.
pub(super) struct CompressJob<'b> {
    pub(super) body: &'b str,
    pub(super) reader: ModelReader,
    /// The hooks at `tool_result`, if they were called before.
    pub(super) asked: Option<AskedResults>,
}

/// What the hooks at `tool_result` did to a list.
#[derive(Debug, Default)]
pub(super) struct AskedResults {
    pub(super) effects: ResultHooks,
    pub(super) replaced: Vec<ReplacedResult>,
}

/// Compresses a body; `write` writes the response.
pub(super) fn carry_out(
    services: &Services,
    job: CompressJob<'_>,
    deadline: &Deadline,
    write: &dyn Fn(&CompressOutcome<'_>) -> Bytes,
) -> Result<CompiledResponse, Error> {
    let CompressJob { body, reader, asked } = job;
    let start = Instant::now();
    let mut timings = Timings::default();
    let node = timed(&mut timings.parse, || json::parse(body, Limits::default()))?;
    let adapters = timed(&mut timings.store, || adapters::look_up(services, Some(&node)))?;
    let mut request = timed(&mut timings.parse, || {
        request::read_compress(&node, services.models(), &adapters).map_err(Error::Invalid)
    })?;
    request.reader = reader.clone();
    let limit = request.deadline_ms.map(Duration::from_millis);
    let deadline = deadline.asked_within(start, limit);
    let asked = match (asked, &request.given) {
        (Some(asked), _) => asked,
        (None, CompressInput::Text(_)) => AskedResults::default(),
        (None, CompressInput::List(list)) => {
            let ask = |asks: &mut dyn HookPort| pipeline::ask_results(asks, list);
            let (left, effects) =
                ResultHooks::ask(services, None, &deadline, Point::ToolResult, ask)?;
            if let Some(ChangedList { json, replaced }) = left.flatten()
                && let Some(body) = replace_list(&node, list.key, &json)
            {
                let asked = Some(AskedResults { effects, replaced });
                return carry_out(
                    services,
                    CompressJob { body: &body, reader, asked },
                    &deadline,
                    write,
                );
            }
            AskedResults { effects, replaced: Vec::new() }
        }
    };
    let AskedResults { mut effects, replaced } = asked;
    request.replaced_results = replaced;
    let format_effects = ask_formats(services, &mut request, &deadline)?;
    effects = effects.then(format_effects);
    timings.hooks += effects.took;
    let items = items(&request);
    let recognized =
        timed(&mut timings.store, || RecognizedMessages::find(&services.tenant(), items))?;
    let set = services.hook_set(None, &[])?;
    let mut runner = services.hook_runner(set, services.hook_scope(None, None), &deadline);
    let run = PipelineRun { deadline: &deadline, hooks: &mut runner, timings: &mut timings };
    let shortened = pipeline::shorten(services.pipeline(), &request, &recognized.authors(), run);
    let ShortenResult { output: shortened, mut report } = match shortened {
        Err(pipeline::Error::Stopped(StopReason::TimeUp)) if request.pass_on_deadline => {
            return Ok(pass_through(&request, timings, write));
        }
        shortened => shortened?,
    };
    let id = new_id();
    let list = list_text(&shortened);
    report.hooks(effects.hook_lines());
    report.hooks(runner.runs().iter().filter_map(hook_line));
    let report = report.finish();
    if let CompressInput::List(given) = &request.given {
        effects.answered(given.conversation.source, &list);
    }
    let kept = KeptCompress {
        id: &id,
        request: &request,
        recognized: &recognized,
        shortened: &shortened,
        list: &list,
    };
    let kept = timed(&mut timings.store, || keep(services, &kept, effects))?;
    usage::count(services, &CountedRequest::unsent(&request.model.name, &report));
    let done = CompressOutcome {
        id: &id,
        request: &request,
        shortened: &shortened,
        report: &report,
        list: &list,
        kept: &kept,
    };
    let body = timed(&mut timings.serialise, || write(&done));
    Ok(CompiledResponse { body: body.into(), payload: 0..0, report, timings })
}

/// Runs the hooks at `compress_format`, which shorten long texts of their format, if rung 2 is
/// allowed.
fn ask_formats(
    services: &Services,
    request: &mut CompressRequest<'_, '_>,
    deadline: &Deadline,
) -> Result<ResultHooks, Error> {
    if request.level < Level::Reversible {
        return Ok(ResultHooks::default());
    }
    let given = &request.given;
    let ask = |asks: &mut dyn HookPort| match given {
        CompressInput::Text(text) => pipeline::ask_texts(asks, std::iter::once((text, None))),
        CompressInput::List(list) => {
            let history = &list.conversation.history;
            pipeline::ask_formats(asks, history.iter(), history)
        }
    };
    let (made, effects) = ResultHooks::ask(services, None, deadline, Point::CompressFormat, ask)?;
    request.formats = made.unwrap_or_default();
    Ok(effects)
}

/// Replaces the list in a body.
fn replace_list(node: &Node<'_>, key: &str, list: &str) -> Option<String> {
    let old = node.get(key)?.raw;
    let start = (old.as_ptr() as usize).checked_sub(node.raw.as_ptr() as usize)?;
    let (head, tail) = (node.raw.get(..start)?, node.raw.get(start + old.len()..)?);
    Some([head, list, tail].concat())
}

fn items<'r, 'a>(request: &CompressRequest<'r, 'a>) -> &'r [Node<'a>] {
    match &request.given {
        CompressInput::Text(_) => &[],
        CompressInput::List(list) => list.items,
    }
}

/// A compression that is to be stored.
struct KeptCompress<'k> {
    id: &'k str,
    request: &'k CompressRequest<'k, 'k>,
    recognized: &'k RecognizedMessages,
    shortened: &'k ShortenOutput,
    /// The shown messages, as a JSON list.
    list: &'k str,
}

/// Stores what is needed to expand the response.
fn keep(
    services: &Services,
    kept: &KeptCompress<'_>,
    effects: ResultHooks,
) -> Result<StoredOriginals, Error> {
    let KeptCompress { id, request, recognized, shortened, list: list_text } = *kept;
    let mut batch = Batch::default();
    if request.originals == Originals::Store {
        for original in &shortened.originals {
            batch.artifact(Arc::clone(&original.text), "text/plain");
        }
    }
    let recipes = match &request.given {
        CompressInput::Text(text) => {
            let is_stored = request.originals == Originals::Store;
            // A text that is kept here is its own original if it is shown as it came, unless it bears
            // marks of an earlier response.
            let is_known = |shown: &str| *shown != **text || (is_stored && is_unmarked(text));
            let shown = shortened.text.as_deref().filter(|shown| is_known(shown));
            let shown = match shown.map(message_of) {
                Some(message) => {
                    let node = json::parse(&message, Limits::default())?;
                    chain(std::slice::from_ref(&node)).pop()
                }
                None => None,
            };
            if shown.is_some() || is_stored {
                keep_text(&mut batch, id, text, is_stored, shown)
            } else {
                ReturnedRecipes::default()
            }
        }
        CompressInput::List(list) => {
            let node = json::parse(list_text, Limits::default())?;
            let hashes = chain(node.as_array().unwrap_or_default());
            let recipe =
                (request.originals != Originals::Store).then(|| MessageRecipe::write(shortened));
            let shown = ShownList { shortened, hashes: &hashes };
            recognized.keep(&mut batch, id, list, shown, recipe.as_ref())
        }
    };
    if batch.is_empty() && effects.is_empty() {
        return Ok(StoredOriginals { committed: None, recipes });
    }
    let committed = effects.into_effects().commit(services, batch)?.batch;
    let committed = (request.originals == Originals::Store).then_some(committed);
    Ok(StoredOriginals { committed, recipes })
}

fn new_id() -> String {
    format!("cpr_{}", uuid::Uuid::now_v7().simple())
}

/// Writes the shown messages as a JSON list.
fn list_text(shortened: &ShortenOutput) -> String {
    let bytes: usize = shortened.list.iter().map(|shown| shown.json.len() + 1).sum();
    let mut text = String::with_capacity(bytes + 2);
    text.push('[');
    for (index, shown) in shortened.list.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&shown.json);
    }
    text.push(']');
    text
}

/// Bytes of a report, approximately.
const REPORT_BYTES: usize = 4 << 10;

fn write(done: &CompressOutcome<'_>) -> Bytes {
    let CompressOutcome { id, request, shortened, report, list: list_text, kept } = *done;
    let mut body = String::with_capacity(list_text.len() + REPORT_BYTES);
    let _ = write!(body, "{{\"id\":\"{id}\",");
    match (&request.given, &shortened.text) {
        (CompressInput::List(list), _) => {
            let _ = write!(body, "\"{}\":{list_text}", list.key);
        }
        (CompressInput::Text(_), text) => {
            body.push_str("\"text\":");
            json::write_string(&mut body, text.as_deref().unwrap_or_default());
        }
    }
    // Plain data with string keys: serialising it cannot fail.
    let report = serde_json::to_string(report).unwrap_or_default();
    let artifacts = artifacts(request, shortened, kept.committed.as_ref());
    let artifacts = serde_json::to_string(&artifacts).unwrap_or_default();
    let _ = write!(body, ",\"report\":{report},\"artifacts\":{artifacts}");
    if request.originals == Originals::Return {
        body.push_str(",\"originals\":{");
        let mut seen = std::collections::BTreeSet::new();
        for original in &shortened.originals {
            let id = original.artifact.to_string();
            if seen.contains(&id) {
                continue;
            }
            let comma = if seen.is_empty() { "" } else { "," };
            let _ = write!(body, "{comma}\"{id}\":");
            json::write_string(&mut body, &original.text);
            seen.insert(id);
        }
        for (at, (name, recipe)) in kept.recipes.members().enumerate() {
            let comma = if seen.is_empty() && at == 0 { "" } else { "," };
            let _ = write!(body, "{comma}\"{name}\":");
            json::write_string(&mut body, recipe);
        }
        body.push('}');
    }
    body.push('}');
    Bytes::from(body)
}

impl CompressOutcome<'_> {
    /// The originals of texts that are not shown in full, for the response.
    pub(super) fn artifacts(&self) -> Vec<KeptOriginal> {
        artifacts(self.request, self.shortened, self.kept.committed.as_ref())
    }
}

fn artifacts(
    request: &CompressRequest<'_, '_>,
    shortened: &ShortenOutput,
    committed: Option<&CommittedBatch>,
) -> Vec<KeptOriginal> {
    if request.originals == Originals::None {
        return Vec::new();
    }
    let expires_at = committed.map(|committed| committed.expires_at.to_string());
    let items = items(request);
    let artifact = |original: &pipeline::Original| KeptOriginal {
        id: original.artifact.to_string(),
        message_id: items
            .get(original.message)
            .and_then(|item| item.get("id")?.as_str())
            .map_or_else(|| original.message.to_string(), str::to_owned),
        bytes: original.text.len(),
        tokens: request.model.scale(original.tokens),
        expires_at: expires_at.clone(),
    };
    shortened.originals.iter().map(artifact).collect()
}

/// Returns the input as it came, since the time is up. Nothing is stored.
fn pass_through(
    request: &CompressRequest<'_, '_>,
    timings: Timings,
    write: &dyn Fn(&CompressOutcome<'_>) -> Bytes,
) -> CompiledResponse {
    let mut notes: Notes = request.notes.clone();
    notes.degraded("deadline", String::new(), "time was up: the input as it came");
    let ShortenResult { output: shortened, report } = pipeline::passed_on(request, notes);
    let report = report.finish();
    let list = list_text(&shortened);
    let done = CompressOutcome {
        id: &new_id(),
        request,
        shortened: &shortened,
        report: &report,
        list: &list,
        kept: &StoredOriginals::default(),
    };
    let body = write(&done);
    CompiledResponse { body: body.into(), payload: 0..0, report, timings }
}
