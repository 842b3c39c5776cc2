use super::*;

#[test]
fn i06_calls_without_ids_are_numbered_and_answered_in_turn() {
    let (read, notes) = good(
        r#"{"contents":[{"role":"user","parts":[{"text":"u"}]},
            {"role":"model","parts":[{"functionCall":{"name":"get_weather","args":{"c": "L"}}},
                {"function_call":{"name":"get_weather"}}]},
            {"role":"user","parts":[{"functionResponse":{"name":"get_weather","response":{"t": 1}}},
                {"function_response":{"name":"get_weather","response":{"result":"sun"}}}]},
            {"role":"model","parts":[{"functionCall":{"name":"get_weather","args":{}}}]},
            {"role":"function","parts":[{"functionResponse":
                {"name":"get_weather","response":{"output":"rain"},"willContinue":true}}]}]}"#,
    );
    assert_eq!(notes, Notes::default());
    let ids: Vec<_> =
        read.history.iter().flat_map(Message::tool_calls).map(|call| &*call.id).collect();
    let made = ["gemini-fc-get_weather-0", "gemini-fc-get_weather-1", "gemini-fc-get_weather-2"];
    assert_eq!(ids, made);
    assert_eq!(&*call(&read.history[1].parts[0]).arguments, r#"{"c": "L"}"#);
    let results: Vec<_> =
        read.history.iter().filter(|message| message.role == Role::Tool).collect();
    let answered: Vec<_> = results.iter().map(|message| &*result(message).call_id).collect();
    assert_eq!(answered, made);
    assert_eq!(texts(&result(results[0]).content), [r#"{"t": 1}"#]);
    assert_eq!(texts(&result(results[1]).content), ["sun"]);
    assert_eq!(results[1].parts[0].extra, []);
    let kept = [("functionResponse", r#"{"response":"output","willContinue":true}"#)];
    assert_eq!(extras(&results[2].parts[0].extra), kept);
}

#[test]
fn thoughts_and_signatures_are_kept() {
    let (read, _) = good(
        r#"{"systemInstruction":{"parts":[{"text":"S"}]},"contents":[{"role":"model","parts":[
            {"text":"why","thought":true,"thoughtSignature":"A"},{"text":"t","thought_signature":"B"},
            {"functionCall":{"id":"x","name":"f","args":{}},"thoughtSignature":"C"},
            {"executableCode":{"language":"PYTHON", "code":"1"}},{"text":"","thoughtSignature":"D"}]},
            {"parts":[{"inline_data":{"mime_type":"image/png","data":"QQ"},"videoMetadata":{}},
            {"fileData":{"mimeType":"video/mp4","fileUri":"gs://b/v"}}]}]}"#,
    );
    assert_eq!(texts(&read.system[0].parts), ["S"]);
    let parts = &read.history[0].parts;
    assert_eq!(&*thinking(&parts[0]).text, "why");
    let signed: Vec<_> = parts.iter().map(|part| part.signature.as_deref()).collect();
    assert_eq!(signed, [Some("A"), Some("B"), Some("C"), None, Some("D")]);
    assert_eq!(&*call(&parts[2]).id, "x");
    let raw = r#"{"executableCode":{"language":"PYTHON", "code":"1"}}"#;
    assert_eq!(opaque(&parts[3]), ("executableCode", raw));
    let user = &read.history[1];
    assert_eq!(user.role, Role::User);
    assert_eq!(media(&user.parts[0]).source, MediaSource::Base64("QQ==".into()));
    assert_eq!(extras(&user.parts[0].extra), [("videoMetadata", "{}")]);
    assert_eq!(media(&user.parts[1]).source, MediaSource::Url("gs://b/v".into()));
}

#[test]
fn a_response_to_no_call_matches_none() {
    let (read, _) = good(
        r#"{"contents":[{"role":"user","parts":[
            {"functionResponse":{"name":"f","response":{}}}]},
            {"role":"model","parts":[{"functionCall":{"name":"f"}}]}]}"#,
    );
    assert_eq!(&*result(&read.history[0]).call_id, "gemini-fc-f-none");
}

/// Looking at every open call for each response would be nine hundred million looks.
#[test]
fn many_responses_with_ids_of_their_own_take_linear_time() {
    const COUNT: usize = 30_000;
    let call = r#"{"functionCall":{"name":"f","args":{}}}"#;
    let named =
        |at: usize| format!(r#"{{"functionCall":{{"id":"n{at}","name":"f","args":{{}}}}}}"#);
    let response = |at: usize| {
        format!(
            r#"{{"functionResponse":{{"id":"r{at}","name":"f","response":{{"output":"{at}"}}}}}}"#
        )
    };
    let calls: Vec<String> = (0..COUNT).flat_map(|at| [named(at), call.to_owned()]).collect();
    let responses: Vec<String> = (0..COUNT).map(response).collect();
    let (read, _) = good(&format!(
        r#"{{"contents":[{{"role":"model","parts":[{}]}},{{"role":"user","parts":[{}]}}]}}"#,
        calls.join(","),
        responses.join(",")
    ));
    let results = read.history.iter().flat_map(Message::tool_results);
    let ids: Vec<_> = results.map(|result| result.call_id.to_string()).collect();
    let made: Vec<String> = (0..COUNT).map(|at| format!("gemini-fc-f-{at}")).collect();
    assert_eq!(ids, made);
}
