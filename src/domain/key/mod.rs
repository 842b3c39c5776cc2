//! Keys: who calls, for which tenant, and what they may do.

mod scope;
mod text;

use std::sync::Arc;

pub use self::scope::{Keyword, KeywordSet, MemoryRole, PrincipalKind, Scope};
pub use self::text::{KeyHash, KeyText};
use super::Timestamp;

/// A key as it is stored, its secret aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The public part of its text.
    pub id: Arc<str>,
    pub tenant: Arc<str>,
    /// Its name, for people.
    pub name: String,
    pub kind: PrincipalKind,
    pub scopes: KeywordSet<Scope>,
    pub roles: KeywordSet<MemoryRole>,
    pub limits: KeyLimits,
    /// Keys of `/compile` with their defaults for requests that do not set them: the text of an
    /// object.
    pub defaults: Option<Arc<str>>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Limits of a key; an absent one is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeyLimits {
    pub requests_per_minute: Option<u64>,
    /// Input tokens of compiles and compressions in a day of UTC.
    pub tokens_per_day: Option<u64>,
}

/// The caller of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The key's id; none for a caller without one.
    pub key: Option<Arc<str>>,
    pub tenant: Arc<str>,
    pub kind: PrincipalKind,
    pub scopes: KeywordSet<Scope>,
    pub roles: KeywordSet<MemoryRole>,
    pub limits: KeyLimits,
    pub defaults: Option<Arc<str>>,
}

impl Principal {
    /// A caller with every right over the data of a tenant: one on a server without keys, or the
    /// server itself.
    pub fn of_tenant(tenant: Arc<str>) -> Self {
        Self {
            key: None,
            tenant,
            kind: PrincipalKind::User,
            scopes: KeywordSet::all(),
            roles: KeywordSet::all(),
            limits: KeyLimits::default(),
            defaults: None,
        }
    }

    /// Whether one of `scopes` is held.
    pub fn has_any(&self, scopes: &[Scope]) -> bool {
        scopes.iter().any(|scope| self.scopes.grants(*scope))
    }
}

impl From<Key> for Principal {
    fn from(key: Key) -> Self {
        let Key { id, tenant, kind, scopes, roles, limits, defaults, .. } = key;
        Self { key: Some(id), tenant, kind, scopes, roles, limits, defaults }
    }
}

/// A tenant, or a key of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Holder {
    tenant: Arc<str>,
    /// None for the tenant as a whole.
    key: Option<Arc<str>>,
}

impl Holder {
    /// The tenant of a caller.
    pub fn tenant_of(caller: &Principal) -> Self {
        Self { tenant: Arc::clone(&caller.tenant), key: None }
    }

    /// The key of a caller, or its tenant if it has none.
    pub fn caller(caller: &Principal) -> Self {
        Self { key: caller.key.clone(), ..Self::tenant_of(caller) }
    }
}
