//! Hooks: webhooks and built-in checks that may deny, change, add to or observe a request at sixteen
//! points.
//!
//! `docs/glossary.md` defines point and the kinds guard, transform, provide and observe.
//! Everything here is data and rules, with no network and no clock. A hook is read by
//! [`read_hook`]; [`HookSet`] orders the hooks that a compile is pinned to; a [`HookRound`] runs them
//! at a [`Point`] through a [`Caller`], which is the one thing that may reach outside:
//!
//! ```
//! # use std::sync::Arc;
//! # use contexture::hook::*;
//! # async fn compile(hooks: &[Arc<Hook>], manifest: &Manifest, caller: &dyn Caller) -> Result<(), HookStop> {
//! let set = Arc::new(HookSet::new(hooks, manifest, None));
//! let scope = CallScope { tenant: "default".into(), ..CallScope::default() };
//! let mut round = HookRound::new(set, caller, scope);
//! let at = HookInput {
//!     point: Point::TransformContext,
//!     input: r#"{"target":"openai","model":null,"messages":[]}"#,
//!     facts: MatchContext::default(),
//! };
//! let changed = round.change(at, &|messages| valid(messages)).await?;
//! if let Some(denial) = &changed.denied {
//!     println!("{} denies: {}", denial.hook, denial.reason);
//! }
//! let input = changed.input.as_deref().unwrap_or(at.input);
//! let to_send = round.observe(HookInput { input, ..at }, GuardDecision::Allowed).await;
//! let lines = round.take_runs();
//! # drop((to_send, lines));
//! # Ok(())
//! # }
//! # fn valid(_: &str) -> Result<(), String> { Ok(()) }
//! ```
//!
//! Rules that hold for every round: hooks run in one order, whoever answers first; each gets a
//! copy of its own; a chain of transforms is applied whole or not at all; anything that is not an
//! answer is a [`CallFailure`] and never an allow; each hook leaves one [`HookRun`].

mod answer;
mod builtin;
mod call;
mod definition;
mod failure;
mod input;
mod match_parser;
mod matching;
mod order;
mod outcome_store;
mod parser;
mod patch;
mod point;
mod points;
mod projection;
mod record;
mod recorded_hooks;
mod round;
mod run;
mod secret;
mod serializer;
mod text;

pub use answer::{HookAnswer, IncludePlace, ProvidedText};
pub use builtin::{
    Builtin, DenyCommand, NAMES as BUILTIN_NAMES, RedactHook, SecretScan, TruncateHook,
};
pub use call::{
    Attempt, Call, CallFuture, CallReply, CallScope, Caller, MAX_CONCURRENT_CALLS, Workplace,
    WorkplaceFuture, digest, envelope,
};
pub use definition::{
    DeliveryMode, Endpoint, EnforcementMode, HIDDEN_PATH, Hook, HookAction, OnFailure, redacted_url,
};
pub use failure::{CallFailure, FailureCause, UNREACHED};
pub use input::{
    AfterCompressInput, BeforeCompileInput, BeforeCompressInput, CacheExpiringInput, CallBatch,
    CompressFormatInput, CompressTrigger, DelegationInput, EventInput, HookedCall, HookedResult,
    Importance, InputMember, MemoryChangedInput, MemoryEntryInput, MemoryExpiredInput,
    MemoryUpdateInput, MessageSpan, PointInput, RecallMemoryInput, RetrieveEvidenceInput,
    ScopeInput, SessionSwitchInput, SummarizeInput, TokenChange, TokenPressure, ToolArguments,
    ToolCallInput, ToolResultInput, TransformContextInput, TtlInput,
};
pub use match_parser::{EVENTS, hook_patterns};
pub use matching::{ArgCondition, ArgTest, HookMatch, MatchContext};
pub use order::{HookSet, Manifest, OrderDifference};
pub use outcome_store::{OutcomeKey, OutcomeStore, answered_key, key};
pub use parser::{
    CheckUrl, GivenId, HOOK_KEYS, HookChecks, is_hook_id, read_hook, read_hook_within,
};
pub use point::{HookKind, Point, ProvideRule};
pub use points::{PointDoc, about, answer, sample, write_point};
pub use projection::Projection;
pub use recorded_hooks::RecordedHooks;
pub use round::{
    AnswerReader, ChangeResult, CheckedInput, CountTokens, Denial, Fragment, GuardDecision,
    HookInput, HookRound, MAX_ROUND_TIME, PayloadCheck, ProvideResult, QueuedCall, join,
};
pub use run::{HookReport, HookRun, HookStop, RunOutcome, SkipReason};
pub use secret::{HookSecret, LiveSecret, Secrets};
