//! One typed answer for each of many inputs. A hook is asked about all that have none yet.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::batch::{CheckedInput, InputQuestion};
use super::{HookInput, HookRound};
use crate::hook::answer::HookAnswer;
use crate::hook::call::{CallReply, MAX_CONCURRENT_CALLS};
use crate::hook::definition::Hook;
use crate::hook::failure::{CallFailure, FailureCause};
use crate::hook::outcome_store::OutcomeKey;
use crate::hook::point::{HookKind, Point};
use crate::hook::run::{HookRun, HookStop, RunOutcome, SkipReason};

/// The stored outcome of a hook that has no answer.
const NULL_JSON: &str = "null";

/// An input that waits for its answer.
struct AwaitingInput<'a> {
    item: CheckedInput<'a>,
    occurrence: u32,
    meant: Vec<Arc<Hook>>,
    answer: Option<Arc<str>>,
    runs: Vec<HookRun>,
}

impl HookRound<'_> {
    /// Asks the provide hooks of a point about each input, some at once; the first answer to each
    /// is used. A hook whose outcome is stored is not asked.
    ///
    /// # Errors
    /// A hook failed whose failure fails the request.
    pub async fn answers(
        &mut self,
        point: Point,
        items: &[CheckedInput<'_>],
    ) -> Result<Vec<Option<Arc<str>>>, HookStop> {
        self.pay_for_runs(point, items.len())?;
        let mut open = Vec::with_capacity(items.len());
        for item in items {
            let occurrence = self.count_occurrence(point, HookKind::Provide);
            let at = HookInput { point, input: item.input, facts: item.facts };
            let (meant, runs) = self.match_hooks(&at, occurrence, HookKind::Provide);
            open.push(AwaitingInput { item: *item, occurrence, meant, answer: None, runs });
        }
        let set = Arc::clone(&self.set);
        let mut stop = None;
        for hook in set.hooks_of_kind(point, HookKind::Provide) {
            if let Err(error) = self.ask_open(hook, point, &mut open).await {
                stop = Some(error);
                break;
            }
        }
        let mut answers = Vec::with_capacity(open.len());
        for one in open {
            self.runs.extend(one.runs);
            answers.push(one.answer);
        }
        stop.map_or(Ok(answers), Err)
    }

    /// Asks one hook about what has no answer.
    async fn ask_open(
        &mut self,
        hook: &Arc<Hook>,
        point: Point,
        open: &mut [AwaitingInput<'_>],
    ) -> Result<(), HookStop> {
        let mut waiting = Vec::new();
        for (at, one) in open.iter_mut().enumerate() {
            if !one.meant.iter().any(|meant| meant.id == hook.id) {
                continue;
            }
            if one.answer.is_some() {
                let outcome = RunOutcome::Skipped(SkipReason::AnsweredEarlier);
                one.runs.push(super::line(hook, point, one.occurrence, outcome));
                continue;
            }
            let here = HookInput { point, input: one.item.input, facts: one.item.facts };
            waiting.push(self.question_at(hook, at, &here, one.occurrence));
        }
        let mut known = BTreeMap::new();
        if let Some(kept) = self.kept.as_ref().filter(|_| !waiting.is_empty()) {
            let asks: Vec<OutcomeKey<'_>> = waiting.iter().map(InputQuestion::ask).collect();
            let found = waiting.iter().zip(kept.find(&asks));
            known.extend(found.filter_map(|(one, found)| Some((one.line, found?))));
        }
        let mut rest = Vec::new();
        for question in waiting {
            let Some(text) = known.get(&question.line) else {
                rest.push(question);
                continue;
            };
            let answer = HookAnswer::read(point, HookKind::Provide, text);
            let (body, took) = (Some(Arc::clone(text)), Duration::ZERO);
            self.apply_provided(question, CallReply { answer, body, took, attempts: 0 }, open)?;
        }
        let mut rest = rest.into_iter().peekable();
        while rest.peek().is_some() {
            let wave = rest.by_ref().take(MAX_CONCURRENT_CALLS).collect();
            for (question, called) in self.wave(wave).await {
                let key = question.key.clone();
                let said = self.apply_provided(question, called, open)?;
                if self.keeps(hook) {
                    self.keep(hook, &key, &said);
                }
            }
        }
        Ok(())
    }

    /// Applies an answer; returns the outcome to reuse for the same input.
    fn apply_provided(
        &self,
        question: InputQuestion<'_>,
        called: CallReply,
        open: &mut [AwaitingInput<'_>],
    ) -> Result<Arc<str>, HookStop> {
        let InputQuestion { line, asked, .. } = question;
        let Some(one) = open.get_mut(line) else { return Ok(NULL_JSON.into()) };
        let (hook, point) = (asked.hook, asked.point);
        let (run, answer) = asked.settle(called, self.keeps_inputs);
        let answer = answer.and_then(|answer| {
            if let HookAnswer::Typed(text) = &answer {
                let wrong = |why| CallFailure::new(FailureCause::InvalidPayload, why);
                (one.item.check)(text).map_err(wrong)?;
            }
            Ok(answer)
        });
        let at = HookInput { point, input: one.item.input, facts: one.item.facts };
        let (run, taken) = self.typed_line(hook, &at, run, answer);
        one.runs.push(run);
        one.answer = taken?;
        Ok(one.answer.clone().unwrap_or_else(|| NULL_JSON.into()))
    }
}
