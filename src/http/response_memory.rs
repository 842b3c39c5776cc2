//! Counts a request in the memory of its caller, from its first byte until its response is sent.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hyper::body::{Frame, SizeHint};

use super::problem::Problem;
use super::state::AppState;
use crate::domain::Principal;
use crate::service::MemoryPermit;

/// Responses of fewer bytes are not counted: what a connection holds for a stream is no less.
const MIN_COUNTED_BYTES: u64 = 1024;

/// Gives a request its permit, which the response holds until it is sent. If there is no memory for
/// the response, a read is refused; the response to any other request is sent all the same, because
/// its effects are stored.
pub(super) async fn hold(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(caller) = request.extensions().get::<Arc<Principal>>() else {
        return next.run(request).await;
    };
    let permit = state.memory.permit(caller);
    request.extensions_mut().insert(permit.clone());
    let is_read = request.method().is_safe();
    let response = next.run(request).await;
    // A stream reserves what it needs by itself.
    if let Some(size) = response.body().size_hint().exact() {
        if size < MIN_COUNTED_BYTES {
            return response;
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        if is_read && let Err(taken) = permit.grow_to(size) {
            return Problem::from(taken).into_response();
        }
        permit.settle(size);
    }
    response.map(|body| Body::new(HeldBody { body, _permit: permit }))
}

/// A body that holds its memory until it is sent or dropped.
struct HeldBody {
    body: Body,
    _permit: MemoryPermit,
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
