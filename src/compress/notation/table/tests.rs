//! The laws of the notation, and what its blocks look like.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

fn decoded(lines: &[&str], found: &FoundBlock) -> String {
    let body: Vec<&str> = found.block.body.lines().collect();
    let original = lines[found.lines.clone()].join("\n");
    // Both notations decode what either writes.
    let text = TableNotation.decode(&found.block.args, &body, original.len());
    text.unwrap_or_else(|| panic!("{original:?} is not read back from {:#?}", found.block))
}

fn check(text: &str) -> Vec<FoundBlock> {
    check_with(&TableNotation, text)
}

pub(super) fn check_with(notation: &dyn Notation, text: &str) -> Vec<FoundBlock> {
    let lines: Vec<&str> = text.split('\n').collect();
    let found = notation.encode(&lines, ValueClass::Computed);
    let plain = notation.encode(&lines, ValueClass::Plain);
    let kind = |one: &FoundBlock| {
        notation.kind(&one.block.args, &one.block.body.lines().collect::<Vec<_>>())
    };
    assert!(plain.iter().all(|one| kind(one).values() == ValueClass::Plain), "{plain:#?}");
    for one in found.iter().chain(&plain) {
        assert_eq!(decoded(&lines, one), lines[one.lines.clone()].join("\n"), "{:#?}", one.block);
        assert!(one.block.body.lines().all(|line| !line.contains(['\n', MARK])));
    }
    assert!(found.windows(2).all(|pair| pair[0].lines.end <= pair[1].lines.start));
    found
}

/// The one block that a whole text becomes.
pub(super) fn shown(text: &str) -> String {
    shown_with(&TableNotation, text)
}

pub(super) fn shown_with(notation: &dyn Notation, text: &str) -> String {
    let found = check_with(notation, text);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].lines, 0..text.split('\n').count());
    format!(
        "{}\n{}",
        found[0].block.args,
        found[0].block.body.lines().collect::<Vec<_>>().join("\n")
    )
}

#[test]
fn alike_objects_become_rows_and_constants_stand_once() {
    let text = r#"{"user": "kim", "flights": [{"from": "JFK", "price": {"eco": 1.50, "biz": 2e3}, "status": "ok"}, {"from": "SEA", "price": {"eco": -0, "biz": null}, "status": "ok"}]}"#;
    let expected =
        "python\nuser: kim\nflights[2]{from,price{eco,biz},status=ok}\nJFK,1.50,2e3\nSEA,-0,null";
    assert_eq!(shown(text), expected);
}

#[test]
fn keys_that_few_rows_have_keep_an_order_that_no_row_denies() {
    let text = r#"[{"id": 1, "at": "a", "dev": true}, {"id": 2, "at": "b", "by": "kim"}, {"id": 3, "at": "c", "dev": true, "by": "ann"}]"#;
    assert_eq!(shown(text), "python\n[3]{id,at,dev,by}\n1,a,true,\n2,b,,kim\n3,c,true,ann");
    // The third and the fourth disagree about `dev` and `by`.
    let text = r#"[{"id": 1, "at": "a", "dev": true}, {"id": 2, "at": "b", "by": "kim"}, {"id": 3, "at": "c", "dev": true, "by": "ann"}, {"id": 4, "at": "d", "by": "eve", "dev": true}]"#;
    assert!(
        check(text).iter().all(|one| one.block.body.lines().all(|line| !line.contains("[4]{")))
    );
    // A key that an object has twice.
    check(r#"[{"id": 1, "at": "a", "id": 2, "by": 3}, {"id": 1, "at": "b", "id": 2, "by": 3}]"#);
}

#[test]
fn the_lines_are_the_same_however_a_document_is_laid_out() {
    let names = ["anna", "bert", "cleo", "dora", "emil"];
    let of = |name: &str| serde_json::json!({"name": name, "place": {"town": "Rome", "zip": name.len()}, "tags": []});
    let people: Vec<serde_json::Value> = names.iter().map(|name| of(name)).collect();
    let span = serde_json::json!({"first": "a word of some bytes", "last": "another word", "among": "the others"});
    for value in
        [serde_json::json!(people), serde_json::json!({"of": people, "span": span, "n": [1, 2, 3]})]
    {
        let wide = serde_json::to_string_pretty(&value).unwrap();
        let wide = document(&wide, ValueClass::Computed).unwrap();
        let bare = document(&value.to_string(), ValueClass::Computed).unwrap();
        assert!(wide.body.is_of_any_layout());
        assert_eq!(wide.body.text(), bare.body.text());
        assert_eq!(wide.args, "indent 2");
    }
}

#[test]
fn missing_null_and_empty_are_three_cells() {
    let text = r#"[{"id":1,"note":null},{"id":2,"note":""},{"id":3},{"id":4,"note":"null"}]"#;
    assert_eq!(shown(text), "\n[4]{id,note}\n1,null\n2,\"\"\n3,\n4,\"null\"");
}

#[test]
fn strings_that_look_like_numbers_stay_strings() {
    let text = r#"[{"zip":"90210","n":"12","m":7},{"zip":"00501","n":12,"m":"7, or \"8\""}]"#;
    assert_eq!(shown(text), "\n[2]{zip:str|n|m}\n90210|\"12\"|7\n00501|12|7, or \"8\"");
}

#[test]
fn what_the_cell_before_says_stands_once() {
    let text = r#"[{"a":"Aruba","b":"Aruba","c":"=","d":"90210","e":90210},{"a":"Aruba","b":"Chad","c":"x","d":"7","e":7}]"#;
    assert_eq!(shown(text), "\n[2]{a=Aruba,b,c,d:str,e}\nAruba,\"=\",90210,90210\nChad,x,7,7");
    let text = r#"[{"a":"Aruba","b":"Aruba","c":12345.5,"d":12345.5},{"a":"Chad","b":"Tchad","c":1,"d":1}]"#;
    assert_eq!(shown(text), "\n[2]{a,b,c,d}\nAruba,=,12345.5,=\nChad,Tchad,1,1");
}

#[test]
fn objects_of_objects_have_their_key_in_front() {
    let text =
        r#"{"cards":{"c_1":{"source":"visa","id":"c_1"},"c_2":{"source":"gift","id":"c_2"}}}"#;
    let lines = shown(&format!("{}{}", &text[..text.len() - 1], ",\"odd key:\":[[1],{\"a\":2}]}"));
    assert!(lines.contains("cards{2}{*,source,id=*}\nc_1,visa\nc_2,gift\n"), "{lines}");
    assert!(lines.contains("\"odd key:\"[2]\n[1]\n{a:2}"), "{lines}");
}

#[test]
fn rows_in_another_order_of_keys_make_no_table() {
    let text =
        r#"[{"first":1,"second":"a long enough value"},{"second":"another value","first":2}]"#;
    assert!(
        check(text).iter().all(|found| !found.block.body.lines().next().unwrap().contains(','))
    );
}

#[test]
fn the_same_columns_are_named_once() {
    let row = r#"{"origin":"JFK","destination":"SEA","seat":1},{"origin":"LAX","destination":"BOS","seat":2}"#;
    let text = format!("[[{row}],[{}]]", row.replace("LAX", "DEN"));
    assert_eq!(
        shown(&text),
        "\n[2]\n-[2]{origin,destination,seat}\nJFK,SEA,1\nLAX,BOS,2\n-[2]{}\nJFK,SEA,1\nDEN,BOS,2"
    );
}

#[test]
fn a_long_string_stands_as_its_lines() {
    let line = "test a::b \"quoted\" ... ok\n".repeat(12);
    let text = format!("{{\"stdout\":{},\"code\":0}}", serde_json::to_string(&line).unwrap());
    let expected = format!("\nstdout: \"\"\"\n{line}\n\"\"\"\ncode:0");
    assert_eq!(shown(&text), expected);
}

#[test]
fn rows_that_hold_long_strings_are_written_as_members() {
    let line = "test a::b ... ok\n".repeat(12);
    let text = serde_json::json!([{"n": 1, "out": line}, {"n": 2, "out": line}]).to_string();
    let expected = format!("\n[2]\n-:\n n:1\n out: \"\"\"\n{line}\n\"\"\"\n-:\n n:2\n");
    assert!(shown(&text).starts_with(&expected), "{}", shown(&text));
}

#[test]
fn a_long_string_that_would_not_come_back_stays_quoted() {
    for odd in ["/\\/", "\\u0041", "\\u001b[0m", "\\r"] {
        let line = format!("\"{}{odd}\"", "a line that is long enough\\n".repeat(12));
        let text =
            format!("{{\"stdout\":{line},\"rows\":[{{\"a\":1,\"b\":2}},{{\"a\":3,\"b\":4}}]}}");
        assert!(shown(&text).contains(&line), "{odd}");
    }
    let fence = "a line that is long enough\n\"\"\"\n".repeat(12);
    let text = serde_json::json!({"stdout": fence, "rows": [{"a": 1, "b": 2}, {"a": 3, "b": 4}]});
    assert!(!shown(&text.to_string()).contains("\n\"\"\"\n"));
}

#[test]
fn one_object_a_line_becomes_one_table() {
    let text = "{\"level\": \"info\", \"t\": 1}\n{\"level\": \"info\", \"t\": 2, \"id\": \"x\"}\n{\"level\": \"info\", \"t\": 3}";
    assert_eq!(shown(text), "python lines\n[3]{level=info,t,id}\n1,\n2,x\n3,");
}

#[test]
fn lines_that_report_errors_stand_whole_in_the_table() {
    let report = "{\"level\":\"error\",\"t\":3,\"x\":\"failed\"}";
    let row = |t: u8| format!("{{\"level\":\"info\",\"t\":{t}}}");
    let text = [row(1), row(2), report.to_owned(), row(4)].join("\n");
    assert_eq!(shown(&text), format!("lines\n[4]{{level=info,t}}\n1\n2\n{report}\n4"));
    let found = check(&[report.to_owned(), row(1), row(2), row(3), report.to_owned()].join("\n"));
    assert_eq!(found[found.len() - 1].lines.end, 4);
    let list = "[\"error\",1]".to_owned();
    let found = check(&[row(1), row(2), row(3), list, row(4), row(5), row(6)].join("\n"));
    assert!(found.iter().all(|found| !found.lines.contains(&3)), "{found:?}");
    let text = r#"[{"status":"error: no route","n":1},{"status":"error: no route","n":2}]"#;
    assert_eq!(shown(text), "\n[2]{status,n}\nerror: no route,1\nerror: no route,2");
}

#[test]
fn text_around_a_document_stays() {
    let text = "exit code 0\n{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": \"a value of some length\"\n}\nbye";
    let found = check(text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].lines, 1..8);
    assert_eq!(found[0].block.args, "indent 2");
}

#[test]
fn what_is_no_document_of_a_known_style_stays() {
    for text in [
        "{\"a\":1 , \"b\":\"a value of some length, and more of it\"}",
        "{\"a\":1,\"a\":\"a value of some length, and more of it\"}",
        "{\n \"a\": 1,\n   \"b\": \"a value of some length, and more\"\n}",
        "{\n  \"never\": \"closed, although it is long enough\"",
        "[2024-05-01 10:00:00] a line of a log [and more of it]",
        "{\"a\":\"caf\\u00e9 \\u00A7 \\u00a7\",\"b\":\"a value of some length\"}",
    ] {
        let kept = check(text).iter().all(|found| !found.block.body.text().contains('§'));
        assert!(kept && (text.contains("caf") || check(text).is_empty()), "{text}");
    }
}

#[test]
fn escapes_of_an_ascii_document_are_shown_as_letters() {
    let text = r#"{"name": "Andr\u00e9 \ud83d\ude00", "city": "Z\u00fcrich", "same": "\u00E9"}"#;
    assert_eq!(shown(text), "python ascii\nname: André 😀\ncity: Zürich\nsame: \"\\u00E9\"");
}

#[test]
fn a_letter_that_stands_for_itself_is_an_exception() {
    let text = r#"{"a": "Andr\u00e9", "b": "Z\u00fcrich", "c": "Genève", "d": "Gen\u00e8ve"}"#;
    assert_eq!(shown(text), "python ascii\na: André\nb: Zürich\nc: \"Genève\"\nd: Genève");
    let text = r#"{"é": "Andr\u00e9", "b": "Z\u00fcrich", "c": "a value of some length"}"#;
    assert!(shown(text).starts_with("python\né: "), "{}", shown(text));
}

#[test]
fn lists_on_one_line_stand_without_escapes_too() {
    let text =
        r#"{"a":["\u00e9","b\/c",{"\u00e8":"d"}],"b":["\u00e9","\u00E9"],"c":"\/","d":["é"]}"#;
    assert_eq!(
        shown(text),
        "ascii slashes\na[3]\né\nb/c\n{è:d}\nb: [é,\"\\u00E9\"]\nc: /\nd: [\"é\"]"
    );
}

#[test]
fn slashes_stand_without_their_escapes() {
    let text = r#"{"url":"https:\/\/example.org\/a","path":"a\/b","odd":"c/d","key\/s":"\\\/","n":"\u00e9"}"#;
    assert_eq!(
        shown(text),
        "ascii slashes\nurl: https://example.org/a\npath: a/b\nodd: \"c/d\"\nkey/s: \\/\nn: é"
    );
    let rows = r#"{"a":"x\/y","b":1}
{"a":"z","b":2}
{"a":"w\/v","b":3}"#;
    assert_eq!(shown(rows), "slashes lines\n[3]{a,b}\nx/y,1\nz,2\nw/v,3");
    check(&rows.replace("\"z\"", "\"/\""));
}

#[test]
fn a_hundred_thousand_rows_that_share_nothing_are_read_once() {
    let rows: Vec<String> =
        (0..100_000).map(|row| format!("{{\"k{}\":{row}}}", row % 5_000)).collect();
    check(&format!("[{}]", rows.join(",")));
    check(&rows.join("\n"));
    let turned =
        (0..50_000).map(|row| if row % 2 == 0 { "{\"a\":1,\"b\":2}" } else { "{\"b\":2,\"a\":1}" });
    check(&turned.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_block_that_says_too_much_is_refused() {
    let body = ["[99999999999]{a=aaaaaaaaaaaaaaaa}"];
    assert_eq!(TableNotation.decode("", &body, 1 << 16), None);
    assert_eq!(TableNotation.decode("", &["[2]{a}", "1", "2", "3"], 1 << 16), None);
    assert_eq!(TableNotation.decode("", &["[1]{}"], 1 << 16), None);
    let deep: Vec<String> = (0..5_000).map(|depth| format!("{}a:", " ".repeat(depth))).collect();
    let deep: Vec<&str> = deep.iter().map(String::as_str).collect();
    assert_eq!(TableNotation.decode("", &deep, 1 << 20), None);
    assert_eq!(TableNotation.decode("", &[&"-[1]".repeat(50_000)], 1 << 20), None);
}

/// A document, its numbers and strings as they are written.
#[derive(Debug, Clone)]
enum Tree {
    Raw(String),
    Text(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// Writes a tree without the writer under test. `indent` is what a level is indented by.
fn render(tree: &Tree, style: (&str, &str, Option<&str>, bool), depth: usize) -> String {
    let (comma, colon, indent, ascii) = style;
    let string = |text: &str| {
        let text = serde_json::to_string(text).unwrap();
        if !ascii {
            return text;
        }
        let mut out = String::new();
        for unit in text.encode_utf16() {
            match u8::try_from(unit) {
                Ok(byte @ b' '..=b'~') => out.push(char::from(byte)),
                _ => write!(out, "\\u{unit:04x}").unwrap(),
            }
        }
        out
    };
    let list = |open: &str, items: Vec<String>, close: &str| match (indent, items.is_empty()) {
        (None, _) | (_, true) => format!("{open}{}{close}", items.join(comma)),
        (Some(step), _) => {
            let line = format!("\n{}", step.repeat(depth + 1));
            let items = items.join(&format!(",{line}"));
            format!("{open}{line}{items}\n{}{close}", step.repeat(depth))
        }
    };
    match tree {
        Tree::Raw(raw) => raw.clone(),
        Tree::Text(text) => string(text),
        Tree::Array(items) => {
            list("[", items.iter().map(|item| render(item, style, depth + 1)).collect(), "]")
        }
        Tree::Object(members) => {
            let member = |(key, value): &(String, Tree)| {
                format!("{}{colon}{}", string(key), render(value, style, depth + 1))
            };
            list("{", members.iter().map(member).collect(), "}")
        }
    }
}

fn odd_text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "",
            " ",
            "=",
            "same as before",
            "12",
            "-0",
            "1e5",
            "true",
            "null",
            "*",
            "-",
            "-: x",
            "\"\"\"",
            "[",
            "{",
            "}",
            "a,b",
            "a|b",
            "a=b",
            "key: x",
            "a\nb",
            "\t",
            "\u{7f}",
            "é😀",
            "x ",
            " x",
            "\\",
            "\u{85}",
            ":str",
            "^",
            "a{b}",
            "#",
            "/",
            "café",
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,8}",
        "([ -~]|é|\n){0,12}",
        "[a-z \"\n]{200,260}",
        any::<String>(),
    ]
    .prop_map(|text| text.replace(MARK, "?"))
}

fn tree() -> impl Strategy<Value = Tree> {
    let number = prop::sample::select(vec![
        "0",
        "-0",
        "1.50",
        "1e5",
        "-2E+10",
        "123456789012345678901234567890",
        "true",
        "false",
        "null",
    ]);
    let leaf = prop_oneof![
        number.prop_map(|raw| Tree::Raw(raw.to_owned())),
        odd_text().prop_map(Tree::Text)
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        let keys = prop::collection::vec(odd_text(), 1..5);
        let alike = (
            keys,
            prop::collection::vec(
                prop::collection::vec(prop::option::weighted(0.8, inner.clone()), 5),
                1..5,
            ),
        )
            .prop_map(|(keys, rows)| {
                let row = |row: Vec<Option<Tree>>| {
                    object(
                        keys.iter()
                            .cloned()
                            .zip(row)
                            .filter_map(|(key, value)| Some((key, value?)))
                            .collect(),
                    )
                };
                rows.into_iter().map(row).collect::<Vec<_>>()
            });
        let alike = alike.boxed();
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Tree::Array),
            prop::collection::vec((odd_text(), inner), 0..5).prop_map(object),
            alike.clone().prop_map(Tree::Array),
            (alike, odd_text()).prop_map(|(rows, name)| {
                object(
                    rows.into_iter()
                        .enumerate()
                        .map(|(row, value)| (format!("{name}{row}"), value))
                        .collect(),
                )
            }),
        ]
    })
}

/// An object with the first of each key.
fn object(members: Vec<(String, Tree)>) -> Tree {
    let mut seen = std::collections::BTreeSet::new();
    Tree::Object(members.into_iter().filter(|(key, _)| seen.insert(key.clone())).collect())
}

const STYLES: [(&str, &str, Option<&str>, bool); 7] = [
    (",", ":", None, false),
    (", ", ": ", None, false),
    (", ", ": ", None, true),
    ("", ": ", Some("  "), false),
    ("", ": ", Some("    "), true),
    ("", ": ", Some("\t"), false),
    (",", ":", None, true),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_block_is_read_back(tree in tree(), style in prop::sample::select(STYLES.to_vec())) {
        check(&format!("before\n{}\nafter", render(&tree, style, 0)));
    }

    #[test]
    fn escapes_of_both_kinds_are_read_back(
        tree in tree(),
        style in prop::sample::select(STYLES.to_vec()),
        each in 1..4_usize,
    ) {
        let mut text = String::new();
        for (at, letter) in render(&tree, style, 0).chars().enumerate() {
            match letter {
                '/' if at % each == 0 => text.push_str("\\/"),
                'é' if at % each == 0 => text.push_str("\\u00e9"),
                _ => text.push(letter),
            }
        }
        check(&text);
        check(&format!("{text}\n{}\n{text}", render(&tree, style, 0)));
    }

    #[test]
    fn every_block_of_lines_is_read_back(trees in prop::collection::vec((tree(), 1..4_usize, 0..7_usize), 1..6)) {
        let mut lines = Vec::new();
        for (tree, times, style) in &trees {
            for _ in 0..*times {
                lines.push(render(tree, STYLES[*style], 0));
            }
        }
        check(&lines.join("\n"));
    }

    #[test]
    fn any_block_may_come(
        args in "(python|tab|indent [0-9]|)( ascii)?( slashes)?( lines)?|[ -~]{0,12}",
        body in prop::collection::vec("( {0,3}[-a\"]{0,2}(: |:|\\[[0-9]\\]|\\{[0-9]\\})?(\\{(\\*,)?[a-c]([,|{}=:]|:str|=\\*|[a-c]){0,6}\\}?)?|[ -~]{0,12}|\"\"\"|([a-z0-9\"]{0,3}[,|]){0,4})", 0..8),
    ) {
        let body: Vec<&str> = body.iter().map(String::as_str).collect();
        if let Some(text) = TableNotation.decode(&args, &body, 300) {
            prop_assert!(text.len() <= 300);
        }
    }

    #[test]
    fn any_text_may_be_encoded(text in "([\\[\\]{}\",: \n]|[a-c0-9]){0,80}") {
        check(&text);
    }
}
