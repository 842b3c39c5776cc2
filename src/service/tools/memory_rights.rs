//! The memory that a model may write.

use std::sync::Arc;

use crate::domain::{MemoryScope, MemoryTtl, ToolDefinition};
use crate::json::{self, Limits, Node};
use crate::pipeline::{CREATE_MEMORY, MODIFY_MEMORY};
use crate::request::{CallsRequest, MemoryOptions, MemoryScopes, MemoryWriteAccess};

/// The memory that the calls of a model may write.
#[derive(Debug, Clone)]
pub(crate) struct MemoryRights {
    /// The scope of the entries that the model sees.
    pub(super) visible: MemoryScope,
    /// The scope of the entries that it creates.
    pub(super) written: MemoryScope,
    pub(super) access: MemoryWriteAccess,
    /// Keys that may be written; without a list, any key.
    pub(super) allowed_keys: Option<Vec<Arc<str>>>,
    /// When entries that it creates expire.
    pub(super) ttl: Option<MemoryTtl>,
}

/// Memory options in the defaults of a session and a key. A request can narrow what they allow to
/// be written, and cannot widen it.
#[derive(Debug, Default)]
pub(crate) struct MemoryLimits {
    /// The least of what `write` allows in them, if it is given.
    access: Option<MemoryWriteAccess>,
    allowed_keys: Option<Vec<Arc<str>>>,
    /// The scope that is written to if the request names none.
    scope: Option<MemoryScope>,
    ttl: Option<MemoryTtl>,
}

impl MemoryLimits {
    /// Reads `memory` in defaults, those of the session first.
    pub(crate) fn read(defaults: &[Node<'_>]) -> Self {
        let mut limits = Self::default();
        let mut is_first = true;
        for node in defaults {
            let Some(memory) = node.get("memory") else { continue };
            let Some(options) = MemoryOptions::of_defaults(node) else { continue };
            if memory.get("write").is_some_and(is_given) {
                let known = limits.access.unwrap_or(options.write);
                limits.access = Some(known.min(options.write));
            }
            narrow(&mut limits.allowed_keys, options.allowed_keys);
            if is_first {
                let names_scope = memory.get("scope").is_some_and(is_given);
                limits.scope = names_scope.then_some(options.write_scope);
                limits.ttl = options.ttl;
                is_first = false;
            }
        }
        limits
    }
}

fn is_given(node: &Node<'_>) -> bool {
    !node.is_null()
}

impl MemoryRights {
    /// The rights of the calls of `POST /tools/calls`.
    pub(super) fn of_calls(request: &CallsRequest<'_>, limits: &MemoryLimits) -> Self {
        let named = request.scope.clone().or_else(|| limits.scope.clone());
        let mut rights = Self::new(MemoryScopes::new(named, request.session_id.clone()), limits);
        narrow(&mut rights.allowed_keys, request.allowed_keys.clone());
        narrow(&mut rights.allowed_keys, keys_in_tools(&request.tools));
        rights
    }

    /// The rights of calls in a scope that they do not choose.
    pub(super) fn of_scope(scope: MemoryScope, limits: &MemoryLimits) -> Self {
        Self::new(MemoryScopes::new(Some(scope), None), limits)
    }

    /// The rights of calls in a session whose request has no memory options.
    pub(crate) fn of_session(session: Arc<str>, limits: &MemoryLimits) -> Self {
        Self::new(MemoryScopes::new(limits.scope.clone(), Some(session)), limits)
    }

    /// The rights of the calls of a turn.
    pub(crate) fn of_turn(options: MemoryOptions, limits: &MemoryLimits) -> Self {
        let scopes = MemoryScopes { visible: options.scope, written: options.write_scope };
        let mut rights = Self::new(scopes, limits);
        rights.access = limits.access.unwrap_or(options.write).min(options.write);
        rights.ttl = options.ttl;
        narrow(&mut rights.allowed_keys, options.allowed_keys);
        rights
    }

    fn new(scopes: MemoryScopes, limits: &MemoryLimits) -> Self {
        let MemoryScopes { visible, written } = scopes;
        // Turns are those of a session.
        let counts =
            |ttl: &MemoryTtl| matches!(ttl, MemoryTtl::Seconds(_)) || written.session_id.is_some();
        let ttl = limits.ttl.filter(counts);
        let allowed_keys = limits.allowed_keys.clone();
        let access = limits.access.unwrap_or_default();
        Self { visible, written, access, allowed_keys, ttl }
    }

    /// The session and the agent of the hooks that are called about the calls.
    pub(super) fn hook_scope(&self, session: Option<Arc<str>>) -> MemoryScope {
        let session_id = session.or_else(|| self.visible.session_id.clone());
        MemoryScope { session_id, ..self.visible.clone() }
    }
}

/// Removes the keys that a further list does not have.
fn narrow(allowed: &mut Option<Vec<Arc<str>>>, further: Option<Vec<Arc<str>>>) {
    let Some(further) = further else { return };
    match allowed {
        Some(allowed) => allowed.retain(|key| further.contains(key)),
        None => *allowed = Some(further),
    }
}

/// The keys that the memory tools of a payload offer to the model: the `enum` of their `key`.
fn keys_in_tools(tools: &[ToolDefinition]) -> Option<Vec<Arc<str>>> {
    let mut allowed = None;
    let ours = tools.iter().filter(|tool| [CREATE_MEMORY, MODIFY_MEMORY].contains(&&*tool.name));
    for tool in ours {
        let schema = tool.parameters.as_ref();
        let schema = schema.and_then(|raw| json::parse(raw.as_str(), Limits::default()).ok());
        let key = schema.as_ref().and_then(|schema| schema.get("properties")?.get("key"));
        let offered = key.and_then(|key| key.get("enum")?.as_array());
        let offered = offered.map(|list| list.iter().filter_map(Node::as_str).map(Into::into));
        narrow(&mut allowed, offered.map(Iterator::collect));
    }
    allowed
}
