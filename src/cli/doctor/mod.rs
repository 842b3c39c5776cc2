//! `contexture doctor`: what is set, what answers, and what is missing. Nothing is changed.

mod running_server;
mod start;

use std::io::Write as _;

use hyper::Uri;
use serde_json::{Value, json};

use super::server_address::server_url;
use super::terminal::{ERROR, FAINT, HEADING, WARNING};
use super::{CommandError, variables};
use crate::config::{set_base_urls, set_names};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  contexture doctor

Exit code 1 if something does not work.")]
pub(super) struct DoctorArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,

    /// The server; `http://` may be left out
    #[arg(
        long,
        visible_alias = "url",
        env = "CONTEXTURE_URL",
        value_name = "URL",
        default_value = "http://127.0.0.1:8080"
    )]
    server: String,

    /// A key of the server, if it needs keys
    #[arg(long, env = "CONTEXTURE_KEY", value_name = "KEY", hide_env_values = true)]
    key: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FindingState {
    Good,
    /// Nothing is wrong, and something could be there.
    Absent,
    Warning,
    Failed,
}

impl FindingState {
    const fn word(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Absent => "absent",
            Self::Warning => "warning",
            Self::Failed => "failed",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug)]
struct Finding {
    state: FindingState,
    subject: &'static str,
    text: String,
}

impl Finding {
    fn new(state: FindingState, subject: &'static str, text: impl Into<String>) -> Self {
        Self { state, subject, text: text.into() }
    }
}

pub(super) fn run(args: &DoctorArgs) -> Result<(), CommandError> {
    let mut findings = vec![Finding::new(
        FindingState::Good,
        "program",
        format!("contexture {}", env!("CARGO_PKG_VERSION")),
    )];
    findings.extend(environment(&set_names(), &variables::known()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    findings.extend(runtime.block_on(async { start::findings() }));
    match server_url(&args.server) {
        Ok(server) => {
            let asked = running_server::findings(server.clone(), args.key.clone());
            findings.extend(runtime.block_on(asked));
            findings.push(agents(&server));
        }
        // The value may contain a password.
        Err(error) => {
            let text = format!("the address (--server, CONTEXTURE_URL) cannot be read: {error}");
            findings.push(Finding::new(FindingState::Failed, "server", text));
        }
    }
    print(&findings, args.json)?;
    match findings.iter().filter(|finding| finding.state == FindingState::Failed).count() {
        0 => Ok(()),
        1 => Err("one thing does not work".into()),
        count => Err(format!("{count} things do not work").into()),
    }
}

/// Variables that nothing reads, and those that are settings.
fn environment(set: &[String], known: &[String]) -> Vec<Finding> {
    let unknown = variables::unknown(set, known);
    let warning = |variable: &variables::UnknownVariable| {
        let text = format!("{} is set, and nothing reads it{}", variable.name, variable.advice());
        Finding::new(FindingState::Warning, "environment", text)
    };
    let mut findings: Vec<_> = unknown.iter().map(warning).collect();
    let names: Vec<&str> =
        set.iter().filter(|name| known.contains(name)).map(String::as_str).collect();
    let good = |text: String| Finding::new(FindingState::Good, "environment", text);
    match names.as_slice() {
        // That all is at its default would contradict a warning.
        [] if !findings.is_empty() => {}
        [] => findings.push(good("no setting: defaults are in force".to_owned())),
        names => findings.push(good(format!("sets {}", names.join(", ")))),
    }
    findings
}

/// Whether agents that are started from here go through a gateway.
fn agents(server: &Uri) -> Finding {
    let authority = server.authority().map_or("", |authority| authority.as_str());
    let set = set_base_urls();
    let names: Vec<&str> =
        set.iter().filter(|(_, url)| url.contains(authority)).map(|(name, _)| *name).collect();
    if names.is_empty() {
        let said =
            "go to their providers directly; `contexture wrap -- COMMAND` puts a gateway between";
        return Finding::new(FindingState::Absent, "agents", said);
    }
    Finding::new(
        FindingState::Good,
        "agents",
        format!("go through {authority} by {}", names.join(", ")),
    )
}

fn print(findings: &[Finding], as_json: bool) -> Result<(), CommandError> {
    let mut out = anstream::stdout().lock();
    if as_json {
        let row = |finding: &Finding| json!({"subject": finding.subject, "state": finding.state.word(), "detail": finding.text});
        writeln!(out, "{}", findings.iter().map(row).collect::<Value>())?;
        return Ok(());
    }
    for Finding { state, subject, text } in findings {
        let style = match state {
            FindingState::Good => HEADING,
            FindingState::Absent => FAINT,
            FindingState::Warning => WARNING,
            FindingState::Failed => ERROR,
        };
        writeln!(out, "{style}{:<8}{style:#} {subject:<12} {text}", state.word())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_of_the_environment_is_not_contradicted() {
        let known = variables::known();
        let states = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            environment(&names, &known).iter().map(|found| found.state.word()).collect::<Vec<_>>()
        };
        assert_eq!(states(&[]), ["ok"]);
        assert_eq!(states(&["CONTEXTURE_LISTENN"]), ["warning"]);
        assert_eq!(states(&["CONTEXTURE_LISTEN", "CONTEXTURE_LISTENN"]), ["warning", "ok"]);
    }
}
