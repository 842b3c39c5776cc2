//! The memory entries that calls of the model name.

use std::sync::Arc;

use super::memory_files::FilePath;
use super::object;
use crate::domain::{MEMORY_TOOL, ToolCall};
use crate::pipeline::{CREATE_MEMORY, MODIFY_MEMORY};

/// The keys of the entries that a call of a memory tool names, also if the call was refused; none of
/// a call of another tool.
pub(crate) fn named_keys(call: &ToolCall) -> Vec<Arc<str>> {
    let members: &[&str] = match &*call.name {
        CREATE_MEMORY | MODIFY_MEMORY => &["key"],
        MEMORY_TOOL => &["path", "old_path", "new_path"],
        _ => return Vec::new(),
    };
    let Ok(arguments) = object(call) else { return Vec::new() };
    let texts = members.iter().filter_map(|name| arguments.get(name)?.as_str());
    let key = |text: &str| match &*call.name {
        MEMORY_TOOL => FilePath::read(text).ok().map(|path| path.key),
        _ => Some(text.into()),
    };
    texts.filter_map(key).collect()
}
