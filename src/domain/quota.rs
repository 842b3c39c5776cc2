//! Quotas of the data that a tenant may keep.

/// A kind of stored thing of which a tenant may keep so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quota {
    Sessions,
    /// Bytes of the messages of sessions, as they are stored; forks share them.
    TurnBytes,
    MemoryEntries,
    Candidates,
    Skills,
    /// Bytes of the records of compiles, with the texts that only records need.
    CompilationBytes,
    /// Bytes of the responses that are stored for idempotency keys.
    ReplyBytes,
}

impl Quota {
    pub const ALL: [Self; 7] = [
        Self::Sessions,
        Self::TurnBytes,
        Self::MemoryEntries,
        Self::Candidates,
        Self::Skills,
        Self::CompilationBytes,
        Self::ReplyBytes,
    ];

    /// The name in problems and in `GET /usage`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::TurnBytes => "turn_bytes",
            Self::MemoryEntries => "memory_entries",
            Self::Candidates => "candidates",
            Self::Skills => "skills",
            Self::CompilationBytes => "compilation_bytes",
            Self::ReplyBytes => "reply_bytes",
        }
    }
}

/// The most that each tenant may keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    pub sessions: u64,
    pub turn_bytes: u64,
    pub memory_entries: u64,
    pub candidates: u64,
    pub skills: u64,
    pub compilation_bytes: u64,
    pub reply_bytes: u64,
}

impl Quotas {
    pub fn max(&self, quota: Quota) -> u64 {
        match quota {
            Quota::Sessions => self.sessions,
            Quota::TurnBytes => self.turn_bytes,
            Quota::MemoryEntries => self.memory_entries,
            Quota::Candidates => self.candidates,
            Quota::Skills => self.skills,
            Quota::CompilationBytes => self.compilation_bytes,
            Quota::ReplyBytes => self.reply_bytes,
        }
    }
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            sessions: 100_000,
            turn_bytes: 4 << 30,
            memory_entries: 1_000_000,
            candidates: 100_000,
            skills: 1_000,
            compilation_bytes: 4 << 30,
            reply_bytes: 1 << 30,
        }
    }
}

/// The use of a quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaUse {
    pub quota: Quota,
    pub used: u64,
    pub max: u64,
}
