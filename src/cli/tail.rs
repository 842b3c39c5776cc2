//! `contexture tail`: the events of a running server, in words.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use bytes::BytesMut;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::CommandError;
use super::event_words::describe;
use super::reader_end::stdout_is_closed;
use super::server_client::{ServerArgs, ServerClient, ServerRefusal};
use super::signal::shutdown_signal;
use super::terminal::{FAINT, NAME, Terminal};
use super::usage::one_of;
use crate::domain::EventKind;

/// Time between two attempts to come back to a server that went away: the first, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(10);
/// Bytes of one event. Events contain ids and counts.
const MAX_EVENT_BYTES: usize = 1 << 20;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  contexture tail
  contexture tail --session chat-17 --types compile:done,memory:changed
  contexture tail --after 0 --json | jq .data.tokens_after

Times are those of UTC.")]
pub(super) struct TailArgs {
    /// Only events of these types, with commas between them
    #[arg(long, value_name = "TYPE", value_delimiter = ',', value_parser = one_of(EventKind::WORDS))]
    types: Vec<String>,

    /// Only events of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,

    /// Begin after the event with this number; 0 begins with the oldest event that is kept
    #[arg(long, value_name = "NUMBER")]
    after: Option<u64>,

    /// Print each event as one line of JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    server: ServerArgs,
}

/// Prints events until Ctrl-C, or until nothing reads them. A server that goes away is waited for, and nothing is missed.
pub(super) fn run(args: &TailArgs, terminal: Terminal) -> Result<(), CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let stop = shutdown_signal()?;
        tokio::select! {
            ended = follow(args, terminal) => ended,
            () = stop => Ok(()),
            () = stdout_is_closed() => Ok(()),
        }
    })
}

async fn follow(args: &TailArgs, terminal: Terminal) -> Result<(), CommandError> {
    let client = ServerClient::new(&args.server)?;
    let mut after = args.after;
    // The first attempt says what is wrong; a server that was there comes back.
    let mut body = client.stream(&path(args, after)).await?.into_body();
    let mut pause = FIRST_PAUSE;
    loop {
        if read_events(&mut body, args, &mut after).await? {
            pause = FIRST_PAUSE;
        }
        terminal.note(&format!("{} closed the stream; coming back to it", client.address()));
        body = loop {
            tokio::time::sleep(pause).await;
            pause = MAX_PAUSE.min(pause * 2);
            match client.stream(&path(args, after)).await {
                Ok(response) => break response.into_body(),
                Err(failure) => give_up_if_final(failure)?,
            }
        };
    }
}

/// Returns a refusal that would come again, such as that of a server that needs a key now.
fn give_up_if_final(failure: CommandError) -> Result<(), CommandError> {
    let refusal = failure.downcast_ref::<ServerRefusal>();
    if refusal.is_some_and(ServerRefusal::is_final) { Err(failure) } else { Ok(()) }
}

fn path(args: &TailArgs, after: Option<u64>) -> String {
    let mut path = "/events?".to_owned();
    let mut add = |key: &str, value: &str| {
        let _ = write!(path, "{key}={}&", utf8_percent_encode(value, NON_ALPHANUMERIC));
    };
    if !args.types.is_empty() {
        add("types", &args.types.join(","));
    }
    if let Some(session) = &args.session {
        add("session_id", session);
    }
    if let Some(after) = after {
        add("after", &after.to_string());
    }
    path.pop();
    path
}

/// Prints the events of a stream until it ends. Returns whether there was one.
async fn read_events(
    body: &mut Incoming,
    args: &TailArgs,
    after: &mut Option<u64>,
) -> Result<bool, CommandError> {
    let mut buffer = BytesMut::new();
    let mut has_event = false;
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else { continue };
        buffer.extend_from_slice(&data);
        while let Some(end) = memchr::memmem::find(&buffer, b"\n\n") {
            let frame = buffer.split_to(end + 2);
            if let Some(data) = event_data(&String::from_utf8_lossy(&frame)) {
                has_event = true;
                print(&data, args.json, after)?;
            }
        }
        if buffer.len() > MAX_EVENT_BYTES {
            return Err("the server sends something that is no stream of events".into());
        }
    }
    Ok(has_event)
}

/// The data of one frame of a stream; none of a heartbeat.
fn event_data(frame: &str) -> Option<String> {
    let lines: Vec<&str> = frame.lines().filter_map(|line| line.strip_prefix("data:")).collect();
    if lines.is_empty() { None } else { Some(lines.join("\n").trim_start().to_owned()) }
}

fn print(data: &str, as_json: bool, after: &mut Option<u64>) -> Result<(), CommandError> {
    let event: Value = serde_json::from_str(data)?;
    if let Some(seq) = event.get("seq").and_then(Value::as_u64) {
        *after = Some(seq);
    }
    let mut out = anstream::stdout().lock();
    if as_json {
        writeln!(out, "{data}")?;
    } else {
        let text = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or_default();
        let (kind, time) = (text("type"), text("at").get(11..19).unwrap_or_default());
        let session = match text("session_id") {
            "" => String::new(),
            session => format!("{NAME}{session}{NAME:#}  "),
        };
        let words = describe(kind, event.get("data").unwrap_or(&Value::Null));
        writeln!(out, "{FAINT}{time}{FAINT:#}  {kind:<18}  {session}{words}")?;
    }
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_has_its_data() {
        let frame = "id: 7\nevent: memory:changed\ndata: {\"seq\":7}\n\n";
        assert_eq!(event_data(frame).as_deref(), Some("{\"seq\":7}"));
        assert_eq!(event_data(": heartbeat\n\n"), None);
    }
}
