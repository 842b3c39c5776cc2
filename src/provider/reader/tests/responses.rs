use super::*;

#[test]
fn items_of_one_answer_are_one_message_up_to_a_call_with_its_output() {
    let reasoning = r#"{"type":"reasoning","id":"rs_1", "summary":[{"type":"summary_text","text":"why"}],"encrypted_content":"E"}"#;
    let search = r#"{"type":"web_search_call", "id":"ws","status":"completed"}"#;
    let body = format!(
        r#"{{"instructions":"I","input":[{{"role":"user","content":"u"}},{reasoning},{search},
        {{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[
            {{"type":"output_text","text":"t","annotations":[]}},{{"type":"refusal","refusal":"n"}}]}},
        {{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"{{}}"}},
        {{"type":"custom_tool_call","call_id":"b","name":"g","input":"free"}},
        {{"type":"function_call_output","call_id":"a","output":"A"}},
        {{"type":"custom_tool_call_output","call_id":"b","output":[{{"type":"input_text","text":"B"}}]}}
        ]}}"#
    );
    let (read, notes) = good(&body);
    assert_eq!(notes, Notes::default());
    assert_eq!(texts(&read.system[0].parts), ["I"]);
    let expected = [Role::User, Role::Assistant, Role::Assistant, Role::Tool, Role::Tool];
    assert_eq!(roles(&read.history), expected);
    let [said, called] = [&read.history[1], &read.history[2]];
    assert_eq!((said.origin, said.id.as_deref()), (Some(1), Some("msg_1")));
    assert_eq!(&*thinking(&said.parts[0]).text, "why");
    assert_eq!(thinking(&said.parts[0]).opaque.as_ref().unwrap().as_str(), reasoning);
    assert_eq!(opaque(&said.parts[1]), ("web_search_call", search));
    let kept = [("annotations", "[]"), ("id", "\"msg_1\""), ("status", "\"completed\"")];
    assert_eq!(extras(&said.parts[2].extra), kept);
    assert_eq!(opaque(&said.parts[3]).0, "refusal");
    assert_eq!(extras(&called.parts[0].extra), [("id", "\"fc_1\"")]);
    assert!(call(&called.parts[1]).custom);
    assert_eq!(texts(&result(&read.history[4]).content), ["B"]);
}

#[test]
fn answers_in_a_row_stay_apart() {
    let (read, _) = good(
        r#"{"input":[{"role":"assistant","content":"one"},{"type":"reasoning","summary":[]},
            {"role":"assistant","content":"two"},{"role":"user","content":[
            {"type":"input_text","text":"u"},{"type":"input_image","file_id":"f","detail":"auto"},
            {"type":"input_image","image_url":"data:image/png;base64,QQ"},
            {"type":"input_file","file_url":"https://x/r.pdf"}]}]}"#,
    );
    assert_eq!(roles(&read.history), [Role::Assistant, Role::Assistant, Role::User]);
    assert_eq!(read.history[1].parts.len(), 2);
    let parts = &read.history[2].parts;
    assert_eq!(media(&parts[1]).source, MediaSource::FileId("f".into()));
    assert_eq!(media(&parts[2]).source, MediaSource::Base64("QQ==".into()));
    assert_eq!(media(&parts[3]).source, MediaSource::Url("https://x/r.pdf".into()));
}

#[test]
fn a_string_is_what_the_user_says() {
    let (read, _) = good(r#"{"input":"hi"}"#);
    assert_eq!(roles(&read.history), [Role::User]);
    assert_eq!(texts(&read.history[0].parts), ["hi"]);
}
