//! Enums of the OpenAPI description: texts in requests that have a closed list of values.
//!
//! Each row refers to the table that the reader of the request uses, so that the description lists
//! the values that are accepted.

use crate::domain::{
    ActorKind, AllowedNotations, CandidateState, Classification, CompilationStatus, DelegationPath,
    DelegationStatus, MemoryClass, MemoryStatus, MemoryTier, RecordLevel, Resolution,
    ReviewVerdict, Scope, SkillFormat, Target,
};
use crate::service::compilations::REPLAY_MODES;
use crate::service::compile::{
    CACHE_TTLS, COMPRESSED_BY, CacheState, Level, OnArrival, REPAIR_MODES, TailPlacement,
    ThinkingPolicy,
};
use crate::service::compress::{COMPRESS_LEVELS, Originals};
use crate::service::hooks::queue::DELIVERY_STATES;
use crate::service::hooks::{
    BUILTIN_NAMES, DeliveryMode, EnforcementMode, KINDS, OnFailure, POINTS,
};
use crate::service::memory::{MEMORY_TYPES, MemoryAct};
use crate::service::sessions::SWITCH_REASONS;
use crate::service::tools::RESULT_LEVELS;

/// The values that a text may have.
pub(super) type Words = Vec<&'static str>;

/// A query parameter with a closed list of values.
#[derive(Debug, Clone, Copy)]
pub struct EnumParameter {
    pub path: &'static str,
    pub name: &'static str,
    pub words: fn() -> Words,
}

/// A member of a schema with a closed list of values, or a list of such values.
#[derive(Debug, Clone, Copy)]
pub struct EnumMember {
    pub schema: &'static str,
    pub name: &'static str,
    /// The schema that lists the values.
    pub type_name: &'static str,
    pub words: fn() -> Words,
}

/// `format` of `GET /skills`; `None` for rows as JSON.
pub(super) const SKILL_LIST_FORMATS: &[(&str, Option<SkillFormat>)] =
    &[("json", None), ("plain", Some(SkillFormat::Plain)), ("xml", Some(SkillFormat::Xml))];
/// `format` of `GET /memory`: whether each entry is a line of JSON.
pub(super) const MEMORY_LIST_FORMATS: &[(&str, bool)] = &[("json", false), ("jsonl", true)];
/// `verify` of `GET /memory-candidates/events`: whether the hash chains of the logs are checked.
pub(super) const VERIFY_FLAGS: &[(&str, bool)] =
    &[("1", true), ("true", true), ("0", false), ("false", false)];
/// `as` of `GET /events`: whether events are sent without their type.
pub(super) const EVENT_SHAPES: &[(&str, bool)] = &[("message", true), ("event", false)];
/// `format` of `GET /events`: whether the response is a page, not a stream.
pub(super) const EVENT_FORMATS: &[(&str, bool)] = &[("json", true), ("sse", false)];
/// `format` of `POST /compile`: whether only members of the published schema are returned.
pub(super) const COMPILE_FORMATS: &[(&str, bool)] = &[("full", false), ("contextos-v1", true)];

#[rustfmt::skip]
pub const ENUM_PARAMETERS: &[EnumParameter] = &[
    EnumParameter { path: "/skills", name: "format", words: || list_words(SKILL_LIST_FORMATS) },
    EnumParameter { path: "/memory", name: "format", words: || list_words(MEMORY_LIST_FORMATS) },
    EnumParameter { path: "/memory", name: "tier", words: || list_words(MemoryTier::WORDS) },
    EnumParameter { path: "/memory", name: "status", words: || list_words(MemoryStatus::WORDS) },
    EnumParameter { path: "/memory-candidates", name: "state", words: || list_words(CandidateState::WORDS) },
    EnumParameter { path: "/memory-candidates/events", name: "verify", words: || list_words(VERIFY_FLAGS) },
    EnumParameter { path: "/events", name: "as", words: || list_words(EVENT_SHAPES) },
    EnumParameter { path: "/events", name: "format", words: || list_words(EVENT_FORMATS) },
    EnumParameter { path: "/compile", name: "format", words: || list_words(COMPILE_FORMATS) },
    EnumParameter { path: "/compilations", name: "status", words: || list_words(CompilationStatus::WORDS) },
    EnumParameter { path: "/compilations", name: "record", words: || list_words(RecordLevel::KEPT) },
    EnumParameter { path: "/compilations", name: "target", words: targets },
    EnumParameter { path: "/hooks", name: "point", words: points },
    EnumParameter { path: "/hooks/{id}/deliveries", name: "state", words: || list_words(DELIVERY_STATES) },
];

#[rustfmt::skip]
pub const ENUM_MEMBERS: &[EnumMember] = &[
    EnumMember { schema: "MemoryWrite", name: "classification", type_name: "Classification", words: || list_words(Classification::WORDS) },
    EnumMember { schema: "MemoryWrite", name: "tier", type_name: "MemoryTier", words: || list_words(MemoryTier::WORDS) },
    EnumMember { schema: "MemoryChange", name: "classification", type_name: "Classification", words: || list_words(Classification::WORDS) },
    EnumMember { schema: "MemoryChange", name: "tier", type_name: "MemoryTier", words: || list_words(MemoryTier::WORDS) },
    EnumMember { schema: "CandidateProposal", name: "class", type_name: "MemoryClass", words: || list_words(MemoryClass::WORDS) },
    EnumMember { schema: "CandidateProposal", name: "classification", type_name: "Classification", words: || list_words(Classification::WORDS) },
    EnumMember { schema: "CandidateProposal", name: "tier", type_name: "MemoryTier", words: || list_words(MemoryTier::WORDS) },
    EnumMember { schema: "CandidatePromotion", name: "classification", type_name: "Classification", words: || list_words(Classification::WORDS) },
    EnumMember { schema: "CandidatePromotion", name: "tier", type_name: "MemoryTier", words: || list_words(MemoryTier::WORDS) },
    EnumMember { schema: "CandidatePromotion", name: "resolution", type_name: "ContradictionResolution", words: || list_words(Resolution::WORDS) },
    EnumMember { schema: "CandidateReview", name: "classification", type_name: "Classification", words: || list_words(Classification::WORDS) },
    EnumMember { schema: "CandidateReview", name: "verdict", type_name: "ReviewVerdict", words: || list_words(ReviewVerdict::WORDS) },
    EnumMember { schema: "CandidateActor", name: "kind", type_name: "ActorKind", words: || list_words(ActorKind::WORDS) },
    EnumMember { schema: "WritePolicy", name: "classes", type_name: "MemoryClass", words: || list_words(MemoryClass::WORDS) },
    EnumMember { schema: "WritePolicy", name: "auto_promote_classes", type_name: "MemoryClass", words: || list_words(MemoryClass::WORDS) },
    EnumMember { schema: "MemoryActRequest", name: "action", type_name: "MemoryAction", words: || list_words(MemoryAct::WORDS) },
    EnumMember { schema: "MemoryActRequest", name: "type", type_name: "MemoryType", words: || list_words(MEMORY_TYPES) },
    EnumMember { schema: "CreateKey", name: "scopes", type_name: "KeyScope", words: || list_words(Scope::ALL) },
    EnumMember { schema: "ChangeKey", name: "scopes", type_name: "KeyScope", words: || list_words(Scope::ALL) },
    EnumMember { schema: "HookDefinition", name: "point", type_name: "HookPointName", words: points },
    EnumMember { schema: "HookDefinition", name: "points", type_name: "HookPointName", words: points },
    EnumMember { schema: "HookDefinition", name: "kind", type_name: "HookKind", words: kinds },
    EnumMember { schema: "HookDefinition", name: "builtin", type_name: "BuiltInHook", words: || BUILTIN_NAMES.to_vec() },
    EnumMember { schema: "HookDefinition", name: "mode", type_name: "EnforcementMode", words: || list_words(EnforcementMode::WORDS) },
    EnumMember { schema: "HookDefinition", name: "delivery", type_name: "DeliveryMode", words: || list_words(DeliveryMode::WORDS) },
    EnumMember { schema: "HookDefinition", name: "on_failure", type_name: "OnFailure", words: || list_words(OnFailure::WORDS) },
    EnumMember { schema: "TestHook", name: "point", type_name: "HookPointName", words: points },
    EnumMember { schema: "TestNewHook", name: "point", type_name: "HookPointName", words: points },
    EnumMember { schema: "SwitchSession", name: "reason", type_name: "SwitchReason", words: || list_words(SWITCH_REASONS) },
    EnumMember { schema: "Delegation", name: "status", type_name: "DelegationStatus", words: || list_words(DelegationStatus::WORDS) },
    EnumMember { schema: "Delegation", name: "path", type_name: "DelegationPath", words: || list_words(DelegationPath::WORDS) },
    EnumMember { schema: "CompressRequest", name: "level", type_name: "CompressLevel", words: || list_words(COMPRESS_LEVELS) },
    EnumMember { schema: "CompressRequest", name: "originals", type_name: "OriginalsPolicy", words: || list_words(Originals::WORDS) },
    EnumMember { schema: "CompressionOptions", name: "level", type_name: "CompressionLevel", words: || list_words(Level::WORDS) },
    EnumMember { schema: "CompressionOptions", name: "by", type_name: "CompressedBy", words: || list_words(COMPRESSED_BY) },
    EnumMember { schema: "CompressionOptions", name: "on_arrival", type_name: "OnArrival", words: || list_words(OnArrival::WORDS) },
    EnumMember { schema: "CompressionOptions", name: "notations", type_name: "AllowedNotations", words: || list_words(AllowedNotations::WORDS) },
    EnumMember { schema: "CompressRequest", name: "notations", type_name: "AllowedNotations", words: || list_words(AllowedNotations::WORDS) },
    EnumMember { schema: "ToolResultsRequest", name: "notations", type_name: "AllowedNotations", words: || list_words(AllowedNotations::WORDS) },
    EnumMember { schema: "CompressionOptions", name: "thinking", type_name: "ThinkingPolicy", words: || list_words(ThinkingPolicy::WORDS) },
    EnumMember { schema: "ToolResultsRequest", name: "compression", type_name: "ResultLevel", words: || list_words(RESULT_LEVELS) },
    EnumMember { schema: "CacheOptions", name: "ttl", type_name: "CacheTtl", words: || list_words(CACHE_TTLS) },
    EnumMember { schema: "CacheOptions", name: "state", type_name: "CacheState", words: || list_words(CacheState::WORDS) },
    EnumMember { schema: "CompileRequest", name: "repair", type_name: "RepairMode", words: || list_words(REPAIR_MODES) },
    EnumMember { schema: "CompressRequest", name: "repair", type_name: "RepairMode", words: || list_words(REPAIR_MODES) },
    EnumMember { schema: "CompileRequest", name: "tail_placement", type_name: "TailPlacement", words: || list_words(TailPlacement::WORDS) },
    EnumMember { schema: "CompileRequest", name: "record", type_name: "RecordLevel", words: || list_words(RecordLevel::WORDS) },
    EnumMember { schema: "ReplayRequest", name: "mode", type_name: "ReplayMode", words: || list_words(REPLAY_MODES) },
];

/// Returns the values of a parameter; `None` if it may be any text.
pub(super) fn parameter_words(path: &str, name: &str) -> Option<Words> {
    let row = ENUM_PARAMETERS.iter().find(|row| row.path == path && row.name == name);
    row.map(|row| (row.words)())
}

fn list_words<T>(words: &[(&'static str, T)]) -> Words {
    words.iter().map(|(word, _)| *word).collect()
}

fn targets() -> Words {
    list_words(Target::WORDS)
}

fn points() -> Words {
    POINTS.iter().map(|point| point.as_str()).collect()
}

fn kinds() -> Words {
    KINDS.iter().map(|kind| kind.as_str()).collect()
}
