//! Requests: the body of `POST /compile` read into typed options, every fault named at once.

mod assumed_target;
mod calls;
mod candidates;
mod compile;
mod compress;
mod diagnostics;
mod empty_list;
mod governance;
mod halves;
mod hooks;
mod lineage;
mod memory;
mod memory_action;
mod model_name;
mod options;
mod provider_members;
mod results;
mod sessions;
mod snapshots;
mod tools;
mod usage;

pub use crate::json::Fields;
pub use calls::{CallsRequest, read_calls};
pub use candidates::{
    PromoteRequest, ProposalRequest, ProposeFault, ReviewRequest, WritePolicy, read_promotion,
    read_proposal, read_review,
};
pub use compile::{
    COMPILE_KEYS, CompileRequest, MAX_DEADLINE_MS, OnDeadline, SECTIONS, read_compile,
    read_compile_options,
};
pub use compress::{
    COMPRESS_KEYS, COMPRESS_LEVELS, CompressInput, CompressRequest, MessageList, ModelReader,
    Originals, ReferenceStyle, read_compress,
};
pub use governance::{
    CallerBlock, EvidenceRef, GovernedError, GovernedRequest, InvokeOptions, MemoryRecord,
    PackInBody, PackSource, RunContext, find_pack_document, is_bucket_name, is_owned,
    read_evidence, read_governed,
};
pub use hooks::{HookChoice, RecalledMemory, read_recalled};
pub use lineage::{
    DelegationRequest, ForkRequest, SWITCH_REASONS, SwitchRequest, read_delegation, read_fork,
    read_switch,
};
pub use memory::{
    ImportLine, MEMORY_PUT_KEYS, MemoryScopes, MemoryWrite, RecallRequest, check_memory_text,
    is_memory_key, read_memory_line, read_memory_write, read_recall, read_restore, read_scope_only,
};
pub use memory_action::{MEMORY_TYPES, StoreAction, StoreFault, StoreRequest, read_store};
pub use model_name::resolve_model;
pub use options::read_skill_use;
pub use options::{
    ADAPTER_KEYS, BuiltInAdapter, CACHE_TTLS, COMPRESSED_BY, CacheOptions, CacheState,
    ClearOptions, Compression, ExplainLevel, KnownAdapters, Level, MAX_PATTERNS_IN_ALL,
    MemoryOptions, MemoryWriteAccess, OnArrival, OnOverflow, OutputOptions, Placement,
    PreviousCompile, PriceStepRule, ProtectOptions, ProtectPattern, RequestMemoryEntry,
    SkillOptions, TailPlacement, ThinkingPolicy, adapter_names, adapter_patterns, given_adapters,
    patterns_in, read_definition,
};
pub use provider_members::passed_names;
pub use results::{
    Lengths, RESULT_LEVELS, RawResult, ResultsRequest, TruncateOptions, read_results,
};
pub use sessions::{
    SESSION_ID_RULE, SessionRequest, SessionWrite, is_session_id, read_session, read_session_id,
};
pub use snapshots::{
    RestoreSession, SNAPSHOT_FORMAT, TakeSnapshot, read_session_restore, read_snapshot,
    read_take_snapshot,
};
pub use tools::{LOAD_TOOLKIT, PruneOptions, READ_TOOL, Strategy, TOOLS, ToolGroup, ToolOptions};
pub use usage::{UsageRequest, read_reported_tokens, read_usage_request};
