//! Texts of requests that are one of a few words, for the API's description.
//!
//! Handlers take and refuse by the tables of their nouns; these name the same tables, so that what is
//! described is what is taken.

use crate::domain::{
    ActorKind, CandidateState, Classification, CompilationStatus, DelegationPath, DelegationStatus,
    MemoryClass, MemoryStatus, MemoryTier, ReviewVerdict, Scope, Target,
};
use crate::service::hooks::queue::DELIVERY_STATES;
use crate::service::hooks::{KINDS, POINTS};

/// The words that a text may be.
pub(super) type Words = Vec<&'static str>;

const LEVELS: &[&str] = &["lossless", "reversible", "summary", "drop"];
const SWITCHES: &[&str] = &["new", "fork", "reset", "rotation", "resume"];

fn of<T>(words: &[(&'static str, T)]) -> Words {
    words.iter().map(|(word, _)| *word).collect()
}

/// By path and parameter.
pub(super) fn of_parameter(path: &str, name: &str) -> Option<Words> {
    Some(match (path, name) {
        ("/skills", "format") => vec!["json", "plain", "xml"],
        ("/memory", "format") => vec!["json", "jsonl"],
        ("/memory", "tier") => of(MemoryTier::WORDS),
        ("/memory", "status") => of(MemoryStatus::WORDS),
        ("/memory-candidates", "state") => of(CandidateState::WORDS),
        ("/memory-candidates/events", "verify") => vec!["1", "true", "0", "false"],
        ("/events", "as") => vec!["message", "event"],
        ("/events", "format") => vec!["json", "sse"],
        ("/compile", "format") => vec!["full", "contextos-v1"],
        ("/compilations", "status") => of(CompilationStatus::WORDS),
        ("/compilations", "record") => vec!["hashes", "full"],
        ("/compilations", "target") => Target::ALL.iter().map(|target| target.as_str()).collect(),
        ("/hooks", "point") => points(),
        ("/hooks/{id}/deliveries", "state") => of(DELIVERY_STATES),
        _ => return None,
    })
}

/// By schema and member; where the member is a list, what stands in it.
pub(super) fn of_member(schema: &str, member: &str) -> Option<Words> {
    Some(match (schema, member) {
        (
            "MemoryWrite" | "CandidateProposal" | "CandidatePromotion" | "CandidateReview",
            "classification",
        ) => of(Classification::WORDS),
        ("MemoryWrite" | "CandidateProposal" | "CandidatePromotion", "tier") => {
            of(MemoryTier::WORDS)
        }
        ("CandidateReview", "verdict") => of(ReviewVerdict::WORDS),
        ("CandidatePromotion", "resolution") => vec!["supersede", "keep_both", "reject"],
        ("Actor", "kind") => of(ActorKind::WORDS),
        ("CandidateProposal", "class") | ("WritePolicy", "classes" | "auto_promote_classes") => {
            of(MemoryClass::WORDS)
        }
        ("MemoryActRequest", "action") => vec!["add", "replace", "remove"],
        ("MemoryActRequest", "type") => vec!["short_term", "long_term", "entity", "episodic"],
        ("CreateKey" | "ChangeKey", "scopes") => of(Scope::ALL),
        ("HookDefinition", "point" | "points") | ("TryHook" | "TryNewHook", "point") => points(),
        ("HookDefinition", "kind") => KINDS.iter().map(|kind| kind.as_str()).collect(),
        ("HookDefinition", "builtin") => {
            vec!["truncate", "redact", "deny_command", "secret_scan"]
        }
        ("HookDefinition", "mode") => vec!["enforce", "audit"],
        ("HookDefinition", "delivery") => vec!["async", "sync"],
        ("HookDefinition", "on_failure") => vec!["deny", "fail", "skip"],
        ("SwitchSession", "reason") => SWITCHES.to_vec(),
        ("Delegation", "status") => of(DelegationStatus::WORDS),
        ("Delegation", "path") => of(DelegationPath::WORDS),
        ("CompressRequest", "level") => LEVELS.to_vec(),
        ("CompressRequest", "originals") => vec!["store", "return", "none"],
        ("Compression", "level") => ["off"].iter().chain(LEVELS).copied().collect(),
        ("Compression", "on_arrival") | ("ResultsRequest", "compression") => {
            vec!["off", "lossless", "reversible"]
        }
        ("Compression", "thinking") => vec!["keep", "clear_old"],
        ("Cache", "ttl") => vec!["5m", "1h", "off"],
        ("Cache", "state") => vec!["warm", "cold", "unknown"],
        ("CompileRequest", "repair") => vec!["strict", "lenient"],
        ("CompileRequest", "record") => vec!["none", "hashes", "full"],
        ("ReplayRequest", "mode") => vec!["strict", "verify", "refresh"],
        _ => return None,
    })
}

fn points() -> Words {
    POINTS.iter().map(|point| point.as_str()).collect()
}
