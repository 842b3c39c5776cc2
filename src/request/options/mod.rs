//! The options of a compile, with their defaults.

mod adapters;
mod budget;
mod clear;
pub(super) mod reader;
mod section;
mod shorthand;
mod skill;

pub(super) use adapters::read_adapters;
pub use adapters::{
    ADAPTER_KEYS, BuiltInAdapter, KnownAdapters, MAX_PATTERNS_IN_ALL, adapter_names,
    adapter_patterns, given_adapters, patterns_in, read_definition,
};
pub(super) use adapters::{warn_idle_options, warn_unused_adapters};
pub(super) use budget::{BUDGET, BudgetOptions};
pub use budget::{OnOverflow, PriceStepRule};
pub use clear::ClearOptions;
pub(super) use reader::summary_instructions;
pub use skill::read_skill_use;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::{
    AdapterChoices, AllowedNotations, CacheMembers, CacheTtl, MemoryScope, MemoryTtl, Model, Notes,
    RawJson, Role, SkillUse, Target,
};
use crate::limit::Pattern;

/// The highest rung of the ladder that may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Off,
    Lossless,
    Reversible,
    Summary,
    Drop,
}

impl Level {
    pub const WORDS: &[(&str, Self)] = &[
        ("off", Self::Off),
        ("lossless", Self::Lossless),
        ("reversible", Self::Reversible),
        ("summary", Self::Summary),
        ("drop", Self::Drop),
    ];
}

/// The treatment of a tool result when it is first compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OnArrival {
    Off,
    Lossless,
    /// As far as rung 2.
    Reversible,
}

impl OnArrival {
    pub const WORDS: &[(&str, Self)] =
        &[("off", Self::Off), ("lossless", Self::Lossless), ("reversible", Self::Reversible)];
}

/// Treatment of old thinking at a compaction point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkingPolicy {
    Keep,
    ClearOld,
}

impl ThinkingPolicy {
    pub const WORDS: &[(&str, Self)] = &[("keep", Self::Keep), ("clear_old", Self::ClearOld)];
}

/// The key `compression`.
#[derive(Debug, Clone)]
pub struct Compression {
    pub level: Level,
    pub on_arrival: OnArrival,
    pub notations: AllowedNotations,
    /// Thousandths of the history room at which the history is shrunk.
    pub trigger_milli: u32,
    /// Thousandths of the history room it is shrunk to.
    pub compress_to_milli: u32,
    /// Turns at the end that are shielded until everything else is spent.
    pub keep_recent_turns: usize,
    pub thinking: ThinkingPolicy,
    /// Whether the model gets a tool that reads cleared results back.
    pub read_tool: bool,
    /// Tool results of more characters than this enter a summary as one line.
    pub stub_tool_results_over: Option<usize>,
    /// The caller's instructions for a summary.
    pub summary_instructions: Option<Arc<str>>,
    pub clear: ClearOptions,
    /// The adapters of rung 2, in order.
    pub adapters: AdapterChoices,
    /// The highest level that the provider's own compaction may use in the place of the ladder; none if
    /// the service shortens the history itself.
    pub provider_level: Option<Level>,
    /// Whether a compaction point waits until the rewrite of the prefix pays.
    pub pays: bool,
    /// The later requests in which it has to pay; none for as many as there were.
    pub expected_turns: Option<u64>,
}

fn share(room: u64, milli: u32) -> u64 {
    room.saturating_mul(u64::from(milli)) / 1000
}

/// Values of `compression.by`: whether the provider shortens the history.
pub const COMPRESSED_BY: &[(&str, bool)] = &[("service", false), ("provider", true)];

impl Compression {
    /// Tokens above which a history in a room shrinks at a compaction point.
    pub fn trigger(&self, room: u64) -> u64 {
        share(room, self.trigger_milli)
    }

    /// Tokens to which it shrinks there.
    pub fn target(&self, room: u64) -> u64 {
        share(room, self.compress_to_milli)
    }

    /// Warns if points cannot wait until they pay, because the prices of the cache are not known.
    pub(crate) fn warn_unpriced(&self, model: &Model, notes: &mut Notes) {
        let is_priced =
            model.prices.as_ref().is_some_and(|prices| prices.rates.cache_read.is_some());
        if self.pays && !is_priced {
            notes.warn(
                "pays_unknown",
                "/compression/pays".to_owned(),
                "no price of the model's cache is known: compaction points are as they would be \
                 without",
            );
        }
    }

    /// The options of a compile that sends its history as it is.
    #[must_use]
    pub fn switched_off(&self) -> Self {
        Self { level: Level::Off, on_arrival: OnArrival::Off, read_tool: false, ..self.clone() }
    }

    /// Leaves the history to the provider, if the request asks for that and the target has compaction
    /// of its own.
    pub(super) fn leave_to_provider(&mut self, target: Target, notes: &mut Notes) {
        let Some(level) = self.provider_level else { return };
        let least = match target {
            Target::Anthropic => Some(Level::Reversible),
            // It has no clearing, so nothing that could be read back.
            Target::OpenaiResponses => Some(Level::Summary),
            Target::Openai | Target::Gemini | Target::Neutral => None,
        };
        if least.is_some_and(|least| level >= least) {
            self.level = Level::Lossless;
            return;
        }
        self.provider_level = None;
        let detail = "the provider has no compaction for this target and level: the service shortens \
                      the history";
        let at = "/compression/by".to_owned();
        notes.warn("provider_compression_unavailable", at, detail);
    }
}

impl Default for Compression {
    fn default() -> Self {
        Self {
            level: Level::Drop,
            on_arrival: OnArrival::Lossless,
            notations: AllowedNotations::default(),
            trigger_milli: 1000,
            compress_to_milli: 600,
            keep_recent_turns: 4,
            thinking: ThinkingPolicy::ClearOld,
            read_tool: false,
            stub_tool_results_over: None,
            summary_instructions: None,
            clear: ClearOptions::default(),
            adapters: AdapterChoices::default(),
            provider_level: None,
            pays: false,
            expected_turns: None,
        }
    }
}

/// A pattern of texts that are kept verbatim.
#[derive(Debug, Clone)]
pub struct ProtectPattern {
    pub label: Arc<str>,
    pub pattern: Pattern,
}

/// The key `protect`: what stays verbatim.
#[derive(Debug, Default, Clone)]
pub struct ProtectOptions {
    /// Client ids, each with its place in `messages` of the key.
    pub ids: BTreeMap<Arc<str>, usize>,
    /// Indexes in the request's list, each with its place in `messages` of the key.
    pub indexes: BTreeMap<usize, usize>,
    pub roles: Vec<Role>,
    /// Tools whose turns stay, each with its index in the list `tools`.
    pub tools: BTreeMap<Arc<str>, usize>,
    pub patterns: Vec<ProtectPattern>,
    /// Shielded like the live zone, not exempt.
    pub recent_turns: usize,
    pub recent_messages: usize,
}

/// The state of the provider's cache, if the caller knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheState {
    Warm,
    Cold,
    Unknown,
}

impl CacheState {
    pub const WORDS: &[(&str, Self)] =
        &[("warm", Self::Warm), ("cold", Self::Cold), ("unknown", Self::Unknown)];
}

/// Values of `cache.ttl`; none for no marks of ours.
pub const CACHE_TTLS: &[(&str, Option<CacheTtl>)] =
    &[("5m", Some(CacheTtl::FiveMinutes)), ("1h", Some(CacheTtl::OneHour)), ("off", None)];

/// The compile that this one follows.
#[derive(Debug, Clone)]
pub enum PreviousCompile {
    Payload(RawJson),
    /// The `id` of an earlier answer.
    Id(Arc<str>),
}

/// The key `cache`.
#[derive(Debug, Clone)]
pub struct CacheOptions {
    /// Whether the service sets cache marks; the client's are kept in any case.
    pub ttl: Option<CacheTtl>,
    /// Whether the request itself has a lifetime.
    pub asks_ttl: bool,
    /// Most marks in a payload, the client's included.
    pub marks: usize,
    pub state: CacheState,
    pub previous: Option<PreviousCompile>,
    /// What the request says in the words of its provider.
    pub members: CacheMembers,
}

impl Default for CacheOptions {
    fn default() -> Self {
        Self {
            ttl: None,
            asks_ttl: false,
            marks: 4,
            state: CacheState::Unknown,
            previous: None,
            members: CacheMembers::default(),
        }
    }
}

/// Place of dynamic state or memory data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    System,
    LastUser,
}

/// What becomes of the state, context and memory data of earlier payloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TailPlacement {
    /// They are at the end of the last user message, once.
    Move,
    /// They stay where they were put, and newer ones follow at the end of the list.
    Stay,
}

impl TailPlacement {
    pub const WORDS: &[(&str, Self)] = &[("move", Self::Move), ("stay", Self::Stay)];
}

/// The key `output`: how the answer must look.
#[derive(Debug, Default, Clone)]
pub struct OutputOptions {
    pub tag: Option<Arc<str>>,
    pub prefill: Option<Arc<str>>,
}

/// The key `skill`.
#[derive(Debug, Clone)]
pub struct SkillOptions {
    pub name: Arc<str>,
    /// Empty until the stored instructions are read.
    pub instructions: Arc<str>,
    /// Arguments for the stored instructions of this name; `None` if the request has the
    /// instructions.
    pub wanted: Option<SkillUse>,
}

/// An entry of `memory.entries`.
#[derive(Debug, Clone)]
pub struct RequestMemoryEntry {
    pub key: Arc<str>,
    pub value: Arc<str>,
    pub description: Option<Arc<str>>,
    /// Its rank in the output; entries are chosen in the order of the list.
    pub place: usize,
}

/// The key `memory`; absent means off.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    pub placement: Placement,
    /// Most tokens of memory data in the payload.
    pub max_tokens: u64,
    /// Given by the request, or found in the store.
    pub entries: Vec<RequestMemoryEntry>,
    /// Whether the entries come from the store: the request has none.
    pub from_store: bool,
    /// The scope of the entries that are visible.
    pub scope: MemoryScope,
    /// The scope of the entries that the model's tools create.
    pub write_scope: MemoryScope,
    /// The text that entries are matched with; the last user message if it is absent.
    pub query: Option<Arc<str>>,
    /// The entries that the model's tools may write.
    pub write: MemoryWriteAccess,
    /// The keys that the model may write; any key if there is no list.
    pub allowed_keys: Option<Vec<Arc<str>>>,
    /// When entries that the model creates expire.
    pub ttl: Option<MemoryTtl>,
}

/// The entries that a model may write, from none to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum MemoryWriteAccess {
    /// None: the model gets no tools to write.
    Off,
    /// Entries of the scope that it writes, and entries that models wrote.
    #[default]
    Own,
    /// Also entries that the application wrote in a wider scope.
    Shared,
}

impl MemoryOptions {
    /// Whether the model gets tools to write with.
    pub fn has_tools(&self) -> bool {
        self.write != MemoryWriteAccess::Off
            && self.allowed_keys.as_ref().is_none_or(|keys| !keys.is_empty())
    }
}

/// The level of detail of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplainLevel {
    Summary,
    Full,
}
