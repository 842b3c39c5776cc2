//! The eight stages of a compile under a pack.
//!
//! Each is a plain function of its input: no clock, no randomness, no order but that of the
//! documents. The result is a conversation for the later stages, which may only write it in the
//! target's shape, and the ledger of how it was made.

mod blocks;
mod buckets;
mod budget;
mod canonical;
mod context;
mod controls;
mod evidence;
mod intent;
mod ledger;
mod manifests;
mod memory;
mod policy;
mod preflight;
mod redaction;
mod rendering;
mod session;
mod summary;
mod tools;

pub(super) use redaction::redact_message;
pub use summary::SummaryContext;

use std::sync::Arc;

use serde_json::Value;

use self::blocks::BlockMaker;
use self::canonical::{WrittenObject, WrittenValue};
pub use self::context::{GovernedContext, published};
use self::controls::Diagnostic;
pub use self::ledger::GovernedStage;
use self::ledger::{Stages, hash};
use self::rendering::RenderedText;
use crate::domain::{
    Classification, ContentHash, Conversation, Message, Notes, OmittedHistory, Role, Stage, Target,
};
use crate::json::{self, Limits};
use crate::pack::{CLASSIFICATIONS, Intent, Pack, Refusal, RefusalCode};
use crate::pipeline::Deadline;
use crate::pipeline::measure::Meter;
use crate::pipeline::strip_injected::ReturnedBlocks;
use crate::policy as rules;
use crate::request::{GovernedRequest, MemoryRecord};

/// The input of a compile under a pack.
#[derive(Clone, Copy)]
pub struct GovernInput<'i> {
    pub pack: &'i Pack,
    pub governed: &'i GovernedRequest,
    /// Candidates: those of the request, or those of the store.
    pub memory: &'i [MemoryRecord],
    /// Number of earlier changes of the tenant's entries.
    pub store_revision: u64,
    pub tokenizer: &'i str,
    /// Tokens that the payload may take in all.
    pub budget: u64,
    pub target: Target,
    /// For turns that have no room.
    pub summarizing: SummaryContext<'i>,
    /// When to stop, and what the request may still make of text.
    pub deadline: &'i Deadline,
    /// Counts a text for the model.
    pub count: &'i dyn Fn(&str) -> u64,
}

impl std::fmt::Debug for GovernInput<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GovernInput").field("pack", &self.pack.reference).finish_non_exhaustive()
    }
}

/// The output of a compile under a pack.
#[derive(Debug)]
pub struct GovernOutput {
    /// To be sent as it is.
    pub conversation: Conversation,
    /// The messages that have no room in it.
    pub omitted: OmittedHistory,
    /// Raw tokens of the conversation before the pack, in what the target can hold.
    pub arrived_tokens: u64,
    /// The compiled context, with its manifests, controls, budget and ledger.
    pub context: GovernedContext,
    /// Facts of this one call.
    pub meta: Value,
    /// Inputs and output of each stage.
    pub stages: Vec<GovernedStage>,
}

/// The word of a pack for a level.
fn level_word(level: Classification) -> &'static str {
    crate::domain::word_of(CLASSIFICATIONS, level)
}

fn intent_input<'p>(pack: &'p Pack, governed: &'p GovernedRequest) -> intent::Input<'p> {
    let (run, invoke) = (&governed.run, &governed.invoke);
    intent::Input {
        catalog: &pack.intents,
        proposed: invoke.intent.as_ref(),
        pinned: run.intent.as_ref(),
        pinned_class: run.intent_class.as_ref(),
        channel: invoke.channel.as_ref(),
        locale: invoke.locale.as_ref(),
    }
}

/// The intent of a run that the pack governs, before anything else is known of it.
pub fn governed_intent(pack: &Pack, governed: &GovernedRequest) -> Result<Arc<str>, Refusal> {
    preflight::check(pack, governed)?;
    intent::run(&intent_input(pack, governed)).map(|intent| intent.id)
}

/// A refusal, and the stages up to it. The last stage is the one that refused; empty if the
/// refusal was before the first.
#[derive(Debug)]
pub struct GovernRefusal {
    pub refusal: Refusal,
    pub stages: Vec<GovernedStage>,
}

/// The first four stages of a compile that names no pack: the same functions, under the built-in
/// one. They withhold nothing, so later stages see all of the request.
pub(super) fn ungoverned() -> Vec<GovernedStage> {
    let mut stages = Stages::default();
    if let Some(pack) = crate::pack::builtin() {
        let governed = GovernedRequest::ungoverned(&pack.reference, &pack.tenant);
        // It has the intent, and refuses nothing.
        let _ = decide(&pack, &governed, &Deadline::default(), &mut stages);
    }
    stages.lines()
}

/// Compiles a conversation under a pack.
pub fn govern(
    input: GovernInput<'_>,
    conversation: Conversation,
    notes: &mut Notes,
) -> Result<GovernOutput, GovernRefusal> {
    let mut stages = Stages::default();
    run(input, conversation, notes, &mut stages)
        .map_err(|refusal| GovernRefusal { refusal, stages: stages.lines() })
}

#[expect(clippy::too_many_lines, reason = "the eight stages, one after another")]
fn run(
    input: GovernInput<'_>,
    mut conversation: Conversation,
    notes: &mut Notes,
    stages: &mut Stages,
) -> Result<GovernOutput, Refusal> {
    preflight::check(input.pack, input.governed)?;
    session::use_wire_names(&mut conversation, input.pack, input.target);
    let returned = ReturnedBlocks::TakeOut;
    let conversation = super::intake::run(conversation, input.target.into(), None, returned, notes);
    let SummaryContext { counter, model, .. } = input.summarizing;
    let meter = Meter::new(counter, model.tokenizer, input.target, input.deadline);
    // The caller finds out by itself if the deadline stops the count.
    let arrived_tokens = meter.conversation(&conversation).unwrap_or_default();
    let GovernInput { pack, governed, .. } = input;
    let (run, invoke) = (&governed.run, &governed.invoke);
    let GovernDecisions { intent, facts, facts_hash, policy, surfaced, ceiling, evidence } =
        decide(pack, governed, input.deadline, stages)?;

    let candidates = memory::candidates(input.memory);
    let memory = memory::run(&pack.memory, run, &intent.id, &candidates, ceiling);
    let parts = [
        ("pack.memory_layer", pack.hash("memory_layer")),
        ("run_context.subject", hash(&(&run.tenant_id, &run.subject, level_word(ceiling)))),
        ("store.memory", memory::hash_candidates(&candidates)),
        ("stage.intent", stages.output(Stage::Intent)),
    ];
    stages.push(Stage::Memory, parts, memory.hash());

    let allocation = budget::run(&pack.budget, run.bucket_tokens, &intent, input.budget);
    let parts = [
        ("pack.budget_layer", pack.hash("budget_layer")),
        ("run_context.bucket_tokens", hash(&(run.bucket_tokens, input.budget))),
        ("stage.intent", stages.output(Stage::Intent)),
    ];
    stages.push(Stage::Budget, parts, hash(&allocation.written()));

    let redactor = pack.policy.redaction.redactor(input.deadline);
    let session =
        session::GovernedSession::new(conversation, invoke, redactor).ok_or_else(|| {
            let detail = "there is no task: neither `input.message` nor a message of the user";
            Refusal::new(RefusalCode::CtxInvalid, Some("buckets"), detail)
                .at("/request/input/message")
        })?;
    let wanted = controls::wanted_evidence(pack, &policy.decisions);
    let mut maker = BlockMaker::new(redactor, input.count);
    maker.tone(pack);
    session.system.iter().for_each(|text| maker.caller_system(text));
    maker.task(&session.task);
    policy.decisions.iter().for_each(|decision| maker.decision(decision));
    surfaced.surfaced.iter().for_each(|tool| maker.tool(tool));
    for one in &evidence.admitted {
        maker.evidence(one, wanted.contains(&one.given.class));
    }
    for (rank, one) in (0..).zip(&memory.recalled) {
        maker.memory(one, rank);
    }
    governed.blocks.iter().for_each(|block| maker.caller(block));
    session.turns(&mut maker);
    let room = allocation.allocations.iter().find(|(name, _)| &**name == "session");
    let room = room.map_or(0, |(_, tokens)| *tokens);
    let summarized = summary::run(&mut maker, &session, room, input.summarizing);
    let parts = [
        ("pack.tone_and_comms", pack.hash("tone_and_comms")),
        ("pack.business_context", pack.hash("business_context")),
        ("pack.redaction_rules", pack.hash("redaction_rules")),
        ("pack.decision_layer", pack.hash("decision_layer")),
        ("pack.budget_layer", pack.hash("budget_layer")),
        ("request.message", ContentHash::of(&session.task)),
        ("request.conversation", session.hash()),
        ("request.compression", input.summarizing.hash()),
        ("tokenizer", hash(input.tokenizer)),
        ("stage.policy", stages.output(Stage::Policy)),
        ("stage.tools", stages.output(Stage::Tools)),
        ("stage.evidence", stages.output(Stage::Evidence)),
        ("stage.memory", stages.output(Stage::Memory)),
        ("stage.budget", stages.output(Stage::Budget)),
    ];
    let parts = parts.into_iter().chain(blocks::hash_blocks(&governed.blocks));
    let parts: Vec<_> = parts.collect();
    let buckets = buckets::run(maker.made, &allocation.allocations, pack.budget.rollover);
    let buckets =
        buckets.map_err(|refusal| stages.refuse(Stage::Assemble, parts.clone(), refusal))?;
    let buckets = buckets.with_summarized(summarized);
    stages.push(Stage::Assemble, parts, buckets.hash());

    let rendered = RenderedText::new(&buckets);
    let omitted = session.omitted(&buckets);
    let (conversation, foreign) =
        session.into_conversation(pack, redactor, &surfaced, &buckets, &rendered);
    let manifests = manifests::run(&manifests::Input {
        policy: &policy,
        tools: &surfaced,
        foreign: &foreign,
        evidence: &evidence,
        memory: &memory,
        buckets: &buckets,
    });
    let controls::Output { controls, mut diagnostics } = controls::run(&controls::Input {
        pack,
        facts: &facts,
        deadline: input.deadline,
        decisions: &policy.decisions,
        surfaced: &surfaced.surfaced,
        evidence: &evidence,
        buckets: &buckets,
        wanted: &wanted,
        snapshot: manifests.snapshot,
    });
    let parts = [
        ("pack.approval_gates", pack.hash("approval_gates")),
        ("pack.guardrails", pack.hash("guardrails")),
        ("pack.decision_layer", pack.hash("decision_layer")),
        ("request.facts", facts_hash),
        ("stage.buckets", stages.output(Stage::Assemble)),
        ("stage.policy", stages.output(Stage::Policy)),
        ("stage.tools", stages.output(Stage::Tools)),
    ];
    stages.push(Stage::Manifest, parts, manifests::hash_stage(&manifests.written, &controls));

    let tokens = (input.count)(&rendered.text);
    let report =
        manifests::budget_report(&allocation, &buckets, input.tokenizer, &run.limits, tokens);
    let ledger = preflight::ledger(&preflight::LedgerInput {
        input: &input,
        intent: &intent,
        allocation: &allocation,
        buckets: &buckets,
        surfaced: &surfaced.surfaced,
        manifests: &manifests,
        facts_hash,
        stages,
    });
    let own = WrittenObject::new([
        ("schema", WrittenValue::new("compiled-context/1")),
        ("pack_ref", WrittenValue::new(&pack.reference.to_string())),
        ("pack_digest", WrittenValue::new(&canonical::HashText(pack.digest))),
        ("governed", WrittenValue::new(&true)),
        ("intent", WrittenValue::new(&intent::row(&intent))),
        ("compiled_prompt", manifests::prompt(&buckets, &rendered)),
        ("manifests", manifests.written),
        ("runtime_controls", controls),
        ("budget_report", report),
    ]);
    diagnostics.extend(
        surfaced.above.iter().map(|key| Diagnostic { code: "policy_mode_above_ceiling", key }),
    );
    let meta = preflight::meta(&input, &policy, &diagnostics);
    let context = GovernedContext::new(own, ledger);
    let stages = stages.lines();
    Ok(GovernOutput { conversation, omitted, arrived_tokens, context, meta, stages })
}

/// The output of the first four stages.
struct GovernDecisions<'d> {
    intent: Intent,
    facts: rules::Value,
    facts_hash: ContentHash,
    policy: policy::Output<'d>,
    surfaced: tools::Output<'d>,
    ceiling: Classification,
    evidence: evidence::Output<'d>,
}

/// Decides the intent, the rules that hold, the tools and the evidence.
fn decide<'d>(
    pack: &'d Pack,
    governed: &'d GovernedRequest,
    deadline: &Deadline,
    stages: &mut Stages,
) -> Result<GovernDecisions<'d>, Refusal> {
    let (run, invoke) = (&governed.run, &governed.invoke);

    let proposed = intent_input(pack, governed);
    let asked = (proposed.proposed, proposed.pinned, proposed.channel, proposed.locale);
    let parts =
        [("pack.intent_layer", pack.hash("intent_layer")), ("request.intent", hash(&asked))];
    let intent = intent::run(&proposed);
    let intent = intent.map_err(|refusal| stages.refuse(Stage::Intent, parts, refusal))?;
    stages.push(Stage::Intent, parts, hash(&intent::row(&intent)));

    let text = preflight::facts(pack, governed, &intent);
    let facts_hash = ContentHash::of(&text);
    // It was written a line above.
    let facts = json::parse(&text, Limits::default())
        .map_or(rules::Value::Null, |node| rules::Value::from_node(&node));
    let asked = policy::Input {
        layer_hash: pack.hash("policy_layer"),
        facts: &facts,
        facts_hash,
        intent: &intent.id,
        trusts_missing: pack.policy.trusts_missing,
        deadline,
    };
    let policy = policy::run(&pack.policy, &asked);
    let parts = [
        ("pack.policy_layer", pack.hash("policy_layer")),
        ("pack.decision_layer", pack.hash("decision_layer")),
        ("pack.environment_defaults", pack.hash("environment_defaults")),
        ("request.facts", facts_hash),
        ("stage.intent", stages.output(Stage::Intent)),
    ];
    stages.push(Stage::Policy, parts, hash(&policy));

    let surfaced = tools::run(pack, run, &policy.decisions, deadline.allowance());
    let granted = (&run.permissions, &run.prohibitions, run.safety_mode);
    let parts = [
        ("pack.tooling_layer", pack.hash("tooling_layer")),
        ("run_context.permissions", hash(&granted)),
        ("stage.policy", stages.output(Stage::Policy)),
    ];
    stages.push(Stage::Tools, parts, surfaced.hash());

    let ceiling = run.ceiling.map_or(pack.ceiling, |ceiling| ceiling.min(pack.ceiling));
    let parts = [
        ("pack.pack_meta", hash(&(&pack.tenant, level_word(pack.ceiling), pack.is_pinned))),
        ("run_context.snapshot", hash(&(&run.snapshot, run.ceiling.map(level_word)))),
        ("request.context_query", hash(&invoke.context_query)),
        ("request.evidence", evidence::hash_given(&governed.evidence)),
    ];
    let evidence = evidence::run(pack, run, &governed.evidence, ceiling);
    let evidence = evidence.map_err(|refusal| stages.refuse(Stage::Evidence, parts, refusal))?;
    stages.push(Stage::Evidence, parts, evidence.hash());
    Ok(GovernDecisions { intent, facts, facts_hash, policy, surfaced, ceiling, evidence })
}

/// The texts of a message, in lines.
fn join_texts(message: &Message) -> String {
    let texts: Vec<&str> =
        message.parts.iter().filter_map(|part| part.as_text().map(|text| &**text)).collect();
    texts.join("\n")
}

/// Finds the task: the last message of the user that has a text. With `text`, that message must
/// have the same text and be followed by nothing but calls and their results; otherwise the same
/// words are older and already have a reply.
fn find_task(history: &[Message], text: Option<&Arc<str>>) -> Option<usize> {
    let is_task = |message: &Message| message.role == Role::User && !join_texts(message).is_empty();
    let at = history.iter().rposition(is_task)?;
    let Some(text) = text else { return Some(at) };
    let is_same = history.get(at).is_some_and(|message| *join_texts(message) == **text);
    let mut rest = history.iter().skip(at + 1);
    let is_open = rest.all(|message| message.role != Role::Assistant || message.has_tool_calls());
    (is_same && is_open).then_some(at)
}
