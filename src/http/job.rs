//! Runs the work of a request in the pool, in the lane for computing or the lane for the store.

use axum::extract::Request;
use axum::http::StatusCode;

use super::body::{CancelOnDrop, RequestInput};
use super::problem::Problem;
use super::response::read_if_match;
use super::state::AppState;
use crate::service::pool::QueuePlace;
use crate::service::{Error, Services};

/// Runs `job` in the lane for computing.
pub(super) async fn work<T: Send + 'static>(
    state: &AppState,
    input: RequestInput,
    job: impl FnOnce(&Services, &str) -> Result<T, Error> + Send + 'static,
) -> Result<T, Problem> {
    run(state.pool.admit(input.tenant())?, input, job).await
}

/// Runs `job` in the lane for the store: it reads and writes rows, and computes little.
pub(super) async fn visit<T: Send + 'static>(
    state: &AppState,
    input: RequestInput,
    job: impl FnOnce(&Services, &str) -> Result<T, Error> + Send + 'static,
) -> Result<T, Problem> {
    run(state.pool.visit(input.tenant())?, input, job).await
}

/// Runs `job`, which fails with problems, in the lane for the store.
pub(super) async fn visit_or_refuse<T: Send + 'static>(
    state: &AppState,
    input: RequestInput,
    job: impl FnOnce(&Services, &str) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    run(state.pool.visit(input.tenant())?, input, job).await
}

/// Deletes what `id` names, if it has the version of the header `If-Match`.
pub(super) async fn delete(
    state: &AppState,
    request: Request,
    id: String,
    job: fn(&Services, &str, Option<u64>) -> Result<(), Error>,
) -> Result<StatusCode, Problem> {
    let if_match = read_if_match(request.headers())?;
    let input = RequestInput::without_body(state, &request)?;
    visit(state, input, move |services, _| job(services, &id, if_match)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Runs `job` in the lane of its place, until the deadline of the request. If the client disconnects,
/// this future is dropped, and the guard cancels the work.
pub(super) async fn run<T: Send + 'static, E: Send + 'static>(
    place: QueuePlace,
    input: RequestInput,
    job: impl FnOnce(&Services, &str) -> Result<T, E> + Send + 'static,
) -> Result<T, Problem>
where
    Problem: From<E>,
{
    let deadline = input.deadline();
    let _guard = CancelOnDrop(deadline.clone());
    let RequestInput { text, services, .. } = input;
    let until = deadline.clone();
    let job = move |seat| job(&services.seated(seat).until(&until), &text);
    Ok(place.run(&deadline, job).await??)
}
