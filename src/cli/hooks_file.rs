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
        let source = SourceFile::read(path)?;
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

/// The file as it may be shown: secrets, values of headers, and paths of URLs are stars. They keep their
/// length, and all places stay.
fn without_secrets(source: &SourceFile) -> SourceFile {
    let mut shown = without_signing_secrets(&source.text);
    let mut hidden = Vec::new();
    if let Ok(document) = yaml_document::parse(&shown) {
        collect_hidden(&document, false, &mut hidden);
    }
    // A long value may contain a short one.
    hidden.sort_by_key(|text| std::cmp::Reverse(text.len()));
    for text in hidden {
        shown = shown.replace(&text, &"*".repeat(text.len()));
    }
    source.with_text(shown)
}

/// Collects the texts of a value that are not to be shown; all if `is_hidden`. What a variable has is not
/// in the file.
fn collect_hidden(value: &Value, is_hidden: bool, hidden: &mut Vec<String>) {
    /// Shorter texts are no secrets, and may be anywhere in the file.
    const MIN_HIDDEN_BYTES: usize = 6;
    match value {
        Value::String(text) if is_hidden && text.len() >= MIN_HIDDEN_BYTES => {
            if !(text.starts_with("${") && text.ends_with('}')) {
                hidden.push(text.clone());
            }
        }
        Value::Array(items) => {
            for item in items {
                collect_hidden(item, is_hidden, hidden);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                if name == "url"
                    && let Some((_, rest)) = member.as_str().and_then(|url| url.split_once("://"))
                    && let Some(path) = rest.find('/').and_then(|at| rest.get(at + 1..))
                {
                    collect_hidden(&Value::from(path), true, hidden);
                }
                let is_hidden = is_hidden || matches!(&**name, "headers" | "secret" | "secrets");
                collect_hidden(member, is_hidden, hidden);
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn without_signing_secrets(text: &str) -> String {
    const SECRET: &str = "whsec_";
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(SECRET) {
        let (before, secret) = rest.split_at(at + SECRET.len());
        let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(byte);
        let length = secret.bytes().take_while(|byte| is_of_key(byte)).count();
        shown.push_str(before);
        shown.extend(std::iter::repeat_n('*', length));
        rest = secret.get(length..).unwrap_or_default();
    }
    shown.push_str(rest);
    shown
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
    fn a_secret_of_the_file_is_not_shown() {
        let shown = |text| without_secrets(&SourceFile::of("h.yaml", text)).text;
        // It is no document, too.
        assert_eq!(shown("a: [pont: 1, secret: whsec_AbC+/="), "a: [pont: 1, secret: whsec_******");
        assert_eq!(
            shown(
                "a: {url: 'https://a.example/t0ken-1', headers: {A: 'Bearer x', b: '${VARIABLE}'}}"
            ),
            "a: {url: 'https://a.example/*******', headers: {A: '********', b: '${VARIABLE}'}}"
        );
    }
}
