//! Has the work of a request done in the pool, in the lane that it belongs to.

use std::time::Instant;

use super::body::{CancelOnDrop, Received};
use super::problem::Problem;
use super::state::AppState;
use crate::service::pool::QueuePlace;
use crate::service::{Error, Services};

/// Does `job` among those that compute.
pub(super) async fn work<T: Send + 'static>(
    state: &AppState,
    received: Received,
    job: impl FnOnce(&Services, &str) -> Result<T, Error> + Send + 'static,
) -> Result<T, Problem> {
    run(state.pool.admit()?, received, job).await
}

/// Does `job` among those that do little beside asking the store, or waiting for what they wrote.
pub(super) async fn visit<T: Send + 'static>(
    state: &AppState,
    received: Received,
    job: impl FnOnce(&Services, &str) -> Result<T, Error> + Send + 'static,
) -> Result<T, Problem> {
    run(state.pool.visit()?, received, job).await
}

async fn run<T: Send + 'static>(
    place: QueuePlace,
    received: Received,
    job: impl FnOnce(&Services, &str) -> Result<T, Error> + Send + 'static,
) -> Result<T, Problem> {
    let deadline = received.deadline();
    let _guard = CancelOnDrop(deadline.clone());
    let Received { text, share, services, allowed } = received;
    let job = move |seat| job(&services.seated(seat).until(&deadline), &text);
    Ok(place.run(Instant::now() + allowed, share, job).await??)
}
