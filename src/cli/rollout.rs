//! Reads a log of Codex: lines with the items of the Responses API in them, between lines about the
//! session, its events and its settings.

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::members::OrderedMembers;

/// A line. Logs of earlier versions have the item itself, without an envelope.
#[derive(Deserialize)]
struct RolloutLine<'l> {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    payload: Option<&'l RawValue>,
    timestamp: Option<&'l RawValue>,
    record_type: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct RolloutItem {
    #[serde(rename = "type")]
    kind: String,
}

/// Items that earlier versions write without an envelope.
const BARE_KINDS: [&str; 9] = [
    "custom_tool_call",
    "custom_tool_call_output",
    "function_call",
    "function_call_output",
    "local_shell_call",
    "local_shell_call_output",
    "message",
    "reasoning",
    "web_search_call",
];

/// Reads the items of a log; `None` if a line has another format.
pub(super) fn read_rollout(lines: &[(usize, &str)]) -> Option<OrderedMembers> {
    let mut items: Vec<Box<RawValue>> = Vec::new();
    for (index, (_, line)) in lines.iter().enumerate() {
        let RolloutLine { kind, payload, timestamp, record_type } =
            serde_json::from_str(line).ok()?;
        match (kind.as_deref(), payload) {
            (Some("response_item"), Some(payload)) => {
                let item: RolloutItem = serde_json::from_str(payload.get()).ok()?;
                if is_sent(&item.kind) {
                    items.push(payload.to_owned());
                }
            }
            (Some(_), Some(_)) if timestamp.is_some() => {}
            (Some(kind), None) if BARE_KINDS.contains(&kind) => {
                items.push(RawValue::from_string((*line).to_owned()).ok()?);
            }
            // The first line of earlier versions is about the session.
            (None, None) if record_type.is_some() || (index == 0 && timestamp.is_some()) => {}
            _ => return None,
        }
    }
    if items.is_empty() {
        return None;
    }
    Some(OrderedMembers::new("input", to_raw_value(&items).ok()?))
}

/// Whether an item is part of what the model gets: snapshots of the folder are not.
fn is_sent(kind: &str) -> bool {
    !matches!(kind, "ghost_snapshot" | "other")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Option<String> {
        let lines: Vec<_> = lines.iter().map(|line| (1, *line)).collect();
        read_rollout(&lines).map(|read| read.get("input").unwrap().get().to_owned())
    }

    #[test]
    fn items_are_read_and_the_rest_is_left_out() {
        let log = [
            r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s"}}"#,
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}}"#,
            r#"{"timestamp":"t","type":"event_msg","payload":{"type":"user_message","message":"go"}}"#,
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"ghost_snapshot","ghost_commit":{}}}"#,
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}}"#,
        ];
        let wanted = concat!(
            r#"[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},"#,
            r#"{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}]"#
        );
        assert_eq!(read(&log).as_deref(), Some(wanted));
    }

    #[test]
    fn items_without_an_envelope_are_read() {
        let log = [
            r#"{"id":"s","timestamp":"2025-07-01T00:00:00Z","instructions":null}"#,
            r#"{"record_type":"state"}"#,
            r#"{"type":"message","role":"user","content":[]}"#,
        ];
        assert_eq!(
            read(&log).as_deref(),
            Some(r#"[{"type":"message","role":"user","content":[]}]"#)
        );
    }

    #[test]
    fn other_lines_are_not_a_rollout() {
        for log in [
            &[r#"{"timestamp":"t","level":"info"}"#, r#"{"timestamp":"t","level":"warn"}"#][..],
            &[r#"{"timestamp":"t","type":"session_meta","payload":{}}"#],
            &[r#"{"type":"user","message":{"role":"user","content":"go"}}"#],
            &[r#"{"type":"order","payload":{"id":1}}"#],
        ] {
            assert_eq!(read(log), None, "{log:?}");
        }
    }
}
