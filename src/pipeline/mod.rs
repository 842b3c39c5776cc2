//! The compile pipeline: typed stages in one order. No store, no network, no clock in a stage.
//!
//! `docs/glossary.md` defines budget, room, ladder, live zone, compaction point, squeeze and tail.
//! A stage is a plain function from its input to its output. `ARCHITECTURE.md` numbers the stages;
//! `driver` runs them, times them, and asks hooks between them.

mod arrival;
mod arrived_forms;
mod bound_thinking;
mod budget;
mod cache_marks;
mod change;
mod changed_results;
mod compiled_payload;
mod compress;
mod driver;
mod frame;
mod governance;
mod hook_port;
mod intake;
mod list_ends;
mod manifest;
mod measure;
mod media_limits;
mod memory;
mod message_hash;
mod passthrough;
mod pdf_pages;
mod points;
mod prose;
mod protection;
mod read_back;
mod recall;
mod repair;
mod report;
mod requirements;
mod session_blocks;
mod shortening;
mod slot;
mod stage;
mod strip_injected;
mod summary_ask;
mod tags;
mod tail;
mod text_hashes;
mod tokens;
mod tool_references;
mod tools;
mod trace;
mod turn_scope;
mod volatile_blocks;
mod xml;

pub use crate::compress::MAX_EDIT_BYTES;
pub use change::{
    ChangeHints, ChangeReason, FirstChange, PayloadBlocks, SplitPlace, appended_tokens,
    first_change,
};
pub use compiled_payload::CompiledPayload;
pub use governance::{
    GovernInput, GovernOutput, GovernRefusal, GovernedContext, GovernedStage, SummaryContext,
    govern, governed_intent, published,
};
pub use hook_port::{HookPort, NoHooks};
pub use memory::{
    CREATE_MEMORY, MODIFY_MEMORY, MemoryFit, count_memory_entry, fit_memory, shown_entries,
    shown_entry,
};
pub use points::{
    ResultCheck, ShorterTexts, ask_formats, ask_governed_results, ask_results_of, ask_texts,
    clean_summary, governed_input, is_refusal, result_inputs, sent_input,
};
pub use prose::{READ_TOOL, cleared_result, is_cleared, is_history_summary};
pub use recall::{MemoryMatch, RankedMemory, rank_memory};
pub use report::{
    Action, Actions, Cache, CoveredRange, Decision, HistorySummary, MemoryReport, NotationTokens,
    OversizedPart, PartTokens, PriceStepReport, PutOffReport, Report, ReportBuilder, ToolCost,
    Tools,
};
pub use session_blocks::{newest_blocks, session_blocks, session_input};
pub use shortening::{
    ChangedList, Edit, MessageAuthor, Original, ShortenOutput, ShortenResult, ShownMessage,
    TextEdit, ask_results, passed_on, shorten, splice,
};
pub use stage::{STAGES, StageRow, Timings, timed};
pub use summary_ask::SummaryAsk;
pub use tokens::{MessageCounts, TokensAnswer, count_messages, count_text, count_tools};
pub use tools::toolkit_of;
pub use trace::Hashes;

use std::sync::{Arc, OnceLock};

use crate::compress::Engine;
use crate::domain::{Conversation, Source};
use crate::hook::{Denial, HookKind, HookStop, Point};
pub use crate::limit::{Deadline, StopReason};
use crate::request::{CompileRequest, OnDeadline};
use crate::tokenizer::Counter;
use text_hashes::TextHashes;

/// Caches that compiles share: counts, forms and hashes. They make a compile faster, never different.
#[derive(Debug, Default)]
pub struct PipelineContext {
    pub counter: Counter,
    pub engine: Engine,
    hashes: Arc<TextHashes>,
    ungoverned: OnceLock<Vec<GovernedStage>>,
}

impl PipelineContext {
    /// The stages of the built-in pack, for the ledger of a compile that names none. They read
    /// nothing of the request, so they are run once.
    pub fn ungoverned(&self) -> &[GovernedStage] {
        self.ungoverned.get_or_init(governance::ungoverned)
    }
}

/// The deadline, the hooks and the clock of one run of the pipeline.
#[derive(Debug)]
pub struct PipelineRun<'r> {
    pub deadline: &'r Deadline,
    pub hooks: &'r mut dyn HookPort,
    pub timings: &'r mut Timings,
}

/// Runs the stages over a checked request, and calls the hooks between them. The payload is written
/// after `head`, so that a response around it is written once.
pub fn compile(
    cx: &PipelineContext,
    mut request: CompileRequest,
    head: String,
    run: PipelineRun<'_>,
) -> Result<CompiledPayload, Error> {
    let deadline = run.deadline;
    let passes = request.on_deadline == OnDeadline::Pass && !is_guarded(run.hooks);
    let spare = passes.then(|| (request.clone(), head.clone()));
    let conversation =
        std::mem::replace(&mut request.conversation, Conversation::empty(Source::Neutral));
    let outcome = driver::run(cx, &request, conversation, head, run);
    // Text above the allowance was left out, so nothing of the payload may be sent.
    let outcome = outcome.and_then(|compiled| {
        deadline.allowance().check().map_err(StopReason::from)?;
        Ok(compiled)
    });
    let is_late = match &outcome {
        Err(Error::Stopped(stopped)) => *stopped == StopReason::TimeUp,
        // Time that a hook took is the caller's all the same.
        Err(Error::Hook(stop)) => stop.is_timeout() && deadline.check() == Err(StopReason::TimeUp),
        _ => false,
    };
    match spare {
        Some((spare, head)) if is_late => Ok(passthrough::run(spare, head)),
        _ => outcome,
    }
}

/// Whether a hook has to approve or may change what is sent: then nothing is passed on without it.
fn is_guarded(hooks: &dyn HookPort) -> bool {
    [Point::TransformContext, Point::ToolResult]
        .into_iter()
        .any(|point| hooks.has(point, HookKind::Guard) || hooks.has(point, HookKind::Transform))
}

/// Why a compile has no payload. Each variant is one thing a caller can act on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Only with `on_overflow: "fail"`. The report has the parts that are too big.
    #[error("the payload takes {} tokens and the budget is {}", .0.tokens_after, .0.budget)]
    OverBudget(Arc<Report>),
    #[error(transparent)]
    Stopped(#[from] StopReason),
    /// A guard denied the compile.
    #[error("hook `{}` denied at `{}`", .0.hook, .0.point)]
    Denied(Denial),
    #[error(transparent)]
    Hook(#[from] HookStop),
}
