//! Rules of the gateway, as pure functions: which provider a path is for, what of a request may be
//! edited, and how edits are put into its bytes.
//!
//! A request that passes through is never written again: edits are spliced into the bytes that came.

mod blocks;
mod coding;
mod compaction;
mod decision;
mod exact_tools;
mod lineage;
mod outline;
mod route;
mod session;
mod session_blocks;
mod splice;
mod usage;

pub use blocks::{BlockHash, MemberHashes, SentMessage, sent_blocks};
pub use coding::{CodingError, ContentCoding};
pub use compaction::{CompactedMessage, Compaction, CompactionPlace, NO_COMPACTION};
pub use decision::{
    AppliedForm, DecidedText, MessageDecision, NumberedText, TextDigest, numbered_texts,
};
pub use exact_tools::is_exact_tool;
pub use lineage::{LineageHash, LineageScope};
pub use outline::{
    BlockPlace, GroupKind, MIN_EDIT_BYTES, OutlinedMessage, ReadTool, RequestOutline, RequestText,
    TextGroup, ThinkingPlace,
};
pub use route::{ProviderEndpoint, ProviderRoute, Wire};
pub use session::{SessionName, SessionScope};
pub use session_blocks::{NO_BLOCKS, SessionBlocks};
pub use splice::{BodyEdit, Replacement, splice};
pub use usage::UsageReader;
