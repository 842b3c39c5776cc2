//! A compile under a pack: what is loaded before, and what is checked behind.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Error;
use super::evidence::retrieve;
use super::hooks::line;
use crate::domain::{
    Classification, ContentHash, Conversation, MemoryScope, MemoryStatus, Timestamp,
};
use crate::hook::{Kind, Point, Run};
use crate::json::{self, Fault, Limits, Node, escape_into};
use crate::pack::{self, Pack, PublicKeys, Refusal, RefusalCode};
use crate::pipeline::{self, Asks, GovernInput, GovernOutput, GovernedStage, Ranked};
use crate::request::{
    self, CallerBlock, CompileRequest, Governed, Level, MemoryRecord, OnArrival, PackSource, Unread,
};
use crate::service::packs::{self, Refused};
use crate::service::{Services, memory};

/// What governs a compile, once its conversation is handed on.
#[derive(Debug)]
pub(in crate::service) struct Governance {
    output: GovernOutput,
    /// Whether hooks change what is sent.
    is_transformed: bool,
}

/// Compiles the request's conversation under its pack; none where it names none. `now` is the time
/// where the run context has none.
pub(in crate::service) fn govern(
    services: &Services,
    node: &Node<'_>,
    request: &mut CompileRequest,
    asking: &mut dyn Asks,
    now: Timestamp,
) -> Result<Option<Governance>, Error> {
    let read = request::read_governed(node, now);
    let read = read.map_err(|unread| match unread {
        Unread::Invalid(faults) => Error::Invalid(faults),
        Unread::Refused(refusal) => Error::Governed(refusal),
    })?;
    let Some(mut governed) = read else { return Ok(None) };
    for (point, kind) in
        [(Point::BeforeCompile, Kind::Provide), (Point::ToolResult, Kind::Transform)]
    {
        if asking.has(point, kind) {
            let point = point.as_str();
            let detail = format!(
                "under a pack no hook changes text at `{point}`: it would be on no manifest"
            );
            let pointer = "/hooks".to_owned();
            return Err(Error::Invalid(vec![Fault { pointer, detail, did_you_mean: None }]));
        }
    }
    let pack = load(services, &governed.pack)?;
    retrieve(asking, &pack, &mut governed)?;
    aside(request, &mut governed);
    let (candidates, store_revision) = match governed.memory.take() {
        Some(given) => (given, 0),
        None => remembered(services, &governed, &pack)?,
    };
    // The factor of the table: what was calibrated since changes no choice.
    let model = request.model.clone();
    let counter = &services.pipeline().counter;
    let count = |text: &str| model.scale(counter.count(model.tokenizer, text));
    let conversation = std::mem::replace(
        &mut request.conversation,
        Conversation::empty(crate::domain::Source::Neutral),
    );
    let input = GovernInput {
        pack: &pack,
        governed: &governed,
        memory: &candidates,
        store_revision,
        tokenizer: model.tokenizer.as_str(),
        budget: request.context_window.saturating_sub(request.reserve_output),
        target: request.target,
        count: &count,
    };
    let mut output =
        pipeline::govern(input, conversation, &mut request.notes).map_err(Error::Governed)?;
    let empty = Conversation::empty(crate::domain::Source::Neutral);
    request.conversation = std::mem::replace(&mut output.conversation, empty);
    // What was compiled is what is sent.
    request.compression.level = Level::Off;
    request.compression.on_arrival = OnArrival::Off;
    request.compression.read_tool = false;
    let is_transformed = asking.has(Point::TransformContext, Kind::Transform);
    Ok(Some(Governance { output, is_transformed }))
}

fn load(services: &Services, source: &PackSource) -> Result<Arc<Pack>, Error> {
    match source {
        PackSource::Published(reference) => {
            packs::load(services, reference)?.ok_or(Error::Pack(Refused::NotFound))
        }
        PackSource::Inline(text) => {
            let node = json::parse(text, Limits::default())?;
            let keys: &PublicKeys = services.pack_keys();
            let pack =
                pack::read(&node, keys).map_err(|faults| Error::Pack(Refused::Lint(faults)))?;
            Ok(Arc::new(pack))
        }
    }
}

/// What else a request has to say goes where packs have a place for it.
fn aside(request: &mut CompileRequest, governed: &mut Governed) {
    let mut add = |bucket: &str, kind: &str, text: Arc<str>| {
        let (bucket, kind) = (bucket.into(), kind.into());
        governed.blocks.push(CallerBlock { bucket, kind, text, priority: 60 });
    };
    if let Some(state) = request.dynamic_state.take() {
        add("session", "dynamic_state", Arc::clone(state.text()));
    }
    if let Some(text) = request.implicit_context.take() {
        add("session", "implicit_context", text);
    }
    if let Some(skill) = request.skill.take() {
        add("developer", "skill", skill.instructions);
    }
    if request.memory.take().is_some() {
        let detail = "under a pack memory is what the pack recalls, and models do not write it";
        request.notes.warn("memory_governed", "/memory".to_owned(), detail);
    }
}

/// The store's entries that may be about this run.
fn remembered(
    services: &Services,
    governed: &Governed,
    pack: &Pack,
) -> Result<(Vec<MemoryRecord>, u64), Error> {
    let run = &governed.run;
    let scope = MemoryScope {
        subject: run.subject.clone(),
        session_id: run.session_id.clone(),
        agent: None,
    };
    let question = governed.invoke.message.as_deref().unwrap_or_default();
    let (ranked, revision) = services.tenant().read(|tx| {
        let ranked = memory::recalled(tx, &scope, question)?;
        Ok::<_, crate::service::StoreError>((ranked, tx.memory_state()?.0))
    })?;
    Ok((ranked.iter().map(|one| record(one, &pack.tenant)).collect(), revision))
}

/// An entry as a candidate of the pack's tenant: it is the store's own.
fn record(one: &Ranked, tenant: &Arc<str>) -> MemoryRecord {
    let entry = &one.entry;
    let said: Value = entry
        .metadata
        .as_ref()
        .and_then(|raw| serde_json::from_str(raw.as_str()).ok())
        .unwrap_or_default();
    let intents = said.get("intents").and_then(Value::as_array).into_iter().flatten();
    let confidence = said.get("confidence").and_then(Value::as_f64).unwrap_or(entry.importance);
    let level: Classification = entry.classification;
    MemoryRecord {
        id: Arc::clone(&entry.key),
        intents: intents.filter_map(|intent| intent.as_str().map(Into::into)).collect(),
        tier: Some(entry.tier),
        text: entry.text(),
        promoted_at: entry.updated_at,
        classification: Some(level),
        tenant_id: Some(Arc::clone(tenant)),
        subject: entry.scope.subject.clone(),
        is_promoted: entry.status == MemoryStatus::Promoted,
        confidence: format!("{:.0}", (confidence * 1000.0).clamp(0.0, 1000.0)).parse().unwrap_or(0),
        expires_at: entry.expires_at,
        session_id: entry.scope.session_id.clone(),
        version: entry.version,
    }
}

impl Governance {
    /// What each stage was given and gave.
    pub(in crate::service) fn stages(&self) -> Vec<GovernedStage> {
        self.output.stages.clone()
    }

    /// Whether all that was compiled is still there once hooks have had their say.
    pub(super) fn check(&self, payload: &str) -> Result<(), Error> {
        if !self.is_transformed {
            return Ok(());
        }
        for text in &self.output.shown {
            let mut escaped = String::new();
            escape_into(&mut escaped, text);
            if !payload.contains(&escaped) {
                let detail = "a hook at `transform_context` changed a block of the pack";
                let code = RefusalCode::TransformRequiredBlockChanged;
                let refusal = Refusal::new(code, Some("transform"), detail);
                return Err(Error::Governed(refusal));
            }
        }
        Ok(())
    }

    /// The members of the answer, as text.
    pub(super) fn told(mut self, runs: &[Run]) -> String {
        let mut out = String::new();
        let hooks: Vec<Value> = runs
            .iter()
            .map(|run| {
                let told = line(run).unwrap_or_default();
                let of = |key: &str| told.get(key).cloned().unwrap_or_default();
                json!({"id": of("id"), "point": of("point"), "outcome": of("outcome")})
            })
            .collect();
        if !hooks.is_empty() {
            self.output.tell_hooks(Value::Array(hooks));
        }
        let hash: &ContentHash = &self.output.hash;
        out.push_str(",\"compiled_context\":");
        out.push_str(&self.output.context.to_string());
        let _ = write!(out, ",\"compiled_context_hash\":\"sha256:{hash}\",\"meta\":");
        out.push_str(&self.output.meta.to_string());
        out
    }
}

/// An answer whose compiled context is in the shape that others have published.
pub(super) fn as_published(body: &str) -> Option<String> {
    let mut answer: Value = serde_json::from_str(body).ok()?;
    let context = answer.get_mut("compiled_context")?;
    *context = pipeline::published(context);
    Some(answer.to_string())
}
