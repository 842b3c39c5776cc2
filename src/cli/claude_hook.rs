//! `contexture hook claude-code`: a `PostToolUse` hook of Claude Code, which puts a long result into its
//! short form before it enters the transcript.
//!
//! The hook gets one JSON object on standard input, with the tool's result in `tool_response`, and
//! prints one with the result to show instead in `hookSpecificOutput.updatedToolOutput`, in the same
//! shape; without output the result stays (<https://code.claude.com/docs/en/hooks#posttooluse>).
//! Before version 2.1.121 of Claude Code only results of MCP tools could be replaced, by
//! `updatedMCPToolOutput`.

use std::io::{self, IsTerminal as _, Read as _, Write as _};

use serde_json::{Value, json};

use super::CommandError;
use crate::domain::Models;
use crate::service::Services;
use crate::service::gateway;

#[derive(Debug, clap::Subcommand)]
pub(super) enum HookCommand {
    /// Put a long result of a tool into its short form, after each call
    ///
    /// Runs at the point `PostToolUse` in the settings of Claude Code.
    ///
    /// Reads the hook's JSON from standard input, and prints what the protocol asks for, or nothing
    /// if the result stays as it is. It calls no server and stores nothing.
    #[command(after_help = "\
Example, in .claude/settings.json:
  {\"hooks\": {\"PostToolUse\": [{\"matcher\": \"Bash|Grep|WebFetch|mcp__.*\",
    \"hooks\": [{\"type\": \"command\", \"command\": \"contexture hook claude-code\"}]}]}}")]
    ClaudeCode,
}

/// Runs a hook of an agent.
pub(super) fn run(command: &HookCommand) -> Result<(), CommandError> {
    let HookCommand::ClaudeCode = command;
    if io::stdin().is_terminal() {
        return Err(
            "Claude Code runs this with a call of a tool on standard input; `contexture init \
                    claude-code` writes the settings for it"
                .into(),
        );
    }
    let mut input = String::new();
    io::stdin().lock().read_to_string(&mut input)?;
    let services = Services::new(Models::built_in())?;
    // A hook that fails would stop nothing and show a line: what cannot be read stays as it is.
    let call: Value = serde_json::from_str(&input).unwrap_or_default();
    if let Some(output) = answer(&services, &call) {
        writeln!(io::stdout(), "{output}")?;
    }
    Ok(())
}

/// What the hook prints; none if the result stays.
fn answer(services: &Services, call: &Value) -> Option<Value> {
    let text = |key: &str| call.get(key).and_then(Value::as_str);
    if text("hook_event_name") != Some("PostToolUse") {
        return None;
    }
    let tool = text("tool_name").unwrap_or_default();
    let mut result = call.get("tool_response")?.clone();
    if !shorten(services, tool, &mut result) {
        return None;
    }
    let event = "PostToolUse";
    let output = if tool.starts_with("mcp__") {
        json!({"hookEventName": event, "updatedToolOutput": result, "updatedMCPToolOutput": result})
    } else {
        json!({"hookEventName": event, "updatedToolOutput": result})
    };
    Some(json!({"hookSpecificOutput": output}))
}

/// Puts the texts of a result into their short forms; returns whether any has one. All that is no long
/// text stays.
fn shorten(services: &Services, tool: &str, result: &mut Value) -> bool {
    match result {
        Value::String(text) => match gateway::short_form(services, tool, text) {
            Some(form) => {
                *text = form;
                true
            }
            None => false,
        },
        Value::Array(items) => {
            items.iter_mut().fold(false, |any, item| shorten(services, tool, item) | any)
        }
        Value::Object(members) => members
            .iter_mut()
            // Images and the like.
            .filter(|(key, _)| !["data", "base64", "source"].contains(&key.as_str()))
            .fold(false, |any, (_, member)| shorten(services, tool, member) | any),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> String {
        let row = |at: u32| json!({"id": at, "name": format!("customer {at}"), "state": "active"});
        serde_json::to_string_pretty(&(0..40).map(row).collect::<Vec<_>>()).unwrap()
    }

    fn answered(tool: &str, response: &Value) -> Option<Value> {
        let services = Services::new(Models::built_in()).unwrap();
        let call = json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": tool,
            "tool_input": {"command": "x"}, "tool_response": response});
        answer(&services, &call)
    }

    #[test]
    fn a_long_result_is_replaced_in_the_shape_that_it_has() {
        let long = rows();
        let response =
            json!({"stdout": long, "stderr": "", "interrupted": false, "isImage": false});
        let output = answered("Bash", &response).unwrap();
        let own = &output["hookSpecificOutput"];
        assert_eq!(own["hookEventName"], "PostToolUse");
        let new = &own["updatedToolOutput"];
        let stdout = new["stdout"].as_str().unwrap();
        assert!(stdout.len() * 3 < long.len() * 2, "{stdout}");
        for at in 0..40 {
            assert!(stdout.contains(&format!("customer {at}")), "{at}: {stdout}");
        }
        let keys: Vec<&String> = new.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["stdout", "stderr", "interrupted", "isImage"]);
        assert_eq!(own.get("updatedMCPToolOutput"), None);
        let list = json!([{"type": "text", "text": long}, {"type": "image", "data": long}]);
        let output = answered("mcp__db__query", &list).unwrap();
        let own = &output["hookSpecificOutput"];
        assert_eq!(own["updatedToolOutput"], own["updatedMCPToolOutput"]);
        assert_eq!(own["updatedToolOutput"][1], list[1]);
        assert_ne!(own["updatedToolOutput"][0], list[0]);
    }

    #[test]
    fn what_is_short_or_exact_by_contract_stays() {
        assert_eq!(answered("Bash", &json!({"stdout": "[1, 2]", "stderr": ""})), None);
        assert_eq!(answered("Read", &json!({"file": {"content": rows()}})), None);
        assert_eq!(answered("mcp__contexture__read_original", &json!(rows())), None);
        let services = Services::new(Models::built_in()).unwrap();
        for call in [
            json!(null),
            json!({"hook_event_name": "PreToolUse", "tool_response": rows()}),
            json!({"hook_event_name": "PostToolUse", "tool_name": "Bash"}),
        ] {
            assert_eq!(answer(&services, &call), None, "{call}");
        }
    }
}
