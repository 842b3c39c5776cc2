use super::*;
use crate::domain::CacheTtl;

#[test]
fn i04_results_come_before_what_else_a_user_says() {
    let (read, notes) = good(
        r#"{"system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral","ttl":"1h"}}],
            "messages":[{"role":"assistant","content":[
                {"type":"tool_use","id":"t","name":"f","input":{ "a" : 1.0 }}]},
            {"role":"user","content":[{"type":"text","text":"after"},
                {"type":"tool_result","tool_use_id":"t","is_error":true,"content":[
                    {"type":"text","text":"r1"},
                    {"type":"image","source":{"type":"base64","media_type":"image/png","data":"QQ"}},
                    {"type":"search_result","x":1}]}]}]}"#,
    );
    assert_eq!(notes, Notes::default());
    assert_eq!(read.system[0].parts[0].cache.unwrap().ttl, Some(CacheTtl::OneHour));
    assert_eq!(&*call(&read.history[0].parts[0]).arguments, "{ \"a\" : 1.0 }");
    assert_eq!(roles(&read.history), [Role::Assistant, Role::Tool, Role::User]);
    let result = result(&read.history[1]);
    assert_eq!((&*result.call_id, result.is_error), ("t", Some(true)));
    assert_eq!(texts(&result.content), ["r1"]);
    assert_eq!(&*media(&result.content[1]).media_type, "image/png");
    assert_eq!(opaque(&result.content[2]).0, "search_result");
    assert_eq!(texts(&read.history[2].parts), ["after"]);
    assert_eq!(read.history[2].origin, Some(1));
}

#[test]
fn i05_every_thinking_block_is_kept() {
    let (read, _) = good(
        r#"{"messages":[{"role":"assistant","content":[
            {"type":"thinking","thinking":"one","signature":"S1"},
            {"type":"redacted_thinking", "data":"D"},
            {"type":"thinking","thinking":"two","signature":"S2"},
            {"type":"text","text":"t","citations":[{"a":1}]},
            {"type":"server_tool_use","id":"s", "name":"web_search","input":{}}]},
            {"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://i"}}]}]}"#,
    );
    let parts = &read.history[0].parts;
    assert_eq!((&*thinking(&parts[0]).text, parts[0].signature.as_deref()), ("one", Some("S1")));
    let raw = thinking(&parts[1]).opaque.as_ref().unwrap();
    assert_eq!(raw.as_str(), r#"{"type":"redacted_thinking", "data":"D"}"#);
    assert_eq!(parts[2].signature.as_deref(), Some("S2"));
    assert_eq!(extras(&parts[3].extra), [("citations", r#"[{"a":1}]"#)]);
    let raw = r#"{"type":"server_tool_use","id":"s", "name":"web_search","input":{}}"#;
    assert_eq!(opaque(&parts[4]), ("server_tool_use", raw));
    assert_eq!(&*media(&read.history[1].parts[0]).media_type, "image/*");
}

#[test]
fn documents_of_every_source_are_read() {
    let (read, notes) = good(
        r#"{"messages":[{"role":"user","content":[
            {"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"QQ"},
             "title":"T","context":"C"},
            {"type":"document","source":{"type":"url","url":"https://d"}},
            {"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"}},
            {"type":"document","source":{"type":"file","file_id":"f"}},
            {"type":"document","source":{"type":"content","content":[
                {"type":"text","text":"a"},{"type":"text","text":"b"}]}},
            {"type":"document","source":{"type":"content","content":[
                {"type":"image","source":{"type":"file","file_id":"f"}}]}}]}]}"#,
    );
    let parts = &read.history[0].parts;
    assert_eq!(media(&parts[0]).name.as_deref(), Some("T"));
    assert_eq!(extras(&parts[0].extra), [("context", "\"C\"")]);
    assert_eq!(&*media(&parts[1]).media_type, "application/pdf");
    assert_eq!(media(&parts[2]).source, MediaSource::Text("words".into()));
    assert_eq!(media(&parts[3]).source, MediaSource::FileId("f".into()));
    assert_eq!(opaque(&parts[4]).0, "document");
    assert_eq!(opaque(&parts[5]).0, "document");
    assert_eq!(notes, Notes::default());
}

#[test]
fn marks_of_items_carried_whole_are_the_part_s() {
    let (read, notes) = good(
        r#"{"messages":[{"role":"assistant","content":[
            {"type":"redacted_thinking","data":"D","cache_control":{"type":"ephemeral"}},
            {"type":"server_tool_use","cache_control":{"type":"ephemeral","ttl":"1h"},"id":"s",
             "input":{"cache_control":1}},
            {"type":"opaque","kind":"k","raw":{"type":"k","cache_control":{"type":"ephemeral"}}},
            {"type":"tool_use","id":"t","name":"f","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[
                {"type":"search_result","cache_control":{"type":"ephemeral"}, "x": 1},
                {"type":"tool_use","id":"i","name":"n","cache_control":{"type":"ephemeral"}}]}]}]}"#,
    );
    assert_eq!(notes.degraded, []);
    let parts = &read.history[0].parts;
    let raw = thinking(&parts[0]).opaque.as_ref().unwrap();
    assert_eq!(raw.as_str(), r#"{"type":"redacted_thinking","data":"D"}"#);
    let raw = r#"{"type":"server_tool_use","id":"s","input":{"cache_control":1}}"#;
    assert_eq!(opaque(&parts[1]), ("server_tool_use", raw));
    assert_eq!(parts[1].cache.unwrap().ttl, Some(CacheTtl::OneHour));
    assert_eq!(opaque(&parts[2]), ("k", r#"{"type":"k"}"#));
    let inner = &result(&read.history[1]).content;
    assert_eq!(opaque(&inner[0]), ("search_result", r#"{"type":"search_result","x":1}"#));
    assert_eq!(opaque(&inner[1]), ("tool_use", r#"{"type":"tool_use","id":"i","name":"n"}"#));
    assert!(parts.iter().take(3).chain(inner).all(|part| part.cache.is_some()));
}
