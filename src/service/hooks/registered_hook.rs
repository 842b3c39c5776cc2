//! Writes a hook as callers see it.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::domain::Timestamp;
use crate::hook::{Endpoint, Hook, HookAction, HookSecret};
use crate::json::write_string;
use crate::store::{HookQueue, HookRow};

/// Shown instead of the URL of an operator's hook, which may contain secrets.
const HIDDEN: &str = "(hidden)";

/// A registered hook, or a hook of the operator's file.
#[derive(Debug, Clone)]
pub struct RegisteredHook {
    pub hook: Arc<Hook>,
    /// None for a hook of the file.
    pub stored: Option<StoredHook>,
    /// Whether its circuit is open, so that it is not called for a while.
    pub is_open: bool,
    /// Its queued calls, of this tenant.
    pub queue: HookQueue,
}

/// Data of a stored hook besides its definition.
#[derive(Debug, Clone)]
pub struct StoredHook {
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub disabled: Option<Arc<str>>,
    pub failing_since: Option<Timestamp>,
}

impl RegisteredHook {
    pub(super) fn of_file(hook: &Arc<Hook>, is_open: bool, queue: HookQueue) -> Self {
        Self { hook: Arc::clone(hook), stored: None, is_open, queue }
    }

    pub(super) fn of_row(hook: Hook, row: &HookRow, is_open: bool, queue: HookQueue) -> Self {
        let stored = StoredHook {
            created_at: row.created_at,
            updated_at: row.updated_at,
            disabled: row.disabled.clone(),
            failing_since: row.failing_since,
        };
        Self { hook: Arc::new(hook), stored: Some(stored), is_open, queue }
    }

    /// The version of the hook, for `If-Match`.
    pub fn revision(&self) -> u64 {
        self.hook.revision
    }

    /// Writes the hook as JSON; `secret` is included if it was just created.
    pub fn write(&self, secret: Option<&HookSecret>) -> String {
        let mut out = match &self.stored {
            Some(_) => self.hook.write_shown(),
            None => without_address(&self.hook).write_shown(),
        };
        out.pop();
        out.push_str(",\"source\":");
        write_string(&mut out, if self.stored.is_some() { "api" } else { "file" });
        out.push_str(",\"circuit\":");
        write_string(&mut out, if self.is_open { "open" } else { "closed" });
        let HookQueue { queued, lost } = self.queue;
        let _ = write!(out, ",\"queue\":{{\"queued\":{queued},\"lost\":{lost}}}");
        if let Some(stored) = &self.stored {
            write_member(&mut out, "disabled_because", stored.disabled.as_deref());
            let since = stored.failing_since.map(|since| since.to_string());
            write_member(&mut out, "failing_since", since.as_deref());
            write_member(&mut out, "created_at", Some(&stored.created_at.to_string()));
            write_member(&mut out, "updated_at", Some(&stored.updated_at.to_string()));
        }
        if let Some(secret) = secret {
            write_member(&mut out, "secret", Some(&secret.reveal()));
        }
        out.push('}');
        out
    }
}

fn write_member(out: &mut String, name: &str, value: Option<&str>) {
    out.push(',');
    write_string(out, name);
    out.push(':');
    match value {
        Some(value) => write_string(out, value),
        None => out.push_str("null"),
    }
}

fn without_address(hook: &Hook) -> Hook {
    let mut hook = hook.clone();
    if let HookAction::Call(endpoint) = &mut hook.does {
        *endpoint = Endpoint { url: HIDDEN.into(), ..endpoint.clone() };
    }
    hook
}
