//! `contexture wrap`: runs a command behind a gateway of its own.

use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus};

use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::failure::print_error;
use super::row_files::check_files_of_server;
use super::terminal::Terminal;
use super::usage::unknown_flag;
use super::{CommandError, serve_settings};
use crate::config::{Config, GatewayConfig, base_url_variables};
use crate::domain::counted;
use crate::http::GatewaySums;
use crate::server::Server;

#[derive(Debug, clap::Args)]
pub(super) struct WrapArgs {
    /// The command and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    command: Vec<OsString>,
    #[command(flatten)]
    gateway: GatewayConfig,
    /// Where decisions are kept: `sqlite:<file>` for commands that go on with a conversation of
    /// an earlier one
    #[arg(long, value_name = "URL", default_value = "memory:")]
    database_url: String,
}

/// Runs the command, and returns its exit code.
pub(super) fn run(args: WrapArgs, terminal: Terminal) -> Result<ExitCode, CommandError> {
    let WrapArgs { command, mut gateway, database_url } = args;
    refuse_flag(&command)?;
    gateway.add_usual_upstreams()?;
    let flags = ["--listen", "127.0.0.1:0", "--database-url", &database_url];
    let config = Config { gateway, ..serve_settings::read(&flags)? };
    check_files_of_server(&config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(config.server.worker_count())
        .enable_all()
        .build()?;
    let server = runtime.block_on(Server::build(config))?;
    let totals = server.gateway_totals();
    let address = format!("http://{}", server.address());
    let (stop, stopped) = oneshot::channel::<()>();
    let running = runtime.spawn(server.run_until(async { stopped.await.unwrap_or_default() }));
    let mut child = match start(&command, &address) {
        Ok(child) => child,
        Err(error) => return Ok(not_started(&command, &error)),
    };
    let status = wait(&runtime, &mut child);
    drop(stop);
    // The command has ended, so nobody waits for an open request.
    runtime.block_on(async { running.await.is_ok() });
    runtime.shutdown_background();
    if let Some(totals) = totals {
        terminal.note(&summary(totals.sums()));
    }
    Ok(exit_code(status?))
}

/// Refuses a word that is taken for the command and is a flag that there is not. After `--`, every
/// word is one of the command.
fn refuse_flag(command: &[OsString]) -> Result<(), clap::Error> {
    let after_dashes = env::args_os().skip_while(|word| word != "--").skip(1);
    let word = command.first().and_then(|word| word.to_str()).unwrap_or_default();
    if word.len() < 2 || !word.starts_with('-') || after_dashes.eq(command.iter().cloned()) {
        return Ok(());
    }
    Err(unknown_flag("wrap", word))
}

/// Starts the command with the addresses of the gateway in its environment, or in its arguments if it
/// reads no variable.
fn start(command: &[OsString], address: &str) -> io::Result<Child> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(io::Error::new(io::ErrorKind::NotFound, "name a command after --"));
    };
    let mut child = Command::new(program);
    child.envs(base_url_variables(address));
    let name = Path::new(program).file_stem().and_then(|name| name.to_str());
    if name == Some("codex") {
        child.arg("-c").arg(format!("openai_base_url=\"{address}/v1\""));
    }
    child.args(arguments).spawn()
}

/// Says why the command was not started, and returns the exit code that shells have for it: 127 if it
/// is not found, 126 if it cannot be run.
fn not_started(command: &[OsString], error: &io::Error) -> ExitCode {
    let program = command.first().map(|program| program.display().to_string()).unwrap_or_default();
    let (code, why) = match error.kind() {
        io::ErrorKind::NotFound => (127, "there is no such command".to_owned()),
        io::ErrorKind::PermissionDenied => (126, "the file may not be executed".to_owned()),
        _ => (126, error.to_string()),
    };
    let failure: CommandError = format!("cannot run {program}: {why}").into();
    print_error(&*failure);
    ExitCode::from(code)
}

/// Waits for the command. A signal to end goes to the command, which decides what to do.
fn wait(runtime: &Runtime, child: &mut Child) -> io::Result<ExitStatus> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let id = child.id();
        let _entered = runtime.enter();
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hang_up = signal(SignalKind::hangup())?;
        runtime.spawn(async move {
            loop {
                tokio::select! {
                    // A terminal sends Ctrl-C to the command, too.
                    _ = interrupt.recv() => if !is_in_foreground() {
                        pass_on(id, PassedSignal::Interrupt);
                    },
                    _ = terminate.recv() => pass_on(id, PassedSignal::Terminate),
                    _ = hang_up.recv() => pass_on(id, PassedSignal::HangUp),
                }
            }
        });
    }
    #[cfg(not(unix))]
    let _ = runtime;
    child.wait()
}

#[cfg(unix)]
#[derive(Debug, Clone, Copy)]
enum PassedSignal {
    Interrupt,
    Terminate,
    HangUp,
}

/// Whether a terminal sends its signals to this process and its command.
#[cfg(target_os = "linux")]
fn is_in_foreground() -> bool {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program ends at the last parenthesis; its state, its parent and its group
    // follow, then the session, the terminal, and the group in that terminal's foreground.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let mut fields = fields.split_whitespace().skip(2);
    let group = fields.next();
    group.is_some() && group == fields.nth(2)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn is_in_foreground() -> bool {
    io::IsTerminal::is_terminal(&io::stdin())
}

#[cfg(target_os = "linux")]
fn pass_on(id: u32, signal: PassedSignal) {
    use rustix::process::{Pid, Signal, kill_process};
    let signal = match signal {
        PassedSignal::Interrupt => Signal::INT,
        PassedSignal::Terminate => Signal::TERM,
        PassedSignal::HangUp => Signal::HUP,
    };
    if let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // It may have ended just now.
        let _ = kill_process(pid, signal);
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
fn pass_on(id: u32, signal: PassedSignal) {
    let name = match signal {
        PassedSignal::Interrupt => "-INT",
        PassedSignal::Terminate => "-TERM",
        PassedSignal::HangUp => "-HUP",
    };
    // It may have ended just now.
    let _ = Command::new("kill").arg(name).arg(id.to_string()).status();
}

/// The exit code of the command; 128 and the number of the signal that ended it.
fn exit_code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// The line about what was saved.
fn summary(sums: GatewaySums) -> String {
    let GatewaySums {
        requests,
        saved_tokens,
        input_tokens,
        cached_tokens,
        cost_micros,
        saved_micros,
    } = sums;
    let (requests, saved) = (counted(requests, "request"), counted(saved_tokens, "token"));
    let mut line = format!("contexture: {requests}, {saved} saved");
    if cost_micros > 0 {
        let saved = dollars(saved_micros.max(0).unsigned_abs());
        let _ = write!(line, "; input ${}, ${saved} saved", dollars(cost_micros));
    }
    if input_tokens > 0 {
        let share = u128::from(cached_tokens) * 100 / u128::from(input_tokens);
        let input = counted(input_tokens, "input token");
        let _ = write!(line, "; {share} % of {input} from the cache");
    }
    line
}

/// Millionths of a dollar as dollars, with four digits.
fn dollars(micros: u64) -> String {
    let rounded = (micros + 50) / 100;
    format!("{}.{:04}", rounded / 10_000, rounded % 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_known() {
        let none = GatewaySums::default();
        assert_eq!(summary(none), "contexture: 0 requests, 0 tokens saved");
        let some = GatewaySums {
            requests: 3,
            saved_tokens: 5_000,
            input_tokens: 12_100,
            cached_tokens: 10_000,
            cost_micros: 1_010_849,
            saved_micros: 3_750,
        };
        assert_eq!(
            summary(some),
            "contexture: 3 requests, 5,000 tokens saved; input $1.0108, $0.0038 saved; 82 % of 12,100 \
             input tokens from the cache"
        );
    }
}
