//! `contexture man`: pages that clap's own crate makes from the arguments, with the sections that a manual
//! has for examples and exit codes.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::builder::Resettable;
use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use super::{Cli, CommandError};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  contexture man | man -l -
  contexture man --dir ~/.local/share/man/man1")]
pub(super) struct ManArgs {
    /// Write the pages of all commands into this folder instead
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

/// Prints the manual page, or writes those of all commands.
pub(super) fn print_manual(args: &ManArgs) -> Result<(), CommandError> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    if let Some(folder) = &args.dir {
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        write_pages(&command, folder)
            .map_err(|error| format!("cannot write to {}: {error}", folder.display()))?;
        return Ok(());
    }
    io::stdout().write_all(&page(&command)?)?;
    Ok(())
}

/// Writes the pages of a command and of all commands below it.
fn write_pages(command: &Command, folder: &Path) -> io::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        write_pages(inner, folder)?;
    }
    let name = command.get_display_name().unwrap_or(command.get_name());
    fs::write(folder.join(format!("{name}.1")), page(command)?)
}

/// The page of a command.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let help = command.get_after_long_help().or(command.get_after_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let bare = command.clone().after_help(Resettable::Reset).after_long_help(Resettable::Reset);
    let mut page = Vec::new();
    Man::new(bare).render(&mut page)?;
    for paragraph in help.split("\n\n").filter(|own| !own.trim().is_empty()) {
        page.extend_from_slice(section(paragraph).as_bytes());
    }
    Ok(page)
}

/// A paragraph that follows a command's help, as a section.
fn section(paragraph: &str) -> String {
    let lines = |text: &str| text.lines().map(escaped).collect::<Vec<_>>().join("\n");
    match paragraph.split_once(":\n") {
        Some(("Example" | "Examples", examples)) => {
            format!(".SH EXAMPLES\n.nf\n{}\n.fi\n", lines(examples))
        }
        _ if paragraph.starts_with("Exit code") => {
            format!(".SH EXIT STATUS\n{}\n", lines(paragraph))
        }
        _ => format!(".SH NOTES\n{}\n", lines(paragraph)),
    }
}

/// A line in which nothing is a request or an escape of roff.
fn escaped(line: &str) -> String {
    let text = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    if text.starts_with('.') { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(command: &Command) -> String {
        String::from_utf8(page(command).unwrap()).unwrap()
    }

    fn built() -> Command {
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        command
    }

    #[test]
    fn examples_keep_their_lines_and_exit_codes_have_a_section() {
        let top = text(&built());
        let examples =
            ".SH EXAMPLES\n.nf\n  contexture serve\n  contexture compile conversation.json \\-\\-t";
        assert!(top.contains(examples), "{top}");
        assert!(top.contains("\n.SH EXIT STATUS\nExit codes: 0 done"), "{top}");
        assert!(!top.contains("EXTRA"), "{top}");
    }

    #[test]
    fn a_flag_names_its_variable() {
        let built = built();
        let serve = text(built.find_subcommand("serve").unwrap());
        assert!(serve.contains("CONTEXTURE_LISTEN"), "{serve}");
    }

    #[test]
    fn nothing_is_taken_for_a_request() {
        assert_eq!(escaped(".x 'y' \\ --z"), "\\&.x \\(aqy\\(aq \\e \\-\\-z");
    }
}
