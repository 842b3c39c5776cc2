//! `contexture prove`: measures what compression does to the user's own session.
//!
//! Everything goes through the service, as a client's requests would. Standard output depends on
//! the file alone; the time is printed to standard error. A loss is printed as a loss.

mod controls;
mod facts;
mod formats;
mod round;
mod shown;
mod table;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde_json::value::to_raw_value;

use super::CommandError;
use super::compile::read_input;
use super::compress::models;
use super::input_file::{InputFile, without_mark};
use crate::service::Services;
use controls::Controls;
use facts::{FactShare, ProvenFacts};
use formats::FormatCounts;
use round::ProveRound;
use shown::texts;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  contexture prove session.json

FILE holds what `contexture compress` takes. Of a recorded session only messages, system text and
tools are read; other keys are left out.")]
pub(super) struct ProveArgs {
    /// File to read; `-` is standard input
    file: PathBuf,

    /// Model whose tokens are counted
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// JSON file with rows to add to the table of models
    #[arg(long, env = "CONTEXTURE_MODELS_FILE", value_name = "FILE")]
    models_file: Option<PathBuf>,
}

/// What was measured at one level.
struct LevelMeasure {
    round: ProveRound,
    /// By kind of fact: how many are in sight, of how many.
    shown: Vec<FactShare>,
    random: Vec<FactShare>,
    ends: Vec<FactShare>,
}

/// Texts that parse, by format: original, compressed, expanded, and decoded without a store.
struct ParsedCounts {
    came: FormatCounts,
    shown: FormatCounts,
    expanded: FormatCounts,
    decoded: FormatCounts,
}

pub(super) fn run(args: &ProveArgs) -> Result<(), CommandError> {
    let text = read_input(&args.file)?;
    check_json(&args.file, &text)?;
    let mut given = InputFile::read(&text)?;
    given.members.keep(|key| {
        key == given.key || ["system", "systemInstruction", "instructions", "tools"].contains(&key)
    });
    if let Some(model) = &args.model {
        given.members.set("model", to_raw_value(model)?);
    }
    let models = models(args.models_file.as_deref())?;
    Services::new(models.clone())?.warm();
    let services = || Services::new(models.clone());
    let mut rounds = vec![ProveRound::run(&services, &given, "lossless", None)?];
    if !given.is_text() {
        rounds.push(ProveRound::run(&services, &given, "reversible", None)?);
        let half = rounds.first().map_or(1, |round| (round.before / 2).max(1));
        rounds.push(ProveRound::run(&services, &given, "summary", Some(half))?);
    }
    let original = round::items(&given)?;
    let parsed = rounds.first().map(|round| count_parsed(&original, round));
    let measured = measure(&services()?, &original, rounds)?;
    let mut out = io::stdout();
    table::print(&given, &measured, parsed.as_ref(), &mut out)?;
    out.flush()?;
    table::print_time(&measured, &mut io::stderr())?;
    match measured.iter().map(|measured| measured.round.lost()).sum() {
        0 => Ok(()),
        1 => Err("one message was not restored".into()),
        lost => Err(format!("{lost} messages were not restored").into()),
    }
}

/// A malformed JSON file would otherwise be measured as a text.
fn check_json(path: &Path, text: &str) -> Result<(), CommandError> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
        && let Err(error) = serde_json::from_str::<IgnoredAny>(without_mark(text))
    {
        return Err(format!("{} is not JSON: {error}", path.display()).into());
    }
    Ok(())
}

fn count_parsed(original: &[serde_json::Value], round: &ProveRound) -> ParsedCounts {
    ParsedCounts {
        came: FormatCounts::new(original),
        shown: FormatCounts::new(&round.shown),
        expanded: FormatCounts::new(&round.expanded),
        decoded: FormatCounts::new(&round.decoded),
    }
}

/// Measures the visible facts at each level, next to those of two simple methods at the same size.
fn measure(
    services: &Services,
    original: &[serde_json::Value],
    rounds: Vec<ProveRound>,
) -> Result<Vec<LevelMeasure>, CommandError> {
    let whole = texts(original);
    let facts = ProvenFacts::new(&whole);
    let tokens = round::count(services, &whole)?;
    let mut measured = Vec::with_capacity(rounds.len());
    for round in rounds {
        let shown = texts(&round.shown);
        let controls = Controls::new(&whole, round::count(services, &shown)?, tokens);
        measured.push(LevelMeasure {
            shown: facts.seen_in(&shown),
            random: facts.seen_in(&controls.random),
            ends: facts.seen_in(&controls.ends),
            round,
        });
    }
    Ok(measured)
}
