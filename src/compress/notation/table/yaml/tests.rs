use proptest::prelude::*;

use super::*;
use crate::compress::notation::tests::blocks;

fn check(text: &str) -> Vec<FoundBlock> {
    blocks(&YamlNotation, text)
}

fn shown(text: &str) -> String {
    let found = check(text);
    assert_eq!(found.len(), 1, "{found:?}");
    format!("{}{}", found[0].block.args, found[0].block.body.text())
}

#[test]
fn maps_that_are_alike_become_rows() {
    let text = "items:\n- name: lamp\n  price: 1.50\n  tag: 'on sale'\n- name: chair, red\n  price: 20\n  tag:\n- name: table\n  price: 300\nowner:\n  id: 0x1F\n  mail: \"a@example.com\"";
    let expected = "indent 2\nitems[3]{name,price,tag}\nlamp,1.50,'on sale'\n\"chair, red\",20,\"\"\ntable,300,\nowner: {id:0x1F,mail:\"\\\"a@example.com\\\"\"}";
    assert_eq!(shown(text), expected);
}

#[test]
fn flow_style_is_taken_apart_where_it_stands_equally_deep() {
    let row = |id: u8| {
        format!(
            "- {{ id: {id}, name: {{ common: A{id}, official: 'Of A{id}' }}, tld: [.a{id}, .b], borders: {{  }} }}"
        )
    };
    let text = [row(1), row(2), row(3)].join("\n");
    let expected = "quoted flow 1 padded empty \"{  }\"\n[3]{id,name{common,official},tld,borders={}}\n1,A1,Of A1,[.a1,.b]\n2,A2,Of A2,[.a2,.b]\n3,A3,Of A3,[.a3,.b]";
    assert_eq!(shown(&text), expected);
    let mixed = "on:\n  push:\n    branches: [main, next]\n  call: [x]\njobs:\n- name: build\n  run: make\n- name: test\n  run: make test\n- name: lint\n  run: make lint";
    assert!(shown(mixed).contains("{branches:\"[main, next]\"}"), "{}", shown(mixed));
}

#[test]
fn sequences_may_stand_in_and_inside_one_another() {
    let text = "a:\n    list:\n        - - one\n          - two\n        - k: v\n          l:\n              m: 1\n        -\nb:\n    - x: 1\n      y: long enough to be worth it\n    - x: 2\n      y: long enough to be worth it\n    - x: 3\n      y: long enough to be worth it";
    assert!(shown(text).starts_with("indent 4 dashes in\n"), "{}", shown(text));
}

#[test]
fn documents_and_comments_part_blocks() {
    let rows = "list:\n- kind: lamp\n  colour: red\n- kind: lamp\n  colour: blue\n- kind: lamp\n  colour: white";
    let text = format!("# A comment\n{rows}\n---\n{rows}\n...");
    let found = check(&text);
    assert_eq!(found.iter().map(|found| found.lines.clone()).collect::<Vec<_>>(), [1..8, 9..16]);
}

#[test]
fn what_holds_more_than_maps_sequences_and_lines_stays() {
    for text in [
        "a: |\n  text of a block\n  and more\nb: 1\nc: some more words to be long enough",
        "a: words\n  that go on over the line\nb: 1\nc: some more words to be long enough",
        "a:\n  b: 1\n   c: 2\nd: some more words to be long enough to be worth it",
        "a: 1 \nb: some more words to be long enough to be worth it",
        "a: 1\na: some more words to be long enough to be worth it",
        "? a\n: b some more words to be long enough to be worth it",
        "a:\n\tb: some more words to be long enough to be worth it",
        "a:\n- b\n  - c some more words to be long enough to be worth",
    ] {
        assert!(check(text).is_empty(), "{text}");
    }
}

#[test]
fn hostile_lines_are_read_once() {
    for bit in [
        "- ",
        "a: ",
        "[",
        "{",
        "a:\n",
        "- a\n",
        "- - a\n",
        " ",
        "- {\n",
        "- [a, \n",
        "'",
        "a: {a: \n",
        "- a: [b]\n",
    ] {
        check(&bit.repeat((1 << 20) / bit.len()));
    }
    let deep = (0..1_000).map(|depth| format!("{}a:\n", " ".repeat(depth)));
    let deep = deep.collect::<Vec<_>>().concat();
    check(&deep);
}

fn any_value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9.]{1,6}",
        prop::sample::select(vec![
            "'a, b'", "\"x: y\"", "1.50", "null", "*a", "x|y", "{x", "- y", "''", "-", "{}",
            "[a, b]", "é 日", "a # b", "#", "@"
        ])
        .prop_map(str::to_owned),
        "[ -~]{1,12}",
    ]
}

fn any_yaml() -> impl Strategy<Value = Vec<String>> {
    let leaf = any_value().prop_map(|value| vec![value]);
    leaf.prop_recursive(4, 48, 6, |inner| {
        let keys = prop::collection::vec("[a-d]{1,3}", 1..4);
        let rows = (keys, prop::collection::vec(prop::collection::vec(any_value(), 4), 1..5))
            .prop_map(|(keys, rows)| {
                let row = |row: &Vec<String>| -> Vec<String> {
                    let cells = keys.iter().zip(row).enumerate();
                    cells
                        .map(|(at, (key, value))| {
                            format!("{}{key}: {value}", if at == 0 { "- " } else { "  " })
                        })
                        .collect()
                };
                rows.iter().flat_map(row).collect::<Vec<_>>()
            });
        let map = prop::collection::vec(("[a-e]{1,4}", inner.clone()), 1..5).prop_map(|members| {
            let member = |(key, value): (String, Vec<String>)| match value.as_slice() {
                [one] => vec![format!("{key}: {one}")],
                _ => std::iter::once(format!("{key}:"))
                    .chain(value.iter().map(|line| format!("  {line}")))
                    .collect(),
            };
            members.into_iter().flat_map(member).collect::<Vec<_>>()
        });
        let list = prop::collection::vec(inner, 1..5).prop_map(|items| {
            let item = |item: Vec<String>| {
                item.into_iter()
                    .enumerate()
                    .map(|(at, line)| format!("{}{line}", if at == 0 { "- " } else { "  " }))
                    .collect::<Vec<_>>()
            };
            items.into_iter().flat_map(item).collect::<Vec<_>>()
        });
        prop_oneof![rows, map, list]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_block_is_read_back(lines in any_yaml()) {
        check(&lines.join("\n"));
        check(&lines.join("\r\n"));
        check(&format!("{}\r", lines.join("\r\n")));
    }

    #[test]
    fn any_text_may_be_encoded(text in "(a: |b:\n|- |\n|  |\\{ |\\}|\\[|\\]|, |'|\"|[ -~]){0,60}") {
        check(&text);
    }

    #[test]
    fn any_block_may_come(
        args in "(indent [0-9] ?)?(dashes in ?)?(quoted ?)?(flow [0-9] ?)?(padded ?)?(empty \"\\{ *\\}\")?|[ -~]{0,12}",
        body in prop::collection::vec("( {0,3}[-a\"]{0,2}(: |:|\\[[0-9]\\]|\\{[0-9]\\})?(\\{(\\*,)?[a-c]([,|{}=:]|=\\*|[a-c]){0,6}\\}?)?|[ -~]{0,12}|([a-z0-9\"]{0,3}[,|]){0,4})", 0..8),
    ) {
        let body: Vec<&str> = body.iter().map(String::as_str).collect();
        if let Some(text) = YamlNotation.decode(&args, &body, 300) {
            prop_assert!(text.len() <= 300);
        }
    }
}
