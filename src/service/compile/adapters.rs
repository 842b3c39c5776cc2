//! The custom adapters that a request names.

use crate::json::Node;
use crate::request::{self, KnownAdapters};
use crate::service::{Services, StoreError, adapters};

/// What the names in `compression.adapters` mean. Where none are given, a compile goes on without
/// the store; the flag says so.
pub(crate) fn known_adapters(
    services: &Services,
    section: Option<&Node<'_>>,
) -> Result<(KnownAdapters, bool), StoreError> {
    match adapters::known(services, section) {
        Err(error) if request::given_adapters(section).is_none() => {
            tracing::warn!(%error, "adapters could not be read");
            Ok((adapters::ours(), true))
        }
        known => Ok((known?, false)),
    }
}
