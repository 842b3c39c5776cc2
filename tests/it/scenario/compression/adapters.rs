//! K47, K76 to K88: formats whose prose shrinks, and whose structure stays.

use serde_json::{Value, json};

use super::{tools, user};
use crate::support::TestServer;
use crate::support::compress::{Compressed, request};

/// Prose of some sentences, one of which says what must not be done.
const NOTE: &str = "The parcels are packed in the hall behind the office on every working day of \
    the week. A driver picks them up in the afternoon and signs for each of them at the counter. \
    Nobody may open a sealed parcel before the storeKeeper has written down its number. Everybody \
    who has time helps with the labels, which is a rather pleasant thing to do. The hall is swept \
    in the evening, and the lamps are switched off by whoever leaves last.";
/// What of it stays in any case.
const CRITICAL: &str = "Nobody may open a sealed parcel before the storeKeeper has written down \
    its number.";

/// A tool's text at level `reversible`, with its decision's rule; it expands to what it was.
async fn shown(text: &str, adapters: Value) -> (String, String) {
    let server = TestServer::spawn().await;
    let mut messages = vec![user("What does it say?")];
    messages.extend(tools(&[text]));
    messages.push(user("And now?"));
    let messages: Vec<String> = messages.iter().map(Value::to_string).collect();
    let mut options = json!({"level": "reversible", "keep_recent_turns": 0, "explain": "full"});
    if !adapters.is_null() {
        options["adapters"] = adapters;
    }
    let shown: Compressed = server.compress(&request("messages", &messages, &options)).await;
    let back = server.expand_list("messages", &shown.messages).await;
    assert_eq!(back.messages, messages);
    assert!(back.identical(), "{}", back.answer);
    let text = shown.message(2)["content"].as_str().expect("a text").to_owned();
    let rule = shown.decisions()[2]["rule"].as_str().expect("a rule").to_owned();
    (text, rule)
}

/// What a shown text stands for, by its notations alone.
async fn decoded(text: &str) -> String {
    let body = json!({"text": text}).to_string();
    let back = TestServer::spawn().await.expand(&body).await;
    back.answer["text"].as_str().expect("a text").to_owned()
}

/// The events of a document that are no text: elements with their attributes, in order.
fn elements(xml: &str) -> Vec<String> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut found = Vec::new();
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{error} in {xml}")) {
            Event::Eof => return found,
            Event::Start(tag) | Event::Empty(tag) => {
                found.push(tag.as_ref().to_owned());
            }
            Event::End(tag) => found.push(format!("/{}", tag.as_ref())),
            _ => {}
        }
    }
}

#[tokio::test]
async fn sections_of_markdown_shrink_where_they_stand() {
    let text = format!(
        "# Parcels\n\n{NOTE}\n\n## Tables\n\n| hall | lamps |\n|---|---|\n| north | 4711 |\n\n{NOTE} \
         See [the plan](https://example.com/plan.html).\n\n## Commands\n\n```sh\nmake parcels\n```\n\n\
         - one short item\n- another short item\n"
    );
    let (shown, rule) = shown(&text, json!(["markdown"])).await;
    assert!(rule.starts_with("adapter:markdown"), "{rule}");
    assert!(shown.len() < text.len(), "{shown}");
    let places = ["# Parcels", CRITICAL, "## Tables", "| north | 4711 |", "## Commands"];
    let mut rest = shown.as_str();
    for place in places.into_iter().chain(["```sh\nmake parcels\n```", "- another short item"]) {
        rest = rest.split_once(place).unwrap_or_else(|| panic!("{place} in {shown}")).1;
    }
    assert!(shown.contains("https://example.com/plan.html"), "{shown}");
}

#[tokio::test]
async fn long_text_shrinks_inside_of_its_element() {
    let text =
        format!("<note><to>Dana</to><port>8080</port><body>{NOTE}</body><ok>true</ok></note>");
    let (shown, rule) = shown(&text, json!(["xml", "yaml"])).await;
    assert!(rule.starts_with("adapter:xml"), "{rule}");
    let shown = decoded(&shown).await;
    assert_eq!(elements(&shown), elements(&text));
    let body =
        shown.split_once("<body>").expect("a body").1.split_once("</body>").expect("its end").0;
    assert!(body.contains(CRITICAL) && body.len() < NOTE.len(), "{body}");
    assert!(shown.starts_with("<note><to>Dana</to><port>8080</port><body>"));
}

#[tokio::test]
async fn xml_stays_well_formed_whatever_stands_in_it() {
    let dashes = NOTE.replace(". ", " -- and so on -. ");
    for text in [
        format!("<doc><item><![CDATA[x > y && \"z\"]]></item><part>{NOTE}</part></doc>"),
        format!("<doc><item when=\"1 > 0\" than='x>y'>{NOTE}</item></doc>"),
        format!("<doc><item>{dashes}</item><part>1</part></doc>"),
        format!(
            "<doc><item>{}</item></doc>",
            NOTE.replace("Everybody", "All of R&amp;D &lt;and more&gt;")
        ),
    ] {
        let (shown, rule) = shown(&text, Value::Null).await;
        assert!(rule.starts_with("adapter:xml"), "{rule}: {text}");
        let shown = decoded(&shown).await;
        assert_eq!(elements(&shown), elements(&text), "{shown}");
        assert!(shown.len() < text.len(), "{shown}");
        for kept in ["<![CDATA[x > y && \"z\"]]>", "when=\"1 > 0\" than='x>y'", "<part>1</part>"] {
            assert_eq!(shown.contains(kept), text.contains(kept), "{shown}");
        }
    }
}

#[tokio::test]
async fn a_long_comment_is_shortened_and_stands_once() {
    let text = format!("<doc>\n  <!-- {NOTE} -->\n  <part>1</part>\n</doc>");
    let (shown, _) = shown(&text, Value::Null).await;
    let shown = decoded(&shown).await;
    assert_eq!(elements(&shown), elements(&text));
    assert_eq!(shown.matches("<!--").count(), 1, "{shown}");
    assert_eq!(shown.matches(CRITICAL).count(), 1, "{shown}");
    assert!(shown.len() < text.len() - 100, "{shown}");
}

/// The lines of YAML that begin with a key, up to the key's end.
fn keys(yaml: &str) -> Vec<&str> {
    let key = |line| str::split_once(line, ':').map(|(key, _)| key);
    yaml.lines()
        .filter_map(key)
        .filter(|key| key.trim().bytes().all(|byte| byte.is_ascii_lowercase()))
        .collect()
}

#[tokio::test]
async fn yaml_keeps_its_keys_and_what_is_no_prose() {
    let image = "registry.example.com/shop/api@sha256:\
        9f2c41d07be8a3556c1d90aa4b1e77c09f2c41d07be8a3556c1d90aa4b1e77c0";
    for text in [
        format!("spec:\n  shop:\n    image: {image}\n    note: \"{NOTE}\"\n    replicas: 2\n"),
        format!("name: lampshop\nimage: {image}\nreplicas: 2\ndescription: {NOTE}\n"),
        format!("owner: payments team\nsummary: {}\nimage: {image}\n", NOTE.replace(". ", ".\n  ")),
        format!("image: {image}\r\nnote: {NOTE}\r\nreplicas: 2\r\n"),
    ] {
        let (shown, rule) = shown(&text, json!(["yaml"])).await;
        assert!(rule.starts_with("adapter:yaml"), "{rule}: {text}");
        assert_eq!(keys(&shown), keys(&text), "{shown}");
        assert!(shown.contains(image) && shown.contains("storeKeeper"), "{shown}");
        for kept in ["owner: payments team", "replicas: 2", "name: lampshop"] {
            assert_eq!(shown.contains(kept), text.contains(kept), "{shown}");
        }
    }
}

#[tokio::test]
async fn yaml_scripts_anchors_and_documents_stay() {
    let script = "run: |\n  set -e\n  for file in *.txt; do\n    cp \"$file\" /srv/out\n  done\n";
    let flow =
        "flow: [alpha, beta, gamma, delta, epsilon, zeta, eta, theta, iota, kappa, lambda]\n";
    let text = format!(
        "base: &base\n  port: 8080\n{script}{flow}note: >\n  {}\n---\nuse: *base\nlast: true\n",
        NOTE.replace(". ", ".\n  ")
    );
    let (shown, rule) = shown(&text, Value::Null).await;
    assert!(rule.starts_with("adapter:"), "{rule}");
    for kept in ["base: &base\n  port: 8080\n", script, flow, "---\nuse: *base\nlast: true\n"] {
        assert!(shown.contains(kept), "{kept} in {shown}");
    }
    assert!(shown.len() < text.len(), "{shown}");
}

#[tokio::test]
async fn the_first_adapter_in_the_order_takes_a_text() {
    let text = format!("{NOTE}\n\n```sh\nmake parcels\n```\n\n{NOTE}\n");
    let (code, rule) = shown(&text, json!(["markdown", "code"])).await;
    assert!(rule.starts_with("adapter:code"), "{rule}");
    assert!(code.contains("```sh\nmake parcels\n```"), "{code}");
    let (none, rule) = shown(&text, json!([])).await;
    assert_eq!((none.as_str(), rule.as_str()), (text.as_str(), "kept"));
    let xml = format!("<doc><item>{NOTE}</item></doc>");
    let (_, rule) = shown(&xml, json!(["yaml"])).await;
    assert_eq!(rule, "kept");
}

#[tokio::test]
async fn an_adapter_that_saves_nothing_leaves_the_text() {
    let custom = json!([{"name": "loud", "detect": {"regex": "parcel"}, "keep": [{"regex": "parcel"}],
        "join": "{kept}\n[There was more, which is said at some length here: {summary}]"}]);
    let text = "one parcel number 4711 is here\nand a line a_b\none parcel number 4712 is here\n\
        and a line c_d\none parcel number 4713 is here\nand a line e_f";
    let (shown, rule) = shown(text, custom).await;
    assert_eq!(shown, text);
    assert_eq!(rule, "adapter_reverted:loud");
}

#[tokio::test]
async fn every_sentence_that_is_shown_stood_there_across_line_ends() {
    let wrapped = NOTE.replace("of the week", "of\nthe week").replace("seal", "\nseal");
    let (shown, rule) = shown(&wrapped, Value::Null).await;
    assert_eq!(rule, "adapter:prose");
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in shown.split("[…]").map(str::trim).filter(|part| !part.is_empty()) {
        assert!(part.ends_with('.'), "{part:?} in {shown}");
        assert!(plain(&wrapped).contains(&plain(part)), "{part:?} in {shown}");
    }
    assert!(plain(&shown).contains("Nobody may open a sealed parcel"), "{shown}");
}

#[tokio::test]
async fn every_format_stays_what_it_is() {
    let row = |n| format!("{n},lamp {n},in the north hall");
    let rows = (0..80).map(row).collect::<Vec<_>>().join("\n");
    let (csv, rule) = shown(&format!("id,name,place\n{rows}"), json!(["csv"])).await;
    assert!(rule.starts_with("adapter:csv"), "{rule}");
    let csv = decoded(&csv).await;
    assert!(csv.lines().all(|line| line.matches(',').count() == 2), "{csv}");
    let item = |n: usize| json!({"id": n, "note": NOTE, "ok": n != 41});
    let items: Vec<Value> = (0..60).map(item).collect();
    let text = serde_json::to_string_pretty(&items).expect("JSON");
    let (shown_json, rule) = shown(&text, json!(["json"])).await;
    assert!(rule.contains("json"), "{rule}");
    let back = decoded(&shown_json).await;
    let parsed: Vec<Value> = serde_json::from_str(&back).unwrap_or_else(|e| panic!("{e}: {back}"));
    assert_eq!((&parsed[0]["id"], &parsed[0]["ok"]), (&json!(0), &json!(true)));
    let before = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n";
    let line = |n| format!(" let context_{n} = {n};");
    let context = (0..12).map(line).collect::<Vec<_>>().join("\n") + "\n";
    let hunk = format!("@@ -1,26 +1,26 @@\n{context}-let old = 1;\n+let new = 2;\n{context}");
    let diff = format!("{before}{hunk}");
    let (shown, rule) = shown(&diff, json!(["diff"])).await;
    assert!(rule.starts_with("adapter:diff"), "{rule}");
    let changes = |text: &str| -> Vec<String> {
        let is_change = |line: &&str| line.starts_with('+') || line.starts_with('-');
        text.lines().filter(is_change).map(str::to_owned).collect()
    };
    assert_eq!(changes(&shown), changes(&diff));
}
