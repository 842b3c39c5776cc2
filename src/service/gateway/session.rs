//! The id of the session that a request through the gateway belongs to.

use std::sync::Arc;

use crate::gateway::{SessionName, SessionScope};
use crate::service::Services;

/// The id of the session that a request names, for the caller and an upstream.
pub fn session_id(
    services: &Services,
    upstream: &str,
    name: Option<&SessionName>,
) -> Option<Arc<str>> {
    let scope = SessionScope { tenant: &services.caller().tenant, upstream };
    name.map(|name| scope.id(name).into())
}
