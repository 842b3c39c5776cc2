//! `contexture compile`: the pipeline on a file.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::compress::models;
use super::failure::{GivenFlag, given_flags};
use super::json_lines::is_json_lines;
use super::members::OrderedMembers;
use super::paths::{input_path, refuse_second_input, shell_word};
use super::source_file::SourceFile;
use super::terminal::Terminal;
use super::usage::one_of;
use super::{CommandError, report};
use crate::domain::Target;
use crate::pipeline::Deadline;
use crate::service::{self, Services};

/// Time that a compile on the command line may take.
const CALL_TIMEOUT: Duration = Duration::from_mins(1);

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  contexture compile conversation.json --target anthropic
  contexture compile request.json --target openai --window 16000 --reserve 1000 > payload.json
  generate | contexture compile - --target gemini

FILE holds a whole request as for POST /compile, a provider's payload, or a bare list of messages.")]
pub(super) struct CompileArgs {
    /// File to read; `-` is standard input, as is no file if something is piped in
    file: Option<PathBuf>,

    /// Shape to produce
    ///
    /// Wins over `target` in the file, as every flag does over its key.
    #[arg(long, value_name = "SHAPE", value_parser = one_of(Target::WORDS))]
    target: Option<String>,

    /// Tokens of the model's window
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    window: Option<u64>,

    /// Tokens of the window that are reserved for the reply
    #[arg(long, value_name = "TOKENS")]
    reserve: Option<u64>,

    /// Model that the payload is for; decides window and tokenizer
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Print the whole response to standard output, not only its payload
    #[arg(long, visible_alias = "json")]
    full: bool,

    /// JSON file with rows to add to the table of models
    #[arg(long, env = "CONTEXTURE_MODELS_FILE", value_name = "FILE")]
    models_file: Option<PathBuf>,
}

/// The members of a response that are printed.
#[derive(Deserialize)]
struct PrintedResponse<'a> {
    #[serde(borrow)]
    payload: &'a RawValue,
    report: serde_json::Value,
}

pub(super) fn run(args: &CompileArgs, terminal: Terminal) -> Result<(), CommandError> {
    let path = input_path(args.file.as_deref())?;
    refuse_second_input(path, "--models-file", args.models_file.as_deref())?;
    let source = SourceFile::read_json(path)?;
    source.check_not_empty()?;
    let name = source.name();
    let file = shell_word(path);
    if is_json_lines(&source.text) {
        return Err(format!(
            "{name} is JSON Lines, and compile takes one document: measure the session with `contexture \
             prove {file}`, shorten it with `contexture compress {file}`, or put the messages into \
             {{\"messages\": [...]}}"
        )
        .into());
    }
    source.check_json(Some(&format!("compress {file}")))?;
    let body = edit(&source.text, args)?;
    let models = models(args.models_file.as_deref())?;
    let deadline = Deadline::at(Instant::now() + CALL_TIMEOUT);
    let progress = terminal.progress("compiling");
    let answer = service::compile::compile(&Services::new(models)?, &body, &deadline)
        .map_err(|error| source.problem_of(&error.into(), "messages", &args.given_flags()))?;
    drop(progress);
    let text = answer.text();
    let parts: PrintedResponse<'_> = serde_json::from_str(&text)?;
    let output = if args.full { &*text } else { parts.payload.get() };
    writeln!(io::stdout(), "{output}")?;
    report::print_report(&parts.report, &mut terminal.notes())?;
    Ok(())
}

/// Returns the request in the file, with the values of flags. Values that no flag replaces keep
/// their bytes. A text that is no object or list stays as it is, and the compile refuses it.
fn edit(text: &str, args: &CompileArgs) -> Result<String, CommandError> {
    let mut members = match text.trim_start().chars().next() {
        Some('[') => {
            let list = serde_json::from_str::<&RawValue>(text);
            match list {
                Ok(list) => OrderedMembers::new("messages", list.to_owned()),
                Err(_) => return Ok(text.to_owned()),
            }
        }
        Some('{') if args.changes_something() => match serde_json::from_str::<OrderedMembers>(text)
        {
            Ok(members) => members,
            Err(_) => return Ok(text.to_owned()),
        },
        _ => return Ok(text.to_owned()),
    };
    let texts = [("target", &args.target), ("model", &args.model)];
    for (key, value) in texts {
        if let Some(value) = value {
            members.set(key, serde_json::value::to_raw_value(value)?);
        }
    }
    let sizes = [("context_window", args.window), ("reserve_output", args.reserve)];
    if sizes.iter().any(|(_, value)| value.is_some()) {
        let current = members.get("budget").map(RawValue::get);
        let mut budget: OrderedMembers = match current {
            Some(text) if text.starts_with('{') => serde_json::from_str(text)?,
            // A number is the short form of a window.
            Some(text) if text.parse::<u64>().is_ok() => {
                OrderedMembers::new("context_window", RawValue::from_string(text.to_owned())?)
            }
            _ => OrderedMembers::default(),
        };
        for (key, value) in sizes {
            if let Some(value) = value {
                budget.set(key, serde_json::value::to_raw_value(&value)?);
            }
        }
        members.set("budget", RawValue::from_string(budget.to_json()?)?);
    }
    Ok(members.to_json()?)
}

impl CompileArgs {
    /// The flags that were given, for faults of their values.
    fn given_flags(&self) -> Vec<GivenFlag> {
        let number = |tokens: Option<u64>| tokens.map(|tokens| tokens.to_string());
        given_flags([
            ("--target <SHAPE>", "/target", self.target.clone()),
            ("--model <NAME>", "/model", self.model.clone()),
            ("--window <TOKENS>", "/budget/context_window", number(self.window)),
            ("--reserve <TOKENS>", "/budget/reserve_output", number(self.reserve)),
        ])
    }

    fn changes_something(&self) -> bool {
        self.target.is_some()
            || self.model.is_some()
            || self.window.is_some()
            || self.reserve.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(target: Option<&str>, window: Option<u64>) -> CompileArgs {
        CompileArgs {
            file: None,
            target: target.map(str::to_owned),
            window,
            reserve: None,
            model: None,
            full: false,
            models_file: None,
        }
    }

    #[test]
    fn a_bare_list_becomes_messages() {
        let text = edit(" [ {\"a\": 1.50} ] ", &args(Some("openai"), None)).unwrap();
        assert_eq!(text, r#"{"messages":[ {"a": 1.50} ],"target":"openai"}"#);
    }

    #[test]
    fn flags_win_over_keys_and_leave_the_rest_alone() {
        let request =
            r#"{"target":"x","budget":{"context_window":1,"on_overflow":"fail"},"n":1e2}"#;
        let text = edit(request, &args(Some("gemini"), Some(9))).unwrap();
        assert_eq!(
            text,
            r#"{"target":"gemini","budget":{"context_window":9,"on_overflow":"fail"},"n":1e2}"#
        );
    }

    #[test]
    fn a_budget_of_one_number_keeps_it_next_to_a_reserve() {
        let args = CompileArgs { reserve: Some(9), ..args(None, None) };
        let text = edit(r#"{"budget": 4000}"#, &args).unwrap();
        assert_eq!(text, r#"{"budget":{"context_window":4000,"reserve_output":9}}"#);
    }

    #[test]
    fn without_flags_nothing_is_touched() {
        for text in ["{\"a\":1,\"a\":2}", "nonsense", ""] {
            assert_eq!(edit(text, &args(None, None)).unwrap(), text);
        }
    }
}
