//! Changes on the way to a target, and the notes that say so.

mod tools;

use std::sync::Arc;

use super::*;
use crate::domain::{Content, Media, MediaSource, Part, RawJson, Thinking, ToolCall, ToolResult};

fn adapted(
    source: Source,
    target: Target,
    history: Vec<Message>,
) -> (Vec<Message>, Vec<(&'static str, String)>) {
    let mut history = history;
    for (index, message) in history.iter_mut().enumerate() {
        message.origin = Some(index);
    }
    let mut conversation = Conversation { source, system: vec![], history, tools: vec![] };
    let mut notes = Notes::default();
    adapt(&mut conversation, target.into(), &mut notes);
    let codes = notes.degraded.into_iter().map(|note| (note.code, note.pointer)).collect();
    (conversation.history, codes)
}

fn codes(source: Source, target: Target, message: Message) -> Vec<&'static str> {
    let history = vec![Message::text(Role::User, "u"), message];
    adapted(source, target, history).1.into_iter().map(|(code, _)| code).collect()
}

fn call(id: &str, name: &str, arguments: &str) -> Message {
    let call =
        ToolCall { id: id.into(), name: name.into(), arguments: arguments.into(), custom: false };
    Message::new(Role::Assistant, vec![Part::new(Content::ToolCall(call))])
}

fn result(id: &str, content: Vec<Part>, is_error: Option<bool>) -> Message {
    let result = ToolResult { call_id: id.into(), name: None, content, is_error };
    Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))])
}

fn thinking(signature: Option<&str>) -> Message {
    let thinking = Thinking { text: "t".into(), opaque: None };
    let mut part = Part::new(Content::Thinking(thinking));
    part.signature = signature.map(Arc::from);
    Message::new(Role::Assistant, vec![part, Part::text("x")])
}

fn image(source: MediaSource) -> Part {
    Part::new(Content::Media(Media { media_type: "image/png".into(), source, name: None }))
}

fn ids(history: &[Message]) -> Vec<&str> {
    history
        .iter()
        .flat_map(|message| &message.parts)
        .filter_map(|part| match &part.content {
            Content::ToolCall(call) => Some(&*call.id),
            Content::ToolResult(result) => Some(&*result.call_id),
            _ => None,
        })
        .collect()
}

#[test]
fn thinking_goes_back_only_to_who_signed_it() {
    use Source::{Anthropic as FromAnthropic, Gemini as FromGemini, Neutral as FromNeutral};
    let dropped = vec!["thinking_dropped"];
    assert!(codes(FromAnthropic, Target::Anthropic, thinking(Some("s"))).is_empty());
    assert!(codes(FromNeutral, Target::Anthropic, thinking(Some("s"))).is_empty());
    assert!(codes(FromAnthropic, Target::Neutral, thinking(None)).is_empty());
    assert!(codes(FromGemini, Target::Gemini, thinking(Some("s"))).is_empty());
    assert_eq!(codes(FromAnthropic, Target::Anthropic, thinking(None)), dropped);
    assert_eq!(codes(FromAnthropic, Target::Anthropic, thinking(Some(""))), dropped);
    assert_eq!(codes(FromGemini, Target::Anthropic, thinking(Some("s"))), dropped);
    assert_eq!(codes(FromAnthropic, Target::Openai, thinking(Some("s"))), dropped);
    assert_eq!(codes(FromAnthropic, Target::OpenaiResponses, thinking(Some("s"))), dropped);
}

#[test]
fn items_of_another_provider_are_named_when_they_go() {
    let raw = RawJson::new(r#"{"type":"web_search_call"}"#);
    let opaque = || Part::new(Content::Opaque { kind: "web_search_call".into(), raw: raw.clone() });
    let said = || Message::new(Role::Assistant, vec![opaque(), Part::text("x")]);
    assert!(codes(Source::OpenaiResponses, Target::OpenaiResponses, said()).is_empty());
    assert_eq!(codes(Source::OpenaiResponses, Target::Anthropic, said()), ["opaque_dropped"]);
    let (history, _) = adapted(
        Source::Anthropic,
        Target::Openai,
        vec![call("c", "f", "{}"), result("c", vec![opaque()], None)],
    );
    let Content::ToolResult(result) = &history[1].parts[0].content else { panic!() };
    assert_eq!(&**result.content[0].as_text().unwrap(), "[tool result part: web_search_call]");
}

#[test]
fn c17_unknown_fields_reach_only_who_may_know_them() {
    let with = || {
        let mut message = Message::text(Role::User, "x");
        message.extra = vec![("zz".into(), RawJson::new("1")), ("n".into(), RawJson::new("null"))];
        message
    };
    assert!(codes(Source::Openai, Target::Openai, with()).is_empty());
    assert!(codes(Source::Openai, Target::Neutral, with()).is_empty());
    for target in [Target::Anthropic, Target::Gemini] {
        let (history, notes) = adapted(Source::Openai, target, vec![with()]);
        assert_eq!(notes, [("extra_dropped", "/messages/0".to_owned())]);
        assert!(history[0].extra.is_empty());
    }
}

#[test]
fn a_refusal_becomes_text() {
    let mut message = Message::new(Role::Assistant, vec![]);
    message.extra = vec![("refusal".into(), RawJson::new("\"no\\n\""))];
    let (history, notes) = adapted(Source::Openai, Target::Anthropic, vec![message]);
    assert_eq!(&**history[0].parts[0].as_text().unwrap(), "no\n");
    assert_eq!(notes[0].0, "refusal_as_text");
}

#[test]
fn names_and_places_that_a_target_lacks_are_reported() {
    let mut named = Message::text(Role::User, "x");
    named.name = Some("Ann".into());
    assert_eq!(codes(Source::Openai, Target::Gemini, named.clone()), ["name_dropped"]);
    assert!(codes(Source::Openai, Target::Openai, named).is_empty());
    let late = || Message::text(Role::System, "s");
    assert_eq!(codes(Source::Openai, Target::Anthropic, late()), ["system_hoisted"]);
    assert!(codes(Source::Openai, Target::OpenaiResponses, late()).is_empty());
    assert_eq!(pointer(Source::Gemini, Some(3), MessageRegion::History), "/contents/3");
    assert_eq!(pointer(Source::OpenaiResponses, None, MessageRegion::Head), "/instructions");
}

#[test]
fn ids_and_names_are_renamed_alike_in_call_and_result() {
    let history = vec![call("fc:1|a", "ns.tool", "{}"), result("fc:1|a", vec![], None)];
    let (there, notes) = adapted(Source::Openai, Target::Anthropic, history.clone());
    let found = ids(&there);
    assert_eq!(found[0], found[1]);
    assert!(found[0].starts_with("fc_1_a_"));
    let codes: Vec<_> = notes.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, ["tool_name_renamed", "call_id_renamed"]);
    let (again, _) = adapted(Source::Openai, Target::Anthropic, history.clone());
    assert_eq!(there, again);
    let (kept, notes) = adapted(Source::Gemini, Target::Gemini, history);
    assert_eq!(ids(&kept), ["fc:1|a", "fc:1|a"]);
    assert!(notes.is_empty());
    let long = "x".repeat(70);
    let history = vec![call(&long, "f", "{}"), result(&long, vec![], None)];
    for (target, longest) in [(Target::Openai, 40), (Target::OpenaiResponses, 64)] {
        let (there, _) = adapted(Source::Gemini, target, history.clone());
        assert_eq!(ids(&there)[0].len(), longest);
        assert_eq!(ids(&there)[0], ids(&there)[1]);
    }
}

#[test]
fn t18_gemini_results_learn_the_name_of_their_call() {
    let history = vec![call("c1", "get_weather", "{}"), result("c1", vec![], None)];
    let (history, _) = adapted(Source::Openai, Target::Gemini, history);
    let Content::ToolResult(result) = &history[1].parts[0].content else { panic!() };
    assert_eq!(result.name.as_deref(), Some("get_weather"));
    assert_eq!(ids(&history), ["gemini-fc-get_weather-0"; 2]);
}

#[test]
fn t24_arguments_kept_raw_are_wrapped_where_an_object_must_stand() {
    for target in [Target::Anthropic, Target::Gemini] {
        let (history, notes) = adapted(Source::Openai, target, vec![call("c", "f", "{\"a")]);
        let found = history[0].tool_calls().next().unwrap().arguments.clone();
        assert_eq!(&*found, r#"{"raw_arguments":"{\"a"}"#);
        assert_eq!(notes, [("arguments_wrapped", "/messages/0".to_owned())]);
    }
    let (history, notes) = adapted(Source::Openai, Target::Openai, vec![call("c", "f", "{\"a")]);
    assert_eq!(&*history[0].tool_calls().next().unwrap().arguments, "{\"a");
    assert!(notes.is_empty());
}

#[test]
fn media_stand_where_the_target_holds_them() {
    let png = || image(MediaSource::Base64("iVBORw0KGgo=".into()));
    let said = |role| Message::new(role, vec![Part::text("x"), png()]);
    let lost = vec!["media_as_text"];
    assert!(codes(Source::Openai, Target::Openai, said(Role::User)).is_empty());
    assert_eq!(codes(Source::Openai, Target::Openai, said(Role::Assistant)), lost);
    assert_eq!(codes(Source::Anthropic, Target::Anthropic, said(Role::Assistant)), lost);
    assert!(codes(Source::Gemini, Target::Gemini, said(Role::Assistant)).is_empty());
    let answered = |target| {
        let history = vec![call("c", "f", "{}"), result("c", vec![png()], None)];
        adapted(Source::Anthropic, target, history).1.len()
    };
    assert_eq!(answered(Target::Anthropic), 0);
    assert_eq!(answered(Target::OpenaiResponses), 0);
    assert_eq!(answered(Target::Gemini), 0);
    assert_eq!(answered(Target::Openai), 1);
    let file = image(MediaSource::FileId("file-1".into()));
    let file = || Message::new(Role::User, vec![file.clone()]);
    assert!(codes(Source::OpenaiResponses, Target::Openai, file()).is_empty());
    assert_eq!(codes(Source::Openai, Target::Anthropic, file()), lost);
}

#[test]
fn text_files_stay_readable() {
    let media = Media {
        media_type: "text/csv".into(),
        source: MediaSource::Base64("YSxi".into()),
        name: Some("t.csv".into()),
    };
    let part = Part::new(Content::Media(media));
    let (history, notes) =
        adapted(Source::Openai, Target::Anthropic, vec![Message::new(Role::User, vec![part])]);
    assert!(notes.is_empty());
    let Content::Media(media) = &history[0].parts[0].content else { panic!() };
    assert_eq!(media.source, MediaSource::Text("a,b".into()));
    let (history, _) = adapted(Source::Anthropic, Target::Openai, history);
    assert_eq!(&**history[0].parts[0].as_text().unwrap(), "[document: t.csv]\na,b");
}

#[test]
fn errors_and_part_fields_are_reported() {
    let failed = || result("c", vec![Part::text("x")], Some(true));
    assert_eq!(codes(Source::Anthropic, Target::Openai, failed()), ["is_error_dropped"]);
    assert!(codes(Source::Anthropic, Target::Gemini, failed()).is_empty());
    let mut part = Part::text("x");
    part.extra =
        vec![("citations".into(), RawJson::new("[1]")), ("annotations".into(), RawJson::new("[]"))];
    let cited = || Message::new(Role::Assistant, vec![part.clone()]);
    assert!(codes(Source::Anthropic, Target::Anthropic, cited()).is_empty());
    assert_eq!(codes(Source::Anthropic, Target::Gemini, cited()), ["part_fields_dropped"]);
}

#[test]
fn what_says_nothing_goes_with_a_note() {
    let (history, notes) =
        adapted(Source::Openai, Target::Anthropic, vec![Message::text(Role::User, " ")]);
    assert!(history.is_empty());
    assert_eq!(notes[0].0, "empty_message_dropped");
    let (history, notes) =
        adapted(Source::Openai, Target::Openai, vec![Message::text(Role::User, "")]);
    assert_eq!((history.len(), notes.len()), (1, 0));
}

fn details(source: Source, target: Target, message: Message) -> Vec<(&'static str, String)> {
    let history = vec![Message::text(Role::User, "u"), message];
    let mut conversation = Conversation { source, system: vec![], history, tools: vec![] };
    let mut notes = Notes::default();
    adapt(&mut conversation, target.into(), &mut notes);
    notes.degraded.into_iter().map(|note| (note.code, note.detail)).collect()
}

#[test]
fn many_unknown_fields_cost_one_short_note() {
    let mut part = Part::text("x");
    part.extra = (0..20_000).map(|n| (format!("k{n}").into(), RawJson::new("1"))).collect();
    let message = Message::new(Role::User, vec![part.clone(), part.clone()]);
    let started = std::time::Instant::now();
    let notes = details(Source::Openai, Target::Anthropic, message);
    assert!(started.elapsed().as_secs() < 2, "{:?}", started.elapsed());
    let (code, detail) = &notes[0];
    assert_eq!(*code, "part_fields_dropped");
    assert_eq!(detail, "k0, k1, k2, k3, k4, k5, k6, k7, k8, k9 and 19990 more");
    let mut message = Message::text(Role::User, "x");
    message.extra = part.extra;
    let notes = details(Source::Openai, Target::Anthropic, message);
    assert!(notes[0].0 == "extra_dropped" && notes[0].1.ends_with("k9 and 19990 more"));
    let opaque = |n| Content::Opaque { kind: format!("kind{n}").into(), raw: RawJson::new("{}") };
    let parts = (0..20_000).map(|n| Part::new(opaque(n))).collect();
    let notes = details(Source::Openai, Target::Anthropic, Message::new(Role::Assistant, parts));
    assert!(notes[0].0 == "opaque_dropped" && notes[0].1.ends_with("kind9 and 19990 more"));
}

#[test]
fn renamed_ids_and_names_are_shown_short() {
    let long = "é".repeat(5_000);
    let details = details(Source::Openai, Target::Anthropic, call(&long, &long, "{}"));
    assert!(!details.is_empty());
    for (code, detail) in details {
        assert!(matches!(code, "tool_name_renamed" | "call_id_renamed"));
        assert!(detail.chars().count() < 140, "{detail}");
    }
}

#[test]
fn an_assistant_message_never_ends_in_thinking_for_anthropic() {
    let thought = || {
        let mut part = Part::new(Content::Thinking(Thinking { text: "t".into(), opaque: None }));
        part.signature = Some("s".into());
        part
    };
    let said = |parts| Message::new(Role::Assistant, parts);
    let ends = || said(vec![thought(), Part::text("x"), thought(), thought()]);
    let (history, notes) =
        adapted(Source::Anthropic, Target::Anthropic, vec![ends(), Message::text(Role::User, "u")]);
    assert_eq!(history[0].parts.len(), 2);
    assert_eq!(notes, [("trailing_thinking_dropped", "/messages/0".to_owned())]);
    let alone = || said(vec![thought()]);
    let (history, notes) = adapted(
        Source::Anthropic,
        Target::Anthropic,
        vec![ends(), alone(), Message::text(Role::User, "u")],
    );
    assert_eq!((history.len(), history[0].parts.len()), (2, 2));
    let codes: Vec<_> = notes.iter().map(|(code, at)| (*code, at.as_str())).collect();
    assert_eq!(
        codes,
        [
            ("trailing_thinking_dropped", "/messages/0"),
            ("trailing_thinking_dropped", "/messages/1"),
            ("empty_message_dropped", "/messages/1"),
        ]
    );
    // Content that is written as one message does not end there.
    let mut called = call("c", "f", "{}");
    called.parts.insert(0, thought());
    for message in [called, said(vec![Part::text("y")])] {
        let history = vec![alone(), message];
        assert_eq!(adapted(Source::Anthropic, Target::Anthropic, history).1, []);
    }
    assert_eq!(adapted(Source::Anthropic, Target::Neutral, vec![ends()]).1, []);
}

#[test]
fn our_own_word_about_a_response_is_no_loss() {
    let with = |kept: &str| {
        let mut message = result("c", vec![Part::text("x")], None);
        message.parts[0].extra = vec![("functionResponse".into(), RawJson::new(kept))];
        codes(Source::Gemini, Target::Openai, message)
    };
    assert!(with(r#"{"response":"output"}"#).is_empty());
    assert_eq!(with(r#"{"response":"output","willContinue":true}"#), ["part_fields_dropped"]);
}

fn blocks() -> Message {
    let raw = r#"{"type":"document","source":{"type":"content","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},"title":"T","context":"C"}"#;
    let content = Content::Opaque { kind: "document".into(), raw: RawJson::new(raw) };
    Message::new(Role::User, vec![Part::new(content)])
}

#[test]
fn a_document_of_blocks_stays_whole_for_its_own_provider_alone() {
    for (source, target) in [
        (Source::Anthropic, Target::Anthropic),
        (Source::Anthropic, Target::Neutral),
        (Source::Neutral, Target::Anthropic),
    ] {
        let (history, notes) = adapted(source, target, vec![blocks()]);
        assert_eq!(history[0].parts, blocks().parts);
        assert_eq!(notes, []);
    }
    let (history, notes) = adapted(Source::Anthropic, Target::Openai, vec![blocks()]);
    assert_eq!(&**history[0].parts[0].as_text().unwrap(), "[document: T]\na\nb");
    assert!(history[0].parts[0].extra.is_empty());
    let codes: Vec<_> = notes.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, ["document_blocks_joined", "part_fields_dropped", "media_as_text"]);
    let answered = vec![call("c", "f", "{}"), result("c", blocks().parts, None)];
    let (history, _) = adapted(Source::Anthropic, Target::Gemini, answered);
    let Content::ToolResult(result) = &history[1].parts[0].content else { panic!() };
    assert_eq!(&**result.content[0].as_text().unwrap(), "[document: T]\na\nb");
}

#[test]
fn items_in_a_neutral_conversation_go_to_whom_their_kind_names() {
    let says = |kind: &str, raw: &str, target| {
        let raw = RawJson::new(raw);
        let part = Part::new(Content::Opaque { kind: kind.into(), raw });
        let parts = vec![part, Part::text("x")];
        codes(Source::Neutral, target, Message::new(Role::Assistant, parts)).is_empty()
    };
    for (kind, owner) in [
        ("server_tool_use", Target::Anthropic),
        ("web_search_tool_result", Target::Anthropic),
        ("mcp_tool_use", Target::Anthropic),
        ("container_upload", Target::Anthropic),
        ("web_search_call", Target::OpenaiResponses),
        ("computer_call_output", Target::OpenaiResponses),
        ("mcp_call", Target::OpenaiResponses),
        ("executableCode", Target::Gemini),
    ] {
        for target in [Target::Openai, Target::OpenaiResponses, Target::Anthropic, Target::Gemini] {
            assert_eq!(says(kind, "{}", target), target == owner, "{kind} {target:?}");
        }
        assert!(!says(kind, "7", owner));
    }
    assert!(!says("novel", "{}", Target::Anthropic));
}
