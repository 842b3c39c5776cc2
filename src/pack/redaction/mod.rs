//! What is taken out of texts before anybody counts or reads them.
//!
//! Rules are applied in the order in which they were declared, each on what the ones before left;
//! what stands in the place of a match is never matched again.

mod detector;
mod quoted;

use std::collections::BTreeMap;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};

use crate::json::write_string;

pub(super) use detector::Detector;

/// Strings in strings that are looked into.
const DEEPEST: usize = 8;

/// The rules of a pack.
#[derive(Debug, Clone, Default)]
pub struct Redaction {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    id: Arc<str>,
    finder: Finder,
    replacement: Arc<str>,
}

#[derive(Debug, Clone)]
enum Finder {
    BuiltIn(Detector),
    Pattern(Regex),
}

/// A text without what rules found in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redacted {
    /// None where nothing was found.
    pub text: Option<String>,
    /// How often each rule found something.
    pub hits: BTreeMap<Arc<str>, u64>,
}

/// A stretch of a text.
struct Stretch<'t> {
    text: std::borrow::Cow<'t, str>,
    is_settled: bool,
}

impl Redaction {
    /// Bytes that a pattern may take when it is compiled.
    const LARGEST: usize = 1 << 20;

    /// Adds a detector of ours; answers whether there is one of this name.
    pub(super) fn add_detector(&mut self, name: &str) -> bool {
        let found = Detector::named(name);
        if let Some(detector) = found {
            self.add(name, Finder::BuiltIn(detector), None);
        }
        found.is_some()
    }

    pub(super) fn add_pattern(
        &mut self,
        id: &str,
        pattern: &str,
        replacement: Option<&str>,
    ) -> Result<(), regex::Error> {
        let regex = RegexBuilder::new(pattern).size_limit(Self::LARGEST).build()?;
        self.add(id, Finder::Pattern(regex), replacement);
        Ok(())
    }

    fn add(&mut self, id: &str, finder: Finder, replacement: Option<&str>) {
        let replacement = replacement.map_or_else(|| format!("[REDACTED:{id}]"), str::to_owned);
        self.rules.push(Rule { id: id.into(), finder, replacement: replacement.into() });
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The names of the rules, in their order.
    pub fn ids(&self) -> impl Iterator<Item = &Arc<str>> {
        self.rules.iter().map(|rule| &rule.id)
    }

    /// A text without what the rules find in it, as it stands or in what its quoted JSON strings say:
    /// there, a number may stand behind an escaped line break, and a letter be six characters.
    pub fn apply(&self, text: &str) -> Redacted {
        self.within(text, 0)
    }

    /// `depth`: in how many strings the text is quoted.
    fn within(&self, text: &str, depth: usize) -> Redacted {
        let mut hits = BTreeMap::new();
        if self.is_empty() {
            return Redacted::default();
        }
        let mut stretches = Vec::new();
        let mut from = 0;
        let quoted = if depth < DEEPEST { quoted::strings(text) } else { Vec::new() };
        for (range, said) in quoted {
            let Redacted { text: Some(new), hits: found } = self.within(&said, depth + 1) else {
                continue;
            };
            for (id, count) in found {
                *hits.entry(id).or_default() += count;
            }
            let before = text.get(from..range.start).unwrap_or_default();
            stretches.push(Stretch { text: before.into(), is_settled: false });
            let mut escaped = String::new();
            write_string(&mut escaped, &new);
            stretches.push(Stretch { text: escaped.into(), is_settled: true });
            from = range.end;
        }
        let rest = text.get(from..).unwrap_or_default();
        stretches.push(Stretch { text: rest.into(), is_settled: false });
        for rule in &self.rules {
            let mut next = Vec::with_capacity(stretches.len());
            for stretch in stretches {
                if stretch.is_settled {
                    next.push(stretch);
                    continue;
                }
                let found = rule.finder.find(&stretch.text);
                if found.is_empty() {
                    next.push(stretch);
                    continue;
                }
                *hits.entry(Arc::clone(&rule.id)).or_default() += found.len() as u64;
                cut(&stretch.text, &found, &rule.replacement, &mut next);
            }
            stretches = next;
        }
        let text = (!hits.is_empty())
            .then(|| stretches.iter().map(|stretch| &*stretch.text).collect::<String>());
        Redacted { text, hits }
    }
}

/// Parts a text at what was found in it.
fn cut<'t>(
    text: &str,
    found: &[std::ops::Range<usize>],
    replacement: &str,
    out: &mut Vec<Stretch<'t>>,
) {
    let mut from = 0;
    let keep = |from: usize, to: usize, out: &mut Vec<Stretch<'t>>| {
        if let Some(kept) = text.get(from..to).filter(|kept| !kept.is_empty()) {
            out.push(Stretch { text: kept.to_owned().into(), is_settled: false });
        }
    };
    for range in found {
        keep(from, range.start, out);
        out.push(Stretch { text: replacement.to_owned().into(), is_settled: true });
        from = range.end;
    }
    keep(from, text.len(), out);
}

impl Finder {
    /// Where it finds something; in order, without overlap.
    fn find(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        match self {
            Self::BuiltIn(detector) => detector.find(&quoted::blank(text)),
            Self::Pattern(regex) => {
                regex.find_iter(text).map(|found| found.range()).filter(|r| !r.is_empty()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Redaction {
        let mut redaction = Redaction::default();
        for name in names {
            assert!(redaction.add_detector(name), "{name}");
        }
        redaction
    }

    fn shown(names: &[&str], text: &str) -> String {
        of(names).apply(text).text.unwrap_or_else(|| text.to_owned())
    }

    #[test]
    fn detectors_take_what_they_are_for_and_nothing_near_it() {
        for (name, text, left) in [
            ("email", "to bob@example.com.", "to [REDACTED:email]."),
            ("email", "bob@localhost", "bob@localhost"),
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
        let twice = of(&names).apply(r#"{"a":"\n4111111111111111","b":"4111111111111111"}"#);
        assert_eq!(twice.hits.values().sum::<u64>(), 2);
    }

    #[test]
    fn rules_go_one_after_another_and_not_over_what_was_put_in() {
        let mut redaction = of(&["email"]);
        redaction.add_pattern("word", "REDACTED|bob", Some("-")).unwrap();
        let redacted = redaction.apply("bob@example.com and bob");
        assert_eq!(redacted.text.as_deref(), Some("[REDACTED:email] and -"));
        let hits: Vec<_> = redacted.hits.iter().map(|(id, count)| (&**id, *count)).collect();
        assert_eq!(hits, [("email", 1), ("word", 1)]);
        assert_eq!(redaction.apply("nothing"), Redacted::default());
    }
}
