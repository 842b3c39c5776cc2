//! `Idempotency-Key`: a request that is sent again is answered again, and done once.
//!
//! A handler of a POST with effects calls [`run`] in the place of the other `run`. Its work gets
//! an `Option<&Once>`, hands it to the use case, and answers a [`Reply`]; the use case remembers
//! `Reply::tell` in the transaction of its effect (`service::once`).

use std::time::Instant;

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};

use super::answer::json;
use super::body::Received;
use super::problem::Problem;
use super::state::AppState;
use crate::service::Error;
use crate::service::Services;
use crate::service::once::Once;

pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const LONGEST: usize = 255;

/// What is answered: a status and a JSON body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
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
    /// As it is remembered.
    pub(super) fn tell(&self) -> String {
        format!("{} {}", self.status.as_u16(), self.body)
    }

    fn read(text: &str) -> Self {
        let (status, body) = text.split_once(' ').unwrap_or(("200", text));
        let status = status.parse().ok().and_then(|status| StatusCode::from_u16(status).ok());
        Self { status: status.unwrap_or(StatusCode::OK), body: body.to_owned() }
    }

    fn answer(self) -> Response {
        (self.status, json(self.body)).into_response()
    }
}

/// Does `work` in the pool, or answers what was answered when the request came before.
pub(super) async fn run(
    state: &AppState,
    received: Received,
    named: Named,
    work: impl FnOnce(&Services, &str, Option<&Once>) -> Result<Reply, Error> + Send + 'static,
) -> Result<Response, Problem> {
    let Received { text, share, allowed, services } = received;
    let place = state.pool.admit()?;
    let job = move || {
        let Named { route, key: Some(key), asked } = named else {
            return work(&services, &text, None).map(|reply| (reply, false));
        };
        let once = Once::take(&services, route, &key, (&asked, &text))?;
        match once.reply()? {
            Some(reply) => Ok((Reply::read(&reply), true)),
            None => work(&services, &text, Some(&once)).map(|reply| (reply, false)),
        }
    };
    let (reply, is_again) = place.run(Instant::now() + allowed, share, job).await??;
    let mut response = reply.answer();
    if is_again {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_read_as_it_was_remembered() {
        let reply = Reply { status: StatusCode::CREATED, body: "{\"a\": 1}".to_owned() };
        assert_eq!(Reply::read(&reply.tell()), reply);
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
