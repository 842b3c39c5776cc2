//! The body of `POST /compile`.

use std::sync::Arc;

use super::assumed_target;
use super::empty_list::require_text;
use super::governance::has_conversation;
use super::halves::note_halves;
use super::hooks::HookChoice;
use super::model_name::resolve_model;
use super::options::reader;
use super::options::{
    BUDGET, BudgetOptions, CacheOptions, Compression, ExplainLevel, KnownAdapters, MemoryOptions,
    OnOverflow, OutputOptions, Placement, PriceStepRule, ProtectOptions, SkillOptions,
    TailPlacement, given_adapters,
};
use super::provider_members::{self, MemberRule, PassedMembers, PayloadOwner};
use super::tools::{TOOLS, ToolOptions};
use crate::domain::{
    CalibratedFactor, Conversation, Family, Model, Models, Notes, OmittedHistory, RawJson,
    RecordLevel, ReplacedResult, ReportedTokens, SentHistory, Source, Target,
};
use crate::hook::CheckUrl;
use crate::json::{Fault, Faults, Fields, Node, Path};
use crate::provider::{self, Destination, ReturnedMember};

/// Every key that `/compile` reads, conversation keys aside.
pub const COMPILE_KEYS: &[&str] = &[
    "source",
    "target",
    "model",
    "budget",
    "compression",
    "protect",
    "cache",
    "cache_control",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "cachedContent",
    "cached_content",
    "tools",
    "dynamic_state",
    "dynamic_state_placement",
    "dynamic_state_anchor",
    "tail_placement",
    "implicit_context",
    "output",
    "passthrough",
    "memory",
    "skill",
    "session_id",
    "pack",
    "run_context",
    "request",
    "evidence",
    "usage",
    "hooks",
    "repair",
    "record",
    "explain",
    "deadline_ms",
    "on_deadline",
];

/// The keys of each option that is an object.
pub const SECTIONS: &[(&str, &[&str])] = &[
    ("budget", BUDGET),
    ("compression", reader::COMPRESSION),
    ("protect", reader::PROTECT),
    ("cache", reader::CACHE),
    ("output", reader::OUTPUT),
    ("memory", reader::MEMORY),
    ("skill", reader::SKILL),
    ("tools", TOOLS),
];

/// The longest deadline a request may ask for.
pub const MAX_DEADLINE_MS: u64 = 60_000;

/// Treatment of a request whose time is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDeadline {
    Fail,
    Pass,
}

/// A checked request.
#[derive(Debug, Clone)]
pub struct CompileRequest {
    pub conversation: Conversation,
    pub target: Target,
    pub model: Model,
    /// Whether the model is named as gateways do, with its provider in front: `openai/gpt-5`.
    pub is_gateway: bool,
    /// Tokens of the window, the reply included.
    pub context_window: u64,
    /// Tokens kept back for the reply; less than the window.
    pub reserve_output: u64,
    pub on_overflow: OnOverflow,
    pub price_step: PriceStepRule,
    pub compression: Compression,
    pub protect: ProtectOptions,
    pub cache: CacheOptions,
    pub dynamic_state: Option<RawJson>,
    pub dynamic_state_placement: Placement,
    /// Whether a sentence after the state says that it is current.
    pub dynamic_state_anchor: bool,
    /// None for that of the model.
    pub tail_placement: Option<TailPlacement>,
    pub implicit_context: Option<Arc<str>>,
    pub output: OutputOptions,
    /// Members of the provider's own request that the payload gives back.
    pub returned: Vec<ReturnedMember>,
    pub memory: Option<MemoryOptions>,
    pub tools: ToolOptions,
    pub skill: Option<SkillOptions>,
    pub session_id: Option<Arc<str>>,
    /// Tokens of the last payload of the session, as its provider counted them.
    pub usage: Option<ReportedTokens>,
    /// The factor that the session has learnt from a provider's counts. The report, `fits` and the
    /// squeeze use it; compaction points use the model's own factor.
    pub calibration: Option<CalibratedFactor>,
    /// Lengths of the request's list at which the history is shrunk whatever it takes, in rising
    /// order.
    pub points: Vec<u64>,
    /// What the session has sent; none without a session.
    pub sent: Option<Arc<SentHistory>>,
    pub hooks: HookChoice,
    /// The level of detail of this compile's record.
    pub record: RecordLevel,
    pub explain: ExplainLevel,
    pub deadline_ms: Option<u64>,
    pub on_deadline: OnDeadline,
    /// Whether a pack has settled what is sent: then no hook adds to it.
    pub is_governed: bool,
    /// The messages that the pack left out.
    pub omitted: OmittedHistory,
    /// Raw tokens of the conversation before a pack; none without a pack.
    pub arrived_tokens: Option<u64>,
    /// The results that hooks replaced before a pack; empty without a pack.
    pub replaced_results: Vec<ReplacedResult>,
    /// The notes so far.
    pub notes: Notes,
}

impl CompileRequest {
    /// The model with the factor that its provider's counts have shown.
    pub fn measured(&self) -> Model {
        let factor_milli = self.calibration.map_or(self.model.factor_milli, |own| own.milli);
        Model { factor_milli, ..self.model.clone() }
    }

    /// The model with the factor by which turns are dropped: never above the model's own while only
    /// one report was learnt from.
    pub fn dropping(&self) -> Model {
        let factor_milli = match self.calibration {
            Some(own) if own.may_drop => own.milli,
            Some(own) => own.milli.min(self.model.factor_milli),
            None => self.model.factor_milli,
        };
        Model { factor_milli, ..self.model.clone() }
    }

    /// What messages are adapted to. Under a pack, no system message keeps its place between the others.
    pub fn destination(&self) -> Destination {
        let Self { target, model, .. } = self;
        let takes_system =
            *target == Target::Anthropic && model.system_messages && !self.is_governed;
        Destination {
            target: *target,
            takes_system,
            changes_tools: takes_system && model.tool_changes,
            signs_calls: matches!(target, Target::Gemini | Target::Openai)
                && model.wants_signed_calls(),
            takes_developer: model.family == Family::Openai,
            is_mistral: *target == Target::Openai && model.is_mistral(),
            wanted_reasoning: model.wanted_reasoning(),
            takes_result_media: *target != Target::Gemini || !model.is_before_gemini(3),
            refuses_unknown: matches!(target, Target::Openai | Target::OpenaiResponses)
                && model.is_openai_own()
                && !self.is_gateway,
            takes_reasoning: !model.refuses_reasoning(),
            takes_unsigned_thinking: *target == Target::Anthropic
                && model.reads_unsigned_thinking(),
        }
    }

    /// Whether the model does not go on from a last message of the assistant.
    pub fn refuses_last_answer(&self) -> bool {
        let is_refused = provider::rules(self.target).user_last && !self.model.prefill;
        is_refused || self.destination().is_mistral
    }

    /// Whether the provider binds signed thinking of the model to everything before it.
    pub fn binds_thinking(&self) -> bool {
        self.target == Target::Anthropic && self.model.preserved_thinking
    }

    /// Whether state, context and memory data stay where earlier payloads had them.
    pub fn keeps_tail(&self) -> bool {
        self.tail_placement.map_or_else(|| self.binds_thinking(), |own| own == TailPlacement::Stay)
    }

    /// Tokens that the payload may have: window less reserve.
    pub fn budget(&self) -> u64 {
        self.context_window.saturating_sub(self.reserve_output)
    }

    /// The largest input that the model's ordinary prices charge, if the payload is to stay below
    /// that and it is known.
    pub fn step_tokens(&self) -> Option<u64> {
        let step = self.model.prices.as_ref()?.step?;
        (self.price_step == PriceStepRule::Stay).then_some(step.above_tokens)
    }

    /// Tokens that the history is shortened for: the budget, or less to stay below the price step.
    pub fn aimed_budget(&self) -> u64 {
        self.budget().min(self.step_tokens().unwrap_or(u64::MAX))
    }

    /// Whether there is text for the model besides the list of messages, or a session or hooks of the
    /// request may add some.
    fn may_have_text(&self) -> bool {
        !self.conversation.system.is_empty()
            || self.dynamic_state.is_some()
            || self.implicit_context.is_some()
            || self.memory.is_some()
            || self.skill.is_some()
            || self.output.prefill.is_some()
            || self.output.tag.is_some()
            || self.session_id.is_some()
            || !self.hooks.inline().is_empty()
    }

    /// Items of the request's list.
    pub fn length(&self) -> u64 {
        self.conversation.length()
    }
}

/// Reads a request and collects all faults. `check_url` decides which URLs hooks may call.
pub fn read_compile(
    body: &Node<'_>,
    models: &Models,
    adapters: &KnownAdapters,
    check_url: CheckUrl<'_>,
) -> Result<CompileRequest, Vec<Fault>> {
    if governed_without_list(body) {
        return read_with(body, models, adapters, check_url, provider::read_without_messages);
    }
    read_with(body, models, adapters, check_url, provider::read)
}

/// Whether a request under a pack has no conversation: its conversation is then the text of its
/// request to the agent, which is the task.
fn governed_without_list(body: &Node<'_>) -> bool {
    body.get("pack").is_some_and(|pack| !pack.is_null()) && !has_conversation(body)
}

/// Reads a request whose messages are not known yet.
pub fn read_compile_options(
    body: &Node<'_>,
    models: &Models,
    adapters: &KnownAdapters,
    check_url: CheckUrl<'_>,
) -> Result<CompileRequest, Vec<Fault>> {
    read_with(body, models, adapters, check_url, provider::read_without_messages)
}

fn on_deadline(fields: &Fields<'_, '_>, faults: &mut Faults) -> OnDeadline {
    let words = &[("fail", OnDeadline::Fail), ("pass", OnDeadline::Pass)];
    fields.choice("on_deadline", words, faults).unwrap_or(OnDeadline::Fail)
}

fn read_with(
    body: &Node<'_>,
    models: &Models,
    adapters: &KnownAdapters,
    check_url: CheckUrl<'_>,
    read_conversation: impl FnOnce(&Node<'_>, Source, &mut Faults, &mut Notes) -> Conversation,
) -> Result<CompileRequest, Vec<Fault>> {
    let mut faults = Faults::default();
    let mut notes = Notes::default();
    let own = COMPILE_KEYS.iter().chain(provider::CONVERSATION_KEYS).copied();
    let known: Vec<&str> = own.chain(provider_members::passed_names(body)).collect();
    let Some(fields) = Fields::read(body, Path::Root, &known, &mut faults) else {
        return Err(faults.into_vec());
    };
    provider_members::explain(MemberRule::Refused, &mut faults);
    let source = fields.choice("source", Source::WORDS, &mut faults);
    let source = source.unwrap_or_else(|| provider::detect(body));
    let target = fields.choice("target", Target::WORDS, &mut faults).unwrap_or(Target::Openai);
    let model = fields.text_without_nul("model", &mut faults);
    let is_gateway = model.is_some_and(|name| name.contains('/'));
    let model = resolve_model(model, target, models, &mut notes);
    if fields.get("target").is_none() && !is_gateway {
        assumed_target::explain(&model, &mut notes);
    }
    let owner = PayloadOwner { target, refuses_unknown: model.is_openai_own() && !is_gateway };
    let passed = PassedMembers::read(&fields, owner, &mut faults, &mut notes);
    let budget = BudgetOptions::read(&fields, &model, passed.limit, &mut faults, &mut notes);
    fields.choice("repair", provider::REPAIR_MODES, &mut faults);
    let conversation = read_conversation(body, source, &mut faults, &mut notes);
    let tools = ToolOptions::read(&fields, &conversation.tools, &mut faults, &mut notes);
    let mut request = CompileRequest {
        conversation,
        tools,
        target,
        model,
        is_gateway,
        context_window: budget.context_window,
        reserve_output: budget.reserve_output,
        on_overflow: budget.on_overflow,
        price_step: budget.price_step,
        compression: Compression::read(&fields, adapters, &mut faults, &mut notes),
        protect: ProtectOptions::read(&fields, &mut faults),
        cache: CacheOptions::read(&fields, body, &mut faults, &mut notes),
        dynamic_state: dynamic_state(&fields, &mut faults, &mut notes),
        dynamic_state_placement: fields
            .choice("dynamic_state_placement", Placement::WORDS, &mut faults)
            .unwrap_or(Placement::LastUser),
        dynamic_state_anchor: fields.flag("dynamic_state_anchor", &mut faults).unwrap_or(true),
        tail_placement: fields.choice("tail_placement", TailPlacement::WORDS, &mut faults),
        implicit_context: fields
            .text("implicit_context", &mut faults)
            .filter(|text| !text.is_empty())
            .map(|text| {
                let path = fields.path().key("implicit_context");
                provider::without_nul(text, &path, &mut notes)
            }),
        output: OutputOptions::read(&fields, &mut faults, &mut notes),
        returned: passed.members,
        memory: MemoryOptions::read(&fields, &mut faults),
        skill: SkillOptions::read(&fields, &mut faults, &mut notes),
        session_id: session_id(&fields, &mut faults),
        usage: super::usage::read_usage(&fields, &mut faults),
        calibration: None,
        sent: None,
        points: Vec::new(),
        hooks: HookChoice::read(&fields, check_url, &mut faults),
        record: record_level(&fields, &mut faults),
        explain: explain_level(&fields, &mut faults),
        deadline_ms: fields.whole("deadline_ms", 1, MAX_DEADLINE_MS, &mut faults),
        is_governed: false,
        omitted: OmittedHistory::default(),
        arrived_tokens: None,
        replaced_results: Vec::new(),
        on_deadline: on_deadline(&fields, &mut faults),
        notes,
    };
    if !request.may_have_text() {
        require_text(body, &mut faults);
    }
    note_halves(body, &mut request.notes);
    request.compression.leave_to_provider(target, &mut request.notes);
    let CompileRequest { conversation, model, tools, memory, compression, notes, .. } =
        &mut request;
    adapters.warn_unusable(given_adapters(fields.get("compression")).is_some(), notes);
    compression.warn_unpriced(model, notes);
    tools.withdraw_taken_tools(&conversation.tools, memory.as_mut(), compression, notes);
    if faults.is_empty() { Ok(request) } else { Err(faults.into_vec()) }
}

fn explain_level(fields: &Fields<'_, '_>, faults: &mut Faults) -> ExplainLevel {
    let words = [("summary", ExplainLevel::Summary), ("full", ExplainLevel::Full)];
    fields.choice("explain", &words, faults).unwrap_or(ExplainLevel::Summary)
}

fn record_level(fields: &Fields<'_, '_>, faults: &mut Faults) -> RecordLevel {
    fields.choice("record", RecordLevel::WORDS, faults).unwrap_or_else(|| {
        // Under a pack, the record is the proof of the payload.
        if fields.get("pack").is_some() { RecordLevel::Full } else { RecordLevel::default() }
    })
}

fn dynamic_state(
    fields: &Fields<'_, '_>,
    faults: &mut Faults,
    notes: &mut Notes,
) -> Option<RawJson> {
    let node = fields.get("dynamic_state")?;
    if node.as_object().is_none() {
        fields.fault("dynamic_state", format!("must be an object, not {}", node.kind()), faults);
        return None;
    }
    provider::note_replaced(node, &fields.path().key("dynamic_state"), notes);
    Some(RawJson::new(node.raw))
}

pub(super) fn session_id(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<Arc<str>> {
    super::read_session_id(fields, "session_id", faults)
}
