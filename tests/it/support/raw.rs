//! HTTP/1.1 by hand, for what a client library would not send.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Longer than any limit that the tests set.
const PATIENCE: Duration = Duration::from_mins(1);

/// What came back: the head as text, the body as bytes.
#[derive(Debug)]
pub struct Reply {
    /// 0 where the connection was closed without an answer.
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn code(&self) -> String {
        let body: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        body["code"].as_str().unwrap_or_default().to_owned()
    }

    pub fn pointers(&self) -> Vec<String> {
        let body: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let errors = body["errors"].as_array().cloned().unwrap_or_default();
        errors.iter().filter_map(|error| Some(error["pointer"].as_str()?.to_owned())).collect()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// A request as bytes, with a content length and `connection: close`. A body is JSON unless a header
/// says otherwise.
pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
    if !body.is_empty() && !headers.iter().any(|(name, _)| *name == "content-type") {
        text.push_str("content-type: application/json\r\n");
    }
    for (name, value) in headers {
        let _ = write!(text, "{name}: {value}\r\n");
    }
    let _ = write!(text, "content-length: {}\r\n\r\n", body.len());
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Sends bytes and reads one answer.
pub async fn send(address: SocketAddr, bytes: &[u8]) -> Reply {
    exchange(address, &[(bytes, Duration::ZERO)]).await
}

/// Sends pieces with a pause after each, reading meanwhile, until the other side closes.
pub async fn exchange(address: SocketAddr, pieces: &[(&[u8], Duration)]) -> Reply {
    let stream = TcpStream::connect(address).await.expect("a connection");
    let (mut reader, mut writer) = stream.into_split();
    let write = async {
        for (piece, pause) in pieces {
            // A server that has refused closes early: then its answer is what counts.
            if writer.write_all(piece).await.is_err() {
                break;
            }
            tokio::time::sleep(*pause).await;
        }
        writer
    };
    let read = async {
        let mut bytes = Vec::new();
        let mut chunk = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = reader.read(&mut chunk).await {
            bytes.extend_from_slice(&chunk[..count]);
        }
        bytes
    };
    let both = async {
        tokio::pin!(write, read);
        tokio::select! {
            bytes = &mut read => bytes,
            // The writer lives on: closing it would look like a client that went away.
            _writer = &mut write => read.await,
        }
    };
    let bytes = tokio::time::timeout(PATIENCE, both).await.expect("the connection ends");
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Reply {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    let (head, body) = end.map_or((bytes, &[][..]), |end| (&bytes[..end], &bytes[end + 4..]));
    let head = String::from_utf8_lossy(head).into_owned();
    let status = head.split(' ').nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    Reply { status, head, body: body.to_vec() }
}
