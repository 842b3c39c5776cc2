//! `contexture key`: keys for callers, in a database that a server may use meanwhile, or in a keys file.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::failure::{GivenFlag, fault_lines, flag_fault};
use super::row_files::{check_changed_keys, read_keys};
use super::store::StoreLocation;
use super::terminal::{HEADING, Terminal};
use super::usage::one_of;
use super::{CommandError, aligned};
use crate::config::{self, DatabaseUrl};
use crate::domain::{Key, MemoryRole, PrincipalKind, Scope, Timestamp};
use crate::server;
use crate::service::keys;

/// Keys that are read at once.
const PAGE_ROWS: usize = 1000;

#[derive(Debug, clap::Subcommand)]
pub(super) enum KeyCommand {
    /// Make a key and print it
    ///
    /// It is stored in the database, or added to a keys file; a running server picks it up within
    /// seconds. The text is printed this once.
    #[command(after_help = "\
Examples:
  contexture key create --scope admin --name me
  contexture key create --scope compile,compress --tenant acme --name 'support bot'
  contexture key create --scope compile --keys-file keys.json

A server without keys is open to its callers. The first key ends that for good: from then on each
request needs a key, also those of callers that run already. So the first key must hold admin, and
every caller needs one before or soon after; a server logs a line when this begins.")]
    Create(Box<CreateArgs>),

    /// List the keys of a database or of a keys file, without their texts
    #[command(
        visible_alias = "ls",
        after_help = "\
Examples:
  contexture key list
  contexture key list --tenant acme --json"
    )]
    List(ListArgs),

    /// Revoke a key
    ///
    /// A running server stops accepting it within seconds. Revoking the last key does not open the
    /// server again: callers need a key from the first one on.
    #[command(
        visible_alias = "rm",
        after_help = "Example:\n  contexture key revoke f3Zk09mQv7LcX2aT"
    )]
    Revoke(RevokeArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct CreateArgs {
    /// What it may do; may be given more than once, or as a list with commas
    #[arg(
        long = "scope",
        value_name = "SCOPE",
        required = true,
        value_delimiter = ',',
        value_parser = one_of(Scope::ALL)
    )]
    scopes: Vec<String>,
    /// Whose things it is for
    #[arg(long, value_name = "NAME", default_value = "default", value_parser = tenant)]
    tenant: String,
    /// What people call it
    #[arg(long, value_name = "TEXT", default_value = "")]
    name: String,
    /// The kind of caller
    #[arg(
        long,
        value_name = "KIND",
        default_value = "service",
        value_parser = one_of(PrincipalKind::ALL)
    )]
    kind: String,
    /// What it may do with captured memory; may be given more than once, or as a list with commas
    #[arg(
        long = "role",
        value_name = "ROLE",
        value_delimiter = ',',
        default_value = "capturer",
        value_parser = one_of(MemoryRole::ALL)
    )]
    roles: Vec<String>,
    /// Requests that it may make in a minute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    requests_per_minute: Option<u64>,
    /// Tokens that it may compile and compress in a day
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    tokens_per_day: Option<u64>,
    /// Add it to this file instead, for `serve --keys-file`
    #[arg(long, env = "CONTEXTURE_KEYS_FILE", value_name = "FILE")]
    keys_file: Option<PathBuf>,
    /// Print the key and its id as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: StoreLocation,
}

#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// Whose keys; a keys file is listed as a whole unless this is given
    #[arg(long, value_name = "NAME", value_parser = tenant)]
    tenant: Option<String>,
    /// List this file instead
    #[arg(long, env = "CONTEXTURE_KEYS_FILE", value_name = "FILE")]
    keys_file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: StoreLocation,
}

#[derive(Debug, clap::Args)]
pub(super) struct RevokeArgs {
    /// The id of the key: the 16 characters after `cx_live_`
    id: String,
    /// Take it out of this file instead
    #[arg(long, env = "CONTEXTURE_KEYS_FILE", value_name = "FILE")]
    keys_file: Option<PathBuf>,
    #[command(flatten)]
    place: StoreLocation,
}

fn tenant(text: &str) -> Result<String, String> {
    if keys::is_tenant(text) {
        return Ok(text.to_owned());
    }
    Err("must be 1 to 64 letters, digits, `_`, `-` or `.`".to_owned())
}

pub(super) fn run(command: &KeyCommand, terminal: Terminal) -> Result<(), CommandError> {
    match command {
        KeyCommand::Create(args) => create(args, terminal),
        KeyCommand::List(args) => list(args, terminal),
        KeyCommand::Revoke(args) => revoke(args, terminal),
    }
}

/// Creates a key and prints its text.
fn create(args: &CreateArgs, terminal: Terminal) -> Result<(), CommandError> {
    let request = json!({
        "scopes": args.scopes,
        "tenant": args.tenant,
        "name": args.name,
        "kind": args.kind,
        "roles": args.roles,
        "limits": {
            "requests_per_minute": args.requests_per_minute,
            "tokens_per_day": args.tokens_per_day,
        },
    })
    .to_string();
    let (created, is_first) = match &args.keys_file {
        Some(file) => {
            check_changed_keys(file)?;
            let services = server::services_in_memory()?;
            let (created, hash) = keys::draft(&services, &request).map_err(failure)?;
            config::add_key(file, &created.key, hash)?;
            (created, false)
        }
        None if args.place.database_url == DatabaseUrl::Memory => {
            return Err("a key in memory would be gone at once: name a file".into());
        }
        None => {
            let url = &args.place.database_url;
            if server::is_missing(url) {
                // What would be refused must not leave an empty database.
                let services = server::services_in_memory()?;
                keys::create(&services, &request, None, |_| String::new()).map_err(failure)?;
            }
            let services = server::services_beside(url)?;
            let is_first = !services.needs_key()?;
            let created = keys::create(&services, &request, None, |_| String::new());
            (created.map_err(failure)?, is_first)
        }
    };
    let (text, id) = (created.text.reveal(), &created.key.id);
    if args.json {
        writeln!(io::stdout(), "{}", json!({"id": id, "key": text}))?;
    } else {
        writeln!(io::stdout(), "{text}")?;
    }
    let place = place(args.keys_file.as_deref(), &args.place);
    let first = if is_first {
        " It is the first one: from now on every caller of a server on this database needs a key."
    } else {
        ""
    };
    terminal.note(&format!(
        "The key {id} is in {place}, as a hash; a server that uses this accepts it within seconds.{first} The \
         text of the key is shown only now."
    ));
    Ok(())
}

/// Prints the keys of a tenant, or those of a file.
fn list(args: &ListArgs, terminal: Terminal) -> Result<(), CommandError> {
    let found = match &args.keys_file {
        Some(file) => {
            let keys = read_keys(file)?.into_iter();
            keys.filter(|key| args.tenant.as_deref().is_none_or(|tenant| tenant == &*key.tenant))
                .collect()
        }
        None => stored_keys(&args.place, args.tenant.as_deref().unwrap_or("default"))?,
    };
    if args.json {
        writeln!(io::stdout(), "{}", found.iter().map(row).collect::<Value>())?;
        return Ok(());
    }
    if found.is_empty() {
        let place = place(args.keys_file.as_deref(), &args.place);
        terminal.note(&format!("{place} has no keys{}", of_tenant(args.tenant.as_deref())));
        return Ok(());
    }
    let mut rows = vec![["id", "tenant", "kind", "scopes", "name"].map(str::to_owned)];
    rows.extend(found.iter().map(|key| {
        let Key { id, tenant, kind, scopes, name, .. } = key;
        let scopes = scopes.words().join(" ");
        [id.to_string(), tenant.to_string(), kind.as_str().to_owned(), scopes, name.clone()]
    }));
    let mut lines = aligned::lines_of_words(&rows);
    if let Some(head) = lines.first_mut() {
        *head = format!("{HEADING}{head}{HEADING:#}");
    }
    writeln!(anstream::stdout(), "{}", lines.join("\n"))?;
    Ok(())
}

fn of_tenant(tenant: Option<&str>) -> String {
    tenant.map_or_else(String::new, |tenant| format!(" of the tenant {tenant}"))
}

fn stored_keys(place: &StoreLocation, tenant: &str) -> Result<Vec<Key>, CommandError> {
    let services = server::services_on(&place.database_url)?.for_tenant(&Arc::from(tenant));
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = keys::list(&services, after.as_deref(), PAGE_ROWS)?;
        found.extend(page.rows);
        after = page.next;
        if after.is_none() {
            return Ok(found);
        }
    }
}

/// A key as `--json` prints it. Keys of a file have no times.
fn row(key: &Key) -> Value {
    let time = |time: Timestamp| (time != Timestamp::default()).then(|| time.with_millis());
    json!({
        "id": key.id,
        "tenant": key.tenant,
        "name": key.name,
        "kind": key.kind.as_str(),
        "scopes": key.scopes.words(),
        "roles": key.roles.words(),
        "limits": {
            "requests_per_minute": key.limits.requests_per_minute,
            "tokens_per_day": key.limits.tokens_per_day,
        },
        "created_at": time(key.created_at),
        "updated_at": time(key.updated_at),
    })
}

/// Revokes a key of any tenant.
fn revoke(args: &RevokeArgs, terminal: Terminal) -> Result<(), CommandError> {
    let id = id_of(&args.id);
    let was_there = match &args.keys_file {
        Some(file) => {
            check_changed_keys(file)?;
            config::remove_key(file, id)?
        }
        None => keys::delete(&server::services_on(&args.place.database_url)?, id)?,
    };
    let place = place(args.keys_file.as_deref(), &args.place);
    if !was_there {
        return Err(format!(
            "there is no key {id} in {place}: `contexture key list` has those that are"
        )
        .into());
    }
    terminal.note(&format!(
        "The key {id} is revoked; a server that uses {place} refuses it within seconds."
    ));
    Ok(())
}

/// The id of a key that may be given with its prefix, or as its whole text.
fn id_of(given: &str) -> &str {
    let rest = given.strip_prefix("cx_live_").unwrap_or(given);
    rest.split('_').next().unwrap_or(rest)
}

fn place(keys_file: Option<&Path>, place: &StoreLocation) -> String {
    match keys_file {
        Some(file) => file.display().to_string(),
        None => place.database_url.to_string(),
    }
}

/// Formats an error: that of a flag, or one line for each fault.
fn failure(error: keys::Error) -> CommandError {
    let keys::Error::Invalid(faults) = error else { return Box::new(error) };
    let flag = |flag, pointer| GivenFlag { flag, value: String::new(), pointer };
    let flags = [
        flag("--scope <SCOPE>", "/scopes"),
        flag("--name <TEXT>", "/name"),
        flag("--requests-per-minute <N>", "/limits/requests_per_minute"),
        flag("--tokens-per-day <N>", "/limits/tokens_per_day"),
    ];
    match flag_fault(&faults, &flags) {
        Some(fault) => Box::new(fault),
        None => fault_lines(&faults),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_named_by_its_id_or_its_text() {
        for given in
            ["f3Zk09mQv7LcX2aT", "cx_live_f3Zk09mQv7LcX2aT", "cx_live_f3Zk09mQv7LcX2aT_x_y"]
        {
            assert_eq!(id_of(given), "f3Zk09mQv7LcX2aT");
        }
    }
}
