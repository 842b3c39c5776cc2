use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::fixture::{PROSE, SHORT_PROSE, any_prose, shortened, shown};
use super::*;

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn rows(count: usize) -> Vec<Value> {
    (0..count).map(|n| json!({"id": n, "name": format!("lamp {n}"), "state": "open"})).collect()
}

#[test]
fn long_strings_are_shortened_in_their_place() {
    let text = json!({"id": 7, "note": PROSE, "price": 1.50, "tags": ["a", "b"]}).to_string();
    let short =
        json!({"id": 7, "note": SHORT_PROSE, "price": 1.50, "tags": ["a", "b"]}).to_string();
    assert_eq!(shown(&JsonAdapter, &text), short);
    let text = text.replace("1.5", "1.5000").replace("The boiler", "Der Kessel f\\u00fcr");
    let shown = shown(&JsonAdapter, &text);
    assert!(shown.contains("1.5000") && shown.contains("f\\u00fcr") && shown.is_ascii(), "{shown}");
}

#[test]
fn a_document_in_a_string_is_shortened_too() {
    let inner = json!({"items": rows(80)}).to_string();
    let text = json!({"stdout": inner, "code": 0}).to_string();
    let shown = parsed(&shown(&JsonAdapter, &text));
    let inner = parsed(shown["stdout"].as_str().unwrap());
    assert!(inner["items"].as_array().unwrap().len() < 40);
}

#[test]
fn long_arrays_lose_items_that_are_counted() {
    let text = json!({"total": 200, "items": rows(200)}).to_string();
    let shown = shown(&JsonAdapter, &text);
    assert!(shown.len() * 2 < text.len(), "{shown}");
    let items = parsed(&shown)["items"].as_array().unwrap().clone();
    let count = |item: &Value| match item.as_str() {
        Some(mark) => elision::mark_items(mark, ITEM_NOUN).unwrap(),
        None => 1,
    };
    assert_eq!(items.iter().map(count).sum::<usize>(), 200);
    assert_eq!((&items[0]["id"], &items[items.len() - 1]["id"]), (&json!(0), &json!(199)));
}

#[test]
fn what_differs_stays() {
    let mut items = rows(300);
    items[150] = json!({"id": 150, "name": "lamp 150", "state": "open", "broken": {"since": "x"}});
    items[170]["state"] = json!("connection refused");
    items[190]["id"] = json!(900_000);
    items[210]["error"] = json!("timeout");
    let shown = shown(&JsonAdapter, &Value::from(items).to_string());
    for kept in ["since", "connection refused", "900000", "\"error\":\"timeout\""] {
        assert!(shown.contains(kept), "{kept} not in {shown}");
    }
}

#[test]
fn lists_of_few_items_and_lists_with_marks_of_their_own_stay() {
    let few = json!({"list": rows(MAX_WHOLE_ITEMS)}).to_string();
    assert_eq!(shown(&JsonAdapter, &few), few);
    let mut own = rows(60);
    own[30] = json!("… 3 more items");
    let own = Value::from(own).to_string();
    assert_eq!(shown(&JsonAdapter, &own), own);
}

#[test]
fn indented_documents_keep_their_indentation() {
    let text = serde_json::to_string_pretty(&json!({"list": rows(100)})).unwrap();
    let shown = shown(&JsonAdapter, &text);
    parsed(&shown);
    assert!(shown.lines().any(|line| line.starts_with("    \"… ")), "{shown}");
}

#[test]
fn a_document_a_line_loses_lines() {
    let text = rows(120).iter().map(|row| format!("{row}\n")).collect::<Vec<_>>().concat();
    let shown = shown(&JsonAdapter, &text);
    assert!(shown.len() * 2 < text.len());
    shown.lines().for_each(|line| drop(parsed(line)));
    assert!(shown.ends_with('\n') && shown.contains(" more lines\""));
}

#[test]
fn what_says_something_else_does_not_hold() {
    let text = Value::from(rows(40)).to_string();
    let good = shown(&JsonAdapter, &text);
    assert!(JsonAdapter.holds(&text, &good));
    let count: usize = elision::mark_items(
        parsed(&good).as_array().unwrap().iter().find_map(Value::as_str).unwrap(),
        ITEM_NOUN,
    )
    .unwrap();
    for bad in [
        good.replace(&format!("… {count} "), &format!("… {} ", count - 1)),
        good.replace("\"id\":1", "\"id\":4"),
        good.replace("lamp 0", "lump 0"),
        good.replace("\"state\":\"open\"", "\"state\":\"shut\""),
        good.replace(']', ""),
    ] {
        assert!(bad != good && !JsonAdapter.holds(&text, &bad), "{bad}");
    }
}

#[test]
fn hostile_documents_are_read_once() {
    let nested = format!("{}1{}", "[1,2,3,4,5,6,7,8,".repeat(60), "]".repeat(60));
    for text in [
        "[".repeat(1 << 20),
        "{\"a\":".repeat(200_000),
        format!("[{}1]", "1,".repeat(500_000)),
        format!("[{}1]", "[],".repeat(300_000)),
        format!("[{}1]", "\"\\u0000\",".repeat(100_000)),
        format!("[{}{nested}]", format!("{nested},").repeat(900)),
        format!(
            "[{}0]",
            (0..80_000).map(|n| format!("{{\"k{n}\":1}},")).collect::<Vec<_>>().concat()
        ),
    ] {
        let _ = shortened(&JsonAdapter, &text);
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any_prose().prop_map(Value::from),
        "[a-z]{0,6}".prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        prop::sample::select(vec!["error", "… 2 more items", "failed"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 96, 24, |inner| {
        let alike = (
            prop::collection::vec("[a-d]{1,2}", 1..4),
            prop::collection::vec(prop::collection::vec(inner.clone(), 4), 0..40),
        );
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..24).prop_map(Value::from),
            prop::collection::btree_map("[a-e]{1,3}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
            alike.prop_map(|(keys, rows)| {
                let row = |row: Vec<Value>| Value::Object(keys.iter().cloned().zip(row).collect());
                rows.into_iter().map(row).collect()
            }),
        ]
    })
}

/// The key paths of a value, and those under which something was left out.
fn paths(value: &Value, path: &str, found: &mut Vec<String>, marked: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for item in items {
                if item.as_str().and_then(|text| elision::mark_items(text, ITEM_NOUN)).is_some() {
                    marked.push(path.to_owned());
                }
                paths(item, &format!("{path}[]"), found, marked);
            }
        }
        Value::Object(members) => {
            for (key, value) in members {
                found.push(format!("{path}.{key}"));
                paths(value, &format!("{path}.{key}"), found, marked);
            }
        }
        _ => {}
    }
}

#[test]
fn escapes_are_those_of_the_string_before() {
    let written = |text: &str, like: &str| {
        let mut out = String::new();
        write_like(&mut out, text, like);
        out
    };
    assert_eq!(written("a/é\n😀", "\"plain é\""), "\"a/é\\n😀\"");
    assert_eq!(written("a/é😀", "\"\\u00e9\""), "\"a/\\u00e9\\ud83d\\ude00\"");
    assert_eq!(written("a/é", "\"x\\/y é\""), "\"a\\/é\"");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_is_shown_parses_and_has_every_path_or_a_mark(value in any_value(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let shortened = shortened(&JsonAdapter, &text);
        prop_assert!(shortened.reverted.is_empty());
        if let Some(shown) = shortened.text {
            prop_assert!(shown.len() < text.len());
            prop_assume!(shortened.used.iter().any(|name| name == "json"));
            let (mut before, mut after) = (Vec::new(), Vec::new());
            let (mut none, mut marks) = (Vec::new(), Vec::new());
            paths(&value, "", &mut before, &mut none);
            paths(&parsed(&shown), "", &mut after, &mut marks);
            for path in before {
                let is_marked = marks.iter().any(|mark| path.starts_with(&format!("{mark}[]")));
                prop_assert!(after.contains(&path) || is_marked, "{}", path);
            }
        }
    }

    #[test]
    fn any_text_may_come(text in "([\\[\\]{}\",: \n…]|[a-c0-9]| more item){0,160}") {
        prop_assert!(shortened(&JsonAdapter, &text).reverted.is_empty());
    }
}
