//! `contexture read-test`: asks a model about texts as they came, in notations, and shortened.
//!
//! Texts, questions and right answers are made from fixed seeds, so that two runs differ only by what
//! the model says.

mod answer;
mod figures;
mod form;
mod question;
mod question_file;
mod random;
mod table;
mod texts;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use super::CommandError;
use super::compress::models;
use super::terminal::Terminal;
use crate::config::{ChatKey, ChatUrl};
use crate::domain::counted;
use crate::service::Services;
use crate::webhook::{ChatEndpoint, Dns};
use answer::FormQuestion;
use figures::ReadingFigures;
use form::FormedText;
use question::TextQuestion;
use texts::TEXT_MAKERS;

/// The variable with the key of the endpoint.
pub(super) const KEY_VARIABLE: &str = "CONTEXTURE_READ_TEST_KEY";

#[derive(Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("use").required(true).multiple(true).args(["endpoint", "write"]),
    after_help = "\
Examples:
  contexture read-test --endpoint http://localhost:11434/v1 --model qwen3
  CONTEXTURE_READ_TEST_KEY=… contexture read-test --endpoint https://api.openai.com/v1 --model gpt-5.6
  contexture read-test --write questions.jsonl

The key of the endpoint, if it wants one, is in the variable CONTEXTURE_READ_TEST_KEY. Exit code 1 if
a notation that is used without being asked for fails: over 200 questions and more, the lower end of
the 95 % interval of its difference to the original is 5 points or more below 0."
)]
pub(super) struct ReadTestArgs {
    /// OpenAI-compatible endpoint: its base URL, or that of its chat completions
    #[arg(long, value_name = "URL", requires = "model")]
    endpoint: Option<ChatUrl>,

    /// The model that is asked
    #[arg(long, value_name = "NAME", requires = "endpoint")]
    model: Option<String>,

    /// Write the questions with their texts into a new file, one JSON object a line, and ask no one
    #[arg(long, value_name = "FILE", conflicts_with = "endpoint")]
    write: Option<PathBuf>,

    /// Texts of each kind
    #[arg(long, value_name = "NUMBER", default_value = "24",
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    texts: u16,

    /// Kinds of texts, separated by commas; all if absent
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = texts::kind_parser())]
    kinds: Vec<String>,

    /// Leave out the forms that are shortened to half and to a quarter
    #[arg(long)]
    lossless: bool,

    /// Questions that are asked at the same time
    #[arg(long, value_name = "NUMBER", default_value = "4",
          value_parser = clap::value_parser!(u8).range(1..=64))]
    parallel: u8,
}

/// A text in all of its forms.
#[derive(Debug)]
struct PreparedText {
    kind: &'static str,
    number: usize,
    questions: Vec<TextQuestion>,
    /// The original first.
    forms: Vec<FormedText>,
}

impl PreparedText {
    /// The name of a question.
    fn id(&self, place: usize) -> String {
        format!("{}-{}-{place}", self.kind, self.number)
    }
}

/// Whether a form shows what the answer to a question follows from. Lossless forms do.
fn is_in_sight(question: &TextQuestion, form: &FormedText) -> bool {
    !form.form.is_reduced() || question.is_in_sight(&form.text)
}

pub(super) fn run(args: &ReadTestArgs, terminal: Terminal) -> Result<(), CommandError> {
    if let Some(path) = &args.write {
        question_file::check_new(path)?;
    }
    let progress = terminal.progress("making texts and questions");
    let texts = prepare(args)?;
    drop(progress);
    if let Some(path) = &args.write {
        return question_file::write(path, &texts);
    }
    let (Some(url), Some(model)) = (&args.endpoint, &args.model) else {
        return Err("an endpoint and a model are needed".into());
    };
    let endpoint = ChatEndpoint::new(url, model, Vec::new(), None, Arc::new(Dns::system()))?
        .with_key(ChatKey::of_variable(KEY_VARIABLE)?);
    let questions = answer::list(&texts);
    let in_sight = |asked: &&FormQuestion<'_>| is_in_sight(asked.question, asked.form);
    let count = questions.iter().filter(in_sight).count();
    terminal.note(&format!("asking {model} {}", counted(count as u64, "question")));
    let progress = terminal.progress("waiting for the model");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let answers =
        runtime.block_on(answer::ask(&endpoint, questions, usize::from(args.parallel)))?;
    drop(progress);
    let figures = ReadingFigures::new(&answers);
    let mut out = io::stdout();
    let texts_count = counted(texts.len() as u64, "text");
    writeln!(out, "{model}: {}, {texts_count}\n", counted(count as u64, "question"))?;
    table::print(&figures, &mut out)?;
    table::print_differences(&answers, &mut out)?;
    out.flush()?;
    match figures.failed().as_slice() {
        [] => Ok(()),
        failed => Err(format!("read worse than the rule allows: {}", failed.join(", ")).into()),
    }
}

/// Makes the texts with their forms.
fn prepare(args: &ReadTestArgs) -> Result<Vec<PreparedText>, CommandError> {
    let services = Services::new(models(None)?)?;
    let is_chosen =
        |name: &str| args.kinds.is_empty() || args.kinds.iter().any(|kind| kind == name);
    let mut texts = Vec::new();
    for maker in TEXT_MAKERS.iter().filter(|maker| is_chosen(maker.name)) {
        for number in 0..usize::from(args.texts) {
            let text = maker.make(number);
            let mut forms = form::forms(&services, &text.results)?;
            forms.retain(|form| !(args.lossless && form.form.is_reduced()));
            texts.push(PreparedText { kind: maker.name, number, questions: text.questions, forms });
        }
    }
    Ok(texts)
}
