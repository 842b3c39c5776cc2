//! Stage 3: the tools that a model gets. Tools of the list that stay, namespaces as one tool each,
//! the loader of toolkits, and after all others the tools of loaded toolkits.
//!
//! Loaded toolkits are read from the calls of the conversation, so the same messages give the same
//! tools; they are last, so that a load leaves the tools before it in their places.

mod group;
mod minifier;
mod selection;
mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::{Conversation, Message, RawJson, ToolDefinition};
use crate::pipeline::{Deadline, StopReason};
use crate::request::{LOAD_TOOLKIT, ToolOptions};

/// The tools of a compile.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// To be added after all other tools.
    pub(super) loaded: Vec<ToolDefinition>,
    /// Names of the tools of the list that do not stay.
    pub(super) removed: Vec<Arc<str>>,
    /// Tools that the list had.
    pub(super) total: usize,
    /// The text about toolkits for the model.
    pub(super) directory: Option<String>,
}

/// Leaves in the conversation the tools that a model gets, except for those after all others.
pub(super) fn run(
    conversation: &mut Conversation,
    options: &ToolOptions,
    deadline: &Deadline,
) -> Result<Output, StopReason> {
    let list = std::mem::take(&mut conversation.tools);
    let mut output = Output { total: list.len(), ..Output::default() };
    let (kept, removed) = selection::run(list, options.prune.as_ref(), deadline)?;
    output.removed = removed;
    conversation.tools = kept;
    // One without tools has nothing to call, and its schema would hold for nothing.
    let groups = options.namespaces.iter().filter(|group| !group.tools.is_empty());
    conversation.tools.extend(groups.map(group::namespace));
    if !options.toolkits.is_empty() {
        conversation.tools.push(group::loader(&options.toolkits));
        output.directory = Some(group::directory(&options.toolkits));
        output.loaded = loaded(&conversation.history, options);
    }
    for tool in conversation.tools.iter_mut().chain(&mut output.loaded) {
        // They are for choosing; no provider knows them.
        tool.extra.retain(|(key, _)| &**key != "tags");
        if options.minify
            && let Some(schema) = &tool.parameters
            && let Some(less) = minifier::schema(&tool.name, schema.as_str())
        {
            tool.parameters = Some(RawJson::new(less));
        }
    }
    Ok(output)
}

/// The tools of the toolkits that the conversation asked for, in the order in which it did.
fn loaded(history: &[Message], options: &ToolOptions) -> Vec<ToolDefinition> {
    let mut seen = BTreeSet::new();
    let mut tools = Vec::new();
    for call in history.iter().flat_map(Message::tool_calls) {
        let toolkit = (&*call.name == LOAD_TOOLKIT).then(|| toolkit_of(&call.arguments)).flatten();
        let Some(kit) = toolkit.and_then(|name| options.toolkit(&name)) else { continue };
        if seen.insert(&kit.name) {
            tools.extend(kit.tools.iter().cloned());
        }
    }
    tools
}

/// The toolkit that a call of the loader names.
pub fn toolkit_of(arguments: &str) -> Option<String> {
    let arguments = serde_json::from_str::<serde_json::Value>(arguments).ok()?;
    Some(arguments.get("toolkit_name")?.as_str()?.to_owned())
}
