//! `contexture serve`: runs the server until a signal.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::time::Duration;

use clap::{ArgMatches, Command};

use super::failure::{AddressInUse, SettingRefusal, StoreLost};
use super::health::reachable;
use super::row_files::check_files_of_server;
use super::server_client::{ServerArgs, ServerClient};
use super::signal::shutdown_signal;
use super::terminal::Terminal;
use super::{CommandError, variables};
use crate::config::{Config, Setting, SettingSource, set_names, settings_in_force};
use crate::server::{Error, Server, ShutdownOutcome};
use crate::service::pool::MAX_POOL_THREADS;
use crate::telemetry;

/// What sets the address of `serve`.
const LISTEN_SETTING: &str = "--listen, CONTEXTURE_LISTEN";
/// Time in which a server that has the address already is asked what it is.
const ASK_TIMEOUT: Duration = Duration::from_secs(1);

/// The settings of `serve`, as they were given.
pub(super) fn settings_given(command: &Command, matches: &ArgMatches) -> Vec<Setting> {
    let serve = command.find_subcommand("serve").zip(matches.subcommand_matches("serve"));
    serve.map(|(command, matches)| settings_in_force(command, matches)).unwrap_or_default()
}

pub(super) fn run(mut config: Config, terminal: Terminal) -> Result<(), CommandError> {
    if terminal.is_quiet() {
        log_errors_only(&mut config);
    }
    let _telemetry = telemetry::init(&config.telemetry)?;
    warn_of_unknown_variables();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(config.server.worker_count())
        .max_blocking_threads(MAX_POOL_THREADS)
        .enable_all()
        .build()?;
    let ending = runtime.block_on(async {
        let signals = shutdown_signal()?;
        let server = build(config, LISTEN_SETTING).await?;
        writeln!(io::stdout(), "listening on http://{}", server.address())?;
        io::stdout().flush()?;
        Ok::<_, CommandError>(server.run_until(signals).await)
    })?;
    // Work that is no longer awaited must not keep the process alive.
    runtime.shutdown_background();
    match ending {
        ShutdownOutcome::Drained => Ok(()),
        ShutdownOutcome::Cut => Err("stopped with requests unanswered".into()),
        ShutdownOutcome::Lost => Err(StoreLost.into()),
    }
}

/// Sets the log level of `--quiet`, unless a flag or a variable sets another.
fn log_errors_only(config: &mut Config) {
    let level = config.settings.iter_mut().find(|setting| setting.flag == "log-level");
    if let Some(level) = level.filter(|setting| setting.source == SettingSource::Default) {
        "error".clone_into(&mut config.telemetry.log_level);
        level.value = Some("error".to_owned());
    }
}

/// Logs variables that look like settings and are none: the server runs without what they should set.
fn warn_of_unknown_variables() {
    let unknown = variables::unknown(&set_names(), &variables::known());
    if !unknown.is_empty() {
        let names: Vec<_> = unknown.iter().map(ToString::to_string).collect();
        tracing::warn!(variables = names.join(", "), "variables are set that nothing reads");
    }
}

/// Builds a server. If its address is in use, the error says by what, and how to take another.
/// `setting`: what sets the address.
pub(super) async fn build(config: Config, setting: &'static str) -> Result<Server, CommandError> {
    check_files_of_server(&config)?;
    let failure = match Server::build(config).await {
        Ok(server) => return Ok(server),
        Err(failure) => failure,
    };
    match failure {
        Error::Listen { address, source } if source.kind() == io::ErrorKind::AddrInUse => {
            let is_ours = is_contexture(address).await;
            Err(Box::new(AddressInUse { address, setting, is_ours }))
        }
        Error::Listen { address, source } => {
            let text = format!("cannot listen on {address} ({setting}): {source}");
            Err(Box::new(SettingRefusal(text)))
        }
        failure => Err(failure.into()),
    }
}

/// Whether a server of ours listens there.
async fn is_contexture(address: SocketAddr) -> bool {
    let ask = async {
        let client = ServerClient::new(&ServerArgs::at(reachable(address)).ok()?).ok()?;
        Some(client.is_contexture().await)
    };
    matches!(tokio::time::timeout(ASK_TIMEOUT, ask).await, Ok(Some(true)))
}
