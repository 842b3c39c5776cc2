//! `compress_format`: texts of formats that only others know, made shorter by them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::result::calls_of;
use crate::domain::Message;
use crate::hook::{
    AnswerReader, CheckedInput, CompressFormatInput, MatchContext, Point, PointInput as _,
};
use crate::json::{Limits, parse};
use crate::pipeline::{Error, HookPort};

/// Bytes of the shortest text that hooks are asked about.
const MIN_TEXT_BYTES: usize = 1_000;
const ANSWER_LIMITS: Limits = Limits { depth: 8, values: 1_000 };

/// Texts, each with the shorter one that takes its place.
pub type ShorterTexts = BTreeMap<Arc<str>, Arc<str>>;

/// Asks hooks for shorter forms of the long texts of results in some messages of a history.
pub fn ask_formats<'m>(
    asks: &mut dyn HookPort,
    messages: impl Iterator<Item = &'m Message>,
    history: &[Message],
) -> Result<ShorterTexts, Error> {
    let calls = calls_of(history);
    let mut texts = Vec::new();
    for result in messages.flat_map(Message::tool_results) {
        let call = calls.get(&result.call_id).map(|call| &call.name);
        let tool = result.name.as_ref().or(call);
        texts.extend(result.content.iter().filter_map(|part| Some((part.as_text()?, tool))));
    }
    ask_texts(asks, texts.into_iter())
}

/// Asks hooks for shorter forms of texts, each with the tool that wrote it.
pub fn ask_texts<'t>(
    asks: &mut dyn HookPort,
    texts: impl Iterator<Item = (&'t Arc<str>, Option<&'t Arc<str>>)>,
) -> Result<ShorterTexts, Error> {
    let mut seen = BTreeSet::new();
    let is_asked = |(text, _): &(&'t Arc<str>, Option<&'t Arc<str>>)| text.len() >= MIN_TEXT_BYTES;
    let texts: Vec<_> = texts.filter(is_asked).filter(|(text, _)| seen.insert(*text)).collect();
    let input = |(text, tool): &(&Arc<str>, Option<&Arc<str>>)| {
        CompressFormatInput { text, tool: tool.map(|tool| &**tool) }.to_json()
    };
    let inputs: Vec<String> = texts.iter().map(input).collect();
    let readers: Vec<_> = texts
        .iter()
        .map(|(before, _)| AnswerReader::new(move |answer: &str| read(answer, before)))
        .collect();
    let checks: Vec<_> =
        readers.iter().map(|reader| move |answer: &str| reader.check(answer)).collect();
    let items: Vec<CheckedInput<'_>> = texts
        .iter()
        .zip(&inputs)
        .zip(&checks)
        .map(|(((_, tool), input), check)| {
            let facts = MatchContext { tool: tool.map(|tool| &**tool), ..MatchContext::default() };
            CheckedInput { input, facts, check }
        })
        .collect();
    let answers = asks.answers(Point::CompressFormat, &items)?;
    let shorter = readers.iter().zip(answers).map(|(reader, answer)| reader.take(&answer?));
    let made = texts.iter().zip(shorter);
    Ok(made.filter_map(|((before, _), text)| Some((Arc::clone(before), text?))).collect())
}

/// The shorter text in an answer, or what is wrong with it.
fn read(answer: &str, before: &str) -> Result<Arc<str>, String> {
    let node = parse(answer, ANSWER_LIMITS).map_err(|error| error.to_string())?;
    let text = node.get("text").ok_or("/text: is missing")?;
    match text.as_str() {
        None => Err(format!("/text: must be a text, not {}", text.kind())),
        Some("") => Err("/text: must not be empty".to_owned()),
        Some(text) if text.len() >= before.len() => {
            Err("/text: must be shorter than what it is made of".to_owned())
        }
        Some(text) => Ok(text.into()),
    }
}
