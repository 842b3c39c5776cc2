//! Counts responses that clients have not read yet in the memory of their callers.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hyper::body::{Frame, SizeHint};

use super::body::RequestInput;
use super::body_memory::MemoryPermit;
use super::job::visit;
use super::problem::Problem;
use super::state::AppState;
use crate::domain::Principal;
use crate::service::Services;

/// Responses of fewer bytes are not counted.
const MIN_COUNTED_BYTES: u64 = 64 * 1024;

/// Reserves memory for a large response until it is sent. If there is none, a read is refused; the
/// response to any other request is sent all the same, because its effects are stored.
pub(super) async fn hold(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<Arc<Principal>>().cloned();
    let is_read = request.method().is_safe();
    let response = next.run(request).await;
    let size = response.body().size_hint().exact().filter(|size| *size >= MIN_COUNTED_BYTES);
    let (Some(caller), Some(size)) = (caller, size) else { return response };
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if let Some(ReservedMemory(permit)) = response.extensions().get().cloned() {
        return response.map(|body| Body::new(HeldBody { body, _permit: permit }));
    }
    let mut permit = state.memory.permit(&caller);
    if !is_read {
        permit.force_to(size);
    } else if let Err(problem) = permit.grow_to(size) {
        return problem.into_response();
    }
    response.map(|body| Body::new(HeldBody { body, _permit: Arc::new(permit) }))
}

/// Memory that was reserved before a response was made, because many large responses that are made
/// at once would take it before any of them is counted. An extension of the response.
#[derive(Debug, Clone)]
pub(super) struct ReservedMemory(Arc<MemoryPermit>);

impl ReservedMemory {
    /// Lets the response hold the memory until it is sent.
    pub(super) fn attach_to(self, mut response: Response) -> Response {
        response.extensions_mut().insert(self);
        response
    }
}

/// Runs `job` in the lane for the store. The job reserves memory for its result before it reads it.
pub(super) async fn visit_reserving<T: Send + 'static>(
    state: &AppState,
    input: RequestInput,
    job: impl FnOnce(&Services, &str, &mut MemoryPermit) -> Result<T, Problem> + Send + 'static,
) -> Result<(T, ReservedMemory), Problem> {
    let mut permit = state.memory.permit(input.services.caller());
    let done = visit(state, input, move |services, text| {
        Ok(job(services, text, &mut permit).map(|found| (found, permit)))
    });
    let (found, permit) = done.await??;
    Ok((found, ReservedMemory(Arc::new(permit))))
}

/// A body that holds its memory until it is sent or dropped.
struct HeldBody {
    body: Body,
    _permit: Arc<MemoryPermit>,
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
