//! Options that a turn reads before its payload is compiled.

use std::sync::Arc;

use crate::json::Node;
use crate::request::{self, MemoryOptions};
use crate::service::Services;
use crate::service::compile::{Error, known_adapters, require_scope_for_urls};
use crate::service::defaults::add_absent;
use crate::service::sessions::SessionHandle;
use crate::service::tools::{JudgedTools, MemoryLimits};

/// Options for judging and handling the calls of a turn.
#[derive(Debug, Default)]
pub(super) struct TurnOptions {
    /// Memory options; none if memory is off.
    pub(super) memory: Option<MemoryOptions>,
    /// What the defaults of the session and the key allow the calls to write.
    pub(super) limits: MemoryLimits,
    pub(super) tools: JudgedTools,
}

/// Reads the options from a turn's request, which has no messages yet, and from the defaults of its
/// session and key.
pub(super) fn turn_options(
    services: &Services,
    node: Node<'_>,
    session: &SessionHandle,
) -> Result<TurnOptions, Error> {
    let defaults = services.caller().defaults.clone();
    // A new binding, since a node with defaults lives no longer than the defaults.
    let mut node = node;
    require_scope_for_urls(services, &node)?;
    for defaults in [session.defaults(), defaults.as_deref()] {
        defaults.map_or(Ok(()), |defaults| add_absent(&mut node, defaults))?;
    }
    let (adapters, _) = known_adapters(services, node.get("compression"))?;
    let check_url = |url: &str| services.check_hook_url(url);
    let request = request::read_compile_options(&node, services.models(), &adapters, &check_url);
    let request = request.map_err(Error::Invalid)?;
    let is_complete = node.get("tools").is_some_and(|tools| !tools.is_null());
    let (list, options) = (request.conversation.tools, request.tools);
    let tools = JudgedTools { list, options, is_complete, ..JudgedTools::default() };
    let own = session.defaults().map(Arc::from);
    let defaults: Vec<Arc<str>> =
        own.into_iter().chain(services.caller().defaults.clone()).collect();
    let limits = MemoryLimits::read(&defaults)?;
    Ok(TurnOptions { memory: request.memory, limits, tools })
}
