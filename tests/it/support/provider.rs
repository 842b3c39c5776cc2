//! A provider of models on a real socket: it notes what it gets, and sends what the test says.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::wait::until;

/// A request as the provider got it.
#[derive(Debug, Clone)]
pub struct ProviderRequest {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl ProviderRequest {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a body of JSON")
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("plain text"))
    }
}

/// A response of the provider.
#[derive(Debug)]
pub struct ProviderReply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: ProviderBody,
}

/// The body of a response.
#[derive(Debug)]
pub enum ProviderBody {
    Whole(Bytes),
    /// Chunks as the test sends them; an error breaks the stream off.
    Stream(mpsc::Receiver<Result<Bytes, std::io::Error>>),
    /// Nothing, not even a head.
    Silence,
}

impl ProviderReply {
    pub fn json(status: u16, body: &Value) -> Self {
        Self::whole(status, "application/json", body.to_string())
    }

    pub fn whole(status: u16, media_type: &str, body: impl Into<Bytes>) -> Self {
        let headers = vec![("content-type", media_type.to_owned())];
        Self { status, headers, body: ProviderBody::Whole(body.into()) }
    }

    /// An event stream whose chunks the sender gives.
    pub fn stream() -> (mpsc::Sender<Result<Bytes, std::io::Error>>, Self) {
        let (sender, receiver) = mpsc::channel(1);
        let headers = vec![("content-type", "text/event-stream".to_owned())];
        (sender, Self { status: 200, headers, body: ProviderBody::Stream(receiver) })
    }

    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// A server on a free port. It stops when dropped.
#[derive(Debug)]
pub struct Provider {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<ProviderRequest>>>,
    task: JoinHandle<()>,
}

impl Provider {
    /// One that replies what `reply` says.
    pub async fn spawn(
        reply: impl Fn(&ProviderRequest) -> ProviderReply + Send + Sync + 'static,
    ) -> Self {
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, reply) = (Arc::clone(&requests), Arc::new(reply));
        let handler = move |request: Request| {
            let (seen, reply) = (Arc::clone(&seen), Arc::clone(&reply));
            async move { respond(request, &seen, &*reply).await }
        };
        let router = Router::new().fallback(handler);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let task = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Self { address, requests, task }
    }

    /// One that replies `{}` to everything.
    pub async fn plain() -> Self {
        Self::spawn(|_| ProviderReply::json(200, &json!({}))).await
    }

    /// The flag of `serve` that names it.
    pub fn flag(&self, name: &str) -> String {
        format!("--upstream={name}=http://{}", self.address)
    }

    /// Requests so far, in order.
    pub fn requests(&self) -> Vec<ProviderRequest> {
        self.requests.lock().expect("no panic").clone()
    }

    /// The newest request.
    pub fn last(&self) -> ProviderRequest {
        self.requests().pop().expect("a request")
    }

    /// Waits until so many requests have come in.
    pub async fn reached(&self, count: usize) {
        until(async || (self.requests().len() >= count).then_some(())).await;
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn respond(
    request: Request,
    seen: &Mutex<Vec<ProviderRequest>>,
    reply: &(dyn Fn(&ProviderRequest) -> ProviderReply + Send + Sync),
) -> Response {
    let (parts, body) = request.into_parts();
    let target = parts.uri.path_and_query().expect("a path").to_string();
    let body = axum::body::to_bytes(body, usize::MAX).await.expect("a whole body");
    let method = parts.method.to_string();
    let request = ProviderRequest { method, target, headers: parts.headers, body };
    let ProviderReply { status, headers, body } = reply(&request);
    seen.lock().expect("no panic").push(request);
    let body = match body {
        ProviderBody::Whole(bytes) => Body::from(bytes),
        ProviderBody::Stream(receiver) => {
            Body::from_stream(stream::unfold(receiver, async |mut receiver| {
                receiver.recv().await.map(|chunk| (chunk, receiver))
            }))
        }
        ProviderBody::Silence => std::future::pending().await,
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).expect("a status");
    for (name, value) in headers {
        response.headers_mut().append(name, value.parse().expect("a value"));
    }
    response
}
