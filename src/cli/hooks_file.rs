//! The file of `contexture hooks apply`: hooks by their names, with variables of the environment.

use std::path::Path;

use serde_json::{Map, Value};

use super::CommandError;
use super::failure::FileFaults;
use super::source_file::{LocatedFault, SourceFile};
use super::yaml_document::{self, YamlFault};
use crate::config;
use crate::json::Fault;

/// A hook of the file.
#[derive(Debug, PartialEq)]
pub(super) struct HookOfFile {
    pub(super) name: String,
    /// As `PUT /hooks/{id}` takes it.
    pub(super) definition: Value,
}

/// A file of hooks, in its order.
#[derive(Debug)]
pub(super) struct AppliedFile {
    source: SourceFile,
    pub(super) hooks: Vec<HookOfFile>,
}

impl AppliedFile {
    /// Reads a file, or standard input for `-`.
    pub(super) fn read(path: &Path) -> Result<Self, CommandError> {
        let source = SourceFile::read_shown(path, hide_values)?;
        match parse(&source.text, config::variable_of_file) {
            Ok(hooks) => Ok(Self { source, hooks }),
            Err(AppliedFileError::NoDocument(YamlFault { detail, span })) => {
                let fault = LocatedFault { title: detail, span, label: String::new() };
                Err(Box::new(without_secrets(&source).located(&[fault])))
            }
            Err(AppliedFileError::Invalid(faults)) => Err(Box::new(show(&source, &faults))),
        }
    }

    /// Shows faults of the definition of a hook, each at its place.
    pub(super) fn faults_of_hook(&self, name: &str, faults: &[Fault]) -> FileFaults {
        let in_file = |fault: &Fault| Fault {
            pointer: format!("/hooks/{name}{}", fault.pointer),
            detail: fault.detail.clone(),
            did_you_mean: fault.did_you_mean.clone(),
        };
        show(&self.source, &faults.iter().map(in_file).collect::<Vec<_>>())
    }
}

/// Shows faults at their places.
fn show(source: &SourceFile, faults: &[Fault]) -> FileFaults {
    let located = faults.iter().map(|Fault { pointer, detail, did_you_mean }| {
        let near = did_you_mean.as_ref().map(|near| format!(" (did you mean `{near}`?)"));
        LocatedFault {
            title: format!("{detail}{}", near.unwrap_or_default()),
            span: yaml_document::span(&source.text, pointer),
            label: pointer.clone(),
        }
    });
    without_secrets(source).located(&located.collect::<Vec<_>>())
}

/// The file as it may be shown.
fn without_secrets(source: &SourceFile) -> SourceFile {
    source.with_text(hide_values(&source.text))
}

/// A text with stars for all values but words of keys that hold no secret. A file that is no YAML has
/// no values to find, so lines decide: a key stands at the beginning of its line. Each text keeps its
/// length in bytes, and so all places stay.
fn hide_values(text: &str) -> String {
    text.split_inclusive('\n').map(hide_value).collect()
}

fn hide_value(line: &str) -> String {
    const OPEN_KEYS: [&str; 8] =
        ["point", "kind", "delivery", "on_error", "order", "priority", "timeout_ms", "enabled"];
    let begin = line.len() - line.trim_start_matches([' ', '-']).len();
    let rest = line.get(begin..).unwrap_or_default();
    let is_of_key = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
    let key = rest.split_once(':').map(|(key, _)| key.trim_matches(['"', '\'', ' ']));
    let key = key.filter(|key| !key.is_empty() && key.chars().all(is_of_key));
    let is_word = |value: &str| {
        value
            .chars()
            .all(|letter| is_of_key(letter) || letter.is_whitespace() || "\"'".contains(letter))
    };
    let shown = match (key, rest.split_once(':')) {
        (Some(key), Some((_, value))) if OPEN_KEYS.contains(&key) && is_word(value) => line.len(),
        (Some(_), Some((before, _))) => begin + before.len() + ":".len(),
        _ => begin,
    };
    let (open, hidden) = line.split_at(shown);
    let mut out = open.to_owned();
    for letter in hidden.chars() {
        match letter {
            _ if letter.is_whitespace() => out.push(letter),
            _ => out.extend(std::iter::repeat_n('*', letter.len_utf8())),
        }
    }
    out
}

/// What is wrong with a file.
#[derive(Debug, PartialEq)]
enum AppliedFileError {
    NoDocument(YamlFault),
    Invalid(Vec<Fault>),
}

fn parse(
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Vec<HookOfFile>, AppliedFileError> {
    let fail = |pointer: &str, detail: &str| {
        Err(AppliedFileError::Invalid(vec![fault(pointer.to_owned(), detail)]))
    };
    let document = yaml_document::parse(text).map_err(AppliedFileError::NoDocument)?;
    let Value::Object(mut members) = document else {
        return fail("", "must have the key `hooks`, with the hooks by their names");
    };
    let hooks = members.remove("hooks");
    if let Some(other) = members.keys().next() {
        let near = if strsim::jaro(other, "hooks") > 0.7 { " (did you mean `hooks`?)" } else { "" };
        let detail = format!("unknown key `{other}`; the only key is `hooks`{near}");
        return fail(&format!("/{}", escape(other)), &detail);
    }
    let hooks = match hooks {
        Some(Value::Object(hooks)) => hooks,
        Some(_) => return fail("/hooks", "`hooks` must be a mapping of names to hooks"),
        None => return fail("", "the key `hooks` is missing, with the hooks by their names"),
    };
    let mut faults = Vec::new();
    let mut read = Vec::new();
    for (name, mut definition) in hooks {
        let place = format!("/hooks/{}", escape(&name));
        if !is_name(&name) {
            faults.push(fault(place.clone(), NAME_RULE));
        } else if !definition.is_object() {
            let detail = "must be a mapping with `point`, `kind` and others";
            faults.push(fault(place.clone(), detail));
        }
        fill(&mut definition, &place, &variable, &mut faults);
        read.push(HookOfFile { name, definition });
    }
    if faults.is_empty() { Ok(read) } else { Err(AppliedFileError::Invalid(faults)) }
}

fn fault(pointer: String, detail: &str) -> Fault {
    Fault { pointer, detail: detail.to_owned(), did_you_mean: None }
}

/// A key as a step of a JSON Pointer.
fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

const NAME_RULE: &str = "a name has 1 to 64 of a-z, 0-9, `.`, `_` and `-`";

/// Whether a name can stand in a path as it is; the server has the same rule.
fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'-')
    };
    (1..=64).contains(&name.len()) && name.bytes().all(is_letter)
}

/// Puts the values of variables in the place of `${NAME}` in all texts of a value.
fn fill(
    value: &mut Value,
    place: &str,
    variable: &impl Fn(&str) -> Option<String>,
    faults: &mut Vec<Fault>,
) {
    match value {
        Value::String(text) => match substitute(text, variable) {
            Ok(filled) => *text = filled,
            Err(detail) => faults.push(fault(place.to_owned(), &detail)),
        },
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                fill(item, &format!("{place}/{at}"), variable, faults);
            }
        }
        Value::Object(members) => fill_members(members, place, variable, faults),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn fill_members(
    members: &mut Map<String, Value>,
    place: &str,
    variable: &impl Fn(&str) -> Option<String>,
    faults: &mut Vec<Fault>,
) {
    for (name, member) in members {
        fill(member, &format!("{place}/{}", escape(name)), variable, faults);
    }
}

/// `${NAME}` is the value of a variable, `$${` the text `${`; any other `$` is itself.
fn substitute(text: &str, variable: &impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        filled.push_str(before);
        if let Some(after) = from.strip_prefix("$${") {
            filled.push_str("${");
            rest = after;
        } else if let Some(after) = from.strip_prefix("${") {
            let Some((name, after)) = after.split_once('}') else {
                return Err("`${` has no `}`; write `$${` for the text itself".to_owned());
            };
            let value = variable(name);
            filled.push_str(&value.ok_or_else(|| format!("the variable {name} is not set"))?);
            rest = after;
        } else {
            filled.push('$');
            rest = from.strip_prefix('$').unwrap_or_default();
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(text: &str) -> Result<Vec<HookOfFile>, AppliedFileError> {
        parse(text, |name| (name == "TOKEN").then(|| "s3cret".to_owned()))
    }

    fn faults(text: &str) -> String {
        match parsed(text).unwrap_err() {
            AppliedFileError::NoDocument(fault) => fault.detail,
            AppliedFileError::Invalid(faults) => {
                let lines =
                    faults.iter().map(|fault| format!("{}: {}", fault.pointer, fault.detail));
                lines.collect::<Vec<_>>().join("\n")
            }
        }
    }

    #[test]
    fn names_are_keys_and_variables_are_filled_in() {
        let text = "hooks:\n  redact:\n    point: tool_result\n    headers:\n      \
                    Authorization: Bearer ${TOKEN}\n    note: [$5, '$${TOKEN}', $]\n  scan: {}\n";
        let hooks = parsed(text).unwrap();
        let names: Vec<_> = hooks.iter().map(|hook| hook.name.as_str()).collect();
        assert_eq!(names, ["redact", "scan"]);
        let filled = json!({"point": "tool_result", "headers": {"Authorization": "Bearer s3cret"},
            "note": ["$5", "${TOKEN}", "$"]});
        assert_eq!(hooks[0].definition, filled);
    }

    #[test]
    fn every_variable_that_is_not_set_is_named_with_its_place() {
        let text = "hooks:\n  one: {secret: '${ONE}'}\n  two: {match: {tools: ['${TWO}']}}\n";
        assert_eq!(
            faults(text),
            "/hooks/one/secret: the variable ONE is not set\n\
             /hooks/two/match/tools/0: the variable TWO is not set"
        );
        assert!(faults("hooks: {one: {url: '${ONE'}}").contains("has no `}`"));
    }

    #[test]
    fn what_is_no_file_of_hooks_is_refused() {
        assert!(faults("- id: one").contains("the key `hooks`"));
        assert!(faults("hooks: [{id: one}]").contains("mapping of names"));
        assert!(
            faults("hooks: {}\nhook: {}")
                .contains("unknown key `hook`; the only key is `hooks` (did you mean `hooks`?)")
        );
        assert!(faults("hooks: {Big Name: {}}").contains("1 to 64"));
        assert!(faults("hooks: {one: text}").contains("/hooks/one: must be a mapping"));
        assert!(faults("hooks: {one: {}, one: {}}").contains("the key `one` is there twice"));
        assert_eq!(faults("{}"), ": the key `hooks` is missing, with the hooks by their names");
        assert!(faults("hooks: [").contains("did not find expected node content"));
    }

    #[test]
    fn values_of_the_file_are_not_shown() {
        for (line, shown) in [
            ("    secret: whsec_AbC+/=\n", "    secret: ************\n"),
            ("    secret: @SUPER\n", "    secret: ******\n"),
            ("  - url: 'https://u:p@a.example/t'\r\n", "  - url: *************************\r\n"),
            ("a: {point: x, headers: {b: c}}", "a: ******* ** ******** *** ***"),
            ("{\"secret\":\"SUPER\"}", "******************"),
            ("    point: tool_resul", "    point: tool_resul"),
            ("    point: x, secret: y", "    point: ** ******* *"),
            ("      ünd mehr\"", "      **** *****"),
            ("\"kind\": 'transform'", "\"kind\": 'transform'"),
            ("hooks:\n", "hooks:\n"),
            ("a b: c", "* ** *"),
        ] {
            assert_eq!(hide_values(line), shown);
            assert_eq!(shown.len(), line.len(), "{line}");
        }
    }
}
