//! The points as data: what `GET /hook-points` shows.

use super::definition::OnFailure;
use super::input::{
    AfterCompressInput, BeforeCompileInput, BeforeCompressInput, CacheExpiringInput,
    CompressFormatInput, DelegationInput, EventInput, InputMember, MemoryChangedInput,
    MemoryExpiredInput, MemoryUpdateInput, PointInput, RecallMemoryInput, RetrieveEvidenceInput,
    SessionSwitchInput, SummarizeInput, ToolCallInput, ToolResultInput, TransformContextInput,
};
use super::point::{HookKind, Point, ProvideRule};
use crate::json::write_string;

/// The purpose of a point, in a sentence, and the members of its `input`.
#[derive(Debug, Clone, Copy)]
pub struct PointDoc {
    pub sentence: &'static str,
    pub input: &'static [InputMember],
    sample: fn() -> String,
}

impl PointDoc {
    const fn new<I: PointInput>() -> Self {
        Self { sentence: I::SENTENCE, input: I::MEMBERS, sample: || I::sample().to_json() }
    }
}

/// Describes a point.
pub const fn about(point: Point) -> PointDoc {
    match point {
        Point::BeforeCompress => PointDoc::new::<BeforeCompressInput<'_>>(),
        Point::Summarize => PointDoc::new::<SummarizeInput<'_>>(),
        Point::AfterCompress => PointDoc::new::<AfterCompressInput<'_>>(),
        Point::BeforeCompile => PointDoc::new::<BeforeCompileInput<'_>>(),
        Point::TransformContext => PointDoc::new::<TransformContextInput<'_>>(),
        Point::MemoryUpdate => PointDoc::new::<MemoryUpdateInput<'_>>(),
        Point::MemoryChanged => PointDoc::new::<MemoryChangedInput<'_>>(),
        Point::MemoryExpired => PointDoc::new::<MemoryExpiredInput<'_>>(),
        Point::Delegation => PointDoc::new::<DelegationInput<'_>>(),
        Point::SessionSwitch => PointDoc::new::<SessionSwitchInput<'_>>(),
        Point::CacheExpiring => PointDoc::new::<CacheExpiringInput<'_>>(),
        Point::ToolCall => PointDoc::new::<ToolCallInput<'_>>(),
        Point::ToolResult => PointDoc::new::<ToolResultInput<'_>>(),
        Point::CompressFormat => PointDoc::new::<CompressFormatInput<'_>>(),
        Point::RetrieveEvidence => PointDoc::new::<RetrieveEvidenceInput<'_>>(),
        Point::RecallMemory => PointDoc::new::<RecallMemoryInput<'_>>(),
        Point::Event => PointDoc::new::<EventInput<'_>>(),
    }
}

/// A small input with every member that calls of this point carry, as JSON, for trials of hooks.
pub fn sample(point: Point) -> String {
    (about(point).sample)()
}

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
    fn a_sample_has_the_members_of_its_point() {
        for point in Point::ALL {
            let text = sample(point);
            let node = parse(&text, Limits::default()).unwrap();
            let found = node.as_object().unwrap().iter().map(|(name, _)| &**name);
            let members = about(point).input.iter().map(|(name, _)| *name);
            assert_eq!(found.collect::<Vec<_>>(), members.collect::<Vec<_>>(), "{point}");
        }
    }

    #[test]
    fn twenty_seven_pairs_are_legal() {
        assert_eq!(Point::ALL.iter().map(|point| point.kinds().len()).sum::<usize>(), 27);
    }
}
