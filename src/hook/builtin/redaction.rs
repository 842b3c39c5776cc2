//! `redact`: puts a word in place of what patterns find.

use std::sync::Arc;

use super::{HookAnswer, is_reasoning, is_text};
use crate::domain::ReplacedText;
use crate::hook::match_parser::read_pattern;
use crate::hook::point::Point;
use crate::hook::text;
use crate::json::{Faults, Fields, Node, write_string};
use crate::limit::{Deadline, Pattern, PatternBudget, SearchError};

pub(super) const KEYS: &[&str] = &["patterns", "replacement"];
const PATTERN_KEYS: &[&str] = &["regex", "replacement"];
const DEFAULT_REPLACEMENT: &str = "[REDACTED]";
const MAX_PATTERNS: usize = 32;
const MAX_REPLACEMENT_BYTES: usize = 512;

/// Its settings.
#[derive(Debug, Clone)]
pub struct RedactHook {
    /// Applied one after another, each on what the ones before left; never on what they put in.
    patterns: Vec<(Pattern, Arc<str>)>,
}

impl RedactHook {
    pub(super) fn read(
        fields: &Fields<'_, '_>,
        budget: &mut PatternBudget,
        faults: &mut Faults,
    ) -> Self {
        let replacement = |fields: &Fields<'_, '_>, faults: &mut Faults| {
            let text = fields.text("replacement", faults)?;
            if text.len() > MAX_REPLACEMENT_BYTES {
                fields.fault(
                    "replacement",
                    format!("must be at most {MAX_REPLACEMENT_BYTES} bytes"),
                    faults,
                );
            }
            Some(Arc::<str>::from(text))
        };
        let usual = replacement(fields, faults).unwrap_or_else(|| DEFAULT_REPLACEMENT.into());
        let list = fields.path().key("patterns");
        let items = fields.list("patterns", MAX_PATTERNS, faults);
        if items.is_empty() {
            fields.fault("patterns", "must hold at least one pattern", faults);
        }
        let mut patterns = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let path = list.index(index);
            if item.as_str().is_some() {
                let regex = read_pattern(item, &path, budget, faults);
                patterns.extend(regex.map(|regex| (regex, Arc::clone(&usual))));
            } else if let Some(given) = Fields::read(item, path, PATTERN_KEYS, faults) {
                let with = replacement(&given, faults).unwrap_or_else(|| Arc::clone(&usual));
                match given.get("regex") {
                    Some(node) => {
                        let regex = read_pattern(node, &given.path().key("regex"), budget, faults);
                        patterns.extend(regex.map(|regex| (regex, with)));
                    }
                    None => given.fault("regex", "is missing", faults),
                }
            }
        }
        Self { patterns }
    }

    pub(super) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns.iter().map(|(pattern, _)| pattern)
    }

    pub(super) fn write(&self, out: &mut String) {
        out.push_str("{\"patterns\":[");
        for (index, (regex, replacement)) in self.patterns.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            out.push_str("{\"regex\":");
            write_string(out, regex.as_str());
            out.push_str(",\"replacement\":");
            write_string(out, replacement);
            out.push('}');
        }
        out.push_str("]}");
    }

    pub(super) fn answer(
        &self,
        point: Point,
        input: &Node<'_>,
        deadline: &Deadline,
    ) -> Result<HookAnswer, SearchError> {
        let part = point.payload().and_then(|pointer| text::value_at(input, pointer));
        let Some(part) = part else { return Ok(HookAnswer::Unchanged) };
        let (mut out, mut changed, mut failed) = (String::new(), false, Ok(()));
        text::rewrite(&mut out, part, &mut Vec::new(), &is_reasoning, &mut |keys, text| {
            if failed.is_err() || !is_text(point, keys) {
                return None;
            }
            let new = self.apply(text, deadline).map_err(|error| failed = Err(error)).ok()?;
            changed |= new.is_some();
            new
        });
        failed?;
        Ok(if changed { HookAnswer::Replace(out.into()) } else { HookAnswer::Unchanged })
    }

    /// Replaces every match that is not empty; `None` if that changes nothing.
    fn apply(&self, text: &str, deadline: &Deadline) -> Result<Option<String>, SearchError> {
        let mut replacing = ReplacedText::new(text, deadline);
        for (pattern, with) in &self.patterns {
            replacing.round(|stretch, put| {
                pattern.find_each(stretch, deadline, &mut |range| put(range, with))
            })?;
        }
        Ok(replacing.into_replaced().filter(|new| new != text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Path, parse};
    use crate::limit::Allowance;

    fn redact(config: &str) -> RedactHook {
        let mut faults = Faults::default();
        let node = parse(config, text::LIMITS).unwrap();
        let fields = Fields::read(&node, Path::Root, KEYS, &mut faults).unwrap();
        let redact = RedactHook::read(&fields, &mut PatternBudget::new(8, 1 << 20), &mut faults);
        assert_eq!(faults.into_vec(), []);
        redact
    }

    fn answer(point: Point, input: &str) -> String {
        let stars = redact(r#"{"patterns":["sk-[a-z0-9]+"],"replacement":"***"}"#);
        let input = parse(input, text::LIMITS).unwrap();
        match stars.answer(point, &input, &Deadline::default()).unwrap() {
            HookAnswer::Replace(text) => text.to_string(),
            _ => String::new(),
        }
    }

    #[test]
    fn words_take_the_place_of_what_is_found() {
        let two = redact(r#"{"patterns":["a+",{"regex":"b(.)","replacement":"$1"}]}"#);
        let deadline = Deadline::default();
        assert_eq!(two.apply("xaab!", &deadline), Ok(Some("x[REDACTED]$1".to_owned())));
        assert_eq!(two.apply("xyz", &deadline), Ok(None));
    }

    #[test]
    fn what_was_put_in_is_not_matched_again() {
        let row = format!(r#"{{"regex":"a","replacement":"{}"}}"#, "a".repeat(512));
        let four = redact(&format!(r#"{{"patterns":[{row},{row},{row},{row}]}}"#));
        let deadline = Deadline::default().allowing(&Allowance::new(1 << 20));
        let new = four.apply("banana", &deadline).unwrap().unwrap();
        assert_eq!(new.len(), 3 * 512 + 3);
        let input = format!(r#"{{"value":"{}"}}"#, "a".repeat(10_000));
        let input = parse(&input, text::LIMITS).unwrap();
        assert!(four.answer(Point::MemoryUpdate, &input, &deadline).is_err());
    }

    #[test]
    fn a_result_is_redacted_in_all_its_strings() {
        let input = r#"{"tool":{"name":"sk-1"},"result":{"content":"key=sk-12345 tail","n":1.50}}"#;
        assert_eq!(answer(Point::ToolResult, input), r#"{"content":"key=*** tail","n":1.50}"#);
        assert_eq!(answer(Point::ToolResult, r#"{"result":{"content":"x"}}"#), "");
        assert_eq!(answer(Point::MemoryUpdate, r#"{"value":"sk-1"}"#), "\"***\"");
        assert_eq!(answer(Point::MemoryUpdate, r#"{"value":null}"#), "");
    }

    #[test]
    fn in_messages_ids_and_reasoning_stay() {
        let input = r#"{"messages":[{"id":"sk-1","role":"assistant","parts":[
            {"type":"thinking","text":"sk-1","signature":"sk-1"},
            {"type":"text","text":"sk-1"},
            {"type":"tool_call","id":"sk-1","name":"sk-1","arguments":"{\"k\":\"sk-1\"}"},
            {"type":"tool_result","call_id":"sk-1","content":[{"type":"text","text":"sk-1"}]},
            {"type":"media","media_type":"image/png","data":"sk-1"}]}]}"#;
        let new = answer(Point::TransformContext, input);
        assert_eq!(new.matches("***").count(), 3);
        assert!(new.contains(r#""text":"sk-1","signature":"sk-1""#), "{new}");
        assert!(new.contains(r#""arguments":"{\"k\":\"***\"}""#), "{new}");
    }
}
