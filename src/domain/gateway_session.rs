//! Names of sessions of the gateway: groups of requests by what clients say, which no caller of the API can name.

/// The beginning of a name, which no session of the API may have.
pub const GATEWAY_SESSION_PREFIX: &str = "gws_";

/// Whether a session is one of the gateway.
pub fn is_gateway_session(id: &str) -> bool {
    id.starts_with(GATEWAY_SESSION_PREFIX)
}
