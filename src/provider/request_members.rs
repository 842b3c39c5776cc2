//! Members of the providers' own requests in addition to the conversation, tools and cache members:
//! sampling, limits, output format and the like.
//!
//! A payload can give them back to a caller who sends them along. The lists name what each API documents;
//! values are checked by form and range only, since models differ in what they accept.

use std::collections::BTreeSet;

use super::member_form::MemberForm::{
    Any, Flag, List, Number, Object, Only, Text, TextOrList, TextOrObject, ToolChoice, Whole,
};
use super::member_form::{MemberForm, ToolChoiceShape};
use crate::domain::Target;

/// A member of a provider's request.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestMember {
    name: &'static str,
    form: MemberForm,
}

const fn member(name: &'static str, form: MemberForm) -> RequestMember {
    RequestMember { name, form }
}

/// <https://platform.openai.com/docs/api-reference/chat/create>
const CHAT: &[RequestMember] = &[
    member("audio", Object),
    member("frequency_penalty", Number { least: -2.0, most: 2.0 }),
    member("function_call", TextOrObject),
    member("logit_bias", Object),
    member("logprobs", Flag),
    member("max_completion_tokens", Whole),
    member("max_tokens", Whole),
    member("metadata", Object),
    member("modalities", List),
    member("n", Whole),
    member("parallel_tool_calls", Flag),
    member("prediction", Object),
    member("presence_penalty", Number { least: -2.0, most: 2.0 }),
    member("reasoning_effort", Text),
    member("response_format", Object),
    member("safety_identifier", Text),
    member("seed", Any),
    member("service_tier", Text),
    member("stop", TextOrList),
    member("store", Flag),
    member("stream", Flag),
    member("stream_options", Object),
    member("temperature", Number { least: 0.0, most: 2.0 }),
    member("tool_choice", ToolChoice(ToolChoiceShape::Chat)),
    member("top_logprobs", Whole),
    member("top_p", Number { least: 0.0, most: 1.0 }),
    member("user", Text),
    member("verbosity", Text),
    member("web_search_options", Object),
];

/// What other services on the wire of Chat Completions know in addition: Mistral
/// (<https://docs.mistral.ai/api>), `OpenRouter`
/// (<https://openrouter.ai/docs/api-reference/parameters>), `DeepSeek`, vLLM.
const CHAT_OF_OTHERS: &[RequestMember] = &[
    member("chat_template_kwargs", Object),
    member("min_p", Number { least: 0.0, most: 1.0 }),
    member("provider", Object),
    member("random_seed", Whole),
    member("reasoning", Object),
    member("repetition_penalty", Number { least: 0.0, most: 2.0 }),
    member("safe_prompt", Flag),
    member("thinking", Object),
    member("top_k", Whole),
];

/// <https://platform.openai.com/docs/api-reference/responses/create>; without what names a
/// conversation that `OpenAI` keeps, since the payload has the whole conversation.
const RESPONSES: &[RequestMember] = &[
    member("background", Flag),
    member("context_management", List),
    member("include", List),
    member("max_output_tokens", Whole),
    member("max_tool_calls", Whole),
    member("metadata", Object),
    member("parallel_tool_calls", Flag),
    member("reasoning", Object),
    member("safety_identifier", Text),
    member("service_tier", Text),
    member("store", Flag),
    member("stream", Flag),
    member("stream_options", Object),
    member("temperature", Number { least: 0.0, most: 2.0 }),
    member("text", Object),
    member("tool_choice", ToolChoice(ToolChoiceShape::Responses)),
    member("top_logprobs", Whole),
    member("top_p", Number { least: 0.0, most: 1.0 }),
    member("truncation", Text),
    member("user", Text),
];

/// <https://platform.claude.com/docs/en/api/messages>
const ANTHROPIC: &[RequestMember] = &[
    member("container", TextOrObject),
    member("context_management", Object),
    member("inference_geo", Text),
    member("max_tokens", Whole),
    member("mcp_servers", List),
    member("metadata", Only(&["user_id"])),
    member("output_config", Object),
    member("output_format", Object),
    member("service_tier", Text),
    member("speed", Text),
    member("stop_sequences", List),
    member("stream", Flag),
    member("temperature", Number { least: 0.0, most: 1.0 }),
    member("thinking", Object),
    member("tool_choice", ToolChoice(ToolChoiceShape::Anthropic)),
    member("top_k", Whole),
    member("top_p", Number { least: 0.0, most: 1.0 }),
];

/// <https://ai.google.dev/api/generate-content>; Google's JSON takes both spellings.
const GEMINI: &[RequestMember] = &[
    member("generationConfig", Object),
    member("generation_config", Object),
    member("labels", Object),
    member("safetySettings", List),
    member("safety_settings", List),
    member(TOOL_CONFIG, Object),
    member("tool_config", Object),
];

/// Gemini's member that says how tools are called.
const TOOL_CONFIG: &str = "toolConfig";

/// Members with the most tokens of a response.
const RESPONSE_LIMITS: &[&str] = &["max_completion_tokens", "max_output_tokens", "max_tokens"];
/// The object of Gemini in which the limit is.
const GEMINI_CONFIG: &[&str] = &["generationConfig", "generation_config"];

const ALL: &[&[RequestMember]] = &[CHAT, CHAT_OF_OTHERS, RESPONSES, ANTHROPIC, GEMINI];

/// A member as callers may send it.
#[derive(Debug, Clone)]
pub struct PassedMember {
    pub name: &'static str,
    /// The forms that it has, each once.
    pub forms: Vec<MemberForm>,
    /// The targets whose requests have it.
    pub targets: Vec<Target>,
}

/// All members of all providers, in the order of their names.
pub fn passed_members() -> Vec<PassedMember> {
    let of_providers = Target::WORDS.iter().map(|(_, target)| *target);
    let of_providers: Vec<Target> =
        of_providers.filter(|target| *target != Target::Neutral).collect();
    let describe = |name| {
        let mut forms: Vec<MemberForm> = Vec::new();
        for form in all_member_forms(name) {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        let has = |target: &Target| !member_forms(*target, false, name).is_empty();
        let targets = of_providers.iter().copied().filter(has).collect();
        PassedMember { name, forms, targets }
    };
    request_member_names().into_iter().map(describe).collect()
}

/// The names of all members of all providers, each once.
pub fn request_member_names() -> BTreeSet<&'static str> {
    ALL.iter().copied().flatten().map(|member| member.name).collect()
}

/// Whether a member may have the most tokens of a response.
pub fn is_response_limit(name: &str) -> bool {
    RESPONSE_LIMITS.contains(&name) || GEMINI_CONFIG.contains(&name)
}

/// The forms that a member has in the requests of a target. `is_own`: the model is `OpenAI`'s own, which
/// refuses what other services add. A neutral payload is in no provider's hands yet and takes any form.
pub fn member_forms(target: Target, is_own: bool, name: &str) -> Vec<MemberForm> {
    let lists: &[&[RequestMember]] = match target {
        Target::Openai if is_own => &[CHAT],
        Target::Openai => &[CHAT, CHAT_OF_OTHERS],
        Target::OpenaiResponses => &[RESPONSES],
        Target::Anthropic => &[ANTHROPIC],
        Target::Gemini => &[GEMINI],
        Target::Neutral => ALL,
    };
    forms_in(lists, name)
}

/// The forms that a member has in the requests of any provider.
pub fn all_member_forms(name: &str) -> Vec<MemberForm> {
    forms_in(ALL, name)
}

fn forms_in(lists: &[&[RequestMember]], name: &str) -> Vec<MemberForm> {
    let members = lists.iter().copied().flatten();
    members.filter(|member| member.name == name).map(|member| member.form).collect()
}

/// Whether a member cannot be next to the name of stored content
/// (<https://ai.google.dev/gemini-api/docs/caching>).
pub fn is_of_stored_head(name: &str) -> bool {
    name == TOOL_CONFIG || name == "tool_config"
}
