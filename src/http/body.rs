//! Reads request bodies: media type, size, deadline, UTF-8 text.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tower_http::timeout::TimeoutError;

use super::arrival::ArrivalPace;
use super::problem::{Kind, Problem};
use super::state::AppState;
use super::zstd_window::FrameError;
use crate::json;
use crate::pipeline::Deadline;
use crate::service::Services;
use crate::service::compile::MAX_DEADLINE_MS;

/// The header with the milliseconds that a request may take.
pub(super) const DEADLINE_HEADER: &str = "contexture-deadline-ms";

const DEFAULT_DEADLINE_MS: u64 = 10_000;
/// Characters of a wrong media type that an error message quotes.
const MAX_SHOWN_CHARS: usize = 100;

/// The input of a use case: the body as text, the caller's services, and limits.
#[derive(Debug)]
pub(super) struct RequestInput {
    pub(super) text: String,
    /// Services for the caller.
    pub(super) services: Services,
    /// Time that the response may take after the body has been read.
    pub(super) timeout: Timeout,
}

/// Time that a response may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Timeout {
    /// The time unless the body asks for another.
    usual: Duration,
    /// The most that the body may ask for.
    most: Duration,
}

impl Timeout {
    /// The limit in the header, which no body exceeds; the default without one.
    fn new(header: Option<Duration>) -> Self {
        let usual = header.unwrap_or(Duration::from_millis(DEFAULT_DEADLINE_MS));
        let most = header.unwrap_or(Duration::from_millis(MAX_DEADLINE_MS));
        Self { usual, most }
    }
}

/// A media type of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyMedia {
    Json,
    Text,
}

/// The content type that the headers declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Known(BodyMedia),
    /// No `content-type`. Valid only for an empty body, which counts as empty JSON.
    Missing,
    /// A media type or a character set that is not supported.
    Other,
}

/// Cancels the work of a request if its future is dropped, because then no client waits for it.
pub(super) struct CancelOnDrop(pub(super) Deadline);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl RequestInput {
    /// Starts the timeout now and returns the deadline of the work.
    pub(super) fn deadline(&self) -> Deadline {
        let (now, Timeout { usual, most }) = (Instant::now(), self.timeout);
        let deadline = Deadline::at(now + usual).extensible_to(now + most);
        deadline.allowing(self.services.allowance())
    }

    /// The tenant of the caller.
    pub(super) fn tenant(&self) -> &Arc<str> {
        &self.services.caller().tenant
    }

    /// Returns the input of a request whose body is not read.
    pub(super) fn without_body(state: &AppState, request: &Request) -> Result<Self, Problem> {
        let timeout = read_timeout(request.headers())?;
        let services = state.services_for(request)?;
        Ok(Self { text: String::new(), services, timeout })
    }

    /// Returns input for further work of a request, such as the next page of a stream.
    pub(super) fn for_services(services: Services) -> Self {
        Self { text: String::new(), services, timeout: Timeout::new(None) }
    }
}

/// Reads a JSON body as text. The use case parses it.
pub(super) async fn read(state: &AppState, request: Request) -> Result<RequestInput, Problem> {
    let (input, _) = read_as(state, request, &[BodyMedia::Json]).await?;
    Ok(input)
}

/// Reads a body of JSON, plain text or lines of JSON.
pub(super) async fn read_any(
    state: &AppState,
    request: Request,
) -> Result<(RequestInput, BodyMedia), Problem> {
    read_as(state, request, &[BodyMedia::Json, BodyMedia::Text]).await
}

/// Reads a body of one of the `accepted` media types.
async fn read_as(
    state: &AppState,
    request: Request,
    accepted: &[BodyMedia],
) -> Result<(RequestInput, BodyMedia), Problem> {
    let headers = request.headers();
    let (media, label_problem) = match read_label(headers) {
        Label::Known(media) if accepted.contains(&media) => (media, None),
        // Browsers send a body without a type to any server, without a CORS preflight.
        Label::Missing => (BodyMedia::Json, Some(unsupported_type(headers, accepted))),
        Label::Known(_) | Label::Other => return Err(unsupported_type(headers, accepted)),
    };
    let input = receive(state, request, media, label_problem).await?;
    Ok((input, media))
}

/// Returns the problem of a body whose content type is not accepted. It quotes the type, because
/// many clients set one that their users did not choose.
fn unsupported_type(headers: &HeaderMap, accepted: &[BodyMedia]) -> Problem {
    let types = if accepted.contains(&BodyMedia::Text) {
        "`content-type: application/json` or `content-type: text/plain`"
    } else {
        "`content-type: application/json`"
    };
    let declared = headers.get(header::CONTENT_TYPE).map(|value| {
        let text = String::from_utf8_lossy(value.as_bytes());
        text.chars().take(MAX_SHOWN_CHARS).collect::<String>()
    });
    let detail = match declared {
        Some(declared) => format!("send {types}, in UTF-8, instead of `{declared}`"),
        None => format!("the body has no `content-type`: send {types}, in UTF-8"),
    };
    Problem::with_detail(Kind::UnsupportedMediaType, detail)
}

/// Reads a body. A body that is not empty fails with `label_problem`, if there is one.
async fn receive(
    state: &AppState,
    request: Request,
    media: BodyMedia,
    label_problem: Option<Problem>,
) -> Result<RequestInput, Problem> {
    let timeout = read_timeout(request.headers())?;
    let services = state.services_for(&request)?;
    let mut body = Limited::new(request.into_body(), state.max_decoded_bytes);
    let bytes = collect(&mut body, label_problem, &services).await?;
    services.reserve_work(bytes.len())?;
    state.metrics.record_body(bytes.len());
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let kind = match media {
            BodyMedia::Json => Kind::InvalidJson,
            BodyMedia::Text => Kind::InvalidRequest,
        };
        Problem::with_detail(kind, format!("not UTF-8 at byte {at}"))
    })?;
    let text = if media == BodyMedia::Json { json::replace_halves(text) } else { text };
    Ok(RequestInput { text, services, timeout })
}

/// Collects a body that arrives fast enough. Memory is reserved for the bytes that have arrived, not
/// for those that the client has declared: a client that sends nothing holds nothing.
async fn collect(
    body: &mut Limited<Body>,
    mut label_problem: Option<Problem>,
    services: &Services,
) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    let pace = ArrivalPace::start();
    loop {
        let frame = match pace.next(bytes.len(), body.frame()).await {
            Ok(Some(frame)) => frame.map_err(|error| explain(&*error))?,
            Ok(None) => return Ok(bytes),
            Err(slow) => return Err(Problem::with_detail(Kind::RequestTimeout, slow.to_string())),
        };
        if let Some(data) = frame.data_ref().filter(|data| !data.is_empty()) {
            if let Some(problem) = label_problem.take() {
                return Err(problem);
            }
            services.reserve(bytes.len() + data.len())?;
            bytes.extend_from_slice(data);
        }
    }
}

/// Reads the time that a request may take after its body has been read.
fn read_timeout(headers: &HeaderMap) -> Result<Timeout, Problem> {
    let Some(value) = headers.get(DEADLINE_HEADER) else { return Ok(Timeout::new(None)) };
    let number = value.to_str().ok().and_then(|text| text.parse::<u64>().ok());
    match number {
        Some(ms @ 1..=MAX_DEADLINE_MS) => Ok(Timeout::new(Some(Duration::from_millis(ms)))),
        _ => Err(Problem::invalid(
            "",
            format!(
                "the header Contexture-Deadline-Ms must be a whole number of milliseconds from 1 \
                 to {MAX_DEADLINE_MS}"
            ),
        )),
    }
}

/// Reads the content type that the headers declare.
fn read_label(headers: &HeaderMap) -> Label {
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
        BodyMedia::Json
    } else if ["text/plain", "application/x-ndjson", "application/jsonl"].contains(&essence) {
        BodyMedia::Text
    } else {
        return Label::Other;
    };
    if is_utf8 { Label::Known(media) } else { Label::Other }
}

/// Maps an error of reading a body to a problem. The layers around the body wrap each other's
/// errors, so the whole chain of sources is searched.
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
            // `source` of an `io::Error` skips the error that it wraps.
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
    fn only_json_and_text_in_utf8_are_supported() {
        assert_eq!(read_label(&HeaderMap::new()), Label::Missing);
        for good in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/vnd.api+json",
            "application/json;charset=\"utf-8\"",
        ] {
            assert_eq!(read_label(&typed(good)), Label::Known(BodyMedia::Json), "{good}");
        }
        assert_eq!(read_label(&typed("text/plain; charset=utf-8")), Label::Known(BodyMedia::Text));
        let mut twice = typed("application/json");
        twice.append(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        assert_eq!(read_label(&twice), Label::Other);
        for bad in [
            "text/html",
            "",
            "application/json; charset=utf-16",
            "text/plain; charset=latin1",
            "json",
            "text/+json",
        ] {
            assert_eq!(read_label(&typed(bad)), Label::Other, "{bad}");
        }
    }

    #[test]
    fn a_deadline_is_whole_positive_and_at_most_a_minute() {
        let timeout = |value: &'static str| {
            let headers = HeaderMap::from_iter([(
                DEADLINE_HEADER.parse().unwrap(),
                HeaderValue::from_static(value),
            )]);
            read_timeout(&headers)
        };
        let quarter = Duration::from_millis(250);
        assert_eq!(timeout("250").unwrap(), Timeout { usual: quarter, most: quarter });
        let (usual, most) = (Duration::from_secs(10), Duration::from_mins(1));
        assert_eq!(read_timeout(&HeaderMap::new()).unwrap(), Timeout { usual, most });
        for bad in ["0", "-1", "1.5", "60001", "", "soon", "99999999999999999999"] {
            assert_eq!(timeout(bad).unwrap_err().kind, Kind::InvalidRequest, "{bad}");
        }
    }
}
