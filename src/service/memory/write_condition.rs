//! What a request asks of an entry beside its body: whose it is, and what must be stored.

use serde_json::{Map, Value as Json};

use super::Error;
use crate::domain::{MemoryEntry, MemoryScope};
use crate::json::{self, Fault, Limits, Node, Value};

/// What must be stored for a write to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteCondition {
    #[default]
    Anything,
    /// This version; an entry that is not there has none.
    Version(u64),
    /// The entry, whatever its version.
    Something,
    /// No entry.
    Nothing,
}

impl WriteCondition {
    pub(super) fn check(self, old: Option<&MemoryEntry>) -> Result<(), Error> {
        let version = old.map_or(0, |old| old.version);
        let holds = match self {
            Self::Anything => true,
            Self::Version(wanted) => wanted == version,
            Self::Something => old.is_some(),
            Self::Nothing => old.is_none(),
        };
        if holds { Ok(()) } else { Err(Error::Stale(version)) }
    }
}

/// The scope of a query as the `scope` of a body; none where the query names none.
pub(super) fn scope_text(scope: &MemoryScope) -> Option<String> {
    let MemoryScope { subject, session_id, agent } = scope;
    let mut given = Map::new();
    for (name, part) in [("subject", subject), ("session_id", session_id), ("agent", agent)] {
        if let Some(part) = part {
            given.insert(name.to_owned(), Json::from(&**part));
        }
    }
    (!given.is_empty()).then(|| Json::Object(given).to_string())
}

/// Puts the scope of the query into a body that has none; it is then read as the body's would be.
pub(super) fn put_scope<'a>(node: &mut Node<'a>, scope: Option<&'a str>) -> Result<(), Error> {
    let (Some(scope), Value::Object(members)) = (scope, &mut node.value) else { return Ok(()) };
    let has_own = members.iter().any(|(name, node)| name == "scope" && !node.is_null());
    if !has_own {
        members.retain(|(name, _)| name != "scope");
        members.push(("scope".into(), json::parse(scope, Limits::default())?));
    }
    Ok(())
}

/// A fault where a body names another scope than the query does.
pub(super) fn agree(query: &MemoryScope, body: &MemoryScope) -> Result<(), Error> {
    if *query == MemoryScope::default() || query == body {
        return Ok(());
    }
    let fault = Fault {
        pointer: "/scope".to_owned(),
        detail: "the query names another scope".to_owned(),
        did_you_mean: None,
    };
    Err(Error::Invalid(vec![fault]))
}
