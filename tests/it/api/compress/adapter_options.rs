//! What a request says of its adapters: which, how much they leave, who shortens their prose, and
//! that nothing is cleared with it.

#![expect(clippy::format_collect, reason = "the lines of a text are written where it is made")]

use serde_json::{Value, json};

use super::with;
use crate::scenario::summarizer::{chat, server as summarizing};
use crate::support::TestServer;
use crate::support::compress::{Compressed, request};
use crate::support::receiver::{Mode, Receiver};

fn prose(number: usize) -> String {
    let said = [
        "The boiler in the cellar is lit before sunrise by whoever has the early shift.",
        "It takes about half an hour until the water is warm enough for the kitchen.",
        "The bread comes from the bakery in the next village, by bicycle in summer.",
        "Whoever sweeps the yard in the evening also feeds the hens and closes the gate.",
        "On Sundays the table is laid in the garden as long as the weather allows it.",
        "The keys of the workshop hang beside the door on the left.",
        "In winter the windows are covered with cloth from the old theatre.",
        "Letters are read aloud after supper, and answered on the next morning.",
    ];
    let sentences =
        (0..16).map(|at| said[(at + number) % 8].replace("The", &format!("The {at}th")));
    sentences.collect::<Vec<_>>().join(" ")
}

/// Results of one tool, with a word of the model's before each.
fn results(texts: &[String]) -> Vec<String> {
    let mut messages = vec![json!({"role": "user", "content": "Look."}).to_string()];
    for (at, text) in texts.iter().enumerate() {
        let id = format!("c{at}");
        let call = json!([{"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}}]);
        messages
            .push(json!({"role": "assistant", "content": null, "tool_calls": call}).to_string());
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}).to_string());
    }
    messages.push(json!({"role": "user", "content": "And now?"}).to_string());
    messages
}

fn codes(shown: &Compressed, list: &str) -> Vec<String> {
    let notes = shown.report()[list].as_array().unwrap();
    notes.iter().map(|note| note["code"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn adapters_at_a_level_without_them_are_warned_of() {
    let server = TestServer::spawn().await;
    let text = prose(0);
    for (options, warns) in [
        (json!({"adapters": ["prose"]}), true),
        (json!({"adapters": ["prose"], "level": "lossless"}), true),
        (json!({"adapters": [{"name": "prose", "ratio": 0.3}]}), true),
        (json!({"adapters": ["prose"], "level": "reversible"}), false),
        (json!({"adapters": ["prose"], "budget_tokens": 90}), false),
        (json!({"adapters": []}), false),
        (json!({}), false),
    ] {
        let body = with(json!({"text": text}), &options);
        let shown = server.compress(&body.to_string()).await;
        assert_eq!(
            codes(&shown, "warnings").contains(&"adapters_unused".to_owned()),
            warns,
            "{options}"
        );
        if warns {
            assert_eq!(shown.report()["warnings"][0]["pointer"], "/adapters");
            assert_eq!(shown.text(), text);
        }
    }
    let messages = json!([{"role": "user", "content": "hi"}]);
    for (compression, warns) in [
        (json!({"adapters": ["log"], "level": "lossless"}), true),
        (json!({"adapters": ["log"], "level": "off"}), true),
        (json!({"adapters": ["log"], "level": "lossless", "on_arrival": "reversible"}), false),
        (json!({"adapters": ["log"]}), false),
    ] {
        let body = json!({"messages": messages, "compression": compression});
        let compiled = server.compile(&body).await;
        let warned = compiled.codes("warnings").contains(&"adapters_unused");
        assert_eq!(warned, warns, "{compression}");
    }
}

#[tokio::test]
async fn named_adapters_shorten_and_nothing_is_cleared_unless_that_is_asked_for() {
    let server = TestServer::spawn().await;
    let texts: Vec<String> = (0..6).map(prose).collect();
    let messages = results(&texts);
    let base = json!({"level": "reversible", "keep_recent_turns": 0, "explain": "full"});
    for (more, cleared) in [
        (json!({}), 3),
        (json!({"clear": {"keep": 1}}), 5),
        (json!({"clear": false}), 0),
        (json!({"clear": {"keep": "all"}}), 0),
        (json!({"adapters": ["prose"]}), 0),
        (json!({"adapters": ["prose"], "clear": {}}), 3),
        (json!({"adapters": ["prose"], "clear": {"keep": 0}}), 6),
    ] {
        let options = with(base.clone(), &more);
        let shown = server.compress(&request("messages", &messages, &options)).await;
        let actions = shown.decisions().iter().filter(|own| own["action"] == "cleared").count();
        assert_eq!(actions, cleared, "{more}");
        if more.get("adapters").is_some() && cleared == 0 {
            let shortened = shown.decisions().iter().filter(|own| own["rule"] == "adapter:prose");
            assert_eq!(shortened.count(), 6, "{more}");
        }
        let back = server.expand_list("messages", &shown.messages).await;
        assert_eq!(back.messages, messages, "{more}");
    }
    let faulty = json!({"messages": [], "clear": {"keep": "some"}});
    let problem = server.post_json("/compress", 422, &faulty).await;
    assert_eq!(problem["errors"][0]["pointer"], "/clear/keep");
}

#[tokio::test]
async fn a_compile_and_the_defaults_of_a_session_can_clear_nothing() {
    let server = TestServer::spawn().await;
    let texts: Vec<String> = (0..6).map(prose).collect();
    let messages: Vec<Value> =
        results(&texts).iter().map(|own| serde_json::from_str(own).unwrap()).collect();
    let compression = |more: &Value| {
        with(
            json!({"level": "reversible", "keep_recent_turns": 1, "trigger": 0.05, "compress_to": 0.04}),
            more,
        )
    };
    let body = |more: &Value| {
        json!({"messages": messages, "target": "openai", "budget": {"context_window": 6000, "reserve_output": 500},
            "compression": compression(more)})
    };
    let cleared = |text: &str| text.matches("content cleared").count();
    let usual = server.compile(&body(&json!({}))).await;
    assert!(cleared(&usual.text) > 0, "{}", usual.text);
    for more in
        [json!({"clear": false}), json!({"clear": {"keep": "all"}}), json!({"adapters": ["prose"]})]
    {
        let compiled = server.compile(&body(&more)).await;
        assert_eq!(cleared(&compiled.text), 0, "{more}");
        assert!(compiled.text.contains("[…]"), "{more}");
    }
    let asked = server.compile(&body(&json!({"adapters": ["prose"], "clear": {"keep": 0}}))).await;
    assert!(cleared(&asked.text) > 0);
}

#[tokio::test]
async fn an_adapter_leaves_as_much_as_it_is_told_to() {
    let server = TestServer::spawn().await;
    let yaml = format!("name: shop\nport: 8080\ntext: {}\nmore: {}\n", prose(1), prose(2));
    let log: String = (0..300)
        .map(|at| {
            format!(
                "2026-03-01T10:{:02}:{:02}Z INFO worker_{} took job_{} of {}\n",
                at / 60,
                at % 60,
                at * 7 % 31,
                at * at * 13 % 997,
                at * 37 % 101
            )
        })
        .collect();
    let list: Vec<Value> = (0..200)
        .map(|at| json!({"id": at * at * 31 % 9973, "name": format!("item {}", at * 7 % 101), "to": at * 13 % 37}))
        .collect();
    for (adapter, text) in
        [("yaml", yaml), ("prose", prose(3)), ("log", log), ("json", json!(list).to_string())]
    {
        let mut before = 0;
        for milli in [50, 300, 600, 900] {
            let ratio = f64::from(u32::try_from(milli).unwrap()) / 1000.0;
            let body = json!({"text": text, "level": "reversible",
                "adapters": [{"name": adapter, "ratio": ratio}]});
            let shown = server.compress(&body.to_string()).await;
            let share = shown.text().len() * 1000 / text.len();
            assert!(shown.text().len() >= before, "{adapter} {ratio}: {share}");
            before = shown.text().len();
            if adapter != "json" && adapter != "log" {
                let most = milli + 120;
                assert!(share <= most, "{adapter} {ratio}: {share}");
            }
        }
        let usual = json!({"text": text, "level": "reversible", "adapters": [{"name": adapter}]});
        let faults = server.post_json("/compress", 422, &usual).await;
        assert_eq!(faults["errors"][0]["pointer"], "/adapters/0/detect");
    }
    let wrong =
        json!({"text": "a", "level": "reversible", "adapters": [{"name": "yaml", "ratio": 0.95}]});
    let problem = server.post_json("/compress", 422, &wrong).await;
    assert_eq!(problem["errors"][0]["pointer"], "/adapters/0/ratio");
}

#[tokio::test]
async fn a_model_shortens_prose_if_it_is_asked_for() {
    let model =
        Receiver::script(|_| Mode::Answer(chat("<summary>Short and good.</summary>"))).await;
    let server = summarizing(&model, &[]).await;
    let xml = format!("<doc><a>1</a><b>{}</b></doc>", prose(1));
    for (adapter, text, shown_as) in [
        ("xml", xml.clone(), "<doc><a>1</a><b>Short and good.</b></doc>".to_owned()),
        ("prose", prose(2), "Short and good.".to_owned()),
        (
            "yaml",
            format!("a: 1\nb: 2\nc: {}\n", prose(3)),
            "a: 1\nb: 2\nc: Short and good.\n".to_owned(),
        ),
        (
            "json",
            json!({"a": 1, "b": prose(4)}).to_string(),
            json!({"a": 1, "b": "Short and good."}).to_string(),
        ),
    ] {
        let before = model.bodies().len();
        let body = json!({"text": text, "level": "reversible", "explain": "full",
            "adapters": [{"name": adapter, "summarizer": true}]});
        let shown = server.compress(&body.to_string()).await;
        assert_eq!(shown.text(), shown_as);
        assert_eq!(model.bodies().len(), before + 1, "{adapter}");
        // What was written is kept: the same text is not asked about again.
        let again = server.compress(&body.to_string()).await;
        assert_eq!((again.text(), model.bodies().len()), (shown_as.as_str(), before + 1));
        let back = server.expand(&json!({"id": shown.id()}).to_string()).await;
        assert_eq!(back.answer["text"], text.as_str());
    }
    let asked = model.bodies();
    let prompt = asked[0].to_string();
    assert!(prompt.contains("in fewer words") && !prompt.contains("hand-over"), "{prompt}");
    // Results in a list, and in a compile.
    let texts: Vec<String> = (5..8).map(prose).collect();
    let messages = results(&texts);
    let options = json!({"level": "reversible", "keep_recent_turns": 0,
        "adapters": [{"name": "prose", "summarizer": true}]});
    let shown = server.compress(&request("messages", &messages, &options)).await;
    for at in [2, 4, 6] {
        assert_eq!(shown.message(at)["content"], "Short and good.");
    }
    let messages: Vec<Value> =
        messages.iter().map(|own| serde_json::from_str(own).unwrap()).collect();
    let body = json!({"messages": messages, "target": "openai",
        "budget": {"context_window": 6000, "reserve_output": 500},
        "compression": {"level": "reversible", "keep_recent_turns": 1, "trigger": 0.05, "compress_to": 0.04,
            "adapters": [{"name": "prose", "summarizer": true}]}});
    let compiled = server.compile(&body).await;
    assert!(compiled.text.contains("Short and good."), "{}", compiled.text);
    // Nobody is asked unless a request says so.
    let before = model.bodies().len();
    let plain = json!({"text": xml, "level": "reversible", "adapters": ["xml"]});
    assert!(server.compress(&plain.to_string()).await.text().contains("[…]"));
    assert_eq!(model.bodies().len(), before);
}

#[tokio::test]
async fn prose_keeps_its_sentences_where_nobody_shortens_it() {
    let server = TestServer::spawn().await;
    let text = prose(1);
    let body = json!({"text": text, "level": "reversible", "adapters": [{"name": "prose", "summarizer": true}]});
    let shown = server.compress(&body.to_string()).await;
    assert_eq!(codes(&shown, "warnings"), ["summarizer_missing"]);
    let plain = json!({"text": text, "level": "reversible", "adapters": ["prose"]});
    let plain = server.compress(&plain.to_string()).await;
    assert_eq!(shown.text(), plain.text());
    let failing = Receiver::spawn(Mode::Status(400, String::new(), "no".to_owned())).await;
    let server = summarizing(&failing, &[]).await;
    let shown = server.compress(&body.to_string()).await;
    assert_eq!(codes(&shown, "degraded"), ["summarizer_failed"]);
    assert_eq!(shown.text(), plain.text());
}

#[tokio::test]
async fn a_hook_shortens_prose_if_it_is_asked_for() {
    let answer = json!({"content": "Short and good."}).to_string();
    let receiver = Receiver::spawn(Mode::Answer(answer)).await;
    let server = TestServer::dev().await;
    server
        .register(
            &json!({"id": "short", "point": "summarize", "kind": "provide", "url": receiver.url()}),
        )
        .await;
    let body = json!({"text": prose(1), "level": "reversible",
        "adapters": [{"name": "prose", "summarizer": true, "ratio": 0.2}]});
    let shown = server.compress(&body.to_string()).await;
    assert_eq!(shown.text(), "Short and good.");
    let asked = &receiver.bodies()[0];
    let input = &asked["input"];
    assert!(input["instructions"].as_str().unwrap().contains("fewer words"), "{input}");
    assert!(input["messages"].to_string().contains("The 1th bread"), "{input}");
}

#[tokio::test]
async fn a_summary_in_brackets_is_one_line() {
    let server = TestServer::spawn().await;
    let words = ["lamp", "chair", "table", "clock", "mirror"];
    let text: String = std::iter::once("id,item,note\n".to_owned())
        .chain((1..80).map(|at| {
            format!("{at},{} {},sent on day {}\n", words[at * 5 % 5], at * 37 % 101, at * 13 % 28)
        }))
        .collect();
    for join in ["{kept}\n[{summary}]", "{kept}\nsome of it: {summary}", "({summary}) of\n{kept}"] {
        let adapter = json!({"name": "ledger", "detect": {"line_matches": {"1": "^id,"}},
            "keep": [{"lines": "1"}], "join": join});
        let body = json!({"text": text, "level": "reversible", "adapters": [adapter]});
        let shown = server.compress(&body.to_string()).await;
        assert_eq!(shown.text().lines().count(), 2, "{}", shown.text());
    }
}
