//! The tokens of a request and of its reply, as the provider counted them.

/// The `usage` object of a provider's reply, whichever names it has there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReportedTokens {
    /// Input that the cache has neither read nor written.
    pub uncached: u64,
    /// Input that was read from the cache.
    pub read: u64,
    /// Input that was written to the cache for minutes.
    pub written: u64,
    /// Input that was written to the cache for an hour or more.
    pub written_long: u64,
    /// The reply, with its reasoning; none if the object does not say.
    pub output: Option<u64>,
}

impl ReportedTokens {
    /// All tokens of the input.
    pub fn input(&self) -> u64 {
        let cached = self.read.saturating_add(self.written).saturating_add(self.written_long);
        cached.saturating_add(self.uncached)
    }

    /// Whether the provider's cache had any part in the request.
    pub fn is_cached(&self) -> bool {
        self.read > 0 || self.written > 0 || self.written_long > 0
    }
}
