//! Gives an upstream up that sends nothing for too long. There is no limit on the whole.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

/// When something last moved between a client and its upstream. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct LastActivity(Arc<Mutex<Instant>>);

/// A body that notes each frame as activity: an upload that goes on is no silence.
pub(super) struct ObservedUpload {
    body: Body,
    activity: LastActivity,
}

/// A response body that fails after the upstream was silent for too long.
pub(super) struct SilenceLimit<B> {
    body: B,
    most: Duration,
    /// None before the first wait: most frames are there when they are asked for.
    timer: Option<Pin<Box<Sleep>>>,
}

/// An upstream sent nothing for too long.
#[derive(Debug, thiserror::Error)]
#[error("the upstream sent nothing within the time limit")]
pub(super) struct SilenceError;

impl LastActivity {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn last(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends once nothing has moved for `most`.
    pub(super) async fn silence(&self, most: Duration) {
        loop {
            let until = self.last() + most;
            if until <= Instant::now() {
                return;
            }
            sleep_until(until).await;
        }
    }

    /// Returns a body that notes its frames here.
    pub(super) fn observe(&self, body: Body) -> ObservedUpload {
        ObservedUpload { body, activity: self.clone() }
    }
}

impl<B> SilenceLimit<B> {
    pub(super) fn new(body: B, most: Duration) -> Self {
        Self { body, most, timer: None }
    }
}

impl HttpBody for ObservedUpload {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if polled.is_ready() {
            self.activity.note();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> HttpBody for SilenceLimit<B>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<axum::BoxError>,
{
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.timer = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(axum::Error::new)));
        }
        let most = self.most;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + most)));
        match timer.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Some(Err(axum::Error::new(SilenceError)))),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
