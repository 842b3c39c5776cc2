//! Asks the hooks of one request from the thread that works on it, and gives its place away while
//! others think.

use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;

use super::Services;
use super::hooks::Keeping;
use super::pool::Seat;
use crate::hook::{
    At, Changed, Check, Decision, HookSet, Item, Kept, Point, Provided, Recorded, Round, Run,
    Scope, ToSend, Tokens,
};
use crate::pipeline::{self, Asks, Deadline, Stopped};

/// The hooks that a request is pinned to, and what became of them so far.
#[derive(Debug)]
pub(super) struct Asking<'s> {
    round: Round<'s>,
    kept: Option<Arc<Keeping>>,
    seat: Option<Seat>,
    deadline: Deadline,
    later: Vec<ToSend>,
}

impl Services {
    /// What a request of the caller asks its hooks with.
    pub(super) fn asking(
        &self,
        set: Arc<HookSet>,
        scope: Scope,
        deadline: &Deadline,
    ) -> Asking<'_> {
        let kept = Keeping::of(self, &set).unwrap_or_else(|error| {
            tracing::warn!(%error, "what hooks said before is not known: they are asked again");
            None
        });
        let mut round = Round::new(set, self.hook_caller(), scope);
        if let Some(kept) = &kept {
            round = round.keeping(Arc::clone(kept) as Arc<dyn Kept>);
        }
        Asking {
            round,
            kept,
            seat: self.seat().cloned(),
            deadline: deadline.clone(),
            later: Vec::new(),
        }
    }
}

impl<'s> Asking<'s> {
    /// Asks nobody: `recorded` has what was said.
    pub(super) fn recorded(
        set: Arc<HookSet>,
        recorded: &'s Arc<Recorded>,
        scope: Scope,
        deadline: &Deadline,
    ) -> Self {
        let kept = Arc::clone(recorded) as Arc<dyn Kept>;
        let round = Round::new(set, &**recorded, scope).keeping(kept);
        Self { round, kept: None, seat: None, deadline: deadline.clone(), later: Vec::new() }
    }
}

impl Asking<'_> {
    /// In a dry run, calls no webhook and only says which it would call.
    pub(super) fn dry_if(mut self, is_dry: bool) -> Self {
        if is_dry {
            self.round = self.round.dry();
        }
        self
    }

    pub(super) fn runs(&self) -> &[Run] {
        self.round.runs()
    }

    /// A line for each hook that was come to, and the calls that are to be made from the queue.
    pub(super) fn into_parts(self) -> (Vec<Run>, Vec<ToSend>) {
        (self.round.into_runs(), self.later)
    }

    /// What hooks said of results of tools, to be stored with what became of them.
    pub(super) fn kept(&self) -> Option<Arc<Keeping>> {
        self.kept.clone()
    }

    /// The caller's deadline is the hooks' too.
    fn begin(&mut self) -> Result<(), Stopped> {
        self.deadline.check()?;
        if let Some(end) = self.deadline.end() {
            self.round.limit(end.saturating_duration_since(Instant::now()));
        }
        Ok(())
    }
}

/// Waits for what hooks say. When the caller goes away, what is under way is given up.
fn wait<T>(
    seat: Option<&Seat>,
    deadline: &Deadline,
    asking: impl Future<Output = T>,
) -> Result<T, Stopped> {
    // Nobody to wait with: what is built in answers at once, and nothing else is asked.
    let Some(seat) = seat else { return asking.now_or_never().ok_or(Stopped::TimeUp) };
    seat.wait(deadline.end(), async {
        tokio::select! {
            biased;
            () = deadline.cancelled() => Err(Stopped::Cancelled),
            said = asking => Ok(said),
        }
    })
}

impl Asks for Asking<'_> {
    fn set(&self) -> Option<&HookSet> {
        Some(self.round.set())
    }

    fn change(&mut self, at: At<'_>, check: Check<'_>) -> Result<Changed, pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, .. } = self;
        Ok(wait(seat.as_ref(), deadline, round.change(at, check))??)
    }

    fn each(&mut self, point: Point, items: &[Item<'_>]) -> Result<Vec<Changed>, pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, later, .. } = self;
        let (changed, told) = wait(seat.as_ref(), deadline, round.each(point, items))??;
        later.extend(told);
        Ok(changed)
    }

    fn provide(
        &mut self,
        at: At<'_>,
        tokens: Tokens<'_>,
        check: Check<'_>,
    ) -> Result<Provided, pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, .. } = self;
        Ok(wait(seat.as_ref(), deadline, round.provide(at, tokens, check))??)
    }

    fn observe(&mut self, at: At<'_>, decision: Decision<'_>) -> Result<(), pipeline::Error> {
        self.begin()?;
        let Self { round, seat, deadline, later, .. } = self;
        later.extend(wait(seat.as_ref(), deadline, round.observe(at, decision))?);
        Ok(())
    }
}
