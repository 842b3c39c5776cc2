//! The nouns: plain data and the rules about it, without network, clock or disk. Those with a
//! special sense are in `docs/glossary.md`.

mod actions;
mod adapter;
mod artifact;
mod cache;
mod calendar;
mod calibration;
mod call_ids;
mod candidate;
mod chain;
mod compilation;
mod conversation;
mod cost;
mod day;
mod delegation;
mod digits;
mod duration_bucket;
mod event;
mod fair_places;
mod gateway_mode;
mod gateway_session;
mod item_half;
mod item_output;
mod key;
mod ledger;
mod memory;
mod message;
mod model;
mod model_row;
mod models;
mod notations;
mod note;
mod prices;
mod program;
mod quota;
mod raw;
mod replaced_text;
mod reported_tokens;
mod sent_history;
mod session;
mod session_costs;
mod session_state;
mod skill;
mod stored_pack;
mod summary;
mod target;
mod time;
mod tool;
mod tool_pattern;
mod usage_totals;

pub use actions::{Action, Actions};
pub use adapter::{
    AdapterChoice, AdapterChoices, AdapterDefinition, AdapterTuning, DetectRules, LineRemoval,
    LineSelector, StoredAdapter,
};
pub use artifact::{Artifact, ArtifactId, ContentHash};
pub use cache::{
    BreakpointOptions, CacheMark, CacheMarks, CacheMembers, CacheTtl, session_cache_key,
};
pub(crate) use calendar::{CalendarDate, MONTH_NAMES};
pub use calibration::{CalibratedFactor, MAX_REPORTED_FACTORS, ModelCalibration, UsageReport};
pub use call_ids::CallIds;
pub use candidate::{
    Actor, ActorKind, Candidate, CandidateState, Checks, ConsentCheck, ContradictedEntry,
    Contradiction, FactProperty, MemoryClass, MemoryPromotion, Proposal, Resolution, Review,
    ReviewVerdict,
};
pub use chain::ChainLink;
pub use compilation::{Compilation, CompilationStatus, RecordLevel};
pub use conversation::{Conversation, OmittedHistory, Turn, turns};
pub use cost::{
    AssumedCache, CacheAssumption, CacheLifetime, CachedTokens, CostFigures, PayloadCost,
    difference, share,
};
pub use day::Day;
pub use delegation::{Delegation, DelegationPath, DelegationStatus};
pub use digits::{counted, counted_as, group_digits};
pub use duration_bucket::DurationBucket;
pub use event::{Event, EventKind, NewEvent};
pub use fair_places::{FairPlaces, GrantedPlace, PlaceLimits, Waiter};
pub use gateway_mode::GatewayMode;
pub use gateway_session::{GATEWAY_SESSION_PREFIX, is_gateway_session};
pub use item_half::{HalfFamily, HalfRole, ItemHalf};
pub use item_output::{OutputText, has_output, output_texts, output_tool, with_output_texts};
pub use key::{
    Holder, Key, KeyHash, KeyLimits, KeyText, Keyword, KeywordSet, MemoryRole, Principal,
    PrincipalKind, Scope,
};
pub use ledger::{Drift, Ledger, Stage, StageDrift, StageHashes};
pub use memory::{
    Classification, MemoryAction, MemoryEntry, MemoryOrigin, MemoryScope, MemoryStatus, MemoryTier,
    MemoryTtl, MemoryVersion, value_text, word_of,
};
pub use message::{
    Content, Extra, Media, MediaSource, Message, Part, ReplacedResult, Role, Thinking, ToolCall,
    ToolResult,
};
pub use model::{Family, Model, TokenizerName, WantedReasoning};
pub use model_row::ModelRow;
pub use models::Models;
pub use notations::{AllowedNotations, ValueClass};
pub use note::{Note, Notes};
pub use prices::{Price, PriceStep, PriceStepRow, Prices, PricesRow, Rates};
pub use program::{ProgramCalls, caller_of, program_id, program_of};
pub use quota::{Quota, QuotaUse, Quotas};
pub use raw::RawJson;
pub use replaced_text::{ReplaceFn, ReplacedText};
pub use reported_tokens::ReportedTokens;
pub use sent_history::{
    MAX_SENT_BLOCK_BYTES, MAX_SENT_PREFIXES, PrefixHash, SentBlock, SentHistory, SentPrefix,
    SentUpdate,
};
pub use session::{MAX_CALIBRATED_MODELS, Session};
pub use session_costs::{ReportedCost, SentCost, SessionCosts, UsageKey};
pub use session_state::{SessionState, SnapshotHead};
pub use skill::{
    MAX_RENDERED_BYTES, MAX_SKILL_BYTES, RenderedTooLong, Skill, SkillFormat, SkillUse,
    StoredSkill, is_skill_name, list_skills, render_skill,
};
pub use stored_pack::StoredPack;
pub use summary::{AskedSummary, PromptMessage, Summary};
pub use target::{Source, Target};
pub use time::{Clock, Timestamp};
pub use tool::{MEMORY_TOOL, ToolDefinition};
pub use tool_pattern::ToolPattern;
pub use usage_totals::CostTotals;
