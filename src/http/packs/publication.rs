//! Publishes, checks and compares packs.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use crate::http::body;
use crate::http::idempotency::{self, Reply, RequestIdentity};
use crate::http::job::work;
use crate::http::problem::Problem;
use crate::http::response::respond_with;
use crate::http::schema::{
    LintAnswer, LintRow, PackDiff, PackDiffRequest, PackDocument, PackPublished,
};
use crate::http::state::AppState;
use crate::service::packs::{self, Publication};

/// Publish a pack
///
/// The body is the document. A version that was published never changes: the same document again
/// returns 200, another one under the same version is refused.
#[utoipa::path(
    post,
    path = "/packs",
    tag = "packs",
    operation_id = "publish_pack",
    params(("Idempotency-Key" = Option<String>, Header, description = "Sent again within a day, the stored response is replayed and nothing is done")),
    request_body = PackDocument,
    responses(
        (status = CREATED, description = "The version is published", body = PackPublished),
        (status = OK, description = "It was published before", body = PackPublished),
        (status = "4XX", description = "The pack has faults, or its version is taken"),
    ),
)]
pub(crate) async fn publish_pack(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let identity = RequestIdentity::read("POST /packs", request.headers(), request.uri())?;
    let input = body::read(&state, request).await?;
    idempotency::run_recorded(&state, input, identity, reply_to_publication, packs::publish).await
}

fn reply_to_publication(publication: &Publication) -> Reply {
    let status = if publication.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let warnings = publication.warnings.iter().map(LintRow::from).collect();
    Reply::new(status, &PackPublished::new(&publication.stored, warnings))
}

/// Check a pack
///
/// Every fault at once, with its code and its place. Nothing is stored.
#[utoipa::path(
    post,
    path = "/packs/lint",
    tag = "packs",
    operation_id = "lint_pack",
    request_body = PackDocument,
    responses(
        (status = OK, description = "What is wrong with it; `ok` is whether it may be published", body = LintAnswer),
        (status = "4XX", description = "The body is no JSON object"),
    ),
)]
pub(crate) async fn lint_pack(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let input = body::read(&state, request).await?;
    let faults = work(&state, input, packs::lint).await?;
    let rows = faults.iter().map(LintRow::from).collect();
    Ok(respond_with(&LintAnswer { ok: packs::is_ok(&faults), faults: rows }))
}

/// Compare two versions of a pack
///
/// Rules, gates, tools and permissions are told apart by their ids.
#[utoipa::path(
    post,
    path = "/packs/diff",
    tag = "packs",
    operation_id = "diff_packs",
    request_body = PackDiffRequest,
    responses(
        (status = OK, description = "What has to be done to the one to make it the other, layer by layer", body = PackDiff),
        (status = "4XX", description = "One of them is not published"),
    ),
)]
pub(crate) async fn diff_packs(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let input = body::read(&state, request).await?;
    let difference = work(&state, input, packs::diff).await?;
    Ok(respond_with(&PackDiff::from(difference)))
}
