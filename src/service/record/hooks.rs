//! Hooks in a record: the pinned hooks with their order, and the answer of each.

use std::fmt::Write as _;
use std::sync::Arc;

use super::texts::{object_members, take_apart};
use crate::domain::{ContentHash, RawJson, Stage};
use crate::hook::{
    GivenId, Hook, HookChecks, HookKind, HookRun, HookSet, Manifest, Point, hook_patterns,
    read_hook_within,
};
use crate::json::{self, Faults, Limits, Node, Path, write_string};
use crate::store::Batch;

/// The stage that hooks at a point affect; none if they do not affect the payload.
fn stage_of(point: Point) -> Option<Stage> {
    match point {
        Point::ToolResult => Some(Stage::Ingest),
        Point::RetrieveEvidence => Some(Stage::Evidence),
        Point::RecallMemory => Some(Stage::Memory),
        // `Summarize` is not here: summaries are recorded as effects of their own.
        Point::BeforeCompress | Point::CompressFormat => Some(Stage::Compress),
        Point::BeforeCompile => Some(Stage::Inject),
        Point::TransformContext => Some(Stage::Transform),
        _ => None,
    }
}

/// The answers of hooks at one point, as an input of a stage.
pub(super) struct HookPart {
    pub(super) stage: Stage,
    pub(super) name: String,
    pub(super) hash: ContentHash,
}

/// The inputs of stages that came from hooks, one for each point.
pub(super) fn parts(runs: &[HookRun]) -> Vec<HookPart> {
    let mut found = Vec::new();
    for point in Point::ALL {
        let Some(stage) = stage_of(point) else { continue };
        let mut text = String::new();
        let said = |run: &&HookRun| run.point == point && run.kind != HookKind::Observe;
        for run in runs.iter().filter(said) {
            for part in [&*run.hook, run.word(), run.answer.as_deref().unwrap_or_default()] {
                write_string(&mut text, part);
            }
            let _ = write!(text, "{}", run.revision);
        }
        if !text.is_empty() {
            let name = format!("hooks.{}", point.as_str());
            found.push(HookPart { stage, name, hash: ContentHash::of(&text) });
        }
    }
    found
}

/// Where the texts of a full record are stored.
pub(super) struct RecordTexts<'t> {
    pub(super) batch: &'t mut Batch,
    /// Hashes of the texts of the record.
    pub(super) hashes: &'t mut Vec<ContentHash>,
}

/// Writes runs as JSON text: with their answers and the plans of their inputs if the record is full, else
/// with hashes of the answers.
pub(super) fn runs_text(runs: &[HookRun], mut full: Option<RecordTexts<'_>>) -> String {
    let mut out = String::from("[");
    for (index, run) in runs.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        if let Some(texts) = &mut full {
            run.write_record(&mut out);
            if let Some(plan) = run.input.as_deref().and_then(|input| texts.keep(input)) {
                out.truncate(out.len().saturating_sub(1));
                let _ = write!(out, ",\"input\":\"{plan}\"}}");
            }
            continue;
        }
        let hash = run.answer.as_deref().map(|answer| ContentHash::of(answer).to_string());
        out.push_str(
            &serde_json::json!({
                "hook": &*run.hook, "revision": run.revision, "point": run.point.as_str(),
                "kind": run.kind.as_str(), "outcome": run.word(),
                "request_digest": run.request_digest.as_deref(), "answer_hash": hash,
            })
            .to_string(),
        );
    }
    out.push(']');
    out
}

impl RecordTexts<'_> {
    /// Adds the texts of an input; returns the hash of the plan that puts it together again.
    fn keep(&mut self, input: &str) -> Option<ContentHash> {
        let node = json::parse(input, Limits::default()).ok()?;
        let members = object_members(node.as_object()?);
        Some(take_apart(self.batch, &members, self.hashes))
    }
}

/// Reads the plans of the inputs of runs, as [`runs_text`] wrote them, one for each run.
pub(crate) fn input_plans(runs: &str) -> Vec<Option<ContentHash>> {
    let node = json::parse(runs, Limits::default()).ok();
    let runs = node.as_ref().and_then(Node::as_array).unwrap_or_default().iter();
    runs.map(|run| ContentHash::parse(run.get("input")?.as_str()?)).collect()
}

/// Writes the hooks that a compile was pinned to, without secrets.
pub(super) fn set_text(set: &HookSet) -> String {
    let (mut hooks, mut order) = (String::new(), String::new());
    let mut known: Vec<&str> = Vec::new();
    for point in Point::ALL {
        let here = set.hooks_at(point);
        if here.is_empty() {
            continue;
        }
        let comma = if order.is_empty() { "" } else { "," };
        let ids: Vec<&str> = here.iter().map(|hook| &*hook.id).collect();
        let ids = serde_json::to_string(&ids).unwrap_or_default();
        let _ = write!(order, "{comma}\"{}\":{ids}", point.as_str());
        for hook in here {
            if known.contains(&&*hook.id) {
                continue;
            }
            known.push(&hook.id);
            let comma = if hooks.is_empty() { "" } else { "," };
            let _ = write!(hooks, "{comma}{{\"revision\":{},", hook.revision);
            if let Some(because) = &hook.disabled_because {
                hooks.push_str("\"disabled_because\":");
                write_string(&mut hooks, because);
                hooks.push(',');
            }
            let _ = write!(hooks, "\"definition\":{}}}", hook.write_stored());
        }
    }
    format!("{{\"hooks\":[{hooks}],\"order\":{{\"points\":{{{order}}}}}}}")
}

/// Reads the hooks of a full record without observe hooks; none if they cannot be read.
pub(crate) fn set_of(raw: &RawJson, session: Option<&str>) -> Option<HookSet> {
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    let Some(set) = node.get("hook_set") else { return Some(HookSet::default()) };
    let mut faults = Faults::default();
    let hooks = set.get("hooks")?.as_array()?.iter().map(|row| read(row, &mut faults));
    let mut hooks = hooks.collect::<Option<Vec<_>>>()?;
    hooks.retain(|hook| hook.kind != HookKind::Observe);
    let order = Manifest::read(set.get("order")?, Path::Root, &mut faults)?;
    faults.is_empty().then(|| HookSet::new(&hooks, &order, session))
}

fn read(row: &Node<'_>, faults: &mut Faults) -> Option<Arc<Hook>> {
    let definition = row.get("definition")?;
    let id = definition.get("id")?.as_str()?;
    // The URL was checked when the hook was registered, and a replay does not call it.
    let keep = |url: &str| Ok(url.to_owned());
    let mut patterns = hook_patterns().keeping_unusable();
    let checks = HookChecks { check_url: &keep, patterns: &mut patterns };
    let id = GivenId::Address(id);
    let mut hook = read_hook_within(definition, Path::Root, id, checks, faults)?;
    hook.disabled_because = row.get("disabled_because").and_then(Node::as_str).map(Arc::from);
    hook.revision = row.get("revision")?.as_u64()?;
    Some(Arc::new(hook))
}

/// Reads the hook runs of a full record; none if they cannot be read.
pub(crate) fn runs_of(raw: &RawJson) -> Option<Vec<HookRun>> {
    let node = json::parse(raw.as_str(), Limits::default()).ok()?;
    node.get("hooks")?.as_array()?.iter().map(HookRun::read_record).collect()
}
