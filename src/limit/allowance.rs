//! Allowance of a request: the text that it may make, and the time of its searches.
//!
//! A few bytes of input can ask for any amount of text: a pattern that matches every character, a
//! rule that doubles a list, one stored artifact that is named a thousand times. Every loop that
//! makes text from what a caller chose takes the bytes from the request's [`Allowance`] *before*
//! it takes the memory.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of text that a request may make besides what it brought. Clones share one count.
///
/// An allowance that was asked for too much stays exhausted: code that cannot return an error makes
/// no text, and [`Allowance::check`] refuses the request before anything is sent or stored.
#[derive(Clone)]
pub struct Allowance {
    total_bytes: usize,
    used_bytes: Arc<AtomicUsize>,
}

/// Used bytes of an allowance that is exhausted by a search that was refused.
const REFUSED_SEARCH: usize = usize::MAX;

/// The request asks for more than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AllowanceExceeded {
    /// With the bytes that were allowed in all.
    #[error("the request would make more than {total_bytes} bytes of text")]
    Text { total_bytes: usize },
    /// With the most bytes times states that one search may take.
    #[error(
        "a pattern is too large for the length of a text that it is searched for in: the bytes of \
         the text times the states of the pattern may be at most {max_steps}"
    )]
    Search { max_steps: u64 },
}

impl Allowance {
    /// For work that has no server's limits, such as a command: twice the usual limit of a body.
    pub const DEFAULT_BYTES: usize = 64 << 20;
    /// Visits of states that the search for one pattern in one text may need at worst. More take
    /// longer than most requests have time.
    pub const MAX_SEARCH_STEPS: u64 = 1 << 33;

    pub fn new(total_bytes: usize) -> Self {
        Self { total_bytes, used_bytes: Arc::default() }
    }

    /// An allowance of the same size with nothing used, for another request.
    #[must_use]
    pub fn to_unused(&self) -> Self {
        Self::new(self.total_bytes)
    }

    /// Takes bytes that are about to be made.
    pub fn take(&self, bytes: usize) -> Result<(), AllowanceExceeded> {
        let total = self.total_bytes;
        let took = self.used_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            // One more than there are marks it as exhausted, for good.
            let next = used.saturating_add(bytes).min(total.saturating_add(1));
            (used <= total).then_some(next)
        });
        match took {
            Ok(used) if used.saturating_add(bytes) <= total => Ok(()),
            Err(REFUSED_SEARCH) => Err(Self::REFUSED_SEARCH_ERROR),
            _ => Err(AllowanceExceeded::Text { total_bytes: total }),
        }
    }

    /// Refuses a search, before it starts, that takes too long at worst: it may visit each state
    /// of its pattern at each byte of its text.
    pub fn allow_search(&self, bytes: usize, states: usize) -> Result<(), AllowanceExceeded> {
        let steps = u64::try_from(bytes.saturating_mul(states)).unwrap_or(u64::MAX);
        if steps <= Self::MAX_SEARCH_STEPS {
            return Ok(());
        }
        self.used_bytes.store(REFUSED_SEARCH, Ordering::Relaxed);
        Err(Self::REFUSED_SEARCH_ERROR)
    }

    const REFUSED_SEARCH_ERROR: AllowanceExceeded =
        AllowanceExceeded::Search { max_steps: Self::MAX_SEARCH_STEPS };

    /// Whether all that was asked for so far was allowed.
    pub fn check(&self) -> Result<(), AllowanceExceeded> {
        self.take(0)
    }
}

impl Default for Allowance {
    fn default() -> Self {
        Self::new(Self::DEFAULT_BYTES)
    }
}

impl fmt::Debug for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = self.used_bytes.load(Ordering::Relaxed);
        write!(f, "Allowance({used} of {} bytes)", self.total_bytes)
    }
}

/// Text that is paid for before it grows.
#[derive(Debug)]
pub struct PaidText<'a> {
    text: String,
    allowance: &'a Allowance,
}

impl<'a> PaidText<'a> {
    pub fn new(allowance: &'a Allowance) -> Self {
        Self { text: String::new(), allowance }
    }

    pub fn push_str(&mut self, text: &str) -> Result<(), AllowanceExceeded> {
        self.allowance.take(text.len())?;
        self.text.push_str(text);
        Ok(())
    }

    /// Appends what `write` writes, which is at most `bytes`.
    pub fn push_with(
        &mut self,
        bytes: usize,
        write: impl FnOnce(&mut String),
    ) -> Result<(), AllowanceExceeded> {
        self.allowance.take(bytes)?;
        write(&mut self.text);
        Ok(())
    }

    pub fn into_string(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_one_count_and_another_request_has_its_own() {
        let allowance = Allowance::new(10);
        let other = allowance.clone();
        allowance.take(6).unwrap();
        other.take(4).unwrap();
        assert_eq!(allowance.check(), Ok(()));
        assert_eq!(other.take(1), Err(AllowanceExceeded::Text { total_bytes: 10 }));
        assert!(allowance.to_unused().take(10).is_ok());
    }

    #[test]
    fn an_exhausted_allowance_stays_so() {
        let allowance = Allowance::new(10);
        assert!(allowance.take(usize::MAX).is_err());
        assert!(allowance.take(1).is_err() && allowance.check().is_err());
    }

    #[test]
    fn text_is_paid_for_before_it_grows() {
        let allowance = Allowance::new(4);
        let mut text = PaidText::new(&allowance);
        text.push_str("ab").unwrap();
        text.push_with(2, |out| out.push('c')).unwrap();
        assert!(text.push_with(1, |_| unreachable!()).is_err());
        assert_eq!(text.into_string(), "abc");
    }
}
