//! `secret_scan`: a guard that refuses texts with an access key.
//!
//! A key is a known prefix followed by 16 or more letters, digits, `_` or `-`, at the start of a
//! word, so that words such as `sk-learn` are no keys. The reason names the prefix and never the
//! key.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::{HookAnswer, is_text, write_list};
use crate::hook::point::Point;
use crate::hook::text;
use crate::json::{Faults, Fields, Node};

pub(super) const KEYS: &[&str] = &["prefixes"];
const DEFAULT_PREFIXES: &[&str] = &["sk-ant-", "sk-", "ghp_", "AIza"];
const MAX_PREFIXES: usize = 64;
const MAX_PREFIX_BYTES: usize = 64;
/// Letters, digits, `_` and `-` that make a key of what follows a prefix.
const MIN_KEY_BYTES: usize = 16;

/// Its settings.
#[derive(Debug, Clone)]
pub struct SecretScan {
    prefixes: Vec<Arc<str>>,
    /// Finds the prefixes.
    finder: AhoCorasick,
}

impl SecretScan {
    pub(super) fn read(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<Self> {
        let prefixes: Vec<Arc<str>> = match fields.get("prefixes") {
            Some(_) => {
                fields.texts("prefixes", MAX_PREFIXES, faults).into_iter().map(Arc::from).collect()
            }
            None => DEFAULT_PREFIXES.iter().map(|prefix| Arc::from(*prefix)).collect(),
        };
        let bad = |prefix: &Arc<str>| prefix.is_empty() || prefix.len() > MAX_PREFIX_BYTES;
        if prefixes.is_empty() || prefixes.iter().any(bad) {
            let rule = format!(
                "must hold at least one text of 1 to {MAX_PREFIX_BYTES} bytes, and no others"
            );
            fields.fault("prefixes", rule, faults);
            return None;
        }
        // A table of all states would take a megabyte.
        let finder = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(prefixes.iter().map(|prefix| prefix.as_bytes()));
        let finder = finder.map_err(|error| fields.fault("prefixes", error.to_string(), faults));
        Some(Self { finder: finder.ok()?, prefixes })
    }

    /// The prefix of the first key in a text; of several that begin at one place, the first in the
    /// list.
    fn find(&self, text: &str) -> Option<&Arc<str>> {
        let bytes = text.as_bytes();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric();
        let is_key = |start: usize, end: usize| {
            let before = start.checked_sub(1).and_then(|at| bytes.get(at));
            let rest = bytes.get(end..end + MIN_KEY_BYTES).unwrap_or_default();
            !before.is_some_and(is_word)
                && rest.len() == MIN_KEY_BYTES
                && rest.iter().all(|byte| is_word(byte) || matches!(byte, b'_' | b'-'))
        };
        let found = self.finder.find_overlapping_iter(text);
        let keys = found.filter(|hit| is_key(hit.start(), hit.end()));
        let first = keys.min_by_key(|hit| (hit.start(), hit.pattern()))?;
        self.prefixes.get(first.pattern().as_usize())
    }

    pub(super) fn write(&self, out: &mut String) {
        out.push_str("{\"prefixes\":");
        write_list(out, self.prefixes.iter().map(AsRef::as_ref));
        out.push('}');
    }

    pub(super) fn answer(&self, point: Point, input: &Node<'_>) -> HookAnswer {
        let part = point.payload().and_then(|pointer| text::value_at(input, pointer));
        let mut found = None;
        if let Some(part) = part {
            let mut unused = String::new();
            text::rewrite(&mut unused, part, &mut Vec::new(), &|_| false, &mut |keys, text| {
                if found.is_none() && is_text(point, keys) {
                    found = self.find(text).map(|prefix| prefix.to_string());
                }
                None
            });
        }
        match found {
            Some(start) => HookAnswer::Deny {
                reason: format!("the text holds an access key that begins with `{start}`").into(),
                code: Some("ContextContainsForbiddenSource".into()),
            },
            None => HookAnswer::Allow,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Path, parse};

    fn reason(text: &str) -> Option<String> {
        let mut faults = Faults::default();
        let node = parse("{}", text::LIMITS).unwrap();
        let fields = Fields::read(&node, Path::Root, KEYS, &mut faults).unwrap();
        let scan = SecretScan::read(&fields, &mut faults).unwrap();
        let input = serde_json::json!({"messages": [{"role": "user", "id": "x",
            "parts": [{"type": "text", "text": text}]}]});
        let input = input.to_string();
        match scan.answer(Point::TransformContext, &parse(&input, text::LIMITS).unwrap()) {
            HookAnswer::Deny { reason, .. } => Some(reason.to_string()),
            _ => None,
        }
    }

    #[test]
    fn keys_are_found_and_never_repeated() {
        for (start, key) in [
            ("sk-ant-", "sk-ant-abcdefghijklmnop"),
            ("sk-", "x=sk-0123456789abcdef0"),
            ("ghp_", "\"ghp_0123456789abcdefghij\""),
            ("AIza", "AIzaSyA-0123456789abcdef"),
        ] {
            let reason = reason(key).expect(key);
            assert!(reason.contains(start) && !reason.contains("0123"), "{reason}");
        }
        for harmless in ["sk-learn", "task-0123456789abcdefgh", "sk-short", "ghp_", ""] {
            assert_eq!(reason(harmless), None, "{harmless}");
        }
    }
}
