//! The pack of compiles that name none: one intent, no rule, nothing withheld.

use super::{Pack, PublicKeys, read};
use crate::json::{self, Limits};

const DOCUMENT: &str = include_str!("builtin.json");

/// The built-in pack, `builtin.default@0.0.0`.
pub fn builtin() -> Option<Pack> {
    let node = json::parse(DOCUMENT, Limits::default()).ok()?;
    read(&node, &PublicKeys::default()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::lint;

    #[test]
    fn the_built_in_pack_has_no_fault() {
        let node = json::parse(DOCUMENT, Limits::default()).unwrap();
        assert_eq!(lint(&node, &PublicKeys::default()).faults, []);
        let pack = builtin().unwrap();
        assert_eq!(pack.reference.to_string(), "builtin.default@0.0.0");
        assert!(pack.policy.bundles.is_empty() && pack.policy.redaction.is_empty());
    }
}
