//! Context packs: versioned documents that govern compiles (pack, ledger and candidate in
//! `docs/glossary.md`).
//!
//! A pack is read whole, with every fault at once, before anything is done under it. What was
//! published never changes: `id@version` names one digest for good.

mod builtin;
mod check;
mod diff;
mod document;
mod lint;
mod reader;
mod redaction;
mod reference;
mod refusal;
mod signature;
mod weights;

pub use builtin::builtin;
pub use diff::{DocumentChange, LayerChange, between};
pub use document::{
    AccessMode, ApprovalGate, AutoPromotion, BudgetLayer, Bundle, Capability, DecisionSpec, Intent,
    MemoryLayer, Pack, PackBlock, Permission, PolicyLayer, PolicyRule, Rollover, Split, Tone,
};
pub use lint::{LintFault, Severity};
pub use reader::{CLASSIFICATIONS, LintResult, lint, read};
pub use redaction::{RedactedText, Redaction, Redactor};
pub use reference::PackRef;
pub use refusal::{Refusal, RefusalCode, RefusalText};
pub use signature::{PublicKeys, SignatureFault};
pub use weights::{BUCKETS, MILLION};

/// The version of the pack runtime, which must satisfy `compatibility.requires.runtime`. It changes
/// if the same pack would have another result, not with each release.
pub const RUNTIME: &str = "1.0.0";
