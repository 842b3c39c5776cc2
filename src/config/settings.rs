//! The settings in force, for an operator to look at: the value of each flag, and where it is from.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

/// A flag of `contexture serve`, as the server was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The flag, without its dashes.
    pub flag: String,
    /// The variable of the environment that sets it, too.
    pub variable: String,
    /// The heading that `--help` has it under.
    pub section: String,
    /// None if it is not set, or secret. Passwords in addresses are left out.
    pub value: Option<String>,
    pub source: SettingSource,
    /// Whether the value is never shown.
    pub is_secret: bool,
    /// The first sentence of its help.
    pub about: String,
}

/// What a setting's value is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingSource {
    Default,
    Environment,
    Flag,
}

impl SettingSource {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// Reads the settings of a command from the arguments that it was given, in the order of its help.
pub fn settings_in_force(command: &Command, matches: &ArgMatches) -> Vec<Setting> {
    let read = |argument: &clap::Arg| {
        let flag = argument.get_long().filter(|name| !matches!(*name, "help" | "version"))?;
        let variable = argument.get_env()?.to_string_lossy().into_owned();
        let id = argument.get_id().as_str();
        let source = match matches.value_source(id) {
            Some(ValueSource::CommandLine) => SettingSource::Flag,
            Some(ValueSource::EnvVariable) => SettingSource::Environment,
            _ => SettingSource::Default,
        };
        let is_secret = argument.is_hide_env_values_set();
        let values = matches.get_raw(id).into_iter().flatten();
        let values: Vec<String> =
            values.map(|value| without_password(&value.to_string_lossy())).collect();
        Some(Setting {
            flag: flag.to_owned(),
            variable,
            section: argument.get_help_heading().unwrap_or("Other").to_owned(),
            value: (!is_secret && !values.is_empty()).then(|| values.join(", ")),
            source,
            is_secret,
            about: argument.get_help().map(ToString::to_string).unwrap_or_default(),
        })
    };
    command.get_arguments().filter_map(read).collect()
}

/// An address without what may be a password: all between `://` and the last `@` of its authority,
/// and all after `?`.
fn without_password(value: &str) -> String {
    let Some((scheme, rest)) = value.split_once("://") else { return value.to_owned() };
    let (address, has_query) = match rest.split_once('?') {
        Some((address, _)) => (address, true),
        None => (rest, false),
    };
    let authority_end = address.find('/').unwrap_or(address.len());
    let (authority, path) = address.split_at(authority_end);
    let (host, has_user) = match authority.rsplit_once('@') {
        Some((_, host)) => (host, true),
        None => (authority, false),
    };
    let user = if has_user { "…@" } else { "" };
    format!("{scheme}://{user}{host}{path}{}", if has_query { "?…" } else { "" })
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches as _};

    use super::*;
    use crate::config::Config;

    fn read(arguments: &[&str]) -> Vec<Setting> {
        let command = Config::augment_args(Command::new("serve"));
        let matches = command.clone().get_matches_from([&["serve"], arguments].concat());
        Config::from_arg_matches(&matches).expect("valid flags");
        settings_in_force(&command, &matches)
    }

    fn find<'s>(settings: &'s [Setting], flag: &str) -> &'s Setting {
        settings.iter().find(|setting| setting.flag == flag).expect("a setting")
    }

    #[test]
    fn a_setting_says_its_value_and_where_it_is_from() {
        let settings = read(&["--listen", "127.0.0.1:9"]);
        let listen = find(&settings, "listen");
        assert_eq!(listen.value.as_deref(), Some("127.0.0.1:9"));
        assert_eq!(
            (listen.source, listen.variable.as_str()),
            (SettingSource::Flag, "CONTEXTURE_LISTEN")
        );
        let usual = find(&settings, "max-decoded-bytes");
        assert!(usual.value.is_some() && usual.source == SettingSource::Default, "{usual:?}");
        assert!(settings.iter().all(|setting| !setting.about.is_empty()));
    }

    #[test]
    fn secrets_and_passwords_are_not_shown() {
        let key = "k".repeat(32);
        let settings = read(&[
            "--bootstrap-key",
            &key,
            "--database-url",
            "postgres://ann:hidden@db.example/contexture?password=hidden",
        ]);
        let secret = find(&settings, "bootstrap-key");
        assert!(secret.is_secret && secret.value.is_none() && secret.source == SettingSource::Flag);
        let url = find(&settings, "database-url").value.as_deref();
        assert_eq!(url, Some("postgres://…@db.example/contexture?…"));
        let shown = format!("{settings:?}");
        assert!(!shown.contains("hidden") && !shown.contains(&key), "{shown}");
    }
}
