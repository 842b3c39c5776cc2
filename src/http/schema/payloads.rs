//! Schemas of messages and of payloads, whose members are the providers'.

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A message in the shape of OpenAI Chat, of Anthropic or neutral, with any other members that its
/// provider knows.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"role": "user", "content": "Where does the build fail?"}))]
pub struct ConversationMessage {
    /// Who speaks: `system`, `developer`, `user`, `assistant` or `tool`.
    pub role: Option<String>,
    /// A text, or a list of blocks.
    pub content: Option<Value>,
    /// An id that protects the message or names it in reports.
    pub id: Option<String>,
    /// Members of the provider.
    #[serde(flatten)]
    pub others: BTreeMap<String, Value>,
}

/// A payload for Chat Completions.
#[derive(Debug, ToSchema)]
pub struct OpenAiPayload {
    /// The messages.
    #[schema(value_type = Vec<Object>)]
    pub messages: Vec<Value>,
    /// The tools; absent if there are none.
    #[schema(value_type = Option<Vec<Object>>)]
    pub tools: Option<Vec<Value>>,
    /// The key of the prompt cache.
    pub prompt_cache_key: Option<String>,
}

/// A payload for the Responses API.
#[derive(Debug, ToSchema)]
pub struct OpenAiResponsesPayload {
    /// The items.
    #[schema(value_type = Vec<Object>)]
    pub input: Vec<Value>,
    /// System text.
    pub instructions: Option<String>,
    /// The tools; absent if there are none.
    #[schema(value_type = Option<Vec<Object>>)]
    pub tools: Option<Vec<Value>>,
    /// The key of the prompt cache.
    pub prompt_cache_key: Option<String>,
}

/// A payload for the Messages API of Anthropic.
#[derive(Debug, ToSchema)]
pub struct AnthropicPayload {
    /// The messages.
    #[schema(value_type = Vec<Object>)]
    pub messages: Vec<Value>,
    /// System text as blocks.
    #[schema(value_type = Option<Vec<Object>>)]
    pub system: Option<Vec<Value>>,
    /// The tools; absent if there are none.
    #[schema(value_type = Option<Vec<Object>>)]
    pub tools: Option<Vec<Value>>,
}

/// A payload for `generateContent`.
#[derive(Debug, ToSchema)]
pub struct GeminiPayload {
    /// The contents.
    #[schema(value_type = Vec<Object>)]
    pub contents: Vec<Value>,
    /// System text.
    #[schema(rename = "systemInstruction", value_type = Option<Object>)]
    pub system_instruction: Option<Value>,
    /// The tools; absent if there are none.
    #[schema(value_type = Option<Vec<Object>>)]
    pub tools: Option<Vec<Value>>,
    /// The name of stored content.
    #[schema(rename = "cachedContent")]
    pub cached_content: Option<String>,
}

/// A payload in the neutral shape.
#[derive(Debug, ToSchema)]
pub struct NeutralPayload {
    /// The messages.
    pub messages: Vec<ConversationMessage>,
    /// The tools; absent if there are none.
    #[schema(value_type = Option<Vec<Object>>)]
    pub tools: Option<Vec<Value>>,
}

/// The payload of a compile, by `target`.
#[derive(Debug)]
pub struct CompilePayload;

impl PartialSchema for CompilePayload {
    fn schema() -> RefOr<Schema> {
        // Payloads of two targets may have the same members, so one may match several of these.
        let names = [
            OpenAiPayload::name(),
            OpenAiResponsesPayload::name(),
            AnthropicPayload::name(),
            GeminiPayload::name(),
            NeutralPayload::name(),
        ];
        let payloads = names
            .into_iter()
            .fold(AnyOfBuilder::new(), |payloads, name| payloads.item(Ref::from_schema_name(name)));
        let about = "What to send to the provider, by `target`. It has the keys of the target's own \
                     request, never `model`, and `max_tokens`, `stream` and the like only with \
                     `passthrough`.";
        RefOr::T(Schema::AnyOf(payloads.description(Some(about)).build()))
    }
}

impl ToSchema for CompilePayload {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        for (name, schema) in [
            (OpenAiPayload::name(), OpenAiPayload::schema()),
            (OpenAiResponsesPayload::name(), OpenAiResponsesPayload::schema()),
            (AnthropicPayload::name(), AnthropicPayload::schema()),
            (GeminiPayload::name(), GeminiPayload::schema()),
            (NeutralPayload::name(), NeutralPayload::schema()),
            (ConversationMessage::name(), ConversationMessage::schema()),
        ] {
            schemas.push((name.into_owned(), schema));
        }
    }
}
