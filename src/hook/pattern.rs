//! Regular expressions of hooks, and the budget that the hooks of one request share.

use crate::json::{Faults, Node, Path};
use crate::limit::{MAX_SHORT_SOURCE_BYTES, Pattern, PatternBudget};

/// Patterns of the hooks of one request, and of the stored hooks of one tenant.
const MAX_PATTERNS: usize = 256;
/// Bytes of the compiled patterns of the hooks of one request, and of the stored hooks of one
/// tenant.
const MAX_COMPILED_BYTES: usize = 2 << 20;

/// Makes the budget of patterns that the hooks of one request, or of one tenant, share.
pub fn hook_patterns() -> PatternBudget {
    PatternBudget::new(MAX_PATTERNS, MAX_COMPILED_BYTES)
}

/// Reads a regular expression that is short and small enough to be compiled for any caller.
pub(super) fn read_pattern(
    node: &Node<'_>,
    path: &Path<'_>,
    patterns: &mut PatternBudget,
    faults: &mut Faults,
) -> Option<Pattern> {
    let Some(source) = node.as_str() else {
        faults.add(path, format!("must be a string, not {}", node.kind()));
        return None;
    };
    if source.is_empty() || source.len() > MAX_SHORT_SOURCE_BYTES {
        faults.add(path, format!("must be a pattern of 1 to {MAX_SHORT_SOURCE_BYTES} bytes"));
        return None;
    }
    patterns.compile(source).map_err(|error| faults.add(path, error.to_string())).ok()
}
