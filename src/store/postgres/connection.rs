//! Connects to the database, and runs the thread that drives its connections.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::NoTls;
use tokio_postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::sql::Connection;
use super::stall::StallSwitch;
use crate::config::PostgresUrl;
use crate::store::error::{Error, OpenError, broken};

/// Time that opening a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Settings of each connection. A server that stops in the middle of a transaction loses it after
/// `idle_in_transaction_session_timeout`, and with it its tenant's lock. No statement reads so many
/// rows that other processes, or code that is compiled for it, would pay: where the database expects
/// otherwise, it is wrong.
const SESSION_SETTINGS: &str = "-c statement_timeout=6000 -c lock_timeout=6000 \
                        -c idle_in_transaction_session_timeout=5000 \
                        -c max_parallel_workers_per_gather=0 -c jit=off";

/// A database, and how to reach it.
pub(super) struct PostgresTarget {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    /// Without its password.
    shown: String,
    background: Background,
    stall: Arc<StallSwitch>,
}

impl std::fmt::Debug for PostgresTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Target").field(&self.shown).finish()
    }
}

/// A runtime that may be dropped anywhere.
struct Background(Option<Runtime>);

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

type ConnectionDriver = Pin<Box<dyn Future<Output = Result<(), tokio_postgres::Error>> + Send>>;

impl PostgresTarget {
    pub(super) fn new(url: &PostgresUrl) -> Result<Self, OpenError> {
        let shown = url.to_string();
        let refused = |source: Arc<dyn std::error::Error + Send + Sync>| OpenError::Connect {
            url: shown.clone(),
            source,
        };
        let mut config: Config = url
            .reveal()
            .parse()
            .map_err(|error: tokio_postgres::Error| refused(Arc::new(error)))?;
        let given = config.get_options().unwrap_or_default().to_owned();
        config.options(format!("{SESSION_SETTINGS} {given}")).connect_timeout(CONNECT_TIMEOUT);
        if config.get_application_name().is_none() {
            config.application_name("contexture");
        }
        let tls = wants_tls(&config).then(|| {
            config.ssl_mode(SslMode::Require);
            encrypted()
        });
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("store-postgres")
            .enable_all()
            .build()
            .map_err(|error| refused(Arc::new(error)))?;
        let (background, stall) = (Background(Some(runtime)), Arc::default());
        Ok(Self { config, tls, shown, background, stall })
    }

    pub(super) fn display_url(&self) -> &str {
        &self.shown
    }

    pub(super) fn connect_error(
        &self,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> OpenError {
        OpenError::Connect { url: self.shown.clone(), source: Arc::new(source) }
    }

    /// A new connection.
    pub(super) fn connect(&self) -> Result<Connection, Error> {
        let handle = self.handle()?;
        let (config, tls) = (self.config.clone(), self.tls.clone());
        // A server that accepts a connection may still send nothing on it.
        let connecting = handle.spawn(async move {
            tokio::time::timeout(CONNECT_TIMEOUT, connect(&config, tls)).await
        });
        let connected = pollster::block_on(connecting)
            .map_err(|_| broken("the thread of the database has ended"))?;
        let Ok(connected) = connected else {
            self.stall.note();
            return Err(broken("the database does not take a connection"));
        };
        let (client, driver) = connected.map_err(super::error)?;
        handle.spawn(run_driver(driver));
        Ok(Connection::new(client, handle, Arc::clone(&self.stall)))
    }

    /// A connection on which `begin` has run: the one that was kept, or a new one. One that was kept
    /// may have been cut meanwhile: then nothing has happened yet.
    pub(super) fn connect_and_begin(
        &self,
        kept: Option<Connection>,
        begin: &str,
    ) -> Result<Connection, Error> {
        if !self.stall.may_ask() {
            return Err(broken("the database did not answer a moment ago"));
        }
        if let Some(connection) = kept.filter(|connection| !connection.is_dead()) {
            match connection.batch(begin) {
                Ok(()) => {
                    self.stall.clear();
                    return Ok(connection);
                }
                Err(error) if connection.has_timed_out() => return Err(error),
                Err(_) => {}
            }
        }
        let connection = self.connect()?;
        connection.batch(begin)?;
        self.stall.clear();
        Ok(connection)
    }

    fn handle(&self) -> Result<Handle, Error> {
        let runtime = self.background.0.as_ref();
        let handle = runtime.map(|runtime| runtime.handle().clone());
        handle.ok_or_else(|| broken("the thread of the database has ended"))
    }
}

/// A client, and what moves its bytes until the connection ends.
async fn connect(
    config: &Config,
    tls: Option<MakeRustlsConnect>,
) -> Result<(Client, ConnectionDriver), tokio_postgres::Error> {
    if let Some(tls) = tls {
        let (client, connection) = config.connect(tls).await?;
        Ok((client, Box::pin(connection)))
    } else {
        let (client, connection) = config.connect(NoTls).await?;
        Ok((client, Box::pin(connection)))
    }
}

async fn run_driver(driver: ConnectionDriver) {
    if let Err(error) = driver.await {
        tracing::debug!(%error, "a connection to the database has ended");
    }
}

/// A connection over a network is encrypted unless the URL says otherwise.
fn wants_tls(config: &Config) -> bool {
    match config.get_ssl_mode() {
        SslMode::Disable => false,
        SslMode::Prefer => config.get_hosts().iter().any(|host| match host {
            Host::Tcp(name) => {
                let address = name.parse::<std::net::IpAddr>();
                name != "localhost" && !address.is_ok_and(|address| address.is_loopback())
            }
            Host::Unix(_) => false,
        }),
        _ => true,
    }
}

/// The server's certificate must be one that browsers would trust.
fn encrypted() -> MakeRustlsConnect {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = match builder {
        Ok(builder) => builder.with_root_certificates(roots).with_no_client_auth(),
        // The provider supports the versions that it is built with.
        Err(_) => {
            rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth()
        }
    };
    MakeRustlsConnect::new(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_over_a_network_is_encrypted() {
        for (url, wanted) in [
            ("postgres://localhost/db", false),
            ("postgres://127.0.0.1/db", false),
            ("postgres:///db?host=/run/postgresql", false),
            ("postgres://db.example/db", true),
            ("postgres://db.example/db?sslmode=disable", false),
            ("postgres://localhost/db?sslmode=require", true),
        ] {
            assert_eq!(wants_tls(&url.parse().unwrap()), wanted, "{url}");
        }
    }
}
