//! What an event says, in words. The members are those of `docs/events.md`.

use std::fmt::Write as _;

use serde_json::Value;

use crate::domain::{counted, counted_as, group_digits};

/// Describes an event in one line. A type that is not known is shown with its data.
pub(super) fn describe(kind: &str, data: &Value) -> String {
    let event = EventData(data);
    match kind {
        "compile:start" => format!("for {}", event.model()),
        "compile:done" => event.compile(),
        "compile:failed" => {
            format!("{}, after {} ms", event.text("code"), event.number("duration_ms"))
        }
        "gateway:request" => event.gateway_request(),
        "compress" => format!("the history shrank: {}", event.tokens()),
        "context:injected" => event.injected(),
        "memory:changed" | "memory:expired" => event.memory(),
        "memory:denied" => {
            format!("{} may not be written: {}", event.text("key"), event.text("reason"))
        }
        "tool:denied" => {
            let (tool, hook) = (event.text("tool"), event.text("hook"));
            format!("{tool}, by the hook {hook}: {}", event.text("code"))
        }
        "hook:failed" => {
            let (hook, point) = (event.text("hook"), event.text("point"));
            format!("{hook} at {point}: {}", event.text("cause"))
        }
        "hook:denied" => {
            let (hook, point) = (event.text("hook"), event.text("point"));
            format!("{hook} at {point}: {}", event.text("code"))
        }
        "hook:disabled" => {
            format!("{}, because it is {}", event.text("hook"), event.text("because"))
        }
        "hook:lost" => {
            format!("{} of {}", counted(event.number("count"), "call"), event.text("hook"))
        }
        "delegation:recorded" => {
            format!("to {}: {}", event.text("agent_name"), event.text("status"))
        }
        "session:switched" => {
            format!("to {}, {}", event.text("new_session_id"), event.text("reason"))
        }
        "cache:expiring" => {
            let tokens = counted(event.number("prefix_tokens"), "token");
            format!("{tokens} of {}, until {}", event.text("model"), event.text("expires_at"))
        }
        "stream:gap" => {
            format!("events {} to {} are no longer kept", event.number("from"), event.number("to"))
        }
        "stream:overflow" => {
            format!("this reader is {} behind", counted(event.number("behind"), "event"))
        }
        _ => data.to_string(),
    }
}

struct EventData<'d>(&'d Value);

impl EventData<'_> {
    fn text(&self, key: &str) -> &str {
        self.0.get(key).and_then(Value::as_str).unwrap_or("?")
    }

    fn number(&self, key: &str) -> u64 {
        self.0.get(key).and_then(Value::as_u64).unwrap_or(0)
    }

    fn is(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The model, or the shape of a request without one.
    fn model(&self) -> &str {
        let names = ["model", "target"];
        names.iter().find_map(|key| self.0.get(key)?.as_str()).unwrap_or("no model")
    }

    fn tokens(&self) -> String {
        let (before, after) = (self.number("tokens_before"), self.number("tokens_after"));
        if before == after {
            return counted(after, "token");
        }
        format!("{} → {}", group_digits(before), counted(after, "token"))
    }

    /// The price of a payload, if it is known.
    fn price(&self) -> String {
        let reported = ["reported_cost", "cost"];
        let micros =
            reported.iter().find_map(|key| self.0.get(key)?.get("payload_micros")?.as_u64());
        micros.map_or_else(String::new, |micros| format!(", {}", format_dollars(micros)))
    }

    fn compile(&self) -> String {
        let fits = if self.is("fits") { "" } else { ", DOES NOT FIT" };
        let changed = match self.0.pointer("/first_change/why").and_then(Value::as_str) {
            Some(why) => format!(", cache broken by {why}"),
            None => String::new(),
        };
        let time = self.number("duration_ms");
        format!("{}: {}{fits}{changed}{}, {time} ms", self.model(), self.tokens(), self.price())
    }

    fn gateway_request(&self) -> String {
        let mut words = format!("{} to {}: ", self.model(), self.text("upstream"));
        let _ = write!(words, "{} saved", counted(self.number("saved_tokens"), "token"));
        words.push_str(&self.price());
        if let Some(why) = self.0.get("skipped").and_then(Value::as_str) {
            let _ = write!(words, ", left as it came: {why}");
        }
        let (status, time) = (self.number("status"), self.number("duration_ms"));
        let _ = write!(words, ", status {status}, {time} ms");
        words
    }

    fn injected(&self) -> String {
        let entries = match self.0.get("memory_entries") {
            Some(Value::Array(entries)) => entries.len() as u64,
            Some(count) => count.as_u64().unwrap_or(0),
            None => 0,
        };
        let mut parts = Vec::new();
        if entries > 0 {
            parts.push(counted_as(entries, "memory entry", "memory entries"));
        }
        for (key, word) in [("dynamic_state", "state"), ("implicit_context", "context")] {
            if self.is(key) {
                parts.push(word.to_owned());
            }
        }
        let hooks = self.0.get("hooks").and_then(Value::as_array).map_or(0, Vec::len);
        if hooks > 0 {
            parts.push(format!("text of {}", counted(hooks as u64, "hook")));
        }
        parts.join(", ")
    }

    fn memory(&self) -> String {
        format!(
            "{}: {} ({}), version {}",
            self.text("key"),
            self.text("type"),
            self.text("origin"),
            self.number("version")
        )
    }
}

/// Formats millionths of a dollar as dollars, with four digits after the point.
pub(super) fn format_dollars(micros: u64) -> String {
    let rounded = (micros + 50) / 100;
    format!("${}.{:04}", group_digits(rounded / 10_000), rounded % 10_000)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::EventKind;

    #[test]
    fn every_event_has_words() {
        for (word, _) in EventKind::WORDS {
            assert_ne!(describe(word, &json!({"a": 1})), r#"{"a":1}"#, "{word}");
        }
        assert_eq!(describe("of:tomorrow", &json!({"a": 1})), r#"{"a":1}"#);
    }

    #[test]
    fn a_compile_is_told_in_figures() {
        let data = json!({"model": "gpt-5.6", "tokens_before": 12_345, "tokens_after": 4_321, "fits": true,
            "cost": {"payload_micros": 12_349}, "first_change": {"why": "tail_moved"}, "duration_ms": 7});
        assert_eq!(
            describe("compile:done", &data),
            "gpt-5.6: 12,345 → 4,321 tokens, cache broken by tail_moved, $0.0123, 7 ms"
        );
        let data =
            json!({"target": "openai", "model": null, "tokens_before": 5, "tokens_after": 5});
        assert_eq!(describe("compile:done", &data), "openai: 5 tokens, DOES NOT FIT, 0 ms");
    }
}
