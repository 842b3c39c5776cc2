//! `contexture hooks`: `listen` is a local receiver that prints the calls of a hook.

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderMap};
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::CommandError;
use super::hooks_apply::{self, ApplyArgs};
use super::reader_end::stdout_is_closed;
use super::server_client::{ServerArgs, ServerClient};
use super::signal::shutdown_signal;
use crate::hook::{HookKind, HookSecret, Point};
use crate::webhook::sign;

#[derive(Debug, clap::Subcommand)]
pub(super) enum HooksCommand {
    /// Register a receiver of your own at a point, and print each call
    ///
    /// The server has to run with --dev, which lets hooks call this machine. The receiver checks
    /// every signature, responds that nothing is to change, and is removed with Ctrl-C.
    #[command(after_help = "\
Example:
  contexture serve --dev &
  contexture hooks listen --point tool_result")]
    Listen(ListenArgs),

    /// Register the hooks of a file, after showing what changes
    ///
    /// The file has hooks by their names, as PUT /hooks/{id} takes them. ${NAME} in a text is the
    /// variable NAME of the environment, for secrets. A hook that is registered as the file has it
    /// stays as it is, so the command may run with each deployment. Registered hooks that the file
    /// does not name are listed, and stay unless --prune is given.
    #[command(after_help = "\
Examples:
  contexture hooks apply hooks.yaml --dry-run
  contexture hooks apply hooks.yaml --yes --server https://contexture.example.com
  envsubst < hooks.template | contexture hooks apply - --yes

A file:
  hooks:
    redact:
      point: tool_result
      kind: transform
      url: https://hooks.example.com/redact
      secret: ${REDACT_SECRET}
    scan: {point: transform_context, kind: guard, builtin: secret_scan}

Exit codes: 0 done or nothing to do, 1 failed or not confirmed, 2 the command line is not
understood, 3 with --dry-run if something would change.")]
    Apply(ApplyArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct ListenArgs {
    /// The point, one of `GET /hook-points`
    #[arg(long, value_name = "POINT", value_parser = point)]
    point: Point,
    /// guard, transform, provide or observe; the one that fits when not given
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Option<HookKind>,
    #[command(flatten)]
    server: ServerArgs,
}

fn point(text: &str) -> Result<Point, String> {
    let points = || Point::ALL.map(Point::as_str).join(", ");
    Point::parse(text).ok_or_else(|| format!("must be one of {}", points()))
}

fn kind(text: &str) -> Result<HookKind, String> {
    let found = HookKind::ALL.into_iter().find(|kind| kind.as_str() == text);
    found
        .ok_or_else(|| format!("must be one of {}", HookKind::ALL.map(HookKind::as_str).join(", ")))
}

pub(super) fn run(command: &HooksCommand) -> Result<ExitCode, CommandError> {
    let args = match command {
        HooksCommand::Listen(args) => args,
        HooksCommand::Apply(args) => return hooks_apply::run(args),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(listen(args))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the kind that has the least effect, of those that the point allows.
fn default_kind(point: Point) -> HookKind {
    let order = [HookKind::Transform, HookKind::Observe, HookKind::Provide, HookKind::Guard];
    order.into_iter().find(|kind| point.takes(*kind)).unwrap_or(HookKind::Observe)
}

/// Returns the response that changes nothing.
const fn neutral_body(kind: HookKind) -> &'static str {
    match kind {
        HookKind::Guard => r#"{"decision":"allow"}"#,
        HookKind::Transform => r#"{"action":"unchanged"}"#,
        HookKind::Provide | HookKind::Observe => "null",
    }
}

async fn listen(args: &ListenArgs) -> Result<(), CommandError> {
    let stop = shutdown_signal()?;
    let closed = stdout_is_closed();
    tokio::pin!(stop, closed);
    let client = ServerClient::new(&args.server)?;
    let kind = args.kind.unwrap_or_else(|| default_kind(args.point));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let hook = json!({"point": args.point.as_str(), "kind": kind.as_str(),
                      "url": format!("http://{address}/")});
    let created = client.json(Method::POST, "/hooks", Some(hook.to_string())).await?;
    let text = |name: &str| created.get(name).and_then(Value::as_str).unwrap_or_default();
    let (id, secret) = (text("id").to_owned(), text("secret").to_owned());
    let receiver =
        Arc::new(Receiver { secret: HookSecret::parse(&secret), answer: neutral_body(kind) });
    writeln!(io::stdout(), "{}", listen_notice(&id, args.point, kind, &secret, address.port()))?;
    io::stdout().flush()?;

    let mut connections = FuturesUnordered::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, _) = accepted?;
                let receiver = Arc::clone(&receiver);
                let service = service_fn(move |request| {
                    let receiver = Arc::clone(&receiver);
                    async move { receiver.take(request).await }
                });
                let http = hyper::server::conn::http1::Builder::new();
                connections.push(http.serve_connection(TokioIo::new(stream), service));
            }
            // The server opens a new connection if this one failed.
            Some(_) = connections.next(), if !connections.is_empty() => {}
            () = &mut stop => break,
            () = &mut closed => break,
        }
    }
    client.json(Method::DELETE, &format!("/hooks/{id}"), None).await?;
    writeln!(io::stdout(), "{id} is gone")?;
    Ok(())
}

/// The cause of a call without a response.
type CallError = Box<dyn std::error::Error + Send + Sync>;

struct Receiver {
    secret: Option<HookSecret>,
    answer: &'static str,
}

impl Receiver {
    /// Prints a call and responds to it. A call with a wrong signature is refused.
    async fn take(&self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, CallError> {
        let (head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let is_signed = self.is_signed(&head.headers, &body);
        let call: Value = serde_json::from_slice(&body).unwrap_or_default();
        let signature = if is_signed { "signature ok" } else { "SIGNATURE WRONG" };
        let pretty = serde_json::to_string_pretty(&call)?;
        writeln!(io::stdout(), "{} {signature}\n{pretty}", header(&head.headers, "webhook-id"))?;
        io::stdout().flush()?;
        let (status, answer) = if is_signed { (200, self.answer) } else { (401, "null") };
        let response = Response::builder().status(status).header(CONTENT_TYPE, "application/json");
        Ok(response.body(Full::new(Bytes::from_static(answer.as_bytes())))?)
    }

    fn is_signed(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        let (id, signatures) =
            (header(headers, "webhook-id"), header(headers, "webhook-signature"));
        let Ok(timestamp) = header(headers, "webhook-timestamp").parse() else { return false };
        let Some(secret) = &self.secret else { return false };
        let expected = sign([secret].into_iter(), id, timestamp, body);
        signatures.split(' ').any(|signature| signature == expected)
    }
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Writes the notice before the first call: the hook, and the code of a receiver that does the
/// same.
fn listen_notice(id: &str, point: Point, kind: HookKind, secret: &str, port: u16) -> String {
    let answer = neutral_body(kind);
    format!(
        r#"{id} runs at {point} as {kind}, and calls http://127.0.0.1:{port}/

The same in Python (pip install standardwebhooks):

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from standardwebhooks import Webhook
class Hook(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        print(json.dumps(Webhook("{secret}").verify(body, dict(self.headers)), indent=2))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(b'{answer}')
HTTPServer(("127.0.0.1", {port}), Hook).serve_forever()
"#
    )
}
