//! The members of a payload that direct its provider's cache.

use super::rules::MarkRules;
use crate::domain::{CacheMark, Notes, RawJson, Target, session_cache_key};
use crate::json::ObjectText;
use crate::provider::{CACHED_CONTENT, CacheMember, PayloadCaching};

/// What the payload tells its provider's cache. Members for other providers are left out, with a note
/// each. `is_marked`: a block of the payload has a mark.
pub(crate) fn payload_caching(
    rules: MarkRules<'_>,
    session_id: Option<&str>,
    is_marked: bool,
    notes: &mut Notes,
) -> PayloadCaching {
    let mut members = MemberList { members: Vec::new(), notes };
    let given = &rules.options.members;
    let target = rules.target;
    let is_neutral = target == Target::Neutral;
    let is_openai = matches!(target, Target::Openai | Target::OpenaiResponses);
    let takes_options = is_openai && rules.kind.is_some();
    let ours = is_openai && rules.sets_ours();
    // To be the same bytes whether a mark is on it or not, texts are lists from the first mark on: what is
    // before it is too short to be cached.
    let lists = ours && is_marked;
    if let Some(mark) = given.automatic {
        let is_implied = takes_options;
        members.keep(
            "cache_control",
            &mark_value(mark),
            is_neutral || target == Target::Anthropic,
            is_implied,
        );
    }
    if let Some(key) = &given.key {
        members.keep("prompt_cache_key", key, is_neutral || is_openai, false);
    } else {
        let key = session_id.filter(|_| ours).map(session_cache_key);
        members.add("prompt_cache_key", key.map(|key| format!("\"{key}\"")));
    }
    match &given.options {
        Some(options) => {
            members.keep("prompt_cache_options", &options.raw, is_neutral || takes_options, false);
        }
        // The provider refuses the two next to each other.
        None if given.retention.is_some() => {}
        None => {
            let mode = if rules.has_automatic() { "implicit" } else { "explicit" };
            members.add("prompt_cache_options", lists.then(|| format!("{{\"mode\":\"{mode}\"}}")));
        }
    }
    if let Some(retention) = &given.retention {
        members.keep("prompt_cache_retention", retention, is_neutral || is_openai, false);
    }
    if let Some(content) = &given.content {
        members.keep(CACHED_CONTENT, content, is_neutral || target == Target::Gemini, false);
    }
    PayloadCaching { marks: rules.kind, lists, members: members.members }
}

/// Notes that system text and tools are left out next to the name of stored content, which has to
/// contain them.
pub(crate) fn note_stored_head(
    rules: MarkRules<'_>,
    system_messages: usize,
    tools: usize,
    notes: &mut Notes,
) {
    if rules.target != Target::Gemini || rules.options.members.content.is_none() {
        return;
    }
    if system_messages > 0 || tools > 0 {
        let detail = format!(
            "the stored content has to contain them: system messages: {system_messages}, tools: {tools}"
        );
        notes.degraded("stored_head_left_out", format!("/{CACHED_CONTENT}"), detail);
    }
}

struct MemberList<'n> {
    members: Vec<CacheMember>,
    notes: &'n mut Notes,
}

impl MemberList<'_> {
    fn add(&mut self, name: &'static str, value: Option<String>) {
        let value = value.map(RawJson::new);
        self.members.extend(value.map(|value| CacheMember { name, value }));
    }

    /// Adds a member of the caller's if the target has it. `is_implied`: the target does without it what
    /// it asks for.
    fn keep(&mut self, name: &'static str, value: &RawJson, is_known: bool, is_implied: bool) {
        if is_known {
            self.members.push(CacheMember { name, value: value.clone() });
        } else if !is_implied {
            let detail = "the target or its model does not have it";
            self.notes.degraded("cache_member_dropped", format!("/{name}"), detail);
        }
    }
}

/// The `cache_control` of a request.
fn mark_value(mark: CacheMark) -> RawJson {
    let mut text = ObjectText::default();
    text.member("type", "\"ephemeral\"");
    if let Some(ttl) = mark.ttl {
        text.member("ttl", &format!("\"{}\"", ttl.as_str()));
    }
    RawJson::new(text.finish())
}
