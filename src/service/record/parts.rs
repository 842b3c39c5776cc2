//! Builds the ledger of a compile: the output of each stage, and the inputs from outside that
//! reached the stage.

use super::Inputs;
use crate::domain::{ContentHash, Ledger, Stage};
use crate::hook::HookRun;
use crate::json::{self, Node};
use crate::pipeline::{GovernedStage, Hashes};
use crate::provider::is_response_limit;
use crate::request;

/// The keys of a request and the stages that read them. A key without a row has no effect on a
/// payload.
const KEYS: &[(&str, &[Stage])] = &[
    ("source", &[Stage::Ingest]),
    ("target", &[Stage::Ingest, Stage::Budget, Stage::Compress, Stage::Assemble, Stage::Format]),
    ("memory", &[Stage::Memory, Stage::Budget, Stage::Assemble]),
    ("budget", &[Stage::Budget, Stage::Manifest]),
    ("model", &[Stage::Manifest]),
    ("compression", &[Stage::Compress, Stage::Assemble]),
    ("protect", &[Stage::Compress]),
    ("dynamic_state", &[Stage::Budget, Stage::Inject]),
    ("dynamic_state_placement", &[Stage::Budget, Stage::Inject, Stage::Assemble]),
    ("dynamic_state_anchor", &[Stage::Budget, Stage::Inject]),
    ("tail_placement", &[Stage::Ingest, Stage::Budget, Stage::Transform]),
    ("implicit_context", &[Stage::Budget, Stage::Inject]),
    ("output", &[Stage::Budget, Stage::Assemble]),
    ("skill", &[Stage::Budget, Stage::Assemble]),
    ("cache", &[Stage::Transform]),
    ("cache_control", &[Stage::Transform, Stage::Format]),
    ("prompt_cache_key", &[Stage::Format]),
    ("prompt_cache_options", &[Stage::Transform, Stage::Format]),
    ("prompt_cache_retention", &[Stage::Transform, Stage::Format]),
    ("cachedContent", &[Stage::Format]),
    ("cached_content", &[Stage::Format]),
    ("session_id", &[Stage::Format]),
    ("explain", &[Stage::Manifest]),
];

/// A part of what a compile was given, and the stages that read it.
struct RequestPart<'s> {
    stages: &'s [Stage],
    name: String,
    hash: ContentHash,
}

/// The stages that a member given back with `passthrough` has an effect on.
fn stages_of_passed(name: &str) -> &'static [Stage] {
    // The reserve is the limit of the response if the request gives no other.
    if is_response_limit(name) {
        &[Stage::Budget, Stage::Manifest, Stage::Format]
    } else {
        &[Stage::Format]
    }
}

/// Builds the ledger of a compile of `request`. Values are hashed in canonical form, so the order
/// and spelling of members make no difference. Under a pack, all lines but those of `transform` and
/// `format` are lines of the pack.
pub(crate) fn ledger(
    request: &Node<'_>,
    hashes: &Hashes,
    inputs: &Inputs,
    runs: &[HookRun],
) -> Ledger {
    let mut known: Vec<RequestPart<'_>> = Vec::new();
    let given = |key: &str| request.get(key).filter(|node| !node.is_null());
    let passed = request::passed_names(request);
    let passed = passed.into_iter().map(|name| (name, stages_of_passed(name)));
    for (key, stages) in KEYS.iter().copied().chain(passed) {
        // Only the key of the provider's cache is made from the session's id.
        let has_effect = key != "session_id" || given("cache").is_some();
        if let Some(node) = given(key).filter(|_| has_effect) {
            let mut text = String::new();
            json::canonical(&mut text, node);
            let name = format!("request.{key}");
            known.push(RequestPart { stages, name, hash: ContentHash::of(&text) });
        }
    }
    let mut add =
        |stages, name: &str, hash| known.push(RequestPart { stages, name: name.to_owned(), hash });
    if let Some(hash) = hashes.messages {
        add(&[Stage::Ingest], "request.messages", hash);
    }
    if let Some(hash) = hashes.tools {
        add(&[Stage::Ingest], "request.tools", hash);
    }
    if let Some(entries) = &inputs.memory {
        add(&[Stage::Memory], "store.memory", ContentHash::of(&super::body::memory_text(entries)));
    }
    if !inputs.adapters.is_empty() {
        // A definition is plain data with ordered lists, so its debug text is always the same.
        let text = format!("{:?}", inputs.adapters);
        add(&[Stage::Compress], "store.adapters", ContentHash::of(&text));
    }
    let model = super::body::model_text(&inputs.model);
    add(&[Stage::Budget, Stage::Assemble], "server.model", ContentHash::of(&model));

    if let Some(factor) = inputs.calibration {
        let once = if factor.may_drop { "" } else { ", reported once" };
        add(
            &[Stage::Budget, Stage::Manifest],
            "session.factor",
            ContentHash::of(&format!("{}{once}", factor.milli)),
        );
    }
    if !inputs.points.is_empty() {
        add(&[Stage::Compress], "session.points", ContentHash::of(&format!("{:?}", inputs.points)));
    }
    if let Some(sent) = inputs.sent.as_ref().filter(|sent| !sent.is_empty()) {
        let text = serde_json::to_string(sent).unwrap_or_default();
        add(&[Stage::Ingest, Stage::Transform], "session.sent", ContentHash::of(&text));
    }
    if !inputs.summaries.is_empty() {
        let text = super::summaries::text(&inputs.summaries, false);
        add(&[Stage::Compress], "effects.summaries", ContentHash::of(&text));
    }
    let brought = super::hooks::parts(runs);
    let governed = &inputs.governed;
    let of_pack = |stage: &Stage| !matches!(stage, Stage::Transform | Stage::Format);
    let own = hashes.outputs.iter().filter(|(stage, _)| !inputs.is_governed || !of_pack(stage));
    let mut lines: Vec<_> = own
        .map(|(stage, output)| {
            let parts = known.iter().filter(|part| part.stages.contains(stage));
            let parts = parts.map(|part| (part.name.clone(), part.hash)).collect();
            GovernedStage { stage: *stage, parts, output: *output }
        })
        .chain(governed.iter().cloned())
        .collect();
    lines.sort_by_key(|line| line.stage);
    let mut ledger = Ledger::default();
    for mut line in lines {
        let hooks = brought.iter().filter(|part| part.stage == line.stage);
        line.parts.extend(hooks.map(|part| (part.name.clone(), part.hash)));
        ledger.push(line.stage, line.parts, line.output);
    }
    ledger
}
