//! `/events`: events as a live stream (SSE) or in pages.
//!
//! A stream is pulled: a client that does not read costs nothing, and lags. Events that the
//! feed of its tenant no longer has are read from the store. A client that lags too far is
//! disconnected.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::sse::{Event as Frame, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, unfold};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, interval_at};
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::body::RequestInput;
use super::enum_values::{EVENT_FORMATS, EVENT_SHAPES};
use super::job::visit;
use super::problem::{Kind, Problem};
use super::query::Query;
use super::response::respond_with;
use super::schema::{EventList, EventRow, EventTicket};
use super::state::AppState;
use super::stream_places::StreamPlace;
use crate::domain::{Event, EventKind, RawJson, word_of};
use crate::service::events::{self, EventPage, Feed, FeedRead, Filter};
use crate::service::tickets::{self, TICKET_TTL};
use crate::service::{Services, auth};
use crate::telemetry::Stream;

/// Time for which a live stream may lag the newest event before it is closed.
const MAX_TIME_BEHIND: Duration = Duration::from_secs(30);
/// Events that are taken from the feed at once.
const MAX_EVENTS_PER_TAKE: usize = 64;
/// Time between heartbeats on a stream without events.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// Time between checks that the caller's key is still valid.
const KEY_CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// Time that a client waits before it reconnects.
const RECONNECT_DELAY: Duration = Duration::from_secs(2);

/// Read events
///
/// As they come, as server-sent events: `id` is the event's number, `event` its type, `data` the
/// event as JSON. A reader that comes back with `Last-Event-ID` misses none and gets none twice; where
/// some are no longer kept, `stream:gap` says which. With `format=json`, a page of those that
/// happened. Events hold ids and counts, never content.
#[utoipa::path(
    get,
    path = "/events",
    tag = "events",
    operation_id = "read_events",
    params(
        ("after" = Option<u64>, Query, description = "The number after which to begin: 0 for the oldest that is kept; from now on when absent"),
        ("types" = Option<String>, Query, description = "Only these types, with commas between them", example = "compile:done,memory:changed"),
        ("session_id" = Option<String>, Query, description = "Only events of this session"),
        ("as" = Option<String>, Query, description = "`message`: without `event:`, so that a browser's `onmessage` gets all of them"),
        ("format" = Option<String>, Query, description = "`json`: a page"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "With `format=json`: events of a page, 100 when absent"),
        ("ticket" = Option<String>, Query, description = "Of `POST /events/ticket`, in the place of a key"),
        ("Last-Event-ID" = Option<u64>, Header, description = "The number of the last event that was read; wins over `after`"),
    ),
    responses((status = OK, description = "The events", content((EventList = "application/json"), (EventRow = "text/event-stream")))),
)]
pub(super) async fn read_events(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let parameters = ["after", "types", "session_id", "as", "format", "limit", "ticket"];
    let query = Query::parse(request.uri(), &parameters)?;
    let after = match last_event_id(request.headers())? {
        Some(last) => Some(last),
        None => query.whole("after")?,
    };
    let filter = Filter {
        kinds: query.get("types").map(parse_types).transpose()?,
        session_id: query.get("session_id").map(str::to_owned),
    };
    let is_untyped = query.choice("as", EVENT_SHAPES)?.unwrap_or(false);
    let is_page = query.choice("format", EVENT_FORMATS)?.unwrap_or(false);
    if is_page {
        let limit = query.limit()?;
        let input = RequestInput::without_body(&state, &request)?;
        let after = after.unwrap_or_default();
        let page = visit(&state, input, move |services, _| {
            let page = events::page(services, after, &filter, limit)?;
            Ok(respond_with(&EventList::from(page)))
        });
        return page.await;
    }
    let input = RequestInput::without_body(&state, &request)?;
    let services = input.services.clone();
    let place = state.streams.take(services.caller())?;
    let (feed, newest) = visit(&state, input, |services, _| events::follow(services)).await?;
    let reader = Reader {
        newest: feed.newest(),
        feed,
        last: after.unwrap_or(newest).min(newest),
        ready: VecDeque::from([Frame::default().retry(RECONNECT_DELAY).comment("")]),
        caught_up: false,
        behind_since: None,
        ended: false,
        filter,
        is_untyped,
        services,
        key_checked_at: Instant::now(),
        heartbeat_at: Instant::now(),
        timer: interval_at(Instant::now() + KEY_CHECK_INTERVAL, KEY_CHECK_INTERVAL),
        stopping: Box::pin(state.stopping().cancelled_owned()),
        _open: state.metrics.stream(),
        state,
        _place: place,
    };
    let mut response = Sse::new(frames(reader)).into_response();
    let uncached = HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, uncached);
    // Proxies that support this header pass each event on at once, without buffering.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// Get a ticket for a stream
///
/// `GET /events?ticket=…` is served with it in the place of a key, once, within thirty seconds, at any
/// node: a browser's `EventSource` sends no headers. The stream ends when the key does.
#[utoipa::path(
    post,
    path = "/events/ticket",
    tag = "events",
    operation_id = "create_event_ticket",
    responses((status = CREATED, description = "The ticket", body = EventTicket)),
)]
pub(super) async fn create_event_ticket(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    Query::parse(request.uri(), &[])?;
    let input = RequestInput::without_body(&state, &request)?;
    let ticket = visit(&state, input, |services, _| Ok(tickets::give(services)?)).await?;
    let ticket =
        ticket.ok_or_else(|| Problem::with_detail(Kind::Overloaded, "too many tickets are out"))?;
    let body = json!({"ticket": ticket, "expires_in_seconds": TICKET_TTL.as_secs()});
    Ok((StatusCode::CREATED, respond_with(&body)).into_response())
}

async fn read(
    state: &AppState,
    input: RequestInput,
    after: u64,
    filter: Filter,
    limit: usize,
) -> Result<EventPage, Problem> {
    visit(state, input, move |services, _| events::page(services, after, &filter, limit)).await
}

/// The state of one open stream.
struct Reader {
    feed: Arc<Feed>,
    /// The number of the newest event of the tenant.
    newest: watch::Receiver<u64>,
    /// The number of the last event that was sent or filtered out.
    last: u64,
    ready: VecDeque<Frame>,
    /// Whether the stream has reached the newest event once.
    caught_up: bool,
    /// Since when the stream, once it had caught up, lags the newest event.
    behind_since: Option<Instant>,
    ended: bool,
    filter: Filter,
    /// Whether events are sent without their type (`as=message`).
    is_untyped: bool,
    /// Services for the caller.
    services: Services,
    /// When the caller's key was last checked.
    key_checked_at: Instant,
    /// When the last heartbeat was sent.
    heartbeat_at: Instant,
    /// Wakes the stream for key checks and heartbeats if there are no events.
    timer: Interval,
    stopping: Pin<Box<WaitForCancellationFutureOwned>>,
    state: AppState,
    _place: StreamPlace,
    _open: Stream,
}

fn frames(reader: Reader) -> impl stream::Stream<Item = Result<Frame, Infallible>> {
    // Boxed, because the reader is moved with each frame.
    unfold(Box::new(reader), async |mut reader| {
        loop {
            if let Some(frame) = reader.ready.pop_front() {
                return Some((Ok(frame), reader));
            }
            if reader.ended {
                return None;
            }
            reader.fill().await;
        }
    })
}

impl Reader {
    /// Makes the next frames, or ends the stream.
    async fn fill(&mut self) {
        if self.key_checked_at.elapsed() >= KEY_CHECK_INTERVAL {
            self.key_checked_at = Instant::now();
            let services = self.services.clone();
            let is_valid = self.state.pool.look(move || auth::is_still_accepted(&services)).await;
            // If the store is unavailable, the stream ends too: the client reconnects, which checks
            // its key.
            if !matches!(is_valid, Ok(Ok(true))) {
                self.ended = true;
                return;
            }
        }
        let newest = *self.newest.borrow_and_update();
        if self.is_too_far_behind(newest) {
            self.push_notice(
                EventKind::StreamOverflow,
                &format!("{{\"behind\":{}}}", newest - self.last),
            );
            self.ended = true;
            return;
        }
        match self.feed.take(self.last, MAX_EVENTS_PER_TAKE) {
            FeedRead::Events(events) => events.iter().for_each(|item| {
                self.add(&item.event, item.text(event_text));
            }),
            FeedRead::Nothing if self.caught_up => self.wait().await,
            // Events from before the feed began are in the store.
            FeedRead::Nothing | FeedRead::Elsewhere => self.catch_up().await,
        }
    }

    /// Checks whether the stream has not reached the newest event for too long. A burst of events
    /// is no reason: a client that reads fast reaches its end. Before a stream has reached the
    /// newest event once, it reads the past, which takes as long as the client likes.
    fn is_too_far_behind(&mut self, newest: u64) -> bool {
        if !self.caught_up || newest <= self.last {
            self.behind_since = None;
            return false;
        }
        let since = *self.behind_since.get_or_insert_with(Instant::now);
        since.elapsed() > MAX_TIME_BEHIND
    }

    async fn wait(&mut self) {
        tokio::select! {
            changed = self.newest.changed() => self.ended = changed.is_err(),
            _ = self.timer.tick() => {
                if self.heartbeat_at.elapsed() >= HEARTBEAT_INTERVAL {
                    self.heartbeat_at = Instant::now();
                    self.ready.push_back(Frame::default().comment("heartbeat"));
                }
            }
            () = &mut self.stopping => self.ended = true,
        }
    }

    async fn catch_up(&mut self) {
        /// Events that are read from the store at once.
        const MAX_EVENTS_PER_READ: usize = 500;
        let filter = self.filter.clone();
        let input = RequestInput::for_services(self.services.clone());
        let page = read(&self.state, input, self.last, filter, MAX_EVENTS_PER_READ).await;
        let Ok(page) = page else {
            // The client reconnects and continues after the last event that it got.
            self.ended = true;
            return;
        };
        if let Some((first, last)) = page.gap {
            self.push_notice(EventKind::StreamGap, &format!("{{\"from\":{first},\"to\":{last}}}"));
        }
        page.events.iter().for_each(|event| self.add(event, &event_text(event)));
        self.last = page.after;
        self.caught_up = !page.goes_on;
    }

    fn add(&mut self, event: &Event, text: &str) {
        self.last = event.seq;
        if self.filter.holds(event) {
            let frame = Frame::default().id(event.seq.to_string());
            self.push(frame, event.kind, text);
        }
    }

    /// Sends a notice about this stream. It is not a stored event, so it has no number.
    fn push_notice(&mut self, kind: EventKind, data: &str) {
        let row = EventRow::of_stream(kind, &RawJson::new(data));
        self.push(Frame::default(), kind, &serde_json::to_string(&row).unwrap_or_default());
    }

    fn push(&mut self, frame: Frame, kind: EventKind, text: &str) {
        let frame =
            if self.is_untyped { frame } else { frame.event(word_of(EventKind::WORDS, kind)) };
        self.ready.push_back(frame.data(text));
    }
}

/// Serialises an event as the data of a frame.
fn event_text(event: &Event) -> String {
    serde_json::to_string(&EventRow::from(event)).unwrap_or_default()
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    number.map(Some).ok_or_else(|| {
        Problem::invalid("", "the header Last-Event-ID must be the number of an event")
    })
}

fn parse_types(text: &str) -> Result<Vec<EventKind>, Problem> {
    let find = |word: &str| EventKind::WORDS.iter().find(|(name, _)| *name == word);
    let parse = |word: &str| {
        find(word).map(|(_, kind)| *kind).ok_or_else(|| {
            let list: Vec<&str> = EventKind::WORDS.iter().map(|(word, _)| *word).collect();
            let list = list.join(", ");
            Problem::invalid("", format!("there is no event `{word}`; these there are: {list}"))
        })
    };
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(parse).collect()
}
