//! Texts of requests that are one of a few values, for the API's description.
//!
//! Each row names the table that the reader of the request takes and refuses by, so that what is
//! described is what is taken.

use crate::domain::{
    ActorKind, CandidateState, Classification, CompilationStatus, DelegationPath, DelegationStatus,
    MemoryClass, MemoryStatus, MemoryTier, RecordLevel, Resolution, ReviewVerdict, Scope,
    SkillFormat, Target,
};
use crate::service::compilations::REPLAY_MODES;
use crate::service::compile::{
    CACHE_TTLS, CacheState, Level, OnArrival, REPAIR_MODES, ThinkingPolicy,
};
use crate::service::compress::{COMPRESS_LEVELS, Originals};
use crate::service::hooks::queue::DELIVERY_STATES;
use crate::service::hooks::{
    BUILTIN_NAMES, DeliveryMode, EnforcementMode, KINDS, OnFailure, POINTS,
};
use crate::service::memory::{MEMORY_TYPES, MemoryAct};
use crate::service::sessions::SWITCH_REASONS;
use crate::service::tools::RESULT_LEVELS;

/// The words that a text may be.
pub(super) type Words = Vec<&'static str>;

/// A parameter of a query that is one of a few words.
#[derive(Debug, Clone, Copy)]
pub struct EnumParameter {
    pub path: &'static str,
    pub name: &'static str,
    pub words: fn() -> Words,
}

/// A member of a schema that is one of a few words, or a list of such.
#[derive(Debug, Clone, Copy)]
pub struct EnumMember {
    pub schema: &'static str,
    pub name: &'static str,
    pub words: fn() -> Words,
}

/// `format` of `GET /skills`; none for rows as JSON.
pub(super) const SKILL_LIST_FORMATS: &[(&str, Option<SkillFormat>)] =
    &[("json", None), ("plain", Some(SkillFormat::Plain)), ("xml", Some(SkillFormat::Xml))];
/// `format` of `GET /memory`: whether each entry is a line.
pub(super) const MEMORY_LIST_FORMATS: &[(&str, bool)] = &[("json", false), ("jsonl", true)];
/// `verify` of `GET /memory-candidates/events`: whether the logs are checked.
pub(super) const VERIFY_FLAGS: &[(&str, bool)] =
    &[("1", true), ("true", true), ("0", false), ("false", false)];
/// `as` of `GET /events`: whether events are sent without their type.
pub(super) const EVENT_SHAPES: &[(&str, bool)] = &[("message", true), ("event", false)];
/// `format` of `GET /events`: whether it is a page rather than a stream.
pub(super) const EVENT_FORMATS: &[(&str, bool)] = &[("json", true), ("sse", false)];
/// `format` of `POST /compile`: whether only members of the published schema are returned.
pub(super) const COMPILE_FORMATS: &[(&str, bool)] = &[("full", false), ("contextos-v1", true)];

#[rustfmt::skip]
pub const ENUM_PARAMETERS: &[EnumParameter] = &[
    EnumParameter { path: "/skills", name: "format", words: || of(SKILL_LIST_FORMATS) },
    EnumParameter { path: "/memory", name: "format", words: || of(MEMORY_LIST_FORMATS) },
    EnumParameter { path: "/memory", name: "tier", words: || of(MemoryTier::WORDS) },
    EnumParameter { path: "/memory", name: "status", words: || of(MemoryStatus::WORDS) },
    EnumParameter { path: "/memory-candidates", name: "state", words: || of(CandidateState::WORDS) },
    EnumParameter { path: "/memory-candidates/events", name: "verify", words: || of(VERIFY_FLAGS) },
    EnumParameter { path: "/events", name: "as", words: || of(EVENT_SHAPES) },
    EnumParameter { path: "/events", name: "format", words: || of(EVENT_FORMATS) },
    EnumParameter { path: "/compile", name: "format", words: || of(COMPILE_FORMATS) },
    EnumParameter { path: "/compilations", name: "status", words: || of(CompilationStatus::WORDS) },
    EnumParameter { path: "/compilations", name: "record", words: || of(RecordLevel::KEPT) },
    EnumParameter { path: "/compilations", name: "target", words: targets },
    EnumParameter { path: "/hooks", name: "point", words: points },
    EnumParameter { path: "/hooks/{id}/deliveries", name: "state", words: || of(DELIVERY_STATES) },
];

#[rustfmt::skip]
pub const ENUM_MEMBERS: &[EnumMember] = &[
    EnumMember { schema: "MemoryWrite", name: "classification", words: || of(Classification::WORDS) },
    EnumMember { schema: "MemoryWrite", name: "tier", words: || of(MemoryTier::WORDS) },
    EnumMember { schema: "CandidateProposal", name: "class", words: || of(MemoryClass::WORDS) },
    EnumMember { schema: "CandidateProposal", name: "classification", words: || of(Classification::WORDS) },
    EnumMember { schema: "CandidateProposal", name: "tier", words: || of(MemoryTier::WORDS) },
    EnumMember { schema: "CandidatePromotion", name: "classification", words: || of(Classification::WORDS) },
    EnumMember { schema: "CandidatePromotion", name: "tier", words: || of(MemoryTier::WORDS) },
    EnumMember { schema: "CandidatePromotion", name: "resolution", words: || of(Resolution::WORDS) },
    EnumMember { schema: "CandidateReview", name: "classification", words: || of(Classification::WORDS) },
    EnumMember { schema: "CandidateReview", name: "verdict", words: || of(ReviewVerdict::WORDS) },
    EnumMember { schema: "Actor", name: "kind", words: || of(ActorKind::WORDS) },
    EnumMember { schema: "WritePolicy", name: "classes", words: || of(MemoryClass::WORDS) },
    EnumMember { schema: "WritePolicy", name: "auto_promote_classes", words: || of(MemoryClass::WORDS) },
    EnumMember { schema: "MemoryActRequest", name: "action", words: || of(MemoryAct::WORDS) },
    EnumMember { schema: "MemoryActRequest", name: "type", words: || of(MEMORY_TYPES) },
    EnumMember { schema: "CreateKey", name: "scopes", words: || of(Scope::ALL) },
    EnumMember { schema: "ChangeKey", name: "scopes", words: || of(Scope::ALL) },
    EnumMember { schema: "HookDefinition", name: "point", words: points },
    EnumMember { schema: "HookDefinition", name: "points", words: points },
    EnumMember { schema: "HookDefinition", name: "kind", words: kinds },
    EnumMember { schema: "HookDefinition", name: "builtin", words: || BUILTIN_NAMES.to_vec() },
    EnumMember { schema: "HookDefinition", name: "mode", words: || of(EnforcementMode::WORDS) },
    EnumMember { schema: "HookDefinition", name: "delivery", words: || of(DeliveryMode::WORDS) },
    EnumMember { schema: "HookDefinition", name: "on_failure", words: || of(OnFailure::WORDS) },
    EnumMember { schema: "TryHook", name: "point", words: points },
    EnumMember { schema: "TryNewHook", name: "point", words: points },
    EnumMember { schema: "SwitchSession", name: "reason", words: || of(SWITCH_REASONS) },
    EnumMember { schema: "Delegation", name: "status", words: || of(DelegationStatus::WORDS) },
    EnumMember { schema: "Delegation", name: "path", words: || of(DelegationPath::WORDS) },
    EnumMember { schema: "CompressRequest", name: "level", words: || of(COMPRESS_LEVELS) },
    EnumMember { schema: "CompressRequest", name: "originals", words: || of(Originals::WORDS) },
    EnumMember { schema: "Compression", name: "level", words: || of(Level::WORDS) },
    EnumMember { schema: "Compression", name: "on_arrival", words: || of(OnArrival::WORDS) },
    EnumMember { schema: "Compression", name: "thinking", words: || of(ThinkingPolicy::WORDS) },
    EnumMember { schema: "ResultsRequest", name: "compression", words: || of(RESULT_LEVELS) },
    EnumMember { schema: "CacheOptions", name: "ttl", words: || of(CACHE_TTLS) },
    EnumMember { schema: "CacheOptions", name: "state", words: || of(CacheState::WORDS) },
    EnumMember { schema: "CompileRequest", name: "repair", words: || of(REPAIR_MODES) },
    EnumMember { schema: "CompileRequest", name: "record", words: || of(RecordLevel::WORDS) },
    EnumMember { schema: "ReplayRequest", name: "mode", words: || of(REPLAY_MODES) },
];

/// The words of a parameter; none where it may be any text.
pub(super) fn of_parameter(path: &str, name: &str) -> Option<Words> {
    let row = ENUM_PARAMETERS.iter().find(|row| row.path == path && row.name == name);
    row.map(|row| (row.words)())
}

/// The words of a schema's member; where the member is a list, those of its items.
pub(super) fn of_member(schema: &str, name: &str) -> Option<Words> {
    let row = ENUM_MEMBERS.iter().find(|row| row.schema == schema && row.name == name);
    row.map(|row| (row.words)())
}

fn of<T>(words: &[(&'static str, T)]) -> Words {
    words.iter().map(|(word, _)| *word).collect()
}

fn targets() -> Words {
    Target::ALL.iter().map(|target| target.as_str()).collect()
}

fn points() -> Words {
    POINTS.iter().map(|point| point.as_str()).collect()
}

fn kinds() -> Words {
    KINDS.iter().map(|kind| kind.as_str()).collect()
}
