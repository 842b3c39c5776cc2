//! `contexture key`, `migrate`, `backup` and `db`: maintenance of a store, which a server may use
//! meanwhile.

use std::io::{self, Write as _};
use std::path::PathBuf;

use serde_json::json;

use super::CommandError;
use super::failure::{UnsoundStore, fault_lines};
use super::terminal::Terminal;
use crate::config::{self, DatabaseUrl};
use crate::server::{self, CheckReport};
use crate::service::keys;

/// The location of the store, for commands without other settings of it.
#[derive(Debug, clap::Args)]
pub(super) struct StoreLocation {
    /// `sqlite:<file>`
    #[arg(
        long,
        env = "CONTEXTURE_DATABASE_URL",
        value_name = "URL",
        default_value = "sqlite:contexture.db"
    )]
    pub(super) database_url: DatabaseUrl,
}

impl StoreLocation {
    pub(super) fn url(&self) -> &DatabaseUrl {
        &self.database_url
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct BackupArgs {
    /// The copy; a file that is there already is left as it is
    file: PathBuf,
    #[command(flatten)]
    place: StoreLocation,
}

#[derive(Debug, clap::Subcommand)]
pub(super) enum DbCommand {
    /// Read a database through and say what is unsound, also while a server uses it
    ///
    /// The pages, indexes and references of a file; in any database the hash chains of captures,
    /// the counts of memory entries, and that no event is missing. Changes nothing. Exit code 65
    /// if something is damaged.
    #[command(after_help = "Example:\n  contexture db check")]
    Check(CheckArgs),

    /// Put a copy in the place of a database that no server uses
    ///
    /// The copy is checked, and stays where it is. Exit code 78 if a server uses the file, 65
    /// if the copy is damaged.
    #[command(after_help = "\
Examples:
  contexture db restore contexture-2026-12-31.db
  contexture db restore contexture-2026-12-31.db --replace")]
    Restore(RestoreArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct CheckArgs {
    /// Print the faults as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: StoreLocation,
}

#[derive(Debug, clap::Args)]
pub(super) struct RestoreArgs {
    /// A copy that `contexture backup` made
    file: PathBuf,
    /// Continue if there is a database already: it is kept under another name, which is printed
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    place: StoreLocation,
}

#[derive(Debug, clap::Subcommand)]
pub(super) enum KeyCommand {
    /// Make a key and print it
    ///
    /// It is stored in the database, or added to a keys file; a running server picks it up within
    /// seconds. From the first key on every caller needs one. The text is printed this once.
    #[command(after_help = "\
Examples:
  contexture key create --scope admin
  contexture key create --scope compile --scope compress --tenant acme --name 'support bot'
  contexture key create --scope compile --keys-file keys.json")]
    Create(Box<CreateArgs>),
}

#[derive(Debug, clap::Args)]
pub(super) struct CreateArgs {
    /// What it may do; may be given more than once
    #[arg(long = "scope", value_name = "SCOPE", required = true)]
    scopes: Vec<String>,
    /// Whose things it is for
    #[arg(long, value_name = "NAME", default_value = "default")]
    tenant: String,
    /// What people call it
    #[arg(long, value_name = "TEXT", default_value = "")]
    name: String,
    /// The kind of caller: user, agent, service or automation
    #[arg(long, value_name = "KIND", default_value = "service")]
    kind: String,
    /// What it may do with captured memory; may be given more than once
    #[arg(long = "role", value_name = "ROLE", default_value = "capturer")]
    roles: Vec<String>,
    /// Requests that it may make in a minute
    #[arg(long, value_name = "N")]
    requests_per_minute: Option<u64>,
    /// Tokens that it may compile and compress in a day
    #[arg(long, value_name = "N")]
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

/// Creates a key and prints its text.
pub(super) fn key(command: &KeyCommand, terminal: Terminal) -> Result<(), CommandError> {
    let KeyCommand::Create(args) = command;
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
    let created = match &args.keys_file {
        Some(file) => {
            let services = server::services_in_memory()?;
            let (created, hash) = keys::draft(&services, &request).map_err(failure)?;
            config::add_key(file, &created.key, hash)?;
            created
        }
        None if args.place.database_url == DatabaseUrl::Memory => {
            return Err("a key in memory would be gone at once: name a file".into());
        }
        None => {
            let services = server::services_beside(&args.place.database_url)?;
            keys::create(&services, &request, None, |_| String::new()).map_err(failure)?
        }
    };
    let (text, id) = (created.text.reveal(), &created.key.id);
    if args.json {
        writeln!(io::stdout(), "{}", json!({"id": id, "key": text}))?;
    } else {
        writeln!(io::stdout(), "{text}")?;
    }
    let place = match &args.keys_file {
        Some(file) => file.display().to_string(),
        None => args.place.database_url.to_string(),
    };
    terminal.note(&format!(
        "The key {id} is in {place}, as a hash. A server that uses this accepts it within seconds, and from \
         the first key on, every caller needs one. The text of the key is shown only now."
    ));
    Ok(())
}

/// Formats an error, with one line for each fault.
fn failure(error: keys::Error) -> CommandError {
    let keys::Error::Invalid(faults) = error else { return Box::new(error) };
    fault_lines(&faults)
}

/// Brings the schema of a database up to date.
pub(super) fn migrate(place: &StoreLocation) -> Result<(), CommandError> {
    let (before, now) = server::migrate(&place.database_url)?;
    let outcome = if before == now {
        format!("{}: schema {now}, nothing to do", place.database_url)
    } else {
        format!("{}: schema {before} became {now}", place.database_url)
    };
    writeln!(io::stdout(), "{outcome}")?;
    Ok(())
}

/// Copies a database.
pub(super) fn backup(args: &BackupArgs, terminal: Terminal) -> Result<(), CommandError> {
    let progress = terminal.progress("copying and checking");
    server::backup(&args.place.database_url, &args.file)?;
    drop(progress);
    writeln!(io::stdout(), "{} is a checked copy", args.file.display())?;
    Ok(())
}

/// Checks a database, or replaces it with a copy.
pub(super) fn db(command: &DbCommand, terminal: Terminal) -> Result<(), CommandError> {
    match command {
        DbCommand::Check(args) => check(args, terminal),
        DbCommand::Restore(args) => restore(args, terminal),
    }
}

fn check(args: &CheckArgs, terminal: Terminal) -> Result<(), CommandError> {
    let place = &args.place;
    let progress = terminal.progress("reading the database");
    let CheckReport { tenants, faults } = server::check(&place.database_url)?;
    drop(progress);
    if args.json {
        let is_sound = faults.is_empty();
        writeln!(
            io::stdout(),
            "{}",
            json!({"sound": is_sound, "tenants": tenants, "faults": faults})
        )?;
        return if is_sound { Ok(()) } else { Err(Box::new(UnsoundStore("damaged".to_owned()))) };
    }
    if !faults.is_empty() {
        return Err(Box::new(UnsoundStore(faults.join("\n"))));
    }
    let count = if tenants == 1 { "1 tenant".to_owned() } else { format!("{tenants} tenants") };
    writeln!(io::stdout(), "{}: sound; {count}", place.database_url)?;
    Ok(())
}

fn restore(args: &RestoreArgs, terminal: Terminal) -> Result<(), CommandError> {
    let url = &args.place.database_url;
    let progress = terminal.progress("checking and copying");
    let old = server::restore(url, &args.file, args.replace)?;
    drop(progress);
    writeln!(io::stdout(), "{url} is now what {} holds", args.file.display())?;
    if let Some(old) = old {
        writeln!(io::stdout(), "what it was before is {}", old.display())?;
    }
    Ok(())
}
