//! `contexture serve`: runs the server until a signal.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::time::Duration;

use clap::{ArgMatches, Command};

use super::CommandError;
use super::failure::{AddressInUse, StoreLost};
use super::health::reachable;
use super::row_files::check_files_of_server;
use super::server_client::{ServerArgs, ServerClient};
use super::signal::shutdown_signal;
use crate::config::{Config, Setting, settings_in_force};
use crate::server::{Error, Server, ShutdownOutcome};
use crate::service::pool::MAX_POOL_THREADS;
use crate::telemetry;

/// Time in which a server that has the address already is asked what it is.
const ASK_TIMEOUT: Duration = Duration::from_secs(1);

/// The settings of `serve`, as they were given.
pub(super) fn settings_given(command: &Command, matches: &ArgMatches) -> Vec<Setting> {
    let serve = command.find_subcommand("serve").zip(matches.subcommand_matches("serve"));
    serve.map(|(command, matches)| settings_in_force(command, matches)).unwrap_or_default()
}

pub(super) fn run(config: Config) -> Result<(), CommandError> {
    let _telemetry = telemetry::init(&config.telemetry)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(config.server.worker_count())
        .max_blocking_threads(MAX_POOL_THREADS)
        .enable_all()
        .build()?;
    let ending = runtime.block_on(async {
        let signals = shutdown_signal()?;
        let server = build(config).await?;
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

/// Builds a server. If its address is in use, the error says by what, and how to take another.
pub(super) async fn build(config: Config) -> Result<Server, CommandError> {
    check_files_of_server(&config)?;
    let failure = match Server::build(config).await {
        Ok(server) => return Ok(server),
        Err(failure) => failure,
    };
    match failure {
        Error::Listen { address, source } if source.kind() == io::ErrorKind::AddrInUse => {
            let is_ours = is_contexture(address).await;
            Err(Box::new(AddressInUse { address, is_ours }))
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
