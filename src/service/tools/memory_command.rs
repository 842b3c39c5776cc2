//! Reads calls of the memory tools, and checks their keys against the allow-list.

use std::sync::Arc;

use super::check::list_names;
use super::{MemoryRights, ToolAnswer, object, text};
use crate::domain::{MemoryEntry, MemoryScope, MemoryStatus, RawJson, ToolCall, word_of};
use crate::json::beginning;
use crate::pipeline::CREATE_MEMORY;
use crate::request::{MemoryWriteAccess, check_memory_text, is_memory_key};
use crate::service::StoreError;
use crate::service::memory::entry_in_sight;
use crate::store::Tx;

/// The operation of a memory call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryOp {
    Create,
    Update,
    Delete,
}

/// A parsed call of a memory tool.
#[derive(Debug)]
pub(super) struct MemoryCommand {
    pub(super) op: MemoryOp,
    pub(super) key: Arc<str>,
    pub(super) value: RawJson,
    pub(super) description: Option<Arc<str>>,
}

impl MemoryCommand {
    pub(super) fn read(call: &ToolCall) -> Result<Self, ToolAnswer> {
        let arguments = object(call)?;
        let op = if &*call.name == CREATE_MEMORY {
            MemoryOp::Create
        } else {
            match text(call, &arguments, "action")? {
                "update" => MemoryOp::Update,
                "delete" => MemoryOp::Delete,
                _ => {
                    let reason = "`action` must be `update` or `delete`. Nothing was done.";
                    return Err(ToolAnswer::Refused(reason.to_owned()));
                }
            }
        };
        let key = text(call, &arguments, "key")?;
        if !is_memory_key(key) {
            let key = beginning(key);
            return Err(ToolAnswer::Refused(format!(
                "\"{key}\" cannot be a key. Nothing was done."
            )));
        }
        let value = if op == MemoryOp::Delete { "" } else { text(call, &arguments, "value")? };
        let description = arguments.get("description").and_then(serde_json::Value::as_str);
        if let Some(fault) = check_memory_text(value, description) {
            return Err(ToolAnswer::Refused(format!("{fault}. Nothing was done.")));
        }
        // Serialising a text cannot fail.
        let value = RawJson::new(serde_json::to_string(value).unwrap_or_default());
        Ok(Self { op, key: key.into(), value, description: description.map(Into::into) })
    }
}

/// A refusal of a write, before any hook is asked.
pub(super) struct WriteRefusal {
    /// The reason in the event; no event is published of an entry that does not exist.
    pub(super) reason: Option<&'static str>,
    pub(super) answer: ToolAnswer,
}

impl WriteRefusal {
    fn new(reason: &'static str, text: impl Into<String>) -> Self {
        Self { reason: Some(reason), answer: ToolAnswer::Refused(text.into()) }
    }

    pub(super) fn not_found(key: &str) -> Self {
        let text = format!("Nothing is remembered under \"{key}\".");
        Self { reason: None, answer: ToolAnswer::Refused(text) }
    }
}

/// Refuses a key that may not be written.
pub(super) fn check_key(rights: &MemoryRights, key: &str) -> Result<(), WriteRefusal> {
    if rights.access == MemoryWriteAccess::Off {
        return Err(WriteRefusal::new("write_off", "Memory may not be written here."));
    }
    let Some(allowed) = &rights.allowed_keys else { return Ok(()) };
    if allowed.iter().any(|known| **known == *key) {
        return Ok(());
    }
    let (key, list) = (beginning(key), list_names(allowed.iter()));
    let text = format!("\"{key}\" may not be written; these keys may: {list}.");
    Err(WriteRefusal::new("key_not_allowed", text))
}

/// The entry that a call writes.
#[derive(Debug)]
pub(super) struct WriteTarget {
    pub(super) scope: MemoryScope,
    /// The entry as it is; none if it is new.
    pub(super) old: Option<MemoryEntry>,
}

/// Finds the entry that a call writes: a new entry is created in the scope that the model writes to,
/// an existing entry is changed where it is. Retracted entries do not exist for a model.
pub(super) fn find_target(
    tx: &Tx<'_>,
    rights: &MemoryRights,
    command: &MemoryCommand,
) -> Result<Result<WriteTarget, WriteRefusal>, StoreError> {
    let key = &command.key;
    if command.op == MemoryOp::Create {
        let scope = rights.written.clone();
        let old = tx.memory(&scope, key)?;
        return Ok(match old {
            Some(old) if !old.status.is_recalled() => {
                let status = word_of(MemoryStatus::WORDS, old.status);
                let text =
                    format!("\"{key}\" is {status} and may not be written. Nothing was done.");
                Err(WriteRefusal::new("not_current", text))
            }
            old => Ok(WriteTarget { scope, old }),
        });
    }
    let Some(entry) = entry_in_sight(tx, &rights.visible, key)? else {
        return Ok(Err(WriteRefusal::not_found(key)));
    };
    let is_own = entry.status == MemoryStatus::Captured
        || !rights.written.is_narrower_than(&entry.scope)
        || rights.access == MemoryWriteAccess::Shared;
    if !is_own {
        let text = format!(
            "\"{key}\" is shared beyond this conversation and may not be changed in it. Nothing was \
             done."
        );
        return Ok(Err(WriteRefusal::new("shared_entry", text)));
    }
    Ok(Ok(WriteTarget { scope: entry.scope.clone(), old: Some(entry) }))
}
