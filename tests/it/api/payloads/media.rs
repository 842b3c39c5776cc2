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

#[tokio::test]
async fn what_is_no_base64_is_a_line_of_text() {
    for data in
        ["<base64 omitted>", "iVBORw0KGgo…", "[object Object]", "iVBORw0KGgoAAAANSUhEUgAAA", "===="]
    {
        for part in [
            base64("image/png", data),
            json!({"type": "image", "data": data, "mimeType": "image/png"}),
            json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{data}")}}),
            json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}),
        ] {
            for target in TARGETS {
                let done = valid(target, shown(&part)).await;
                assert!(
                    done.text.contains("[image] missing or cut off"),
                    "{target} {part}: {}",
                    done.text
                );
                assert_eq!(done.codes("degraded"), ["media_as_text"], "{target} {part}");
            }
        }
    }
}

#[tokio::test]
async fn gemini_gets_addresses_that_it_can_reach_alone() {
    for (url, reachable) in [
        ("https://a.example/b.png", true),
        ("gs://bucket/b.png", true),
        ("file:///home/me/b.png", false),
        ("/home/me/b.png", false),
        ("blob:https://a.example/7f3c", false),
        ("C:\\shots\\b.png", false),
    ] {
        let part = json!({"type": "image_url", "image_url": {"url": url}});
        let done = valid("gemini", shown(&part)).await;
        let first = &done.list()[0]["parts"][0];
        if reachable {
            assert_eq!(first["fileData"]["fileUri"], url);
        } else {
            assert_eq!(first["text"], format!("[image] {url}"));
            assert_eq!(done.codes("degraded"), ["media_as_text"], "{url}");
        }
    }
    let own = json!([{"role": "user", "parts": [
        {"fileData": {"mimeType": "image/png", "fileUri": "files/abc"}}, {"text": "what?"}]}]);
    let done = compile(&json!({"contents": own, "target": "gemini"})).await;
    assert_eq!(done.list(), own.as_array().unwrap());
}

#[tokio::test]
async fn langchain_s_blocks_are_media_in_both_of_their_forms() {
    let url = "https://a.example/b.png";
    for (block, data) in [
        (json!({"type": "image", "source_type": "url", "url": url}), url),
        (json!({"type": "image", "url": url}), url),
        (json!({"type": "image", "base64": PNG, "mime_type": "image/png"}), PNG),
        (
            json!({"type": "image", "source_type": "base64", "mime_type": "image/png", "data": PNG,
            "metadata": {"a": 1}}),
            PNG,
        ),
        (json!({"type": "image", "data": PNG, "mime_type": "image/png"}), PNG),
    ] {
        for target in TARGETS {
            let done = valid(target, shown(&block)).await;
            assert!(done.text.contains(data), "{target} {block}: {}", done.text);
            for member in ["source_type", "mime_type", "metadata", "base64\":\"iV"] {
                assert!(!done.text.contains(member), "{target} {block}: {}", done.text);
            }
            assert!(done.report["parts"]["media"].as_u64().unwrap() >= 1_000, "{target} {block}");
        }
    }
    let pdf = STANDARD.encode("%PDF-1.4 x");
    let block = json!({"type": "file", "source_type": "base64", "mime_type": "application/pdf",
        "data": pdf, "filename": "a.pdf"});
    let done = valid("openai", shown(&block)).await;
    let file = json!({"type": "file", "file": {"filename": "a.pdf",
        "file_data": format!("data:application/pdf;base64,{pdf}")}});
    assert_eq!(done.list()[0]["content"][0], file);
}

#[tokio::test]
async fn files_that_a_target_refuses_are_text_or_a_note() {
    let file = |name: &str, kind: &str, text: &str| {
        json!({"type": "file", "file": {"filename": name,
            "file_data": format!("data:{kind};base64,{}", STANDARD.encode(text))}})
    };
    let word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    for (part, target, text) in [
        (file("a.md", "text/markdown", "# Title"), "openai", "[document: a.md]\n# Title"),
        (file("a.csv", "text/csv", "a,b\n1,2"), "openai", "[document: a.csv]\na,b\n1,2"),
        (file("a.docx", word, "PK\u{3}\u{4}"), "openai", "[document: a.docx]"),
        (file("a.docx", word, "PK\u{3}\u{4}"), "gemini", "[document: a.docx]"),
    ] {
        let done = valid(target, shown(&part)).await;
        let content = &done.list()[0][if target == "gemini" { "parts" } else { "content" }];
        assert_eq!(content[0]["text"], text, "{target}: {}", done.text);
        assert_eq!(done.codes("degraded"), ["media_as_text"], "{target}");
    }
    for (part, target) in [
        (file("a.pdf", "application/pdf", "%PDF-1.4"), "openai"),
        (file("a.docx", word, "PK\u{3}\u{4}"), "openai_responses"),
        (file("a.csv", "text/csv", "a,b"), "gemini"),
    ] {
        let done = valid(target, shown(&part)).await;
        assert!(!done.codes("degraded").contains(&"media_as_text"), "{target}: {}", done.text);
    }
}

/// Videos as servers of other models take them: <https://openrouter.ai/docs/features/multimodal/videos>.
#[tokio::test]
async fn a_video_goes_where_it_can_be_seen() {
    let part = json!({"type": "video_url", "video_url": {"url": "https://x.test/v.mp4"}});
    let messages = json!([{"role": "user", "content": [part, {"type": "text", "text": "look"}]}]);
    let done = valid("gemini", json!({"messages": messages})).await;
    let file = json!({"mimeType": "video/mp4", "fileUri": "https://x.test/v.mp4"});
    assert_eq!(done.list()[0]["parts"][0]["fileData"], file);
    for target in ["anthropic", "openai_responses"] {
        let done = valid(target, json!({"messages": messages})).await;
        assert!(done.said(0).contains("[video]"), "{}", done.text);
        assert_eq!(done.codes("degraded"), ["media_as_text"]);
    }
    let own = json!({"messages": messages, "model": "gpt-5.1"});
    assert!(valid("openai", own).await.said(0).contains("[video]"));
    let other = json!({"messages": messages, "model": "qwen3-vl-plus", "target": "openai"});
    let done = compile(&other).await;
    assert_eq!(done.list()[0]["content"][0], part);
    assert!(done.codes("degraded").is_empty());
}

#[tokio::test]
async fn a_failed_result_of_anthropic_s_is_text_alone() {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}});
    let result = |id: &str, content: Value, is_error: bool| json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error});
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "f", "input": {}});
    let messages = json!([user("go"), {"role": "assistant", "content": [call("a"), call("b"), call("c")]},
        {"role": "user", "content": [
            result("a", json!([{"type": "text", "text": "no"}, image]), true),
            result("b", json!([image]), false),
            result("c", json!([{"type": "tool_reference", "tool_name": "f"}]), true)]}]);
    let done = valid(
        "anthropic",
        json!({"messages": messages, "source": "anthropic",
        "tools": [{"name": "f", "input_schema": {"type": "object"}}]}),
    )
    .await;
    let blocks = done.list().last().unwrap()["content"].as_array().unwrap().clone();
    let failed = blocks[0]["content"].to_string();
    assert!(failed.contains("no") && !failed.contains(PNG), "{failed}");
    assert_eq!(blocks[1]["content"][0]["type"], "image");
    assert!(!blocks[2]["content"].to_string().contains("\"tool_reference\""), "{}", blocks[2]);
    assert_eq!(blocks.last().unwrap()["type"], "image");
    assert!(done.codes("degraded").contains(&"media_behind_results"));
}

/// <https://ai.google.dev/gemini-api/docs/function-calling>
#[tokio::test]
async fn responses_have_media_inside_from_gemini_3_on() {
    let contents = json!([{"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s"}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"ok": 1},
            "parts": [{"inlineData": {"mimeType": "image/png", "data": PNG}}]}}]}]);
    for (model, is_inside) in [("gemini-2.5-flash", false), ("gemini-3-flash", true)] {
        let done = valid("gemini", json!({"model": model, "contents": contents})).await;
        let text = done.list()[2].to_string();
        assert_eq!(text.contains(PNG), is_inside, "{model}: {text}");
        assert!(done.text.contains(PNG), "{model}");
        let is_told = done.codes("degraded").contains(&"media_behind_results");
        assert_eq!(is_told, !is_inside, "{model}");
    }
}
