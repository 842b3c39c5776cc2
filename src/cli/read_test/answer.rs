//! Asks a model the questions, and compares what it says with the right answers.

use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::form::{FormedText, TextForm};
use super::question::TextQuestion;
use super::{PreparedText, is_in_sight};
use crate::domain::{PromptMessage, Role};
use crate::hook::FailureCause;
use crate::webhook::{ChatEndpoint, ChatFailure, ChatRequest};

/// Time for one answer, tries included.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(2);
/// Tokens of an answer: a value takes a few, the thoughts of some models many.
const MAX_ANSWER_TOKENS: u64 = 2_048;

/// A question about one form of a text.
#[derive(Debug, Clone)]
pub(super) struct FormQuestion<'t> {
    pub(super) text: &'t PreparedText,
    pub(super) form: &'t FormedText,
    pub(super) question: &'t TextQuestion,
    /// The place of the question among those of its text.
    pub(super) place: usize,
}

/// What a model said to a question.
#[derive(Debug, Clone)]
pub(super) struct FormAnswer<'t> {
    pub(super) asked: FormQuestion<'t>,
    pub(super) said: ModelAnswer,
}

/// An answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ModelAnswer {
    Said(String),
    /// The form does not show what the answer follows from; it was not asked.
    NotInSight,
}

impl FormAnswer<'_> {
    /// Whether the answer is the right one, character by character.
    pub(super) fn is_right(&self) -> bool {
        matches!(&self.said, ModelAnswer::Said(said) if value_of(said) == self.asked.question.answer)
    }
}

/// Lists the questions of all forms; the forms of a text after each other, the original first.
pub(super) fn list(texts: &[PreparedText]) -> Vec<FormQuestion<'_>> {
    let mut questions = Vec::new();
    for text in texts {
        for form in &text.forms {
            for (place, question) in text.questions.iter().enumerate() {
                questions.push(FormQuestion { text, form, question, place });
            }
        }
    }
    questions
}

/// Asks all questions, `parallel` at a time; the answers have their order. Stops at the first
/// failure of the endpoint.
pub(super) async fn ask<'t>(
    endpoint: &ChatEndpoint,
    questions: Vec<FormQuestion<'t>>,
    parallel: usize,
) -> Result<Vec<FormAnswer<'t>>, ChatFailure> {
    stream::iter(questions)
        .map(|asked| ask_one(endpoint, asked))
        .buffered(parallel.max(1))
        .try_collect()
        .await
}

async fn ask_one<'t>(
    endpoint: &ChatEndpoint,
    asked: FormQuestion<'t>,
) -> Result<FormAnswer<'t>, ChatFailure> {
    if !is_in_sight(asked.question, asked.form) {
        return Ok(FormAnswer { asked, said: ModelAnswer::NotInSight });
    }
    let text = format!(
        "{}\n\n{} Answer with the value alone.",
        asked.form.text.trim_end_matches('\n'),
        asked.question.text
    );
    let messages = [PromptMessage { role: Role::User, text }];
    let request =
        ChatRequest { messages: &messages, max_tokens: MAX_ANSWER_TOKENS, temperature: Some(0) };
    match endpoint.ask(&request, ANSWER_TIMEOUT).await {
        Ok(said) => Ok(FormAnswer { asked, said: ModelAnswer::Said(said) }),
        // A refusal and an answer that does not end are answers, and wrong ones.
        Err(chat) if chat.failure.cause == FailureCause::BadShape => {
            let said = ModelAnswer::Said(format!("({})", chat.failure.detail));
            Ok(FormAnswer { asked, said })
        }
        Err(chat) => Err(chat),
    }
}

/// The value in an answer: without thoughts, quotes around it, and a full stop after it.
pub(super) fn value_of(said: &str) -> &str {
    let said = said.rsplit_once("</think>").map_or(said, |(_, rest)| rest);
    let is_mark = |character: char| matches!(character, '"' | '\'' | '`' | '*');
    said.trim().trim_end_matches('.').trim_matches(is_mark).trim_end_matches('.').trim()
}

/// Whether answers about a form are compared with those about the original.
pub(super) fn is_compared(form: TextForm) -> bool {
    form != TextForm::Original
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_around_a_value_are_no_part_of_it() {
        for said in
            ["Ulm", " Ulm\n", "\"Ulm\"", "`Ulm`.", "**Ulm**", "\"Ulm.\"", "<think>x</think>\nUlm"]
        {
            assert_eq!(value_of(said), "Ulm", "{said}");
        }
        assert_eq!(value_of("It is Ulm."), "It is Ulm");
        assert_eq!(value_of("17.25"), "17.25");
    }
}
