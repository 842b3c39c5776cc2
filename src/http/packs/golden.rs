//! Golden sets of packs.

use axum::extract::{Request, State};
use axum::response::Response;

use super::read::part;
use crate::http::answer::written;
use crate::http::body::{self, Received};
use crate::http::job::{visit, work};
use crate::http::problem::{Body, Problem};
use crate::http::schema::{GoldenList, GoldenRequest, GoldenRun, GoldenRunRequest};
use crate::http::state::AppState;
use crate::service::packs;

/// Put a golden set
///
/// The compiles that a version of the pack has to come to again: records in full of compiles under
/// it, at most 100. They are kept with the set, longer than the records. The list stands in the place
/// of the one before; what was in it needs no record any more.
#[utoipa::path(
    put,
    path = "/packs/{id}/{version}/golden",
    tag = "packs",
    operation_id = "put_golden_set",
    params(
        ("id" = String, Path, description = "The pack's id", example = "pack.dbops"),
        ("version" = String, Path, description = "Three numbers", example = "1.4.0"),
    ),
    request_body = GoldenRequest,
    responses(
        (status = OK, description = "The set", body = GoldenList),
        (status = "4XX", description = "A compile cannot stand in the set", body = Body, content_type = "application/problem+json"),
        (status = "5XX", description = "The server could not do it", body = Body, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn put_golden_set(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let (id, version) = (part(&request, 2)?, part(&request, 3)?);
    let received = body::read(&state, request).await?;
    let put = visit(&state, received, move |services, text| {
        packs::put_golden(services, (&id, &version), text)
    });
    Ok(written(&GoldenList::of(&put.await?)))
}

/// Read a golden set
#[utoipa::path(
    get,
    path = "/packs/{id}/{version}/golden",
    tag = "packs",
    operation_id = "get_golden_set",
    params(
        ("id" = String, Path, description = "The pack's id", example = "pack.dbops"),
        ("version" = String, Path, description = "Three numbers", example = "1.4.0"),
    ),
    responses(
        (status = OK, description = "The set; empty where there is none", body = GoldenList),
        (status = "4XX", description = "No such version is published", body = Body, content_type = "application/problem+json"),
        (status = "5XX", description = "The server could not do it", body = Body, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn get_golden_set(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let (id, version) = (part(&request, 2)?, part(&request, 3)?);
    let received = Received::nothing(&state, &request)?;
    let get = visit(&state, received, move |services, _| packs::golden(services, &id, &version));
    Ok(written(&GoldenList::of(&get.await?)))
}

/// Run a golden set
///
/// Compiles each of the set once more under a version of the pack, with everything else from its
/// record, and tells for each whether it comes to the same, and where not. Nothing is called and
/// nothing is stored.
#[utoipa::path(
    post,
    path = "/packs/{id}/{version}/golden/run",
    tag = "packs",
    operation_id = "run_golden_set",
    params(
        ("id" = String, Path, description = "The pack's id", example = "pack.dbops"),
        ("version" = String, Path, description = "Three numbers", example = "1.4.0"),
    ),
    request_body = GoldenRunRequest,
    responses(
        (status = OK, description = "What each compile comes to", body = GoldenRun),
        (status = "4XX", description = "One of the versions is not published", body = Body, content_type = "application/problem+json"),
        (status = "5XX", description = "The server could not do it", body = Body, content_type = "application/problem+json"),
    ),
)]
pub(in crate::http) async fn run_golden_set(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let (id, version) = (part(&request, 2)?, part(&request, 3)?);
    let received = body::read(&state, request).await?;
    let deadline = received.deadline();
    let ran = work(&state, received, move |services, text| {
        packs::run_golden(services, (&id, &version), text, &deadline)
    });
    Ok(written(&GoldenRun::of(ran.await?)))
}
