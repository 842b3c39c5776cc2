//! What a payload tells its provider's cache: [`PayloadCaching`].

use crate::domain::{CacheMarks, RawJson, Target};

/// What a payload tells its provider's cache.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PayloadCaching {
    /// The marks that its blocks have; `None` if the provider takes none.
    pub marks: Option<CacheMarks>,
    /// Whether a text that can have a mark of `OpenAI`'s is written as a list of one part also without
    /// one, so that its bytes stay when the mark moves on.
    pub lists: bool,
    /// Members of the payload after its tools.
    pub members: Vec<CacheMember>,
}

/// A member of a payload that directs its provider's cache.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheMember {
    pub name: &'static str,
    pub value: RawJson,
}

/// The member that names what Gemini has stored.
pub(crate) const CACHED_CONTENT: &str = "cachedContent";

impl PayloadCaching {
    /// The marks of a target without any members.
    pub fn of_target(target: Target) -> Self {
        let marks = super::rules(target).cache_marks.then_some(CacheMarks::Blocks);
        Self { marks, ..Self::default() }
    }

    /// Whether system text and tools are part of stored content: Gemini refuses a request that has them
    /// next to the name of it
    /// (<https://ai.google.dev/gemini-api/docs/caching>: "`CachedContent` can not be used with
    /// `GenerateContent` request setting `system_instruction`, tools or `tool_config`").
    pub fn has_stored_head(&self, target: Target) -> bool {
        target == Target::Gemini && self.members.iter().any(|member| member.name == CACHED_CONTENT)
    }
}
