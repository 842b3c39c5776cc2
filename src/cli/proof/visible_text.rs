//! Extracts the text that a model reads from messages in any provider's format.

use serde_json::Value;

use crate::service::expansion;

/// Keys whose values are not text for the model.
const HIDDEN_KEYS: [&str; 14] = [
    "role",
    "type",
    "id",
    "tool_use_id",
    "tool_call_id",
    "call_id",
    "cache_control",
    "signature",
    "thoughtSignature",
    "encrypted_content",
    "data",
    "media_type",
    "mimeType",
    "image_url",
];

/// Joins all texts of a list, each on lines of its own and in normal form.
pub(super) fn join_texts(items: &[Value]) -> String {
    let mut text = String::new();
    for item in items {
        visit_texts(item, &mut |part| {
            for line in part.split('\n') {
                text.push_str(&expansion::normal(line));
                text.push('\n');
            }
        });
    }
    text
}

/// Visits every text for the model within a value.
pub(super) fn visit_texts(value: &Value, visit: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| visit_texts(item, visit)),
        Value::Object(members) => {
            let visible = members.iter().filter(|(key, _)| !HIDDEN_KEYS.contains(&key.as_str()));
            visible.for_each(|(_, value)| visit_texts(value, visit));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Checks whether a message contains the result of a tool. A text that is not in a message counts
/// too.
pub(super) fn has_tool_result(item: &Value) -> bool {
    let word = |value: &Value, key: &str| {
        value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let is_result = |part: &Value| {
        word(part, "type") == "tool_result"
            || part.get("functionResponse").is_some()
            || part.get("function_response").is_some()
    };
    let parts = ["content", "parts"].into_iter().filter_map(|key| item.get(key)?.as_array());
    item.is_string()
        || matches!(word(item, "role").as_str(), "tool" | "function")
        || word(item, "type").ends_with("_output")
        || parts.flatten().any(is_result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn results_are_seen_in_every_shape() {
        for item in [
            json!("a log"),
            json!({"role": "tool", "content": "x"}),
            json!({"role": "user", "content": [{"type": "tool_result", "content": "x"}]}),
            json!({"role": "user", "parts": [{"functionResponse": {"response": {}}}]}),
            json!({"type": "function_call_output", "output": "x"}),
        ] {
            assert!(has_tool_result(&item), "{item}");
        }
        assert!(!has_tool_result(&json!({"role": "user", "content": "x"})));
    }

    #[test]
    fn texts_leave_out_names_of_things() {
        let item = json!({"role": "user", "content": [{"type": "text", "text": "a \n"}, {"b": 1}]});
        assert_eq!(join_texts(&[item]), "a\n\n");
    }
}
