//! Runs the work of a request in the pool, in the lane for computing or the lane for the store.

use super::body::{CancelOnDrop, RequestInput};
use super::problem::Problem;
use super::state::AppState;
use crate::service::pool::QueuePlace;
use crate::service::{Error, Services};

/// Runs `job` in the lane for computing.
pub(super) async fn work<T: Send + 'static>(
    state: &AppState,
    input: RequestInput,
    job: impl FnOnce(&Services, &str) -> Result<T, Error> + Send + 'static,
) -> Result<T, Problem> {
    run(state.pool.admit()?, input, job).await
}

/// Runs `job` in the lane for the store: it reads and writes rows, and computes little.
pub(super) async fn visit<T: Send + 'static>(
    state: &AppState,
    input: RequestInput,
    job: impl FnOnce(&Services, &str) -> Result<T, Error> + Send + 'static,
) -> Result<T, Problem> {
    run(state.pool.visit()?, input, job).await
}

async fn run<T: Send + 'static>(
    place: QueuePlace,
    input: RequestInput,
    job: impl FnOnce(&Services, &str) -> Result<T, Error> + Send + 'static,
) -> Result<T, Problem> {
    let deadline = input.deadline();
    let _guard = CancelOnDrop(deadline.clone());
    let RequestInput { text, permit, services, .. } = input;
    let until = deadline.clone();
    let job = move |seat| job(&services.seated(seat).until(&until), &text);
    Ok(place.run_until(&deadline, permit, job).await??)
}
