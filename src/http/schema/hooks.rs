//! Schemas of `/hooks`, `/hook-points` and `/hook-order`. `service/hooks` writes the responses.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::DiffStep;
use crate::service::hooks::HookDifference;

/// A hook: where it stands, what it is, and whom it asks. One of `point` and `points`, one of `url`
/// and `builtin`.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "id": "pii", "point": "memory_update", "kind": "guard", "url": "https://hooks.example.com/pii",
    "headers": {"Authorization": "Bearer 8f2c"}, "timeout_ms": 800
}))]
pub struct HookDefinition {
    /// 1 to 64 of `a-z`, `0-9`, `.`, `_`, `-`; made up when absent.
    #[schema(example = "pii")]
    pub id: Option<String>,
    /// One of `GET /hook-points`.
    pub point: Option<String>,
    /// Several points, in place of `point`.
    pub points: Option<Vec<String>>,
    /// `guard`, `transform`, `provide` or `observe`.
    pub kind: String,
    /// https; http and private addresses only where the operator allows them.
    pub url: Option<String>,
    /// `truncate`, `redact`, `deny_command` or `secret_scan`.
    pub builtin: Option<String>,
    /// Settings of the built-in hook.
    #[schema(value_type = Option<Object>)]
    pub config: Option<Value>,
    /// Sent with each call and never shown.
    #[schema(value_type = Option<Object>, example = json!({"Authorization": "Bearer 8f2c"}))]
    pub headers: Option<Value>,
    /// Whether it is called.
    #[schema(default = true)]
    pub enabled: Option<bool>,
    /// Whether it runs for requests with `"hooks": false`, too. True by default for a guard that a
    /// caller with a key registers.
    pub mandatory: Option<bool>,
    /// `enforce`, or `audit`: it is asked, and nothing of what it says holds.
    #[schema(default = "enforce")]
    pub mode: Option<String>,
    /// Of an observe hook: `async`, or `sync`, which holds the answer until it was told.
    #[schema(default = "async")]
    pub delivery: Option<String>,
    /// 30,000 at most; by kind when absent.
    #[schema(minimum = 1, maximum = 30_000)]
    pub timeout_ms: Option<u64>,
    /// `deny` (guards), `fail` or `skip`; by point and kind when absent.
    pub on_failure: Option<String>,
    /// Must be true where a guard's failure is to count as leave.
    pub allow_fail_open: Option<bool>,
    /// Whether a guard is asked again where a transform changed what it saw.
    pub reverify: Option<bool>,
    /// Which calls it is for: `tools`, `args`, `agents`, `sessions`, `events`, `status`, `denials`.
    #[schema(value_type = Option<Object>)]
    pub r#match: Option<Value>,
    /// `include` and `exclude`: JSON Pointers to what of the input leaves the service.
    #[schema(value_type = Option<Object>)]
    pub input: Option<Value>,
    /// Of a provide hook: tokens that its text may take.
    #[schema(default = 1024)]
    pub max_tokens: Option<u64>,
    /// Higher runs first among hooks of a kind.
    #[schema(default = 0)]
    pub priority: Option<i64>,
    /// `{"session_id"}`: for one session.
    #[schema(value_type = Option<Object>)]
    pub scope: Option<Value>,
}

/// A hook to be registered, with a secret of the caller's own if it is to have one.
#[derive(Debug, ToSchema)]
pub struct HookRegistration {
    #[serde(flatten)]
    pub hook: HookDefinition,
    /// `whsec_` and the base64 of 24 to 64 bytes, which may be the secret of several hooks. A new one is
    /// made when absent, and by `PUT` the one of before stays.
    pub secret: Option<String>,
}

/// What a `PUT` of a hook would change.
#[derive(Debug, Serialize, ToSchema)]
pub struct HookDiff {
    /// The revision of the hook that is registered; null if there is none of this id.
    pub revision: Option<u64>,
    /// One for each member that changes; empty if the hook is new or stays as it is. Steps without
    /// `from` and `value` are of what is never shown.
    pub changes: Vec<DiffStep>,
}

impl From<HookDifference> for HookDiff {
    fn from(compared: HookDifference) -> Self {
        let changes = compared.changes.into_iter().map(DiffStep::from).collect();
        Self { revision: compared.revision, changes }
    }
}

/// What changes of a hook: any of its members; null takes one away.
#[derive(Debug, ToSchema)]
#[schema(value_type = Object, example = json!({"enabled": false}))]
pub struct HookChange(pub Value);

/// A hook as it is registered, every default filled in; what its kind has no use for is absent.
#[derive(Debug, ToSchema)]
#[schema(as = HookRow)]
pub struct HookShown {
    /// The id of the hook.
    #[schema(example = "pii")]
    pub id: String,
    /// From 1, one more with each change.
    pub revision: u64,
    /// Where it runs.
    pub points: Vec<String>,
    /// What it may do: `guard`, `transform`, `provide` or `observe`.
    pub kind: String,
    /// Without path and query, which may hold secrets: `…` replaces them.
    #[schema(example = "https://hooks.example.com/…")]
    pub url: Option<String>,
    /// Names of the headers that are sent.
    pub headers: Option<Vec<String>>,
    /// The built-in hook that it is, or null.
    pub builtin: Option<String>,
    /// Options of a built-in hook, or null.
    #[schema(value_type = Option<Object>)]
    pub config: Option<Value>,
    /// Whether it is called.
    pub enabled: bool,
    /// Whether it runs for requests with `"hooks": false`, too.
    pub mandatory: bool,
    /// Whether its responses count (`enforce`) or are recorded only (`audit`).
    pub mode: String,
    /// Milliseconds that a call may take.
    pub timeout_ms: u64,
    /// What a failed call means: `deny`, `fail` or `skip`.
    pub on_failure: Option<String>,
    /// Whether a guard may let requests through if it fails.
    pub allow_fail_open: Option<bool>,
    /// Whether it sees the list again after another hook changed it.
    pub reverify: Option<bool>,
    /// Tokens of what a provider may add.
    pub max_tokens: Option<u64>,
    /// Whether observers are called in the background or before the response.
    pub delivery: Option<String>,
    /// Which calls it gets, or null for all.
    #[schema(value_type = Option<Object>)]
    pub r#match: Option<Value>,
    /// The members of its input, or null for all.
    #[schema(value_type = Option<Object>)]
    pub input: Option<Value>,
    /// Hooks with a higher number run first, among hooks of a kind.
    pub priority: i64,
    /// Whose requests call it.
    #[schema(value_type = Option<Object>)]
    pub scope: Option<Value>,
    /// `api`, or `file` for those of the operator's file, which cannot be changed here.
    pub source: String,
    /// `open` while it is not called because it failed again and again.
    pub circuit: String,
    /// The calls that are queued for it.
    pub queue: HookQueue,
    /// Why the service disabled it, or null.
    pub disabled_because: Option<String>,
    /// Since when its queued calls have done nothing but fail, or null.
    pub failing_since: Option<String>,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub created_at: Option<String>,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub updated_at: Option<String>,
}

/// The queued calls of a hook.
#[derive(Debug, ToSchema)]
pub struct HookQueue {
    /// Calls that wait for their next attempt or have one under way.
    pub queued: u64,
    /// Calls that were deleted because more than 100,000 were queued.
    pub lost: u64,
}

/// A hook with the secret that its calls are signed with; this answer alone holds it.
#[derive(Debug, ToSchema)]
pub struct NewHook {
    #[serde(flatten)]
    pub hook: HookShown,
    /// Absent for a built-in hook.
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]
    pub secret: Option<String>,
}

/// Some hooks.
#[derive(Debug, ToSchema)]
pub struct HookList {
    pub items: Vec<HookShown>,
    /// For the next request; null at the end.
    pub next_cursor: Option<String>,
}

/// How long the old secret goes on signing.
#[derive(Debug, ToSchema)]
pub struct RotateSecret {
    /// Seconds for which the old secret also signs.
    #[schema(default = 86_400, minimum = 0, maximum = 604_800)]
    pub overlap_seconds: Option<u64>,
    /// `whsec_` and the base64 of 24 to 64 bytes; a new one is made when absent.
    pub secret: Option<String>,
}

/// Every hook point.
#[derive(Debug, ToSchema)]
pub struct HookPoints {
    pub items: Vec<HookPoint>,
    /// Always null: there are no more.
    pub next_cursor: Option<String>,
}

/// Where hooks can stand.
#[derive(Debug, ToSchema)]
pub struct HookPoint {
    /// The name of the point.
    #[schema(example = "tool_result")]
    pub point: String,
    /// What happens at the point, in a sentence.
    pub about: String,
    /// The kinds of hooks that the point takes.
    pub kinds: Vec<HookPointKind>,
    /// The members of a call's `input`, and what each is.
    #[schema(value_type = Object)]
    pub input: Value,
    /// JSON Pointer to what a transform changes, or null.
    pub payload: Option<String>,
}

/// A kind of hook at a point, and its defaults there.
#[derive(Debug, ToSchema)]
pub struct HookPointKind {
    /// The kind of hook.
    pub kind: String,
    /// A sketch of the response.
    pub answer: String,
    /// Milliseconds that a call may take if the hook does not say it.
    pub timeout_ms: u64,
    /// What a failed call means if the hook does not say it.
    pub on_failure: String,
}

/// The hooks that are to run first at a point, in their order.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"points": {"tool_result": ["redact", "truncate"]}}))]
pub struct HookOrderRequest {
    /// Lists of ids by point.
    #[schema(value_type = Object)]
    pub points: Value,
}

/// The order of hooks.
#[derive(Debug, ToSchema)]
pub struct HookOrder {
    /// From 1, one more with each change; 0 where none was ever given.
    pub revision: u64,
    /// As it was given.
    pub manifest: HookOrderRequest,
    /// As it comes out: ids by kind by point.
    #[schema(value_type = Object, example = json!({"tool_result": {"transform": ["redact", "truncate"]}}))]
    pub order: Value,
    /// The SHA-256 of `order`; records of compiles hold it.
    pub order_hash: String,
    /// Ids that are listed and that no hook of their point has.
    pub unknown_ids: Vec<String>,
    /// By point, after a change: `added`, `removed`, `reordered`.
    #[schema(value_type = Object)]
    pub changes: Value,
}

/// A call from the queue.
#[derive(Debug, ToSchema)]
pub struct Delivery {
    /// Its calls carry it as `webhook-id`.
    #[schema(example = "msg_0199d2f0a1b27c3d9e4f5a6b7c8d9e0f")]
    pub id: String,
    /// The id of the hook.
    pub hook: String,
    /// The point of the call.
    pub point: String,
    /// The session that the call is about, or null.
    pub session_id: Option<String>,
    /// The compile that the call is about, or null.
    pub compilation_id: Option<String>,
    /// `queued`, `delivered`, or `dead`: given up.
    pub state: String,
    /// The attempts so far, the oldest first.
    pub attempts: Vec<DeliveryAttempt>,
    pub created_at: String,
    /// When the next attempt is due, or the one under way is given up; null where none is.
    pub due_at: Option<String>,
}

/// One attempt.
#[derive(Debug, ToSchema)]
pub struct DeliveryAttempt {
    /// From 1.
    pub number: u32,
    /// When it began: RFC 3339, in UTC.
    pub at: String,
    /// Of the answer, or null.
    pub status: Option<u16>,
    /// Null where it succeeded.
    pub cause: Option<String>,
    /// The failure in a sentence, or null.
    pub detail: Option<String>,
    /// Milliseconds that it took.
    pub ms: u64,
}

/// Some deliveries.
#[derive(Debug, ToSchema)]
pub struct DeliveryList {
    pub items: Vec<Delivery>,
    /// For the next request; null at the end.
    pub next_cursor: Option<String>,
}

/// What a hook is tried with; all may be absent.
#[derive(Debug, ToSchema)]
#[schema(as = TestHook)]
pub struct TryHook {
    /// One of its points; the first when absent.
    pub point: Option<String>,
    /// The call's input; one of that point when absent.
    #[schema(value_type = Option<Object>)]
    pub input: Option<Value>,
}

/// A hook that is tried before it is registered.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"hook": {
    "point": "tool_result", "kind": "transform", "builtin": "redact", "config": {"patterns": ["linking"]}
}}))]
#[schema(as = TestNewHook)]
pub struct TryNewHook {
    /// The definition.
    pub hook: HookDefinition,
    /// What its call is signed with; made up when absent.
    pub secret: Option<String>,
    /// One of its points; the first if absent.
    pub point: Option<String>,
    /// The input of the call; one of that point if absent.
    #[schema(value_type = Option<Object>)]
    pub input: Option<Value>,
}

/// The outcome of a trial.
#[derive(Debug, ToSchema)]
#[schema(as = HookTestResult)]
pub struct HookTried {
    /// The id of the hook.
    pub hook: String,
    /// The point of the call.
    pub point: String,
    /// What it may do: `guard`, `transform`, `provide` or `observe`.
    pub kind: String,
    /// As in a report: `allowed`, `denied`, `applied`, `unchanged`, `delivered`, `failed`, `skipped`.
    pub outcome: Option<String>,
    /// The cause of a failure, or the reason of a denial.
    pub why: Option<String>,
    /// The failure in a sentence, or null.
    pub detail: Option<String>,
    /// What would have come of it: `payload`, `fragments` and `answers`, or a guard's denial.
    #[schema(value_type = Option<Object>)]
    pub effect: Option<Value>,
    /// What was sent: `method`, `url`, `headers`, `body`; null where nothing was.
    #[schema(value_type = Option<Object>)]
    pub request: Option<Value>,
    /// What came back: `status`, `body`.
    #[schema(value_type = Option<Object>)]
    pub response: Option<Value>,
    /// Milliseconds that the call took.
    pub ms: u64,
    /// Tries over the network.
    pub attempts: u32,
    /// What the call was signed with, where that was made up for it.
    pub secret: Option<String>,
}
