//! `contexture doctor`: what is set, what answers, and what is missing.

use std::io::Write as _;

use clap::CommandFactory as _;
use hyper::Method;
use hyper::header::AUTHORIZATION;
use serde_json::{Value, json};

use super::server_client::{ServerArgs, ServerClient};
use super::terminal::{ERROR, FAINT, HEADING, WARNING};
use super::{CommandError, serve_settings};
use crate::config::{DatabaseUrl, set_base_urls, set_names};

/// Edits after which a name of a variable is taken for a misspelt one.
const MAX_EDITS: usize = 3;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  contexture doctor

Exit code 1 if something does not work.")]
pub(super) struct DoctorArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    server: ServerArgs,
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
    let (known, set) = (known_variables(), set_names());
    findings.extend(environment(&set, &known));
    findings.extend(settings());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    findings.extend(runtime.block_on(server(&args.server))?);
    findings.push(agents(&args.server));
    print(&findings, args.json)?;
    match findings.iter().filter(|finding| finding.state == FindingState::Failed).count() {
        0 => Ok(()),
        1 => Err("one thing does not work".into()),
        count => Err(format!("{count} things do not work").into()),
    }
}

/// Every variable that some command reads.
fn known_variables() -> Vec<String> {
    fn collect(command: &clap::Command, names: &mut Vec<String>) {
        let variables = command.get_arguments().filter_map(clap::Arg::get_env);
        names.extend(variables.map(|name| name.to_string_lossy().into_owned()));
        for command in command.get_subcommands() {
            collect(command, names);
        }
    }
    let mut names = vec![super::read_test::KEY_VARIABLE.to_owned()];
    collect(&super::Cli::command(), &mut names);
    names.sort_unstable();
    names.dedup();
    names
}

/// A variable with our prefix that nothing reads is misspelt: a server would run without the setting.
fn unknown_variable(name: &String, known: &[String]) -> Option<Finding> {
    if known.contains(name) {
        return None;
    }
    let near = known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(known, name), known))
        .filter(|(edits, _)| *edits <= MAX_EDITS)
        .min();
    let advice = near.map_or_else(String::new, |(_, name)| format!(" (did you mean {name}?)"));
    let text = format!("{name} is set, and nothing reads it{advice}");
    Some(Finding::new(FindingState::Warning, "environment", text))
}

/// Variables that nothing reads, and those that are settings.
fn environment(set: &[String], known: &[String]) -> Vec<Finding> {
    let mut findings: Vec<_> =
        set.iter().filter_map(|name| unknown_variable(name, known)).collect();
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

/// Reads the settings as `serve` would, and looks for the database.
fn settings() -> Vec<Finding> {
    let config = match serve_settings::read(&[]) {
        Ok(config) => config,
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            return vec![Finding::new(FindingState::Failed, "settings", first)];
        }
    };
    let url = &config.store.database_url;
    let database = match url {
        DatabaseUrl::Memory => {
            Finding::new(FindingState::Warning, "database", "memory: it ends with the server")
        }
        DatabaseUrl::Sqlite(file) => match std::fs::metadata(file) {
            Ok(metadata) => Finding::new(
                FindingState::Good,
                "database",
                format!("{}, {} KiB", file.display(), metadata.len() >> 10),
            ),
            Err(_) => Finding::new(
                FindingState::Absent,
                "database",
                format!("{} is not there yet; serve creates it", file.display()),
            ),
        },
        DatabaseUrl::Postgres(_) => Finding::new(
            FindingState::Good,
            "database",
            format!("{url}; `contexture db check` connects to it"),
        ),
    };
    vec![Finding::new(FindingState::Good, "settings", "serve accepts them"), database]
}

/// Asks the server whether it is there and ready, and whether it accepts the key.
async fn server(args: &ServerArgs) -> Result<Vec<Finding>, CommandError> {
    let client = ServerClient::new(args)?;
    let ready = match client.get("/readyz", &[]).await {
        Ok(ready) => ready,
        Err(error) => {
            return Ok(vec![Finding::new(FindingState::Absent, "server", error.to_string())]);
        }
    };
    let text = |key: &str| ready.body.get(key).and_then(Value::as_str).unwrap_or("?").to_owned();
    let address = client.address();
    if !ready.status.is_success() {
        let said = format!("{address} is not ready: {}", text("detail"));
        return Ok(vec![Finding::new(FindingState::Failed, "server", said)]);
    }
    let mut findings =
        vec![Finding::new(FindingState::Good, "server", format!("{address} is ready"))];
    let upstreams = ready.body.get("upstreams").and_then(Value::as_array);
    let names = upstreams.into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>();
    findings.push(if names.is_empty() {
        Finding::new(
            FindingState::Absent,
            "gateway",
            "no upstream; start the server with --upstream anthropic or openai to use it",
        )
    } else {
        let said =
            format!("forwards to {}; `contexture gateway check` asks them", names.join(", "));
        Finding::new(FindingState::Good, "gateway", said)
    });
    let key = client.key_header(AUTHORIZATION)?;
    // What every key may read, whatever its scopes are.
    findings.push(match client.json(Method::GET, "/models", None).await {
        Ok(_) if key.is_empty() => {
            Finding::new(FindingState::Good, "key", "none, and the server needs none")
        }
        Ok(_) => Finding::new(FindingState::Good, "key", "the server accepts it"),
        Err(error) => Finding::new(FindingState::Failed, "key", error.to_string()),
    });
    Ok(findings)
}

/// Whether agents that are started from here go through a gateway.
fn agents(args: &ServerArgs) -> Finding {
    let authority = args.server.authority().map_or("", |authority| authority.as_str());
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
        let known = known_variables();
        let states = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            environment(&names, &known).iter().map(|found| found.state.word()).collect::<Vec<_>>()
        };
        assert_eq!(states(&[]), ["ok"]);
        assert_eq!(states(&["CONTEXTURE_LISTENN"]), ["warning"]);
        assert_eq!(states(&["CONTEXTURE_LISTEN", "CONTEXTURE_LISTENN"]), ["warning", "ok"]);
    }

    #[test]
    fn a_misspelt_variable_is_found() {
        let known = known_variables();
        let find = |name: &str| unknown_variable(&name.to_owned(), &known);
        let found = find("CONTEXTURE_LISTENN").unwrap();
        assert!(found.text.ends_with("(did you mean CONTEXTURE_LISTEN?)"), "{}", found.text);
        assert!(find("CONTEXTURE_LISTEN").is_none());
        assert!(find("CONTEXTURE_URL").is_none());
        let unlike = find("CONTEXTURE_SOMETHING_ELSE").unwrap();
        assert!(unlike.text.ends_with("nothing reads it"), "{}", unlike.text);
    }
}
