use std::fmt::Write as _;

use proptest::prelude::*;
use serde::Deserialize as _;
use yaml_serde::{Deserializer, Value};

use super::super::AdapterOutput;
use super::super::fixture::{PROSE, SHORT_PROSE, any_prose, shortened, shown};
use super::*;

/// The documents of a text, by a reader of its own.
fn parsed(text: &str) -> Vec<Value> {
    let all = Deserializer::from_str(text).map(Value::deserialize);
    all.collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Whether two values are the same but for prose that is shorter.
fn is_alike(own: &Value, shown: &Value) -> bool {
    match (own, shown) {
        (Value::Sequence(own), Value::Sequence(shown)) => {
            own.len() == shown.len()
                && own.iter().zip(shown).all(|(own, shown)| is_alike(own, shown))
        }
        (Value::Mapping(own), Value::Mapping(shown)) => {
            own.len() == shown.len()
                && own
                    .iter()
                    .zip(shown)
                    .all(|((key, own), (name, shown))| key == name && is_alike(own, shown))
        }
        (Value::Tagged(own), Value::Tagged(shown)) => {
            own.tag == shown.tag && is_alike(&own.value, &shown.value)
        }
        (Value::String(own), Value::String(shown)) => {
            own == shown || is_prose(own) && shown.len() < own.len() && !shown.is_empty()
        }
        _ => own == shown,
    }
}

#[track_caller]
fn is_shown(text: &str, short: &str) {
    assert_eq!(shown(&YamlAdapter, text), short);
    let (own, shown) = (parsed(text), parsed(short));
    assert!(
        own.iter().zip(&shown).all(|(own, shown)| is_alike(own, shown)) && own.len() == shown.len()
    );
}

#[test]
fn digests_keep_their_keys_and_bytes() {
    let text = |note: &str| {
        format!(
            "deployment:\n  image: registry.example.com/shop/lamp@sha256:{}\n  replicas: 2\n  note: {note}\n  url: https://example.com/a/long/path?with=many&things=in&it=true&and=more\n",
            "9f86d081884c7d65".repeat(4)
        )
    };
    is_shown(&text(PROSE), &text(SHORT_PROSE));
    is_shown(
        &text(&format!("'{PROSE} It''s so.'")),
        &text(&format!("'{}It''s so.'", SHORT_PROSE.split_once("The keys").unwrap().0)),
    );
}

#[test]
fn a_value_on_several_lines_stays_under_its_key() {
    let wrapped = PROSE.replace(". ", ".\n  ");
    let text = format!("owner: payments team\nsummary:\n  {wrapped}\nport: 80\n");
    is_shown(&text, &format!("owner: payments team\nsummary:\n  {SHORT_PROSE}\nport: 80\n"));
    let text = format!("owner: payments team\nsummary: {wrapped}\nlist:\n- {wrapped}\n- b\n");
    is_shown(
        &text,
        &format!("owner: payments team\nsummary: {SHORT_PROSE}\nlist:\n- {SHORT_PROSE}\n- b\n"),
    );
}

#[test]
fn scripts_flows_and_anchors_keep_their_bytes() {
    let script = "    #!/bin/sh\n    set -e\n    # Copies it. All of it. And then some more of it.\n    for f in a b c; do cp \"$f\" /tmp/; done\n    echo \"done: ok\"\n";
    let text = |note: &str| {
        format!(
            "base: &base\n  run: |\n{script}  args: [one, 'two, 2', \"three\", {{four: 4, five: [6, 7]}}, https://example.com/a/b/c/d/e/f/g]\nother:\n  <<: *base\n  text: !!str >-\n    {note}\n\n  last: 1 # see above\n"
        )
    };
    is_shown(&text(PROSE), &text(SHORT_PROSE));
}

#[test]
fn several_documents_and_carriage_returns_stay() {
    let text = |note: &str| {
        format!(
            "%YAML 1.1\n---\nkind: A\nid: 1\nnote: \"{note}\"\n---\nkind: B\nid: 2\nnote: |\n  {note}\n  And a list.\n...\n"
        )
    };
    let second = SHORT_PROSE.replace(" The keys hang beside the door of the workshop.", "");
    let shown = shown(&YamlAdapter, &text(PROSE));
    assert_eq!(parsed(&shown).len(), 2);
    assert!(
        shown.contains(&format!("note: \"{SHORT_PROSE}\"\n")) && shown.contains(&second),
        "{shown}"
    );
    let returns = text(PROSE).replace('\n', "\r\n");
    assert_eq!(super::super::fixture::shown(&YamlAdapter, &returns), shown.replace('\n', "\r\n"));
}

#[test]
fn long_comments_are_shortened() {
    let wrapped = PROSE.replace(". ", ".\n# ");
    let text = format!("# {wrapped}\nname: shop\nport: 80\nhost: x\n");
    let shown = shown(&YamlAdapter, &text);
    assert!(
        shown.len() < text.len() && shown.ends_with("\nname: shop\nport: 80\nhost: x\n"),
        "{shown}"
    );
    assert!(shown.lines().filter(|line| !line.contains(": ")).all(|line| line.starts_with('#')));
}

#[test]
fn a_flat_map_is_reached() {
    let text =
        |note: &str| format!("name: lampshop\nimage: shop:4.2\nreplicas: 2\ndescription: {note}\n");
    is_shown(&text(PROSE), &text(SHORT_PROSE));
}

#[test]
fn keys_on_lines_of_their_own_keep_their_bytes() {
    let text = |note: &str| {
        format!(
            "paths:\n  ? /orders/{{id}}/lines and all that is below it, \"so\" they say # odd\n  : name: lines\n    note: {note}\n  ? 'a: b'\n  :\n    - {note}\n  ? !!str c\nlast:\n- ? d\n  : 1\n"
        )
    };
    is_shown(&text(PROSE), &text(SHORT_PROSE));
    let asked = |key: &str| format!("a: 1\n? {key}\n: b\nc: 2\n");
    assert_eq!(shown(&YamlAdapter, &asked(PROSE)), asked(PROSE));
}

#[test]
fn words_that_a_style_cannot_say_stay() {
    let odd = format!("It begins. {PROSE} Now #1: it ends");
    let text = format!("a: {}\nb: 1\nc: 2\n", odd.replace(": ", " "));
    let shown = shown(&YamlAdapter, &text);
    assert_eq!(parsed(&shown)[0]["b"], Value::from(1));
    let escaped = format!("a: \"{PROSE} \\u00e9 \\\"so\\\" \\\n  they said.\\n\"\nb: 1\nc: 2\n");
    let shown = super::super::fixture::shown(&YamlAdapter, &escaped);
    assert!(shown.len() < escaped.len() && parsed(&shown)[0]["b"] == 1, "{shown}");
}

#[test]
fn what_is_not_known_for_sure_is_left_alone() {
    for text in [
        "\tkey: value\n",
        "? [a]\n: b\n",
        "? a: b\n: c\n",
        "? a\n  b\n: c\n",
        "? - a\n: c\n",
        "? |\n  a\n: c\n",
        "key: 'never ends\n",
        "key: [a, b\n",
        "key: [a}\n",
        "a: b: c\n",
        "- @x\n",
        "key: |x\n  a\n",
        "[a, b]: c\n",
    ] {
        assert_eq!(scan(text), None, "{text}");
    }
}

#[test]
fn what_says_something_else_does_not_hold() {
    let text =
        format!("a: 1\nb:\n  - x\n  - &c y\nnote: {PROSE}\nlong: {}\n", "0123456789".repeat(20));
    let good = shown(&YamlAdapter, &text);
    assert!(YamlAdapter.holds(&text, &good));
    for bad in [
        good.replace("a: 1", "a: 2"),
        good.replace("- x\n", ""),
        good.replace("&c", "&d"),
        good.replace("  - x", "- x"),
        good.replace(SHORT_PROSE, ""),
        good.replace(SHORT_PROSE, &format!("'{SHORT_PROSE}'")),
        good.replace("0123456789", "012345678"),
        good.replace("note:", "more:"),
    ] {
        assert!(bad != good && !YamlAdapter.holds(&text, &bad), "{bad}");
    }
}

#[test]
fn hostile_documents_are_read_once() {
    struct Nothing;
    impl InnerTexts for Nothing {
        fn shorten(&mut self, _: &str) -> Option<String> {
            None
        }
    }
    let bits = [
        "- ", "&a *a ", "[", "{", "a: ", "a:\n", "\"", "'", "\n", "|\n", "a: |\n ", "!x ", "#\n",
        "- a\n", "'' ", "[]", " \n", "a\n", "---\n", "\\",
    ];
    for bit in bits {
        for text in
            [bit.repeat((1 << 20) / bit.len()), format!("a: {}", bit.repeat((1 << 20) / bit.len()))]
        {
            let _ = YamlAdapter.attempt(Part::new(&text, &[]), &mut Nothing);
        }
    }
    let deep =
        (0..1_400).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect::<Vec<_>>().concat();
    assert!(scan(&deep).is_some());
    let lol = (1..9)
        .map(|level| format!("l{level}: &l{level} [{}]\n", format!("*l{},", level - 1).repeat(9)));
    let lol = lol.collect::<Vec<_>>().concat();
    assert!(scan(&lol).is_some());
}

/// A value as YAML, in a style of several.
fn any_document() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        3 => (any_prose(), 0..6_u8).prop_map(|(text, style)| (text, style)),
        2 => ("[a-z0-9./@-]{1,12}", Just(0_u8)),
        1 => (prop::sample::select(vec!["true", "~", "12", "*one", "[a, b: c]", "{x: 'y, z'}", "x # y", ""]).prop_map(str::to_owned), Just(9_u8)),
    ];
    let key = "[a-z]{1,6}";
    let entry = (
        key,
        scalar.clone(),
        0..3_u8,
        prop::collection::vec(("[a-z]{1,6}", scalar), 0..4),
        any::<bool>(),
    );
    (prop::collection::vec(entry, 1..7), any::<bool>(), any::<bool>()).prop_map(
        |(entries, returns, marked)| {
            let mut out =
                String::from(if marked { "# A head. It says little.\n---\n" } else { "" });
            out.push_str("one: &one 1\ntwo: 2\nthree: 3\n");
            for (at, (key, value, shape, inner, comment)) in entries.into_iter().enumerate() {
                if comment {
                    writeln!(out, "# {}", value.0.replace('\n', "\n# ")).unwrap();
                }
                match shape {
                    0 => writeln!(out, "{key}{at}: {}", write_scalar(&value, 0)).unwrap(),
                    1 => {
                        writeln!(out, "{key}{at}:").unwrap();
                        for (at, (key, value)) in inner.iter().enumerate() {
                            writeln!(out, "  {key}{at}: {}", write_scalar(value, 2)).unwrap();
                        }
                    }
                    _ => {
                        writeln!(out, "{key}{at}:").unwrap();
                        for (key, value) in &inner {
                            write!(
                                out,
                                "- {key}: {}\n  z: 1\n- {}\n",
                                write_scalar(value, 2),
                                write_scalar(value, 0)
                            )
                            .unwrap();
                        }
                    }
                }
            }
            if returns { out.replace('\n', "\r\n") } else { out }
        },
    )
}

fn write_scalar((text, style): &(String, u8), indent: usize) -> String {
    let pad = " ".repeat(indent + 2);
    let clean = text.replace('\t', " ");
    let block = || {
        format!(
            "{pad}{}",
            clean.trim_start().replace("\n\n", "\n").replace('\n', &format!("\n{pad}"))
        )
    };
    match style {
        1 => format!("'{}'", clean.replace('\'', "''").replace('\n', &format!("\n\n{pad}"))),
        2 => serde_json::to_string(&clean).unwrap(),
        3 => format!("|\n{}", block()),
        4 => format!(">-\n{}\n", block()),
        9 => clean,
        _ => {
            let plain: String = clean
                .chars()
                .filter(|letter| letter.is_alphanumeric() || " ./\n".contains(*letter))
                .collect();
            format!("x{}", plain.trim().replace('\n', &format!("\n{pad}")))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_is_shown_says_the_same_but_for_prose(text in any_document()) {
        let AdapterOutput { text: shown, reverted, .. } = shortened(&YamlAdapter, &text);
        prop_assert!(reverted.is_empty(), "{}", text);
        let own: Result<Vec<Value>, _> = Deserializer::from_str(&text).map(Value::deserialize).collect();
        // A list that segmentation takes for Markdown is another adapter's, with its own losses.
        let spans = segment::segment(&text);
        let is_yaml = YamlAdapter.detects(Part::new(&text, &spans));
        if let (true, Some(shown), Ok(own)) = (is_yaml, shown, own) {
            prop_assert!(shown.len() < text.len());
            let shown = parsed(&shown);
            prop_assert_eq!(own.len(), shown.len());
            prop_assert!(own.iter().zip(&shown).all(|(own, shown)| is_alike(own, shown)), "{:?}", shown);
        }
    }

    #[test]
    fn any_text_may_come(text in "(key: |- |\\| ?\n|  |'|\"|\\[|\\]|\\{|#|&a |\\*a|: |---\n|[ -~\n]){0,60}") {
        let _ = shortened(&YamlAdapter, &format!("a: 1\nb: 2\n{text}"));
    }
}
