//! `Idempotency-Key`: a request that is sent again is not carried out again, its response is
//! replayed.
//!
//! A handler of a POST with effects calls one of the `run` functions here instead of those in
//! `job`. The use case gets a [`ResponseRecorder`] and stores the [`Reply`] in the transaction of
//! its effects (`service::idempotency`).

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;

use super::body::{CancelOnDrop, RequestInput};
use super::problem::Problem;
use super::response::{respond_json, set_etag};
use super::state::AppState;
use crate::service::Error;
use crate::service::Services;
use crate::service::idempotency::{IdempotentRequest, ResponseRecorder};
use crate::service::pool::QueuePlace;
use crate::service::response_body::ResponseBody;

pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const MAX_KEY_CHARS: usize = 255;

/// A response that can be stored: a status and a JSON body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    /// The version of the value in the body, for the `ETag`.
    pub(super) version: Option<u64>,
    pub(super) body: ResponseBody,
}

/// Identifies a request that may be sent again: its route, its idempotency key, and its path and
/// query.
#[derive(Debug)]
pub(super) struct RequestIdentity {
    route: &'static str,
    key: Option<String>,
    path_and_query: String,
}

impl RequestIdentity {
    /// Whether the request has an idempotency key.
    pub(super) fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Reads the header. `route` is the method and the path as in the OpenAPI description.
    pub(super) fn read(
        route: &'static str,
        headers: &HeaderMap,
        uri: &Uri,
    ) -> Result<Self, Problem> {
        let mut values = headers.get_all(IDEMPOTENCY_KEY).iter();
        let key = match (values.next(), values.next()) {
            (None, _) => None,
            (Some(value), None) => {
                Some(value.to_str().ok().filter(is_key).ok_or_else(invalid_key)?)
            }
            (Some(_), Some(_)) => return Err(invalid_key()),
        };
        let path_and_query = uri.path_and_query().map_or("", |path| path.as_str()).to_owned();
        Ok(Self { route, key: key.map(str::to_owned), path_and_query })
    }
}

fn is_key(text: &&str) -> bool {
    (1..=MAX_KEY_CHARS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn invalid_key() -> Problem {
    let detail =
        format!("the header Idempotency-Key must be 1 to {MAX_KEY_CHARS} visible characters");
    Problem::invalid("", detail)
}

impl Reply {
    /// Serialises a value as the body. Values of the API are plain data, which always serialises.
    pub(super) fn new(status: StatusCode, value: &impl Serialize) -> Self {
        let body = serde_json::to_string(value).unwrap_or_default().into();
        Self { status, version: None, body }
    }

    /// Serialises a value as the body, with the version of the value.
    pub(super) fn with_version(status: StatusCode, version: u64, value: &impl Serialize) -> Self {
        Self { version: Some(version), ..Self::new(status, value) }
    }

    /// Returns the text that is stored: `200 {…}`, or `200/7 {…}` for version 7.
    pub(super) fn to_stored(&self) -> String {
        let Self { status, version, body } = self;
        match version {
            Some(version) => format!("{}/{version} {body}", status.as_u16()),
            None => format!("{} {body}", status.as_u16()),
        }
    }

    fn from_stored(text: &str) -> Self {
        let (head, body) = text.split_once(' ').unwrap_or(("200", text));
        let (status, version) = head.split_once('/').unwrap_or((head, ""));
        let status = status.parse().ok().and_then(|status| StatusCode::from_u16(status).ok());
        Self {
            status: status.unwrap_or(StatusCode::OK),
            version: version.parse().ok(),
            body: body.to_owned().into(),
        }
    }

    fn into_response(self) -> Response {
        let mut response = (self.status, respond_json(self.body)).into_response();
        if let Some(version) = self.version {
            set_etag(&mut response, version);
        }
        response
    }
}

/// Runs `work` in the lane for the store, or replays the stored response if the request was carried
/// out before.
pub(super) async fn run(
    state: &AppState,
    input: RequestInput,
    identity: RequestIdentity,
    work: impl FnOnce(&Services, &str, Option<&IdempotentRequest>) -> Result<Reply, Error>
    + Send
    + 'static,
) -> Result<Response, Problem> {
    run_at(state.pool.visit(input.tenant())?, input, identity, work).await
}

/// Runs `work` in the lane for computing, with an error type of its own; otherwise like [`run`].
pub(super) async fn run_computing<E>(
    state: &AppState,
    input: RequestInput,
    identity: RequestIdentity,
    work: impl FnOnce(&Services, &str, Option<&IdempotentRequest>) -> Result<Reply, E> + Send + 'static,
) -> Result<Response, Problem>
where
    Problem: From<E>,
{
    run_at(state.pool.admit(input.tenant())?, input, identity, work).await
}

async fn run_at<E>(
    place: QueuePlace,
    input: RequestInput,
    identity: RequestIdentity,
    work: impl FnOnce(&Services, &str, Option<&IdempotentRequest>) -> Result<Reply, E> + Send + 'static,
) -> Result<Response, Problem>
where
    Problem: From<E>,
{
    let deadline = input.deadline();
    let _guard = CancelOnDrop(deadline.clone());
    let RequestInput { text, services, .. } = input;
    let until = deadline.clone();
    let job = move |seat| -> Result<_, Problem> {
        let services = services.seated(seat).until(&until);
        let RequestIdentity { route, key: Some(key), path_and_query } = identity else {
            return Ok((work(&services, &text, None)?, false));
        };
        let request = IdempotentRequest::take(&services, route, &key, &path_and_query, &text)
            .map_err(Error::from)?;
        match request.reply().map_err(Error::from)? {
            Some(reply) => Ok((Reply::from_stored(&reply), true)),
            None => Ok((work(&services, &text, Some(&request))?, false)),
        }
    };
    let (reply, is_replay) = place.run(&deadline, job).await??;
    let mut response = reply.into_response();
    if is_replay {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// Runs a use case that stores its response through a [`ResponseRecorder`]; otherwise like [`run`].
/// `reply` makes the response from the result.
pub(super) async fn run_recorded<T: 'static>(
    state: &AppState,
    input: RequestInput,
    identity: RequestIdentity,
    reply: fn(&T) -> Reply,
    work: impl FnOnce(&Services, &str, ResponseRecorder<T>) -> Result<T, Error> + Send + 'static,
) -> Result<Response, Problem> {
    run(state, input, identity, recorded(reply, work)).await
}

/// As [`run_recorded`], in the lane for computing.
pub(super) async fn run_computing_recorded<T: 'static>(
    state: &AppState,
    input: RequestInput,
    identity: RequestIdentity,
    reply: fn(&T) -> Reply,
    work: impl FnOnce(&Services, &str, ResponseRecorder<T>) -> Result<T, Error> + Send + 'static,
) -> Result<Response, Problem> {
    run_computing(state, input, identity, recorded(reply, work)).await
}

fn recorded<T: 'static>(
    reply: fn(&T) -> Reply,
    work: impl FnOnce(&Services, &str, ResponseRecorder<T>) -> Result<T, Error> + Send + 'static,
) -> impl FnOnce(&Services, &str, Option<&IdempotentRequest>) -> Result<Reply, Error> + Send + 'static
{
    move |services, text, once| {
        let recorder = ResponseRecorder::new(once, move |done| reply(done).to_stored());
        work(services, text, recorder).map(|done| reply(&done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_read_as_it_was_stored() {
        let body = ResponseBody::from("{\"a\": \"1/2 3\"}".to_owned());
        for version in [None, Some(7)] {
            let reply = Reply { status: StatusCode::CREATED, version, body: body.clone() };
            assert_eq!(Reply::from_stored(&reply.to_stored()), reply);
        }
    }

    #[test]
    fn a_key_is_short_and_visible() {
        let uri = Uri::from_static("/keys?a=1");
        let read = |value: &str| {
            let value = HeaderValue::from_str(value).unwrap();
            RequestIdentity::read(
                "POST /keys",
                &HeaderMap::from_iter([(IDEMPOTENCY_KEY, value)]),
                &uri,
            )
        };
        assert_eq!(read("7f-_.:x").unwrap().key.as_deref(), Some("7f-_.:x"));
        assert_eq!(read("a").unwrap().path_and_query, "/keys?a=1");
        for bad in ["", "a b", &"x".repeat(256), "é"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert_eq!(RequestIdentity::read("POST /keys", &HeaderMap::new(), &uri).unwrap().key, None);
    }
}
