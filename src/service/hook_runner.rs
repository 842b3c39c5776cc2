//! Runs the hooks of one request from the thread that works on the request, and frees the thread's
//! place in the pool while it waits for hooks.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;
use tokio::sync::OwnedMutexGuard;

use super::Services;
use super::hooks::HookOutcomes;
use super::pool::JobSeat;
use super::summaries::{self, MissingSummary, POLL_INTERVAL, Summaries, SummaryLookup};
use crate::domain::AskedSummary;
use crate::hook::{
    AnswerReader, CallScope, Caller, ChangeResult, CheckedInput, CountTokens, GuardDecision,
    HookInput, HookRound, HookRun, HookSet, HookStop, MatchContext, OutcomeStore, PayloadCheck,
    Point, ProvideResult, QueuedCall, RecordedHooks, Workplace, WorkplaceFuture,
};
use crate::pipeline::{self, Deadline, HookPort, StopReason, SummaryAsk};
use crate::store::ObservedFact;

/// The hooks that a request is pinned to, with their runs and effects so far.
#[derive(Debug)]
pub(super) struct HookRunner<'s> {
    round: HookRound<'s>,
    kept: Option<Arc<HookOutcomes>>,
    seat: Option<JobSeat>,
    deadline: Deadline,
    queued: Vec<QueuedCall>,
    /// Facts for hooks that are notified once they are stored.
    facts: Vec<ObservedFact>,
    summaries: Summaries<'s>,
}

/// A summary that a hook provided.
struct ProvidedSummary {
    hook: Arc<str>,
    text: String,
}

impl Services {
    /// Creates the hook runner of a request.
    pub(super) fn hook_runner(
        &self,
        set: Arc<HookSet>,
        scope: CallScope,
        deadline: &Deadline,
    ) -> HookRunner<'_> {
        self.hook_runner_through(self.hook_caller(), set, scope, deadline)
    }

    /// Creates a hook runner that calls hooks through `caller`.
    pub(super) fn hook_runner_through<'s>(
        &'s self,
        caller: &'s dyn Caller,
        set: Arc<HookSet>,
        scope: CallScope,
        deadline: &Deadline,
    ) -> HookRunner<'s> {
        let summaries = Summaries::live(self, scope.session_id.as_ref());
        let kept = HookOutcomes::for_set(self, &set).unwrap_or_else(|error| {
            tracing::warn!(
                %error,
                "stored outcomes of hooks could not be read; the hooks are called again"
            );
            None
        });
        let mut round = HookRound::new(set, caller, scope).until(deadline);
        if let Some(seat) = self.seat() {
            round = round.working_in(Arc::new(seat.clone()));
        }
        if let Some(kept) = &kept {
            round = round.keeping(Arc::clone(kept) as Arc<dyn OutcomeStore>);
        }
        HookRunner {
            summaries,
            round,
            kept,
            seat: self.seat().cloned(),
            deadline: deadline.clone(),
            queued: Vec::new(),
            facts: Vec::new(),
        }
    }
}

/// Recorded answers, and the caller for inputs without a recorded answer.
#[derive(Debug)]
pub(super) struct RecordedSource<'s> {
    pub(super) answers: Arc<RecordedHooks>,
    pub(super) caller: &'s dyn Caller,
    /// Recorded summaries. No other summary is written.
    pub(super) summaries: Vec<AskedSummary>,
}

impl<'s> HookRunner<'s> {
    /// Creates a hook runner that uses the answers of a record. `place` is the thread's seat in
    /// the pool.
    pub(super) fn recorded(
        set: Arc<HookSet>,
        source: RecordedSource<'s>,
        place: Option<JobSeat>,
        scope: CallScope,
        deadline: &Deadline,
    ) -> Self {
        let RecordedSource { answers, caller, summaries } = source;
        let kept = answers as Arc<dyn OutcomeStore>;
        let mut round = HookRound::new(set, caller, scope).until(deadline).keeping(kept);
        if let Some(seat) = &place {
            round = round.working_in(Arc::new(seat.clone()));
        }
        let summaries = Summaries::recorded(summaries);
        let deadline = deadline.clone();
        let (queued, facts) = (Vec::new(), Vec::new());
        Self { round, kept: None, seat: place, deadline, queued, facts, summaries }
    }
}

impl HookRunner<'_> {
    /// In a dry run, no webhook is called; the runs list which would be.
    pub(super) fn dry_if(mut self, is_dry: bool) -> Self {
        if is_dry {
            self.round = self.round.dry();
        }
        self.summaries.dry_if(is_dry);
        self
    }

    /// Keeps the inputs that hooks are sent, for a record in full.
    pub(super) fn keeping_inputs_if(mut self, is_full: bool) -> Self {
        if is_full {
            self.round = self.round.keeping_inputs();
        }
        self
    }

    /// Takes the outcomes of the summaries that were requested so far.
    pub(super) fn take_summaries(&mut self) -> Vec<AskedSummary> {
        self.summaries.take()
    }

    pub(super) fn runs(&self) -> &[HookRun] {
        self.round.runs()
    }

    /// Ends the hooks. Returns the runs of the hooks that were reached, and the calls for the
    /// queue.
    pub(super) fn into_parts(mut self) -> (Vec<HookRun>, Vec<QueuedCall>) {
        (self.round.take_runs(), self.queued)
    }

    /// Takes the runs of the hooks that were reached, and the calls for the queue.
    pub(super) fn take_parts(&mut self) -> (Vec<HookRun>, Vec<QueuedCall>) {
        (self.round.take_runs(), std::mem::take(&mut self.queued))
    }

    /// Takes the facts for hooks that are notified once they are stored.
    pub(super) fn take_facts(&mut self) -> Vec<ObservedFact> {
        std::mem::take(&mut self.facts)
    }

    /// The hooks that the request is pinned to.
    pub(super) fn pinned(&self) -> &Arc<HookSet> {
        self.round.set()
    }

    /// Outcomes of hooks about tool results, which are stored with the request's other effects.
    pub(super) fn kept(&self) -> Option<Arc<HookOutcomes>> {
        self.kept.clone()
    }

    /// Writes a missing summary, by a hook or else by the model.
    fn write(
        &mut self,
        ask: &SummaryAsk<'_>,
        wanted: &MissingSummary<'_>,
    ) -> Result<Option<AskedSummary>, pipeline::Error> {
        let busy =
            || wanted.with_result(Err("another request has it written, for too long".into()));
        let give_up = Instant::now().checked_add(MissingSummary::allowance(&self.deadline));
        let is_late = || give_up.is_some_and(|end| Instant::now() >= end);
        let Some(_turn) = self.turn(wanted)? else { return Ok(Some(busy())) };
        let _claim = loop {
            if let Some(asked) = wanted.stored(true) {
                return Ok(Some(asked));
            }
            match wanted.claim(&self.deadline) {
                Ok(Some(claim)) => break claim,
                Ok(None) if is_late() => return Ok(Some(busy())),
                Ok(None) => {
                    let pause = async { tokio::time::sleep(POLL_INTERVAL).await };
                    wait(self.seat.as_ref(), &self.deadline, pause)?;
                }
                Err(error) => return Ok(Some(wanted.with_store_error(&error))),
            }
        };
        let before = self.round.runs().len();
        let provided = self.provide_summary(ask)?;
        let most = ask.bytes();
        let mut result = if let Some(own) = provided {
            summaries::checked(&own.text, format!("hook:{}", own.hook), most)
        } else {
            let new = self.round.runs().get(before..).unwrap_or_default();
            Err(summaries::failed(new).unwrap_or_default())
        };
        if result.is_err()
            && let Some(summarizer) = wanted.services.summarizer()
        {
            let by = format!("model:{}", summarizer.model());
            let prompt = ask.prompt(summarizer.max_input());
            let allowance = MissingSummary::allowance(&self.deadline);
            let writing = summarizer.write(&prompt, ask.max_tokens, allowance);
            result = match wait(self.seat.as_ref(), &self.deadline, writing)? {
                Ok(answer) => summaries::checked(&answer, by, most),
                Err(failure) => Err(format!("{by}: {failure}").into()),
            };
        }
        Ok(match result {
            Ok(summary) => Some(wanted.kept(summary)),
            // No hook had a summary, and none failed.
            Err(why) if why.is_empty() => None,
            Err(why) => Some(wanted.with_result(Err(why))),
        })
    }

    /// Waits for the lock of the summary in this process. Returns none if only the time to go on
    /// without a summary is left.
    fn turn(&self, wanted: &MissingSummary<'_>) -> Result<Option<OwnedMutexGuard<()>>, StopReason> {
        let allowance = MissingSummary::allowance(&self.deadline);
        let turn = async {
            tokio::select! {
                biased;
                turn = wanted.turn() => Some(turn),
                () = async { tokio::time::sleep(allowance).await } => None,
            }
        };
        wait(self.seat.as_ref(), &self.deadline, turn)
    }

    fn provide_summary(
        &mut self,
        ask: &SummaryAsk<'_>,
    ) -> Result<Option<ProvidedSummary>, pipeline::Error> {
        let at =
            HookInput { point: Point::Summarize, input: ask.input, facts: MatchContext::default() };
        let reader = AnswerReader::new(summaries::content);
        let provided = self.provide(at, &|_| 0, &|answer| reader.check(answer))?;
        let first = provided.answers.into_iter().next();
        Ok(first
            .and_then(|(hook, answer)| Some(ProvidedSummary { hook, text: reader.take(&answer)? })))
    }

    /// Checks the request's deadline, and limits the time of hooks by it.
    fn begin(&mut self) -> Result<(), StopReason> {
        self.deadline.check()?;
        if let Some(end) = self.deadline.end() {
            self.round.limit(end.saturating_duration_since(Instant::now()));
        }
        Ok(())
    }
}

impl Workplace for JobSeat {
    fn enter(&self) -> WorkplaceFuture<'_> {
        Box::pin(async {
            let place = self.compute().await?;
            Some(Box::new(place) as Box<dyn Any + Send>)
        })
    }
}

/// Waits for hooks. If the client goes away, what is running is abandoned.
fn wait<T>(
    seat: Option<&JobSeat>,
    deadline: &Deadline,
    waited: impl Future<Output = T>,
) -> Result<T, StopReason> {
    // Without a place in the pool nothing can wait: built-in hooks return at once, and no other
    // hook is called.
    let Some(seat) = seat else { return waited.now_or_never().ok_or(StopReason::TimeUp) };
    seat.wait_within(deadline, waited)
}

/// Returns the answer of hooks unless the request has to stop: a built-in hook whose search was
/// stopped failed, which a hook may do, and its answer lacks something.
fn settle<T>(deadline: &Deadline, answered: Result<T, HookStop>) -> Result<T, pipeline::Error> {
    if let Err(stop @ (StopReason::TimeUp | StopReason::Cancelled)) = deadline.check() {
        return Err(stop.into());
    }
    Ok(answered?)
}

impl HookPort for HookRunner<'_> {
    fn set(&self) -> Option<&HookSet> {
        Some(self.round.set())
    }

    fn summarizes(&self) -> bool {
        self.summaries.are_written(self.round.set())
    }

    fn summarize(&mut self, ask: &SummaryAsk<'_>) -> Result<Option<AskedSummary>, pipeline::Error> {
        self.begin()?;
        let asked = match self.summaries.known(ask, self.round.set()) {
            SummaryLookup::Settled(asked) => asked,
            SummaryLookup::Dry => {
                self.provide_summary(ask)?;
                None
            }
            SummaryLookup::Wanted(wanted) => self.write(ask, &wanted)?,
        };
        if let Some(asked) = &asked {
            self.summaries.note(asked);
        }
        Ok(asked)
    }

    fn change(
        &mut self,
        at: HookInput<'_>,
        check: PayloadCheck<'_>,
    ) -> Result<ChangeResult, pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, .. } = self;
        settle(deadline, wait(seat.as_ref(), deadline, round.change(at, check))?)
    }

    fn each(
        &mut self,
        point: Point,
        items: &[CheckedInput<'_>],
    ) -> Result<Vec<ChangeResult>, pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, queued, .. } = self;
        let each = wait(seat.as_ref(), deadline, round.each(point, items))?;
        let (changed, calls) = settle(deadline, each)?;
        queued.extend(calls);
        Ok(changed)
    }

    fn answers(
        &mut self,
        point: Point,
        items: &[CheckedInput<'_>],
    ) -> Result<Vec<Option<Arc<str>>>, pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, .. } = self;
        settle(deadline, wait(seat.as_ref(), deadline, round.answers(point, items))?)
    }

    fn provide(
        &mut self,
        at: HookInput<'_>,
        tokens: CountTokens<'_>,
        check: PayloadCheck<'_>,
    ) -> Result<ProvideResult, pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, .. } = self;
        settle(deadline, wait(seat.as_ref(), deadline, round.provide(at, tokens, check))?)
    }

    fn observe(
        &mut self,
        at: HookInput<'_>,
        decision: GuardDecision<'_>,
    ) -> Result<(), pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, queued, .. } = self;
        queued.extend(wait(seat.as_ref(), deadline, round.observe(at, decision))?);
        Ok(())
    }

    fn observe_stored(&mut self, at: HookInput<'_>) -> Result<(), pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, queued, facts, .. } = self;
        queued.extend(wait(seat.as_ref(), deadline, round.observe_queued(at))?);
        if round.has_sync(at.point) {
            facts.push(ObservedFact::new(at.point.as_str(), at.input.to_owned()));
        }
        Ok(())
    }
}
