//! The input of a hook or model that writes a summary, and the summary in its answer.

use std::sync::Arc;

use super::list::ShownMessages;
use crate::domain::{Content, Media, Message, Part, ToolResult};
use crate::hook::{PointInput as _, SummarizeInput};
use crate::pipeline::compress::ResultTools;
use crate::pipeline::summary_ask::SummaryAsk;

/// Summaries that are asked for while one history is compressed: a second one if the first leads to
/// other turns.
pub(crate) const MAX_SUMMARIES: usize = 2;

/// The material of a summary, with media and long results as lines that name them.
#[derive(Debug)]
pub(crate) struct SummarySlice {
    messages: Vec<Message>,
    input: String,
    instructions: Option<Arc<str>>,
    material: Option<Arc<str>>,
    max_tokens: u64,
}

impl SummarySlice {
    /// `stub_over`: tool results of more characters are named only. `material`: what hooks gave.
    pub(crate) fn new(
        covered: &[&Message],
        stub_over: Option<usize>,
        instructions: Option<Arc<str>>,
        material: Option<Arc<str>>,
        max_tokens: u64,
    ) -> Self {
        let owned: Vec<Message> = covered.iter().copied().cloned().collect();
        let tools = ResultTools::new(&owned);
        let messages: Vec<Message> =
            owned.into_iter().filter_map(|message| bare(message, &tools, stub_over)).collect();
        let seen = ShownMessages::new(messages.iter());
        let input = SummarizeInput {
            messages: seen.json(),
            instructions: instructions.as_deref(),
            material: material.as_deref(),
            max_tokens,
        }
        .to_json();
        Self { messages, input, instructions, material, max_tokens }
    }

    pub(crate) fn ask(&self) -> SummaryAsk<'_> {
        self.ask_about(false)
    }

    /// Asks for one text in fewer words instead of for what happened in a conversation.
    pub(crate) fn ask_for_prose(&self) -> SummaryAsk<'_> {
        self.ask_about(true)
    }

    fn ask_about(&self, is_prose: bool) -> SummaryAsk<'_> {
        SummaryAsk {
            is_prose,
            input: &self.input,
            max_tokens: self.max_tokens,
            messages: &self.messages,
            instructions: self.instructions.as_deref(),
            material: self.material.as_deref(),
        }
    }
}

/// A message without what a summary is not made of.
fn bare(mut message: Message, tools: &ResultTools, stub_over: Option<usize>) -> Option<Message> {
    message.parts.retain(|part| !matches!(part.content, Content::Thinking(_)));
    for part in &mut message.parts {
        match &mut part.content {
            Content::ToolResult(result) => {
                stub(result, tools, stub_over);
                result.content.iter_mut().for_each(name_media);
            }
            _ => name_media(part),
        }
    }
    (!message.parts.is_empty()).then_some(message)
}

fn stub(result: &mut ToolResult, tools: &ResultTools, stub_over: Option<usize>) {
    let Some(most) = stub_over else { return };
    let texts = result.content.iter().filter_map(Part::as_text);
    let characters: usize = texts.map(|text| text.chars().count()).sum();
    if characters > most {
        let tool = tools.tool_name(result).unwrap_or("unknown");
        let line =
            format!("[Tool {tool} returned {characters} chars; omitted before summarization]");
        result.content = vec![Part::text(line)];
    }
}

/// Puts a line that names them in the place of bytes.
fn name_media(part: &mut Part) {
    if let Content::Media(media) = &part.content {
        *part = Part::text(named(media));
    }
}

fn named(media: &Media) -> String {
    let kind = match &*media.media_type {
        _ if media.is_image() => "image",
        "" | "*/*" => "attachment",
        _ => "document",
    };
    match &media.name {
        Some(name) => format!("[{kind}: {name}]"),
        None => format!("[{kind}]"),
    }
}

/// The summary in an answer: the text of the first `<summary>`, without thoughts around it; all of
/// it if there are no tags.
pub fn clean_summary(answer: &str) -> String {
    let mut text = answer.replace('\0', "");
    for tag in ["analysis", "think"] {
        text = without(&text, tag);
    }
    let low = text.to_ascii_lowercase();
    if let Some((start, end)) = element(&low, "summary", 0) {
        text = text.get(start.end..end.start).unwrap_or_default().to_owned();
    }
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text.trim().to_owned()
}

/// Whether an answer is a refusal or an error in words instead of a summary. One with the tags that
/// were asked for is a summary, whatever it begins with.
pub fn is_refusal(answer: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "<!doctype",
        "<html",
        "api error",
        "as an ai",
        "error code",
        "error:",
        "i am sorry",
        "i am unable",
        "i apologize",
        "i can not",
        "i can't",
        "i cannot",
        "i won't",
        "i'm not able",
        "i'm sorry",
        "i'm unable",
        "internal server error",
        "rate limit",
        "sorry, ",
        "too many requests",
        "{\"error\"",
    ];
    let low = without(answer, "think").to_ascii_lowercase().replace('\u{2019}', "'");
    let start = low.trim_start();
    element(&low, "summary", 0).is_none() && BEGINNINGS.iter().any(|word| start.starts_with(word))
}

/// A text without its elements of a name.
fn without(text: &str, name: &str) -> String {
    // ASCII in lower case has the same places.
    let low = text.to_ascii_lowercase();
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    while let Some((start, end)) = element(&low, name, from) {
        out.push_str(text.get(from..start.start).unwrap_or_default());
        from = end.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

type TagRange = std::ops::Range<usize>;

/// The ranges of the tags of the first element of a name after `from`; none if it is not closed.
fn element(low: &str, name: &str, from: usize) -> Option<(TagRange, TagRange)> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let start = from + low.get(from..)?.find(&open)?;
    let inside = start + open.len();
    let end = inside + low.get(inside..)?.find(&close)?;
    Some((start..inside, end..end + close.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{MediaSource, Role, ToolCall};

    #[test]
    fn the_first_summary_is_taken_and_thoughts_are_not() {
        for (answer, clean) in [
            ("<ANALYSIS>a</ANALYSIS><SUMMARY>b</SUMMARY>", "b"),
            ("<summary>a</summary><summary>b</summary>", "a"),
            ("<think>x</think>\nplain ", "plain"),
            ("a\n\n\n\n\nb", "a\n\nb"),
            ("<summary>a", "<summary>a"),
            ("<summary></summary>", ""),
            ("<analysis>a</analysis>b<analysis>c</analysis>", "b"),
            ("ß<summary>İ</summary>", "İ"),
        ] {
            assert_eq!(clean_summary(answer), clean, "{answer}");
        }
    }

    #[test]
    fn refusals_and_errors_are_no_summaries() {
        for answer in [
            "I'm sorry, but I can\u{2019}t help with that.",
            "<think>no</think>\nI cannot summarise this conversation.",
            "Error: 529 overloaded",
            " {\"error\": {\"message\": \"x\"}}",
        ] {
            assert!(is_refusal(answer), "{answer}");
        }
        for answer in [
            "The user asked why the build is red.",
            "<summary>Error: E0382 in src/pay.rs</summary>",
            "Errors were found in two files.",
        ] {
            assert!(!is_refusal(answer), "{answer}");
        }
    }

    fn slice(instructions: Option<&str>, stub_over: Option<usize>) -> SummarySlice {
        let call = ToolCall {
            id: "c1".into(),
            name: "run".into(),
            arguments: r#"{"a":1}"#.into(),
            custom: false,
        };
        let result = ToolResult {
            call_id: "c1".into(),
            name: None,
            content: vec![Part::text("output")],
            is_error: None,
        };
        let media = Media {
            media_type: "IMAGE/PNG".into(),
            source: MediaSource::Base64("QUJD".into()),
            name: Some("photo.png".into()),
        };
        let shown = vec![Part::new(Content::Media(media)), Part::text("Look.")];
        let said = vec![Part::text("ok"), Part::new(Content::ToolCall(call))];
        let messages = [
            Message::new(Role::User, shown),
            Message::new(Role::Assistant, said),
            Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]),
        ];
        let covered: Vec<&Message> = messages.iter().collect();
        SummarySlice::new(&covered, stub_over, instructions.map(Arc::from), None, 500)
    }

    fn texts(slice: &SummarySlice) -> Vec<String> {
        slice.ask().prompt(10_000).into_iter().map(|chat| chat.text).collect()
    }

    #[test]
    fn a_model_is_given_the_slice_as_texts_and_what_is_wanted() {
        let plain = texts(&slice(None, None));
        assert_eq!(
            plain[..3],
            [
                "[image: photo.png]\nLook.",
                "ok\n[Called tool: run({\"a\":1})]",
                "[Tool result (c1): output]"
            ]
        );
        assert_eq!(plain.len(), 4);
        assert!(plain[3].contains("<summary>") && plain[3].contains("500 tokens"), "{}", plain[3]);
        let asked = texts(&slice(Some("Name every file."), None));
        assert!(asked[3].ends_with("\n\nAdditional instructions:\nName every file."));
        let stubbed = texts(&slice(None, Some(5)));
        let line = "[Tool run returned 6 chars; omitted before summarization]";
        assert_eq!(stubbed[2], format!("[Tool result (c1): {line}]"));
        assert!(!slice(None, None).input.contains("QUJD"));
    }

    #[test]
    fn what_a_model_is_given_is_bounded() {
        let text = |n: usize| format!("{n} {}", "x".repeat(20_000));
        let messages: Vec<Message> = (0..50).map(|n| Message::text(Role::User, text(n))).collect();
        let covered: Vec<&Message> = messages.iter().collect();
        let slice = SummarySlice::new(&covered, None, None, None, 500);
        for most in [0, 1, 1_000, 50_000, 100_000, usize::MAX] {
            let mut prompt = slice.ask().prompt(most);
            prompt.pop();
            let bytes: usize = prompt.iter().map(|chat| chat.text.len()).sum();
            assert!(bytes <= most.saturating_add(40), "{bytes} of {most}");
            if most >= 50_000 {
                assert!(prompt.first().unwrap().text.starts_with("0 x"));
                assert!(prompt.last().unwrap().text.starts_with("49 x"));
            }
        }
    }
}
