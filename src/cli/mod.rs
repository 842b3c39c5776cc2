//! The command line: arguments, commands, exit codes.
//!
//! Exit code 0 is success, 1 is a failed command, 2 is an invalid command line. 65, 70 and 78 have
//! the meaning that they have in `sysexits.h`.

mod aligned;
mod claude_hook;
mod compile;
mod completions;
mod compress;
mod demo;
mod doctor;
mod event_words;
mod explain;
mod failure;
mod gateway;
mod health;
mod hooks;
mod hooks_apply;
mod hooks_file;
mod init;
mod input_file;
mod json_lines;
mod keys;
mod manual;
mod mcp;
mod members;
mod models;
mod originals_file;
mod pack;
mod paths;
mod proof;
mod read_test;
mod reader_end;
mod replay;
mod report;
mod rollout;
mod row_files;
mod savings;
mod serve_settings;
mod server_address;
mod server_client;
mod server_process;
mod signal;
mod source_file;
mod store;
mod tail;
mod terminal;
mod transcript;
mod usage;
mod variables;
mod wrap;
mod yaml_document;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use self::failure::{exit_code, print_error};
use self::terminal::{Terminal, TerminalArgs};
use self::usage::{color_choice, refuse, without_empty_variables};
use crate::config::Config;
use crate::http;

/// A context compiler: a conversation goes in, the payload for the provider comes out
///
/// Contexture sits between an agent and the model's API. It keeps every request inside the context
/// window and byte-stable, so that prompt caches keep working, and every cut is explained and
/// reversible. It runs as a service (serve, or wrap for one command) or on a file (compile, compress).
#[derive(Debug, Parser)]
#[command(
    name = "contexture",
    version,
    max_term_width = 100,
    styles = terminal::HELP_STYLES,
    after_help = "\
Examples:
  contexture serve
  contexture compile conversation.json --target anthropic --window 32000
  contexture compress build.log | less
  contexture prove session.json
  contexture why before.json after.json
  contexture key create --scope admin
  contexture tail

Exit codes: 0 done, 1 failed, 2 the command line is not understood, 65 the database is damaged,
70 the disk lost what was written, 74 the disk is full, 78 a setting cannot be met (such as a\ndatabase that another process has, or that cannot be opened)."
)]
struct Cli {
    #[command(flatten)]
    terminal: TerminalArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the server, until SIGTERM or Ctrl-C
    ///
    /// Every flag has a variable of the environment; a flag wins over its variable. The address
    /// is printed to standard output once the server listens, logs go to standard error. On
    /// SIGTERM or Ctrl-C no new request is accepted and open ones are completed.
    #[command(after_help = "\
Examples:
  contexture serve
  contexture serve --listen 127.0.0.1:0 --log-format json
  CONTEXTURE_LISTEN=0.0.0.0:8080 CONTEXTURE_ALLOW_ANONYMOUS=true contexture serve")]
    Serve(Box<Config>),

    /// Show the console with recorded sessions, on a server that keeps nothing
    ///
    /// Starts a server in memory with --dev, plays two sessions of agents into it, and prints the
    /// console's address. Ends with Ctrl-C.
    #[command(after_help = "Example:\n  contexture demo")]
    Demo(demo::DemoArgs),

    /// Compile a file, as `POST /compile` would
    ///
    /// The payload goes to standard output; the report's sentence and a table go to standard
    /// error.
    Compile(compile::CompileArgs),

    /// Compress a conversation or a text, as `POST /compress` would
    ///
    /// The shorter messages or text go to standard output; the report's sentence and a table go
    /// to standard error. Nothing is written to disk.
    Compress(compress::CompressArgs),

    /// Restore what `compress` shortened
    ///
    /// Decodes messages or a text from the notations in them, and from originals if they are
    /// given. Exit code 1 if something is no longer available.
    Expand(compress::ExpandArgs),

    /// Compress a session, restore it, and compare
    ///
    /// Prints one table: tokens saved, what came back byte for byte, which formats still parse,
    /// and how many facts stay visible, compared with deleting lines at random. Exit code 1 if
    /// something was not restored.
    Prove(proof::ProveArgs),

    /// Test whether a model can read what compression shows
    ///
    /// Asks a model questions with one right answer over texts of many kinds: as they came, in each
    /// notation, and shortened. Prints the shares of right answers, and the answers that differ.
    ReadTest(Box<read_test::ReadTestArgs>),

    /// Find where one request leaves another's cached prefix, and why
    ///
    /// Both files contain requests, payloads as they were sent, or records of requests through the gateway,
    /// as `GET /compilations/{id}` returns them.
    #[command(after_help = "Example:\n  contexture why monday.json tuesday.json")]
    Why(explain::WhyArgs),

    /// Compile a recorded request again, and compare
    ///
    /// Prints a line for each stage. Exit code 1 if the result differs, or if it cannot be
    /// compiled again.
    #[command(after_help = "\
Examples:
  contexture replay cmp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b
  contexture replay cmp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b --request request.json")]
    Replay(replay::ReplayArgs),

    /// Write a first pack, and check packs before they are published
    #[command(subcommand)]
    Pack(pack::PackCommand),

    /// Speak the Model Context Protocol over standard input and output
    ///
    /// For hosts that start their servers themselves; a running server speaks it at `/mcp`. The
    /// database may be in use by a server.
    #[command(after_help = "Example:\n  contexture mcp --database-url sqlite:contexture.db")]
    Mcp(mcp::McpArgs),

    /// Register hooks from a file, and see what hooks are asked
    #[command(subcommand)]
    Hooks(hooks::HooksCommand),

    /// Be a hook of an agent
    #[command(subcommand)]
    Hook(claude_hook::HookCommand),

    /// Make, list and revoke keys of callers
    #[command(subcommand, visible_alias = "keys")]
    Key(keys::KeyCommand),

    /// Bring a database's schema up to date, as `serve` does when it starts
    ///
    /// Exit code 78 if a server uses the file.
    Migrate(store::StoreLocation),

    /// Copy a database into a new file, also while a server uses it
    ///
    /// The copy contains what was stored when it began, and is checked. No request waits for it.
    #[command(after_help = "Example:\n  contexture backup contexture-2026-12-31.db")]
    Backup(store::BackupArgs),

    /// Check a database, or put a copy in its place
    #[command(subcommand)]
    Db(store::DbCommand),

    /// Run a command, such as an agent, with a gateway of its own
    ///
    /// Starts a gateway on a free port of loopback, sets the base URLs of the command alone, and
    /// prints at its end what was saved. No file is edited. The exit code is the command's.
    #[command(after_help = "\
Examples:
  contexture wrap -- claude
  contexture wrap --gateway-mode observe -- aider --model gpt-5")]
    Wrap(Box<wrap::WrapArgs>),

    /// Check a gateway and its upstreams
    #[command(subcommand)]
    Gateway(gateway::GatewayCommand),

    /// Follow the events of a running server, in words
    Tail(tail::TailArgs),

    /// Print what a running server saved, by day, model or key
    Report(savings::ReportArgs),

    /// Look at settings, database, server and agents, and say what is missing
    Doctor(doctor::DoctorArgs),

    /// Write the first file of an agent that uses Contexture
    ///
    /// A file that is there is never overwritten: what would be in it is printed instead.
    #[command(after_help = "Examples:\n  contexture init python\n  contexture init claude-code")]
    Init {
        /// What to begin with
        #[arg(value_enum)]
        starter: init::Starter,
    },

    /// Ask a running server whether it is ready
    ///
    /// Exit code 0 if `GET /readyz` returns 200, else 1: the health check of the image.
    Health(health::HealthArgs),

    /// Print the catalogue of models: windows, prices, rules of their providers
    Models(models::ModelsArgs),

    /// Print the OpenAPI document, as YAML
    Openapi {
        /// Print JSON instead
        #[arg(long)]
        json: bool,
    },

    /// Print the completions of a shell
    #[command(after_help = "\
Examples:
  contexture completions bash > ~/.local/share/bash-completion/completions/contexture
  contexture completions zsh > ~/.zfunc/_contexture
  contexture completions fish > ~/.config/fish/completions/contexture.fish")]
    Completions {
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },

    /// Print the manual page, or write the pages of all commands
    Man(manual::ManArgs),
}

/// The cause of a failed command, which is printed to standard error.
type CommandError = Box<dyn std::error::Error>;

/// Parses the command line and runs its command.
pub fn run() -> ExitCode {
    let command = without_empty_variables(Cli::command());
    let command = command.color(color_choice(std::env::args_os()));
    let matches = command.try_get_matches();
    let cli = matches.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (mut cli, matches) = match cli {
        Ok(read) => read,
        Err(error) => return refuse(error),
    };
    let terminal = Terminal::new(cli.terminal);
    if let Command::Serve(config) = &mut cli.command {
        config.settings = server_process::settings_given(&Cli::command(), &matches);
    }
    let outcome = match cli.command {
        Command::Serve(config) => server_process::run(*config, terminal),
        Command::Demo(args) => demo::run(&args, terminal),
        Command::Compile(args) => compile::run(&args, terminal),
        Command::Compress(args) => compress::compress(&args, terminal),
        Command::Expand(args) => compress::expand(&args, terminal),
        Command::Prove(args) => proof::run(&args, terminal),
        Command::ReadTest(args) => read_test::run(&args, terminal),
        Command::Why(args) => explain::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Pack(command) => pack::run(&command),
        Command::Mcp(args) => mcp::run(&args, terminal),
        Command::Hooks(command) => return ended(hooks::run(&command)),
        Command::Hook(command) => claude_hook::run(&command),
        Command::Key(command) => keys::run(&command, terminal),
        Command::Migrate(place) => store::migrate(&place),
        Command::Backup(args) => store::backup(&args, terminal),
        Command::Db(command) => store::db(&command, terminal),
        Command::Wrap(args) => return ended(wrap::run(*args, terminal)),
        Command::Gateway(command) => gateway::run(&command),
        Command::Tail(args) => tail::run(&args, terminal),
        Command::Report(args) => savings::run(&args, terminal),
        Command::Doctor(args) => doctor::run(&args),
        Command::Init { starter } => init::run(starter, terminal),
        Command::Health(args) => health::run(&args),
        Command::Models(args) => models::run(&args),
        Command::Openapi { json } => print_openapi(json),
        Command::Completions { shell } => completions::print_completions(shell),
        Command::Man(args) => manual::print_manual(&args),
    };
    outcome.map_or_else(fail, |()| ExitCode::SUCCESS)
}

/// Returns the exit code of a command that has more of them than success and failure.
fn ended(outcome: Result<ExitCode, CommandError>) -> ExitCode {
    outcome.unwrap_or_else(fail)
}

/// Prints why a command failed, and returns its exit code.
fn fail(failure: CommandError) -> ExitCode {
    let failure = match failure.downcast::<clap::Error>() {
        Ok(error) => return refuse(*error),
        Err(failure) => failure,
    };
    // A reader that closed the pipe, such as `head`, has what it wanted.
    let is_closed = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    if failure.downcast_ref().is_some_and(is_closed) {
        return ExitCode::SUCCESS;
    }
    print_error(&*failure);
    exit_code(&*failure)
}

fn print_openapi(json: bool) -> Result<(), CommandError> {
    let document = http::openapi();
    let text =
        if json { document.to_pretty_json()? } else { http::portable_yaml(&document.to_yaml()?) };
    writeln!(io::stdout(), "{}", text.trim_end())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::usage::variable_of;
    use super::*;

    #[test]
    fn every_flag_of_serve_has_a_variable() {
        Cli::command().debug_assert();
        let command = Cli::command();
        let serve = command.find_subcommand("serve").unwrap();
        let is_setting = |argument: &&clap::Arg| {
            argument.get_long() != Some("help") && !argument.is_global_set()
        };
        for argument in serve.get_arguments().filter(is_setting) {
            let name = argument.get_long().unwrap();
            let variable = variable_of(&format!("--{name} <X>")).unwrap();
            // Every program that sends traces reads this one.
            let is_shared = variable == "OTEL_EXPORTER_OTLP_ENDPOINT";
            assert!(variable.starts_with("CONTEXTURE_") || is_shared, "{name}");
            assert!(argument.get_help().is_some(), "{name} has no help");
        }
    }
}
