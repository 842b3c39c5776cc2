//! The head of a `SKILL.md`, in the little of YAML that people write there. Every scalar stays text.

use serde_json::{Map, Value};

use super::{MAX_SKILL_BYTES, Skill};

/// A value of the head.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FrontValue {
    Text(String),
    List(Vec<String>),
    /// Something that is not read.
    Nested,
}

pub(super) fn read(text: &str) -> Result<Skill, Vec<String>> {
    if text.len() > MAX_SKILL_BYTES {
        return Err(vec![format!("it must be at most {MAX_SKILL_BYTES} bytes")]);
    }
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut lines = text.split('\n');
    if lines.next().is_none_or(|line| line.trim_end() != "---") {
        return Err(vec!["it does not begin with a line `---`".to_owned()]);
    }
    let lines: Vec<&str> = lines.collect();
    let Some(end) = lines.iter().position(|line| line.trim_end() == "---") else {
        return Err(vec!["no second line `---` ends its head".to_owned()]);
    };
    let (head, body) = lines.split_at(end);
    let mut read = FrontMatterReader::default();
    for (key, value) in members(head) {
        read.member(&key, value);
    }
    for key in ["name", "description"] {
        let given = if key == "name" { &read.skill.name } else { &read.skill.description };
        if given.trim().is_empty() && !read.faults.iter().any(|fault| fault.contains(key)) {
            read.faults.push(format!("`{key}` is missing or empty"));
        }
    }
    read.skill.instructions = body.get(1..).unwrap_or_default().join("\n").trim().into();
    if read.faults.is_empty() { Ok(read.skill) } else { Err(read.faults) }
}

#[derive(Default)]
struct FrontMatterReader {
    skill: Skill,
    faults: Vec<String>,
}

impl FrontMatterReader {
    fn member(&mut self, key: &str, value: FrontValue) {
        match (key, value) {
            ("name", FrontValue::Text(text)) => self.skill.name = text.trim().into(),
            ("description", FrontValue::Text(text)) => self.skill.description = text.trim().into(),
            ("when_to_use" | "when-to-use" | "whenToUse", FrontValue::Text(text)) => {
                self.skill.when_to_use = Some(text.trim().into());
            }
            ("allowed_tools" | "allowed-tools" | "allowedTools", FrontValue::List(names)) => {
                let names = names.iter().map(|name| name.as_str().into());
                self.skill.allowed_tools = Some(names.collect());
            }
            // Many write them in one line.
            ("allowed_tools" | "allowed-tools" | "allowedTools", FrontValue::Text(text)) => {
                let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
                self.skill.allowed_tools = Some(names.map(Into::into).collect());
            }
            (
                "name" | "description" | "when_to_use" | "when-to-use" | "whenToUse"
                | "allowed_tools" | "allowed-tools" | "allowedTools",
                _,
            ) => self.faults.push(format!("`{key}` is not in a form that is read")),
            (_, FrontValue::Nested) => {}
            (_, FrontValue::Text(text)) => {
                insert(&mut self.skill.metadata, key, Value::String(text));
            }
            (_, FrontValue::List(list)) => {
                let list = list.into_iter().map(Value::String).collect();
                insert(&mut self.skill.metadata, key, Value::Array(list));
            }
        }
    }
}

fn insert(metadata: &mut Map<String, Value>, key: &str, value: Value) {
    metadata.insert(key.to_owned(), value);
}

/// The members of the front matter; comments and lines that belong to nothing are skipped.
fn members(head: &[&str]) -> Vec<(String, FrontValue)> {
    let mut found = Vec::new();
    let mut rest = head;
    while let Some((line, behind)) = rest.split_first() {
        rest = behind;
        if line.trim().is_empty() || line.trim_start().starts_with('#') || is_indented(line) {
            continue;
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        let (key, value) = (unquoted(key.trim()), value.trim());
        let front = if let Some(style) = block_style(value) {
            let count = rest.iter().take_while(|line| line.is_empty() || is_indented(line)).count();
            let (block, behind) = rest.split_at(count);
            rest = behind;
            FrontValue::Text(scalar(block, style))
        } else if value.is_empty() {
            let (front, behind) = read_nested(rest);
            rest = behind;
            front
        } else if let Some(list) = value.strip_prefix('[').and_then(|v| v.strip_suffix(']')) {
            FrontValue::List(inline(list))
        } else if value.starts_with('{') {
            FrontValue::Nested
        } else {
            FrontValue::Text(unquoted(value))
        };
        found.push((key, front));
    }
    found
}

fn is_indented(line: &str) -> bool {
    line.starts_with([' ', '\t'])
}

/// `|` or `>`, with marks that are not heeded.
fn block_style(value: &str) -> Option<char> {
    let style = value.chars().next().filter(|first| matches!(first, '|' | '>'))?;
    let marks = value.get(1..).unwrap_or_default();
    marks.chars().all(|c| matches!(c, '+' | '-') || c.is_ascii_digit()).then_some(style)
}

/// A block scalar: line by line after `|`; after `>` in one line, with breaks where lines are
/// empty.
fn scalar(block: &[&str], style: char) -> String {
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let least = block.iter().filter(|line| !line.trim().is_empty()).map(indent).min();
    let line =
        |line: &&str| line.get(least.unwrap_or(0)..).unwrap_or_default().trim_end().to_owned();
    let lines: Vec<String> = block.iter().map(line).collect();
    if style == '|' {
        return lines.join("\n").trim_end().to_owned();
    }
    let mut text = String::new();
    for line in &lines {
        if line.is_empty() {
            text.push('\n');
        } else {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push(' ');
            }
            text.push_str(line);
        }
    }
    text.trim_end().to_owned()
}

/// Reads the lines below a key without a value: a list, nested values, or nothing.
fn read_nested<'l, 's>(rest: &'l [&'s str]) -> (FrontValue, &'l [&'s str]) {
    let belongs = |line: &&&str| {
        let bare = line.trim_start();
        line.is_empty() || is_indented(line) || bare.starts_with("- ") || bare == "-"
    };
    let count = rest.iter().take_while(belongs).count();
    let (own, behind) = rest.split_at(count);
    let own = own.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    let own: Vec<&str> = own.filter(|line| !line.starts_with('#')).collect();
    if own.is_empty() {
        return (FrontValue::Text(String::new()), behind);
    }
    let item = |line: &&str| line.strip_prefix('-').map(|item| unquoted(item.trim()));
    match own.iter().map(item).collect::<Option<Vec<String>>>() {
        Some(items) => (FrontValue::List(items), behind),
        None => (FrontValue::Nested, behind),
    }
}

/// The items of `a, "b, c"`.
fn inline(list: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut quote = None;
    for c in list.chars() {
        match (quote, c) {
            (None, ',') => items.push(String::new()),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {
                if let Some(item) = items.last_mut() {
                    item.push(c);
                }
            }
        }
    }
    items.into_iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

fn unquoted(text: &str) -> String {
    let inner = ['"', '\''].iter().find_map(|quote| {
        text.strip_prefix(*quote)?.strip_suffix(*quote).filter(|_| text.len() >= 2)
    });
    inner.unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_people_write_it() {
        let text = "---\r\nname: 'review'\r\n# a comment\r\ndescription: >-\r\n  Reads code\r\n  with \
                    care.\r\n\r\n  Twice.\r\nwhen-to-use: \"Before a merge: always\"\r\nallowed-tools:\r\n  \
                    - Read\r\n  - \"Grep\"\r\narguments: [file, \"base, ref\"]\r\nnested:\r\n  a: 1\r\n  \
                    stray\r\nversion: 1.50\r\nnotes: |\r\n  one\r\n    two\r\n---\r\n\r\nDo it.\r\n\r\nWell.\r\n";
        let skill = Skill::parse(text).unwrap();
        assert_eq!(&*skill.name, "review");
        assert_eq!(&*skill.description, "Reads code with care.\nTwice.");
        assert_eq!(skill.when_to_use.as_deref(), Some("Before a merge: always"));
        assert_eq!(skill.allowed_tools.as_ref().unwrap().len(), 2);
        assert_eq!(skill.argument_names(), ["file", "base, ref"]);
        assert_eq!(skill.metadata["version"], "1.50");
        assert_eq!(skill.metadata["notes"], "one\n  two");
        assert!(!skill.metadata.contains_key("nested"));
        assert_eq!(&*skill.instructions, "Do it.\n\nWell.");
    }

    #[test]
    fn what_is_wrong_is_told_at_once() {
        assert!(Skill::parse("name: a").unwrap_err()[0].contains("---"));
        assert!(Skill::parse("---\nname: a\n").unwrap_err()[0].contains("second"));
        let faults = Skill::parse("---\nname:\n  a: b\nallowed_tools: {}\n---\nx").unwrap_err();
        assert_eq!(faults.len(), 3, "{faults:?}");
        let unnamed = Skill::parse("---\nname: \"\"\ndescription:  \n---\n").unwrap_err();
        assert_eq!(unnamed.len(), 2, "{unnamed:?}");
        assert!(Skill::parse(&"-".repeat(MAX_SKILL_BYTES + 1)).is_err());
    }

    #[test]
    fn instructions_may_hold_rulers_of_their_own() {
        let skill = Skill::parse("---\nname: a\ndescription: b\n---\nx\n---\ny").unwrap();
        assert_eq!(&*skill.instructions, "x\n---\ny");
    }
}
