//! `POST /tools/results`: turns raw results into messages to append. Results are cut first, then
//! compressed; the whole of a cut result is stored if the request asks for it.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use bytes::Bytes;

use super::wire;
use crate::compress::OffloadLimits;
use crate::domain::{
    AllowedNotations, ArtifactId, Content, ContentHash, Message, Notes, Part, Role, ToolCall,
    ToolResult,
};
use crate::hook::Point;
use crate::json::{self, Limits, Node};
use crate::pipeline::{self, Deadline, HookPort};
use crate::request::{self, Lengths, ModelReader, RawResult, ResultsRequest};
use crate::service::artifacts::TEXT;
use crate::service::compile::{CompiledResponse, Error};
use crate::service::compress::{AskedResults, CompressJob, CompressOutcome, carry_out};
use crate::service::result_hooks::ResultHooks;
use crate::service::sessions::{self, SessionHandle};
use crate::service::{Services, StoreError, defaults};
use crate::store::Batch;

/// The outcome of one result.
#[derive(Debug, Clone, serde::Serialize, utoipa::ToSchema)]
#[schema(as = TakenResult)]
pub struct ResultOutcome {
    /// The call that it answers.
    pub id: String,
    /// The name of the tool.
    #[schema(example = "read_log")]
    pub name: String,
    /// `kept`; `changed` by a hook; `compressed`; `truncated`; or `offloaded` if the whole of it is an
    /// artifact. A result that is cut and then compressed is `truncated` or `offloaded`.
    #[schema(example = "offloaded")]
    pub action: &'static str,
    /// Length of the content in the request, as text.
    pub bytes_before: usize,
    /// Length of the content in the returned message, as text.
    pub bytes_after: usize,
    /// The whole of it, where that is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
}

/// Prepares the results in `body` for appending. Blocks the thread until it is done.
pub fn results(
    services: &Services,
    body: &str,
    deadline: &Deadline,
) -> Result<CompiledResponse, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut request = request::read_results(&node).map_err(Error::Invalid)?;
    let lengths: Vec<usize> = request.results.iter().map(|result| result.text.len()).collect();
    let asked = ask(services, &mut request, deadline)?;
    let CutResults { texts, mut rows, mut warnings } = cut(services, &request);
    let replaced: HashSet<&str> = asked.replaced.iter().map(|own| &*own.new.call_id).collect();
    for (row, bytes) in rows.iter_mut().zip(lengths) {
        row.bytes_before = bytes;
        if row.action == "kept" && replaced.contains(&*row.id) {
            row.action = "changed";
        }
    }
    let mut notes = Notes::default();
    let messages = wire::results(request.source, &request.results, &texts, &mut notes);
    warnings.extend(notes.degraded.iter().chain(&notes.repairs).map(|note| {
        if note.detail.is_empty() {
            note.code.to_owned()
        } else {
            format!("{}: {}", note.code, note.detail)
        }
    }));
    let key = request.source.list_key();
    let mut list = format!("{{\"{key}\":{messages},\"source\":\"{}\"", request.source.as_str());
    // No result is cleared here: the model has not seen any of them.
    let level = request.level.unwrap_or("lossless");
    let notations = notations_of(services, &node, request.notations)?;
    let _ = write!(list, ",\"notations\":\"{}\"", notations.as_str());
    let _ =
        write!(list, ",\"level\":\"{level}\",\"keep_recent_turns\":0,\"clear\":{{\"keep\":10000}}");
    if request.level.is_none() {
        // Nothing is shortened, so no originals are stored.
        list.push_str(",\"protect\":{\"roles\":[\"system\",\"user\",\"assistant\",\"tool\"]}");
        list.push_str(",\"originals\":\"none\"");
    }
    if let Some(model) = &request.model {
        list.push_str(",\"model\":");
        json::write_string(&mut list, model);
    }
    list.push('}');
    let write = |done: &CompressOutcome<'_>| {
        let shown = wire::result_lengths(request.source, done.list);
        write(done, &shown_rows(&rows, &request.results, &texts, &shown), &warnings)
    };
    let programs = request.results.iter().filter(|result| result.program.is_some());
    let reader = ModelReader {
        reference: request.reference,
        results_only: true,
        verbatim_calls: programs.map(|result| Arc::clone(&result.id)).collect(),
    };
    let job = CompressJob { body: &list, reader, asked: Some(asked) };
    carry_out(services, job, deadline, &write)
}

/// The notations that the request allows, or else those of its defaults: as in a compile, the session's
/// override those of the key.
fn notations_of(
    services: &Services,
    node: &Node<'_>,
    given: Option<AllowedNotations>,
) -> Result<AllowedNotations, StoreError> {
    if let Some(given) = given {
        return Ok(given);
    }
    let session = sessions::open(services, node)?;
    let of_session = session.as_ref().and_then(SessionHandle::defaults);
    defaults::notations([of_session, services.caller().defaults.as_deref()])
}

/// Runs the hooks at `tool_result`, which see the results before they are cut.
fn ask(
    services: &Services,
    request: &mut ResultsRequest,
    deadline: &Deadline,
) -> Result<AskedResults, Error> {
    let mut history: Vec<Message> = Vec::new();
    for result in &request.results {
        let RawResult { id, name, text, is_error, arguments, .. } = result;
        if let Some(arguments) = arguments {
            let (name, arguments) = (Arc::clone(name), Arc::clone(arguments));
            let call = ToolCall { id: Arc::clone(id), name, arguments, custom: false };
            let part = Part::new(Content::ToolCall(call));
            history.push(Message::new(Role::Assistant, vec![part]));
        }
        let result = ToolResult {
            call_id: Arc::clone(id),
            name: (!name.is_empty()).then(|| Arc::clone(name)),
            content: vec![Part::text(text.as_str())],
            is_error: *is_error,
        };
        history.push(Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]));
    }
    let fits = |new: &ToolResult| match texts_of(new) {
        Some(_) => Ok(()),
        None => Err("/result/content: a text takes the place of a text".to_owned()),
    };
    let ask = |hooks: &mut dyn HookPort| pipeline::ask_results_of(hooks, &mut history, &fits);
    let (replaced, effects) =
        ResultHooks::ask(services, request.session_id.as_ref(), deadline, Point::ToolResult, ask)?;
    let left = history.iter().flat_map(Message::tool_results);
    for (result, left) in request.results.iter_mut().zip(left) {
        result.text = texts_of(left).unwrap_or_default();
        result.is_error = left.is_error;
    }
    Ok(AskedResults { effects, replaced: replaced.unwrap_or_default() })
}

/// The rows with the lengths of the contents in the returned messages.
fn shown_rows(
    rows: &[ResultOutcome],
    results: &[RawResult],
    texts: &[String],
    shown: &[usize],
) -> Vec<ResultOutcome> {
    let mut rows = rows.to_vec();
    if rows.len() == shown.len() {
        for (((row, result), text), bytes) in rows.iter_mut().zip(results).zip(texts).zip(shown) {
            row.bytes_after = *bytes;
            // Media that the shape cannot hold become text without any compression.
            let is_text = result.parts.is_empty();
            if is_text && matches!(row.action, "kept" | "changed") && *bytes != text.len() {
                row.action = "compressed";
            }
        }
    }
    rows
}

/// Joins the texts of a result; none if it has other parts.
fn texts_of(result: &ToolResult) -> Option<String> {
    let texts = result.content.iter().map(|part| part.as_text().map(|text| &**text));
    Some(texts.collect::<Option<Vec<&str>>>()?.join("\n"))
}

/// Results after they were cut.
#[derive(Debug, Default)]
struct CutResults {
    texts: Vec<String>,
    rows: Vec<ResultOutcome>,
    warnings: Vec<String>,
}

/// A result after it was cut.
struct CutResult {
    text: String,
    action: &'static str,
    artifact: Option<ArtifactId>,
}

fn cut(services: &Services, request: &ResultsRequest) -> CutResults {
    let mut done = CutResults::default();
    for result in &request.results {
        let cut = request.truncate.as_ref().filter(|_| result.program.is_none());
        let lengths = cut.and_then(|cut| cut.lengths(&result.name));
        let store = request.truncate.as_ref().is_some_and(|cut| cut.store);
        let CutResult { text, action, artifact } = match lengths {
            Some(lengths) => cut_one(services, result, lengths, store, &mut done.warnings),
            None => CutResult { text: result.text.clone(), action: "kept", artifact: None },
        };
        done.rows.push(ResultOutcome {
            id: result.id.to_string(),
            name: result.name.to_string(),
            action,
            bytes_before: result.text.len(),
            bytes_after: text.len(),
            artifact: artifact.map(|id| id.to_string()),
        });
        done.texts.push(text);
    }
    done
}

fn cut_one(
    services: &Services,
    result: &RawResult,
    lengths: Lengths,
    store: bool,
    warnings: &mut Vec<String>,
) -> CutResult {
    let Lengths { threshold, head, tail } = lengths;
    let offload = OffloadLimits { threshold, head, tail };
    let id = ArtifactId::from(&ContentHash::of(&result.text));
    if let Some(marker) = offload.apply(&result.text, id).filter(|_| store) {
        match keep(services, &result.text) {
            Ok(()) => {
                return CutResult { text: marker, action: "offloaded", artifact: Some(id) };
            }
            Err(error) => {
                tracing::warn!(
                    %error,
                    "a tool result was shortened and its original could not be stored; it cannot \
                     be expanded"
                );
                warnings.push(format!("the result of {} is cut and could not be kept", result.id));
            }
        }
    }
    match offload.cut(&result.text) {
        Some(text) => CutResult { text, action: "truncated", artifact: None },
        None => CutResult { text: result.text.clone(), action: "kept", artifact: None },
    }
}

fn keep(services: &Services, text: &str) -> Result<(), StoreError> {
    let mut batch = Batch::default();
    batch.artifact(text, TEXT);
    services.tenant().commit(batch).map(|_| ())
}

fn write(done: &CompressOutcome<'_>, taken: &[ResultOutcome], warnings: &[String]) -> Bytes {
    // Plain data with string keys: serialising it cannot fail.
    let written = |value: serde_json::Result<String>| value.unwrap_or_default();
    Bytes::from(format!(
        "{{\"messages\":{},\"results\":{},\"warnings\":{},\"report\":{},\"artifacts\":{}}}",
        done.list,
        written(serde_json::to_string(taken)),
        written(serde_json::to_string(warnings)),
        written(serde_json::to_string(done.report)),
        written(serde_json::to_string(&done.artifacts())),
    ))
}
