//! `contexture mcp`: the Model Context Protocol over standard input and output, a message a line.

use std::io::{self, BufRead as _, Write as _};
use std::time::{Duration, Instant};

use super::Failure;
use super::store::Place;
use crate::pipeline::Deadline;
use crate::server;
use crate::service::mcp;

/// What one call may take.
const LONGEST: Duration = Duration::from_mins(1);

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    place: Place,
}

/// Answers until the input ends.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let services = server::services_beside(&args.place.database_url)?;
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let deadline = Deadline::at(Instant::now() + LONGEST);
        if let Some(answer) = mcp::answer(&services, &line, &deadline) {
            writeln!(out, "{answer}")?;
            out.flush()?;
        }
    }
    Ok(())
}
