//! The key `hooks`: hooks of this request alone, in addition to the registered ones, or none.

use std::sync::Arc;

use super::options::{RequestMemoryEntry, reader};

use crate::hook::{
    CheckUrl, DeliveryMode, GivenId, Hook, HookChecks, HookKind, hook_patterns, read_hook_within,
};
use crate::json::{Faults, Fields, Limits, Node, Path, Value, parse};

/// Hooks of a request.
const MAX_HOOKS: usize = 32;

/// Hooks that a request asks for.
#[derive(Debug, Clone, Default)]
pub enum HookChoice {
    /// The registered hooks.
    #[default]
    Registered,
    /// `false`: only the mandatory hooks.
    Off,
    /// These and the registered hooks.
    Inline(Vec<Arc<Hook>>),
}

impl HookChoice {
    pub(super) fn read(
        fields: &Fields<'_, '_>,
        check_url: CheckUrl<'_>,
        faults: &mut Faults,
    ) -> Self {
        let Some(node) = fields.get("hooks") else { return Self::Registered };
        match &node.value {
            Value::Bool(false) => return Self::Off,
            Value::Array(_) => {}
            _ => {
                fields.fault("hooks", "must be a list of hooks, or false", faults);
                return Self::Registered;
            }
        }
        let path = fields.path().key("hooks");
        let mut patterns = hook_patterns();
        let mut hooks: Vec<Arc<Hook>> = Vec::new();
        for (at, node) in fields.list("hooks", MAX_HOOKS, faults).iter().enumerate() {
            let made = format!("inline-{at}");
            let here = path.index(at);
            let checks = HookChecks { check_url, patterns: &mut patterns };
            let read = read_hook_within(node, here, GivenId::Made(&made), checks, faults);
            let Some(mut hook) = read else { continue };
            if hooks.iter().any(|other| other.id == hook.id) {
                faults.add(&here.key("id"), "is the id of another hook of the list");
            }
            if hook.is_mandatory() {
                let why = "is for hooks that are registered: the next request may leave this one \
                           out; register it, with `scope` for one session";
                faults.add(&here.key("mandatory"), why);
            }
            if hook.kind == HookKind::Observe {
                // An inline hook is in no registry from which it could be called later.
                if node.get("delivery").and_then(Node::as_str) == Some("async") {
                    let why =
                        "must be `sync`: observe hooks of a request are called before its response";
                    faults.add(&here.key("delivery"), why);
                }
                hook.delivery = DeliveryMode::Sync;
            }
            hooks.push(Arc::new(hook));
        }
        Self::Inline(hooks)
    }

    /// The hooks that the request brings.
    pub fn inline(&self) -> &[Arc<Hook>] {
        match self {
            Self::Inline(hooks) => hooks,
            Self::Registered | Self::Off => &[],
        }
    }
}

/// The answer of a hook at `recall_memory`.
#[derive(Debug, Clone)]
pub struct RecalledMemory {
    /// The candidates to show, in this order; `None` if the hook does not choose.
    pub keys: Option<Vec<Arc<str>>>,
    /// Further entries.
    pub entries: Vec<RequestMemoryEntry>,
}

/// Reads `{"keys"?, "entries"?}`; returns what is wrong with it if it is not valid.
pub fn read_recalled(answer: &str) -> Result<RecalledMemory, String> {
    const MAX_ITEMS: usize = 4_096;
    let node = parse(answer, Limits::default()).map_err(|error| error.to_string())?;
    let mut faults = Faults::default();
    let Some(fields) = Fields::read(&node, Path::Root, &["keys", "entries"], &mut faults) else {
        return Err("must be an object".to_owned());
    };
    let keys = fields
        .get("keys")
        .map(|_| fields.texts("keys", MAX_ITEMS, &mut faults).into_iter().map(Arc::from).collect());
    let list = fields.path().key("entries");
    let mut entries = Vec::new();
    for (index, item) in fields.list("entries", MAX_ITEMS, &mut faults).iter().enumerate() {
        let known = &["key", "value", "description"];
        if let Some(one) = Fields::read(item, list.index(index), known, &mut faults) {
            entries.extend(reader::entry(&one, index, &mut faults));
        }
    }
    match faults.into_vec().first() {
        Some(fault) => Err(format!("{}: {}", fault.pointer, fault.detail)),
        None => Ok(RecalledMemory { keys, entries }),
    }
}
