//! Counting tokens.
