//! `contexture prove`: measures what compression does to the user's own session.
//!
//! All requests go through the services, like the requests of a client. Standard output depends on
//! the file alone; times are printed to standard error. Losses are printed too.

mod controls;
mod facts;
mod formats;
mod json;
mod round;
mod table;
mod visible_text;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde_json::value::to_raw_value;

use super::CommandError;
use super::compress::models;
use super::failure::FileFaults;
use super::input_file::{InputFile, why_no_conversation};
use super::paths::{input_path, refuse_second_input};
use super::source_file::SourceFile;
use super::terminal::Terminal;
use crate::service::Services;
use controls::Controls;
use facts::{FactShare, ProvenFacts};
use formats::FormatCounts;
use round::ProveRound;
use visible_text::join_texts;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  contexture prove session.json

FILE holds what `contexture compress` takes. Of a recorded session only messages, system text and
tools are read; other keys are left out.")]
pub(super) struct ProveArgs {
    /// File to read; `-` is standard input, as is no file if something is piped in
    file: Option<PathBuf>,

    /// Model whose tokens are counted
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// JSON file with rows to add to the table of models
    #[arg(long, env = "CONTEXTURE_MODELS_FILE", value_name = "FILE")]
    models_file: Option<PathBuf>,

    /// Print the measurements as JSON
    #[arg(long)]
    json: bool,
}

/// The measurements of one level, with the facts that each text contains.
struct LevelMeasure {
    round: ProveRound,
    /// Facts in the compressed messages, by kind.
    compressed: Vec<FactShare>,
    /// Facts in a random choice of lines.
    random: Vec<FactShare>,
    /// Facts in the beginning and the end of the text.
    ends: Vec<FactShare>,
}

/// Texts that parse, by format: original, compressed, expanded, and decoded without a store.
struct ParsedCounts {
    original: FormatCounts,
    compressed: FormatCounts,
    expanded: FormatCounts,
    decoded: FormatCounts,
}

pub(super) fn run(args: &ProveArgs, terminal: Terminal) -> Result<(), CommandError> {
    let path = input_path(args.file.as_deref())?;
    refuse_second_input(path, "--models-file", args.models_file.as_deref())?;
    let mut source = SourceFile::read(path)?;
    source.check_not_empty()?;
    check_json(path, &source)?;
    let mut file = InputFile::read_source(&mut source, InputFile::read_to_measure)?;
    note_what_was_read(&source, &file, terminal);
    file.members.keep(|key| {
        key == file.key || ["system", "systemInstruction", "instructions", "tools"].contains(&key)
    });
    if let Some(model) = &args.model {
        file.members.set("model", to_raw_value(model)?);
    }
    let models = models(args.models_file.as_deref())?;
    let progress = terminal.progress("compressing at level lossless");
    let services = || Services::new(models.clone());
    let mut rounds = vec![ProveRound::run(&services, &file, "lossless", None)?];
    if !file.is_text() {
        progress.set("compressing at level reversible");
        rounds.push(ProveRound::run(&services, &file, "reversible", None)?);
        progress.set("compressing to half");
        let half = rounds.first().map_or(1, |round| (round.before / 2).max(1));
        rounds.push(ProveRound::run(&services, &file, "summary", Some(half))?);
    }
    progress.set("comparing");
    let original = round::items(&file)?;
    let parsed = rounds.first().map(|round| count_parsed(&original, round));
    let measured = measure(&services()?, &original, rounds)?;
    drop(progress);
    let mut out = io::stdout();
    if args.json {
        writeln!(out, "{}", json::figures(&file, &measured, parsed.as_ref()))?;
    } else {
        table::print(&file, &measured, parsed.as_ref(), &mut out)?;
    }
    out.flush()?;
    table::print_time(&measured, &mut terminal.notes())?;
    match measured.iter().map(|measured| measured.round.lost()).sum() {
        0 => Ok(()),
        1 => Err("one message was not restored".into()),
        lost => Err(format!("{lost} messages were not restored").into()),
    }
}

/// Says what of a file of JSON Lines was left out, or why it is measured as one text.
fn note_what_was_read(source: &SourceFile, file: &InputFile, terminal: Terminal) {
    file.note_cut_line(terminal);
    if file.is_text()
        && let Some(line) = why_no_conversation(&source.text)
    {
        terminal.note(&format!("{} is read as one text: {}", source.name(), line.why));
    }
}

/// Refuses a malformed JSON file, which would otherwise be measured as a text.
fn check_json(path: &Path, source: &SourceFile) -> Result<(), FileFaults> {
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if !is_json {
        return Ok(());
    }
    let mut json = source.clone();
    json.take_as_json();
    json.check_json(None)
}

fn count_parsed(original: &[serde_json::Value], round: &ProveRound) -> ParsedCounts {
    ParsedCounts {
        original: FormatCounts::new(original),
        compressed: FormatCounts::new(&round.compressed),
        expanded: FormatCounts::new(&round.expanded),
        decoded: FormatCounts::new(&round.decoded),
    }
}

/// Counts the facts that are left at each level, and by two simple methods at the same size.
fn measure(
    services: &Services,
    original: &[serde_json::Value],
    rounds: Vec<ProveRound>,
) -> Result<Vec<LevelMeasure>, CommandError> {
    let whole = join_texts(original);
    let facts = ProvenFacts::new(&whole);
    let tokens = round::count(services, &whole)?;
    let mut measured = Vec::with_capacity(rounds.len());
    for round in rounds {
        let text = join_texts(&round.compressed);
        let controls = Controls::new(&whole, round::count(services, &text)?, tokens);
        measured.push(LevelMeasure {
            compressed: facts.seen_in(&text),
            random: facts.seen_in(&controls.random),
            ends: facts.seen_in(&controls.ends),
            round,
        });
    }
    Ok(measured)
}
