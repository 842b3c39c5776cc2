use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Result<Node<'_>, ErrorKind> {
    parse(text, Limits::default()).map_err(|error| error.kind)
}

/// The same value by the other reader; numbers by their text if it is exact there.
fn agree(node: &Node<'_>, other: &serde_json::Value) -> bool {
    match (&node.value, other) {
        (Value::Null, serde_json::Value::Null) => true,
        (Value::Bool(a), serde_json::Value::Bool(b)) => a == b,
        (Value::Number(a), serde_json::Value::Number(b)) => {
            // serde_json may be off by one in the last place of a float.
            let (a, b) = (a.parse::<f64>().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= a.abs() * 1e-14
        }
        (Value::String(a), serde_json::Value::String(b)) => **a == **b,
        (Value::Array(a), serde_json::Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b))
        }
        (Value::Object(a), serde_json::Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && agree(a, b))
        }
        _ => false,
    }
}

#[test]
fn documents_share_the_limits_of_an_array() {
    let limits = Limits { depth: 3, values: 6 };
    let read = |texts: &[&str]| {
        let each = parse_each(texts.iter().copied(), limits);
        let array = parse(&format!("[{}]", texts.join(",")), limits).map(drop);
        assert_eq!(
            each.as_ref().map(|_| ()).map_err(|error| error.kind),
            array.map_err(|error| error.kind)
        );
        each.map(|nodes| nodes.len()).map_err(|error| error.pointer)
    };
    assert_eq!(read(&[]), Ok(0));
    assert_eq!(read(&["[[1]]", "2", "3", "4"]), Err("/3".to_owned()));
    assert_eq!(read(&["[[1]]", "2"]), Ok(2));
    assert_eq!(read(&["1", "[[[]]]"]), Err("/1/0/0".to_owned()));
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-1e12..1e12f64).prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn reads_what_serde_json_reads(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty {
            serde_json::to_string_pretty(&value).unwrap()
        } else {
            value.to_string()
        };
        let node = read(&text).unwrap();
        prop_assert_eq!(node.raw, &text);
        prop_assert!(agree(&node, &value));
    }

    #[test]
    fn refuses_what_serde_json_refuses(
        value in any_json(), at in any::<prop::sample::Index>(), with in "[\\x00-\\x7f]{0,2}"
    ) {
        let mut text = value.to_string();
        let mut at = at.index(text.len());
        while !text.is_char_boundary(at) { at -= 1; }
        let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
        text.replace_range(at..end, &with);
        let other = serde_json::from_str::<serde_json::Value>(&text);
        match read(&text) {
            Ok(node) => {
                // If only the range of a number is in question, the digits are kept here.
                if let Ok(other) = other { prop_assert!(agree(&node, &other)); }
                else { prop_assert!(text.contains(['e', 'E'])); }
            }
            // Reported at the end of the key, whatever is wrong after it.
            Err(ErrorKind::DuplicateKey) => {}
            Err(_) => prop_assert!(other.is_err(), "{}", text),
        }
    }

    #[test]
    fn never_panics(text in any::<String>()) {
        let _ = read(&text);
    }
}

#[test]
fn numbers_keep_their_digits() {
    let node = read("[1.50, 123456789012345678901234567890, -0, 1E5]").unwrap();
    let raw: Vec<_> = node.as_array().unwrap().iter().map(|item| item.raw).collect();
    assert_eq!(raw, ["1.50", "123456789012345678901234567890", "-0", "1E5"]);
}

#[test]
fn a_duplicate_key_is_named() {
    let error = parse(r#"{"a":[{"b":1,"b":2}]}"#, Limits::default()).unwrap_err();
    assert_eq!((error.kind, error.pointer.as_str()), (ErrorKind::DuplicateKey, "/a/0/b"));
    let many: Vec<String> = (0..100).map(|n| format!("\"k{}\":0", n % 99)).collect();
    assert_eq!(read(&format!("{{{}}}", many.join(","))).unwrap_err(), ErrorKind::DuplicateKey);
}

#[test]
fn depth_and_count_are_bounded() {
    assert_eq!(read(&"[".repeat(100_000)).unwrap_err(), ErrorKind::TooDeep);
    let many = format!("[{}]", vec!["0"; 50].join(","));
    let limits = Limits { depth: 4, values: 50 };
    assert_eq!(parse(&many, limits).unwrap_err().kind, ErrorKind::TooMany);
}

#[test]
fn surrogates_pair_or_are_refused() {
    assert_eq!(read(r#""\ud83d\ude00""#).unwrap().as_str(), Some("😀"));
    for lone in [r#""\ud83d""#, r#""\ude00""#, r#""\ud83dx""#, r#""\ud83d\u0041""#] {
        assert_eq!(read(lone).unwrap_err(), ErrorKind::LoneSurrogate, "{lone}");
    }
}

#[test]
fn broken_text_is_told_apart_from_cut_text() {
    assert_eq!(read(r#"{"a": tru"#).unwrap_err(), ErrorKind::Truncated);
    assert_eq!(read(r#"{"a" 1}"#).unwrap_err(), ErrorKind::Syntax);
    assert_eq!(read("{} {}").unwrap_err(), ErrorKind::Trailing);
    assert_eq!(read("\"a\nb\"").unwrap_err(), ErrorKind::ControlCharacter);
    assert_eq!(read("").unwrap_err(), ErrorKind::Truncated);
    assert_eq!(read("01").unwrap_err(), ErrorKind::Trailing);
}
