//! How a compile may shorten its history.

use serde::Serialize;
use serde_json::Value;
use utoipa::openapi::schema::OneOfBuilder;
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The key `compression`: the options, or a level alone.
#[derive(Debug)]
pub struct CompressionInput;

impl PartialSchema for CompressionInput {
    fn schema() -> RefOr<Schema> {
        let about = "How far history may be shortened: the options, or a level alone, with the defaults of \
                     the others.";
        let either = OneOfBuilder::new()
            .item(Ref::from_schema_name("CompressionLevel"))
            .item(Ref::from_schema_name(Compression::name()))
            .description(Some(about));
        RefOr::T(Schema::OneOf(either.build()))
    }
}

impl ToSchema for CompressionInput {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Compression::name().into_owned(), Compression::schema()));
        Compression::schemas(schemas);
    }
}

/// How far history may be shortened.
#[derive(Debug, ToSchema)]
#[schema(as = CompressionOptions)]
pub struct Compression {
    /// `off`, `lossless`, `reversible`, `summary` or `drop`; each allows what the ones before do.
    #[schema(default = "drop", example = "summary")]
    pub level: Option<String>,
    /// What is done to a tool result the first time it is seen: `off`, `lossless`, or
    /// `reversible`, where format adapters shorten it.
    #[schema(default = "lossless")]
    pub on_arrival: Option<String>,
    /// How lossless forms may show values: `plain`, each as it was written; `computed`, some derived
    /// from others; or `none`, only what keeps the format of the original.
    #[schema(default = "plain")]
    pub notations: Option<String>,
    /// Share of the history's room at which it is compacted.
    #[schema(default = 1.0, minimum = 0.05, maximum = 1.0)]
    pub trigger: Option<f64>,
    /// Share of the history's room that it is compacted to.
    #[schema(default = 0.6, minimum = 0.01, maximum = 1.0)]
    pub compress_to: Option<f64>,
    /// Newest turns that are shielded from all but lossless edits.
    #[schema(default = 4)]
    pub keep_recent_turns: Option<u64>,
    /// `keep` or `clear_old`.
    #[schema(default = "clear_old")]
    pub thinking: Option<String>,
    /// Adds the tool `context_read`, and cleared results name the artifact that it reads. Answer
    /// its calls from `GET /artifacts/{id}`.
    #[schema(default = false)]
    pub read_tool: Option<bool>,
    /// Characters above which an old tool result is not searched for lines to quote in a
    /// summary.
    pub stub_tool_results_over: Option<u64>,
    /// What a summary is to hold, in your words; at most 8,192 bytes.
    pub summary_instructions: Option<String>,
    /// Which old results become one line, and which stay.
    pub clear: Option<ClearChoice>,
    /// Who shortens the history: `service`, or `provider`, where the provider clears and compacts by
    /// itself as `report.requires` asks of the request.
    #[schema(default = "service")]
    pub by: Option<String>,
    /// Format adapters in the order in which texts are offered to them: names, names with how the
    /// adapter works (`{"name", "ratio", "summarizer"}`), or definitions.
    /// When absent all of ours, a stored one of the same name in the place of each.
    #[schema(max_items = 64)]
    pub adapters: Option<Vec<Value>>,
    /// Whether a compaction is put off until the number of later requests in which it pays is within
    /// `expected_turns`, as long as the history has room.
    #[schema(default = false)]
    pub pays: Option<bool>,
    /// Later requests that are expected; the model's answers in the list so far, at least 10, when
    /// absent.
    #[schema(minimum = 1)]
    pub expected_turns: Option<u64>,
}

/// Which tool results may give way to one line: `false` for none, with their thinking, or which.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = ClearSetting)]
pub enum ClearChoice {
    Any(bool),
    Options(ClearOptions),
}

/// Which tool results may give way to one line.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClearOptions {
    /// The newest results stay; `"all"` for all of them.
    pub keep: Option<KeptResults>,
    /// Results of fewer tokens stay.
    #[schema(default = 0)]
    pub least_tokens: Option<u64>,
    /// Results of these tools stay.
    pub exclude_tools: Option<Vec<String>>,
}

/// How many of the newest tool results stay: a number, 3 when absent, or `all`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = KeptToolResults)]
pub enum KeptResults {
    Newest(u64),
    All(String),
}
