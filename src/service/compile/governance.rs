//! Governs a compile by its pack: loads the pack and its inputs, runs its stages, and checks
//! afterwards what hooks changed.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Error;
use super::pack_faults::{unread_members, with_absent_members};
use super::pack_fragments::provide;
use crate::domain::{
    Classification, Conversation, MemoryEntry, MemoryScope, MemoryStatus, Timestamp,
};
use crate::hook::{
    AnswerReader, HookInput, HookKind, HookRun, MatchContext, Point, PointInput as _,
    RetrieveEvidenceInput,
};
use crate::json::{self, JsonText, Limits, Node};
use crate::pack::{self, AutoPromotion, Pack, PackRef, PublicKeys, Refusal, RefusalCode};
use crate::pipeline::{
    self, CompiledPayload, Deadline, GovernInput, GovernOutput, HookPort, RankedMemory,
    SummaryContext,
};
use crate::request::{
    self, CallerBlock, CompileRequest, GovernedRequest, MemoryRecord, PackSource,
};
use crate::service::packs;
use crate::service::record::{Inputs, RecalledInputs};
use crate::service::{PackRefusal, RefusedCompile, Services, memory};
use crate::store::MemoryView;

/// Output of a pack and its recalled inputs, without the conversation, which the request gets.
#[derive(Debug)]
pub(crate) struct GovernContext {
    output: GovernOutput,
    recalled: RecalledInputs,
}

/// Parameters of [`govern`].
#[derive(Debug)]
pub(super) struct GovernTask<'t> {
    pub(super) services: &'t Services,
    /// The request as JSON.
    pub(super) node: &'t Node<'t>,
    pub(super) deadline: &'t Deadline,
    /// The pack that replaces the one that the request names.
    pub(super) pack: Option<&'t PackRef>,
    /// Provides the memory, and the time if the run context has none.
    pub(super) source: GovernSource,
}

/// Governs the request's conversation by its pack; returns none if the request names no pack.
pub(super) fn govern(
    task: GovernTask<'_>,
    request: &mut CompileRequest,
    runner: &mut dyn HookPort,
) -> Result<Option<GovernContext>, Error> {
    let GovernTask { services, node, deadline, pack: other, source } = task;
    let read = request::read_governed(node, source.now());
    let read = read.map_err(|unread| unread_members(services, node, unread))?;
    let Some(mut governed) = read else { return Ok(None) };
    if let Some(other) = other {
        governed.pack = PackSource::Published(other.clone());
        governed.run.pack_version = None;
    }
    let pack = load(services, &governed.pack)
        .map_err(|error| with_absent_members(services, node, &governed, error))?;
    // No hook is called if the pack refuses the run. The stages below find out why it refuses.
    if let Ok(intent) = pipeline::governed_intent(&pack, &governed) {
        let redactor = pack.policy.redaction.redactor(deadline);
        let history = &mut request.conversation.history;
        request.replaced_results = pipeline::ask_governed_results(runner, history, redactor)?;
        retrieve_evidence(runner, &intent, &mut governed)?;
        provide(&services.clone().until(deadline), runner, &pack, request, &mut governed)?;
    }
    move_into_blocks(request, &mut governed);
    let recalled = recall(services, &governed, &pack, source)?;
    let given = governed.memory.take();
    // Packs count with the factor of the model table, so that a session's calibration changes no
    // choice.
    let model = request.model.clone();
    let counter = &services.pipeline().counter;
    let compression = request.compression.clone();
    let count = |text: &str| model.scale(counter.count(model.tokenizer, text));
    let conversation = std::mem::replace(
        &mut request.conversation,
        Conversation::empty(crate::domain::Source::Neutral),
    );
    let input = GovernInput {
        pack: &pack,
        governed: &governed,
        memory: given.as_ref().or(recalled.candidates.as_ref()).map_or(&[], Vec::as_slice),
        store_revision: recalled.store_revision,
        tokenizer: model.tokenizer.as_str(),
        budget: request.aimed_budget(),
        target: request.target,
        summarizing: SummaryContext { compression: &compression, counter, model: &model },
        deadline,
        count: &count,
    };
    let output = pipeline::govern(input, conversation, &mut request.notes);
    // A stage that the deadline stopped returns less than it should, which can look like a refusal.
    deadline.check()?;
    let mut output = match output {
        Ok(output) => output,
        Err(pipeline::GovernRefusal { refusal, stages }) => {
            return Err(RefusedCompile::at_stage(governed.placed(refusal), stages, recalled));
        }
    };
    let empty = Conversation::empty(crate::domain::Source::Neutral);
    request.conversation = std::mem::replace(&mut output.conversation, empty);
    // The pack's conversation is sent as it is.
    request.compression = compression.switched_off();
    request.is_governed = true;
    request.omitted = std::mem::take(&mut output.omitted);
    request.arrived_tokens = Some(output.arrived_tokens);
    Ok(Some(GovernContext { output, recalled }))
}

fn load(services: &Services, source: &PackSource) -> Result<Arc<Pack>, Error> {
    match source {
        PackSource::Published(reference) => {
            packs::load(services, reference)?.ok_or(Error::Pack(PackRefusal::NotFound))
        }
        PackSource::Inline(text) => {
            let node = json::parse(text, Limits::default())?;
            let keys: &PublicKeys = services.pack_keys();
            let pack =
                pack::read(&node, keys).map_err(|faults| Error::Pack(PackRefusal::Lint(faults)))?;
            Ok(Arc::new(pack))
        }
    }
}

/// Moves state, context and skill of a request into blocks of the pack. Its memory is ignored, with
/// a warning.
fn move_into_blocks(request: &mut CompileRequest, governed: &mut GovernedRequest) {
    let mut add = |bucket: &str, kind: &str, text: Arc<str>| {
        let (bucket, kind, source) = (bucket.into(), kind.into(), "request".into());
        governed.blocks.push(CallerBlock { bucket, kind, text, priority: 60, source });
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

/// Source of the time and the memory of a run.
#[derive(Debug)]
pub(crate) enum GovernSource {
    /// The store as it is now, at this time.
    Store(Timestamp),
    /// A record; the store is not read.
    Record(RecalledInputs),
}

impl GovernSource {
    /// The store as it is now, at the current time.
    pub(super) fn live(services: &Services) -> Self {
        Self::Store(services.now())
    }

    fn now(&self) -> Timestamp {
        match self {
            Self::Store(now) => *now,
            Self::Record(recalled) => recalled.as_of,
        }
    }
}

/// Reads memory candidates from the source, unless the request has its own.
fn recall(
    services: &Services,
    governed: &GovernedRequest,
    pack: &Pack,
    source: GovernSource,
) -> Result<RecalledInputs, Error> {
    let as_of = match source {
        GovernSource::Record(recalled) => return Ok(recalled),
        GovernSource::Store(now) => now,
    };
    if governed.memory.is_some() {
        return Ok(RecalledInputs { as_of, store_revision: 0, candidates: None });
    }
    let run = &governed.run;
    let auto = &pack.memory.auto_promotion;
    let view = MemoryView {
        scope: MemoryScope {
            subject: run.subject.clone(),
            session_id: run.session_id.clone(),
            agent: None,
            pack_tenant: Some(Arc::clone(&run.tenant_id)),
        },
        promoted_only: auto.classes.is_empty(),
    };
    let question = governed.invoke.message.as_deref().unwrap_or_default();
    let own = &services.caller().tenant;
    let admits = |entry: &MemoryEntry| {
        let is_of_tenant = entry.scope.pack_tenant.as_ref().unwrap_or(own) == &run.tenant_id;
        is_of_tenant && is_promoted(entry, &metadata_of(entry), auto)
    };
    let (ranked, revision) = services.tenant().read(|tx| {
        let ranked = memory::recalled(tx, &view, question, &admits)?;
        Ok::<_, crate::service::StoreError>((ranked, tx.memory_state()?.0))
    })?;
    let candidates = ranked.iter().map(|one| record(one, own, auto)).collect();
    Ok(RecalledInputs { as_of, store_revision: revision, candidates: Some(candidates) })
}

fn metadata_of(entry: &MemoryEntry) -> Value {
    let metadata = entry.metadata.as_ref();
    metadata.and_then(|raw| serde_json::from_str(raw.as_str()).ok()).unwrap_or_default()
}

/// The confidence of an entry in thousandths: that of its metadata, or else its importance.
fn confidence_milli(entry: &MemoryEntry, metadata: &Value) -> u32 {
    let confidence = metadata.get("confidence").and_then(Value::as_f64);
    let milli = (confidence.unwrap_or(entry.importance) * 1000.0).clamp(0.0, 1000.0);
    format!("{milli:.0}").parse().unwrap_or(0)
}

/// Whether an entry is promoted, or captured and of a class that the pack promotes without a review.
/// What a model writes is a preference, unless its metadata names another class.
fn is_promoted(entry: &MemoryEntry, metadata: &Value, auto: &AutoPromotion) -> bool {
    match entry.status {
        MemoryStatus::Promoted => true,
        MemoryStatus::Captured => {
            let class = metadata.get("class").and_then(Value::as_str).unwrap_or("preference");
            auto.admits(class, confidence_milli(entry, metadata))
        }
        _ => false,
    }
}

/// Converts a stored entry to a candidate. An entry without a pack tenant is that of the caller's
/// tenant.
fn record(one: &RankedMemory, own: &Arc<str>, auto: &AutoPromotion) -> MemoryRecord {
    let entry = &one.entry;
    let metadata = metadata_of(entry);
    let intents = metadata.get("intents").and_then(Value::as_array).into_iter().flatten();
    let level: Classification = entry.classification;
    MemoryRecord {
        id: Arc::clone(&entry.key),
        intents: intents.filter_map(|intent| intent.as_str().map(Into::into)).collect(),
        tier: Some(entry.tier),
        text: entry.text(),
        promoted_at: entry.updated_at,
        classification: Some(level),
        tenant_id: Some(Arc::clone(entry.scope.pack_tenant.as_ref().unwrap_or(own))),
        subject: entry.scope.subject.clone(),
        is_promoted: is_promoted(entry, &metadata, auto),
        confidence: confidence_milli(entry, &metadata),
        expires_at: entry.expires_at,
        session_id: entry.scope.session_id.clone(),
        version: entry.version,
    }
}

impl GovernContext {
    /// Adds the stages of the pack to the inputs of the record.
    pub(super) fn note_stages(&self, inputs: &mut Inputs) {
        inputs.under(self.output.stages.clone(), Some(self.recalled.clone()));
    }

    /// Refuses the compile if hooks changed or removed a message of the pack.
    pub(crate) fn check(&self, compiled: &CompiledPayload) -> Result<(), Error> {
        if compiled.is_whole {
            return Ok(());
        }
        let detail = "a hook at `transform_context` changed a block of the pack";
        let code = RefusalCode::TransformRequiredBlockChanged;
        let refusal = Refusal::new(code, Some("transform"), detail);
        Err(RefusedCompile::transformed(refusal, self.output.stages.clone(), self.recalled.clone()))
    }

    /// The members of the response that a pack adds, as JSON text. If `published`, the context has
    /// the shape of the published schema, with the hash of the whole next to it.
    pub(super) fn members(self, runs: &[HookRun], published: bool) -> String {
        let hooks = runs.iter().map(
            |run| json!({"id": &*run.hook, "point": run.point.as_str(), "outcome": run.word()}),
        );
        let hooks: Vec<Value> = hooks.collect();
        let mut context = String::new();
        let hash = self.output.context.write(&hooks, &mut context);
        if published {
            context = pipeline::published(&context);
        }
        let mut out = format!(",\"compiled_context\":{context}");
        let _ = write!(out, ",\"compiled_context_hash\":\"sha256:{hash}\",\"meta\":");
        out.push_str(&self.output.meta.to_string());
        out
    }
}

/// Adds the evidence that the hooks at `retrieve_evidence` find for an intent to the evidence of the
/// request. The evidence stage then admits it by snapshot, hash and classification.
fn retrieve_evidence(
    runner: &mut dyn HookPort,
    intent: &str,
    governed: &mut GovernedRequest,
) -> Result<(), Error> {
    const POINT: Point = Point::RetrieveEvidence;
    if !runner.has(POINT, HookKind::Provide) {
        return Ok(());
    }
    let query = governed.invoke.context_query.to_string();
    let input = RetrieveEvidenceInput { intent_id: intent, query: JsonText::new(&query) }.to_json();
    let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
    let reader = AnswerReader::new(request::read_evidence);
    let provided = runner.provide(at, &|_| 0, &|answer| reader.check(answer))?;
    for (_, answer) in &provided.answers {
        governed.evidence.extend(reader.take(answer).unwrap_or_default());
    }
    Ok(())
}
