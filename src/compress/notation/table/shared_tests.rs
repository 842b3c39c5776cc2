//! Equal values by name, documents that are cut off, lists and dicts of Python, and JSON in strings.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::tests::{check_with, shown, shown_with};
use super::*;

#[test]
fn equal_objects_are_written_once_and_repeated_by_name() {
    let person = |name: &str, id: u32| json!({"login": name, "id": id, "url": format!("https://example.com/people/{name}")});
    let issues: Vec<Value> = (0..6)
        .map(|at| json!({"n": at, "by": person(["ann", "bo"][at % 2], [7, 8][at % 2]), "to": null}))
        .collect();
    let document =
        json!({"owner": person("ann", 7), "issues": issues, "closed_by": person("bo", 8)});
    let expected = "*1 repeats &1\n\
        owner &1: {login:ann,id:7,url:\"https://example.com/people/ann\"}\n\
        issues[6]{n,by{login,id,url},to=null}\n\
        0,*1\n\
        1,&2 bo,8,https://example.com/people/bo\n\
        2,*1\n3,*2\n4,*1\n5,*2\n\
        closed_by: *2";
    assert_eq!(shown(&document.to_string()), expected);
    let wide = shown(&serde_json::to_string_pretty(&document).unwrap());
    assert_eq!(wide, format!("indent 2 {expected}"));
}

#[test]
fn equal_lists_and_rows_have_names_too() {
    let headers = json!([{"name": "trace", "in": "header", "about": "Follows a request"},
        {"name": "id", "in": "path", "about": "Names the thing that is meant"}]);
    let more = json!([{"name": "id", "in": "path", "about": "Names the thing that is meant"},
        {"name": "page", "in": "query", "about": "Counts from one"}]);
    let operation =
        |name: &str, of: &Value| json!({"name": name, "parameters": of, "tags": ["a", "b"]});
    let document = json!({"get": {"a": operation("read", &headers)}, "put": {"a": operation("write", &headers)},
        "list": {"a": operation("list", &more)}, "x": [[1], headers]});
    let text = shown(&document.to_string());
    assert!(
        text.contains(
            "parameters &1[2]{name,in,about}\ntrace,header,Follows a request\n&2 id,path,"
        ),
        "{text}"
    );
    assert!(text.contains("parameters: *1\n"), "{text}");
    assert!(text.contains("[2]{}\n*2\npage,query,"), "{text}");
    assert!(text.ends_with("\nx[2]\n[1]\n*1"), "{text}");
}

#[test]
fn what_reports_an_error_is_shown_each_time() {
    let failed = json!({"kind": "error: the disk of the build machine is full", "code": 28});
    let fine = json!({"kind": "the disk of the build machine has room", "code": 0});
    let document = json!({"a": {"x": failed, "y": fine}, "b": {"x": failed, "y": fine, "z": 1}, "c": {"y": fine, "x": failed}});
    let text = shown(&document.to_string());
    assert_eq!(text.matches("disk of the build machine is full").count(), 3, "{text}");
    assert_eq!(text.matches("disk of the build machine has room").count(), 1, "{text}");
}

#[test]
fn strings_that_look_like_names_are_in_quotes_if_there_are_names() {
    let note = json!({"text": "a note of some length that is there twice"});
    let document = json!({"a": "*1", "b": ["&1 x", "- &1: y", "*"], "c": note, "d": {"n": note, "m": 1},
        "rows": [{"k": "*2", "v": "&"}, {"k": "x", "v": "y"}], "e": note});
    let text = shown(&document.to_string());
    assert!(
        text.starts_with("*1 repeats &1\na: \"*1\"\nb: [\"&1 x\",\"- &1: y\",\"*\"]\nc &1: "),
        "{text}"
    );
    assert!(text.contains("\n\"*2\",\"&\"\nx,y\n"), "{text}");
    // Without names nothing changes: what was written before reads as before.
    let body = ["a: *1", "b[1]", "&1 x"];
    assert_eq!(TableNotation.decode("", &body, 99).unwrap(), r#"{"a":"*1","b":["&1 x"]}"#);
}

#[test]
fn names_that_no_value_has_are_no_document() {
    for body in
        [&["a: *1"][..], &["a &1: {b:1}", "c: *2"], &["a &1:", " b: *1"], &["a[1]{b}", "*3"]]
    {
        assert_eq!(TableNotation.decode("*1 repeats &1", body, 999), None, "{body:?}");
    }
    // Each repeats what is before it twice, or would.
    let mut body = vec!["a0 &1[1]".to_owned(), "xxxxxxxxxxxxxxxxxxxxxxxxxxxx".to_owned()];
    for at in 2..40 {
        body.push(format!("a{at} &{at}[2]"));
        body.extend([format!("*{}", at - 1), format!("*{}", at - 1)]);
    }
    let body: Vec<&str> = body.iter().map(String::as_str).collect();
    assert_eq!(TableNotation.decode("*1 repeats &1", &body, 1 << 16), None);
}

#[test]
fn json_in_a_string_is_an_outline_of_its_own() {
    let rows: Vec<Value> = (0..4).map(|at| json!({"id": at, "name": format!("n{at}")})).collect();
    let inner = serde_json::to_string_pretty(&json!({"rows": rows, "text": {"a": "{\"deep\": [1, 2, 3], \"more\": \"words, and more words, and yet more of them, and then some more words after these\", \"n\": 12}"}})).unwrap();
    let text = shown(
        &json!({"status": "ok", "result": inner, "last": [{"id": 1, "name": "x"}]}).to_string(),
    );
    let expected = "\nstatus: ok\nresult\"json indent 2\":\n rows[4]{id,name}\n0,n0\n1,n1\n2,n2\n3,n3\n text:\n  \
        a\"json python\":\n   deep: [1,2,3]\n   more: words, and more words, and yet more of them, and then some more words after these\n   n:12\nlast[1]{id=1,name=x}";
    assert_eq!(text, expected);
    // No more of them inside each other than are written.
    let inside = |depth: usize| {
        let line = format!("a{}: {{b:1}}", "\"json\"".repeat(depth));
        TableNotation.decode("", &[&line], 999)
    };
    assert!(inside(outline::MAX_INNER_DEPTH).is_some());
    assert_eq!(inside(outline::MAX_INNER_DEPTH + 1), None);
}

fn loose(text: &str) -> String {
    shown_with(&LooseJsonNotation, text)
}

#[test]
fn a_document_that_is_cut_off_is_an_outline_and_its_rest() {
    let rows: Vec<Value> =
        (0..8).map(|at| json!({"id": at, "name": format!("user {at}"), "on": true})).collect();
    let text = json!({"page": 1, "rows": rows}).to_string();
    let cut = &text[..text.len() - 30];
    let rest = r#",{"id":"#;
    let expected = "cut 2\npage:1\nrows[7]{id,name,on=true}\n0,user 0\n1,user 1\n2,user 2\n3,user 3\n4,user 4\n5,user 5\n6,user 6\n…\n";
    assert_eq!(loose(cut), format!("{expected}{rest}"));
    let wide = serde_json::to_string_pretty(&json!({"page": 1, "rows": rows})).unwrap();
    let cut = format!("{}\n[truncated]", &wide[..wide.len() - 60]);
    assert!(loose(&cut).starts_with("indent 2 cut 2\npage:1\nrows[7]{"), "{}", loose(&cut));
    assert!(loose(&cut).contains("\n…\n,\n    {\n"), "{}", loose(&cut));
    assert!(LooseJsonNotation.encode(&[&text], ValueClass::Computed).is_empty(), "it is whole");
}

#[test]
fn a_list_of_python_is_an_outline() {
    let row = |at: usize| {
        let note = ["None", "'plain'", "\"it's\"", r#"'both \' and "'"#][at % 4];
        format!(
            "{{'id': {at}, 'ok': {}, 'note': {note}}}",
            if at.is_multiple_of(2) { "True" } else { "False" }
        )
    };
    let rows: Vec<String> = (0..6).map(row).collect();
    let text = format!("[{}]", rows.join(", "));
    let expected = "repr\n[6]{id,ok,note}\n0,true,null\n1,false,plain\n2,true,it's\n3,false,both ' and \"\n4,true,null\n5,false,plain";
    assert_eq!(loose(&text), expected);
    for other in ["(1, 2)", "{1: 'a'}", "'a' 'b'", r"'\x1b'", "\"a\"", r"'\''"] {
        let text = text.replacen("'plain'", other, 1);
        assert!(LooseJsonNotation.encode(&[&text], ValueClass::Computed).is_empty(), "{other}");
    }
}

/// A document that is made of a few pieces, so that many are equal.
fn alike() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "*1",
        "&1 a",
        "=",
        "- &2",
        "a,b",
        "plain words of some length",
        "",
        "12",
    ]);
    let leaf = prop_oneof![
        word.prop_map(|word| json!(word)),
        (0..3).prop_map(|n| json!(n)),
        Just(Value::Null)
    ];
    let pieces = prop::collection::vec(
        leaf.prop_recursive(3, 24, 4, |inner| {
            let key = prop::sample::select(vec!["a", "b", "some_longer_key", "odd key", "*", "&1"]);
            let members = prop::collection::vec((key, inner.clone()), 1..5);
            let object = members.prop_map(|members| {
                Value::Object(
                    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
                )
            });
            prop_oneof![2 => object, 1 => prop::collection::vec(inner, 1..4).prop_map(Value::Array)]
        }),
        1..4,
    );
    let shape = prop::collection::vec((0..4_usize, 0..4_usize, 0..4_usize), 1..9);
    (pieces, shape).prop_map(|(pieces, shape)| {
        let piece = |at: usize| pieces[at % pieces.len()].clone();
        let part = |(form, a, b): (usize, usize, usize)| match form {
            0 => json!({"first": piece(a), "second": {"inner": piece(b), "more": "words that are there each time"}}),
            1 => json!([piece(a), piece(b)]),
            2 => json!({"text": piece(a).to_string()}),
            _ => piece(a),
        };
        let parts: Vec<Value> = shape.into_iter().map(part).collect();
        json!({"list": parts, "again": parts.first(), "of": {"x": parts.last(), "y": piece(1)}})
    })
}

fn to_python(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(to_python).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| format!("'{key}': {}", to_python(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        Value::Null => "None".to_owned(),
        other => other.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn documents_with_equal_values_are_read_back(value in alike(), wide in any::<bool>()) {
        let text = if wide { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        check_with(&TableNotation, &text);
        if let Some(block) = shared_block(&text) {
            let body: Vec<&str> = block.body.lines().collect();
            prop_assert_eq!(TableNotation.decode(&block.args, &body, text.len()), Some(text), "{:#?}", block);
        }
    }

    #[test]
    fn documents_that_are_cut_off_are_read_back(value in alike(), wide in any::<bool>(), cut in 0..4_000_usize) {
        let text = if wide { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        check_with(&LooseJsonNotation, &text[..cut % text.len()]);
    }

    #[test]
    fn lists_of_python_are_read_back(value in alike()) {
        check_with(&LooseJsonNotation, &format!("out:\n{}", to_python(&value)));
    }

    #[test]
    fn any_block_with_names_may_come(
        args in "(python |indent [0-9] |repr|)?(\\*1 repeats &1)?( ?cut [0-9]{1,2})?",
        body in prop::collection::vec("( {0,2}[a-c]( &[12])?(: \\*[12]|: x|:|\\[[0-9]\\]|\\{[0-9]\\}|\"json\":)(\\{(\\*,)?[a-c](,[a-c]|\\{[ab],c\\}){0,3}\\})?|-( &1)?:|[&*][12] ?|(([&*][12] ?)?[a-z]{0,3},){0,4}|…|[ -~]{0,9})", 0..9),
    ) {
        let body: Vec<&str> = body.iter().map(String::as_str).collect();
        if let Some(text) = TableNotation.decode(&args, &body, 300) {
            prop_assert!(text.len() <= 300);
        }
    }
}

/// The block with names, whether or not it is worth them.
fn shared_block(text: &str) -> Option<NotationBlock> {
    let mut tape = Tape::default();
    let (root, style) = one(text, &mut tape)?;
    let body = outline::write_shared(tape.node(root)?, style)?;
    let args = JsonStyle { shared: true, ..style }.words();
    Some(NotationBlock { args, body })
}
