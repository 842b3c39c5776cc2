//! `load_toolkit`: the tools of a toolkit, from the next compile on.

use std::fmt::Write as _;

use super::Answer;
use super::check::listed;
use crate::domain::ToolCall;
use crate::pipeline::toolkit_of;
use crate::request::ToolOptions;

/// Tells a model what it has loaded. The call itself, standing in the conversation, is what makes
/// the next compile show the tools.
pub(super) fn carry_out(options: &ToolOptions, call: &ToolCall) -> Answer {
    let Some(name) = toolkit_of(&call.arguments) else {
        let reason = "load_toolkit needs `toolkit_name`, a text. Nothing was done.";
        return Answer::Refused(reason.to_owned());
    };
    let Some(kit) = options.toolkit(&name) else {
        let names = listed(options.toolkits.iter().map(|kit| &kit.name));
        return Answer::Refused(format!(
            "There is no toolkit \"{name}\"; these are there: {names}. Nothing was done."
        ));
    };
    let mut text = format!("The toolkit \"{}\" is loaded. Its tools:", kit.name);
    for tool in &kit.tools {
        let _ = write!(text, "\n- {}", tool.name);
        if let Some(description) = &tool.description {
            let _ = write!(text, ": {description}");
        }
    }
    Answer::Done(text)
}
