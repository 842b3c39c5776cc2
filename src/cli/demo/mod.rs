//! `contexture demo`: a server in memory with recorded sessions played into it, so that every page of
//! the console has something to show.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::pin::pin;

use hyper::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::failure::SettingRefusal;
use super::server_client::{ServerArgs, ServerClient};
use super::signal::shutdown_signal;
use super::terminal::Terminal;
use super::{CommandError, serve_settings, server_process};
use crate::config::listen_address;
use crate::{server, telemetry};

const SESSIONS: &str = include_str!("sessions.json");

#[derive(Debug, clap::Args)]
pub(super) struct DemoArgs {
    /// Address and port to listen on, or a port of 127.0.0.1; port 0 picks a free one and prints it
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        value_parser = listen_address
    )]
    listen: SocketAddr,
}

/// What is played into the server.
#[derive(Debug, Deserialize)]
struct DemoRecording<'r> {
    /// Memory entries by key, as `PUT /memory/{key}` takes them.
    #[serde(borrow)]
    memory: BTreeMap<String, &'r RawValue>,
    sessions: Vec<DemoSession<'r>>,
}

#[derive(Debug, Deserialize)]
struct DemoSession<'r> {
    id: String,
    #[serde(borrow)]
    defaults: &'r RawValue,
    turns: Vec<DemoTurn<'r>>,
}

#[derive(Debug, Deserialize)]
struct DemoTurn<'r> {
    /// Messages in the shape of chat completions.
    #[serde(borrow)]
    append: &'r RawValue,
}

pub(super) fn run(args: &DemoArgs, terminal: Terminal) -> Result<(), CommandError> {
    let listen = args.listen.to_string();
    let level = if terminal.is_quiet() { "error" } else { "warn" };
    let flags = ["--dev", "--database-url", "memory:", "--log-level", level, "--listen", &listen];
    let mut config = serve_settings::read(&flags)?;
    // A key from the environment would lock out the player.
    (config.keys.bootstrap_key, config.keys.keys_file) = (None, None);
    if server::is_exposed(&config) {
        let text = format!(
            "refusing to listen on {listen} (--listen): other machines could use the server without a \
             key; listen on 127.0.0.1, or set CONTEXTURE_ALLOW_ANONYMOUS=true if that is meant"
        );
        return Err(Box::new(SettingRefusal(text)));
    }
    let _telemetry = telemetry::init(&config.telemetry)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let signals = shutdown_signal()?;
        let server = server_process::build(config, "--listen").await?;
        let address = server.address();
        terminal.note("playing recorded sessions into a server in memory; this takes some seconds");
        let progress = terminal.progress("playing recorded sessions");
        let mut serving = pin!(server.run_until(signals));
        tokio::select! {
            _ = &mut serving => return Ok(()),
            played = play(address) => played?,
        }
        drop(progress);
        writeln!(io::stdout(), "the console is at http://{address}")?;
        io::stdout().flush()?;
        terminal.note("Ctrl-C ends it; nothing is kept");
        serving.await;
        Ok::<_, CommandError>(())
    })?;
    runtime.shutdown_background();
    Ok(())
}

/// Plays the recording, as clients would: over HTTP.
async fn play(address: SocketAddr) -> Result<(), CommandError> {
    let recording: DemoRecording<'_> = serde_json::from_str(SESSIONS)?;
    let client = ServerClient::new(&ServerArgs::at(address)?)?;
    for (key, entry) in &recording.memory {
        client.json(Method::PUT, &format!("/memory/{key}"), Some(entry.get().to_owned())).await?;
    }
    for session in &recording.sessions {
        let id = serde_json::to_string(&session.id)?;
        let body = format!("{{\"id\":{id},\"defaults\":{}}}", session.defaults);
        client.json(Method::POST, "/sessions", Some(body)).await?;
        let name = utf8_percent_encode(&session.id, NON_ALPHANUMERIC);
        let path = format!("/sessions/{name}/turns");
        for turn in &session.turns {
            let body = format!("{{\"source\":\"openai\",\"append\":{}}}", turn.append);
            client.json(Method::POST, &path, Some(body)).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recording_can_be_read() {
        let recording: DemoRecording<'_> = serde_json::from_str(SESSIONS).unwrap();
        assert!(recording.sessions.iter().any(|session| session.id == "flaky-test"));
        assert!(recording.sessions.iter().all(|session| !session.turns.is_empty()));
        assert!(!recording.memory.is_empty());
    }
}
