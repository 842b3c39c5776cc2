//! `contexture compress` and `contexture expand`: `POST /compress` and `POST /expand`, on a file.
//!
//! Nothing is stored. A text is printed without an additional line end, so that a pipe through both
//! commands returns the same bytes.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::failure::{GivenFlag, given_flags};
use super::input_file::{InputFile, why_no_conversation};
use super::members::OrderedMembers;
use super::originals_file::OriginalsFile;
use super::paths::{input_path, refuse_second_input};
use super::row_files::read_models;
use super::source_file::SourceFile;
use super::terminal::Terminal;
use super::usage::one_of;
use super::{CommandError, report};
use crate::domain::{AllowedNotations, Models};
use crate::http::problem::Problem;
use crate::pipeline::{Deadline, MAX_EDIT_BYTES};
use crate::service::compress::COMPRESS_LEVELS;
use crate::service::{self, Services};

/// Time that one call on the command line may take.
const CALL_TIMEOUT: Duration = Duration::from_mins(5);

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  contexture compress build.log | less
  contexture compress session.json --level reversible > shorter.json
  contexture compress build.log --originals none | contexture expand - | cmp - build.log

FILE holds a request as for POST /compress, a provider's payload, a bare list of messages, a
session as a coding agent logs it, or anything else, which is taken as one text.")]
pub(super) struct CompressArgs {
    /// File to read; `-` is standard input, as is no file if something is piped in
    file: Option<PathBuf>,

    /// What may be done
    ///
    /// Each includes the ones before. `lossless` if neither this nor a budget is given, `summary`
    /// with a budget.
    #[arg(long, value_name = "LEVEL", value_parser = one_of(COMPRESS_LEVELS))]
    level: Option<String>,

    /// How values may be shown
    ///
    /// `plain`, when absent, shows each as it was written; with `computed` some are derived from
    /// others, which is shorter; `none` keeps the format of the original.
    #[arg(long, value_name = "HOW", value_parser = one_of(AllowedNotations::WORDS))]
    notations: Option<String>,

    /// Tokens that the result may take
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    budget: Option<u64>,

    /// Model whose tokens are counted
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// Shorten old results of tools, and clear none of them to one line
    #[arg(long)]
    no_clear: bool,

    /// Originals: `return` puts them into the response of `--full`, `none` makes only edits that
    /// decode to the very bytes
    ///
    /// `return` when absent: terminal codes and blanks that say nothing may go, and only the
    /// response of `--full` can bring them back.
    #[arg(long, value_name = "WHAT", value_parser = ["none", "return"])]
    originals: Option<String>,

    /// Print the whole response, not only the messages or the text
    #[arg(long, visible_alias = "json")]
    full: bool,

    /// JSON file with rows to add to the table of models
    #[arg(long, env = "CONTEXTURE_MODELS_FILE", value_name = "FILE")]
    models_file: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  contexture expand shorter.json > again.json
  contexture compress session.json --full | contexture expand - > again.json

FILE holds messages or a text that `contexture compress` printed, or its answer with --full.")]
pub(super) struct ExpandArgs {
    /// File to read; `-` is standard input, as is no file if something is piped in
    file: Option<PathBuf>,

    /// JSON file with originals by id, or a response of `contexture compress --full`
    ///
    /// If absent, the originals in the expanded response are used.
    #[arg(long, value_name = "FILE")]
    originals: Option<PathBuf>,
}

pub(super) fn compress(args: &CompressArgs, terminal: Terminal) -> Result<(), CommandError> {
    let path = input_path(args.file.as_deref())?;
    refuse_second_input(path, "--models-file", args.models_file.as_deref())?;
    let mut source = SourceFile::read(path)?;
    let mut file = InputFile::read_source(&mut source, InputFile::read)?;
    note_what_was_read(&source, &file, terminal);
    let ignored = file.keep_options();
    let members = &mut file.members;
    for (key, value) in
        [("level", &args.level), ("notations", &args.notations), ("model", &args.model)]
    {
        if let Some(value) = value {
            members.set(key, to_raw_value(value)?);
        }
    }
    if let Some(budget) = args.budget {
        members.set("budget_tokens", to_raw_value(&budget)?);
    }
    if args.no_clear {
        members.set("clear", to_raw_value(&false)?);
    }
    match &args.originals {
        Some(originals) => members.set("originals", to_raw_value(originals)?),
        // Originals go into the response, because the command has no store for them.
        None if members.get("originals").map(RawValue::get) != Some("\"none\"") => {
            members.set("originals", to_raw_value("return")?);
        }
        None => {}
    }
    let has_budget = members.get("budget_tokens").is_some();
    if file.is_text() && source.text.len() > MAX_EDIT_BYTES {
        note_large_text(has_budget, terminal);
    }
    let services = Services::new(models(args.models_file.as_deref())?)?;
    let progress = terminal.progress("compressing");
    let answer = service::compress::compress(&services, &file.members.to_json()?, &call_deadline())
        .map_err(|error| source.problem_of(&error.into(), file.key, &args.given_flags()))?;
    drop(progress);
    let parts: OrderedMembers = serde_json::from_str(&answer.text())?;
    let mut out = io::stdout();
    if args.full {
        writeln!(out, "{}", answer.text())?;
    } else {
        print(&parts, file.key, &mut out)?;
    }
    let mut err = terminal.notes();
    if !ignored.is_empty() {
        writeln!(err, "ignored: {}", ignored.join(", "))?;
    }
    let report: Value = serde_json::from_str(parts.get("report").map_or("null", RawValue::get))?;
    report::print_report(&report, &mut err)?;
    Ok(())
}

pub(super) fn expand(args: &ExpandArgs, terminal: Terminal) -> Result<(), CommandError> {
    let path = input_path(args.file.as_deref())?;
    refuse_second_input(path, "--originals", args.originals.as_deref())?;
    let mut source = SourceFile::read(path)?;
    let file = InputFile::read_source(&mut source, InputFile::read)?;
    let mut request = OrderedMembers::new(file.key, file.value().to_owned());
    let given = args.originals.as_deref().map(OriginalsFile::read).transpose()?;
    let originals = match &given {
        Some(given) => Some(given.originals.clone()),
        None => file.members.object("originals").map(ToOwned::to_owned),
    };
    if let Some(originals) = originals {
        request.set("originals", originals);
    }
    let services = Services::new(Models::built_in())?;
    let progress = terminal.progress("restoring");
    let answer = service::expansion::expand(&services, &request.to_json()?, &call_deadline())
        .map_err(|error| {
            let problem = Problem::from(error);
            let of_originals = given.and_then(|given| given.fault(&problem));
            of_originals.map_or_else(|| source.problem(&problem, file.key), Into::into)
        })?;
    drop(progress);
    let parts: OrderedMembers = serde_json::from_slice(&answer)?;
    print(&parts, file.key, &mut io::stdout())?;
    let done: Value = serde_json::from_slice(&answer)?;
    let number = |key: &str| done.get(key).and_then(Value::as_u64).unwrap_or(0);
    let missing = done.get("missing").and_then(Value::as_array).map_or(0, Vec::len);
    let (expanded, unchanged) = (number("expanded"), number("unchanged"));
    terminal.note(&format!("{expanded} expanded, {unchanged} as they came, {missing} missing"));
    if missing > 0 {
        return Err("not all of it can be restored from what is here".into());
    }
    Ok(())
}

impl CompressArgs {
    /// The flags that were given, for faults of their values.
    fn given_flags(&self) -> Vec<GivenFlag> {
        let budget = self.budget.map(|tokens| tokens.to_string());
        given_flags([
            ("--level <LEVEL>", "/level", self.level.clone()),
            ("--model <NAME>", "/model", self.model.clone()),
            ("--budget <TOKENS>", "/budget_tokens", budget),
        ])
    }
}

/// Says what of a file was left out, or why it is a text although it looks like something else.
fn note_what_was_read(source: &SourceFile, file: &InputFile, terminal: Terminal) {
    if source.check_not_empty().is_err() {
        terminal.note(&format!("{} is empty", source.name()));
    }
    file.note_cut_line(terminal);
    if file.is_text()
        && let Some(place) = source.broken_json()
    {
        terminal.note(&format!(
            "{} looks like JSON and is not, at {place}; it is compressed as a text",
            source.name()
        ));
    } else if file.is_text()
        && let Some(line) = why_no_conversation(&source.text)
        && line.is_after_others
    {
        // Lines that never were of a conversation, such as a log, are a text that was meant.
        terminal.note(&format!("{} is compressed as one text: {}", source.name(), line.why));
    }
}

/// Says what is not done with a text that is too large for notations.
fn note_large_text(has_budget: bool, terminal: Terminal) {
    let what = if has_budget {
        "gets no notations; it is only shortened to its budget"
    } else {
        "is shown as it is"
    };
    terminal.note(&format!(
        "a text of more than {} MiB {what}: split it at line ends, such as with `split -C 15m`",
        MAX_EDIT_BYTES >> 20
    ));
}

/// Returns the built-in models, and those of a file.
pub(super) fn models(file: Option<&Path>) -> Result<Models, CommandError> {
    let mut models = Models::built_in();
    if let Some(path) = file {
        models.extend(read_models(path)?);
    }
    Ok(models)
}

/// Starts the time of one call.
pub(super) fn call_deadline() -> Deadline {
    Deadline::at(Instant::now() + CALL_TIMEOUT)
}

/// Prints the messages of a response on one line, or its text byte for byte.
fn print(answer: &OrderedMembers, key: &str, out: &mut impl Write) -> Result<(), CommandError> {
    let value = answer.get(key).map_or("null", RawValue::get);
    if key == "text" {
        let text: String = serde_json::from_str(value)?;
        out.write_all(text.as_bytes())?;
        out.flush()?;
    } else {
        writeln!(out, "{value}")?;
    }
    Ok(())
}
