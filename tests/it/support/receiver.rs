//! Other people's servers, as hooks meet them: one that answers, and those that do not behave.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Barrier, Notify};
use tokio::task::JoinHandle;

use super::compile::with;
use super::wait::until;

/// How a receiver behaves.
#[derive(Debug, Clone)]
pub enum Mode {
    /// 200 with this JSON.
    Answer(String),
    /// This status, headers (`name: value`, a line each) and body.
    Status(u16, String, String),
    /// 200 with this JSON once so many requests are there at the same time.
    Together(Arc<Barrier>, String),
    /// Exactly these bytes.
    Bytes(Vec<u8>),
    /// Takes the request and says nothing.
    Hang,
    /// Sends a head and then nothing.
    HeadOnly,
    /// Announces ten gibibytes and sends none of them.
    Announce,
    /// Sends one byte after another, with a pause.
    Drip(Duration),
    /// Announces ten gibibytes and sends them.
    Huge,
    /// Chunks of so many bytes, without end.
    EndlessChunks(usize),
    /// Interim answers, so many and with a pause after each; then 200 with this JSON.
    Interim(usize, Duration, String),
    /// Interim answers without end, as fast as they are taken.
    EndlessInterim,
    /// Headers without end.
    EndlessHeaders,
    /// Closes in the middle of the body.
    Close,
    /// Closes before it answers.
    CloseAtOnce,
}

/// A server on a real socket. It stops when dropped.
#[derive(Debug)]
pub struct Receiver {
    pub address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
    closed: Arc<Notify>,
    task: JoinHandle<()>,
}

impl Receiver {
    pub async fn spawn(mode: Mode) -> Self {
        Self::script(move |_| mode.clone()).await
    }

    /// One whose behaviour depends on how many requests came before.
    pub async fn script(mode: impl Fn(usize) -> Mode + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        Self::on(listener, mode)
    }

    pub fn on(listener: TcpListener, mode: impl Fn(usize) -> Mode + Send + Sync + 'static) -> Self {
        let address = listener.local_addr().expect("an address");
        let connections = Arc::new(AtomicUsize::new(0));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let closed = Arc::new(Notify::new());
        let ended = Arc::clone(&closed);
        let (count, seen, mode) = (Arc::clone(&connections), Arc::clone(&requests), Arc::new(mode));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let (seen, mode) = (Arc::clone(&seen), Arc::clone(&mode));
                let ended = Arc::clone(&ended);
                tokio::spawn(async move {
                    let _ = Box::pin(serve(stream, &seen, &*mode)).await;
                    ended.notify_one();
                });
            }
        });
        Self { address, connections, requests, closed, task }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Connections so far: a canary has none.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Waits until a connection is closed, by whichever side.
    pub async fn closed(&self) {
        self.closed.notified().await;
    }

    /// Waits until this many whole requests have come in.
    pub async fn reached(&self, count: usize) {
        until(async || (self.requests().len() >= count).then_some(())).await;
    }

    /// Returns the bodies of the requests so far.
    pub fn bodies(&self) -> Vec<Value> {
        let body = |request: &String| {
            let (_, body) = request.split_once("\r\n\r\n").expect("a head and a body");
            serde_json::from_str(body).expect("JSON")
        };
        self.requests().iter().map(body).collect()
    }

    /// Returns the `input` of each call of a hook so far.
    pub fn inputs(&self) -> Vec<Value> {
        self.bodies().iter().map(|body| body["input"].clone()).collect()
    }

    /// Whole requests so far, head and body.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no panic").clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Starts a receiver that returns this JSON for every call.
pub async fn answers(body: &Value) -> Receiver {
    Receiver::spawn(Mode::Answer(body.to_string())).await
}

/// Returns a hook that calls a receiver, with more keys. The place is its point and its kind.
pub fn hook(id: &str, place: (&str, &str), receiver: &Receiver, more: &Value) -> Value {
    let own = json!({"id": id, "point": place.0, "kind": place.1, "url": receiver.url()});
    with(own, more)
}

/// The longest timeout that a hook may have: for one whose receiver answers when something else has
/// happened, which a busy machine does late.
pub fn patient() -> Value {
    json!({"timeout_ms": 30_000})
}

async fn serve(
    mut stream: TcpStream,
    seen: &Mutex<Vec<String>>,
    mode: &(dyn Fn(usize) -> Mode + Send + Sync),
) -> std::io::Result<()> {
    loop {
        let Some(request) = read_request(&mut stream).await? else { return Ok(()) };
        let before = {
            let mut seen = seen.lock().expect("no panic");
            seen.push(request);
            seen.len() - 1
        };
        if !answer(&mut stream, mode(before)).await? {
            return Ok(());
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> std::io::Result<Option<String>> {
    let (mut bytes, mut buffer) = (Vec::new(), vec![0; 16 << 10]);
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]);
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.and_then(|text| text.parse().ok()).unwrap_or(0);
            // Told by bytes: a body need not be text.
            if bytes.len() >= end + 4 + length {
                return Ok(Some(String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
        let read = stream.read(&mut buffer).await?;
        if read == 0 {
            return Ok(None);
        }
        bytes.extend_from_slice(&buffer[..read]);
    }
}

/// Answers once; whether the connection goes on.
async fn answer(stream: &mut TcpStream, mode: Mode) -> std::io::Result<bool> {
    const INTERIM: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
    const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    match mode {
        Mode::Answer(body) => {
            let head = "content-type: application/json\r\n".to_owned();
            return Box::pin(answer(stream, Mode::Status(200, head, body))).await;
        }
        Mode::Status(status, headers, body) => {
            let length = body.len();
            let head = format!("HTTP/1.1 {status} x\r\n{headers}content-length: {length}\r\n\r\n");
            stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await?;
            return Ok(true);
        }
        Mode::Together(all, body) => {
            all.wait().await;
            return Box::pin(answer(stream, Mode::Answer(body))).await;
        }
        Mode::Bytes(bytes) => stream.write_all(&bytes).await?,
        Mode::Hang => std::future::pending().await,
        Mode::HeadOnly => {
            stream.write_all(&[OK, b"content-length: 20\r\n\r\n"].concat()).await?;
            std::future::pending::<()>().await;
        }
        Mode::Announce => {
            stream.write_all(&[OK, b"content-length: 10737418240\r\n\r\n"].concat()).await?;
            std::future::pending::<()>().await;
        }
        Mode::Drip(pause) => {
            stream.write_all(&[OK, b"content-length: 60000\r\n\r\n"].concat()).await?;
            loop {
                stream.write_all(b" ").await?;
                tokio::time::sleep(pause).await;
            }
        }
        Mode::Huge => {
            stream.write_all(&[OK, b"content-length: 10737418240\r\n\r\n"].concat()).await?;
            flood(stream, &vec![b' '; 64 << 10]).await?;
        }
        Mode::EndlessChunks(size) => {
            stream.write_all(&[OK, b"transfer-encoding: chunked\r\n\r\n"].concat()).await?;
            let chunk = format!("{size:x}\r\n{}\r\n", " ".repeat(size));
            flood(stream, &chunk.into_bytes().repeat((64 << 10) / size)).await?;
        }
        Mode::Interim(count, pause, body) => {
            for _ in 0..count {
                stream.write_all(INTERIM).await?;
                tokio::time::sleep(pause).await;
            }
            return Box::pin(answer(stream, Mode::Answer(body))).await;
        }
        Mode::EndlessInterim => flood(stream, &INTERIM.repeat(1024)).await?,
        Mode::EndlessHeaders => {
            stream.write_all(OK).await?;
            flood(stream, &b"x-more: more and more\r\n".repeat(2048)).await?;
        }
        Mode::Close => {
            stream.write_all(&[OK, b"content-length: 100\r\n\r\n{"].concat()).await?;
        }
        Mode::CloseAtOnce => {}
    }
    Ok(false)
}

async fn flood(stream: &mut TcpStream, piece: &[u8]) -> std::io::Result<()> {
    loop {
        stream.write_all(piece).await?;
    }
}
