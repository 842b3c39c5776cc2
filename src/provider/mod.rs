//! One file a provider: read its messages, write its payload.
//!
//! `reader` turns a request's conversation into neutral messages and drops nothing without a
//! note. `adaptation` turns what a target cannot hold into what it can, with a note each, before
//! anything is counted. `writer` only re-encodes.

mod adaptation;
mod caching;
mod image_size;
mod member_form;
mod reader;
mod request_members;
mod returned_member;
mod schema;
mod texts;
mod words;
mod writer;

pub use adaptation::{
    adapt, adapt_results, built_in_as_functions, call_namespace, called_name,
    convert_built_in_calls, grouped_name, is_tool_change, means, shown_properties,
    with_namespace_functions,
};
pub(crate) use caching::CACHED_CONTENT;
pub use caching::{CacheMember, PayloadCaching};
pub use image_size::ImageSize;
pub use member_form::MemberForm;
pub use reader::{
    CONVERSATION_KEYS, MAX_MESSAGES, REPAIR_MODES, SURROGATE_REPLACED, detect, detect_in,
    keeps_malformed, list_key, note_replaced, read, read_cache_members, read_content,
    read_messages, read_tools, read_without_messages, without_nul,
};
pub use request_members::{
    PassedMember, all_member_forms, is_of_stored_head, is_response_limit, member_forms,
    passed_members, request_member_names,
};
pub use returned_member::ReturnedMember;
pub use schema::{CurrentSchema, as_current_schema, as_json_schema};
pub use texts::{ContentWrap, MessageText, ResultTexts, TextSlot, message_texts, thoughts};
pub use writer::{MemberBlocks, WrittenPayload, write, write_messages, write_result_content};

use crate::domain::{
    Content, Message, Part, RawJson, Role, Target, ToolDefinition, WantedReasoning,
};
use crate::json;

/// The kind of an item in which a provider itself has compacted all that came before: `OpenAI`'s item
/// (<https://platform.openai.com/docs/guides/compaction>) and Anthropic's block
/// (<https://platform.claude.com/docs/en/build-with-claude/compaction>) have the same name.
pub(crate) const COMPACTION: &str = "compaction";

/// The kind of an item of the Responses API that stands for one which `OpenAI` keeps.
/// <https://platform.openai.com/docs/api-reference/responses/create>
pub(crate) const ITEM_REFERENCE: &str = "item_reference";

/// Whether a part is such an item.
pub(crate) fn is_reference(part: &Part) -> bool {
    matches!(&part.content, Content::Opaque { kind, .. } if **kind == *ITEM_REFERENCE)
}

/// Members of a system message between the others that only Anthropic's models read: when its text is
/// left out again, and how much effort the model makes from there on.
/// <https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages>
pub(crate) const CLEAR_AT: &str = "clear_at";
pub(crate) const OUTPUT_CONFIG: &str = "output_config";

/// Whether a message is limited to its turn. Only messages that keep their place between the others have
/// the member for it.
pub(crate) fn is_turn_scoped(message: &Message) -> bool {
    message.role == Role::System && message.extra.iter().any(|(name, _)| **name == *CLEAR_AT)
}

/// Whether a message has a provider's own compaction.
pub(crate) fn has_compaction(message: &Message) -> bool {
    message.parts.iter().any(is_compaction)
}

/// Whether a part is a compaction that contains something: one that failed is null, and what came before
/// it is all that there is (<https://platform.claude.com/docs/en/build-with-claude/compaction>).
fn is_compaction(part: &Part) -> bool {
    let Content::Opaque { kind, raw } = &part.content else { return false };
    **kind == *COMPACTION && !is_failed_compaction(raw)
}

/// Whether a compaction contains nothing.
pub(crate) fn is_failed_compaction(raw: &RawJson) -> bool {
    let node = json::parse(raw.as_str(), json::Limits::default()).ok();
    let has = |key: &str| {
        let member = node.as_ref().and_then(|node| node.get(key));
        member.is_some_and(|member| !member.is_null())
    };
    !has("content") && !has("encrypted_content")
}

/// What a conversation is adapted to: a target, and what the model asks for or takes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule of one provider by itself")]
pub struct Destination {
    pub target: Target,
    /// Whether system messages may be between the others, which is decided when the list is whole.
    pub takes_system: bool,
    /// Whether changes of tools may be in these messages.
    pub changes_tools: bool,
    /// Whether calls without a thought signature are refused.
    pub signs_calls: bool,
    /// Whether the role `developer` is known; only `OpenAI`'s own models have it.
    pub takes_developer: bool,
    /// Whether messages are Mistral's, which refuses members that it does not know, and ids of calls of
    /// other than nine letters and digits.
    pub is_mistral: bool,
    /// The messages of the assistant that are refused without `reasoning_content`; on Anthropic's wire,
    /// those with calls are refused without thinking.
    pub wanted_reasoning: WantedReasoning,
    /// Whether media may be inside the results of tools, where the target has a place for them.
    pub takes_result_media: bool,
    /// Whether members that `OpenAI`'s own API does not know are refused.
    pub refuses_unknown: bool,
    /// Whether items of reasoning are taken.
    pub takes_reasoning: bool,
    /// Whether the model is another's on Anthropic's wire, which reads thinking without a signature.
    pub takes_unsigned_thinking: bool,
}

impl From<Target> for Destination {
    fn from(target: Target) -> Self {
        Self {
            target,
            takes_system: false,
            changes_tools: false,
            signs_calls: false,
            takes_developer: true,
            is_mistral: false,
            wanted_reasoning: WantedReasoning::Never,
            takes_result_media: true,
            refuses_unknown: false,
            takes_reasoning: true,
            takes_unsigned_thinking: false,
        }
    }
}

/// The member by which Mistral is told to go on from the last message of the assistant.
pub(crate) const MISTRAL_PREFIX: &str = "prefix";

/// The prefix of generated ids for calls that Gemini gave none: `gemini-fc-<name>-<n>`. They are
/// never written.
pub(crate) const SYNTHETIC_CALL_ID: &str = "gemini-fc-";

/// The result of a call that never got one.
pub(crate) const MISSING_RESULT: &str = "[No tool result available]";

/// The name of a call without one.
pub(crate) const UNNAMED_TOOL: &str = "unnamed_tool";

/// The extra member of a medium that was in `images` of a message, where the model's own images are.
/// It is never written.
pub(crate) const GENERATED_IMAGE: &str = "images";

/// The input of [`write()`]: adapted messages in assembled list order, system messages in their places.
#[derive(Debug, Clone, Copy)]
pub struct PayloadInput<'m> {
    pub messages: &'m [Message],
    pub tools: &'m [ToolDefinition],
    /// `None`: marks as the target has them, and no members.
    pub caching: Option<&'m PayloadCaching>,
    /// Members of the caller's for the provider, last in the payload.
    pub returned: &'m [ReturnedMember],
}

/// The requirements of a target's wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question a wire answers by itself")]
pub struct TargetRules {
    /// System messages have a field of their own instead of being in the list.
    pub hoists_system: bool,
    /// The list must begin with a user message.
    pub user_first: bool,
    /// A last assistant message is continued, if the model supports that.
    pub prefill: bool,
    /// The cache marks of the client and of the service are written.
    pub cache_marks: bool,
    /// System messages at the head have a field of their own.
    pub leads_system: bool,
    /// The list may not be empty, system text outside of it aside.
    pub wants_message: bool,
    /// A last assistant message is refused by models that do not continue it.
    pub user_last: bool,
    /// A last assistant text may not end in white space.
    pub clean_end: bool,
}

/// The wire rules of a target.
pub fn rules(target: Target) -> TargetRules {
    let plain = TargetRules {
        hoists_system: false,
        user_first: false,
        prefill: false,
        cache_marks: false,
        leads_system: false,
        wants_message: true,
        user_last: false,
        clean_end: false,
    };
    match target {
        Target::Openai => plain,
        Target::OpenaiResponses => TargetRules { leads_system: true, ..plain },
        Target::Anthropic => TargetRules {
            hoists_system: true,
            user_first: true,
            prefill: true,
            cache_marks: true,
            leads_system: true,
            wants_message: true,
            user_last: true,
            clean_end: true,
        },
        Target::Gemini => TargetRules {
            hoists_system: true,
            leads_system: true,
            user_first: true,
            user_last: true,
            ..plain
        },
        Target::Neutral => {
            TargetRules { prefill: true, cache_marks: true, wants_message: false, ..plain }
        }
    }
}
