//! The definition of an adapter: its conditions, and the lines that it keeps and leaves out.

use std::sync::Arc;

use crate::domain::{AdapterDefinition, AdapterTuning, DetectRules, LineRemoval, LineSelector};
use crate::json::{Faults, Fields, Node, Path};
use crate::limit::{MAX_SHORT_SOURCE_BYTES, PatternBudget};

/// Patterns of one adapter, and lines that it keeps by their numbers.
const MAX_PATTERNS: usize = 32;
/// Bytes of a name.
const MAX_NAME_BYTES: usize = 64;
const NAME_RULE: &str = "must be 1 to 64 letters, digits, `_`, `-` or `.`, a letter first";
/// Lines that a condition or a choice may count to.
const MAX_LINES: u64 = 10_000_000;
/// The default template for joining the kept lines and the summary of the rest.
const DEFAULT_JOIN: &str = "{kept}\n{summary}";

/// Every key of a definition.
pub const ADAPTER_KEYS: &[&str] = &["name", "detect", "keep", "shrink", "join"];
/// Every key of a definition in a list.
const LISTED_KEYS: &[&str] = &["name", "detect", "keep", "shrink", "join", "ratio", "summarizer"];
/// Every key of a name with how the adapter is to work.
const TUNED_KEYS: &[&str] = &["name", "ratio", "summarizer"];
const DETECT_KEYS: &[&str] = &["regex", "min_lines", "line_matches", "min_share_of_lines"];

/// Reads a definition. `name`: the name in the path, if there is one.
pub fn read_definition<'r>(
    node: &'r Node<'_>,
    path: Path<'r>,
    name: Option<&str>,
    patterns: &mut PatternBudget,
    faults: &mut Faults,
) -> Option<AdapterDefinition> {
    let keys = if name.is_some() { ADAPTER_KEYS } else { LISTED_KEYS };
    let fields = Fields::read(node, path, keys, faults)?;
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

/// The name in an entry that names an adapter and says how it is to work; `None` if the entry is a
/// definition or a mere name.
pub(super) fn tuned_name<'r>(node: &'r Node<'_>) -> Option<&'r str> {
    let is_tuned = ["ratio", "summarizer"].iter().any(|key| node.get(key).is_some());
    let is_defined = ["detect", "keep", "shrink", "join"].iter().any(|key| node.get(key).is_some());
    node.get("name").filter(|_| is_tuned && !is_defined)?.as_str()
}

/// Reads how the adapter of an entry is to work.
pub(super) fn read_tuning(node: &Node<'_>, path: Path<'_>, faults: &mut Faults) -> AdapterTuning {
    let keys = if tuned_name(node).is_some() { TUNED_KEYS } else { LISTED_KEYS };
    // Keys that there are none of were told with the definition.
    let mut unknown = Faults::default();
    let own = if tuned_name(node).is_some() { &mut *faults } else { &mut unknown };
    let Some(fields) = Fields::read(node, path, keys, own) else {
        return AdapterTuning::default();
    };
    let range = AdapterTuning::KEEP_MILLI;
    let keep_milli = fields.milli("ratio", *range.start(), *range.end(), faults);
    let summarizer = fields.flag("summarizer", faults).unwrap_or(false);
    AdapterTuning { keep_milli, summarizer }
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
pub(super) fn is_name(name: &str) -> bool {
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
    if source.len() > MAX_SHORT_SOURCE_BYTES {
        return Err(format!("must be at most {MAX_SHORT_SOURCE_BYTES} bytes"));
    }
    patterns.compile(source).map(drop).map_err(|error| error.to_string())
}
