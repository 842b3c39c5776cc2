//! Schemas of `/console/session`.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::Principal;

/// Who is signed in to the console.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConsoleSession {
    /// The tenant whose data is shown.
    #[schema(example = "default")]
    pub tenant: String,
    /// The key's id; null for callers without one.
    pub key: Option<String>,
    /// What the key may do; all scopes for callers of a server that needs no key.
    pub scopes: Vec<&'static str>,
    /// The value of `contexture-csrf` for requests with the cookie; null without a cookie.
    pub csrf_token: Option<String>,
}

impl ConsoleSession {
    pub(crate) fn new(caller: &Principal, csrf_token: Option<String>) -> Self {
        Self {
            tenant: caller.tenant.to_string(),
            key: caller.key.as_deref().map(str::to_owned),
            scopes: caller.scopes.words(),
            csrf_token,
        }
    }
}
