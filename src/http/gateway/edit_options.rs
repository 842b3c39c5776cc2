//! What is to be done to one request: its headers come before the key, the key before the settings.

use std::str::FromStr;

use axum::http::{HeaderMap, StatusCode};

use super::EditSettings;
use super::failure::RelayFailure;
use crate::domain::{GatewayMode, RecordLevel};
use crate::http::problem::Kind;
use crate::service::Services;
use crate::service::gateway::GatewayDefaults;

/// The header that names another mode for one request.
const MODE_HEADER: &str = "x-contexture-mode";
/// The header with the tokens that one request may have in mode `fit`.
const BUDGET_HEADER: &str = "x-contexture-budget";

/// What is to be done to a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct EditOptions {
    pub(super) mode: GatewayMode,
    /// Tokens that it may have in mode `fit`; none if its model decides.
    pub(super) budget: Option<u64>,
    pub(super) record: RecordLevel,
}

impl EditOptions {
    pub(super) fn read(
        services: &Services,
        settings: &EditSettings,
        headers: &HeaderMap,
    ) -> Result<Self, RelayFailure> {
        let defaults = GatewayDefaults::of_caller(services)
            .map_err(|fault| invalid(format!("the key cannot be used here: {fault}")))?;
        let mode = header::<GatewayMode>(headers, MODE_HEADER)?.or(defaults.mode);
        let mode = mode.unwrap_or(settings.mode);
        if mode == GatewayMode::Session && services.caller().key.is_none() {
            let kind = Kind::Unauthenticated;
            let detail = "mode `session` needs a key in x-contexture-key: memory and state are those \
                          of the key's defaults";
            return Err(RelayFailure::new(kind.status(), kind.code(), detail));
        }
        let budget = match header::<u64>(headers, BUDGET_HEADER)? {
            Some(0) => return Err(invalid(format!("{BUDGET_HEADER}: must be at least 1"))),
            budget => budget.or(defaults.budget).or(settings.budget),
        };
        Ok(Self { mode, budget, record: defaults.record })
    }
}

/// Reads the value of a header; none if the request does not have it.
fn header<T: FromStr<Err: ToString>>(
    headers: &HeaderMap,
    name: &str,
) -> Result<Option<T>, RelayFailure> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let text = String::from_utf8_lossy(value.as_bytes());
    let value = text.trim().parse::<T>();
    value.map(Some).map_err(|error| invalid(format!("{name}: {}", error.to_string())))
}

fn invalid(message: String) -> RelayFailure {
    RelayFailure::new(StatusCode::BAD_REQUEST, Kind::InvalidRequest.code(), message)
}
