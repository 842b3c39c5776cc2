//! `truncate`: cuts the long output of a tool and inserts a marker with the number of bytes
//! removed.
//!
//! Bytes are counted, characters are kept whole. A text that was cut before is recognized by its
//! end, so a second pass changes nothing.

use std::sync::Arc;

use super::{HookAnswer, write_list};
use crate::hook::text;
use crate::json::{Faults, Fields, Node, parse, write_string};

/// `maxBytes` and `markerCounts` are the names elsewhere.
pub(super) const KEYS: &[&str] =
    &["enabled", "max_bytes", "maxBytes", "marker", "marker_counts", "markerCounts", "tools"];
const DEFAULT_BYTES: u64 = 8192;
const MAX_BYTES: u64 = 10 << 20;
const DEFAULT_MARKER: &str = "... truncated {n} bytes ...";
const MAX_MARKER_BYTES: usize = 1024;
const MAX_TOOLS: usize = 64;
/// The placeholder for the number of bytes in a marker.
const COUNT_PLACEHOLDER: &str = "{n}";
/// Digits of the largest count that a marker must have room for.
const COUNT_DIGITS: usize = 10;
/// Digits of the largest count that there is.
const MAX_COUNT_DIGITS: usize = 20;
/// Bytes of the longest character but one: what a cut between characters can fall short by.
const MAX_SHORTFALL_BYTES: usize = 3;

/// Its settings.
#[derive(Debug, Clone)]
pub struct TruncateHook {
    enabled: bool,
    max_bytes: usize,
    marker: Arc<str>,
    /// Whether the marker's own bytes count.
    marker_counts: bool,
    /// Tools whose output is cut; `*` is any tool.
    tools: Vec<Arc<str>>,
}

impl Default for TruncateHook {
    fn default() -> Self {
        Self {
            enabled: true,
            max_bytes: usize::try_from(DEFAULT_BYTES).unwrap_or_default(),
            marker: DEFAULT_MARKER.into(),
            marker_counts: false,
            tools: vec!["Bash".into()],
        }
    }
}

impl TruncateHook {
    pub(super) fn read(fields: &Fields<'_, '_>, faults: &mut Faults) -> Option<Self> {
        let usual = Self::default();
        let either = |snake: &'static str, camel: &'static str, faults: &mut Faults| {
            if fields.get(snake).is_some() && fields.get(camel).is_some() {
                fields.fault(camel, format!("is `{snake}`, which is given too"), faults);
            }
            if fields.get(snake).is_some() { snake } else { camel }
        };
        let key = either("max_bytes", "maxBytes", faults);
        let bytes = fields.whole(key, 1, MAX_BYTES, faults).unwrap_or(DEFAULT_BYTES);
        let max_bytes = usize::try_from(bytes).ok()?;
        let counts = either("marker_counts", "markerCounts", faults);
        let marker_counts = fields.flag(counts, faults).unwrap_or(false);
        let marker = fields.text("marker", faults).map_or(usual.marker, Arc::from);
        if marker.len() > MAX_MARKER_BYTES {
            fields.fault("marker", format!("must be at most {MAX_MARKER_BYTES} bytes"), faults);
        } else if marker_counts && marker_length(&marker, COUNT_DIGITS) > max_bytes {
            fields.fault(key, "leaves no room for the marker, which counts", faults);
        }
        let tools = match fields.get("tools") {
            Some(_) => {
                fields.texts("tools", MAX_TOOLS, faults).into_iter().map(Arc::from).collect()
            }
            None => usual.tools,
        };
        let enabled = fields.flag("enabled", faults).unwrap_or(true);
        Some(Self { enabled, max_bytes, marker, marker_counts, tools })
    }

    pub(super) fn write(&self, out: &mut String) {
        use std::fmt::Write as _;
        let (enabled, counts) = (self.enabled, self.marker_counts);
        let _ = write!(out, "{{\"enabled\":{enabled},\"max_bytes\":{},\"marker\":", self.max_bytes);
        write_string(out, &self.marker);
        let _ = write!(out, ",\"marker_counts\":{counts},\"tools\":");
        write_list(out, self.tools.iter().map(AsRef::as_ref));
        out.push('}');
    }

    /// Cuts `stdout` if the result has one, else the texts of `content`: of one that is an object
    /// with a `stdout`, this. A result that is an error stays whole.
    pub(super) fn answer(&self, input: &Node<'_>) -> HookAnswer {
        let tool = text::value_at(input, "/tool/name").and_then(Node::as_str);
        let meant = self.tools.iter().any(|name| &**name == "*" || Some(&**name) == tool);
        let result = input.get("result").filter(|result| result.as_object().is_some());
        let failed = result.and_then(|result| result.get("is_error")?.as_bool()) == Some(true);
        let Some(result) = result.filter(|_| self.enabled && meant && !failed) else {
            return HookAnswer::Unchanged;
        };
        let field = if result.get("stdout").is_some_and(|node| node.as_str().is_some()) {
            "stdout"
        } else {
            "content"
        };
        let (mut out, mut changed) = (String::new(), false);
        text::rewrite(&mut out, result, &mut Vec::new(), &|_| false, &mut |keys, text| {
            let here = match keys {
                [key] => *key == field,
                // The text parts of a list of parts.
                ["content", "text"] => field == "content",
                _ => false,
            };
            let cut = here.then(|| self.cut_output(text)).flatten();
            changed |= cut.is_some();
            cut
        });
        if changed { HookAnswer::Replace(out.into()) } else { HookAnswer::Unchanged }
    }

    /// Cuts a text, or of one that is an object with a text `stdout` this member: the others say how
    /// the command ended.
    fn cut_output(&self, text: &str) -> Option<String> {
        if text.len() <= self.max_bytes {
            return None;
        }
        let is_object = text.trim_start().starts_with('{');
        let object = is_object.then(|| parse(text, text::LIMITS).ok()).flatten();
        let stdout = object.as_ref().and_then(|object| object.get("stdout"));
        let Some((node, stdout)) = stdout.and_then(|node| Some((node, node.as_str()?))) else {
            return self.cut(text);
        };
        let cut = self.cut(stdout)?;
        let start = (node.raw.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
        let mut out = text.get(..start)?.to_owned();
        write_string(&mut out, &cut);
        out.push_str(text.get(start + node.raw.len()..)?);
        Some(out)
    }

    /// Cuts a text; `None` if it is short enough, or was cut before.
    pub fn cut(&self, text: &str) -> Option<String> {
        if text.len() <= self.max_bytes || self.is_own(text) {
            return None;
        }
        let kept = if self.marker_counts { self.kept_beside_marker(text) } else { self.max_bytes };
        let kept = text.floor_char_boundary(kept);
        let gone = text.len() - kept;
        let mut out = text.get(..kept)?.to_owned();
        out.push_str(&self.marker.replace(COUNT_PLACEHOLDER, &gone.to_string()));
        Some(out)
    }

    /// Bytes to keep so that they and the marker take at most `max_bytes`.
    fn kept_beside_marker(&self, text: &str) -> usize {
        let fits = |digits: usize| {
            let room = self.max_bytes.checked_sub(marker_length(&self.marker, digits))?;
            let kept = text.floor_char_boundary(room);
            ((text.len() - kept).to_string().len() <= digits).then_some(kept)
        };
        (1..=COUNT_DIGITS).find_map(fits).unwrap_or(0)
    }

    /// Whether a text that is too long ends with the marker, after as much text as a cut leaves.
    fn is_own(&self, text: &str) -> bool {
        let first = self.marker.split(COUNT_PLACEHOLDER).next().unwrap_or_default();
        // A marker that does not count has no digits to look for.
        let most = if self.marker.contains(COUNT_PLACEHOLDER) { MAX_COUNT_DIGITS } else { 0 };
        let least = self.max_bytes.saturating_sub(MAX_SHORTFALL_BYTES);
        (least..=self.max_bytes).any(|kept| {
            let end = text.get(kept..).unwrap_or_default();
            let Some(rest) = end.strip_prefix(first) else { return false };
            (most.min(1)..=most).any(|digits| {
                let count = rest.get(..digits).unwrap_or_default();
                end.len() == marker_length(&self.marker, digits)
                    && count.len() == digits
                    && count.bytes().all(|byte| byte.is_ascii_digit())
                    && *end == *self.marker.replace(COUNT_PLACEHOLDER, count)
            })
        })
    }
}

/// Bytes of the marker with counts of so many digits.
fn marker_length(marker: &str, digits: usize) -> usize {
    let places = marker.matches(COUNT_PLACEHOLDER).count();
    marker.len() - places * COUNT_PLACEHOLDER.len() + places * digits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Path, parse};

    fn with(config: &str) -> Result<TruncateHook, usize> {
        let mut faults = Faults::default();
        let node = parse(config, text::LIMITS).unwrap();
        let fields = Fields::read(&node, Path::Root, KEYS, &mut faults).unwrap();
        let truncate = TruncateHook::read(&fields, &mut faults);
        let faults = faults.into_vec().len();
        if faults > 0 { Err(faults) } else { Ok(truncate.unwrap()) }
    }

    fn cut(max: usize, text: &str) -> String {
        let truncate = with(&format!("{{\"max_bytes\":{max}}}")).unwrap();
        truncate.cut(text).unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn the_published_vectors_hold() {
        assert_eq!(cut(10, "abcdefghij"), "abcdefghij");
        assert_eq!(cut(10, "abcdefghijk"), "abcdefghij... truncated 1 bytes ...");
        assert_eq!(cut(10, "abcdefghi€€"), "abcdefghi... truncated 6 bytes ...");
        assert_eq!(cut(10, "abcdefghij€€€"), "abcdefghij... truncated 9 bytes ...");
        assert_eq!(cut(1, "€"), "... truncated 3 bytes ...");
        assert_eq!(cut(5, "😀😀"), "😀... truncated 4 bytes ...");
        let x = |count| "x".repeat(count);
        assert_eq!(cut(8192, &x(8192)), x(8192));
        assert_eq!(cut(8192, &x(8193)), x(8192) + "... truncated 1 bytes ...");
        assert_eq!(cut(8192, &x(20_000)), x(8192) + "... truncated 11808 bytes ...");
        let mixed = "y".repeat(8191) + "€" + &"z".repeat(10);
        assert_eq!(cut(8192, &mixed), "y".repeat(8191) + "... truncated 13 bytes ...");
    }

    #[test]
    fn a_marker_may_count_and_may_say_nothing() {
        let truncate = with("{\"marker_counts\":true}").unwrap();
        let cut = |count: usize| truncate.cut(&"x".repeat(count)).unwrap();
        assert_eq!(cut(10_000), "x".repeat(8164) + "... truncated 1836 bytes ...");
        assert_eq!(cut(8193), "x".repeat(8166) + "... truncated 27 bytes ...");
        assert_eq!(cut(10_000).len(), 8192);
        let twice = with("{\"max_bytes\":3,\"marker\":\"[cut {n}/{n}]\"}").unwrap();
        assert_eq!(twice.cut("abcdef").unwrap(), "abc[cut 3/3]");
        let silent = with("{\"max_bytes\":3,\"marker\":\"…\"}").unwrap();
        assert_eq!(silent.cut("abcdef").unwrap(), "abc…");
    }

    #[test]
    fn settings_that_cannot_be_are_faults() {
        for bad in [
            "{\"maxBytes\":0}",
            "{\"maxBytes\":\"8192\"}",
            "{\"max\":5}",
            "{\"max_bytes\":10,\"marker_counts\":true}",
            "{\"tools\":[7]}",
            "{\"max_bytes\":5,\"maxBytes\":5}",
        ] {
            assert_eq!(with(bad).unwrap_err(), 1, "{bad}");
        }
        assert_eq!(with("{\"maxBytes\":5}").unwrap().max_bytes, 5);
    }

    #[test]
    fn only_the_text_of_a_named_tool_is_cut() {
        let truncate = with("{\"max_bytes\":3}").unwrap();
        let answer = |tool: &str, result: &str| {
            let input = format!("{{\"tool\":{{\"name\":\"{tool}\"}},\"result\":{result}}}");
            match truncate.answer(&parse(&input, text::LIMITS).unwrap()) {
                HookAnswer::Replace(text) => text.to_string(),
                _ => String::new(),
            }
        };
        assert_eq!(
            answer("Bash", r#"{"content":"abcdef"}"#),
            r#"{"content":"abc... truncated 3 bytes ..."}"#
        );
        assert_eq!(
            answer("Bash", r#"{"stdout":"abcdef","content":"abcdef","exit_code":1.0}"#),
            r#"{"stdout":"abc... truncated 3 bytes ...","content":"abcdef","exit_code":1.0}"#
        );
        let object = |stdout: &str| {
            let content = format!(
                "{{\"exit_code\": 1.0, \"stdout\": {stdout}, \"stderr\": \"a long error\"}}"
            );
            let mut result = "{\"content\":".to_owned();
            write_string(&mut result, &content);
            result + "}"
        };
        let shown = answer("Bash", &object("\"ab\\ncdef\""));
        assert_eq!(shown, object("\"ab\\n... truncated 4 bytes ...\""));
        // Where there is no output, nothing goes.
        assert_eq!(answer("Bash", &object("\"\"")), "");
        assert!(answer("Bash", &object("7")).contains("... truncated"));
        let parts =
            r#"{"content":[{"type":"text","text":"abcdef"},{"type":"media","url":"abcdef"}]}"#;
        assert!(answer("Bash", parts).contains(r#""text":"abc... truncated 3 bytes ...""#));
        for (tool, result) in [
            ("Read", r#"{"content":"abcdef"}"#),
            ("bash", r#"{"content":"abcdef"}"#),
            ("Bash", r#"{"content":"abcdef","is_error":true}"#),
            ("Bash", r#"{"stdout":7}"#),
            ("Bash", "{}"),
            ("Bash", r#""abcdef""#),
        ] {
            assert_eq!(answer(tool, result), "", "{tool} {result}");
        }
        let off = with("{\"enabled\":false,\"max_bytes\":3}").unwrap();
        let input = r#"{"tool":{"name":"Bash"},"result":{"content":"abcdef"}}"#;
        assert!(matches!(off.answer(&parse(input, text::LIMITS).unwrap()), HookAnswer::Unchanged));
    }

    proptest! {
        #[test]
        fn a_cut_text_is_a_start_and_a_marker_and_stays_as_it_is(
            text in "[a€😀 0-9.]{0,80}", max in 1_usize..60,
            marker in prop_oneof![
                Just(DEFAULT_MARKER.to_owned()), Just("{n}".to_owned()), Just("5{n}5{n}".to_owned()),
                Just(String::new()), "[.€{}n0-9]{0,8}",
            ],
            counts in any::<bool>()
        ) {
            let truncate = TruncateHook {
                max_bytes: max, marker: marker.as_str().into(), marker_counts: counts,
                ..TruncateHook::default()
            };
            let Some(cut) = truncate.cut(&text) else {
                prop_assert!(text.len() <= max || truncate.is_own(&text));
                return Ok(());
            };
            let kept = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            let is_start = kept.into_iter().any(|at| {
                cut == text[..at].to_owned() + &marker.replace(COUNT_PLACEHOLDER, &(text.len() - at).to_string())
            });
            prop_assert!(is_start, "{:?}", cut);
            if !counts {
                prop_assert_eq!(truncate.cut(&cut), None);
            } else if marker_length(&marker, COUNT_DIGITS) <= max {
                prop_assert!(cut.len() <= max);
            }
        }
    }
}
