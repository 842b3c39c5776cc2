//! The key `adapters`: which ones, in which order, and inline definitions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::domain::{
    AdapterChoice, AdapterChoices, AdapterDefinition, DetectRules, LineRemoval, LineSelector, Notes,
};
use crate::json::{Fault, Faults, Fields, Node, Path};
use crate::limit::PatternBudget;

/// Adapters that a request may name.
const MAX_ADAPTERS: usize = 64;
/// Patterns of one adapter, and lines that it keeps by their numbers.
const MAX_PATTERNS: usize = 32;
const MAX_PATTERN_BYTES: usize = 512;
/// Patterns of all definitions that a list defines or names.
pub const MAX_PATTERNS_IN_ALL: usize = 64;
/// Bytes that the patterns of all definitions may take compiled.
const MAX_COMPILED_BYTES: usize = 1 << 20;
/// Bytes of a name.
const MAX_NAME_BYTES: usize = 64;
const NAME_RULE: &str = "must be 1 to 64 letters, digits, `_`, `-` or `.`, a letter first";
/// Lines that a condition or a choice may count to.
const MAX_LINES: u64 = 10_000_000;
/// The default template for joining the kept lines and the summary of the rest.
const DEFAULT_JOIN: &str = "{kept}\n{summary}";

/// Unknown names for which a similar name is looked up: there may be thousands of known ones.
const MAX_HINTS: usize = 4;

/// The budget of patterns that the definitions of one list share.
pub fn adapter_patterns() -> PatternBudget {
    PatternBudget::new(MAX_PATTERNS_IN_ALL, MAX_COMPILED_BYTES)
}

/// Every key of a definition.
pub const ADAPTER_KEYS: &[&str] = &["name", "detect", "keep", "shrink", "join"];
const DETECT_KEYS: &[&str] = &["regex", "min_lines", "line_matches", "min_share_of_lines"];

/// The meanings of names in a list that the list does not define itself.
#[derive(Debug, Default)]
pub struct KnownAdapters {
    /// The names of the built-in adapters, in their order.
    pub built_in: Vec<String>,
    /// Stored definitions: of the names in the request, or of the default names if it has none.
    pub stored: BTreeMap<Arc<str>, Arc<AdapterDefinition>>,
    /// Patterns of the stored definitions of the names that are given. Above
    /// [`MAX_PATTERNS_IN_ALL`] not all of these are in `stored`.
    pub patterns: usize,
    /// Stored adapters whose definitions are beyond the present limits, and why they cannot be
    /// used.
    pub unusable: BTreeMap<Arc<str>, String>,
    /// Further known names, for suggestions.
    pub names: Vec<Arc<str>>,
}

impl KnownAdapters {
    /// Adds a stored adapter, or what is wrong with its definition.
    pub fn add_stored(
        &mut self,
        name: Arc<str>,
        definition: Result<Arc<AdapterDefinition>, Vec<Fault>>,
    ) {
        match definition {
            Ok(definition) => {
                self.stored.insert(name, definition);
            }
            Err(faults) => {
                let why = faults.first().map_or_else(String::new, |fault| {
                    format!("`{}` {}", fault.pointer, fault.detail)
                });
                self.unusable.insert(name, why);
            }
        }
    }

    /// Warns about stored adapters that a request without a list would use and cannot.
    pub(crate) fn warn_unusable(&self, has_list: bool, notes: &mut Notes) {
        for (name, why) in self.unusable.iter().filter(|_| !has_list) {
            let detail = format!("the stored adapter `{name}` is not used: {why}");
            notes.warn("adapter_unusable", String::new(), detail);
        }
    }

    /// The adapters of a request that does not choose any.
    pub(super) fn default_choices(&self) -> AdapterChoices {
        AdapterChoices::Usual(self.stored.values().map(Arc::clone).collect())
    }

    fn is_built_in(&self, name: &str) -> bool {
        self.built_in.iter().any(|own| own == name)
    }

    fn all<'k>(&'k self, inline: &'k BTreeSet<&str>) -> impl Iterator<Item = &'k str> {
        let stored = self.stored.keys().chain(&self.names).map(AsRef::as_ref);
        inline.iter().copied().chain(stored).chain(self.built_in.iter().map(String::as_str))
    }
}

/// The key `adapters` of a request or of its `compression`, unparsed; `None` if it is absent.
pub fn given_adapters<'r, 'a>(section: Option<&'r Node<'a>>) -> Option<&'r Node<'a>> {
    section?.get("adapters").filter(|node| !node.is_null())
}

/// The names in a list that it does not define.
pub fn adapter_names<'r>(list: &'r Node<'_>) -> BTreeSet<&'r str> {
    let items = list.as_array().unwrap_or_default().iter().take(MAX_ADAPTERS);
    items.filter_map(Node::as_str).filter(|name| is_name(name)).collect()
}

/// Reads a list of names and definitions.
pub(crate) fn read_adapters(
    fields: &Fields<'_, '_>,
    known: &KnownAdapters,
    faults: &mut Faults,
) -> AdapterChoices {
    if fields.get("adapters").is_none() {
        return known.default_choices();
    }
    let list = fields.path().key("adapters");
    let items = fields.list("adapters", MAX_ADAPTERS, faults);
    let patterns: usize = items.iter().map(patterns_in).sum();
    if patterns + known.patterns > MAX_PATTERNS_IN_ALL {
        let rule = format!("must not take more than {MAX_PATTERNS_IN_ALL} patterns in all");
        faults.add(&list, rule);
        return AdapterChoices::default();
    }
    let inline = items.iter().filter_map(|item| item.get("name")?.as_str());
    let inline: BTreeSet<&str> = inline.filter(|name| is_name(name)).collect();
    let (mut choices, mut defined) = (Vec::new(), BTreeMap::new());
    let mut hints = MAX_HINTS;
    let mut budget = adapter_patterns();
    for (index, item) in items.iter().enumerate() {
        let path = list.index(index);
        if let Some(name) = item.as_str() {
            let is_inline = inline.contains(name);
            if let Some(why) = known.unusable.get(name).filter(|_| !is_inline) {
                faults.add(&path, format!("the stored adapter `{name}` cannot be used: {why}"));
            } else if is_inline || known.stored.contains_key(name) || known.is_built_in(name) {
                choices.push(AdapterChoice::Named(name.into()));
            } else {
                let near = known.all(&inline).take_while(|_| is_name(name) && hints > 0);
                faults.unknown_name(&path, "adapter", name, near);
                hints = hints.saturating_sub(1);
            }
        } else if let Some(definition) = read_definition(item, path, None, &mut budget, faults) {
            let definition = Arc::new(definition);
            if defined.insert(Arc::clone(&definition.name), Arc::clone(&definition)).is_some() {
                faults.add(&path.key("name"), "is defined in this list already");
            }
            choices.push(AdapterChoice::Custom(definition));
        }
    }
    let meant = |choice| match choice {
        AdapterChoice::Named(name) => {
            match defined.get(&name).or_else(|| known.stored.get(&name)) {
                Some(definition) => AdapterChoice::Custom(Arc::clone(definition)),
                None => AdapterChoice::Named(name),
            }
        }
        custom @ AdapterChoice::Custom(_) => custom,
    };
    AdapterChoices::Chosen(choices.into_iter().map(meant).collect())
}

/// Reads a definition. `name`: the name in the path, if there is one.
pub fn read_definition<'r>(
    node: &'r Node<'_>,
    path: Path<'r>,
    name: Option<&str>,
    patterns: &mut PatternBudget,
    faults: &mut Faults,
) -> Option<AdapterDefinition> {
    let fields = Fields::read(node, path, ADAPTER_KEYS, faults)?;
    if patterns_in(node) > MAX_PATTERNS {
        faults.add(&path, format!("must hold at most {MAX_PATTERNS} patterns"));
        return None;
    }
    let own = fields.text("name", faults);
    let name = match (own, name) {
        (Some(own), Some(name)) if own != name => {
            fields.fault("name", format!("must be `{name}`, as in the address"), faults);
            None
        }
        (own, name) => own.or(name),
    };
    match name {
        Some(name) if !is_name(name) && own.is_none() => {
            faults.add(&path, format!("the name in the address {NAME_RULE}"));
        }
        Some(name) if !is_name(name) => fields.fault("name", NAME_RULE, faults),
        None if own.is_none() => fields.fault("name", "is missing", faults),
        _ => {}
    }
    let detect = read_detect(&fields, patterns, faults);
    let keep = read_keep(&fields, patterns, faults);
    let shrink = read_shrink(&fields, patterns, faults);
    let join = fields.text("join", faults).unwrap_or(DEFAULT_JOIN);
    for part in ["{kept}", "{summary}"] {
        if join.matches(part).count() != 1 {
            fields.fault("join", format!("must hold `{part}` once"), faults);
        }
    }
    Some(AdapterDefinition { name: name?.into(), detect, keep, shrink, join: join.into() })
}

/// Patterns that a definition has, good or bad: to be asked before they are compiled.
pub fn patterns_in(node: &Node<'_>) -> usize {
    let detect = |key| node.get("detect").and_then(|detect| detect.get(key));
    let single = [detect("regex"), detect("min_share_of_lines")].into_iter().flatten().count();
    let lines = detect("line_matches").and_then(Node::as_object).map_or(0, Vec::len);
    let listed = ["keep", "shrink"].into_iter().filter_map(|key| node.get(key)?.as_array());
    single + lines + listed.flatten().filter(|item| item.get("regex").is_some()).count()
}

/// Whether a name can be part of a path and of a report.
fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME_BYTES
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

fn read_detect(
    fields: &Fields<'_, '_>,
    patterns: &mut PatternBudget,
    faults: &mut Faults,
) -> DetectRules {
    let mut detect = DetectRules::default();
    let Some(node) = fields.get("detect") else {
        fields.fault("detect", "is missing", faults);
        return detect;
    };
    let Some(given) = Fields::read(node, fields.path().key("detect"), DETECT_KEYS, faults) else {
        return detect;
    };
    detect.regex = pattern(&given, "regex", patterns, faults);
    detect.min_lines = given
        .whole("min_lines", 1, MAX_LINES, faults)
        .and_then(|lines| usize::try_from(lines).ok());
    if let Some(node) = given.get("line_matches") {
        let path = given.path().key("line_matches");
        let members = node.as_object();
        let members = members.filter(|members| (1..=MAX_PATTERNS).contains(&members.len()));
        if members.is_none() {
            let rule = format!("must be an object of 1 to {MAX_PATTERNS} lines and their patterns");
            given.fault("line_matches", rule, faults);
        }
        for (number, value) in members.into_iter().flatten() {
            let line = number.parse::<usize>().ok().filter(|line| *line > 0);
            let source = value.as_str();
            match (line, source) {
                (Some(line), Some(source)) => match checked(source, patterns) {
                    Ok(()) => detect.line_matches.push((line, source.into())),
                    Err(why) => faults.add(&path.key(number), why),
                },
                (None, _) => faults.add(&path.key(number), "must be a line number from 1"),
                (_, None) => faults.add(&path.key(number), "must be a pattern"),
            }
        }
    }
    if let Some(share) = given.get("min_share_of_lines") {
        let path = given.path().key("min_share_of_lines");
        if let Some(given) = Fields::read(share, path, &["regex", "share"], faults) {
            let source = pattern(&given, "regex", patterns, faults);
            let share = given.milli("share", 0, 1000, faults);
            for key in ["regex", "share"] {
                if given.get(key).is_none() {
                    given.fault(key, "is missing", faults);
                }
            }
            detect.min_share_of_lines = source.zip(share);
        }
    }
    if DETECT_KEYS.iter().all(|key| given.get(key).is_none()) {
        fields.fault("detect", format!("must hold one of {}", DETECT_KEYS.join(", ")), faults);
    }
    detect
}

fn read_keep(
    fields: &Fields<'_, '_>,
    patterns: &mut PatternBudget,
    faults: &mut Faults,
) -> Vec<LineSelector> {
    let list = fields.path().key("keep");
    let mut keep = Vec::new();
    for (index, item) in fields.list("keep", MAX_PATTERNS, faults).iter().enumerate() {
        let path = list.index(index);
        let Some(given) = Fields::read(item, list.index(index), &["lines", "regex"], faults) else {
            continue;
        };
        let source = pattern(&given, "regex", patterns, faults);
        match (given.text("lines", faults), source) {
            (Some(_), Some(_)) => faults.add(&path, "must hold one of lines, regex"),
            (Some(lines), None) => {
                let lines = lines_of(lines);
                if lines.is_none() {
                    let rule = "must be a line number, a range such as 2-5, or -3 for the last 3";
                    given.fault("lines", rule, faults);
                }
                keep.extend(lines);
            }
            (None, Some(source)) => keep.push(LineSelector::Matching(source)),
            (None, None) if given.get("regex").is_none() => {
                faults.add(&path, "must hold one of lines, regex");
            }
            (None, None) => {}
        }
    }
    keep
}

fn lines_of(text: &str) -> Option<LineSelector> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|line| *line > 0);
    if let Some(last) = text.strip_prefix('-') {
        return number(last).map(LineSelector::Last);
    }
    match text.split_once('-') {
        Some((first, last)) => {
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some(LineSelector::Between(first, last))
        }
        None => number(text).map(|line| LineSelector::Between(line, line)),
    }
}

fn read_shrink(
    fields: &Fields<'_, '_>,
    budget: &mut PatternBudget,
    faults: &mut Faults,
) -> LineRemoval {
    let Some(node) = fields.get("shrink") else { return LineRemoval::Rest };
    if node.as_str() == Some("rest") {
        return LineRemoval::Rest;
    }
    let list = fields.path().key("shrink");
    let Some(items) = node.as_array().filter(|items| items.len() <= MAX_PATTERNS) else {
        fields.fault("shrink", "must be `rest` or a list of patterns", faults);
        return LineRemoval::Rest;
    };
    let mut patterns = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if let Some(given) = Fields::read(item, list.index(index), &["regex"], faults) {
            if given.get("regex").is_none() {
                given.fault("regex", "is missing", faults);
            }
            patterns.extend(pattern(&given, "regex", budget, faults));
        }
    }
    LineRemoval::Matching(patterns)
}

fn pattern(
    fields: &Fields<'_, '_>,
    key: &'static str,
    patterns: &mut PatternBudget,
    faults: &mut Faults,
) -> Option<Arc<str>> {
    let source = fields.text(key, faults)?;
    match checked(source, patterns) {
        Ok(()) => Some(source.into()),
        Err(why) => {
            fields.fault(key, why, faults);
            None
        }
    }
}

fn checked(source: &str, patterns: &mut PatternBudget) -> Result<(), String> {
    if source.len() > MAX_PATTERN_BYTES {
        return Err(format!("must be at most {MAX_PATTERN_BYTES} bytes"));
    }
    patterns.compile(source).map(drop).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    const DEFINITION: &str = r#"{"detect": {"min_lines": 3}, "keep": [{"lines": "1"}]}"#;

    fn known() -> KnownAdapters {
        let definition = |name: &str| {
            let node = parse(DEFINITION, Limits::default()).unwrap();
            let mut faults = Faults::default();
            let read = read_definition(
                &node,
                Path::Root,
                Some(name),
                &mut adapter_patterns(),
                &mut faults,
            )
            .unwrap();
            (Arc::from(name), Arc::new(read))
        };
        KnownAdapters {
            built_in: vec!["xml".to_owned(), "csv".to_owned()],
            stored: BTreeMap::from([definition("csv"), definition("ledger")]),
            patterns: 0,
            unusable: BTreeMap::from([("wide".into(), "is wide".to_owned())]),
            names: vec!["invoices".into()],
        }
    }

    fn read(body: &str) -> Result<AdapterChoices, Vec<Fault>> {
        let node = parse(body, Limits::default()).unwrap();
        let mut faults = Faults::default();
        let fields = Fields::read(&node, Path::Root, &["adapters"], &mut faults).unwrap();
        let choices = read_adapters(&fields, &known(), &mut faults);
        if faults.is_empty() { Ok(choices) } else { Err(faults.into_vec()) }
    }

    /// The choices: a name for a built-in adapter, a name and the least lines for a definition.
    fn chosen(body: &str) -> Vec<String> {
        let AdapterChoices::Chosen(list) = read(body).unwrap() else { panic!("the usual ones") };
        let tell = |choice| match choice {
            AdapterChoice::Named(name) => name.to_string(),
            AdapterChoice::Custom(own) => format!("{} {:?}", own.name, own.detect.min_lines),
        };
        list.into_iter().map(tell).collect()
    }

    #[test]
    fn a_name_is_what_the_list_defines_else_what_is_stored_else_ours() {
        let body = r#"{"adapters": ["xml", "csv", "ledger"]}"#;
        assert_eq!(chosen(body), ["xml", "csv Some(3)", "ledger Some(3)"]);
        let body =
            r#"{"adapters": ["xml", "ledger", {"name": "xml", "detect": {"min_lines": 9}}]}"#;
        assert_eq!(chosen(body), ["xml Some(9)", "ledger Some(3)", "xml Some(9)"]);
        assert_eq!(chosen(r#"{"adapters": []}"#), [""; 0]);
    }

    #[test]
    fn where_nothing_is_chosen_stored_ones_stand_for_ours() {
        for body in ["{}", r#"{"adapters": null}"#] {
            let AdapterChoices::Usual(stored) = read(body).unwrap() else { panic!("a choice") };
            assert!(stored.iter().any(|own| &*own.name == "csv"));
        }
    }

    #[test]
    fn every_unknown_name_is_told_with_the_nearest_known_one() {
        let told = |body: &str| {
            let faults = read(body).unwrap_err().into_iter();
            faults.map(|fault| (fault.pointer, fault.did_you_mean)).collect::<Vec<_>>()
        };
        let body = r#"{"adapters": ["xlm", "xml", "invoice", "legder", "zzzzzzzzzz",
            {"name": "bonds", "detect": {"min_lines": 0}}, "bond"]}"#;
        let near =
            |pointer: &str, name: Option<&str>| (pointer.to_owned(), name.map(str::to_owned));
        assert_eq!(
            told(body),
            [
                near("/adapters/0", Some("xml")),
                near("/adapters/2", Some("invoices")),
                near("/adapters/3", Some("ledger")),
                near("/adapters/4", None),
                near("/adapters/5/detect/min_lines", None),
                near("/adapters/6", None),
            ]
        );
        let twice = r#"{"adapters": [{"name": "a", "detect": {"min_lines": 1}},
            {"name": "a", "detect": {"min_lines": 2}}]}"#;
        assert_eq!(told(twice), [near("/adapters/1/name", None)]);
    }

    #[test]
    fn a_stored_adapter_beyond_the_limits_is_a_fault_where_it_is_named() {
        let faults = read(r#"{"adapters": ["xml", "wide"]}"#).unwrap_err();
        assert_eq!(faults[0].pointer, "/adapters/1");
        assert_eq!(faults[0].detail, "the stored adapter `wide` cannot be used: is wide");
        let body = r#"{"adapters": ["wide", {"name": "wide", "detect": {"min_lines": 9}}]}"#;
        assert_eq!(chosen(body), ["wide Some(9)", "wide Some(9)"]);
        let mut notes = Notes::default();
        known().warn_unusable(true, &mut notes);
        assert!(notes.warnings.is_empty());
        known().warn_unusable(false, &mut notes);
        assert_eq!(notes.warnings[0].code, "adapter_unusable");
    }

    #[test]
    fn all_faults_of_a_definition_are_told_at_once() {
        let body = r#"{"name": "b", "detect": {"regex": "(", "min_line": 2, "line_matches": {"0": "a"},
            "min_share_of_lines": {"regex": "a", "share": 2}},
            "keep": [{"lines": "0"}, {"regx": "a"}, {}], "shrink": "all", "join": "{kept}"}"#;
        let node = parse(body, Limits::default()).unwrap();
        let mut faults = Faults::default();
        read_definition(&node, Path::Root, Some("a"), &mut adapter_patterns(), &mut faults);
        let faults = faults.into_vec();
        let pointers: BTreeSet<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
        let wanted = [
            "/name",
            "/detect/regex",
            "/detect/min_line",
            "/detect/line_matches/0",
            "/detect/min_share_of_lines/share",
            "/keep/0/lines",
            "/keep/1",
            "/keep/1/regx",
            "/keep/2",
            "/shrink",
            "/join",
        ];
        assert_eq!(pointers, BTreeSet::from(wanted));
        let near = faults.iter().find(|fault| fault.pointer == "/detect/min_line").unwrap();
        assert_eq!(near.did_you_mean.as_deref(), Some("min_lines"));
    }

    #[test]
    fn patterns_are_as_many_and_as_large_as_can_be_compiled_in_time() {
        let pattern = |source: &str| format!(r#"{{"regex": "{source}"}}"#);
        let definition = |name: usize, source: &str, count: usize| {
            let keep = vec![pattern(source); count].join(",");
            format!(r#"{{"name": "a{name}", "detect": {{"min_lines": 1}}, "keep": [{keep}]}}"#)
        };
        let list =
            |definitions: &[String]| format!(r#"{{"adapters": [{}]}}"#, definitions.join(","));
        let told = |body: &str| read(body).map_err(|faults| faults[0].pointer.clone()).err();
        assert_eq!(told(&list(&[definition(0, "a", 32)])), None);
        assert_eq!(told(&list(&[definition(0, "a", 33)])).as_deref(), Some("/adapters/0"));
        let two = [0, 1].map(|name| definition(name, "a", 32));
        assert_eq!(told(&list(&two)), None);
        let three = [0, 1, 2].map(|name| definition(name, "a", 32));
        assert_eq!(told(&list(&three)).as_deref(), Some("/adapters"));
        // Each pattern by itself may be so large, all of them together not.
        let large = r"\\w{10}";
        assert_eq!(told(&list(&[definition(0, large, 1)])), None);
        let told = told(&list(&[definition(0, large, 32)]));
        assert_eq!(told.as_deref(), Some("/adapters/0/keep/5/regex"));
    }

    #[test]
    fn a_name_is_given_by_the_address_or_by_the_definition() {
        let read = |body: &str, name| {
            let node = parse(body, Limits::default()).unwrap();
            let mut faults = Faults::default();
            let read =
                read_definition(&node, Path::Root, name, &mut adapter_patterns(), &mut faults);
            let pointers: Vec<_> =
                faults.into_vec().into_iter().map(|fault| fault.pointer).collect();
            (read.map(|own| own.name.to_string()), pointers)
        };
        let unnamed = r#"{"detect": {"regex": "a"}}"#;
        let named = r#"{"name": "ledger", "detect": {"regex": "a"}}"#;
        assert_eq!(read(unnamed, Some("ledger")), (Some("ledger".to_owned()), vec![]));
        assert_eq!(read(named, Some("ledger")), (Some("ledger".to_owned()), vec![]));
        assert_eq!(read(named, None), (Some("ledger".to_owned()), vec![]));
        assert_eq!(read(unnamed, None).1, ["/name"]);
        assert_eq!(read(named, Some("book")).1, ["/name"]);
        assert_eq!(read(unnamed, Some("1st")).1, [""]);
        assert_eq!(read(r#"{"name": "a b", "detect": {"regex": "a"}}"#, None).1, ["/name"]);
    }
}
