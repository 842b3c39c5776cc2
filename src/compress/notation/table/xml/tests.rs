use proptest::prelude::*;

use super::*;
use crate::compress::notation::tests::blocks;

fn check(text: &str) -> Vec<FoundBlock> {
    blocks(&XmlNotation, text)
}

fn shown(text: &str) -> String {
    let found = check(text);
    assert_eq!(found.len(), 1, "{found:?}");
    format!("{}{}", found[0].block.args, found[0].block.body.text())
}

#[test]
fn elements_that_are_alike_become_rows() {
    let row = |id: u8| {
        format!("  <lamp id=\"{id}\">\n    <name>L{id}, red</name>\n    <on/>\n  </lamp>\n")
    };
    let text = format!(
        "<?xml version=\"1.0\"?>\n<lamps xmlns=\"urn:x\">\n{}{}{}  <end></end>\n</lamps>",
        row(1),
        row(2),
        row(3)
    );
    let expected = "indent 2\nlamps:\n @xmlns: urn:x\n lamp[3]{@id|name|on={}}\n1|L1, red\n2|L2, red\n3|L3, red\n end: \"\"";
    assert_eq!(shown(&text), expected);
    let compact = "<a><b k=\"1\" l=\"2\">t</b><b k=\"3\" l=\"4\">u</b><b k=\"5\" l=\"6\">v</b><c />"
        .to_owned() + "</a>";
    assert_eq!(shown(&compact), "spaced\na:\n b[3]{@k,@l,#}\n1,2,t\n3,4,u\n5,6,v\n c: {}");
}

#[test]
fn attributes_with_dots_stand_as_trees() {
    let row = |id: u8| {
        format!(
            "  <land id=\"{id}\" name.common=\"A{id}\" name.official=\"Of A{id}\" tld=\".a{id}\"/>\n"
        )
    };
    let text = format!("<lands>\n{}{}{}</lands>", row(1), row(2), row(3));
    let expected = "indent 2 dots\nlands:\n land[3]{@id,@name{common,official},@tld}\n1,A1,Of A1,.a1\n2,A2,Of A2,.a2\n3,A3,Of A3,.a3";
    assert_eq!(shown(&text), expected);
    // One name is a part of another: they stand as they are.
    let text = text.replace("tld=", "name=");
    assert!(shown(&text).starts_with("indent 2\n"), "{}", shown(&text));
}

#[test]
fn what_holds_more_than_elements_attributes_and_texts_stays() {
    for text in [
        "<a>\n  <!-- a comment -->\n  <b>a text that is long enough</b>\n</a>",
        "<a>\n  words <b>a text that is long enough</b> and more\n</a>",
        "<a>\n  <b>a text that is\n long enough to be worth it, is it</b>\n</a>",
        "<a>\n <b>a text that is long enough</b>\n  <c>to be worth it</c>\n</a>",
        "<a>\n  <b k='1'>a text that is long enough to be worth it</b>\n</a>",
        "<a>\n  <b>x</b>\n  <c>x</c>\n  <b>a text that is long enough to be worth it</b>\n</a>",
        "<a><b><![CDATA[a text that is long enough to be worth it]]></b></a>",
    ] {
        assert!(check(text).is_empty(), "{text}");
    }
}

#[test]
fn hostile_elements_are_read_once() {
    for bit in [
        "<a>",
        "<a",
        "<a b=\"\"",
        " ",
        "<a/>",
        "<a>\n",
        "</a>",
        "<a b.b.b=\"",
        "<a b.b.b=\"\"/>",
        "<a></a>",
    ] {
        let many = bit.repeat((1 << 20) / bit.len());
        check(&many);
        check(&format!("<r>{many}</r>"));
    }
    let rows = (0..40_000).map(|n| format!("<a{n}/><a{n}/>")).collect::<Vec<_>>().concat();
    check(&format!("<r>{rows}</r>"));
}

fn any_element() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        "[a-z0-9 .]{0,8}",
        prop::sample::select(vec![
            "1.5", "null", "a, b", "x|y", "{x}", "&amp;", "\"q\"", "- y", "[", "@x", "#", "é"
        ])
        .prop_map(str::to_owned)
    ];
    let attributes = prop::collection::vec(("[a-c]{1,2}(\\.[a-c]){0,2}", text.clone()), 0..3)
        .prop_map(|list| {
            list.into_iter()
                .map(|(name, value)| format!(" {name}=\"{}\"", value.replace('"', "&quot;")))
                .collect::<Vec<_>>()
                .concat()
        });
    let leaf = (text, any::<bool>())
        .prop_map(|(text, empty)| if empty { "/>".to_owned() } else { format!(">{text}</%>") });
    let tree = leaf.prop_recursive(4, 32, 5, move |inner| {
        prop::collection::vec(("[a-c]", attributes.clone(), inner, 1..4_usize), 1..5).prop_map(
            |list| {
                let element =
                    |(name, attributes, inner, times): (String, String, String, usize)| {
                        let inner =
                            inner.lines().collect::<Vec<_>>().join("\n  ").replace('%', &name);
                        format!("\n  <{name}{attributes}{inner}").repeat(times)
                    };
                format!(">{}\n</%>", list.into_iter().map(element).collect::<String>())
            },
        )
    });
    tree.prop_map(|inner| format!("<root{}", inner.replace('%', "root")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_block_is_read_back(text in any_element(), compact in any::<bool>()) {
        let text = if compact { text.replace('\n', "").replace("  <", "<") } else { text };
        check(&text);
        check(&format!("{}\r", text.replace('\n', "\r\n")));
    }

    #[test]
    fn any_text_may_be_encoded(text in "(<a>|</a>|<b/>|<b c=\"x\"/>|\n|  |[ -~]){0,40}") {
        check(&format!("<a>{text}</a>"));
    }

    #[test]
    fn any_block_may_come(
        args in "(indent [0-9] ?)?(spaced ?)?(dots)?|[ -~]{0,12}",
        body in prop::collection::vec("( {0,3}[-@a\"]{0,2}(: |:|\\[[0-9]\\]|\\{[0-9]\\})?(\\{(\\*,)?[a-c]([,|{}=:]|=\\*|[a-c]){0,6}\\}?)?|[ -~]{0,12}|([a-z0-9\"]{0,3}[,|]){0,4})", 0..8),
    ) {
        let body: Vec<&str> = body.iter().map(String::as_str).collect();
        if let Some(text) = XmlNotation.decode(&args, &body, 300) {
            prop_assert!(text.len() <= 300);
        }
    }
}
