//! `contexture hooks apply`: registers the hooks of a file, and shows first what would change.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use hyper::Method;
use hyper::header::{HeaderValue, IF_MATCH, IF_NONE_MATCH};
use serde_json::Value;

use super::CommandError;
use super::hooks_file::{AppliedFile, HookOfFile};
use super::server_client::{ServerArgs, ServerClient, ServerRefusal};
use crate::json::Fault;

/// The exit code of a dry run that found something to change.
const WOULD_CHANGE: u8 = 3;

#[derive(Debug, clap::Args)]
pub(super) struct ApplyArgs {
    /// The file, in YAML or JSON; - is standard input
    file: PathBuf,
    #[command(flatten)]
    server: ServerArgs,
    /// Show what would change and change nothing; exit code 3 if there is something
    #[arg(long)]
    dry_run: bool,
    /// Delete registered hooks that the file does not name, too
    ///
    /// Hooks of one session, and those of the operator's file, are never deleted.
    #[arg(long)]
    prune: bool,
    /// Do not ask before something is changed
    #[arg(long, short)]
    yes: bool,
}

/// What is to be done with one hook.
#[derive(Debug)]
struct Step<'f> {
    name: String,
    /// The hook of the file; none if the hook is to be deleted.
    hook: Option<&'f HookOfFile>,
    /// The revision that is registered; none for a new hook.
    revision: Option<u64>,
    /// A line for each member that changes.
    changes: Vec<String>,
}

/// What is to be done, and what is left as it is.
#[derive(Debug, Default)]
struct Plan<'f> {
    steps: Vec<Step<'f>>,
    /// Names of hooks that are there as the file has them.
    unchanged: Vec<String>,
    /// Names of registered hooks that the file does not name, and that stay.
    kept: Vec<String>,
}

pub(super) fn run(args: &ApplyArgs) -> Result<ExitCode, CommandError> {
    let file = AppliedFile::read(&args.file)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(apply(args, &file))
}

async fn apply(args: &ApplyArgs, file: &AppliedFile) -> Result<ExitCode, CommandError> {
    let client = ServerClient::new(&args.server)?;
    let plan = plan(&client, file, args.prune).await?;
    write!(io::stdout(), "{}", describe(&plan))?;
    io::stdout().flush()?;
    if plan.steps.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    if args.dry_run {
        return Ok(ExitCode::from(WOULD_CHANGE));
    }
    if !args.yes && !confirm()? {
        return Err("nothing was changed".into());
    }
    for step in &plan.steps {
        carry_out(&client, step).await?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Compares each hook of the file with the one that is registered.
async fn plan<'f>(
    client: &ServerClient,
    file: &'f AppliedFile,
    prune: bool,
) -> Result<Plan<'f>, CommandError> {
    let mut plan = Plan::default();
    for hook in &file.hooks {
        let path = format!("/hooks/{}/diff", hook.name);
        let compared = client.json(Method::POST, &path, Some(hook.definition.to_string())).await;
        let compared = compared.map_err(|error| of_hook(file, hook, &error))?;
        let revision = compared.get("revision").and_then(Value::as_u64);
        let steps = compared.get("changes").and_then(Value::as_array);
        let changes: Vec<String> = steps.into_iter().flatten().map(change_line).collect();
        let member = |name: &str| hook.definition.get(name).is_some();
        if revision.is_none() && member("url") && !member("secret") {
            // The server would make one up, which nobody could give to the receiver.
            return Err(Box::new(file.faults_of_hook(&hook.name, &[no_secret()])));
        }
        let name = hook.name.clone();
        if revision.is_some() && changes.is_empty() {
            plan.unchanged.push(name);
        } else {
            plan.steps.push(Step { name, hook: Some(hook), revision, changes });
        }
    }
    let named: BTreeSet<&str> = file.hooks.iter().map(|hook| hook.name.as_str()).collect();
    for (name, revision) in registered(client).await? {
        if named.contains(name.as_str()) {
            continue;
        }
        if prune {
            plan.steps.push(Step { name, hook: None, revision, changes: Vec::new() });
        } else {
            plan.kept.push(name);
        }
    }
    Ok(plan)
}

/// The error of a hook that the server refuses: at its place in the file, if the server names it.
fn of_hook(file: &AppliedFile, hook: &HookOfFile, error: &CommandError) -> CommandError {
    match error.downcast_ref::<ServerRefusal>() {
        Some(refusal) if !refusal.faults.is_empty() => {
            Box::new(file.faults_of_hook(&hook.name, &refusal.faults))
        }
        _ => format!("hook {}: {error}", hook.name).into(),
    }
}

fn no_secret() -> Fault {
    Fault {
        pointer: String::new(),
        detail: "a new hook with a url needs a secret, such as secret: ${HOOK_SECRET}, with \
                 whsec_$(openssl rand -base64 32) in the environment"
            .to_owned(),
        did_you_mean: None,
    }
}

/// Names and revisions of the hooks that a file may hold: not those of the operator's file or of one
/// session.
async fn registered(client: &ServerClient) -> Result<Vec<(String, Option<u64>)>, CommandError> {
    let mut found = Vec::new();
    let mut path = "/hooks?limit=1000".to_owned();
    loop {
        let page = client.json(Method::GET, &path, None).await?;
        for hook in page.get("items").and_then(Value::as_array).into_iter().flatten() {
            let of_session = hook.get("scope").is_some_and(|scope| !scope.is_null());
            let of_api = hook.get("source").and_then(Value::as_str) == Some("api");
            if let Some(id) = hook.get("id").and_then(Value::as_str)
                && of_api
                && !of_session
            {
                found.push((id.to_owned(), hook.get("revision").and_then(Value::as_u64)));
            }
        }
        let Some(cursor) = page.get("next_cursor").and_then(Value::as_str) else { break };
        path = format!("/hooks?limit=1000&cursor={cursor}");
    }
    Ok(found)
}

/// `timeout_ms: 5000 → 800`; of what is never shown, `secret: changed`.
fn change_line(step: &Value) -> String {
    let path = step.get("path").and_then(Value::as_str).unwrap_or_default();
    let name = path.trim_start_matches('/').replace('/', ".");
    match (step.get("from"), step.get("value")) {
        (None, None) => format!("{name}: changed"),
        (None, Some(now)) => format!("{name}: {now} (new)"),
        (Some(was), None) => format!("{name}: {was} → not set"),
        (Some(was), Some(now)) => format!("{name}: {was} → {now}"),
    }
}

fn describe(plan: &Plan<'_>) -> String {
    let mut text = String::new();
    let (mut created, mut updated, mut deleted) = (0, 0, 0);
    for step in &plan.steps {
        let (mark, count) = match (step.hook, step.revision) {
            (None, _) => ("- delete", &mut deleted),
            (Some(_), None) => ("+ create", &mut created),
            (Some(_), Some(_)) => ("~ update", &mut updated),
        };
        *count += 1;
        let _ = writeln!(text, "{mark} {}", step.name);
        for change in &step.changes {
            let _ = writeln!(text, "    {change}");
        }
    }
    for name in &plan.kept {
        let _ = writeln!(text, "? {name} is not in the file and stays; --prune deletes it");
    }
    let _ = writeln!(
        text,
        "{created} to create, {updated} to update, {deleted} to delete, {} unchanged",
        plan.unchanged.len()
    );
    text
}

fn confirm() -> Result<bool, CommandError> {
    if !io::stdin().is_terminal() {
        return Err(
            "nothing was changed: pass --yes, since standard input is no terminal to ask at".into(),
        );
    }
    write!(io::stdout(), "Apply? [y/N] ")?;
    io::stdout().flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

/// Makes one change. Another change in the meantime is an error: the plan is no longer what was shown.
async fn carry_out(client: &ServerClient, step: &Step<'_>) -> Result<(), CommandError> {
    let path = format!("/hooks/{}", step.name);
    let header = match step.revision {
        Some(revision) => (IF_MATCH, HeaderValue::from_str(&format!("\"{revision}\""))?),
        None => (IF_NONE_MATCH, HeaderValue::from_static("*")),
    };
    let (method, body, word) = match step.hook {
        None => (Method::DELETE, None, "deleted"),
        Some(hook) if step.revision.is_some() => {
            (Method::PUT, Some(hook.definition.to_string()), "updated")
        }
        Some(hook) => (Method::PUT, Some(hook.definition.to_string()), "created"),
    };
    let sent = client.json_with(method, &path, body, &[header]).await;
    sent.map_err(|error| format!("hook {}: {error}", step.name))?;
    writeln!(io::stdout(), "{word} {}", step.name)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_shows_both_values_unless_they_are_secret() {
        let line = |step: Value| change_line(&step);
        let replaced = json!({"op": "replace", "path": "/timeout_ms", "from": 5000, "value": 800});
        assert_eq!(line(replaced), "timeout_ms: 5000 → 800");
        let added = json!({"op": "add", "path": "/match/tools", "value": ["bash"]});
        assert_eq!(line(added), "match.tools: [\"bash\"] (new)");
        let removed = json!({"op": "remove", "path": "/match", "from": {}});
        assert_eq!(line(removed), "match: {} → not set");
        assert_eq!(line(json!({"op": "replace", "path": "/secret"})), "secret: changed");
    }
}
