//! Budget of patterns: how many may be compiled together, and how large they may be.

use std::sync::Arc;

use super::{MAX_PATTERN_BYTES, Pattern, Program};

/// Patterns that may still be compiled, and the bytes that they may take.
#[derive(Debug)]
pub struct PatternBudget {
    patterns: usize,
    bytes: usize,
    max_patterns: usize,
    max_bytes: usize,
    keeps_unusable: bool,
}

/// Why a pattern was not compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Message of the parser, in one line.
    #[error("is no pattern: {0}")]
    Syntax(Arc<str>),
    #[error("is longer than {0} bytes")]
    TooLong(usize),
    #[error("is too large: it may have {0} states, and what is repeated has its states each time")]
    TooManyStates(usize),
    #[error("is larger than the {0} bytes that one compiled pattern may take")]
    TooLarge(usize),
    #[error("is one pattern too many: there may be {0}")]
    TooMany(usize),
    #[error(
        "is too large in addition to the other patterns: all of them may take {0} bytes compiled"
    )]
    TooLargeTogether(usize),
}

impl PatternError {
    /// The last line of a parser's error; before it, the error shows the whole pattern.
    pub(super) fn syntax(error: &str) -> Self {
        let line = error.lines().last().unwrap_or_default();
        Self::Syntax(line.trim_start_matches("error: ").into())
    }
}

impl PatternBudget {
    pub const fn new(max_patterns: usize, max_bytes: usize) -> Self {
        let (patterns, bytes) = (max_patterns, max_bytes);
        Self { patterns, bytes, max_patterns, max_bytes, keeps_unusable: false }
    }

    /// For patterns that are read from the store: one that cannot be compiled within the limits is
    /// kept, and each search for it fails.
    #[must_use]
    pub const fn keeping_unusable(self) -> Self {
        Self { keeps_unusable: true, ..self }
    }

    /// The rest of the budget after patterns that were compiled before.
    #[must_use]
    pub fn after<'p>(mut self, compiled: impl Iterator<Item = &'p Pattern>) -> Self {
        for pattern in compiled {
            let bytes = pattern.program.as_ref().map_or(0, |program| program.nfa.memory_usage());
            self.patterns = self.patterns.saturating_sub(1);
            self.bytes = self.bytes.saturating_sub(bytes);
        }
        self
    }

    /// Compiles a pattern and pays for it.
    pub fn compile(&mut self, source: &str) -> Result<Pattern, PatternError> {
        let program = self.pay(source);
        match program {
            Err(error) if !self.keeps_unusable => Err(error),
            program => Ok(Pattern { source: source.into(), program: program.map(Arc::new) }),
        }
    }

    fn pay(&mut self, source: &str) -> Result<Program, PatternError> {
        let Some(patterns) = self.patterns.checked_sub(1) else {
            return Err(PatternError::TooMany(self.max_patterns));
        };
        let program = Program::new(source, MAX_PATTERN_BYTES)?;
        let Some(bytes) = self.bytes.checked_sub(program.nfa.memory_usage()) else {
            return Err(PatternError::TooLargeTogether(self.max_bytes));
        };
        (self.patterns, self.bytes) = (patterns, bytes);
        Ok(program)
    }
}
