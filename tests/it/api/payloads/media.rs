//! Images, sounds and files in every form that programs give them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{JPEG, PNG, large_png, valid};
use crate::support::compile::{compile, user};

const TARGETS: [&str; 4] = ["openai", "openai_responses", "anthropic", "gemini"];

fn shown(part: &Value) -> Value {
    json!({"messages": [{"role": "user", "content": [part, {"type": "text", "text": "what?"}]}]})
}

fn base64(media_type: &str, data: &str) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
}

/// The source of the first part of an Anthropic payload.
async fn source(part: &Value) -> Value {
    valid("anthropic", shown(part)).await.list()[0]["content"][0]["source"].clone()
}

#[tokio::test]
async fn base64_is_read_in_every_form() {
    let broken = format!("{}\r\n {}", &PNG[..20], &PNG[20..]);
    let url = |url: &str| json!({"type": "image_url", "image_url": {"url": url}});
    for part in [
        url(PNG),
        url(&format!("data:image/png;base64,{PNG}")),
        url(&format!("data:image/png;name=a.png;charset=utf-8;base64,{broken}")),
        url(&format!("data:image/png;base64,{}", PNG.trim_end_matches('='))),
        url(&format!("data:image/png;base64,{}", PNG.replace('+', "-").replace('/', "_"))),
        base64("image/png", &broken),
        json!({"type": "input_image", "image_url": PNG}),
        json!({"type": "image", "image": PNG}),
        json!({"type": "image", "data": broken, "mimeType": "image/png"}),
        json!({"type": "file", "data": PNG, "mediaType": "image/png"}),
    ] {
        let source = source(&part).await;
        assert_eq!(
            (&source["data"], &source["media_type"]),
            (&json!(PNG), &json!("image/png")),
            "{part}"
        );
        for target in TARGETS {
            let compiled = valid(target, shown(&part)).await;
            assert!(compiled.text.contains(PNG), "{target} {part}");
            assert!(compiled.report["parts"]["media"].as_u64().unwrap() >= 1_000);
        }
    }
    let contents = json!([{"role": "user", "parts": [
        {"inlineData": {"mimeType": "image/png", "data": broken}}]}]);
    let compiled = valid("gemini", json!({"contents": contents})).await;
    assert_eq!(compiled.list()[0]["parts"][0]["inlineData"]["data"], PNG);
}

#[tokio::test]
async fn an_address_stays_an_address_and_text_stays_text() {
    let path = json!({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}});
    assert_eq!(source(&path).await, json!({"type": "url", "url": "https://example.com/a.png"}));
    let text =
        json!({"type": "file", "file": {"file_data": "data:text/plain;charset=utf-8,a%20note"}});
    assert_eq!(source(&text).await["data"], "a note");
}

#[tokio::test]
async fn the_declared_type_is_that_of_the_bytes() {
    for (declared, data, found, is_told) in [
        ("image/png", JPEG, "image/jpeg", true),
        ("image/jpeg", PNG, "image/png", true),
        ("image/jpg", JPEG, "image/jpeg", false),
        ("image/jpg", PNG, "image/png", true),
        ("image/*", PNG, "image/png", false),
    ] {
        for target in TARGETS {
            let compiled = valid(target, shown(&base64(declared, data))).await;
            assert!(compiled.text.contains(found), "{target} {declared}: {}", compiled.text);
            let told = compiled.codes("repairs").contains(&"media_type_corrected");
            assert_eq!(told, is_told, "{target} {declared}");
        }
    }
}

#[tokio::test]
async fn a_file_without_a_name_gets_one_where_it_is_required() {
    let pdf = json!({"type": "document", "source":
        {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK"}});
    let compiled = valid("openai", shown(&pdf)).await;
    assert_eq!(compiled.list()[0]["content"][0]["file"]["filename"], "document.pdf");
    assert_eq!(compiled.codes("repairs"), ["file_named"]);
    let compiled = valid("openai_responses", shown(&pdf)).await;
    assert_eq!(compiled.list()[0]["content"][0]["filename"], "document.pdf");
    assert!(valid("anthropic", shown(&pdf)).await.codes("repairs").is_empty());
    let mut named = pdf;
    named["title"] = json!("plan.pdf");
    assert!(valid("openai", shown(&named)).await.codes("repairs").is_empty());
}

#[tokio::test]
async fn images_that_a_target_refuses_are_text_or_told_of() {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>A chart</title></svg>";
    let inline = json!({"type": "image_url", "image_url": {"url": format!("data:image/svg+xml;utf8,{svg}")}});
    let encoded = STANDARD.encode(svg);
    for part in [inline, base64("image/svg+xml", &encoded), base64("image/png", &encoded)] {
        for target in TARGETS {
            let compiled = valid(target, shown(&part)).await;
            assert!(compiled.text.contains("A chart"), "{target}: {}", compiled.text);
            assert!(compiled.codes("degraded").contains(&"media_as_text"));
        }
    }
    let tiff = base64("image/tiff", "SUkqAAgAAAA=");
    for target in TARGETS {
        let compiled = valid(target, shown(&tiff)).await;
        assert!(compiled.text.contains("[image]"), "{target}");
        assert!(compiled.codes("degraded").contains(&"media_as_text"));
    }
}

#[tokio::test]
async fn the_media_of_a_function_response_are_media_and_stay_inside() {
    let data = large_png();
    let contents = json!([{"role": "user", "parts": [{"text": "shot"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "shot", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "shot",
            "response": {"image": {"$ref": "a.png"}}, "parts": [
                {"inlineData": {"mimeType": "image/png", "data": data, "displayName": "a.png"}}]}}]}]);
    let request = json!({"contents": contents, "budget": {"context_window": 4_000}});
    let compiled = valid("gemini", request.clone()).await;
    assert_eq!(compiled.list()[2], contents[2]);
    assert!((1_000..1_500).contains(&compiled.report["parts"]["media"].as_u64().unwrap()));
    for target in ["openai", "openai_responses", "anthropic"] {
        let compiled = valid(target, request.clone()).await;
        assert!(compiled.text.contains(&data), "{target}");
    }
}

#[tokio::test]
async fn a_screenshot_in_a_result_stands_behind_the_results_in_chat_completions() {
    let shot = json!([{"type": "text", "text": "done"}, base64("image/png", PNG)]);
    let calls = json!([{"type": "tool_use", "id": "a", "name": "f", "input": {}},
        {"type": "tool_use", "id": "b", "name": "f", "input": {}}]);
    let messages = json!([user("q"), {"role": "assistant", "content": calls},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": shot},
            {"type": "tool_result", "tool_use_id": "b", "content": "two"}]}]);
    let compiled = valid("openai", json!({"messages": messages})).await;
    assert_eq!(compiled.roles(), ["user", "assistant", "tool", "tool", "user"]);
    let url = format!("data:image/png;base64,{PNG}");
    assert_eq!(compiled.list()[4]["content"][0]["image_url"]["url"], url);
    assert_eq!(compiled.codes("degraded"), ["media_behind_results"]);
    for target in ["openai_responses", "anthropic", "gemini"] {
        let compiled = valid(target, json!({"messages": messages})).await;
        assert!(compiled.text.contains(PNG), "{target}");
        assert!(!compiled.codes("degraded").contains(&"media_behind_results"));
    }
}

#[tokio::test]
async fn images_that_a_model_made_are_media() {
    let url = format!("data:image/png;base64,{}", large_png());
    let image = json!({"type": "image_url", "image_url": {"url": url}});
    let messages = json!([user("draw"),
        {"role": "assistant", "content": "Here.", "images": [image]}, user("bluer")]);
    let compiled = valid("openai", json!({"messages": messages})).await;
    assert_eq!(compiled.list()[1], messages[1]);
    for target in TARGETS {
        let compiled = valid(target, json!({"messages": messages})).await;
        assert!(compiled.number("tokens_after") < 2_000, "{target}");
    }
    let gemini = valid("gemini", json!({"messages": messages})).await;
    assert_eq!(gemini.list()[1]["parts"][1]["inlineData"]["mimeType"], "image/png");
    let file = json!([user("q"), {"role": "assistant", "content": [
        {"type": "reasoning-file", "mediaType": "image/png", "data": large_png()},
        {"type": "text", "text": "a"}]}, user("r")]);
    for target in TARGETS {
        assert!(
            valid(target, json!({"messages": file})).await.number("tokens_after") < 2_000,
            "{target}"
        );
    }
}

#[tokio::test]
async fn encrypted_reasoning_is_an_estimate() {
    let sealed = large_png();
    let bytes = sealed.len() as u64 * 3 / 4;
    let estimate = (bytes - 650).div_ceil(4);
    let input = json!([{"role": "user", "content": "q"},
        {"type": "reasoning", "id": "rs_a", "summary": [], "encrypted_content": sealed},
        {"type": "message", "role": "assistant", "content": "a"}, {"role": "user", "content": "r"}]);
    let request = json!({"input": input, "target": "openai_responses", "model": "gpt-5"});
    let compiled = compile(&request).await;
    assert_eq!(compiled.report["exact"], false);
    let tokens = compiled.number("tokens_after");
    assert!((estimate..estimate + 60).contains(&tokens), "{tokens}, not {estimate}");
    let mut plain = request;
    plain["input"][1].as_object_mut().unwrap().remove("encrypted_content");
    let compiled = compile(&plain).await;
    assert_eq!(compiled.report["exact"], true);
    for block in [
        json!({"type": "redacted_thinking", "data": sealed}),
        json!({"type": "thinking", "thinking": "", "signature": sealed}),
    ] {
        let messages = json!([user("q"),
            {"role": "assistant", "content": [block, {"type": "text", "text": "a"}]}, user("r")]);
        let compiled = compile(&json!({"messages": messages, "target": "anthropic"})).await;
        let tokens = compiled.number("tokens_after") * 1_000 / 1_600;
        assert!((estimate..estimate + 60).contains(&tokens), "{tokens}, not {estimate}");
    }
}

/// A PDF whose text takes few bytes, but whose pages are many.
#[tokio::test]
async fn a_pdf_is_counted_by_its_pages() {
    use base64::Engine as _;
    let pages = (0..100)
        .map(|at| format!("{at} 0 obj<</Type /Page /Parent 1 0 R>>\n"))
        .collect::<Vec<_>>()
        .concat();
    let data = base64::engine::general_purpose::STANDARD.encode(format!("%PDF-1.4\n{pages}"));
    let file = json!({"type": "file", "file": {"filename": "a.pdf",
        "file_data": format!("data:application/pdf;base64,{data}")}});
    let list = json!([{"role": "user", "content": [file]}]);
    for (target, model, tokens) in [
        ("anthropic", "claude-opus-4-6", 180_000),
        ("openai", "gpt-5", 150_000),
        ("gemini", "gemini-2.5-pro", 25_800),
    ] {
        let done = valid(target, json!({"messages": list, "model": model})).await;
        let media = done.report["parts"]["media"].as_u64().unwrap();
        assert!(media >= tokens && media <= tokens * 12 / 10, "{target}: {media}");
    }
}
