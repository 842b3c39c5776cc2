//! `/settings`: what the server was started with.

use axum::extract::{Request, State};
use axum::response::Response;

use super::problem::Problem;
use super::query::Query;
use super::response::respond_with;
use super::schema::{SettingList, SettingRow};
use super::state::AppState;

/// List the settings in force
///
/// The flags of `contexture serve` on this node, with their values and where these are from. Secrets are
/// not shown, nor are user names, passwords and parameters in addresses. Empty where the server was not
/// started by `contexture serve`.
#[utoipa::path(
    get,
    path = "/settings",
    tag = "operations",
    operation_id = "list_settings",
    responses((status = OK, description = "The settings, in the order of `contexture serve --help`", body = SettingList)),
)]
pub(super) async fn list_settings(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    Query::parse(request.uri(), &[])?;
    let items = state.settings.iter().map(SettingRow::from).collect();
    Ok(respond_with(&SettingList { items }))
}
