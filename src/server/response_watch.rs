//! Watches the requests and responses of one connection: how long none has been open, and which
//! responses the client does not read.
//!
//! A socket that takes no bytes is found where they are written. An HTTP/2 client can leave one
//! response unread while others go on, so each response is watched on its own: it is handed over in
//! small chunks, and if the connection has not asked for the next one in time, what is left of it
//! is dropped.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use tokio::time::Instant;

/// Bytes of a response that are handed over at once.
const MAX_CHUNK_BYTES: usize = 64 * 1024;
/// Entries of the list of responses from which on those that have ended are removed.
const MAX_LISTED_RESPONSES: usize = 128;

/// The requests and responses of one connection. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ConnectionWatch {
    state: Arc<Mutex<WatchState>>,
    /// Time in which the client must take the next chunk of a response.
    max_write_pause: Duration,
}

#[derive(Debug)]
struct WatchState {
    open_requests: usize,
    /// When the last open request ended.
    idle_since: Instant,
    /// Whether the last request had a body and was refused, so that some of the body may not have
    /// been read.
    was_body_refused: bool,
    responses: Vec<Weak<Mutex<ResponseSlot>>>,
}

/// A request from its arrival until its response is sent or dropped.
#[derive(Debug)]
pub(super) struct OpenRequest {
    watch: ConnectionWatch,
}

/// The rest of a response.
#[derive(Debug)]
struct ResponseSlot {
    /// None if the response was dropped because the client did not read it.
    body: Option<Body>,
    /// The rest of the frame that was taken from the body last.
    rest: Bytes,
    /// When the last chunk was handed over; none while the connection waits for the body.
    handed_at: Option<Instant>,
}

/// The body of a response that is watched.
#[derive(Debug)]
pub(super) struct WatchedBody {
    slot: Arc<Mutex<ResponseSlot>>,
    _request: OpenRequest,
}

/// The error of a response that was dropped.
#[derive(Debug, thiserror::Error)]
#[error("the client did not read the response")]
struct UnreadError;

impl ConnectionWatch {
    pub(super) fn new(max_write_pause: Duration) -> Self {
        let state = WatchState {
            open_requests: 0,
            idle_since: Instant::now(),
            was_body_refused: false,
            responses: Vec::new(),
        };
        Self { state: Arc::new(Mutex::new(state)), max_write_pause }
    }

    /// Counts a request as open.
    pub(super) fn begin(&self) -> OpenRequest {
        self.lock().open_requests += 1;
        OpenRequest { watch: self.clone() }
    }

    /// Returns how long no request has been open; none if one is.
    pub(super) fn idle_time(&self, now: Instant) -> Option<Duration> {
        let state = self.lock();
        (state.open_requests == 0).then(|| now.saturating_duration_since(state.idle_since))
    }

    /// Notes whether the last request had a body and was refused.
    pub(super) fn note_refusal(&self, was_body_refused: bool) {
        self.lock().was_body_refused = was_body_refused;
    }

    pub(super) fn was_body_refused(&self) -> bool {
        self.lock().was_body_refused
    }

    /// Drops what is left of responses whose next chunk the client has not taken in time.
    pub(super) fn drop_unread(&self, now: Instant) {
        let responses = std::mem::take(&mut self.lock().responses);
        let is_over = |slot: &_| drop_if_unread(slot, now, self.max_write_pause);
        let mut left: Vec<_> = responses.into_iter().filter(|slot| !is_over(slot)).collect();
        self.lock().responses.append(&mut left);
    }

    fn lock(&self) -> MutexGuard<'_, WatchState> {
        lock(&self.state)
    }
}

/// Returns whether the response has ended or was dropped.
fn drop_if_unread(slot: &Weak<Mutex<ResponseSlot>>, now: Instant, max_pause: Duration) -> bool {
    let Some(slot) = slot.upgrade() else { return true };
    let mut slot = lock(&slot);
    let waits = |at: Instant| now.saturating_duration_since(at) > max_pause;
    let is_unread = slot.handed_at.is_some_and(waits);
    if is_unread {
        let body = slot.body.take();
        slot.rest = Bytes::new();
        slot.handed_at = None;
        tracing::debug!(
            was_open = body.is_some(),
            "the client did not read its response in time; the connection was closed"
        );
    }
    is_unread
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OpenRequest {
    /// Watches the response until it is sent.
    pub(super) fn respond(self, response: Response) -> Response<WatchedBody> {
        response.map(|body| {
            let slot = ResponseSlot { body: Some(body), rest: Bytes::new(), handed_at: None };
            let slot = Arc::new(Mutex::new(slot));
            let mut state = self.watch.lock();
            if state.responses.len() >= MAX_LISTED_RESPONSES {
                state.responses.retain(|slot| slot.strong_count() > 0);
            }
            state.responses.push(Arc::downgrade(&slot));
            drop(state);
            WatchedBody { slot, _request: self }
        })
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut state = self.watch.lock();
        state.open_requests = state.open_requests.saturating_sub(1);
        state.idle_since = Instant::now();
    }
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut slot = lock(&self.slot);
        slot.handed_at = None;
        if slot.rest.is_empty() {
            let Some(body) = &mut slot.body else {
                return Poll::Ready(Some(Err(axum::Error::new(UnreadError))));
            };
            let frame = match ready!(Pin::new(body).poll_frame(context)) {
                Some(Ok(frame)) => frame,
                end => return Poll::Ready(end),
            };
            match frame.into_data() {
                Ok(data) => slot.rest = data,
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        slot.handed_at = Some(Instant::now());
        let bytes = slot.rest.len().min(MAX_CHUNK_BYTES);
        let chunk = slot.rest.split_to(bytes);
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        let slot = lock(&self.slot);
        slot.rest.is_empty() && slot.body.as_ref().is_some_and(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let slot = lock(&self.slot);
        let rest = slot.rest.len() as u64;
        let hint = slot.body.as_ref().map(HttpBody::size_hint).unwrap_or_default();
        let mut all = SizeHint::new();
        all.set_lower(hint.lower().saturating_add(rest));
        if let Some(upper) = hint.upper() {
            all.set_upper(upper.saturating_add(rest));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    const MAX_WRITE_PAUSE: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn a_response_arrives_whole_in_chunks() {
        let watch = ConnectionWatch::new(MAX_WRITE_PAUSE);
        let bytes: Vec<u8> = (0..200_000_u32).map(|at| at.to_le_bytes()[0]).collect();
        let mut body = watch.begin().respond(Response::new(bytes.clone().into())).into_body();
        assert_eq!(body.size_hint().exact(), Some(200_000));
        let mut read = Vec::new();
        while let Some(frame) = body.frame().await {
            let data = frame.unwrap().into_data().unwrap();
            assert!(data.len() <= MAX_CHUNK_BYTES);
            read.extend_from_slice(&data);
            assert_eq!(body.size_hint().exact(), Some(200_000 - read.len() as u64));
        }
        assert_eq!(read, bytes);
        assert!(body.is_end_stream());
    }

    #[tokio::test]
    async fn a_response_that_is_not_read_is_dropped_and_one_that_waits_for_its_source_is_not() {
        let watch = ConnectionWatch::new(MAX_WRITE_PAUSE);
        let mut unread =
            watch.begin().respond(Response::new(vec![b'x'; 200_000].into())).into_body();
        let source = futures_util::stream::pending::<Result<Bytes, axum::Error>>();
        let stream = Response::new(Body::from_stream(source));
        let mut waiting = watch.begin().respond(stream).into_body();
        unread.frame().await.unwrap().unwrap();
        let nothing = tokio::time::timeout(Duration::ZERO, waiting.frame()).await;
        assert!(nothing.is_err());

        let handed_at = lock(&unread.slot).handed_at.unwrap();
        watch.drop_unread(handed_at + MAX_WRITE_PAUSE);
        assert!(lock(&unread.slot).body.is_some());
        watch.drop_unread(handed_at + MAX_WRITE_PAUSE + Duration::from_millis(1));
        assert!(lock(&unread.slot).body.is_none());
        assert!(unread.frame().await.unwrap().is_err());
        watch.drop_unread(handed_at + 9 * MAX_WRITE_PAUSE);
        assert!(lock(&waiting.slot).body.is_some());
    }

    #[tokio::test]
    async fn a_connection_is_idle_from_the_end_of_its_last_response() {
        let watch = ConnectionWatch::new(MAX_WRITE_PAUSE);
        let after = |since: Instant| watch.idle_time(since + Duration::from_mins(1));
        assert!(after(Instant::now()) >= Some(Duration::from_mins(1)));
        let response = watch.begin().respond(Response::new(Body::empty()));
        assert_eq!(after(Instant::now()), None);
        let ended = Instant::now();
        drop(response);
        assert!(after(ended) <= Some(Duration::from_mins(1)));
        assert!(after(Instant::now()) >= Some(Duration::from_mins(1)));
    }

    #[tokio::test]
    async fn responses_that_have_ended_leave_the_list() {
        let watch = ConnectionWatch::new(MAX_WRITE_PAUSE);
        for _ in 0..10 * MAX_LISTED_RESPONSES {
            drop(watch.begin().respond(Response::new(Body::empty())));
        }
        assert!(watch.lock().responses.len() <= MAX_LISTED_RESPONSES);
    }
}
