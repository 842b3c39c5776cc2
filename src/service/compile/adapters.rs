//! The custom adapters that a request names.

use crate::json::Node;
use crate::request::{self, KnownAdapters};
use crate::service::{Services, StoreError, adapters};

/// Looks up the names in `compression.adapters`. If no names are given and the store cannot be
/// read, returns the built-in adapters, and true.
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
