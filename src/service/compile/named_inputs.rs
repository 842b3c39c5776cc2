//! Looks up what a request names in the store: adapters and a skill.

use super::Error;
use crate::json::Node;
use crate::request::{self, CompileRequest, KnownAdapters};
use crate::service::{Services, StoreError, adapters, skills};

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

/// Reads the instructions of the skill, filled in with the arguments of the request.
pub(super) fn take_skill(services: &Services, request: &mut CompileRequest) -> Result<(), Error> {
    let Some(skill) = &mut request.skill else { return Ok(()) };
    let Some(wanted) = skill.wanted.take() else { return Ok(()) };
    match skills::instructions(services, &skill.name, &wanted)? {
        Ok(instructions) => {
            skill.instructions = instructions.into();
            Ok(())
        }
        Err(fault) => Err(Error::Invalid(vec![fault])),
    }
}
