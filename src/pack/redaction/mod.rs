//! Redaction of texts before they are counted or read.
//!
//! Rules are applied in the order of their declaration, each on the output of the ones before; a
//! replacement is never matched again.

mod detector;
mod quoted_values;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::ReplacedText;
use crate::json::write_string;
use crate::limit::{Deadline, MatchFn, Pattern, SearchError};

pub(super) use detector::Detector;

/// Strings in strings that are looked into.
const MAX_DEPTH: usize = 8;

/// The rules of a pack.
#[derive(Debug, Clone, Default)]
pub struct Redaction {
    rules: Vec<RedactionRule>,
}

#[derive(Debug, Clone)]
struct RedactionRule {
    id: Arc<str>,
    finder: RedactionFinder,
    replacement: Arc<str>,
}

#[derive(Debug, Clone)]
enum RedactionFinder {
    BuiltIn(Detector),
    Pattern(Pattern),
}

/// The rules of a pack at work for one request.
#[derive(Debug, Clone, Copy)]
pub struct Redactor<'r> {
    rules: &'r Redaction,
    deadline: &'r Deadline,
}

/// A text without what rules found in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RedactedText {
    /// `None` if nothing was found.
    pub text: Option<String>,
    /// The number of matches of each rule.
    pub hits: BTreeMap<Arc<str>, u64>,
}

impl Redaction {
    /// Bytes of what is put in the place of a match.
    pub(super) const MAX_REPLACEMENT_BYTES: usize = 512;

    /// Adds a built-in detector; returns whether there is one of this name.
    pub(super) fn add_detector(&mut self, name: &str) -> bool {
        let found = Detector::from_name(name);
        if let Some(detector) = found {
            self.add(name, RedactionFinder::BuiltIn(detector), None);
        }
        found.is_some()
    }

    pub(super) fn add_pattern(&mut self, id: &str, pattern: Pattern, replacement: Option<&str>) {
        self.add(id, RedactionFinder::Pattern(pattern), replacement);
    }

    fn add(&mut self, id: &str, finder: RedactionFinder, replacement: Option<&str>) {
        let replacement = replacement.map_or_else(|| format!("[REDACTED:{id}]"), str::to_owned);
        self.rules.push(RedactionRule { id: id.into(), finder, replacement: replacement.into() });
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The names of the rules, in their order.
    pub fn ids(&self) -> impl Iterator<Item = &Arc<str>> {
        self.rules.iter().map(|rule| &rule.id)
    }

    /// The rules, with what they may put into texts.
    pub fn redactor<'r>(&'r self, deadline: &'r Deadline) -> Redactor<'r> {
        Redactor { rules: self, deadline }
    }

    /// `depth`: in how many strings the text is quoted.
    fn within(
        &self,
        text: &str,
        depth: usize,
        deadline: &Deadline,
    ) -> Result<RedactedText, SearchError> {
        let mut hits = BTreeMap::new();
        if self.is_empty() {
            return Ok(RedactedText::default());
        }
        let mut replacing = ReplacedText::new(text, deadline);
        let quoted = if depth < MAX_DEPTH { quoted_values::strings(text) } else { Vec::new() };
        replacing.round(|_, put| {
            for (range, said) in &quoted {
                let RedactedText { text, hits: found } = self.within(said, depth + 1, deadline)?;
                let Some(new) = text else { continue };
                for (id, count) in found {
                    *hits.entry(id).or_default() += count;
                }
                let mut escaped = String::new();
                write_string(&mut escaped, &new);
                put(range.clone(), &escaped)?;
            }
            Ok::<_, SearchError>(())
        })?;
        for rule in &self.rules {
            let count = replacing.round(|stretch, put| {
                rule.finder.find(stretch, deadline, &mut |range| put(range, &rule.replacement))
            })?;
            if count > 0 {
                *hits.entry(Arc::clone(&rule.id)).or_default() += count;
            }
        }
        Ok(RedactedText { text: replacing.into_replaced(), hits })
    }
}

impl Redactor<'_> {
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Removes what the rules find in a text, either in the text itself or in the values of its
    /// quoted JSON strings: there, a number may follow an escaped line break, and a letter be six
    /// characters.
    ///
    /// If a text would become longer than the request may make, or the time is up, nothing of the
    /// text is left, and the exhausted allowance or the deadline refuses the request.
    pub fn apply(&self, text: &str) -> RedactedText {
        let redacted = self.rules.within(text, 0, self.deadline);
        redacted
            .unwrap_or_else(|_| RedactedText { text: Some(String::new()), hits: BTreeMap::new() })
    }
}

impl RedactionFinder {
    /// Calls `found` with each range that it finds; in order, without overlap.
    fn find(&self, text: &str, deadline: &Deadline, found: MatchFn<'_>) -> Result<(), SearchError> {
        match self {
            Self::BuiltIn(detector) => {
                Ok(detector.find(&quoted_values::blank(text)).into_iter().try_for_each(found)?)
            }
            Self::Pattern(pattern) => pattern.find_each(text, deadline, found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::{Allowance, PatternBudget};

    fn pattern(source: &str) -> Pattern {
        PatternBudget::new(1, usize::MAX).compile(source).unwrap()
    }

    fn of(names: &[&str]) -> Redaction {
        let mut redaction = Redaction::default();
        for name in names {
            assert!(redaction.add_detector(name), "{name}");
        }
        redaction
    }

    fn shown(names: &[&str], text: &str) -> String {
        of(names).redactor(&Deadline::default()).apply(text).text.unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn detectors_take_what_they_are_for_and_nothing_near_it() {
        for (name, text, left) in [
            ("email", "to bob@example.com.", "to [REDACTED:email]."),
            ("email", "bob@localhost", "bob@localhost"),
            ("email", "an Jörg.Müller@bücher.example, bitte", "an [REDACTED:email], bitte"),
            ("email", "jo\u{308}rg@xn--bcher-kva.example", "[REDACTED:email]"),
            ("email", "Пишите на коля@пример.рф!", "Пишите на [REDACTED:email]!"),
            ("email", "<δοκιμή@παράδειγμα.δοκιμή>", "<[REDACTED:email]>"),
            ("email", "लिखें: राम@उदाहरण.भारत", "लिखें: [REDACTED:email]"),
            ("email", "李雷@例子.中国。", "[REDACTED:email]。"),
            ("email", "ann@bücher.xn--p1ai", "[REDACTED:email]"),
            ("email", "请写信给bob@example.com谢谢", "请写信给[REDACTED:email]谢谢"),
            ("email", "请写信给bob@例子.中国", "[REDACTED:email]"),
            ("email", "bob@example.com으로", "[REDACTED:email]으로"),
            ("email", "müller@localhost", "müller@localhost"),
            ("email", "@ü.de, ü@, ü@.de", "@ü.de, ü@, ü@.de"),
            ("credit_card", "卡号4111111111111111有效", "卡号[REDACTED:credit_card]有效"),
            ("ipv4", "地址10.0.0.1端口", "地址[REDACTED:ipv4]端口"),
            ("iban", "口座DE89370400440532013000です", "口座[REDACTED:iban]です"),
            ("secret", "密钥AKIAABCDEFGHIJKLMNOP", "密钥[REDACTED:secret]"),
            ("pan", "税号ABCDE1234F号", "税号[REDACTED:pan]号"),
            ("phone", "电话+49 30 1234567号", "电话[REDACTED:phone]号"),
            ("phone", "call +49 30 1234567 now", "call [REDACTED:phone] now"),
            ("phone", "1+2=3", "1+2=3"),
            ("credit_card", "4111 1111 1111 1111", "[REDACTED:credit_card]"),
            ("credit_card", "4111 1111 1111 1112", "4111 1111 1111 1112"),
            ("credit_card", "on 12 4111-1111-1111-1111 2026", "on 12 [REDACTED:credit_card] 2026"),
            ("iban", "DE89 3704 0044 0532 0130 00 IS IT", "[REDACTED:iban] IS IT"),
            ("iban", "DE88370400440532013000", "DE88370400440532013000"),
            ("ipv4", "at 10.0.0.1:80", "at [REDACTED:ipv4]:80"),
            ("ipv4", "version 1.2.3.400", "version 1.2.3.400"),
            ("secret", "AKIAABCDEFGHIJKLMNOP", "[REDACTED:secret]"),
            ("pan", "ABCDE1234F, ABCDE12345", "[REDACTED:pan], ABCDE12345"),
        ] {
            assert_eq!(shown(&[name], text), left, "{name}");
        }
    }

    #[test]
    fn addresses_are_looked_for_in_linear_time() {
        // A search that began again at each of these bytes would take hours.
        for piece in ["ü", "ü.", "ü@", "ü@ü.", "字a", "a@b.cc.1.", "字@字.字字"] {
            let text = piece.repeat(300_000 / piece.len());
            for text in [format!("{text}@"), format!("@{text}"), text] {
                let left = shown(&["email"], &text);
                assert!(!left.contains("cc"), "{piece}");
            }
        }
    }

    #[test]
    fn what_stands_in_json_is_found_as_it_is_said() {
        let names = ["email", "credit_card", "ipv4"];
        for (text, left) in [
            (
                r#"{"note":"card:\n4111111111111111 end"}"#,
                r#"{"note":"card:\n[REDACTED:credit_card] end"}"#,
            ),
            (r#"{"b":"hi\nbob@example.com"}"#, r#"{"b":"hi\n[REDACTED:email]"}"#),
            (r#"{"to":"bob\u0040example.com"}"#, r#"{"to":"[REDACTED:email]"}"#),
            (r#"{"bob\u0040example.com":"a\"b"}"#, r#"{"[REDACTED:email]":"a\"b"}"#),
            (
                r#"log {"out":"{\"ip\":\"\\n10.0.0.1\"}"} end"#,
                r#"log {"out":"{\"ip\":\"\\n[REDACTED:ipv4]\"}"} end"#,
            ),
            (r"'card:\n4111111111111111'", r"'card:\n[REDACTED:credit_card]'"),
            (
                "\"open 10.0.0.1\nand \"\\t10.0.0.2\"",
                "\"open [REDACTED:ipv4]\nand \"\\t[REDACTED:ipv4]\"",
            ),
        ] {
            assert_eq!(shown(&names, text), left, "{text}");
        }
        let twice = of(&names)
            .redactor(&Deadline::default())
            .apply(r#"{"a":"\n4111111111111111","b":"4111111111111111"}"#);
        assert_eq!(twice.hits.values().sum::<u64>(), 2);
    }

    #[test]
    fn rules_go_one_after_another_and_not_over_what_was_put_in() {
        let mut redaction = of(&["email"]);
        redaction.add_pattern("word", pattern("REDACTED|bob"), Some("-"));
        let redacted = redaction.redactor(&Deadline::default()).apply("bob@example.com and bob");
        assert_eq!(redacted.text.as_deref(), Some("[REDACTED:email] and -"));
        let hits: Vec<_> = redacted.hits.iter().map(|(id, count)| (&**id, *count)).collect();
        assert_eq!(hits, [("email", 1), ("word", 1)]);
        assert_eq!(
            redaction.redactor(&Deadline::default()).apply("nothing"),
            RedactedText::default()
        );
    }

    #[test]
    fn a_text_that_would_grow_too_long_is_refused_and_nothing_of_it_is_left() {
        let mut redaction = Redaction::default();
        redaction.add_pattern("a", pattern("a"), Some(&"a".repeat(512)));
        redaction.add_pattern("b", pattern("a"), Some(&"a".repeat(512)));
        let allowance = Allowance::new(1 << 20);
        let deadline = Deadline::default().allowing(&allowance);
        let text = redaction.redactor(&deadline).apply(&"a".repeat(100)).text.unwrap();
        assert_eq!((text.len(), allowance.check()), (51_200, Ok(())));
        assert_eq!(
            redaction.redactor(&deadline).apply(&"a".repeat(10_000)).text.as_deref(),
            Some("")
        );
        assert!(allowance.check().is_err());
    }

    #[test]
    fn once_the_time_is_up_nothing_of_a_text_is_left() {
        let deadline = Deadline::default();
        deadline.cancel();
        for redaction in [of(&["email"]), {
            let mut redaction = Redaction::default();
            redaction.add_pattern("b", pattern("b"), None);
            redaction
        }] {
            let redacted = redaction.redactor(&deadline).apply("bob@example.com");
            assert_eq!(redacted.text.as_deref(), Some(""));
        }
    }
}
