//! Many inputs at one point, as the results of a conversation are. A hook is asked about all of them
//! before the next one is, some at once; what it comes to does not depend on who answers first.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::join_all;

use super::change::roll_back;
use super::{Asked, At, Changed, Check, Round, ToSend};
use crate::hook::answer::Answer;
use crate::hook::call::{CALLS, Called};
use crate::hook::definition::{Delivery, Does, Hook, Mode};
use crate::hook::kept::{Ask, answered_key, key};
use crate::hook::matching::Facts;
use crate::hook::point::{Kind, Point};
use crate::hook::run::{Outcome, Run, Skip, Stop};

/// One of the inputs, and what says whether what becomes of it is valid.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    pub input: &'a str,
    pub facts: Facts<'a>,
    pub check: Check<'a>,
}

impl fmt::Debug for Item<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Item").field("facts", &self.facts).finish_non_exhaustive()
    }
}

/// What is kept of a hook that changed nothing, or whose change does not hold.
const UNCHANGED: &str = "{\"action\":\"unchanged\"}";

/// An input on its way.
struct Line<'a> {
    item: Item<'a>,
    point: Point,
    occurrence: u32,
    meant: Vec<Arc<Hook>>,
    changed: Changed,
    runs: Vec<Run>,
}

/// A question about the input at a place.
pub(super) struct Question<'h> {
    pub(super) line: usize,
    pub(super) asked: Asked<'h>,
    pub(super) key: String,
    answered: String,
}

impl<'a> Line<'a> {
    fn at<'s>(&'s self) -> At<'s>
    where
        'a: 's,
    {
        let input = self.changed.input.as_deref().unwrap_or(self.item.input);
        At { point: self.point, input, facts: self.item.facts }
    }
}

impl Question<'_> {
    pub(super) fn ask(&self) -> Ask<'_> {
        let Self { asked, key, answered, .. } = self;
        let (hook, point, occurrence) = (asked.hook, asked.point, asked.occurrence);
        Ask { hook, point, occurrence, digest: asked.digest(), key, answered }
    }
}

impl Round<'_> {
    /// Lets the transforms of a point work on each input, then tells the observe hooks. What is kept
    /// of a hook stands, and it is not asked.
    ///
    /// # Errors
    /// A hook failed whose failure is everybody's. Then nothing is applied.
    pub async fn each(
        &mut self,
        point: Point,
        items: &[Item<'_>],
    ) -> Result<(Vec<Changed>, Vec<ToSend>), Stop> {
        self.pay_for_runs(point, items.len())?;
        let mut lines = Vec::with_capacity(items.len());
        for item in items {
            let occurrence = self.reached(point, Kind::Transform);
            let at = At { point, input: item.input, facts: item.facts };
            let (meant, runs) = self.meant_of(&at, occurrence, Kind::Transform);
            let changed = Changed::default();
            lines.push(Line { item: *item, point, occurrence, meant, changed, runs });
        }
        let set = Arc::clone(&self.set);
        for hook in set.of(point, Kind::Transform) {
            if let Err(stop) = self.step(hook, &mut lines).await {
                for line in &mut lines {
                    roll_back(line.runs.iter_mut());
                }
                self.runs.extend(lines.into_iter().flat_map(|line| line.runs));
                return Err(stop);
            }
        }
        let later = self.tell_each(&mut lines).await;
        let mut changed = Vec::with_capacity(lines.len());
        for line in lines {
            self.runs.extend(line.runs);
            changed.push(line.changed);
        }
        Ok((changed, later))
    }

    /// One transform on all inputs that it is meant for.
    async fn step(&mut self, hook: &Arc<Hook>, lines: &mut [Line<'_>]) -> Result<(), Stop> {
        let is_meant = |line: &Line<'_>| line.meant.iter().any(|meant| meant.id == hook.id);
        let open = lines.iter().enumerate().filter(|(_, line)| is_meant(line));
        let mut open: Vec<Question<'_>> =
            open.map(|(at, line)| self.question(hook, at, line, &OnceLock::new())).collect();
        let keeps = self.keeps(hook);
        // By key: the same result is asked about once, and what was said of it stands for all.
        let mut said: BTreeMap<String, Arc<str>> = BTreeMap::new();
        if let Some(kept) = self.kept.as_ref().filter(|_| !open.is_empty()) {
            let asks: Vec<Ask<'_>> = open.iter().map(Question::ask).collect();
            let found = kept.find(&asks);
            let known = open
                .iter()
                .zip(found)
                .filter_map(|(one, found)| found.map(|found| (one.line, found)));
            let known: BTreeMap<usize, Arc<str>> = known.collect();
            let (stands, rest) = open.into_iter().partition(|one| known.contains_key(&one.line));
            open = rest;
            let stands: Vec<Question<'_>> = stands;
            for question in stands {
                let text = known.get(&question.line).cloned().unwrap_or_default();
                self.stands(question, &text, lines)?;
            }
        }
        while !open.is_empty() {
            let (mut wave, mut rest, mut keys) = (Vec::new(), Vec::new(), Vec::new());
            for question in open {
                if let Some(text) = said.get(&question.key).cloned() {
                    self.stands(question, &text, lines)?;
                } else if wave.len() < CALLS && !(keeps && keys.contains(&question.key)) {
                    keys.push(question.key.clone());
                    wave.push(question);
                } else {
                    rest.push(question);
                }
            }
            open = rest;
            for (question, called) in self.wave(wave).await {
                let key = question.key.clone();
                let text = self.applied(question, called, lines)?;
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
        wave: Vec<Question<'h>>,
    ) -> Vec<(Question<'h>, Called)> {
        let with = self.with();
        let asking = wave.into_iter().map(|question| async move {
            let answer = question.asked.call(with).await;
            (question, answer)
        });
        let done: Vec<(Question<'h>, Called)> = join_all(asking).await;
        let longest = done.iter().map(|(_, called)| called.took).max().unwrap_or(Duration::ZERO);
        self.left = self.left.saturating_sub(longest);
        done
    }

    /// What was said before is said again.
    fn stands(
        &self,
        question: Question<'_>,
        text: &Arc<str>,
        lines: &mut [Line<'_>],
    ) -> Result<(), Stop> {
        let answer = Answer::read(question.asked.point, Kind::Transform, text);
        let body = Some(Arc::clone(text));
        let called = Called { answer, body, took: Duration::ZERO, attempts: 0 };
        self.applied(question, called, lines).map(drop)
    }

    /// Applies an answer to the input of its line; gives what is to be said of the same from now on.
    fn applied(
        &self,
        question: Question<'_>,
        called: Called,
        lines: &mut [Line<'_>],
    ) -> Result<Arc<str>, Stop> {
        let Question { line, asked, .. } = question;
        let Some(line) = lines.get_mut(line) else { return Ok(UNCHANGED.into()) };
        let hook = asked.hook;
        let (mut run, answer) = asked.settle(called);
        if run.answer.is_none() && self.keeps(hook) {
            run.answer = answer.as_ref().ok().and_then(Answer::write);
        }
        let pointer = line.point.payload().unwrap_or_default();
        let check = line.item.check;
        let taken = self.taken(hook, &line.at(), pointer, (answer, check), &mut run);
        let said = match (&run.outcome, hook.mode) {
            (Outcome::Applied, Mode::Enforce) | (Outcome::Unchanged, _) => run.answer.clone(),
            _ => None,
        };
        line.runs.push(run);
        match taken {
            Ok(Some(new)) => line.changed = new,
            Ok(None) => {}
            Err(stop) => {
                let behind = line.meant.iter().skip_while(|meant| meant.id != hook.id).skip(1);
                for hook in behind {
                    let outcome = Outcome::Skipped(Skip::FailedEarlier);
                    line.runs.push(super::line(hook, line.point, line.occurrence, outcome));
                }
                return Err(stop);
            }
        }
        Ok(said.unwrap_or_else(|| UNCHANGED.into()))
    }

    /// Tells the observe hooks of each input as it is now.
    async fn tell_each(&mut self, lines: &mut [Line<'_>]) -> Vec<ToSend> {
        let mut hooks: Vec<Vec<Arc<Hook>>> = Vec::with_capacity(lines.len());
        for line in &mut *lines {
            let (meant, others) = self.meant_of(&line.at(), line.occurrence, Kind::Observe);
            line.runs.extend(others);
            hooks.push(meant);
        }
        let mut open: Vec<Question<'_>> = Vec::new();
        for (at, (line, hooks)) in lines.iter().zip(&hooks).enumerate() {
            let whole = OnceLock::new();
            open.extend(hooks.iter().map(|hook| self.question(hook, at, line, &whole)));
        }
        if let Some(kept) = self.kept.as_ref().filter(|_| !open.is_empty()) {
            let asks: Vec<Ask<'_>> = open.iter().map(Question::ask).collect();
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
            let is_dry = self.dry && matches!(hook.does, Does::Call(_));
            if keeps {
                self.keep(hook, &question.key, "");
            }
            if hook.delivery == Delivery::Sync && !is_dry {
                now.push(question);
                continue;
            }
            let Question { line: at, asked, .. } = question;
            let Some(line) = lines.get_mut(at) else { continue };
            let outcome = if is_dry { Outcome::WouldCall } else { Outcome::Queued };
            let mut run = super::line(hook, asked.point, asked.occurrence, outcome);
            run.request_digest = Some(Arc::clone(asked.digest()));
            line.runs.push(run);
            if !is_dry {
                let own = hooks.get(at).into_iter().flatten().find(|own| own.id == hook.id);
                later.extend(own.map(|hook| ToSend {
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
            let wave = now.by_ref().take(CALLS).collect();
            for (question, called) in self.wave(wave).await {
                let Question { line, asked, .. } = question;
                let (mut run, answer) = asked.settle(called);
                if answer.is_ok() {
                    run.outcome = Outcome::Delivered;
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

    /// A dry run calls nobody, so it knows of nothing to keep.
    pub(super) fn keep(&self, hook: &Hook, key: &str, said: &str) {
        if let Some(kept) = self.kept.as_ref().filter(|_| !self.dry) {
            kept.keep(hook, key, said);
        }
    }

    fn question<'h>(
        &self,
        hook: &'h Hook,
        at: usize,
        line: &Line<'_>,
        whole: &OnceLock<Arc<str>>,
    ) -> Question<'h> {
        let asked = Asked::of_many(hook, &line.at(), line.occurrence, whole);
        self.question_of(asked, at, &line.at())
    }

    pub(super) fn question_at<'h>(
        &self,
        hook: &'h Hook,
        line: usize,
        here: &At<'_>,
        occurrence: u32,
    ) -> Question<'h> {
        self.question_of(Asked::new(hook, here, occurrence), line, here)
    }

    fn question_of<'h>(&self, asked: Asked<'h>, line: usize, here: &At<'_>) -> Question<'h> {
        let of = |make: fn(Point, &str) -> String| {
            self.kept.as_ref().map_or_else(String::new, |_| make(here.point, here.input))
        };
        Question { line, asked, key: of(key), answered: of(answered_key) }
    }
}
