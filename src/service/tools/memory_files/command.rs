//! The commands of the memory tool, read from the arguments of a call.

use serde_json::Value;

use super::path::FilePath;
use crate::domain::ToolCall;
use crate::service::tools::{ToolAnswer, object, text};

/// The commands by their names.
pub(crate) const MEMORY_COMMANDS: [&str; 6] =
    ["view", "create", "str_replace", "insert", "delete", "rename"];

/// A command with its arguments.
#[derive(Debug)]
pub(super) enum FileCommand {
    View { path: FilePath, range: Option<LineRange> },
    Create { path: FilePath, text: String },
    Replace { path: FilePath, old: String, new: String },
    Insert { path: FilePath, after: i64, text: String },
    Delete { path: FilePath },
    Rename { from: FilePath, to: FilePath },
}

/// Lines of a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineRange {
    pub(super) first: usize,
    /// None to the end of the file.
    pub(super) last: Option<usize>,
}

impl FileCommand {
    /// Reads a call. The refusal is for the model.
    pub(super) fn read(call: &ToolCall) -> Result<Self, ToolAnswer> {
        let arguments = object(call)?;
        let member = |key: &str| text(call, &arguments, key).map(str::to_owned);
        let path =
            |key: &str| FilePath::read(text(call, &arguments, key)?).map_err(ToolAnswer::Refused);
        let given = |key: &str| arguments.get(key).filter(|value| !value.is_null());
        Ok(match text(call, &arguments, "command")? {
            "view" => {
                let range = given("view_range").map(LineRange::read).transpose();
                Self::View { path: path("path")?, range: range.map_err(ToolAnswer::Refused)? }
            }
            "create" => Self::Create { path: path("path")?, text: member("file_text")? },
            "str_replace" => {
                let new = given("new_str").map(|_| member("new_str")).transpose()?;
                let old = member("old_str")?;
                if old.is_empty() {
                    let reason = "Error: `old_str` must not be empty. Nothing was done.";
                    return Err(ToolAnswer::Refused(reason.to_owned()));
                }
                Self::Replace { path: path("path")?, old, new: new.unwrap_or_default() }
            }
            "insert" => {
                let after = arguments.get("insert_line").and_then(Value::as_i64);
                let after = after.ok_or_else(|| {
                    let reason = "Error: memory needs `insert_line`, an integer. Nothing was done.";
                    ToolAnswer::Refused(reason.to_owned())
                })?;
                Self::Insert { path: path("path")?, after, text: member("insert_text")? }
            }
            "delete" => Self::Delete { path: path("path")? },
            "rename" => Self::Rename { from: path("old_path")?, to: path("new_path")? },
            _ => {
                let known = MEMORY_COMMANDS.join(", ");
                let reason = format!("Error: `command` must be one of {known}. Nothing was done.");
                return Err(ToolAnswer::Refused(reason));
            }
        })
    }
}

impl LineRange {
    fn read(value: &Value) -> Result<Self, String> {
        let wrong = || {
            "Error: Invalid `view_range` parameter: it must be two lines [start, end], with start from \
             1, and end not before start, or -1 for the end of the file"
                .to_owned()
        };
        let numbers: Option<Vec<i64>> =
            value.as_array().and_then(|list| list.iter().map(Value::as_i64).collect());
        let Some([first, last]) = numbers.as_deref() else { return Err(wrong()) };
        let first = usize::try_from(*first).ok().filter(|first| *first > 0).ok_or_else(wrong)?;
        let last = match last {
            -1 => None,
            last => {
                let last = usize::try_from(*last).ok().filter(|last| *last >= first);
                Some(last.ok_or_else(wrong)?)
            }
        };
        Ok(Self { first, last })
    }
}
