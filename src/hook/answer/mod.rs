//! The answers of hooks, read strictly: anything that is not an answer is a failure.

use std::sync::Arc;

use super::failure::{CallFailure, FailureCause};
use super::point::{HookKind, Point, ProvideRule};
use crate::json::{Faults, Fields, Limits, Node, Path, parse};

/// The answer of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookAnswer {
    /// A guard lets it go on.
    Allow,
    /// A guard stops it. The reason is for the model or the caller to read, the code for programs.
    Deny {
        reason: Arc<str>,
        code: Option<Arc<str>>,
    },
    /// A transform changes nothing.
    Unchanged,
    /// JSON text of the new payload.
    Replace(Arc<str>),
    /// JSON text of an RFC 6902 patch of the input.
    JsonPatch(Arc<str>),
    /// JSON text of an RFC 7396 patch of the input.
    MergePatch(Arc<str>),
    /// A provide hook has nothing to add.
    Nothing,
    Fragments(Vec<ProvidedText>),
    /// JSON text of the answer that the point asks for.
    Typed(Arc<str>),
    /// The acknowledgement of an observe hook.
    Observed,
}

/// A piece of text as a hook gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvidedText {
    pub content: Arc<str>,
    /// Fragments of higher priority come first.
    pub priority: i32,
    /// The most tokens that it may take; none: as many as the hook may.
    pub max_tokens: Option<u32>,
    /// Of all fragments with the same word only one is used.
    pub exclusive_slot: Option<Arc<str>>,
    pub include: IncludePlace,
    /// Under a pack, the bucket of the text; `None` for the bucket of the session.
    pub bucket: Option<Arc<str>>,
}

impl ProvidedText {
    /// A text of which nothing else is said.
    fn new(content: &str) -> Self {
        Self {
            content: content.into(),
            priority: 0,
            max_tokens: None,
            exclusive_slot: None,
            include: IncludePlace::default(),
            bucket: None,
        }
    }
}

/// Place of text that was provided before a compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IncludePlace {
    /// Into the prompt of the summary.
    #[default]
    SummaryInput,
    /// Verbatim, after the summary.
    Verbatim,
}

/// Values of one answer: what they take in memory is bounded with them.
const LIMITS: Limits = Limits { depth: 64, values: 100_000 };
/// Characters of a reason and of a code.
const MAX_REASON_CHARS: usize = 2000;
const MAX_CODE_CHARS: usize = 100;
const MAX_FRAGMENTS: usize = 1000;
const MAX_SLOT_BYTES: usize = 64;

impl HookAnswer {
    /// Reads the body of a 2xx answer. An empty body, or `null`, means that a transform changes
    /// nothing and a provide hook adds nothing; from a guard it is a failure.
    pub fn read(point: Point, kind: HookKind, body: &str) -> Result<Self, CallFailure> {
        if kind == HookKind::Observe {
            return Ok(Self::Observed);
        }
        if body.is_empty() {
            return match kind {
                HookKind::Guard => {
                    Err(CallFailure::new(FailureCause::BadShape, "a guard answered nothing"))
                }
                HookKind::Transform => Ok(Self::Unchanged),
                HookKind::Provide | HookKind::Observe => Ok(Self::Nothing),
            };
        }
        let node = parse(body, LIMITS)
            .map_err(|error| CallFailure::new(FailureCause::BadJson, error.to_string()))?;
        let mut faults = Faults::default();
        let answer = match kind {
            HookKind::Guard => guard(&node, &mut faults),
            HookKind::Transform => transform(&node, &mut faults),
            HookKind::Provide | HookKind::Observe => provide(point, &node, &mut faults),
        };
        match (answer, faults.into_vec().first()) {
            (Some(answer), None) => Ok(answer),
            (_, Some(fault)) => {
                let place = if fault.pointer.is_empty() { "the answer" } else { &fault.pointer };
                Err(CallFailure::new(FailureCause::BadShape, format!("{place}: {}", fault.detail)))
            }
            (None, None) => {
                Err(CallFailure::new(FailureCause::BadShape, "is no answer of this kind"))
            }
        }
    }

    /// The answer of a transform as JSON, which reads back the same.
    pub(super) fn write(&self) -> Option<Arc<str>> {
        let text = match self {
            Self::Unchanged => "{\"action\":\"unchanged\"}".to_owned(),
            Self::Replace(new) => format!("{{\"action\":\"replace\",\"payload\":{new}}}"),
            Self::JsonPatch(patch) => format!("{{\"action\":\"json_patch\",\"patch\":{patch}}}"),
            Self::MergePatch(patch) => format!("{{\"action\":\"merge_patch\",\"patch\":{patch}}}"),
            _ => return None,
        };
        Some(text.into())
    }
}

fn guard(node: &Node<'_>, faults: &mut Faults) -> Option<HookAnswer> {
    let denies = node.get("decision").and_then(Node::as_str) == Some("deny");
    let keys: &[&str] = if denies { &["decision", "reason", "code"] } else { &["decision"] };
    let fields = Fields::read(node, Path::Root, keys, faults)?;
    let words = [("allow", false), ("deny", true)];
    if fields.get("decision").is_none() {
        fields.fault("decision", "is missing", faults);
    }
    if !fields.choice("decision", &words, faults)? {
        return Some(HookAnswer::Allow);
    }
    let short = |text: &str, most: usize| text.chars().take(most).collect::<String>().into();
    let reason = fields.text("reason", faults).unwrap_or("denied without a reason");
    let code = fields.text("code", faults).map(|code| short(code, MAX_CODE_CHARS));
    Some(HookAnswer::Deny { reason: short(reason, MAX_REASON_CHARS), code })
}

fn transform(node: &Node<'_>, faults: &mut Faults) -> Option<HookAnswer> {
    if node.is_null() {
        return Some(HookAnswer::Unchanged);
    }
    let action = node.get("action").and_then(Node::as_str);
    let key = match action {
        Some("replace") => Some("payload"),
        Some("json_patch" | "merge_patch") => Some("patch"),
        _ => None,
    };
    let keys: Vec<&str> = ["action"].into_iter().chain(key).collect();
    let fields = Fields::read(node, Path::Root, &keys, faults)?;
    if fields.get("action").is_none() {
        fields.fault("action", "is missing", faults);
    }
    let words = ["unchanged", "replace", "json_patch", "merge_patch"].map(|word| (word, word));
    let action = fields.choice("action", &words, faults)?;
    if action == "unchanged" {
        return Some(HookAnswer::Unchanged);
    }
    // A payload that is null is one: a value that is deleted.
    let Some(value) = node.get(key.unwrap_or_default()) else {
        fields.fault(key.unwrap_or_default(), "is missing", faults);
        return None;
    };
    let text: Arc<str> = value.raw.into();
    Some(match action {
        "replace" => HookAnswer::Replace(text),
        "json_patch" => HookAnswer::JsonPatch(text),
        _ => HookAnswer::MergePatch(text),
    })
}

fn provide(point: Point, node: &Node<'_>, faults: &mut Faults) -> Option<HookAnswer> {
    if node.is_null() {
        return Some(HookAnswer::Nothing);
    }
    match point.provides() {
        ProvideRule::Text { include } => fragments(node, include, faults),
        // A bare text is the one member that the point asks for.
        ProvideRule::First(&[key]) if node.as_str().is_some() => {
            Some(HookAnswer::Typed(format!("{{\"{key}\":{}}}", node.raw).into()))
        }
        ProvideRule::First(keys) | ProvideRule::Every(keys) => {
            let fields = Fields::read(node, Path::Root, keys, faults)?;
            if keys.iter().all(|key| fields.get(key).is_none()) {
                faults.add(&Path::Root, format!("must hold one of {}", keys.join(", ")));
            }
            Some(HookAnswer::Typed(node.raw.into()))
        }
        ProvideRule::Nothing => None,
    }
}

fn fragments(node: &Node<'_>, include: bool, faults: &mut Faults) -> Option<HookAnswer> {
    if let Some(text) = node.as_str() {
        return Some(if text.is_empty() {
            HookAnswer::Nothing
        } else {
            HookAnswer::Fragments(vec![ProvidedText::new(text)])
        });
    }
    let single: &[&str] = if include { &["content", "include"] } else { &["content", "bucket"] };
    let many: &[&str] = &["fragments"];
    if node.get("fragments").is_none() {
        let fields = Fields::read(node, Path::Root, single, faults)?;
        let given = fragment(&fields, faults)?;
        let nothing = given.content.is_empty();
        return Some(if nothing {
            HookAnswer::Nothing
        } else {
            HookAnswer::Fragments(vec![given])
        });
    }
    let fields = Fields::read(node, Path::Root, many, faults)?;
    let keys: Vec<&str> =
        ["priority", "max_tokens", "exclusive_slot"].iter().chain(single).copied().collect();
    let list = fields.path().key("fragments");
    let mut all = Vec::new();
    for (index, item) in fields.list("fragments", MAX_FRAGMENTS, faults).iter().enumerate() {
        let Some(fields) = Fields::read(item, list.index(index), &keys, faults) else { continue };
        all.extend(fragment(&fields, faults));
    }
    all.retain(|given| !given.content.is_empty());
    Some(if all.is_empty() { HookAnswer::Nothing } else { HookAnswer::Fragments(all) })
}

fn fragment(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<ProvidedText> {
    if fields.get("content").is_none() {
        fields.fault("content", "is missing", faults);
    }
    let words =
        [("summary_input", IncludePlace::SummaryInput), ("verbatim", IncludePlace::Verbatim)];
    let slot = fields.text("exclusive_slot", faults);
    if slot.is_some_and(|slot| slot.is_empty() || slot.len() > MAX_SLOT_BYTES) {
        fields.fault("exclusive_slot", format!("must be 1 to {MAX_SLOT_BYTES} bytes"), faults);
    }
    let bucket = fields.text("bucket", faults);
    if bucket.is_some_and(|bucket| bucket.is_empty() || bucket.len() > MAX_SLOT_BYTES) {
        fields.fault("bucket", format!("must be 1 to {MAX_SLOT_BYTES} bytes"), faults);
    }
    let priority = fields.integer("priority", -1_000_000, 1_000_000, faults).unwrap_or_default();
    let tokens = fields.whole("max_tokens", 1, 1_000_000, faults);
    Some(ProvidedText {
        content: fields.text("content", faults)?.into(),
        priority: i32::try_from(priority).unwrap_or_default(),
        max_tokens: tokens.and_then(|tokens| u32::try_from(tokens).ok()),
        exclusive_slot: slot.map(Arc::from),
        include: fields.choice("include", &words, faults).unwrap_or_default(),
        bucket: bucket.map(Arc::from),
    })
}

#[cfg(test)]
mod tests;
