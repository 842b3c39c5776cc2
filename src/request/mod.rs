//! Requests: the body of `POST /compile` read into typed options, every fault named at once.

mod compile;
mod compress;
mod options;

pub use crate::json::Fields;
pub use compile::{
    COMPILE_KEYS, CompileRequest, OnDeadline, OnOverflow, SECTIONS, read_compile, resolve_model,
};
pub use compress::{COMPRESS_KEYS, CompressRequest, Given, List, Originals, read_compress};
pub use options::{
    ADAPTER_KEYS, CacheOptions, CacheState, Clear, Compression, Explain, KnownAdapters, Level,
    MOST_PATTERNS_IN_ALL, MemoryEntry, MemoryOptions, OnArrival, Output, Pattern, Placement,
    Previous, Protect, Skill, Thinking, adapter_names, given_adapters, patterns_in,
    read_definition,
};
