//! Patterns of names of tools.

use std::str::FromStr;

use globset::{Glob, GlobMatcher};

/// A pattern of names of tools, in which `*` is any text.
#[derive(Debug, Clone)]
pub struct ToolPattern(GlobMatcher);

impl ToolPattern {
    pub fn covers(&self, tool: &str) -> bool {
        self.0.is_match(tool)
    }
}

impl FromStr for ToolPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("must not be empty".to_owned());
        }
        Glob::new(text).map(|glob| Self(glob.compile_matcher())).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_covers_names_of_tools() {
        let covers = |pattern: &str, tool| pattern.parse::<ToolPattern>().unwrap().covers(tool);
        assert!(covers("mcp__db__*", "mcp__db__query") && !covers("mcp__db__*", "mcp__dc__query"));
        assert!(covers("query", "query") && !covers("query", "query2") && covers("*", "a/b"));
        assert!("".parse::<ToolPattern>().is_err() && "[".parse::<ToolPattern>().is_err());
    }
}
