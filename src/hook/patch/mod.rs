//! Applies the answer of a transform to its input.
//!
//! Only the payload of the point may change. Numbers keep their digits and members their order,
//! even next to a patched member.

mod value;

use json_patch::{PatchOperation, jsonptr::Pointer};
use serde::Deserialize as _;
use serde_json::Value;

use super::answer::HookAnswer;
use super::failure::{CallFailure, FailureCause};
use super::text::{self, LIMITS};
use crate::json::{Node, parse};

/// Operations of one JSON Patch: each may move every item of a list.
const MAX_OPERATIONS: usize = 1000;
/// Bytes that the `copy` operations of one patch may make.
const MAX_COPIED_BYTES: usize = 4 << 20;

/// The payload at `pointer` after `answer`; `None` if it stays as it is. `input` is the whole
/// input, with the members that a projection withheld. `sent_whole`: whether the hook saw all of
/// the payload, without which it cannot replace it.
pub(super) fn apply(
    input: &str,
    pointer: &str,
    answer: &HookAnswer,
    sent_whole: bool,
) -> Result<Option<String>, CallFailure> {
    if *answer == HookAnswer::Unchanged {
        return Ok(None);
    }
    let node = parse(input, LIMITS).map_err(|error| invalid(error.to_string()))?;
    let Some(old) = text::value_at(&node, pointer) else { return Ok(None) };
    let new = match answer {
        HookAnswer::Replace(_) if !sent_whole => {
            let why = "a hook that sees only a part cannot replace the whole: answer with a patch";
            return Err(CallFailure::new(FailureCause::BadShape, why));
        }
        HookAnswer::Replace(new) => new.to_string(),
        HookAnswer::JsonPatch(patch) => apply_patch(&node, pointer, patch, json_patch)?,
        HookAnswer::MergePatch(patch) => apply_patch(&node, pointer, patch, |document, patch| {
            json_patch::merge(document, patch);
            Ok(())
        })?,
        _ => return Ok(None),
    };
    Ok((new != old.raw).then_some(new))
}

fn apply_patch(
    input: &Node<'_>,
    pointer: &str,
    patch: &str,
    change: impl Fn(&mut Value, &Value) -> Result<(), CallFailure>,
) -> Result<String, CallFailure> {
    let patch = parse(patch, LIMITS).map_err(|error| invalid(error.to_string()))?;
    let before = value::from_node(input);
    let mut after = before.clone();
    change(&mut after, &value::from_node(&patch))?;
    let gone = || CallFailure::new(FailureCause::PatchConflict, format!("`{pointer}` is gone"));
    let new = after.pointer_mut(pointer).map(Value::take).ok_or_else(gone)?;
    let old = before.pointer(pointer).ok_or_else(gone)?;
    // With the old payload back in its place all must be as it was.
    if let Some(place) = after.pointer_mut(pointer) {
        place.clone_from(old);
    }
    if after != before {
        return Err(invalid(format!("only `{pointer}` may change")));
    }
    Ok(value::write(&value::in_order_of(new, old)))
}

fn json_patch(document: &mut Value, patch: &Value) -> Result<(), CallFailure> {
    let conflict = |why: String| CallFailure::new(FailureCause::PatchConflict, why);
    let patch = json_patch::Patch::deserialize(patch).map_err(|_| {
        CallFailure::new(FailureCause::BadShape, "`patch` is no list of RFC 6902 operations")
    })?;
    if patch.len() > MAX_OPERATIONS {
        return Err(conflict(format!("a patch may hold {MAX_OPERATIONS} operations")));
    }
    let mut room = MAX_COPIED_BYTES;
    for (index, operation) in patch.0.into_iter().enumerate() {
        if let PatchOperation::Copy(copy) = &operation {
            // Copies of copies would double with each operation.
            let bytes = size_at(document, &copy.from);
            room = room.checked_sub(bytes).ok_or_else(|| {
                conflict(format!("operation {index}: copies of more than {MAX_COPIED_BYTES} bytes"))
            })?;
        }
        json_patch::patch(document, &[operation])
            .map_err(|error| conflict(format!("operation {index}: {}", error.kind)))?;
    }
    Ok(())
}

fn size_at(document: &Value, pointer: &Pointer) -> usize {
    document.pointer(pointer.as_str()).map_or(0, |value| value.to_string().len())
}

fn invalid(why: impl Into<std::sync::Arc<str>>) -> CallFailure {
    CallFailure::new(FailureCause::InvalidPayload, why)
}

#[cfg(test)]
mod tests;
