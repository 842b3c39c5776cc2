//! The points as data: what `GET /hook-points` shows.

use super::definition::OnFailure;
use super::point::{HookKind, Point, ProvideRule};
use crate::json::write_string;

/// The name of a member of an `input`, and its description.
type InputMember = (&'static str, &'static str);

/// The purpose of a point, in a sentence, and the members of its `input`.
#[derive(Debug, Clone, Copy)]
pub struct PointDoc {
    pub sentence: &'static str,
    pub input: &'static [InputMember],
}

const TOOL: InputMember = (
    "tool",
    "`{name, call_id, arguments}`; arguments as an object, those of a free-form call as text",
);

/// Describes a point.
pub const fn about(point: Point) -> PointDoc {
    match point {
        Point::BeforeCompress => BEFORE_COMPRESS,
        Point::Summarize => SUMMARIZE,
        Point::AfterCompress => AFTER_COMPRESS,
        Point::BeforeCompile => BEFORE_COMPILE,
        Point::TransformContext => TRANSFORM_CONTEXT,
        Point::MemoryUpdate => MEMORY_UPDATE,
        Point::MemoryChanged => MEMORY_CHANGED,
        Point::MemoryExpired => MEMORY_EXPIRED,
        Point::Delegation => DELEGATION,
        Point::SessionSwitch => SESSION_SWITCH,
        Point::ToolCall => TOOL_CALL,
        Point::ToolResult => TOOL_RESULT,
        Point::CompressFormat => COMPRESS_FORMAT,
        Point::RetrieveEvidence => RETRIEVE_EVIDENCE,
        Point::RecallMemory => RECALL_MEMORY,
        Point::Event => EVENT,
    }
}

const BEFORE_COMPRESS: PointDoc = PointDoc {
    sentence: "before an over-long history shrinks; a guard that denies leaves it as it is",
    input: &[
        ("history", "messages"),
        ("system", "messages"),
        ("tokens", "`{current, limit}`"),
        ("trigger", "why the history shrinks"),
        ("to_compress", "`{from, to}`, the messages that are about to shrink"),
    ],
};

const SUMMARIZE: PointDoc = PointDoc {
    sentence: "writes the summary of the turns that leave the history",
    input: &[
        ("messages", "messages to summarise, media and stubbed results as lines that name them"),
        ("instructions", "what the caller asked the summary to keep, or null"),
        ("material", "what hooks at `before_compress` gave for it, or null"),
        ("max_tokens", "the most that the summary may take"),
    ],
};

const AFTER_COMPRESS: PointDoc = PointDoc {
    sentence: "after a history shrank",
    input: &[
        ("summary", "the summary, or null"),
        ("truncated_count", "messages that the summary stands for"),
        ("compressed_messages", "those messages"),
        ("tokens", "`{before, after}`"),
    ],
};

const BEFORE_COMPILE: PointDoc = PointDoc {
    sentence: "adds text to the end of the last user message, such as what a search found",
    input: &[
        ("system", "messages"),
        ("history", "messages, already compressed"),
        ("dynamic_state", "as the caller gave it, or null"),
        ("dynamic_state_xml", "as the model will read it, or null"),
    ],
};

const TRANSFORM_CONTEXT: PointDoc = PointDoc {
    sentence: "the complete list of messages before it becomes the provider's payload",
    input: &[
        ("target", "the shape that is written"),
        ("model", "as the caller named it, or null"),
        ("messages", "messages, the tail of the last one included"),
    ],
};

const MEMORY_UPDATE: PointDoc = PointDoc {
    sentence: "before a model's own write to memory, of a key that it may write",
    input: &[
        ("origin", "`model`"),
        ("op", "`create`, `update` or `delete`"),
        ("key", "the entry's key"),
        ("value", "what is to be stored; null for a deletion"),
        ("old_value", "what is stored, or null"),
    ],
};

const MEMORY_CHANGED: PointDoc = PointDoc {
    sentence: "after a memory entry was set, deleted or expired",
    input: &[
        ("type", "`set`, `delete` or `expire`"),
        ("key", "the entry's key"),
        ("value", "what is stored now, or null"),
        ("old_value", "what was stored, or null"),
        ("action", "`add`, `replace`, `remove` or `expire`"),
        ("target", "the caller's word for the kind of memory"),
        ("content", "the text that was given"),
        ("metadata", "an object, or null"),
        ("memory_id", "the entry's id"),
        ("affected", "entries that changed"),
        ("origin", "`model`, `direct` or `expiry`"),
    ],
};

const MEMORY_EXPIRED: PointDoc = PointDoc {
    sentence: "before an expired memory entry is deleted",
    input: &[("entry", "the whole entry")],
};

const DELEGATION: PointDoc = PointDoc {
    sentence: "after an agent handed a task to another one",
    input: &[
        ("task", "what was asked"),
        ("result", "what came back; may be empty"),
        ("agent_name", "who did it"),
        ("metadata", "`{handoff_depth, …}`"),
        ("status", "`success`, `failed`, `timeout`, `cycle` or `depth`"),
        ("path", "how it was handed over"),
    ],
};

const SESSION_SWITCH: PointDoc = PointDoc {
    sentence: "when a conversation goes on in another session",
    input: &[
        ("new_session_id", "where it goes on"),
        ("parent_session_id", "where it comes from; empty for a first session"),
        ("reset", "whether it begins anew"),
        ("reason", "`new`, `fork`, `reset`, `rotation` or `resume`"),
    ],
};

const TOOL_CALL: PointDoc = PointDoc {
    sentence: "before a tool call is carried out",
    input: &[TOOL, ("batch", "`{index, size}` among the calls of one message")],
};

const TOOL_RESULT: PointDoc = PointDoc {
    sentence: "a tool's result, when it is first seen",
    input: &[
        TOOL,
        ("result", "`{content, is_error}`, and `stdout`, `stderr`, `exit_code` where given"),
    ],
};

const COMPRESS_FORMAT: PointDoc = PointDoc {
    sentence: "shortens a text of a format that only you know",
    input: &[("text", "the text"), ("tool", "the tool that wrote it, or null")],
};

const RETRIEVE_EVIDENCE: PointDoc = PointDoc {
    sentence: "finds the evidence that a pack asks for",
    input: &[("intent_id", "the pack's intent"), ("query", "what the caller looks for")],
};

const RECALL_MEMORY: PointDoc = PointDoc {
    sentence: "chooses among stored memory entries, or adds others",
    input: &[
        ("query", "what the caller looks for, or null"),
        ("candidates", "entries of the store"),
        ("max_tokens", "the most that they may take"),
    ],
};

const EVENT: PointDoc = PointDoc {
    sentence: "any event of the feed",
    input: &[
        ("seq", "the event's number"),
        ("type", "the event's name"),
        ("at", "when it happened"),
        ("session_id", "the session, or null"),
        ("compilation_id", "the compilation, or null"),
        ("data", "what the event tells"),
    ],
};

/// A sketch of the answer that a hook of this kind gives at this point.
pub const fn answer(point: Point, kind: HookKind) -> &'static str {
    match (kind, point.provides()) {
        (HookKind::Guard, _) => r#"{"decision":"allow"} or {"decision":"deny","reason":"…"}"#,
        (HookKind::Transform, _) => {
            r#"{"action":"unchanged"}, {"action":"replace","payload":…}, {"action":"merge_patch","patch":…} or {"action":"json_patch","patch":[…]}"#
        }
        (HookKind::Observe, _) => "ignored",
        (HookKind::Provide, ProvideRule::Text { include: true }) => {
            r#"null, {"content":"…","include":"summary_input"|"verbatim"} or {"fragments":[{"content":"…"}]}"#
        }
        (HookKind::Provide, ProvideRule::Text { include: false }) => {
            r#"null, {"content":"…","bucket":"…"} or {"fragments":[{"content":"…"}]}"#
        }
        (
            HookKind::Provide,
            ProvideRule::First(_) | ProvideRule::Every(_) | ProvideRule::Nothing,
        ) => match point {
            Point::Summarize => r#"null or {"content":"…"}"#,
            Point::CompressFormat => r#"null or {"text":"…"}"#,
            Point::RetrieveEvidence => r#"null or {"evidence":[…]}"#,
            Point::RecallMemory => r#"null or {"keys":[…],"entries":[…]}"#,
            _ => "null",
        },
    }
}

/// Appends one point as a JSON object.
pub fn write_point(out: &mut String, point: Point) {
    let about = about(point);
    out.push_str("{\"point\":");
    write_string(out, point.as_str());
    out.push_str(",\"about\":");
    write_string(out, about.sentence);
    out.push_str(",\"kinds\":[");
    for (index, kind) in point.kinds().iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str("{\"kind\":");
        write_string(out, kind.as_str());
        out.push_str(",\"answer\":");
        write_string(out, answer(point, *kind));
        out.push_str(",\"timeout_ms\":");
        out.push_str(&kind.timeout().as_millis().to_string());
        out.push_str(",\"on_failure\":");
        write_string(out, OnFailure::default_of(point, *kind).as_str());
        out.push('}');
    }
    out.push_str("],\"input\":{");
    for (index, (name, what)) in about.input.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(out, name);
        out.push(':');
        write_string(out, what);
    }
    out.push_str("},\"payload\":");
    match point.payload() {
        Some(pointer) => write_string(out, pointer),
        None => out.push_str("null"),
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    #[test]
    fn every_point_is_an_object_that_names_its_kinds() {
        for point in Point::ALL {
            let mut text = String::new();
            write_point(&mut text, point);
            let node = parse(&text, Limits::default()).unwrap();
            assert_eq!(node.get("point").unwrap().as_str(), Some(point.as_str()));
            let kinds = node.get("kinds").unwrap().as_array().unwrap();
            assert_eq!(kinds.len(), point.kinds().len());
            assert_eq!(Point::parse(point.as_str()), Some(point));
        }
        assert_eq!(Point::parse("tool_call/pre"), None);
    }

    #[test]
    fn what_may_be_changed_is_a_member_of_the_input() {
        for point in Point::ALL {
            assert_eq!(point.payload().is_some(), point.takes(HookKind::Transform), "{point}");
            let first = point.payload().and_then(|pointer| pointer.split('/').nth(1));
            let members = about(point).input;
            assert!(first.is_none_or(|first| members.iter().any(|(name, _)| *name == first)));
            let provides = point.provides() != ProvideRule::Nothing;
            assert_eq!(provides, point.takes(HookKind::Provide), "{point}");
        }
    }

    #[test]
    fn twenty_six_pairs_are_legal() {
        assert_eq!(Point::ALL.iter().map(|point| point.kinds().len()).sum::<usize>(), 26);
    }
}
