//! One typed answer for each of many inputs. A hook is asked about all that have none yet.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::each::{Item, Question};
use super::{At, Round};
use crate::hook::answer::Answer;
use crate::hook::call::{CALLS, Called};
use crate::hook::definition::Hook;
use crate::hook::failure::{Cause, Failure};
use crate::hook::kept::Ask;
use crate::hook::point::{Kind, Point};
use crate::hook::run::{Outcome, Run, Skip, Stop};

/// What is kept of a hook that has no answer.
const NONE: &str = "null";

/// An input that waits for its answer.
struct Open<'a> {
    item: Item<'a>,
    occurrence: u32,
    meant: Vec<Arc<Hook>>,
    answer: Option<Arc<str>>,
    runs: Vec<Run>,
}

impl Round<'_> {
    /// Asks the provide hooks of a point about each input, some at once; the first answer to each
    /// holds. What is kept of a hook stands, and it is not asked.
    ///
    /// # Errors
    /// A hook failed whose failure is everybody's.
    pub async fn answers(
        &mut self,
        point: Point,
        items: &[Item<'_>],
    ) -> Result<Vec<Option<Arc<str>>>, Stop> {
        self.pay_for_runs(point, items.len())?;
        let mut open = Vec::with_capacity(items.len());
        for item in items {
            let occurrence = self.reached(point, Kind::Provide);
            let at = At { point, input: item.input, facts: item.facts };
            let (meant, runs) = self.meant_of(&at, occurrence, Kind::Provide);
            open.push(Open { item: *item, occurrence, meant, answer: None, runs });
        }
        let set = Arc::clone(&self.set);
        let mut stop = None;
        for hook in set.of(point, Kind::Provide) {
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
        open: &mut [Open<'_>],
    ) -> Result<(), Stop> {
        let mut waiting = Vec::new();
        for (at, one) in open.iter_mut().enumerate() {
            if !one.meant.iter().any(|meant| meant.id == hook.id) {
                continue;
            }
            if one.answer.is_some() {
                let outcome = Outcome::Skipped(Skip::AnsweredEarlier);
                one.runs.push(super::line(hook, point, one.occurrence, outcome));
                continue;
            }
            let here = At { point, input: one.item.input, facts: one.item.facts };
            waiting.push(self.question_at(hook, at, &here, one.occurrence));
        }
        let mut known = BTreeMap::new();
        if let Some(kept) = self.kept.as_ref().filter(|_| !waiting.is_empty()) {
            let asks: Vec<Ask<'_>> = waiting.iter().map(Question::ask).collect();
            let found = waiting.iter().zip(kept.find(&asks));
            known.extend(found.filter_map(|(one, found)| Some((one.line, found?))));
        }
        let mut rest = Vec::new();
        for question in waiting {
            let Some(text) = known.get(&question.line) else {
                rest.push(question);
                continue;
            };
            let answer = Answer::read(point, Kind::Provide, text);
            let (body, took) = (Some(Arc::clone(text)), Duration::ZERO);
            self.answered(question, Called { answer, body, took, attempts: 0 }, open)?;
        }
        let mut rest = rest.into_iter().peekable();
        while rest.peek().is_some() {
            let wave = rest.by_ref().take(CALLS).collect();
            for (question, called) in self.wave(wave).await {
                let key = question.key.clone();
                let said = self.answered(question, called, open)?;
                if self.keeps(hook) {
                    self.keep(hook, &key, &said);
                }
            }
        }
        Ok(())
    }

    /// Takes an answer; gives what is to be said of the same from now on.
    fn answered(
        &self,
        question: Question<'_>,
        called: Called,
        open: &mut [Open<'_>],
    ) -> Result<Arc<str>, Stop> {
        let Question { line, asked, .. } = question;
        let Some(one) = open.get_mut(line) else { return Ok(NONE.into()) };
        let (hook, point) = (asked.hook, asked.point);
        let (run, answer) = asked.settle(called);
        let answer = answer.and_then(|answer| {
            if let Answer::Typed(text) = &answer {
                let wrong = |why| Failure::new(Cause::InvalidPayload, why);
                (one.item.check)(text).map_err(wrong)?;
            }
            Ok(answer)
        });
        let at = At { point, input: one.item.input, facts: one.item.facts };
        let (run, taken) = self.typed_line(hook, &at, run, answer);
        one.runs.push(run);
        one.answer = taken?;
        Ok(one.answer.clone().unwrap_or_else(|| NONE.into()))
    }
}
