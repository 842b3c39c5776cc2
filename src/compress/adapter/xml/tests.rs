use proptest::prelude::*;
use quick_xml::events;

use super::super::fixture::{PROSE, SHORT_PROSE, any_prose, shortened, shown};
use super::*;

#[track_caller]
fn is_shown(text: &str, short: &str) {
    assert_eq!(shown(&XmlAdapter, text), short);
    assert!(pieces(short).is_some());
}

#[test]
fn prose_shrinks_inside_its_element() {
    let page = |body: &str| {
        format!("<note><to>Dana</to><port>8080</port><body>{body}</body><ok>true</ok></note>")
    };
    is_shown(&page(PROSE), &page(SHORT_PROSE));
    is_shown(&page(&format!("\n  {PROSE}\n  ")), &page(&format!("\n  {SHORT_PROSE}\n  ")));
}

#[test]
fn entities_keep_their_form() {
    let body =
        |text: &str| format!("<doc><b/><c>{text} Fish &amp; chips &#8212; &lt;now&gt;.</c></doc>");
    let (first, _) = SHORT_PROSE.split_once(" The keys").unwrap();
    is_shown(&body(PROSE), &body(first));
}

#[test]
fn sections_with_brackets_parse() {
    let page =
        |text: &str| format!("<doc><b/><c><![CDATA[ if 1 > 0 it is so. {text} ]]></c></doc>");
    let shown = shown(&XmlAdapter, &page(PROSE));
    assert!(shown.contains("<![CDATA[ if 1 > 0 it is so. […] The keys"), "{shown}");
    assert!(pieces(&shown).is_some());
}

#[test]
fn attributes_keep_their_bytes() {
    let page = |text: &str| {
        format!("<doc x='1 > 0' y=\"{PROSE}\"><b z = '&gt;' /><c\n  w=\"1\">{text}</c></doc>")
    };
    is_shown(&page(PROSE), &page(SHORT_PROSE));
}

#[test]
fn dashes_in_prose_parse() {
    let page = |text: &str| format!("<doc><b/><c>It is -- so they say -- old. {text}</c></doc>");
    let shown = shown(&XmlAdapter, &page(PROSE));
    assert!(shown.contains("so they say -- old. […]"), "{shown}");
    assert!(pieces(&shown).is_some());
}

#[test]
fn long_comments_are_shortened_and_stand_once() {
    let page = |text: &str| format!("<doc><!-- {text} --><b/><c/></doc>");
    is_shown(&page(PROSE), &page(SHORT_PROSE));
}

#[test]
fn indentation_goes_and_what_is_no_prose_stays() {
    let digest =
        "registry.example.com/shop/lamp@sha256:".to_owned() + &"9f86d081884c7d65".repeat(8);
    let script =
        "set -e; for f in *.txt; do cp \"$f\" /tmp/$f; done; echo $?; exit 0; # done. Now.";
    let text = format!(
        "<list>\n  <item>{digest}</item>\n  <run>{script} {script}</run>\n  <p>{PROSE} <b>x</b></p>\n</list>\n"
    );
    let short = text.replace(">\n  <", "><").replace(">\n</", "></").replace(">\n", ">");
    assert_eq!(shown(&XmlAdapter, &text).trim_end(), short);
}

#[test]
fn what_is_no_single_document_stays() {
    for text in [
        format!("<!DOCTYPE doc [<!ENTITY x \"y\">]>\n<doc>\n <b/>\n <c>{PROSE}</c>\n</doc>"),
        format!("<doc>\n <b/>\n <c>{PROSE}</c>\n</doc>\n<doc>\n <b/>\n <c>{PROSE}</c>\n</doc>"),
        format!("<doc>\n <b/>\n <c>{PROSE}</d>\n</doc>"),
        format!("<doc><b/><c>&own; {PROSE}</c></doc>"),
    ] {
        assert!(pieces(&text).is_none() || shown(&XmlAdapter, &text) == text, "{text}");
    }
}

#[test]
fn what_says_something_else_does_not_hold() {
    let text = format!("<doc k=\"1\">\n <b>of old</b>\n <c>{PROSE}</c>\n</doc>");
    let good = shown(&XmlAdapter, &text);
    assert!(XmlAdapter.holds(&text, &good));
    for bad in [
        good.replace("k=\"1\"", "k=\"2\""),
        good.replace("of old", "of"),
        good.replace("<b>of old</b>", ""),
        good.replace("</c>", ""),
        good.replace(SHORT_PROSE, ""),
        good.replace("</doc>", "</doc><doc/>"),
    ] {
        assert!(bad != good && !XmlAdapter.holds(&text, &bad), "{bad}");
    }
}

#[test]
fn hostile_documents_are_read_once() {
    let bits =
        ["<a>", "<a", "<!--", "<![CDATA[", "<?", "</a>", "<a b='", "<a/>", "<", "&", "&a;", "]]>"];
    for bit in bits {
        for text in [bit.repeat(250_000), format!("<r>{}</r>", bit.repeat(250_000))] {
            let spans = [crate::compress::segment::Span { kind: Kind::Xml, range: 0..text.len() }];
            let _ = XmlAdapter.attempt(Part::new(&text, &spans), &mut Nothing);
        }
    }
    let deep = |depth: usize| format!("{}{}", "<r>".repeat(depth), "</r>".repeat(depth));
    assert!(pieces(&deep(DEEP)).is_some());
    assert!(pieces(&deep(DEEP + 1)).is_none());
}

const DEEP: usize = 256;

struct Nothing;

impl InnerTexts for Nothing {
    fn shorten(&mut self, _: &str) -> Option<String> {
        None
    }
}

/// Names and attributes in order, by a reading of their own.
fn tags(text: &str) -> Vec<String> {
    let mut reader = quick_xml::reader::Reader::from_str(text);
    let mut tags = Vec::new();
    loop {
        match reader.read_event().expect("well-formed") {
            events::Event::Eof => return tags,
            events::Event::Start(tag) | events::Event::Empty(tag) => {
                tags.push(tag.name().as_ref().to_owned());
                for one in tag.attributes() {
                    let one = one.expect("an attribute");
                    tags.push(one.value.into_owned());
                }
            }
            _ => {}
        }
    }
}

fn any_document() -> impl Strategy<Value = String> {
    let escape =
        |text: String| text.replace('&', "&amp;").replace('<', "&lt;").replace("]]>", "]]&gt;");
    let leaf = prop_oneof![
        4 => any_prose().prop_map(escape),
        1 => any_prose().prop_map(|text| format!("<!-- {} -->", text.replace('-', "."))),
        1 => any_prose().prop_map(|text| format!("<![CDATA[{}]]>", text.replace("]]>", "]]"))),
        2 => prop::sample::select(vec!["\n  ", " ", "", "x", "<e/>", "<?pi a?>", "&#60;", "<f k='>'/>"])
            .prop_map(str::to_owned),
    ];
    let tree = leaf.prop_recursive(4, 24, 4, |inner| {
        let tag = prop::sample::select(vec![
            "a",
            "b xml:space=\"preserve\"",
            "c k='> it' l=\"&lt;\"",
            "d",
        ]);
        (tag, prop::collection::vec(inner, 0..5)).prop_map(|(tag, inner)| {
            let name = tag.split(' ').next().unwrap_or_default();
            format!("<{tag}>{}</{name}>", inner.concat())
        })
    });
    prop::collection::vec(tree, 1..5)
        .prop_map(|list| format!("<r><one/><two/>{}</r>", list.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_is_shown_is_well_formed_and_has_the_same_tags(text in any_document()) {
        let shortened = shortened(&XmlAdapter, &text);
        prop_assert!(shortened.reverted.is_empty(), "{}", text);
        if let Some(shown) = shortened.text {
            prop_assert!(shown.len() < text.len());
            prop_assert_eq!(tags(&shown), tags(&text));
            prop_assert!(pieces(&shown).is_some());
        }
    }

    #[test]
    fn any_text_may_come(text in "(<a>|</a>|<b/>|<!--|-->|&amp;|&|\\]\\]>|<!\\[CDATA\\[|[ -~\n]){0,60}") {
        let _ = shortened(&XmlAdapter, &format!("<doc><b/><c/>{text}</doc>"));
    }
}
