//! Command lines that are refused: what clap says, and what it cannot know.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, Resettable, StyledStr};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory as _};

use super::Cli;
use crate::config::is_set;

/// Flags that people know from other servers.
const OTHER_LISTEN_FLAGS: [&str; 8] =
    ["--addr", "--address", "--bind", "--host", "--port", "-H", "-b", "-p"];
/// How alike two names of commands are that may be meant for each other, as clap has it.
const MIN_LIKENESS: f64 = 0.7;

/// Reads a flag whose value is one of a few words, which a fault and `--help` list.
pub(super) fn one_of<W>(words: &'static [(&'static str, W)]) -> PossibleValuesParser {
    PossibleValuesParser::new(words.iter().map(|(word, _)| *word))
}

/// Takes variables that are set to an empty text as not set. Those of `serve` stay: a setting that came
/// out empty by mistake, such as a key, must stop the server.
pub(super) fn without_empty_variables(command: Command) -> Command {
    let command = command.mut_args(|argument| {
        let value = argument.get_env().and_then(std::env::var_os);
        let is_empty = value.is_some_and(|value| value.is_empty());
        if is_empty { argument.env(Resettable::Reset) } else { argument }
    });
    command.mut_subcommands(|command| match command.get_name() {
        "serve" => command,
        _ => without_empty_variables(command),
    })
}

/// The colours of help and of faults of the command line, which are printed before it is read.
pub(super) fn color_choice(line: impl Iterator<Item = OsString>) -> clap::ColorChoice {
    let mut line = line.take_while(|argument| argument != "--");
    while let Some(argument) = line.next() {
        let value = match argument.to_str() {
            Some("--color") => line.next().and_then(|value| value.into_string().ok()),
            Some(text) => text.strip_prefix("--color=").map(str::to_owned),
            None => None,
        };
        match value.as_deref() {
            Some("always") => return clap::ColorChoice::Always,
            Some("never") => return clap::ColorChoice::Never,
            _ => {}
        }
    }
    clap::ColorChoice::Auto
}

/// Prints help, version or the error. If a value is invalid, it names the variable that may contain
/// it.
pub(super) fn refuse(mut error: clap::Error) -> ExitCode {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    if let Some(tip) = tip(&error) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
    }
    let _ = error.print();
    if matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue)
        && let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg)
        && let Some(variable) = variable_of(argument)
        && is_set(&variable)
        && !is_given(argument, std::env::args_os())
    {
        let _ = writeln!(io::stderr(), "The value comes from the variable {variable}.");
    }
    ExitCode::from(code)
}

/// What may have been meant, if clap does not say it.
fn tip(error: &clap::Error) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let name = text(ContextKind::InvalidArg)?.split(['=', ' ']).next()?;
            let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
            let listens = ["serve", "demo"].iter().any(|command| usage.contains(command));
            (listens && OTHER_LISTEN_FLAGS.contains(&name)).then(|| {
                "the address and port are those of '--listen', such as '--listen 127.0.0.1:8080' or \
                 '--listen 8080'"
                    .to_owned()
            })
        }
        ErrorKind::InvalidSubcommand if error.get(ContextKind::SuggestedSubcommand).is_none() => {
            let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
            let parent = command_of(&usage, Cli::command());
            let given = text(ContextKind::InvalidSubcommand)?;
            if given == "version" {
                return Some("the version is printed by 'contexture --version'".to_owned());
            }
            let name = nearest_command(given, &parent)?;
            Some(format!("a similar subcommand exists: '{name}'"))
        }
        _ => None,
    }
}

/// The error of a flag that a command does not have, with the one that is most like it.
pub(super) fn unknown_flag(command: &str, word: &str) -> clap::Error {
    let name = word.split('=').next().unwrap_or(word);
    let mut error = clap::Error::new(ErrorKind::UnknownArgument);
    let mut all = Cli::command();
    all.build();
    if let Some(command) = all.find_subcommand(command) {
        error = error.with_cmd(command);
        let flags = command.get_arguments().filter_map(clap::Arg::get_long);
        let near = flags.map(|flag| (strsim::jaro(name.trim_start_matches('-'), flag), flag));
        let near = near.max_by(|(a, _), (b, _)| a.total_cmp(b));
        if let Some((_, flag)) = near.filter(|(likeness, _)| *likeness > MIN_LIKENESS) {
            let flag = ContextValue::String(format!("--{flag}"));
            error.insert(ContextKind::SuggestedArg, flag);
        }
        let usage = command.clone().render_usage();
        error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    }
    error.insert(ContextKind::InvalidArg, ContextValue::String(name.to_owned()));
    error
}

/// The command that a usage is of, such as `Usage: contexture key [OPTIONS] <COMMAND>`.
fn command_of(usage: &str, mut command: Command) -> Command {
    let words = anstream::adapter::strip_str(usage).to_string();
    for name in words.split_whitespace().skip(2) {
        let Some(inner) = command.find_subcommand(name) else { break };
        command = inner.clone();
    }
    command
}

/// The command whose name is most like a word, of those that are much like it.
fn nearest_command(word: &str, command: &Command) -> Option<String> {
    let near = command.get_subcommands().map(|known| {
        let name = known.get_name();
        (strsim::jaro(word, name), name)
    });
    let (likeness, name) = near.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    (likeness > MIN_LIKENESS).then(|| name.to_owned())
}

/// Returns the variable of an argument that clap shows as `--name <VALUE>`.
pub(super) fn variable_of(argument: &str) -> Option<String> {
    let name = argument.split_whitespace().next()?.strip_prefix("--")?;
    variable_in(&Cli::command(), name)
}

/// The variable of a flag. A flag that several commands have has the same variable in each.
fn variable_in(command: &Command, name: &str) -> Option<String> {
    let arguments = command.get_arguments();
    let mut variables = arguments
        .filter(|argument| argument.get_long() == Some(name))
        .filter_map(|argument| Some(argument.get_env()?.to_string_lossy().into_owned()));
    variables
        .next()
        .or_else(|| command.get_subcommands().find_map(|command| variable_in(command, name)))
}

/// Whether the command line contains a flag that clap shows as `--name <VALUE>`, or another name of it.
fn is_given(argument: &str, line: impl Iterator<Item = OsString>) -> bool {
    let flag = argument.split_whitespace().next().unwrap_or_default();
    let names = if flag == "--server" { vec![flag, "--url"] } else { vec![flag] };
    let mut line = line.take_while(|argument| argument != "--");
    line.any(|argument| {
        let text = argument.to_string_lossy();
        names.contains(&text.split('=').next().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_before_the_line_is() {
        let choice = |line: &[&str]| color_choice(line.iter().map(OsString::from));
        assert_eq!(choice(&["contexture", "--color=always", "--help"]), clap::ColorChoice::Always);
        assert_eq!(choice(&["contexture", "--color", "never"]), clap::ColorChoice::Never);
        assert_eq!(choice(&["contexture", "--color"]), clap::ColorChoice::Auto);
        let wrapped = ["contexture", "wrap", "--", "ls", "--color=always"];
        assert_eq!(choice(&wrapped), clap::ColorChoice::Auto);
    }

    #[test]
    fn a_flag_is_given_with_its_value_or_before_it() {
        let given = |line: &[&str]| is_given("--server <URL>", line.iter().map(OsString::from));
        assert!(given(&["tail", "--server", "x"]) && given(&["tail", "--url=x"]));
        assert!(!given(&["tail", "--servers"]) && !given(&["wrap", "--", "--server"]));
        assert_eq!(variable_of("--server <URL>").as_deref(), Some("CONTEXTURE_URL"));
        assert_eq!(variable_of("--window <TOKENS>"), None);
    }

    #[test]
    fn a_misspelt_command_is_near_to_one() {
        let near = |word| nearest_command(word, &Cli::command());
        assert_eq!(near("comprss").as_deref(), Some("compress"));
        assert_eq!(near("xyzzy"), None);
        let parent = command_of("Usage: contexture key [OPTIONS] <COMMAND>", Cli::command());
        assert_eq!(nearest_command("lst", &parent).as_deref(), Some("list"));
    }
}
