//! `load_toolkit`: shows the tools of a toolkit from the next compile on.

use std::fmt::Write as _;

use super::ToolAnswer;
use super::check::list_names;
use crate::domain::{ToolCall, ToolDefinition};
use crate::json::beginning;
use crate::limit::Allowance;
use crate::pipeline::toolkit_of;
use crate::request::ToolOptions;

/// Lists the loaded tools for the model. The call in the conversation is what makes the next
/// compile show the tools.
pub(super) fn carry_out(
    allowance: &Allowance,
    options: &ToolOptions,
    call: &ToolCall,
) -> ToolAnswer {
    let Some(name) = toolkit_of(&call.arguments) else {
        let reason = "load_toolkit needs `toolkit_name`, a text. Nothing was done.";
        return ToolAnswer::Refused(reason.to_owned());
    };
    let Some(kit) = options.toolkit(&name) else {
        let names = list_names(options.toolkits.iter().map(|kit| &kit.name));
        return ToolAnswer::Refused(format!(
            "There is no toolkit \"{}\"; these are there: {names}. Nothing was done.",
            beginning(&name)
        ));
    };
    let bytes = |tool: &ToolDefinition| {
        let description = tool.description.as_ref().map_or(0, |text| text.len());
        tool.name.len() + description + "\n- : ".len()
    };
    let bytes = kit.name.len() + kit.tools.iter().map(bytes).sum::<usize>();
    if allowance.take(bytes).is_err() {
        return ToolAnswer::Refused(
            "What the toolkit says is too long. Nothing was done.".to_owned(),
        );
    }
    let mut text = format!("The toolkit \"{}\" is loaded. Its tools:", kit.name);
    for tool in &kit.tools {
        let _ = write!(text, "\n- {}", tool.name);
        if let Some(description) = &tool.description {
            let _ = write!(text, ": {description}");
        }
    }
    ToolAnswer::Done(text)
}
