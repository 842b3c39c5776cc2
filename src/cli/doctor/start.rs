//! Whether `serve` would start: its settings, the files that they name, and its database.

use super::{Finding, FindingState};
use crate::cli::failure::with_causes;
use crate::cli::serve_settings;
use crate::cli::usage::variable_of;
use crate::config::DatabaseUrl;
use crate::server::{self, DatabaseState};

/// Reads the settings as `serve` would, and looks at the database.
pub(super) fn findings() -> Vec<Finding> {
    let failed = |subject, text: String| Finding::new(FindingState::Failed, subject, text);
    let config = match serve_settings::read(&[]) {
        Ok(config) => config,
        Err(error) => return vec![failed("settings", refusal(&error))],
    };
    let looked = server::inspect(&config.store.database_url);
    let is_refused = server::is_exposed(&config) && matches!(&looked, Ok(state) if !state.has_keys);
    let settings = match server::check_settings(&config) {
        Err(error) => failed("settings", with_causes(&error)),
        Ok(()) if is_refused => {
            let error = server::Error::Exposed(config.server.listen);
            failed("settings", with_causes(&error))
        }
        Ok(()) => Finding::new(FindingState::Good, "settings", "serve accepts them"),
    };
    let database = match looked {
        Ok(state) => database(&config.store.database_url, state),
        Err(error) => failed("database", with_causes(&error)),
    };
    vec![settings, database]
}

/// The first line of what clap says, with the variable and without its value, which may be a secret.
fn refusal(error: &clap::Error) -> String {
    use clap::error::{ContextKind, ContextValue};
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
    let first = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) => first.replacen(&format!("'{value}' "), "", 1),
        _ => first.to_owned(),
    };
    let variable = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => variable_of(argument),
        _ => None,
    };
    match variable {
        Some(variable) => format!("{variable}: {first}"),
        None => first,
    }
}

fn database(url: &DatabaseUrl, state: DatabaseState) -> Finding {
    let (state, text) = match url {
        DatabaseUrl::Memory => {
            (FindingState::Warning, "memory: it ends with the server".to_owned())
        }
        DatabaseUrl::Sqlite(file) if !state.exists => {
            let text = format!("{} is not there yet; serve creates it", file.display());
            (FindingState::Absent, text)
        }
        DatabaseUrl::Sqlite(file) => {
            let bytes = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
            (FindingState::Good, format!("{}, {} KiB", file.display(), bytes >> 10))
        }
        DatabaseUrl::Postgres(_) if !state.exists => {
            (FindingState::Absent, format!("{url} has no tables yet; serve creates them"))
        }
        DatabaseUrl::Postgres(_) => (FindingState::Good, format!("{url} accepts connections")),
    };
    Finding::new(state, "database", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_is_not_there_is_no_fault() {
        let find = |url: &str, exists| {
            let state = DatabaseState { exists, has_keys: false };
            let found = database(&url.parse().unwrap(), state);
            format!("{} {}", found.state.word(), found.text)
        };
        assert_eq!(
            find("sqlite:/no/such.db", false),
            "absent /no/such.db is not there yet; serve creates it"
        );
        assert_eq!(
            find("postgres://me:secret@db/c", true),
            "ok postgres://db/c accepts connections"
        );
        assert_eq!(
            find("postgres://me:secret@db/c", false),
            "absent postgres://db/c has no tables yet; serve creates them"
        );
    }
}
