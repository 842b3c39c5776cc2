//! The rules of a target and a model for cache marks: [`MarkRules`].

use crate::domain::{CacheMarks, Content, Message, Model, Part, ProgramCalls, Role, Target};
use crate::request::CacheOptions;

/// Content blocks before a mark of Anthropic's in which it looks for a cached prefix, if the model's row
/// does not say: <https://platform.claude.com/docs/en/build-with-claude/prompt-caching>.
const DEFAULT_LOOKBACK_BLOCKS: u32 = 20;
/// Marks that `OpenAI` writes for one request, its own on the newest message included:
/// <https://developers.openai.com/api/docs/guides/prompt-caching>.
const MAX_BREAKPOINTS: usize = 4;

/// The rules of a target and a model for cache marks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarkRules<'r> {
    pub(super) options: &'r CacheOptions,
    pub(super) target: Target,
    /// The model with the factor that counts are multiplied by.
    pub(super) model: &'r Model,
    /// The marks that the payload can have; `None` if the provider finds cached prefixes by itself.
    pub(super) kind: Option<CacheMarks>,
    /// Whether the model is known to take them. If not, only the caller's own of this kind are kept.
    pub(super) is_known: bool,
}

/// Whether a part can have a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkFit {
    Carries,
    /// It can have none, and a mark on it is not written.
    Passive,
    /// The provider refuses a mark on it.
    Refused,
}

impl<'r> MarkRules<'r> {
    pub(crate) fn new(options: &'r CacheOptions, target: Target, model: &'r Model) -> Self {
        let is_unknown = model.source.is_none();
        let (kind, is_known) = match target {
            Target::Anthropic | Target::Neutral => (Some(CacheMarks::Blocks), true),
            Target::Gemini => (None, true),
            Target::Openai | Target::OpenaiResponses => match model.cache_marks {
                Some(CacheMarks::Breakpoints) => (Some(CacheMarks::Breakpoints), true),
                None if is_unknown => (Some(CacheMarks::Breakpoints), false),
                // Models before GPT-5.6 answer a mark with an error.
                Some(CacheMarks::Blocks) | None => (None, true),
            },
        };
        Self { options, target, model, kind, is_known }
    }

    /// Whether the provider has all system text before all messages, wherever it is in the list.
    pub(super) fn hoists(&self) -> bool {
        self.kind != Some(CacheMarks::Breakpoints)
    }

    /// Whether marks of ours are wanted and known to be accepted.
    pub(super) fn sets_ours(&self) -> bool {
        self.kind.is_some() && self.is_known && self.options.ttl.is_some()
    }

    /// Whether a mark that the provider sets by itself takes one of the places.
    pub(super) fn has_automatic(&self) -> bool {
        let members = &self.options.members;
        match self.kind {
            Some(CacheMarks::Blocks) => members.automatic.is_some(),
            Some(CacheMarks::Breakpoints) => match &members.options {
                Some(options) => !options.is_explicit,
                // It is the default, which ours change if nothing of the caller's forbids it.
                None => {
                    members.retention.is_some() || members.automatic.is_some() || !self.sets_ours()
                }
            },
            None => false,
        }
    }

    /// Most marks on blocks of the payload.
    pub(super) fn most(&self) -> usize {
        let automatic = usize::from(self.has_automatic());
        match self.kind {
            Some(CacheMarks::Blocks) => self.options.marks.saturating_sub(automatic),
            Some(CacheMarks::Breakpoints) => self.options.marks.min(MAX_BREAKPOINTS - automatic),
            None => 0,
        }
    }

    /// Tokens of the shortest prefix that is cached.
    pub(super) fn min_tokens(&self) -> u64 {
        self.model.min_cached_tokens.unwrap_or_default()
    }

    /// Blocks before a mark in which the provider finds what an earlier payload has written; none if it
    /// finds only what ends at a mark of this payload.
    pub(super) fn lookback_blocks(&self) -> usize {
        match self.kind {
            Some(CacheMarks::Breakpoints) => 0,
            // Of a model with breakpoints, the row has a number of marks.
            _ if self.model.cache_marks == Some(CacheMarks::Blocks) => {
                self.model.cache_lookback_blocks.unwrap_or(DEFAULT_LOOKBACK_BLOCKS) as usize
            }
            _ => DEFAULT_LOOKBACK_BLOCKS as usize,
        }
    }

    /// Whether a tool can have a mark.
    pub(super) fn tool_fit(&self, is_deferred: bool) -> MarkFit {
        if is_deferred || !self.hoists() { MarkFit::Refused } else { MarkFit::Carries }
    }

    /// Whether a part of a message can have a mark. `is_instruction`: the message is part of the
    /// instructions of the Responses API.
    pub(super) fn fit(
        &self,
        message: &Message,
        is_instruction: bool,
        part: &Part,
        programs: &ProgramCalls,
    ) -> MarkFit {
        if programs.has(part) {
            return MarkFit::Refused;
        }
        if self.hoists() {
            return match &part.content {
                Content::Text(text) if text.trim().is_empty() => MarkFit::Passive,
                Content::Thinking(_) if self.target == Target::Anthropic => MarkFit::Refused,
                Content::Thinking(_) => MarkFit::Passive,
                _ => MarkFit::Carries,
            };
        }
        if is_instruction || message.role == Role::Assistant {
            return MarkFit::Refused;
        }
        let is_block = |part: &Part| match &part.content {
            Content::Text(text) => !text.is_empty(),
            Content::Media(_) => true,
            _ => false,
        };
        let carries = match &part.content {
            Content::ToolResult(result) => result.content.last().is_some_and(is_block),
            _ => is_block(part),
        };
        if carries { MarkFit::Carries } else { MarkFit::Refused }
    }
}
