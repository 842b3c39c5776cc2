//! Many inputs at one point, such as the results of a conversation. A hook is asked about all of
//! them before the next one is, some at once; the outcome does not depend on which answer arrives
//! first.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::join_all;

use super::change::roll_back;
use super::{ChangeResult, HookInput, HookRound, PayloadCheck, PreparedCall, QueuedCall};
use crate::hook::answer::HookAnswer;
use crate::hook::call::{CallReply, MAX_CONCURRENT_CALLS};
use crate::hook::definition::{DeliveryMode, EnforcementMode, Hook, HookAction};
use crate::hook::matching::MatchContext;
use crate::hook::outcome_store::{OutcomeKey, answered_key, key};
use crate::hook::point::{HookKind, Point};
use crate::hook::run::{HookRun, HookStop, RunOutcome, SkipReason};

/// One of the inputs, with the check of its new payload.
#[derive(Clone, Copy)]
pub struct CheckedInput<'a> {
    pub input: &'a str,
    pub facts: MatchContext<'a>,
    pub check: PayloadCheck<'a>,
}

impl fmt::Debug for CheckedInput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Item").field("facts", &self.facts).finish_non_exhaustive()
    }
}

/// The stored outcome of a hook that changed nothing, or whose change is not applied.
const UNCHANGED_ANSWER: &str = "{\"action\":\"unchanged\"}";

/// An input on its way.
struct PendingInput<'a> {
    item: CheckedInput<'a>,
    point: Point,
    occurrence: u32,
    meant: Vec<Arc<Hook>>,
    changed: ChangeResult,
    runs: Vec<HookRun>,
}

/// A question about the input at a place.
pub(super) struct InputQuestion<'h> {
    pub(super) line: usize,
    pub(super) asked: PreparedCall<'h>,
    pub(super) key: String,
    answered: String,
}

impl<'a> PendingInput<'a> {
    fn at<'s>(&'s self) -> HookInput<'s>
    where
        'a: 's,
    {
        let input = self.changed.input.as_deref().unwrap_or(self.item.input);
        HookInput { point: self.point, input, facts: self.item.facts }
    }
}

impl InputQuestion<'_> {
    pub(super) fn ask(&self) -> OutcomeKey<'_> {
        let Self { asked, key, answered, .. } = self;
        let (hook, point, occurrence) = (asked.hook, asked.point, asked.occurrence);
        OutcomeKey { hook, point, occurrence, digest: asked.digest(), key, answered }
    }
}

impl HookRound<'_> {
    /// Applies the transforms of a point to each input, then notifies the observe hooks. A hook
    /// whose outcome is stored is not asked.
    ///
    /// # Errors
    /// A hook failed whose failure fails the request. Then nothing is applied.
    pub async fn each(
        &mut self,
        point: Point,
        items: &[CheckedInput<'_>],
    ) -> Result<(Vec<ChangeResult>, Vec<QueuedCall>), HookStop> {
        self.pay_for_runs(point, items.len())?;
        let mut lines = Vec::with_capacity(items.len());
        for item in items {
            let occurrence = self.count_occurrence(point, HookKind::Transform);
            let at = HookInput { point, input: item.input, facts: item.facts };
            let (meant, runs) = self.match_hooks(&at, occurrence, HookKind::Transform);
            let changed = ChangeResult::default();
            lines.push(PendingInput { item: *item, point, occurrence, meant, changed, runs });
        }
        let set = Arc::clone(&self.set);
        for hook in set.hooks_of_kind(point, HookKind::Transform) {
            if let Err(stop) = self.step(hook, &mut lines).await {
                for line in &mut lines {
                    roll_back(line.runs.iter_mut());
                }
                self.runs.extend(lines.into_iter().flat_map(|line| line.runs));
                return Err(stop);
            }
        }
        let later = self.observe_each(&mut lines).await;
        let mut changed = Vec::with_capacity(lines.len());
        for line in lines {
            self.runs.extend(line.runs);
            changed.push(line.changed);
        }
        Ok((changed, later))
    }

    /// Runs one transform on all inputs that it matches.
    async fn step(
        &mut self,
        hook: &Arc<Hook>,
        lines: &mut [PendingInput<'_>],
    ) -> Result<(), HookStop> {
        let is_meant = |line: &PendingInput<'_>| line.meant.iter().any(|meant| meant.id == hook.id);
        let open = lines.iter().enumerate().filter(|(_, line)| is_meant(line));
        let mut open: Vec<InputQuestion<'_>> =
            open.map(|(at, line)| self.question(hook, at, line, &OnceLock::new())).collect();
        let keeps = self.keeps(hook);
        // By key: a hook is asked once about equal results, and its outcome applies to all of them.
        let mut said: BTreeMap<String, Arc<str>> = BTreeMap::new();
        if let Some(kept) = self.kept.as_ref().filter(|_| !open.is_empty()) {
            let asks: Vec<OutcomeKey<'_>> = open.iter().map(InputQuestion::ask).collect();
            let found = kept.find(&asks);
            let known = open
                .iter()
                .zip(found)
                .filter_map(|(one, found)| found.map(|found| (one.line, found)));
            let known: BTreeMap<usize, Arc<str>> = known.collect();
            let (stands, rest) = open.into_iter().partition(|one| known.contains_key(&one.line));
            open = rest;
            let stands: Vec<InputQuestion<'_>> = stands;
            for question in stands {
                let text = known.get(&question.line).cloned().unwrap_or_default();
                self.apply_stored(question, &text, lines)?;
            }
        }
        while !open.is_empty() {
            let (mut wave, mut rest, mut keys) = (Vec::new(), Vec::new(), Vec::new());
            for question in open {
                if let Some(text) = said.get(&question.key).cloned() {
                    self.apply_stored(question, &text, lines)?;
                } else if wave.len() < MAX_CONCURRENT_CALLS
                    && !(keeps && keys.contains(&question.key))
                {
                    keys.push(question.key.clone());
                    wave.push(question);
                } else {
                    rest.push(question);
                }
            }
            open = rest;
            for (question, called) in self.wave(wave).await {
                let key = question.key.clone();
                let text = self.apply_reply(question, called, lines)?;
                if keeps {
                    self.keep(hook, &key, &text);
                    said.insert(key, text);
                }
            }
        }
        Ok(())
    }

    /// Asks some at once.
    pub(super) async fn wave<'h>(
        &mut self,
        wave: Vec<InputQuestion<'h>>,
    ) -> Vec<(InputQuestion<'h>, CallReply)> {
        let with = self.call_settings();
        let asking = wave.into_iter().map(|question| async move {
            let answer = question.asked.call(with).await;
            (question, answer)
        });
        let done: Vec<(InputQuestion<'h>, CallReply)> = join_all(asking).await;
        let longest = done.iter().map(|(_, called)| called.took).max().unwrap_or(Duration::ZERO);
        self.left = self.left.saturating_sub(longest);
        done
    }

    /// Applies a stored outcome.
    fn apply_stored(
        &self,
        question: InputQuestion<'_>,
        text: &Arc<str>,
        lines: &mut [PendingInput<'_>],
    ) -> Result<(), HookStop> {
        let answer = HookAnswer::read(question.asked.point, HookKind::Transform, text);
        let body = Some(Arc::clone(text));
        let called = CallReply { answer, body, took: Duration::ZERO, attempts: 0 };
        self.apply_reply(question, called, lines).map(drop)
    }

    /// Applies an answer to the input of its line; returns the outcome to reuse for the same input.
    fn apply_reply(
        &self,
        question: InputQuestion<'_>,
        called: CallReply,
        lines: &mut [PendingInput<'_>],
    ) -> Result<Arc<str>, HookStop> {
        let InputQuestion { line, asked, .. } = question;
        let Some(line) = lines.get_mut(line) else { return Ok(UNCHANGED_ANSWER.into()) };
        let hook = asked.hook;
        let (mut run, answer) = asked.settle(called, self.keeps_inputs);
        if run.answer.is_none() && self.keeps(hook) {
            run.answer = answer.as_ref().ok().and_then(HookAnswer::write);
        }
        let applied = self.apply_answer(hook, &line.at(), answer, line.item.check, &mut run);
        let said = match (&run.outcome, hook.mode) {
            (RunOutcome::Applied, EnforcementMode::Enforce) | (RunOutcome::Unchanged, _) => {
                run.answer.clone()
            }
            _ => None,
        };
        line.runs.push(run);
        match applied {
            Ok(Some(new)) => line.changed = new,
            Ok(None) => {}
            Err(stop) => {
                let behind = line.meant.iter().skip_while(|meant| meant.id != hook.id).skip(1);
                for hook in behind {
                    let outcome = RunOutcome::Skipped(SkipReason::FailedEarlier);
                    line.runs.push(super::line(hook, line.point, line.occurrence, outcome));
                }
                return Err(stop);
            }
        }
        Ok(said.unwrap_or_else(|| UNCHANGED_ANSWER.into()))
    }

    /// Calls the observe hooks of each input in its present state.
    async fn observe_each(&mut self, lines: &mut [PendingInput<'_>]) -> Vec<QueuedCall> {
        let mut hooks: Vec<Vec<Arc<Hook>>> = Vec::with_capacity(lines.len());
        for line in &mut *lines {
            let (meant, others) = self.match_hooks(&line.at(), line.occurrence, HookKind::Observe);
            line.runs.extend(others);
            hooks.push(meant);
        }
        let mut open: Vec<InputQuestion<'_>> = Vec::new();
        for (at, (line, hooks)) in lines.iter().zip(&hooks).enumerate() {
            let whole = OnceLock::new();
            open.extend(hooks.iter().map(|hook| self.question(hook, at, line, &whole)));
        }
        if let Some(kept) = self.kept.as_ref().filter(|_| !open.is_empty()) {
            let asks: Vec<OutcomeKey<'_>> = open.iter().map(InputQuestion::ask).collect();
            let mut found = kept.find(&asks).into_iter();
            open.retain(|_| found.next().is_none_or(|found| found.is_none()));
        }
        let (mut now, mut later, mut told) = (Vec::new(), Vec::new(), Vec::new());
        for question in open {
            let hook = question.asked.hook;
            let keeps = self.keeps(hook);
            let name = (Arc::clone(&hook.id), question.key.clone());
            if keeps && told.contains(&name) {
                continue;
            }
            told.push(name);
            let is_dry = self.dry && matches!(hook.does, HookAction::Call(_));
            if keeps {
                self.keep(hook, &question.key, "");
            }
            if hook.delivery == DeliveryMode::Sync && !is_dry {
                now.push(question);
                continue;
            }
            let InputQuestion { line: at, asked, .. } = question;
            let Some(line) = lines.get_mut(at) else { continue };
            let outcome = if is_dry { RunOutcome::WouldCall } else { RunOutcome::Queued };
            let mut run = super::line(hook, asked.point, asked.occurrence, outcome);
            run.request_digest = Some(Arc::clone(asked.digest()));
            run.input = (self.keeps_inputs && !is_dry).then(|| Arc::clone(&asked.input));
            line.runs.push(run);
            if !is_dry {
                let own = hooks.get(at).into_iter().flatten().find(|own| own.id == hook.id);
                later.extend(own.map(|hook| QueuedCall {
                    hook: Arc::clone(hook),
                    point: asked.point,
                    occurrence: asked.occurrence,
                    input: Arc::clone(&asked.input),
                    digest: Arc::clone(asked.digest()),
                }));
            }
        }
        let mut now = now.into_iter().peekable();
        while now.peek().is_some() {
            let wave = now.by_ref().take(MAX_CONCURRENT_CALLS).collect();
            for (question, called) in self.wave(wave).await {
                let InputQuestion { line, asked, .. } = question;
                let (mut run, answer) = asked.settle(called, self.keeps_inputs);
                if answer.is_ok() {
                    run.outcome = RunOutcome::Delivered;
                }
                if let Some(line) = lines.get_mut(line) {
                    line.runs.push(run);
                }
            }
        }
        later
    }

    pub(super) fn keeps(&self, hook: &Hook) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.keeps(hook))
    }

    /// A dry run calls no webhook, so it has no outcome to store.
    pub(super) fn keep(&self, hook: &Hook, key: &str, said: &str) {
        if let Some(kept) = self.kept.as_ref().filter(|_| !self.dry) {
            kept.keep(hook, key, said);
        }
    }

    fn question<'h>(
        &self,
        hook: &'h Hook,
        at: usize,
        line: &PendingInput<'_>,
        whole: &OnceLock<Arc<str>>,
    ) -> InputQuestion<'h> {
        let asked = PreparedCall::new_shared(hook, &line.at(), line.occurrence, whole);
        self.question_of(asked, at, &line.at())
    }

    pub(super) fn question_at<'h>(
        &self,
        hook: &'h Hook,
        line: usize,
        here: &HookInput<'_>,
        occurrence: u32,
    ) -> InputQuestion<'h> {
        self.question_of(PreparedCall::new(hook, here, occurrence), line, here)
    }

    fn question_of<'h>(
        &self,
        asked: PreparedCall<'h>,
        line: usize,
        here: &HookInput<'_>,
    ) -> InputQuestion<'h> {
        let of = |make: fn(Point, &str) -> String| {
            self.kept.as_ref().map_or_else(String::new, |_| make(here.point, here.input))
        };
        InputQuestion { line, asked, key: of(key), answered: of(answered_key) }
    }
}
