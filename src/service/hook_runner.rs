//! Asks the hooks of one request from the thread that works on it, and gives its place away while
//! others think.

use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;
use tokio::sync::OwnedMutexGuard;

use super::Services;
use super::hooks::HookOutcomes;
use super::pool::JobSeat;
use super::summaries::{self, LOOK_EVERY, MissingSummary, Summaries, SummaryLookup};
use crate::domain::AskedSummary;
use crate::hook::{
    CallScope, Caller, ChangeResult, CheckedInput, CountTokens, GuardDecision, HookInput,
    HookRound, HookRun, HookSet, MatchContext, OutcomeStore, PayloadCheck, Point, ProvideResult,
    QueuedCall, RecordedHooks,
};
use crate::pipeline::{self, Deadline, HookPort, StopReason, SummaryAsk};

/// The hooks that a request is pinned to, and what became of them so far.
#[derive(Debug)]
pub(super) struct HookRunner<'s> {
    round: HookRound<'s>,
    kept: Option<Arc<HookOutcomes>>,
    seat: Option<JobSeat>,
    deadline: Deadline,
    later: Vec<QueuedCall>,
    summaries: Summaries<'s>,
}

impl Services {
    /// What a request of the caller asks its hooks with.
    pub(super) fn asking(
        &self,
        set: Arc<HookSet>,
        scope: CallScope,
        deadline: &Deadline,
    ) -> HookRunner<'_> {
        self.asking_through(self.hook_caller(), set, scope, deadline)
    }

    /// The same by another caller.
    pub(super) fn asking_through<'s>(
        &'s self,
        caller: &'s dyn Caller,
        set: Arc<HookSet>,
        scope: CallScope,
        deadline: &Deadline,
    ) -> HookRunner<'s> {
        let summaries = Summaries::live(self, scope.session_id.as_ref());
        let kept = HookOutcomes::of(self, &set).unwrap_or_else(|error| {
            tracing::warn!(%error, "what hooks said before is not known: they are asked again");
            None
        });
        let mut round = HookRound::new(set, caller, scope).allowing(deadline.allowance());
        if let Some(kept) = &kept {
            round = round.keeping(Arc::clone(kept) as Arc<dyn OutcomeStore>);
        }
        HookRunner {
            summaries,
            round,
            kept,
            seat: self.seat().cloned(),
            deadline: deadline.clone(),
            later: Vec::new(),
        }
    }
}

/// The answers of a record, and who is asked what it does not have.
#[derive(Debug)]
pub(super) struct RecordedSource<'s> {
    pub(super) answers: Arc<RecordedHooks>,
    pub(super) caller: &'s dyn Caller,
    /// Summaries that were written then: none is asked for.
    pub(super) summaries: Vec<AskedSummary>,
}

impl<'s> HookRunner<'s> {
    /// Runs hooks with the answers of a record. `place`: where the thread waits for a caller.
    pub(super) fn recorded(
        set: Arc<HookSet>,
        source: RecordedSource<'s>,
        place: Option<JobSeat>,
        scope: CallScope,
        deadline: &Deadline,
    ) -> Self {
        let RecordedSource { answers, caller, summaries } = source;
        let kept = answers as Arc<dyn OutcomeStore>;
        let round = HookRound::new(set, caller, scope).allowing(deadline.allowance()).keeping(kept);
        let summaries = Summaries::recorded(summaries);
        let deadline = deadline.clone();
        Self { round, kept: None, seat: place, deadline, later: Vec::new(), summaries }
    }
}

impl HookRunner<'_> {
    /// In a dry run, calls no webhook and only says which it would call.
    pub(super) fn dry_if(mut self, is_dry: bool) -> Self {
        if is_dry {
            self.round = self.round.dry();
        }
        self.summaries.dry_if(is_dry);
        self
    }

    /// What came of the summaries that were asked for so far.
    pub(super) fn take_summaries(&mut self) -> Vec<AskedSummary> {
        self.summaries.take()
    }

    pub(super) fn runs(&self) -> &[HookRun] {
        self.round.runs()
    }

    /// A line for each hook that was come to, and the calls that are to be made from the queue.
    pub(super) fn into_parts(mut self) -> (Vec<HookRun>, Vec<QueuedCall>) {
        (self.round.take_runs(), self.later)
    }

    /// Ends the hooks: the runs of the hooks that were reached, and the calls for the queue.
    pub(super) fn take_parts(&mut self) -> (Vec<HookRun>, Vec<QueuedCall>) {
        (self.round.take_runs(), std::mem::take(&mut self.later))
    }

    /// The hooks that the request is pinned to.
    pub(super) fn pinned(&self) -> &Arc<HookSet> {
        self.round.set()
    }

    /// What hooks said of results of tools, to be stored with what became of them.
    pub(super) fn kept(&self) -> Option<Arc<HookOutcomes>> {
        self.kept.clone()
    }

    /// Has the hooks, then the model write a summary that nobody has written yet.
    fn write(
        &mut self,
        ask: &SummaryAsk<'_>,
        wanted: &MissingSummary<'_>,
    ) -> Result<Option<AskedSummary>, pipeline::Error> {
        let busy = || wanted.came(Err("another request has it written, for too long".into()));
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
                    let later = async { tokio::time::sleep(LOOK_EVERY).await };
                    wait(self.seat.as_ref(), &self.deadline, later)?;
                }
                Err(error) => return Ok(Some(wanted.lost(&error))),
            }
        };
        let before = self.round.runs().len();
        let provided = self.provide_summary(ask)?;
        let most = ask.bytes();
        let mut came = if let Some((hook, answer)) = provided.answers.first() {
            let text = summaries::content(answer).map_err(Arc::from);
            text.and_then(|text| summaries::checked(&text, format!("hook:{hook}"), most))
        } else {
            let new = self.round.runs().get(before..).unwrap_or_default();
            Err(summaries::failed(new).unwrap_or_default())
        };
        if came.is_err()
            && let Some(summarizer) = wanted.services.summarizer()
        {
            let by = format!("model:{}", summarizer.model());
            let prompt = ask.prompt(summarizer.max_input());
            let allowance = MissingSummary::allowance(&self.deadline);
            let writing = summarizer.write(&prompt, ask.max_tokens, allowance);
            came = match wait(self.seat.as_ref(), &self.deadline, writing)? {
                Ok(answer) => summaries::checked(&answer, by, most),
                Err(failure) => Err(format!("{by}: {failure}").into()),
            };
        }
        Ok(match came {
            Ok(summary) => Some(wanted.kept(summary)),
            // Nobody had one, and nobody failed.
            Err(why) if why.is_empty() => None,
            Err(why) => Some(wanted.came(Err(why))),
        })
    }

    /// The turn among the requests of this process; none where it takes so long that there is just
    /// the time to go on without.
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

    fn provide_summary(&mut self, ask: &SummaryAsk<'_>) -> Result<ProvideResult, pipeline::Error> {
        let at =
            HookInput { point: Point::Summarize, input: ask.input, facts: MatchContext::default() };
        self.provide(at, &|_| 0, &|answer| summaries::content(answer).map(drop))
    }

    /// The caller's deadline is the hooks' too.
    fn begin(&mut self) -> Result<(), StopReason> {
        self.deadline.check()?;
        if let Some(end) = self.deadline.end() {
            self.round.limit(end.saturating_duration_since(Instant::now()));
        }
        Ok(())
    }
}

/// Waits for what hooks say. When the caller goes away, what is under way is given up.
fn wait<T>(
    seat: Option<&JobSeat>,
    deadline: &Deadline,
    asking: impl Future<Output = T>,
) -> Result<T, StopReason> {
    // Nobody to wait with: what is built in answers at once, and nothing else is asked.
    let Some(seat) = seat else { return asking.now_or_never().ok_or(StopReason::TimeUp) };
    seat.wait(deadline.end(), async {
        tokio::select! {
            biased;
            () = deadline.cancelled() => Err(StopReason::Cancelled),
            said = asking => Ok(said),
        }
    })
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
        Ok(wait(seat.as_ref(), deadline, round.change(at, check))??)
    }

    fn each(
        &mut self,
        point: Point,
        items: &[CheckedInput<'_>],
    ) -> Result<Vec<ChangeResult>, pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, later, .. } = self;
        let (changed, told) = wait(seat.as_ref(), deadline, round.each(point, items))??;
        later.extend(told);
        Ok(changed)
    }

    fn answers(
        &mut self,
        point: Point,
        items: &[CheckedInput<'_>],
    ) -> Result<Vec<Option<Arc<str>>>, pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, .. } = self;
        Ok(wait(seat.as_ref(), deadline, round.answers(point, items))??)
    }

    fn provide(
        &mut self,
        at: HookInput<'_>,
        tokens: CountTokens<'_>,
        check: PayloadCheck<'_>,
    ) -> Result<ProvideResult, pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, .. } = self;
        Ok(wait(seat.as_ref(), deadline, round.provide(at, tokens, check))??)
    }

    fn observe(
        &mut self,
        at: HookInput<'_>,
        decision: GuardDecision<'_>,
    ) -> Result<(), pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, later, .. } = self;
        later.extend(wait(seat.as_ref(), deadline, round.observe(at, decision))?);
        Ok(())
    }
}
