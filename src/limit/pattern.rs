//! Regular expressions that callers bring: each is short and small, and all of a request together
//! are few. A pattern of twenty bytes can compile to megabytes.

use regex::{Error, Regex, RegexBuilder};

/// Patterns that may still be compiled, and the bytes that they may take.
#[derive(Debug)]
pub struct PatternBudget {
    patterns: usize,
    bytes: usize,
    max_patterns: usize,
    max_bytes: usize,
}

/// Why a pattern was not compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// What the parser says, in one line.
    #[error("is no pattern: {0}")]
    Syntax(String),
    #[error("is larger than the {0} bytes that one compiled pattern may take")]
    TooLarge(usize),
    #[error("is one pattern too many: there may be {0}")]
    TooMany(usize),
    #[error("is too large beside the other patterns: all of them may take {0} bytes compiled")]
    TooLargeTogether(usize),
}

/// Bytes that one compiled pattern may take: a short pattern can ask for half a second of work
/// above it.
const MAX_PATTERN_BYTES: usize = 1 << 20;
/// Bytes of states that are remembered while one pattern searches.
const MAX_CACHE_BYTES: usize = 1 << 18;
/// Sizes that are tried in turn, since a compiled pattern does not tell its own: it costs the first
/// one that is enough.
const TRIED_PATTERN_BYTES: [usize; 4] = [1 << 13, 1 << 15, 1 << 17, MAX_PATTERN_BYTES];

impl PatternBudget {
    pub const fn new(max_patterns: usize, max_bytes: usize) -> Self {
        Self { patterns: max_patterns, bytes: max_bytes, max_patterns, max_bytes }
    }

    /// Compiles a pattern and pays for it.
    pub fn compile(&mut self, source: &str) -> Result<Regex, PatternError> {
        let Some(patterns) = self.patterns.checked_sub(1) else {
            return Err(PatternError::TooMany(self.max_patterns));
        };
        for size in TRIED_PATTERN_BYTES {
            let Some(bytes) = self.bytes.checked_sub(size) else {
                return Err(PatternError::TooLargeTogether(self.max_bytes));
            };
            let mut builder = RegexBuilder::new(source);
            match builder.size_limit(size).dfa_size_limit(MAX_CACHE_BYTES).build() {
                Ok(regex) => {
                    (self.patterns, self.bytes) = (patterns, bytes);
                    return Ok(regex);
                }
                Err(Error::CompiledTooBig(_)) => {}
                Err(error) => return Err(PatternError::Syntax(last_line(&error))),
            }
        }
        Err(PatternError::TooLarge(MAX_PATTERN_BYTES))
    }
}

/// What a parser says in the end; before it, it shows the whole pattern.
fn last_line(error: &Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_few_and_small_together() {
        let mut budget = PatternBudget::new(3, 3 << 13);
        assert!(budget.compile("a+").unwrap().is_match("baa"));
        let large = "[a-z]{400}[0-9]{400}";
        assert_eq!(budget.compile(large).unwrap_err(), PatternError::TooLargeTogether(3 << 13));
        budget.compile("b").unwrap();
        budget.compile("c").unwrap();
        assert_eq!(budget.compile("d").unwrap_err(), PatternError::TooMany(3));
    }

    #[test]
    fn a_pattern_that_is_refused_costs_nothing() {
        let mut budget = PatternBudget::new(1, 1 << 13);
        assert_eq!(
            budget.compile("(").unwrap_err(),
            PatternError::Syntax("unclosed group".to_owned())
        );
        budget.compile("a").unwrap();
        let mut budget = PatternBudget::new(1, usize::MAX);
        let huge = r"(?:\w{100}){100}";
        assert_eq!(budget.compile(huge).unwrap_err(), PatternError::TooLarge(1 << 20));
    }
}
