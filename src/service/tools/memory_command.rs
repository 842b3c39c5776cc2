//! Reads calls of the memory tools, and checks their keys against the allow-list.

use std::sync::Arc;

use super::check::list_names;
use super::{MemoryRights, ToolAnswer, object, text};
use crate::domain::{RawJson, ToolCall};
use crate::json::beginning;
use crate::pipeline::CREATE_MEMORY;
use crate::request::{check_memory_text, is_memory_key};

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

/// Refuses a key that is not in the allow-list.
pub(super) fn refuse_key(rights: &MemoryRights, key: &str) -> Option<ToolAnswer> {
    let allowed = rights.allowed_keys.as_ref()?;
    if allowed.iter().any(|known| **known == *key) {
        return None;
    }
    let (key, list) = (beginning(key), list_names(allowed.iter()));
    Some(ToolAnswer::Refused(format!("\"{key}\" may not be written; these keys may: {list}.")))
}
