//! The tape against the tree that the other reader gives.

use proptest::prelude::*;

use super::*;
use crate::json::{self, Limits, Value};

const ANYWHERE: TapeFormat = TapeFormat {
    layout: None,
    ascii: false,
    slashes: false,
    limits: Limits { depth: 32, values: 1_000_000 },
};

fn is_same(node: TapeNode<'_, '_>, tree: &json::Node<'_>) -> bool {
    let inside = match &tree.value {
        Value::String(text) => {
            let mut plain = String::new();
            json::write_string(&mut plain, text);
            node.text() == Some(text)
                && node.marks().has(Marks::COMMA) == text.contains(',')
                && node.marks().has(Marks::BAR) == text.contains('|')
                && node.marks().has(Marks::CONTROL) == text.contains(|c: char| c.is_ascii_control())
                && node.marks().has(Marks::NOT_PLAIN_FORM) == (plain != tree.raw)
        }
        Value::Array(items) => {
            node.len() == items.len()
                && node.items().zip(items).all(|(node, tree)| is_same(node, tree))
        }
        Value::Object(members) => {
            node.len() == members.len()
                && node.members().zip(members).all(|((key, node), (name, tree))| {
                    key.text() == Some(name) && is_same(node, tree)
                })
        }
        _ => matches!(node.kind(), TapeKind::Number | TapeKind::Other) && node.text().is_none(),
    };
    inside && node.raw() == tree.raw
}

/// Reads the texts onto one tape, as the other reader does.
fn check(texts: &[&str]) {
    let mut tape = Tape::default();
    for text in texts {
        let tree = json::parse(text, ANYWHERE.limits);
        let root = tape.read(text, ANYWHERE);
        assert_eq!(root.is_some(), tree.is_ok(), "{text:?}");
        if let (Some(root), Ok(tree)) = (root, tree) {
            let node = tape.node(root).unwrap();
            assert!(is_same(node, &tree), "{text:?}");
            assert_eq!(Tape::compact(text, ANYWHERE.limits), Some(json::minify(text)));
        }
    }
}

#[test]
fn a_key_may_not_stand_twice_however_it_is_written() {
    let many: Vec<String> = (0..100).map(|key| format!("\"k{key}\":{key}")).collect();
    let many = many.join(",");
    check(&[
        "{\"a\":1,\"b\":2,\"c\":3}",
        "{\"a\":1,\"b\":2,\"a\":3}",
        "{\"a\":1,\"b\":2,\"\\u0061\":3}",
        "{\"x\":1,\"b\":2,\"c\":3,\"x\":4}",
        "{\"c\":1,\"a\":2,\"c\":3}",
        "{\"a\":1,\"c\":2,\"b\":3}",
        &format!("{{{many}}}"),
        &format!("{{{many},\"k7\":1}}"),
        &format!("{{\"z\":1,{many}}}"),
        &format!("{{\"z\":1,{many},\"z\":1}}"),
        &format!("[{{{many}}},{{\"k5\":1,{many}}}]"),
    ]);
}

#[test]
fn a_layout_is_the_only_white_space_there_may_be() {
    let reads = |text: &str, layout| {
        let form = TapeFormat { layout: Some(layout), ..ANYWHERE };
        Tape::default().read(text, form).is_some()
    };
    let layouts = [Layout::Compact, Layout::Python, Layout::Spaces(2), Layout::Tab];
    let texts = [
        "{\"a\":[1,{}],\"b\":{\"c\":[]}}",
        "{\"a\": [1, {}], \"b\": {\"c\": []}}",
        "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": []\n  }\n}",
        "{\n\t\"a\": [\n\t\t1,\n\t\t{}\n\t],\n\t\"b\": {\n\t\t\"c\": []\n\t}\n}",
    ];
    for (at, text) in texts.iter().enumerate() {
        for (index, layout) in layouts.iter().enumerate() {
            assert_eq!(reads(text, *layout), at == index, "{text} as {layout:?}");
        }
        for (at, _) in text.char_indices() {
            let spaced = format!("{} {}", &text[..at], &text[at..]);
            let own = layouts[texts.iter().position(|one| one == text).unwrap()];
            let inside = text[..at].ends_with(|c: char| c.is_ascii_alphabetic())
                || text[at..].starts_with(|c: char| c.is_ascii_alphabetic());
            // White space within a key is the key's.
            assert_eq!(reads(&spaced, own), inside, "{spaced:?} as {own:?}");
        }
    }
}

#[test]
fn a_key_of_the_document_before_is_held_to_the_form_of_this_one() {
    let form = |slashes| TapeFormat { layout: Some(Layout::Compact), slashes, ..ANYWHERE };
    let mut tape = Tape::default();
    assert!(tape.read(r#"{"a\/b":1}"#, form(true)).is_some());
    assert!(tape.read(r#"{"a\/b":1}"#, form(false)).is_none());
    assert!(tape.read(r#"{"a/b":1}"#, form(false)).is_some());
    assert!(tape.read(r#"{"a/b":1}"#, form(true)).is_none());
}

#[test]
fn hostile_documents_are_read_once() {
    let turned: Vec<String> =
        (0..50_000).map(|at| format!("{{\"a{}\":1,\"b{at}\":2}}", at % 7)).collect();
    let wide: Vec<String> = (0..200_000).map(|at| format!("\"k{at}\":0")).collect();
    let form = TapeFormat { layout: Some(Layout::Compact), ..ANYWHERE };
    let (turned, wide) = (format!("[{}]", turned.join(",")), format!("{{{}}}", wide.join(",")));
    let deep = "[".repeat(1_000_000);
    let mut tape = Tape::default();
    assert!(tape.read(&turned, form).is_some());
    assert!(tape.read(&wide, form).is_some());
    tape.clear();
    assert!(tape.read(&deep, form).is_none());
    assert!(tape.node(0).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn reads_what_the_tree_reads(texts in prop::collection::vec(
        "[\\[{]{0,2}(\"[a-c]{0,2}\": ?)?((\\{(\"[ab]\":1, ?){0,2}\"[ab]\":[12]\\}|\"(\\\\[nrtbf\"/\\\\]|\\\\u00[0-7][0-9a-fA-F]|\\\\ud83d\\\\ude00|[a-z,|é\u{7f}]){0,9}\"|-?[0-9]{1,2}(\\.[0-9])?(e[+-]?[0-9])?|null|true|false)(, ?(\"[a-c]\":)?)?){0,3}[\\]}]{0,2}",
        1..4,
    )) {
        check(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn reads_what_is_written(values in prop::collection::vec((any::<String>(), any::<f64>(), "[a-d]", "[a-d]"), 0..6)) {
        let rows: Vec<_> = values
            .iter()
            .map(|(text, number, one, two)| serde_json::json!({one: text, two: [number, text]}))
            .collect();
        let pretty = serde_json::to_string_pretty(&rows).unwrap();
        check(&[&pretty, &serde_json::to_string(&rows).unwrap()]);
        let form = TapeFormat { layout: Some(Layout::Spaces(2)), ..ANYWHERE };
        prop_assert!(Tape::default().read(&pretty, form).is_some());
    }
}
