//! `contexture replay`: runs a recorded compile again.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::CommandError;
use super::failure::fault_lines;
use super::source_file::SourceFile;
use super::store::StoreLocation;
use crate::config::HooksConfig;
use crate::domain::counted;
use crate::http::schema::ReplayAnswer;
use crate::json::Fault;
use crate::pipeline::Deadline;
use crate::server;
use crate::service::compilations::{self, ReplayComparison};
use crate::service::pool::Pool;
use crate::service::{Error, Services};

type ReplayResult = Result<ReplayComparison, Error>;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct ReplayArgs {
    /// The `id` of a compile
    id: String,
    /// The request, for a record that has hashes only
    #[arg(long, value_name = "FILE")]
    request: Option<PathBuf>,
    /// Take memory and adapters as they are stored now, not as they were, and ask the hooks of then
    ///
    /// What hooks return now is printed and not used. Give the settings that the server calls them with.
    #[arg(long, conflicts_with = "request")]
    verify: bool,
    /// Use everything as it is now, and store the result as a new record
    ///
    /// Hooks are asked whose question has changed, with the settings that the server has. No model
    /// is asked for summaries.
    #[arg(long, conflicts_with_all = ["request", "verify"])]
    refresh: bool,
    /// Whose record it is
    #[arg(long, value_name = "NAME", default_value = "default")]
    tenant: String,
    /// Print the payload instead of the stages
    #[arg(long)]
    payload: bool,
    /// Print the comparison as JSON, as POST /compilations/{id}/replay returns it
    #[arg(long, conflicts_with = "payload")]
    json: bool,
    #[command(flatten)]
    place: StoreLocation,
    #[command(flatten)]
    hooks: HooksConfig,
}

/// Time that one replay may take.
const REPLAY_TIMEOUT: Duration = Duration::from_mins(1);

/// Replays a record and prints the differences.
pub(super) fn run(args: &ReplayArgs) -> Result<(), CommandError> {
    let source = args.request.as_deref().map(SourceFile::read_json).transpose()?;
    let body = match &source {
        Some(file) => {
            file.check_json(None)?;
            format!("{{\"request\":{}}}", file.text)
        }
        None if args.verify => r#"{"mode":"verify"}"#.to_owned(),
        None if args.refresh => r#"{"mode":"refresh"}"#.to_owned(),
        None => String::new(),
    };
    let services = server::services_calling(args.place.url(), &args.hooks)?;
    let services = services.for_tenant(&Arc::from(args.tenant.as_str()));
    let replayed = run_on_pool(services, args.id.clone(), body)?
        .map_err(|error| failure(error, source.as_ref()))?;
    let is_equal = replayed.is_equal();
    if args.json {
        writeln!(io::stdout(), "{}", serde_json::to_string(&ReplayAnswer::from(replayed))?)?;
    } else if args.payload {
        writeln!(io::stdout(), "{}", replayed.payload.as_deref().unwrap_or("null"))?;
    } else {
        write!(io::stdout(), "{}", format_table(&replayed))?;
    }
    if is_equal { Ok(()) } else { Err("the result differs".into()) }
}

/// Runs the replay on a thread of a pool, as a server does, because it may wait for hooks.
fn run_on_pool(services: Services, id: String, body: String) -> Result<ReplayResult, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let deadline = Deadline::at(Instant::now() + REPLAY_TIMEOUT);
    let until = deadline.clone();
    let tenant = Arc::clone(&services.caller().tenant);
    let job = move |seat| compilations::replay(&services.seated(seat), &id, &body, &until);
    let run = async { Pool::new(1).admit(&tenant)?.run(&deadline, job).await };
    Ok(runtime.block_on(run)?)
}

fn format_table(replayed: &ReplayComparison) -> String {
    let mut text = String::new();
    for row in &replayed.drift.stages {
        let is_root = replayed.drift.root_stages.contains(&row.stage);
        let word = match (row.output_equal, is_root) {
            (true, _) => "equal",
            (false, true) => "parted",
            (false, false) => "follows",
        };
        let changed = row.changed_inputs.join(", ");
        let line = format!("{:<10} {word:<8} {changed}", row.stage.as_str());
        text.push_str(line.trim_end());
        text.push('\n');
    }
    for check in replayed.hooks.iter().flatten() {
        let word = if check.asked_otherwise { ", asked otherwise" } else { "" };
        let config = if check.config_changed { ", another definition" } else { "" };
        let _ = writeln!(text, "{} {}: {}{word}{config}", check.point, check.hook, check.outcome);
    }
    if let Some(id) = &replayed.refreshed {
        let _ = writeln!(text, "new record: {id}");
    }
    let word = if replayed.is_equal() { "the same" } else { "not the same" };
    let outcome = match (&replayed.payload, &replayed.refusal) {
        (_, Some(refusal)) => format!("refused ({})", refusal.code.as_str()),
        (payload, None) => counted(payload.as_ref().map_or(0, String::len) as u64, "byte"),
    };
    let _ = writeln!(text, "{}: {word} as then, {outcome}", replayed.id);
    text
}

/// Formats an error, with the place of each fault of the request.
fn failure(error: Error, request: Option<&SourceFile>) -> CommandError {
    let faults = match error {
        Error::Invalid(faults) => faults,
        Error::RecordIncomplete(compilations::HASHES_ONLY) => {
            return "the record has hashes only: give the request with --request FILE".into();
        }
        error => return Box::new(error),
    };
    let Some(file) = request else { return fault_lines(&faults) };
    let in_file = |fault: Fault| match fault.pointer.strip_prefix("/request") {
        Some(rest) => Fault { pointer: rest.to_owned(), ..fault },
        None => fault,
    };
    let faults: Vec<Fault> = faults.into_iter().map(in_file).collect();
    Box::new(file.faults(&faults, "messages"))
}
