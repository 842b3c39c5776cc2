//! Reading a request's body: its type, its size, its time, its text.

use std::error::Error as StdError;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tower_http::timeout::TimeoutError;

use super::problem::{Kind, Problem};
use super::state::{AppState, MemoryPermit};
use super::zstd_window::FrameError;
use crate::pipeline::Deadline;
use crate::service::Services;

/// The header with the milliseconds that a request may take.
pub(super) const DEADLINE_HEADER: &str = "contexture-deadline-ms";

const DEFAULT_DEADLINE_MS: u64 = 10_000;
const MAX_DEADLINE_MS: u64 = 60_000;
/// The part of a wrong media type that an error repeats.
const MAX_SHOWN_CHARS: usize = 100;
/// Memory taken up front for a body whose size is not known.
const UNKNOWN_SIZE: usize = 256 * 1024;

/// A body as text, and the memory it was granted.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) text: String,
    pub(super) share: MemoryPermit,
    /// The caller's.
    pub(super) services: Services,
    /// How long the answer may take from here.
    pub(super) allowed: Duration,
}

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Media {
    Json,
    Text,
}

/// How the headers label a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Known(Media),
    /// No `content-type`: right for a body without a byte, which is then taken as empty JSON.
    Missing,
    /// A type or a character set that is not read.
    Other,
}

/// Stops the work that a request waits for, where nobody waits any longer.
pub(super) struct CancelOnDrop(pub(super) Deadline);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Received {
    /// When the work must stop that was asked for, from now on.
    pub(super) fn deadline(&self) -> Deadline {
        Deadline::at(Instant::now() + self.allowed).allowing(self.services.allowance())
    }

    /// What there is of a request whose body does not matter.
    pub(super) fn nothing(state: &AppState, request: &Request) -> Result<Self, Problem> {
        let allowed = deadline(request.headers())?;
        let services = state.services_for(request.extensions())?;
        Ok(Self { text: String::new(), share: state.memory.take(0)?, services, allowed })
    }

    /// The same, for work that goes on after its request was read.
    pub(super) fn for_services(state: &AppState, services: Services) -> Result<Self, Problem> {
        let allowed = Duration::from_millis(DEFAULT_DEADLINE_MS);
        Ok(Self { text: String::new(), share: state.memory.take(0)?, services, allowed })
    }
}

/// Reads a JSON body as text. It is not parsed here.
pub(super) async fn read(state: &AppState, request: Request) -> Result<Received, Problem> {
    let (received, _) = read_as(state, request, &[Media::Json]).await?;
    Ok(received)
}

/// Reads a body that is JSON, or `text/plain`, or lines of JSON.
pub(super) async fn read_any(
    state: &AppState,
    request: Request,
) -> Result<(Received, Media), Problem> {
    read_as(state, request, &[Media::Json, Media::Text]).await
}

/// Reads a body of one of these media types.
async fn read_as(
    state: &AppState,
    request: Request,
    accepted: &[Media],
) -> Result<(Received, Media), Problem> {
    let headers = request.headers();
    let (media, needs_label) = match label(headers) {
        Label::Known(media) if accepted.contains(&media) => (media, None),
        // A browser sends such a body to any server without asking it first.
        Label::Missing => (Media::Json, Some(unsupported(headers, accepted))),
        Label::Known(_) | Label::Other => return Err(unsupported(headers, accepted)),
    };
    let received = receive(state, request, media, needs_label).await?;
    Ok((received, media))
}

/// The problem of a body whose label is not one of the accepted ones. Clients label bodies without
/// being told to, so it says what came.
fn unsupported(headers: &HeaderMap, accepted: &[Media]) -> Problem {
    let types = if accepted.contains(&Media::Text) {
        "`content-type: application/json` or `content-type: text/plain`"
    } else {
        "`content-type: application/json`"
    };
    let given = headers.get(header::CONTENT_TYPE).map(|value| {
        let text = String::from_utf8_lossy(value.as_bytes());
        text.chars().take(MAX_SHOWN_CHARS).collect::<String>()
    });
    let detail = match given {
        Some(given) => format!("send {types}, in UTF-8, instead of `{given}`"),
        None => format!("the body has no `content-type`: send {types}, in UTF-8"),
    };
    Problem::with_detail(Kind::UnsupportedMediaType, detail)
}

/// Reads a body. `needs_label` is the problem that it is if it has a byte.
async fn receive(
    state: &AppState,
    request: Request,
    media: Media,
    needs_label: Option<Problem>,
) -> Result<Received, Problem> {
    let allowed = deadline(request.headers())?;
    let services = state.services_for(request.extensions())?;
    // Behind decompression the length is no longer stated.
    let stated = request
        .headers()
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let mut share = state.memory.take(stated.unwrap_or(UNKNOWN_SIZE))?;
    let first = stated.unwrap_or(UNKNOWN_SIZE).min(1 << 20);
    let limit = state.max_decoded_bytes;
    let mut body = Limited::new(request.into_body(), limit);
    let bytes = collect(&mut body, first, needs_label, &mut share).await?;
    state.metrics.record_body(bytes.len());
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let not_text = match media {
            Media::Json => Kind::InvalidJson,
            Media::Text => Kind::InvalidRequest,
        };
        Problem::with_detail(not_text, format!("not UTF-8 at byte {at}"))
    })?;
    Ok(Received { text, share, services, allowed })
}

async fn collect(
    body: &mut Limited<Body>,
    first: usize,
    mut needs_label: Option<Problem>,
    share: &mut MemoryPermit,
) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::with_capacity(first);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| explain(&*error))?;
        if let Some(data) = frame.data_ref().filter(|data| !data.is_empty()) {
            if let Some(problem) = needs_label.take() {
                return Err(problem);
            }
            share.grow_to(bytes.len() + data.len())?;
            bytes.extend_from_slice(data);
        }
    }
    Ok(bytes)
}

/// The time that a request gives us; it runs from when the body is there.
fn deadline(headers: &HeaderMap) -> Result<Duration, Problem> {
    let Some(value) = headers.get(DEADLINE_HEADER) else {
        return Ok(Duration::from_millis(DEFAULT_DEADLINE_MS));
    };
    let number = value.to_str().ok().and_then(|text| text.parse::<u64>().ok());
    match number {
        Some(ms @ 1..=MAX_DEADLINE_MS) => Ok(Duration::from_millis(ms)),
        _ => Err(Problem::invalid(
            "",
            format!(
                "the header Contexture-Deadline-Ms must be a whole number of milliseconds from 1 \
                 to {MAX_DEADLINE_MS}"
            ),
        )),
    }
}

/// What the headers say the body is.
fn label(headers: &HeaderMap) -> Label {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let value = match (types.next(), types.next()) {
        (None, _) => return Label::Missing,
        (Some(value), None) => value,
        (Some(_), Some(_)) => return Label::Other,
    };
    let text = value.to_str().unwrap_or_default().to_ascii_lowercase();
    let mut pieces = text.split(';').map(str::trim);
    let essence = pieces.next().unwrap_or_default();
    let is_json = essence == "application/json"
        || essence.strip_prefix("application/").is_some_and(|rest| rest.ends_with("+json"));
    let is_utf8 = pieces
        .filter_map(|parameter| parameter.strip_prefix("charset="))
        .all(|charset| matches!(charset.trim_matches('"'), "utf-8" | "utf8" | "us-ascii"));
    let media = if is_json {
        Media::Json
    } else if ["text/plain", "application/x-ndjson", "application/jsonl"].contains(&essence) {
        Media::Text
    } else {
        return Label::Other;
    };
    if is_utf8 { Label::Known(media) } else { Label::Other }
}

/// Why reading failed. The layers around the body wrap each other's errors, so the whole chain
/// is searched for the one that tells.
fn explain(error: &(dyn StdError + 'static)) -> Problem {
    let mut next = Some(error);
    let mut is_io = false;
    while let Some(error) = next {
        if error.is::<LengthLimitError>() {
            return Problem::new(Kind::BodyTooLarge);
        }
        if let Some(error) = error.downcast_ref::<FrameError>() {
            return Problem::with_detail(Kind::InvalidEncoding, error.to_string());
        }
        if error.is::<TimeoutError>() {
            return Problem::new(Kind::RequestTimeout);
        }
        if error.is::<hyper::Error>() {
            return Problem::with_detail(Kind::InvalidRequest, "the body ended early");
        }
        next = match error.downcast_ref::<std::io::Error>() {
            // `source` of an io::Error passes over the error it wraps.
            Some(error) => {
                is_io = true;
                error.get_ref().map(|inner| inner as &(dyn StdError + 'static))
            }
            None => error.source(),
        };
    }
    if is_io {
        return Problem::new(Kind::InvalidEncoding);
    }
    Problem::with_detail(Kind::InvalidRequest, "the body ended early")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn typed(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(value))])
    }

    #[test]
    fn json_and_text_in_utf8_are_known_and_nothing_else() {
        assert_eq!(label(&HeaderMap::new()), Label::Missing);
        for good in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/vnd.api+json",
            "application/json;charset=\"utf-8\"",
        ] {
            assert_eq!(label(&typed(good)), Label::Known(Media::Json), "{good}");
        }
        assert_eq!(label(&typed("text/plain; charset=utf-8")), Label::Known(Media::Text));
        let mut twice = typed("application/json");
        twice.append(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        assert_eq!(label(&twice), Label::Other);
        for bad in [
            "text/html",
            "",
            "application/json; charset=utf-16",
            "text/plain; charset=latin1",
            "json",
            "text/+json",
        ] {
            assert_eq!(label(&typed(bad)), Label::Other, "{bad}");
        }
    }

    #[test]
    fn a_deadline_is_whole_positive_and_at_most_a_minute() {
        let given = |value: &'static str| {
            let headers = HeaderMap::from_iter([(
                DEADLINE_HEADER.parse().unwrap(),
                HeaderValue::from_static(value),
            )]);
            deadline(&headers)
        };
        assert_eq!(given("250").unwrap(), Duration::from_millis(250));
        for bad in ["0", "-1", "1.5", "60001", "", "soon", "99999999999999999999"] {
            assert_eq!(given(bad).unwrap_err().kind, Kind::InvalidRequest, "{bad}");
        }
    }
}
