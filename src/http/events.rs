//! `/events`: what happens, live over SSE or in pages.
//!
//! A stream is pulled: a reader that does not read costs nothing, and falls behind. What the feed of
//! its tenant no longer has comes from the store; a reader too far behind what happens is cut.

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
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, Interval, interval_at};
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::answer::written;
use super::body::Received;
use super::enum_values::{EVENT_FORMATS, EVENT_SHAPES};
use super::job::visit;
use super::problem::{Kind, Problem};
use super::query::Query;
use super::schema::{EventList, EventRow, EventTicket};
use super::state::AppState;
use crate::domain::{Event, EventKind, RawJson, word_of};
use crate::service::events::{self, EventPage, Feed, FeedRead, Filter};
use crate::service::tickets::{self, GOOD_FOR};
use crate::service::{Services, auth};
use crate::telemetry::Stream;

/// Events that a live reader may be behind.
const MOST_BEHIND: u64 = 4_096;
/// How often a quiet stream says that it lives.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How often it is looked whether the reader's key still stands.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How long a reader waits before it comes back.
const RETRY: Duration = Duration::from_secs(2);

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
        ("after" = Option<u64>, Query, description = "The number behind which to begin: 0 for the oldest that is kept; from now on when absent"),
        ("types" = Option<String>, Query, description = "Only these types, with commas between them", example = "compile:done,memory:changed"),
        ("session_id" = Option<String>, Query, description = "Only events of this session"),
        ("as" = Option<String>, Query, description = "`message`: without `event:`, so that a browser's `onmessage` gets all of them"),
        ("format" = Option<String>, Query, description = "`json`: a page"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "With `format=json`: events of a page, 100 when absent"),
        ("ticket" = Option<String>, Query, description = "Of `POST /events/ticket`, in the place of a key"),
        ("Last-Event-ID" = Option<u64>, Header, description = "The number of the last event that was read; wins over `after`"),
    ),
    responses((status = OK, description = "The events", content((EventRow = "text/event-stream"), (EventList = "application/json")))),
)]
pub(super) async fn read_events(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let known = ["after", "types", "session_id", "as", "format", "limit", "ticket"];
    let query = Query::of(request.uri(), &known)?;
    let after = match last_event_id(request.headers())? {
        Some(last) => Some(last),
        None => query.whole("after")?,
    };
    let filter = Filter {
        kinds: query.get("types").map(parse_types).transpose()?,
        session_id: query.get("session_id").map(str::to_owned),
    };
    let bare = query.choice("as", EVENT_SHAPES)?.unwrap_or(false);
    let paged = query.choice("format", EVENT_FORMATS)?.unwrap_or(false);
    if paged {
        let limit = query.limit()?;
        let received = Received::nothing(&state, &request)?;
        let page = read(&state, received, after.unwrap_or_default(), filter, limit).await?;
        return Ok(written(&EventList::from(page)));
    }
    let permit = state.admit_stream()?;
    let received = Received::nothing(&state, &request)?;
    let services = received.services.clone();
    let (feed, newest) = visit(&state, received, |services, _| events::follow(services)).await?;
    let reader = Reader {
        news: feed.newest(),
        feed,
        last: after.unwrap_or(newest).min(newest),
        ready: VecDeque::from([Frame::default().retry(RETRY).comment("")]),
        caught_up: false,
        ended: false,
        filter,
        bare,
        services,
        looked: Instant::now(),
        beat: Instant::now(),
        wakes: interval_at(Instant::now() + LOOK_EVERY, LOOK_EVERY),
        stopping: Box::pin(state.stopping().cancelled_owned()),
        _open: state.metrics.stream(),
        state,
        _permit: permit,
    };
    let mut response = Sse::new(frames(reader)).into_response();
    let uncached = HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, uncached);
    // Proxies that know it hand each event on at once.
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
    Query::of(request.uri(), &[])?;
    let received = Received::nothing(&state, &request)?;
    let given = visit(&state, received, |services, _| Ok(tickets::give(services)?)).await?;
    let ticket =
        given.ok_or_else(|| Problem::with_detail(Kind::Overloaded, "too many tickets are out"))?;
    let body = json!({"ticket": ticket, "expires_in_seconds": GOOD_FOR.as_secs()});
    Ok((StatusCode::CREATED, written(&body)).into_response())
}

async fn read(
    state: &AppState,
    received: Received,
    after: u64,
    filter: Filter,
    limit: usize,
) -> Result<EventPage, Problem> {
    visit(state, received, move |services, _| events::page(services, after, &filter, limit)).await
}

/// One stream on its way.
struct Reader {
    feed: Arc<Feed>,
    news: watch::Receiver<u64>,
    /// The number of the last event that was dealt with.
    last: u64,
    ready: VecDeque<Frame>,
    /// Whether the reader was at the newest event once.
    caught_up: bool,
    ended: bool,
    filter: Filter,
    bare: bool,
    /// The caller's.
    services: Services,
    /// When it was last known that the caller's key stands.
    looked: Instant,
    /// When it was last told that the stream lives.
    beat: Instant,
    /// When to look up although nothing happens.
    wakes: Interval,
    stopping: Pin<Box<WaitForCancellationFutureOwned>>,
    state: AppState,
    _permit: OwnedSemaphorePermit,
    _open: Stream,
}

fn frames(reader: Reader) -> impl stream::Stream<Item = Result<Frame, Infallible>> {
    // In a box, since it is handed on with each frame.
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
        if self.looked.elapsed() >= LOOK_EVERY {
            self.looked = Instant::now();
            let services = self.services.clone();
            let stands = self.state.pool.look(move || auth::stands(&services)).await;
            // Where the store cannot be asked, the reader comes back and is asked for his key.
            if !matches!(stands, Ok(Ok(true))) {
                self.ended = true;
                return;
            }
        }
        let newest = *self.news.borrow_and_update();
        if self.caught_up && newest.saturating_sub(self.last) > MOST_BEHIND {
            self.tell(EventKind::StreamOverflow, &format!("{{\"behind\":{}}}", newest - self.last));
            self.ended = true;
            return;
        }
        match self.feed.take(self.last) {
            FeedRead::Events(events) => events.iter().for_each(|told| {
                self.add(&told.event, told.text(shown));
            }),
            FeedRead::Nothing if self.caught_up => self.wait().await,
            // What happened before the feed was there is in the store.
            FeedRead::Nothing | FeedRead::Elsewhere => self.catch_up().await,
        }
    }

    async fn wait(&mut self) {
        tokio::select! {
            changed = self.news.changed() => self.ended = changed.is_err(),
            _ = self.wakes.tick() => {
                if self.beat.elapsed() >= HEARTBEAT {
                    self.beat = Instant::now();
                    self.ready.push_back(Frame::default().comment("heartbeat"));
                }
            }
            () = &mut self.stopping => self.ended = true,
        }
    }

    async fn catch_up(&mut self) {
        /// Events of one read.
        const AT_ONCE: usize = 500;
        let filter = self.filter.clone();
        let received = Received::for_services(&self.state, self.services.clone());
        let page = match received {
            Ok(received) => read(&self.state, received, self.last, filter, AT_ONCE).await,
            Err(problem) => Err(problem),
        };
        let Ok(page) = page else {
            // The reader comes back, and begins where it was.
            self.ended = true;
            return;
        };
        if let Some((first, last)) = page.gap {
            self.tell(EventKind::StreamGap, &format!("{{\"from\":{first},\"to\":{last}}}"));
        }
        page.events.iter().for_each(|event| self.add(event, &shown(event)));
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

    /// Says something that is for this reader alone, and has no number.
    fn tell(&mut self, kind: EventKind, data: &str) {
        let row = EventRow::of_stream(kind, &RawJson::new(data));
        self.push(Frame::default(), kind, &serde_json::to_string(&row).unwrap_or_default());
    }

    fn push(&mut self, frame: Frame, kind: EventKind, text: &str) {
        let frame = if self.bare { frame } else { frame.event(word_of(EventKind::WORDS, kind)) };
        self.ready.push_back(frame.data(text));
    }
}

/// An event as the data of a frame.
fn shown(event: &Event) -> String {
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
    let known = |word: &str| EventKind::WORDS.iter().find(|(known, _)| *known == word);
    let parse = |word: &str| {
        known(word).map(|(_, kind)| *kind).ok_or_else(|| {
            let list: Vec<&str> = EventKind::WORDS.iter().map(|(word, _)| *word).collect();
            let list = list.join(", ");
            Problem::invalid("", format!("there is no event `{word}`; these there are: {list}"))
        })
    };
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(parse).collect()
}

impl AppState {
    fn admit_stream(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let permit = Arc::clone(&self.streams).try_acquire_owned();
        permit.map_err(|_| Problem::with_detail(Kind::Overloaded, "too many open streams"))
    }
}
