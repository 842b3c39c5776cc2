//! Text and JSON inside the XML frames of a prompt. What a value holds never closes its frame.

use std::collections::BTreeMap;

use crate::json::{Node, Value};

/// Escapes a text and takes out characters that XML 1.0 cannot hold.
pub(super) fn escape(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&apos;"),
            '"' => out.push_str("&quot;"),
            // A parser makes a line feed of an unescaped carriage return.
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(character),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            _ => out.push(character),
        }
    }
}

/// Escapes a text for an attribute, in which a parser would make spaces of tabs and line feeds.
pub(super) fn escape_attribute(out: &mut String, text: &str) {
    for part in text.split_inclusive(['\t', '\n']) {
        let (text, end) = match part.strip_suffix(['\t', '\n']) {
            Some(text) if part.ends_with('\t') => (text, "&#9;"),
            Some(text) => (text, "&#10;"),
            None => (part, ""),
        };
        escape(out, text);
        out.push_str(end);
    }
}

/// The text that [`escape`] and [`escape_attribute`] wrote.
pub(super) fn unescape(text: &str) -> String {
    const REFERENCES: [(&str, char); 8] = [
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&amp;", '&'),
        ("&apos;", '\''),
        ("&quot;", '"'),
        ("&#13;", '\r'),
        ("&#9;", '\t'),
        ("&#10;", '\n'),
    ];
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, reference) = rest.split_at(at);
        out.push_str(before);
        let known = REFERENCES.iter().find(|(known, _)| reference.starts_with(known));
        let (length, character) = known.map_or((1, '&'), |(known, own)| (known.len(), *own));
        out.push(character);
        rest = reference.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// A JSON value as an element; `None` if it is empty (null, an empty array).
pub(super) fn element(name: &str, node: &Node<'_>) -> Option<String> {
    let mut out = String::new();
    write(&mut out, name, node).then_some(out)
}

/// Appends the element and returns whether there is one. Entries are indented by two spaces
/// without adding up, and keep the order of the JSON.
fn write(out: &mut String, name: &str, node: &Node<'_>) -> bool {
    match &node.value {
        Value::Null => return false,
        Value::Bool(_) | Value::Number(_) => wrap(out, name, node.raw),
        Value::String(text) => wrap(out, name, text),
        Value::Array(items) => {
            if items.iter().all(Node::is_null) {
                return false;
            }
            entries(out, name, items.iter().map(|item| ("item".to_owned(), item)));
        }
        Value::Object(members) => {
            let mut taken = BTreeMap::new();
            let named = members.iter().map(|(key, value)| (tag(key, &mut taken), value));
            entries(out, name, named);
        }
    }
    true
}

fn wrap(out: &mut String, name: &str, text: &str) {
    out.push('<');
    out.push_str(name);
    out.push('>');
    escape(out, text);
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

fn entries<'n, 'a: 'n>(
    out: &mut String,
    name: &str,
    list: impl Iterator<Item = (String, &'n Node<'a>)>,
) {
    out.push('<');
    out.push_str(name);
    out.push_str(">\n");
    for (tag, value) in list {
        let before = out.len();
        out.push_str("  ");
        if write(out, &tag, value) {
            out.push('\n');
        } else {
            out.truncate(before);
        }
    }
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

/// A key as a tag name: letters and digits of any script, `_` and `.` stay, the rest
/// becomes `_`; keys that would collide are numbered.
fn tag(key: &str, taken: &mut BTreeMap<String, u32>) -> String {
    let mut name: String = key
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '_' | '.') { c } else { '_' })
        .collect();
    if !name.starts_with(|first: char| first.is_alphabetic() || first == '_') {
        name.insert(0, '_');
    }
    // The next number of each name: many keys of one name stay linear.
    let Some(mut number) = taken.get(&name).copied() else {
        taken.insert(name.clone(), 2);
        return name;
    };
    loop {
        let numbered = format!("{name}_{number}");
        number += 1;
        if !taken.contains_key(&numbered) {
            taken.insert(numbered.clone(), 2);
            taken.insert(name, number);
            return numbered;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn xml(text: &str) -> Option<String> {
        element("dynamic_state", &parse(text, Limits::default()).unwrap())
    }

    #[test]
    fn an_object_becomes_elements() {
        assert_eq!(
            xml(r#"{"a":{"b":1,"c":[1,{"d":"x<y"}]},"n":null,"e":[],"my key":true}"#).unwrap(),
            "<dynamic_state>\n  <a>\n  <b>1</b>\n  <c>\n  <item>1</item>\n  <item>\n  \
             <d>x&lt;y</d>\n</item>\n</c>\n</a>\n  <my_key>true</my_key>\n</dynamic_state>"
        );
        assert_eq!(xml("{}").unwrap(), "<dynamic_state>\n</dynamic_state>");
        assert_eq!(xml("[]"), None);
    }

    #[test]
    fn keys_that_would_collide_are_numbered() {
        assert_eq!(
            xml(r#"{"a b":1,"a_b":2,"名":3,"1":4}"#).unwrap(),
            "<dynamic_state>\n  <a_b>1</a_b>\n  <a_b_2>2</a_b_2>\n  <名>3</名>\n  <_1>4</_1>\n</dynamic_state>"
        );
    }

    #[test]
    fn many_keys_of_one_name_are_numbered_in_linear_time() {
        // Numbers written in characters that no tag can hold: all of one length, all distinct.
        let digits =
            |at: usize| -> String { format!("{at:017b}").replace('0', "-").replace('1', "!") };
        let members: Vec<String> = (0..60_000).map(|at| format!("\"{}\":1", digits(at))).collect();
        let text = xml(&format!("{{{}}}", members.join(","))).unwrap();
        let tags: std::collections::BTreeSet<&str> = text.lines().collect();
        // Every key has a tag of its own, and the frame's two.
        assert_eq!(tags.len(), members.len() + 2);
    }

    #[test]
    fn values_cannot_leave_their_element() {
        let text = xml(r#"{"a":"</a></dynamic_state>\u0000\u0007\"'&"}"#).unwrap();
        assert!(text.contains("&lt;/a&gt;&lt;/dynamic_state&gt;&quot;&apos;&amp;"));
    }
}
