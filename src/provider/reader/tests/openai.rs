use super::*;

#[test]
fn i01_leading_system_is_apart_and_its_texts_stay_parts() {
    let (read, notes) = good(
        r#"{"messages":[{"role":"system","content":[{"type":"text","text":"a"},
            {"type":"text","text":"b"}]},{"role":"user","content":"u"},
            {"role":"assistant","content":"d"}]}"#,
    );
    assert_eq!(texts(&read.system[0].parts), ["a", "b"]);
    assert_eq!(roles(&read.history), [Role::User, Role::Assistant]);
    assert_eq!(notes, Notes::default());
}

#[test]
fn i02_images_become_canonical() {
    let (read, _) = good(
        r#"{"messages":[{"role":"user","name":"ann","content":[{"type":"text","text":"First"},
            {"type":"text","text":"Second"},
            {"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD","detail":"low"}},
            {"type":"image_url","image_url":{"url":"https://x/y"}}]}]}"#,
    );
    let message = &read.history[0];
    assert_eq!(texts(&message.parts), ["First", "Second"]);
    let image = media(&message.parts[2]);
    assert_eq!(
        (&*image.media_type, &image.source),
        ("image/png", &MediaSource::Base64("QUJD".into()))
    );
    assert_eq!(extras(&message.parts[2].extra), [("detail", "\"low\"")]);
    let image = media(&message.parts[3]);
    assert_eq!(
        (&*image.media_type, &image.source),
        ("image/*", &MediaSource::Url("https://x/y".into()))
    );
    assert_eq!(message.name.as_deref(), Some("ann"));
}

#[test]
fn i03_no_part_of_an_assistant_is_dropped() {
    let (read, notes) = good(
        r#"{"messages":[{"role":"assistant","content":[{"type":"text","text":"t"},
            {"type":"refusal","refusal":"no"},{"type":"novel", "x":1.0}],
            "refusal":"never","audio":{"id":"au"},"zz":1,"tool_calls":null}]}"#,
    );
    let message = &read.history[0];
    assert_eq!(opaque(&message.parts[1]), ("refusal", r#"{"type":"refusal","refusal":"no"}"#));
    assert_eq!(opaque(&message.parts[2]), ("novel", r#"{"type":"novel", "x":1.0}"#));
    let kept = [("refusal", "\"never\""), ("audio", r#"{"id":"au"}"#), ("zz", "1")];
    assert_eq!(extras(&message.extra), kept);
    assert_eq!(notes, Notes::default());
}

#[test]
fn sounds_and_files_are_media() {
    let (read, _) = good(
        r#"{"messages":[{"role":"user","content":[
            {"type":"input_audio","input_audio":{"data":"QQ","format":"mp3"}},
            {"type":"file","file":{"file_data":"data:application/pdf;base64,QQ","filename":"r.pdf"}},
            {"type":"file","file":{"file_data":"QQ","filename":"r.pdf"}},
            {"type":"file","file":{"file_id":"file-1"}}]}]}"#,
    );
    let parts = &read.history[0].parts;
    let types: Vec<_> = parts.iter().map(|part| &*media(part).media_type).collect();
    assert_eq!(types, ["audio/mpeg", "application/pdf", "application/pdf", "*/*"]);
    assert_eq!(media(&parts[1]).source, media(&parts[2]).source);
    assert_eq!(media(&parts[3]).source, MediaSource::FileId("file-1".into()));
}

#[test]
fn calls_and_results_are_read() {
    let (read, notes) = good(
        r#"{"messages":[{"role":"assistant","content":null,"tool_calls":[
            {"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}},
            {"id":"b","type":"custom","custom":{"name":"g","input":"free"}},
            {"id":"c","type":"function","index":2,"function":{"name":"h","arguments":""}}]},
            {"role":"tool","tool_call_id":"a","content":"A","is_error":true},
            {"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"B"}]},
            {"role":"tool","tool_call_id":"c","content":""}]}"#,
    );
    let parts = &read.history[0].parts;
    assert_eq!(&*call(&parts[0]).arguments, "{\"x\": 1}");
    assert!(call(&parts[1]).custom);
    assert_eq!(&*call(&parts[1]).arguments, "free");
    assert_eq!(&*call(&parts[2]).arguments, "{}");
    assert_eq!(extras(&parts[2].extra), [("index", "2")]);
    assert_eq!(notes.repairs[0].code, "empty_arguments");
    assert_eq!(notes.repairs[0].pointer, "/messages/0/tool_calls/2/function/arguments");
    assert_eq!(result(&read.history[1]).is_error, Some(true));
    assert_eq!(texts(&result(&read.history[2]).content), ["B"]);
    assert!(result(&read.history[3]).content.is_empty());
}

#[test]
fn function_calls_of_old_get_ids() {
    let (read, notes) = good(
        r#"{"messages":[{"role":"user","content":"u"},
            {"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},
            {"role":"function","name":"f","content":"r"}]}"#,
    );
    assert_eq!(&*call(&read.history[1].parts[0]).id, "call_1_f");
    assert_eq!(&*result(&read.history[2]).call_id, "call_1_f");
    let codes: Vec<_> = notes.repairs.iter().map(|note| note.code).collect();
    assert_eq!(codes, ["function_call_upgraded", "function_role_upgraded"]);
}

#[test]
fn members_of_contextchef_are_understood() {
    let (read, _) = good(
        r#"{"messages":[{"role":"assistant","content":"x","_cache_breakpoint":true,
            "thinking":{"thinking":"t","signature":"S"},"redacted_thinking":{"data":"D"},
            "attachments":[{"mediaType":"image/png","data":"data:image/png;base64,QQ"},
                {"mediaType":"text/plain","data":"http://x","filename":"n"}],
            "tool_calls":[{"id":"a","type":"function",
                "function":{"name":"f","arguments":"{}"}}]}]}"#,
    );
    let parts = &read.history[0].parts;
    assert_eq!(&*thinking(&parts[0]).text, "t");
    assert_eq!(parts[0].signature.as_deref(), Some("S"));
    let redacted = thinking(&parts[1]).opaque.as_ref().unwrap();
    assert_eq!(redacted.as_str(), r#"{"type":"redacted_thinking","data":"D"}"#);
    assert_eq!(texts(&parts[2..3]), ["x"]);
    assert_eq!(media(&parts[3]).source, MediaSource::Base64("QQ==".into()));
    assert_eq!(media(&parts[4]).source, MediaSource::Url("http://x".into()));
    assert_eq!(&*call(&parts[5]).id, "a");
    let marked: Vec<_> = parts.iter().map(|part| part.cache.is_some()).collect();
    assert_eq!(marked, [false, false, false, false, false, true]);
}

#[test]
fn blocks_of_another_provider_in_the_list_are_read() {
    let (read, _) = good(
        r#"{"messages":[{"role":"assistant","content":null,"tool_calls":[
            {"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},
            {"role":"user","content":[{"type":"text","text":"after"},
                {"type":"tool_result","tool_use_id":"a","content":"r"}]}]}"#,
    );
    assert_eq!(read.source, Source::Openai);
    assert_eq!(roles(&read.history), [Role::Assistant, Role::Tool, Role::User]);
}
