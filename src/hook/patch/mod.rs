//! Applies what a transform answered to the input that it saw.
//!
//! Only the payload of the point may change. Numbers keep their digits and members their order,
//! also where a patch stands beside them.

mod value;

use json_patch::{PatchOperation, jsonptr::Pointer};
use serde::Deserialize as _;
use serde_json::Value;

use super::answer::Answer;
use super::failure::{Cause, Failure};
use super::text::{self, LIMITS};
use crate::json::{Node, parse};

/// Operations of one JSON Patch: each may move every item of a list.
const MOST_OPERATIONS: usize = 1000;
/// Bytes that the `copy` operations of one patch may make.
const MOST_COPIED: usize = 4 << 20;

/// The payload at `pointer` after `answer`; none where it stays as it is. `input` is the whole
/// input, what a projection kept back included. `sent_whole`: whether the hook saw all of the
/// payload, without which it cannot give a new one.
pub(super) fn apply(
    input: &str,
    pointer: &str,
    answer: &Answer,
    sent_whole: bool,
) -> Result<Option<String>, Failure> {
    if *answer == Answer::Unchanged {
        return Ok(None);
    }
    let node = parse(input, LIMITS).map_err(|error| invalid(error.to_string()))?;
    let Some(old) = text::at(&node, pointer) else { return Ok(None) };
    let new = match answer {
        Answer::Replace(_) if !sent_whole => {
            let why = "a hook that sees only a part cannot replace the whole: answer with a patch";
            return Err(Failure::new(Cause::BadShape, why));
        }
        Answer::Replace(new) => new.to_string(),
        Answer::JsonPatch(patch) => patched(&node, pointer, patch, json_patch)?,
        Answer::MergePatch(patch) => patched(&node, pointer, patch, |document, patch| {
            json_patch::merge(document, patch);
            Ok(())
        })?,
        _ => return Ok(None),
    };
    Ok((new != old.raw).then_some(new))
}

fn patched(
    input: &Node<'_>,
    pointer: &str,
    patch: &str,
    change: impl Fn(&mut Value, &Value) -> Result<(), Failure>,
) -> Result<String, Failure> {
    let patch = parse(patch, LIMITS).map_err(|error| invalid(error.to_string()))?;
    let before = value::of(input);
    let mut after = before.clone();
    change(&mut after, &value::of(&patch))?;
    let gone = || Failure::new(Cause::PatchConflict, format!("`{pointer}` is gone"));
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

fn json_patch(document: &mut Value, patch: &Value) -> Result<(), Failure> {
    let conflict = |why: String| Failure::new(Cause::PatchConflict, why);
    let patch = json_patch::Patch::deserialize(patch)
        .map_err(|_| Failure::new(Cause::BadShape, "`patch` is no list of RFC 6902 operations"))?;
    if patch.len() > MOST_OPERATIONS {
        return Err(conflict(format!("a patch may hold {MOST_OPERATIONS} operations")));
    }
    let mut room = MOST_COPIED;
    for (index, operation) in patch.0.into_iter().enumerate() {
        if let PatchOperation::Copy(copy) = &operation {
            // Copies of copies would double with each operation.
            let bytes = size_at(document, &copy.from);
            room = room.checked_sub(bytes).ok_or_else(|| {
                conflict(format!("operation {index}: copies of more than {MOST_COPIED} bytes"))
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

fn invalid(why: impl Into<std::sync::Arc<str>>) -> Failure {
    Failure::new(Cause::InvalidPayload, why)
}

#[cfg(test)]
mod tests;
