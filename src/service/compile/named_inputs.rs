//! Reads a request with what it names in the store: adapters and a skill.

use std::sync::Arc;

use super::Error;
use super::pack_faults::with_pack_faults;
use crate::json::Node;
use crate::pipeline::{Timings, timed};
use crate::request::{self, CompileRequest, KnownAdapters};
use crate::service::{Services, StoreError, adapters, skills};

/// Reads a request, with the adapters and the skill that it names.
pub(super) fn read_request(
    services: &Services,
    node: &Node<'_>,
    timings: &mut Timings,
) -> Result<(CompileRequest, Arc<KnownAdapters>), Error> {
    let section = node.get("compression");
    let (adapters, unread) = timed(&mut timings.store, || known_adapters(services, section))?;
    let mut request = timed(&mut timings.parse, || {
        let check_url = |url: &str| services.check_hook_url(url);
        request::read_compile(node, services.models(), &adapters, &check_url)
    })
    .map_err(|faults| Error::Invalid(with_pack_faults(services, node, faults)))?;
    if unread {
        let detail = "the store cannot be read: built-in adapters replace stored ones";
        request.notes.degraded("adapters_unread", String::new(), detail);
    }
    timed(&mut timings.store, || take_skill(services, &mut request))?;
    Ok((request, adapters))
}

/// Looks up the names in `compression.adapters`. If no names are given and the store cannot be
/// read, returns the built-in adapters, and true.
pub(crate) fn known_adapters(
    services: &Services,
    section: Option<&Node<'_>>,
) -> Result<(Arc<KnownAdapters>, bool), StoreError> {
    match adapters::look_up(services, section) {
        Err(error) if request::given_adapters(section).is_none() => {
            tracing::warn!(
                %error,
                "stored adapters could not be read; the compile uses the built-in ones"
            );
            Ok((adapters::built_in(), true))
        }
        known => Ok((known?, false)),
    }
}

/// Reads the instructions of the skill, filled in with the arguments of the request.
fn take_skill(services: &Services, request: &mut CompileRequest) -> Result<(), Error> {
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
