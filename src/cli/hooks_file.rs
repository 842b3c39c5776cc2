//! The file of `contexture hooks apply`: hooks by their names, with variables of the environment.

use std::fmt;
use std::path::Path;

use serde_json::{Map, Value};

use super::CommandError;
use super::json_lines::strip_byte_order_mark;
use super::source_file::SourceFile;
use crate::config;

/// A hook of the file.
#[derive(Debug, PartialEq)]
pub(super) struct HookOfFile {
    pub(super) name: String,
    /// As `PUT /hooks/{id}` takes it.
    pub(super) definition: Value,
}

/// What is wrong with a file, one line for each fault.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) struct AppliedFileError(Vec<String>);

impl fmt::Display for AppliedFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

/// Reads a file of hooks, in its order.
pub(super) fn read(file: &Path) -> Result<Vec<HookOfFile>, CommandError> {
    let named = |error: &dyn fmt::Display| format!("{}: {error}", file.display());
    let text = SourceFile::read(file)?.text;
    let hooks = parse(strip_byte_order_mark(&text), config::variable_of_file)
        .map_err(|error| named(&error))?;
    Ok(hooks)
}

fn parse(
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Vec<HookOfFile>, AppliedFileError> {
    let fault = |text: &str| AppliedFileError(vec![text.to_owned()]);
    // Read as YAML first: a name that is there twice is an error, and not the last of the two.
    let document: yaml_serde::Value =
        yaml_serde::from_str(text).map_err(|error| fault(&error.to_string()))?;
    let document = serde_json::to_value(document).map_err(|error| fault(&error.to_string()))?;
    let Value::Object(mut members) = document else {
        return Err(fault("must have the key `hooks`, with the hooks by their names"));
    };
    let hooks = members.remove("hooks");
    if let Some(other) = members.keys().next() {
        return Err(fault(&format!("`{other}` is not known; the only key is `hooks`")));
    }
    let Some(Value::Object(hooks)) = hooks else {
        return Err(fault("`hooks` must be a mapping of names to hooks"));
    };
    let mut faults = Vec::new();
    let mut read = Vec::new();
    for (name, mut definition) in hooks {
        if !is_name(&name) {
            faults.push(format!("hooks.{name}: {NAME_RULE}"));
        } else if !definition.is_object() {
            faults.push(format!("hooks.{name}: must be a mapping with `point`, `kind` and others"));
        }
        fill(&mut definition, &format!("hooks.{name}"), &variable, &mut faults);
        read.push(HookOfFile { name, definition });
    }
    if faults.is_empty() { Ok(read) } else { Err(AppliedFileError(faults)) }
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
    faults: &mut Vec<String>,
) {
    match value {
        Value::String(text) => match substitute(text, variable) {
            Ok(filled) => *text = filled,
            Err(fault) => faults.push(format!("{place}: {fault}")),
        },
        Value::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                fill(item, &format!("{place}[{at}]"), variable, faults);
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
    faults: &mut Vec<String>,
) {
    for (name, member) in members {
        fill(member, &format!("{place}.{name}"), variable, faults);
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
        parsed(text).unwrap_err().to_string()
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
            "hooks.one.secret: the variable ONE is not set\n\
             hooks.two.match.tools[0]: the variable TWO is not set"
        );
        assert!(faults("hooks: {one: {url: '${ONE'}}").contains("has no `}`"));
    }

    #[test]
    fn what_is_no_file_of_hooks_is_refused() {
        assert!(faults("- id: one").contains("the key `hooks`"));
        assert!(faults("hooks: [{id: one}]").contains("mapping of names"));
        assert!(faults("hooks: {}\nhook: {}").contains("`hook` is not known"));
        assert!(faults("hooks: {Big Name: {}}").contains("1 to 64"));
        assert!(faults("hooks: {one: text}").contains("hooks.one: must be a mapping"));
        assert!(faults("hooks: {one: {}, one: {}}").contains("duplicate"));
        let cut = faults("hooks: [");
        assert!(cut.contains("line "), "{cut}");
    }
}
