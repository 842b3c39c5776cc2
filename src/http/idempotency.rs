//! `Idempotency-Key`: a request that is sent again is answered again, and done once.
//!
//! A handler of a POST with effects calls [`run`] in the place of the other `run`. Its work hands
//! a [`ResponseRecorder`] to the use case, which remembers the [`Reply`] in the transaction of its effect
//! (`service::once`).

use std::time::Instant;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;

use super::answer::{json, tag};
use super::body::{CancelOnDrop, Received};
use super::problem::Problem;
use super::state::AppState;
use crate::service::Error;
use crate::service::Services;
use crate::service::idempotency::{IdempotentRequest, ResponseRecorder};
use crate::service::pool::QueuePlace;

pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const LONGEST: usize = 255;

/// What is answered: a status and a JSON body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    /// The version of what the body shows, for its `ETag`.
    pub(super) version: Option<u64>,
    pub(super) body: String,
}

/// What names a request: its route, its key, and what it asks for beside its body.
#[derive(Debug)]
pub(super) struct Named {
    route: &'static str,
    key: Option<String>,
    asked: String,
}

impl Named {
    /// Reads the header. `route`: method and path, as the API's description has them.
    pub(super) fn of(route: &'static str, headers: &HeaderMap, uri: &Uri) -> Result<Self, Problem> {
        let mut given = headers.get_all(IDEMPOTENCY_KEY).iter();
        let key = match (given.next(), given.next()) {
            (None, _) => None,
            (Some(value), None) => Some(value.to_str().ok().filter(is_key).ok_or_else(wrong)?),
            (Some(_), Some(_)) => return Err(wrong()),
        };
        let asked = uri.path_and_query().map_or("", |asked| asked.as_str()).to_owned();
        Ok(Self { route, key: key.map(str::to_owned), asked })
    }
}

fn is_key(text: &&str) -> bool {
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn wrong() -> Problem {
    let detail = format!("the header Idempotency-Key must be 1 to {LONGEST} visible characters");
    Problem::invalid("", detail)
}

impl Reply {
    /// An answer as JSON. It is plain data: there is nothing in it that JSON cannot hold.
    pub(super) fn new(status: StatusCode, answer: &impl Serialize) -> Self {
        Self { status, version: None, body: serde_json::to_string(answer).unwrap_or_default() }
    }

    /// The same of something in this version.
    pub(super) fn tagged(status: StatusCode, version: u64, answer: &impl Serialize) -> Self {
        Self { version: Some(version), ..Self::new(status, answer) }
    }

    /// As it is remembered: `200 {…}`, or `200/7 {…}` of version 7.
    pub(super) fn tell(&self) -> String {
        let Self { status, version, body } = self;
        match version {
            Some(version) => format!("{}/{version} {body}", status.as_u16()),
            None => format!("{} {body}", status.as_u16()),
        }
    }

    fn read(text: &str) -> Self {
        let (head, body) = text.split_once(' ').unwrap_or(("200", text));
        let (status, version) = head.split_once('/').unwrap_or((head, ""));
        let status = status.parse().ok().and_then(|status| StatusCode::from_u16(status).ok());
        Self {
            status: status.unwrap_or(StatusCode::OK),
            version: version.parse().ok(),
            body: body.to_owned(),
        }
    }

    fn answer(self) -> Response {
        let mut response = (self.status, json(self.body)).into_response();
        if let Some(version) = self.version {
            tag(&mut response, version);
        }
        response
    }
}

/// Does `work` among the visits of the store, or answers what was answered when the request came
/// before.
pub(super) async fn run(
    state: &AppState,
    received: Received,
    named: Named,
    work: impl FnOnce(&Services, &str, Option<&IdempotentRequest>) -> Result<Reply, Error>
    + Send
    + 'static,
) -> Result<Response, Problem> {
    run_at(state.pool.visit()?, received, named, work).await
}

/// The same for work that computes, and fails in a way of its own.
pub(super) async fn run_any<E>(
    state: &AppState,
    received: Received,
    named: Named,
    work: impl FnOnce(&Services, &str, Option<&IdempotentRequest>) -> Result<Reply, E> + Send + 'static,
) -> Result<Response, Problem>
where
    Problem: From<E>,
{
    run_at(state.pool.admit()?, received, named, work).await
}

async fn run_at<E>(
    place: QueuePlace,
    received: Received,
    named: Named,
    work: impl FnOnce(&Services, &str, Option<&IdempotentRequest>) -> Result<Reply, E> + Send + 'static,
) -> Result<Response, Problem>
where
    Problem: From<E>,
{
    let deadline = received.deadline();
    let _guard = CancelOnDrop(deadline.clone());
    let Received { text, share, allowed, services } = received;
    let job = move |seat| -> Result<_, Problem> {
        let services = services.seated(seat).until(&deadline);
        let Named { route, key: Some(key), asked } = named else {
            return Ok((work(&services, &text, None)?, false));
        };
        let once =
            IdempotentRequest::take(&services, route, &key, &asked, &text).map_err(Error::from)?;
        match once.reply().map_err(Error::from)? {
            Some(reply) => Ok((Reply::read(&reply), true)),
            None => Ok((work(&services, &text, Some(&once))?, false)),
        }
    };
    let (reply, is_again) = place.run(Instant::now() + allowed, share, job).await??;
    let mut response = reply.answer();
    if is_again {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// The same for a use case whose result is answered as `reply` has it.
pub(super) async fn run_once<T: 'static>(
    state: &AppState,
    received: Received,
    named: Named,
    reply: fn(&T) -> Reply,
    work: impl FnOnce(&Services, &str, ResponseRecorder<T>) -> Result<T, Error> + Send + 'static,
) -> Result<Response, Problem> {
    run(state, received, named, move |services, text, once| {
        let telling = ResponseRecorder::new(once, move |done| reply(done).tell());
        work(services, text, telling).map(|done| reply(&done))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_read_as_it_was_remembered() {
        let body = "{\"a\": \"1/2 3\"}".to_owned();
        for version in [None, Some(7)] {
            let reply = Reply { status: StatusCode::CREATED, version, body: body.clone() };
            assert_eq!(Reply::read(&reply.tell()), reply);
        }
    }

    #[test]
    fn a_key_is_short_and_visible() {
        let uri = Uri::from_static("/keys?a=1");
        let of = |value: &str| {
            let value = HeaderValue::from_str(value).unwrap();
            Named::of("POST /keys", &HeaderMap::from_iter([(IDEMPOTENCY_KEY, value)]), &uri)
        };
        assert_eq!(of("7f-_.:x").unwrap().key.as_deref(), Some("7f-_.:x"));
        assert_eq!(of("a").unwrap().asked, "/keys?a=1");
        for bad in ["", "a b", &"x".repeat(256), "é"] {
            assert!(of(bad).is_err(), "{bad}");
        }
        assert_eq!(Named::of("POST /keys", &HeaderMap::new(), &uri).unwrap().key, None);
    }
}
