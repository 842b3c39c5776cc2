//! `contexture migrate`, `backup` and `db`: maintenance of a store, which a server may use meanwhile.

use std::io::{self, Write as _};
use std::path::PathBuf;

use serde_json::json;

use super::CommandError;
use super::failure::UnsoundStore;
use super::paths::refuse_standard_input;
use super::terminal::Terminal;
use crate::config::DatabaseUrl;
use crate::domain::counted;
use crate::server::{self, CheckReport};

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
    /// Print the name and size of the copy as JSON
    #[arg(long)]
    json: bool,
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
    refuse_standard_input(&args.file, "a copy is a file of its own, and - is standard input")?;
    if args.file.exists() {
        return Err(format!(
            "{} is there already and was left as it is: name another file",
            args.file.display()
        )
        .into());
    }
    let progress = terminal.progress("copying and checking");
    server::backup(&args.place.database_url, &args.file)?;
    drop(progress);
    if args.json {
        let bytes = std::fs::metadata(&args.file).map_or(0, |metadata| metadata.len());
        let row = json!({"file": args.file, "bytes": bytes, "checked": true});
        writeln!(io::stdout(), "{row}")?;
    } else {
        writeln!(io::stdout(), "{} is a checked copy", args.file.display())?;
    }
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
    let count = counted(u64::try_from(tenants).unwrap_or_default(), "tenant");
    writeln!(io::stdout(), "{}: sound; {count}", place.database_url)?;
    Ok(())
}

fn restore(args: &RestoreArgs, terminal: Terminal) -> Result<(), CommandError> {
    let url = &args.place.database_url;
    refuse_standard_input(&args.file, "a database is not read from standard input")?;
    let progress = terminal.progress("checking and copying");
    let old = server::restore(url, &args.file, args.replace)?;
    drop(progress);
    writeln!(io::stdout(), "{url} is now what {} holds", args.file.display())?;
    if let Some(old) = old {
        writeln!(io::stdout(), "what it was before is {}", old.display())?;
    }
    Ok(())
}
