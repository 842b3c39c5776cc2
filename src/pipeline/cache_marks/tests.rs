//! Marks of a list without counts.

use super::*;
use crate::domain::{Message, Model, Models};
use crate::pipeline::measure::Cost;
use crate::pipeline::slot::PartName;

const HOUR: Option<CacheMark> = Some(CacheMark::block(Some(CacheTtl::OneHour)));
const SHORT: Option<CacheMark> = Some(CacheMark::block(None));

/// Marks a list by the rules of a target without a model.
fn mark(
    options: &CacheOptions,
    target: Target,
    slots: &mut [Slot],
    tools: &mut [ToolDefinition],
) -> Notes {
    let model: Model = Models::for_target(target);
    let rules = MarkRules::new(options, target, &model);
    let mut notes = Notes::default();
    let tool_tokens = vec![1; tools.len()];
    run(rules, MarkedList { slots, tools, tool_tokens: &tool_tokens }, &mut notes);
    notes
}

fn slot(role: Role, cache: Option<CacheMark>) -> Slot {
    let mut message = Message::text(role, "text");
    message.origin = Some(0);
    message.parts.iter_mut().for_each(|part| part.cache = cache);
    let cost = Cost::default();
    Slot { message, cost, part: PartName::History, tail: 0, fixed: false }
}

/// The marks of a system text and three messages after ours were set.
fn marked(client: [Option<CacheMark>; 4], ttl: CacheTtl) -> (Vec<Option<CacheMark>>, Notes) {
    let [system, first, second, third] = client;
    let mut slots = vec![
        slot(Role::System, system),
        slot(Role::User, first),
        slot(Role::Assistant, second),
        slot(Role::User, third),
    ];
    let options = CacheOptions { ttl: Some(ttl), ..CacheOptions::default() };
    let notes = mark(&options, Target::Anthropic, &mut slots, &mut []);
    let marks = slots.iter().map(|slot| slot.message.parts.first().unwrap().cache).collect();
    (marks, notes)
}

#[test]
fn ours_stand_at_the_end_of_the_system_text_and_of_the_list() {
    let (marks, notes) = marked([None; 4], CacheTtl::FiveMinutes);
    assert_eq!(marks, [SHORT, None, None, SHORT]);
    assert!(notes.warnings.is_empty());
}

#[test]
fn no_longer_lifetime_follows_a_shorter_one() {
    let (marks, _) = marked([None, SHORT, None, None], CacheTtl::OneHour);
    assert_eq!(marks, [HOUR, SHORT, None, SHORT]);
    let (marks, _) = marked([None, HOUR, None, None], CacheTtl::FiveMinutes);
    assert_eq!(marks, [HOUR, HOUR, None, SHORT]);
    let (marks, notes) = marked([SHORT, HOUR, None, None], CacheTtl::FiveMinutes);
    assert_eq!(marks, [HOUR, HOUR, None, SHORT]);
    assert_eq!(notes.warnings.first().unwrap().code, "cache_ttl_order");
}

#[test]
fn what_goes_is_told_where_it_stands() {
    let tool = |at: usize| ToolDefinition {
        name: "t".into(),
        description: None,
        parameters: None,
        cache: SHORT,
        extra: Vec::new(),
        opaque: None,
        origin: format!("/tools/{at}").into(),
    };
    let mut tools: Vec<ToolDefinition> = (0..2).map(tool).collect();
    let mut slots = vec![slot(Role::User, SHORT)];
    let notes = mark(&CacheOptions::default(), Target::Gemini, &mut slots, &mut tools);
    assert_eq!(notes.degraded.first().unwrap().pointer, "/tools/0");
    let mut slots = vec![slot(Role::User, SHORT)];
    let notes = mark(&CacheOptions::default(), Target::Gemini, &mut slots, &mut []);
    assert_eq!(notes.degraded.first().unwrap().pointer, "");
}

#[test]
fn marks_inside_a_tool_result_count_too() {
    use crate::domain::ToolResult;
    let mut inner = Part::text("r");
    inner.cache = SHORT;
    let content = vec![inner.clone(), inner.clone(), inner.clone()];
    let result = ToolResult { call_id: "c".into(), name: None, content, is_error: None };
    let mut message = Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))]);
    message.parts.iter_mut().for_each(|part| part.cache = SHORT);
    let cost = Cost::default();
    let mut slots = vec![
        slot(Role::User, SHORT),
        Slot { message, cost, part: PartName::History, tail: 0, fixed: false },
    ];
    let notes = mark(&CacheOptions::default(), Target::Anthropic, &mut slots, &mut []);
    assert_eq!(slots.first().unwrap().message.parts.first().unwrap().cache, None);
    assert_eq!(notes.warnings.first().unwrap().code, "cache_marks_dropped");
}
