//! The eight stages of a compile under a pack.
//!
//! Each is a plain function of what it is given: no clock, no chance, no order but that of the
//! documents. What comes out is a conversation for the stages behind, which may only write it down
//! in the target's shape, and the account of how it came to be.

mod blocks;
mod buckets;
mod budget;
mod controls;
mod evidence;
mod intent;
mod ledger;
mod manifests;
mod memory;
mod policy;
mod preflight;
mod published;
mod render;
mod session;
mod tools;

pub use published::published;

use std::sync::Arc;

use serde_json::{Value, json};

use self::blocks::Maker;
pub use self::ledger::GovernedStage;
use self::ledger::{Stages, hash, shown};
use crate::domain::{Classification, ContentHash, Conversation, Message, Notes, Role, Target};
use crate::json::{self, Limits};
use crate::pack::{CLASSIFICATIONS, Pack, Refusal, RefusalCode};
use crate::policy as rules;
use crate::request::{Governed, MemoryRecord};

/// What a compile under a pack works with.
#[derive(Clone, Copy)]
pub struct GovernInput<'i> {
    pub pack: &'i Pack,
    pub governed: &'i Governed,
    /// Candidates: those of the request, or those of the store.
    pub memory: &'i [MemoryRecord],
    /// How often the tenant's entries were changed before.
    pub store_revision: u64,
    pub tokenizer: &'i str,
    /// Tokens that the payload may take in all.
    pub budget: u64,
    pub target: Target,
    /// Counts a text for the model.
    pub count: &'i dyn Fn(&str) -> u64,
}

impl std::fmt::Debug for GovernInput<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GovernInput").field("pack", &self.pack.reference).finish_non_exhaustive()
    }
}

/// What governs a payload.
#[derive(Debug)]
pub struct GovernOutput {
    /// To be sent as it is.
    pub conversation: Conversation,
    /// What was compiled, with its manifests, controls, budget and ledger.
    pub context: Value,
    /// Over the canonical JSON of `context`.
    pub hash: ContentHash,
    /// What belongs to this one call.
    pub meta: Value,
    /// Texts that stand in what is sent.
    pub shown: Vec<String>,
    /// What each stage was given and gave.
    pub stages: Vec<GovernedStage>,
}

impl GovernOutput {
    /// Notes on the ledger what hooks did behind the stages.
    pub fn tell_hooks(&mut self, hooks: Value) {
        if let Some(ledger) = self.context.get_mut("context_ledger").and_then(Value::as_object_mut)
        {
            ledger.insert("hooks".to_owned(), hooks);
            ledger.remove("hash");
            let own = shown(&hash(&Value::Object(ledger.clone())));
            ledger.insert("hash".to_owned(), own.into());
        }
        self.hash = hash(&self.context);
    }
}

/// The word of a pack for a level.
fn word(level: Classification) -> &'static str {
    crate::domain::word_of(CLASSIFICATIONS, level)
}

fn proposed<'p>(pack: &'p Pack, governed: &'p Governed) -> intent::Input<'p> {
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
pub fn governed_intent(pack: &Pack, governed: &Governed) -> Result<Arc<str>, Refusal> {
    preflight::check(pack, governed)?;
    intent::run(&proposed(pack, governed)).map(|intent| intent.id)
}

/// Compiles a conversation under a pack.
#[expect(clippy::too_many_lines, reason = "the eight stages, one after another")]
pub fn govern(
    input: GovernInput<'_>,
    conversation: Conversation,
    notes: &mut Notes,
) -> Result<GovernOutput, Refusal> {
    preflight::check(input.pack, input.governed)?;
    let conversation = super::ingest::run(conversation, input.target, notes);
    let GovernInput { pack, governed, .. } = input;
    let (run, invoke) = (&governed.run, &governed.invoke);
    let mut stages = Stages::default();

    let proposed = proposed(pack, governed);
    let intent = intent::run(&proposed)?;
    let asked = json!([proposed.proposed, proposed.pinned, proposed.channel, proposed.locale]);
    let parts =
        [("pack.intent_layer", pack.hash("intent_layer")), ("request.intent", hash(&asked))];
    stages.push("intent", parts, &intent::told(&intent));

    let facts = preflight::facts(pack, governed, &intent);
    let facts_hash = hash(&facts);
    let text = json::jcs_value(&facts);
    // It was written a line above.
    let facts = json::parse(&text, Limits::default())
        .map_or(rules::Value::Null, |node| rules::Value::of(&node));
    let policy = policy::run(&policy::Input {
        layer: &pack.policy,
        layer_hash: pack.hash("policy_layer"),
        facts: &facts,
        facts_hash,
        intent: &intent.id,
    });
    let parts = [
        ("pack.policy_layer", pack.hash("policy_layer")),
        ("pack.environment_defaults", pack.hash("environment_defaults")),
        ("request.facts", facts_hash),
        ("stage.intent", stages.output("intent")),
    ];
    stages.push("policy", parts, &policy.told());

    let surfaced = tools::run(pack, run, &policy.decisions);
    let granted = json!([run.permissions, run.prohibitions, run.safety_mode.as_str()]);
    let parts = [
        ("pack.tooling_layer", pack.hash("tooling_layer")),
        ("run_context.permissions", hash(&granted)),
        ("stage.policy", stages.output("policy")),
    ];
    stages.push("tools", parts, &surfaced.told());

    let ceiling = run.ceiling.map_or(pack.ceiling, |ceiling| ceiling.min(pack.ceiling));
    let evidence = evidence::run(pack, run, &governed.evidence, ceiling)?;
    let parts = [
        ("pack.pack_meta", hash(&json!([pack.tenant, word(pack.ceiling), pack.is_pinned]))),
        ("run_context.snapshot", hash(&json!([run.snapshot, run.ceiling.map(word)]))),
        ("request.context_query", hash(&invoke.context_query)),
        ("request.evidence", hash(&evidence::candidates(&governed.evidence))),
    ];
    stages.push("evidence", parts, &evidence.told());

    let memory = memory::run(&pack.memory, run, &intent.id, input.memory, ceiling);
    let parts = [
        ("pack.memory_layer", pack.hash("memory_layer")),
        ("run_context.subject", hash(&json!([run.tenant_id, run.subject, word(ceiling)]))),
        ("store.memory", hash(&memory::candidates(input.memory))),
        ("stage.intent", stages.output("intent")),
    ];
    stages.push("memory", parts, &memory.told());

    let allocation = budget::run(&pack.budget, run.bucket_tokens, &intent, input.budget);
    let parts = [
        ("pack.budget_layer", pack.hash("budget_layer")),
        ("run_context.bucket_tokens", hash(&json!([run.bucket_tokens, input.budget]))),
        ("stage.intent", stages.output("intent")),
    ];
    stages.push("budget", parts, &allocation.told());

    let session = session::Session::of(conversation, invoke).ok_or_else(|| {
        let detail = "there is no task: neither `input.message` nor a message of the user";
        Refusal::new(RefusalCode::CtxInvalid, Some("buckets"), detail).at("/request/input/message")
    })?;
    let wanted = controls::wanted(pack, &policy.decisions);
    let mut maker =
        Maker { redaction: &pack.policy.redaction, count: input.count, made: Vec::new() };
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
    let buckets = buckets::run(maker.made, &allocation.allocations, pack.budget.rollover)?;
    let parts = [
        ("pack.tone_and_comms", pack.hash("tone_and_comms")),
        ("pack.business_context", pack.hash("business_context")),
        ("pack.redaction_rules", pack.hash("redaction_rules")),
        ("request.message", ContentHash::of(&session.task)),
        ("request.conversation", session.hash()),
        (
            "request.blocks",
            hash(&json!(governed.blocks.iter().map(|b| &b.text).collect::<Vec<_>>())),
        ),
        ("tokenizer", hash(&json!(input.tokenizer))),
        ("stage.policy", stages.output("policy")),
        ("stage.tools", stages.output("tools")),
        ("stage.evidence", stages.output("evidence")),
        ("stage.memory", stages.output("memory")),
        ("stage.budget", stages.output("budget")),
    ];
    stages.push("buckets", parts, &buckets.told());

    let (conversation, foreign) = session.into_conversation(pack, &surfaced, &buckets);
    let manifests = manifests::run(&manifests::Input {
        policy: &policy,
        tools: &surfaced,
        foreign: &foreign,
        evidence: &evidence,
        memory: &memory,
        buckets: &buckets,
    });
    let controls = controls::run(&controls::Input {
        pack,
        facts: &facts,
        decisions: &policy.decisions,
        surfaced: &surfaced.surfaced,
        evidence: &evidence,
        buckets: &buckets,
        manifest: manifests.get("evidence_manifest").unwrap_or(&Value::Null),
    });
    let parts = [
        ("pack.approval_gates", pack.hash("approval_gates")),
        ("pack.guardrails", pack.hash("guardrails")),
        ("request.facts", facts_hash),
        ("stage.buckets", stages.output("buckets")),
        ("stage.policy", stages.output("policy")),
        ("stage.tools", stages.output("tools")),
    ];
    stages.push("manifests", parts, &json!([manifests, controls.controls]));

    let report =
        manifests::budget(&allocation, &buckets, (input.tokenizer, &run.limits), input.count);
    let ledger = preflight::ledger(&preflight::Ledger {
        input: &input,
        intent: &intent,
        allocation: &allocation,
        buckets: &buckets,
        manifests: &manifests,
        facts_hash,
        stages: &stages,
    });
    let context = json!({
        "schema": "compiled-context/1",
        "pack_ref": pack.reference.to_string(),
        "pack_digest": shown(&pack.digest),
        "governed": true,
        "intent": intent::told(&intent),
        "compiled_prompt": manifests::prompt(&buckets),
        "manifests": manifests,
        "runtime_controls": controls.controls,
        "budget_report": report,
        "context_ledger": ledger,
    });
    let mut diagnostics = controls.diagnostics;
    diagnostics.extend(
        surfaced.above.iter().map(|key| json!({"code": "policy_mode_above_ceiling", "key": key})),
    );
    let meta = preflight::meta(&input, &policy, &diagnostics);
    let kept = buckets.blocks.iter().filter(|one| one.is_kept);
    let kept = kept.filter(|one| !matches!(&*one.block.bucket, "task" | "session"));
    let mut shown_texts: Vec<String> = kept.map(render::wrapped).collect();
    let task = buckets.blocks.iter().find(|one| &*one.block.bucket == "task");
    shown_texts.extend(task.map(|one| one.block.text.clone()));
    let stages = stages.lines();
    let hash = hash(&context);
    Ok(GovernOutput { conversation, hash, context, meta, shown: shown_texts, stages })
}

/// The texts of a message, in lines.
fn words(message: &Message) -> String {
    let texts: Vec<&str> =
        message.parts.iter().filter_map(|part| part.as_text().map(|text| &**text)).collect();
    texts.join("\n")
}

/// The last message of the user that has a text.
fn last_user(history: &[Message], text: Option<&Arc<str>>) -> Option<usize> {
    history.iter().rposition(|message| {
        let own = words(message);
        message.role == Role::User && !own.is_empty() && text.is_none_or(|text| *own == **text)
    })
}
