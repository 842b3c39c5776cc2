//! Names of files on the command line: `-`, and how a name is written for a shell.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use clap::CommandFactory as _;
use clap::error::ErrorKind;

use super::{Cli, CommandError};

/// The file that was named, or standard input if something is piped into the command.
pub(super) fn input_path(file: Option<&Path>) -> Result<&Path, clap::Error> {
    match file {
        Some(file) => Ok(file),
        None if io::stdin().is_terminal() => Err(Cli::command().error(
            ErrorKind::MissingRequiredArgument,
            "name a FILE, or pipe something into the command",
        )),
        None => Ok(Path::new("-")),
    }
}

/// Whether a name means standard input.
pub(super) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Refuses a flag that reads standard input, which the command reads already.
pub(super) fn refuse_second_input(
    file: &Path,
    flag: &str,
    value: Option<&Path>,
) -> Result<(), CommandError> {
    if is_standard_input(file) && value.is_some_and(is_standard_input) {
        return Err(format!(
            "only one of FILE and {flag} can be standard input: name a file for the other"
        )
        .into());
    }
    Ok(())
}

/// Refuses `-` where a file has to have a name.
pub(super) fn refuse_standard_input(path: &Path, why: &str) -> Result<(), CommandError> {
    if is_standard_input(path) {
        return Err(format!("{why}: name a file, or write ./- for one of this name").into());
    }
    Ok(())
}

/// The name of a file as a word of a command line.
pub(super) fn shell_word(path: &Path) -> String {
    let name = path.display().to_string();
    let is_flag = name.starts_with('-') && !is_standard_input(path);
    let name = if is_flag { format!("./{name}") } else { name };
    let is_plain = |sign: char| sign.is_alphanumeric() || "-_./:@%+=,".contains(sign);
    if !name.is_empty() && name.chars().all(is_plain) {
        return name;
    }
    format!("'{}'", name.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word_of_a_shell() {
        for (name, word) in [
            ("a/b.log", "a/b.log"),
            ("-", "-"),
            ("-x.log", "./-x.log"),
            ("sp ace.log", "'sp ace.log'"),
            ("it's", r"'it'\''s'"),
            ("-a b", "'./-a b'"),
        ] {
            assert_eq!(shell_word(Path::new(name)), word);
        }
    }
}
