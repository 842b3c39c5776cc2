//! What a turn of a session needs of a compile beside its payload.

use super::defaults::add_absent;
use super::{Error, known_adapters};
use crate::json::{self, Limits};
use crate::request::{self, MemoryOptions};
use crate::service::Services;
use crate::service::sessions::Open;

/// What memory is to a request, its session's scope included; none where it is off.
pub(in crate::service) fn memory_of(
    services: &Services,
    text: &str,
    session: &Open,
) -> Result<Option<MemoryOptions>, Error> {
    let defaults = services.caller().defaults.clone();
    let mut node = json::parse(text, Limits::default())?;
    for defaults in [session.defaults(), defaults.as_deref()] {
        defaults.map_or(Ok(()), |defaults| add_absent(&mut node, defaults))?;
    }
    let (adapters, _) = known_adapters(services, node.get("compression"))?;
    let check_url = |url: &str| services.check_hook_url(url);
    let request = request::read_compile(&node, services.models(), &adapters, &check_url);
    let request = request.map_err(Error::Invalid)?;
    Ok(request.memory.map(|mut memory| {
        memory.scope.session_id.get_or_insert_with(|| session.id.clone());
        memory
    }))
}
