//! `contexture replay`: a recorded compile once more.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use super::Failure;
use super::store::Place;
use crate::pipeline::Deadline;
use crate::server;
use crate::service::Error;
use crate::service::compilations::{self, Replayed};

#[derive(Debug, clap::Args)]
pub(super) struct ReplayArgs {
    /// The `id` of a compile's answer
    id: String,
    /// The request, for a record that holds hashes alone
    #[arg(long, value_name = "FILE")]
    request: Option<PathBuf>,
    /// Take memory and adapters as they are stored now, not as they were
    ///
    /// Hooks are not called from here; a server's `verify` does that.
    #[arg(long, conflicts_with = "request")]
    verify: bool,
    /// The same, and keep what comes of it as a new record
    #[arg(long, conflicts_with_all = ["request", "verify"])]
    refresh: bool,
    /// Whose record it is
    #[arg(long, value_name = "NAME", default_value = "default")]
    tenant: String,
    /// Print the payload instead of the stages
    #[arg(long)]
    payload: bool,
    #[command(flatten)]
    place: Place,
}

/// Compiles it again and prints what came of it.
pub(super) fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let body = match &args.request {
        Some(file) => format!("{{\"request\":{}}}", super::compile::read_input(file)?),
        None if args.verify => r#"{"mode":"verify"}"#.to_owned(),
        None if args.refresh => r#"{"mode":"refresh"}"#.to_owned(),
        None => String::new(),
    };
    let services = server::services_beside(args.place.url())?;
    let services = services.for_tenant(&Arc::from(args.tenant.as_str()));
    let replayed = compilations::replay(&services, &args.id, &body, &Deadline::default());
    let replayed = replayed.map_err(failure)?;
    if args.payload {
        writeln!(io::stdout(), "{}", replayed.payload)?;
    } else {
        write!(io::stdout(), "{}", table(&replayed))?;
    }
    if replayed.is_equal() { Ok(()) } else { Err("it came to something else".into()) }
}

fn table(replayed: &Replayed) -> String {
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
        let _ = writeln!(text, "{} {}: {}{word}", check.point, check.hook, check.outcome);
    }
    if let Some(id) = &replayed.refreshed {
        let _ = writeln!(text, "new record: {id}");
    }
    let bytes = replayed.payload.len();
    let word = if replayed.is_equal() { "the same" } else { "not the same" };
    let _ = writeln!(text, "{}: {word} as then, {bytes} bytes", replayed.id);
    text
}

/// One line for each fault.
fn failure(error: Error) -> Failure {
    let Error::Invalid(faults) = error else { return Box::new(error) };
    let lines: Vec<_> =
        faults.iter().map(|fault| format!("{}: {}", fault.pointer, fault.detail)).collect();
    lines.join("\n").into()
}
