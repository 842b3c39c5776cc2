//! Provide hooks: what they add, put together in an order that does not depend on who was faster.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::join_all;

use super::{HookInput, HookRound, PayloadCheck, PreparedCall};
use crate::hook::answer::{HookAnswer, IncludePlace, ProvidedText};
use crate::hook::definition::{EnforcementMode, Hook};
use crate::hook::failure::{CallFailure, FailureCause};
use crate::hook::point::{HookKind, ProvideRule};
use crate::hook::run::{HookRun, HookStop, RunOutcome, SkipReason};

/// The result of the provide hooks of a point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProvideResult {
    /// Pieces of text, in their order.
    pub fragments: Vec<Fragment>,
    /// Typed answers as JSON text with the hook that gave each, in the order of the hooks; at most
    /// one if the point takes one.
    pub answers: Vec<(Arc<str>, Arc<str>)>,
}

/// A piece of text that is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    pub hook: Arc<str>,
    pub content: Arc<str>,
    pub include: IncludePlace,
    /// Under a pack, the bucket that it is for.
    pub bucket: Option<Arc<str>>,
    /// Tokens that it takes.
    pub tokens: u32,
    /// Whether the end was cut to fit a cap.
    pub clipped: bool,
}

/// Counts the tokens of a text.
pub type CountTokens<'t> = &'t (dyn Fn(&str) -> u32 + Send + Sync);

/// The pieces as one text, a line end between them.
pub fn join(fragments: &[Fragment]) -> String {
    let contents: Vec<&str> = fragments.iter().map(|fragment| &*fragment.content).collect();
    contents.join("\n")
}

/// The answer of a provide hook, with its line in the report.
struct ProvidedAnswer {
    hook: Arc<Hook>,
    run: HookRun,
    answer: Result<HookAnswer, CallFailure>,
}

/// The texts of a provide hook, with its line in the report.
struct ProvidedTexts {
    hook: Arc<Hook>,
    run: HookRun,
    texts: Vec<ProvidedText>,
}

impl HookRound<'_> {
    /// Asks the provide hooks: all at once, or one after another if only the first answer is used.
    /// `check` validates a typed answer, `tokens` counts the tokens of a text.
    ///
    /// # Errors
    /// A hook failed whose failure fails the request.
    pub async fn provide(
        &mut self,
        at: HookInput<'_>,
        tokens: CountTokens<'_>,
        check: PayloadCheck<'_>,
    ) -> Result<ProvideResult, HookStop> {
        let occurrence = self.count_occurrence(at.point, HookKind::Provide);
        let hooks = self.select(&at, occurrence, HookKind::Provide);
        match at.point.provides() {
            ProvideRule::First(_) => self.first(&hooks, &at, occurrence, check).await,
            _ => self.all(hooks, &at, occurrence, tokens, check).await,
        }
    }

    async fn first(
        &mut self,
        hooks: &[Arc<Hook>],
        at: &HookInput<'_>,
        occurrence: u32,
        check: PayloadCheck<'_>,
    ) -> Result<ProvideResult, HookStop> {
        let mut provided = ProvideResult::default();
        let mut hooks = hooks.iter();
        while let Some(hook) = hooks.next() {
            let (run, answer) = self.ask(hook, at, occurrence).await;
            let end = match self.typed(hook, at, run, check_answer(answer, check))? {
                Some(answer) => {
                    provided.answers.push((Arc::clone(&hook.id), answer));
                    hook.mode == EnforcementMode::Enforce
                }
                None => false,
            };
            if end {
                for hook in hooks {
                    self.skip(hook, at.point, occurrence, SkipReason::AnsweredEarlier);
                }
                break;
            }
        }
        Ok(provided)
    }

    async fn all(
        &mut self,
        hooks: Vec<Arc<Hook>>,
        at: &HookInput<'_>,
        occurrence: u32,
        tokens: CountTokens<'_>,
        check: PayloadCheck<'_>,
    ) -> Result<ProvideResult, HookStop> {
        let (with, keeps_inputs) = (self.call_settings(), self.keeps_inputs);
        let whole = &OnceLock::new();
        let asking = hooks.into_iter().map(|hook| async move {
            let asked = PreparedCall::new_shared(&hook, at, occurrence, whole);
            let came = asked.call(with).await;
            let (run, answer) = asked.settle(came, keeps_inputs);
            ProvidedAnswer { hook, run, answer }
        });
        let asked: Vec<ProvidedAnswer> = join_all(asking).await;
        let longest = asked.iter().map(|one| one.run.took).max().unwrap_or(Duration::ZERO);
        self.left = self.left.saturating_sub(longest);
        let mut provided = ProvideResult::default();
        let (mut given, mut stop) = (Vec::new(), None);
        for ProvidedAnswer { hook, run, answer } in asked {
            let text = match answer {
                Ok(HookAnswer::Fragments(texts)) => Some(texts),
                other => {
                    match self.typed(&hook, at, run.clone(), check_answer(other, check)) {
                        Ok(Some(answer)) => provided.answers.push((Arc::clone(&hook.id), answer)),
                        Ok(None) => {}
                        // All hooks were called at once, so all get their lines before the round
                        // ends.
                        Err(error) => stop = stop.or(Some(error)),
                    }
                    None
                }
            };
            if let Some(texts) = text {
                given.push(ProvidedTexts { hook, run, texts });
            }
        }
        if let Some(stop) = stop {
            for ProvidedTexts { run, .. } in given {
                self.runs.push(HookRun {
                    outcome: RunOutcome::Skipped(SkipReason::FailedEarlier),
                    ..run
                });
            }
            return Err(stop);
        }
        provided.fragments = self.merge(given, tokens);
        Ok(provided)
    }

    /// Writes the line of a hook that gave no text, and returns its typed answer.
    fn typed(
        &mut self,
        hook: &Hook,
        at: &HookInput<'_>,
        run: HookRun,
        answer: Result<HookAnswer, CallFailure>,
    ) -> Result<Option<Arc<str>>, HookStop> {
        let (run, answer) = self.typed_line(hook, at, run, answer);
        self.runs.push(run);
        answer
    }

    /// The line of a hook that gave no text, and its typed answer.
    pub(super) fn typed_line(
        &self,
        hook: &Hook,
        at: &HookInput<'_>,
        mut run: HookRun,
        answer: Result<HookAnswer, CallFailure>,
    ) -> (HookRun, Result<Option<Arc<str>>, HookStop>) {
        let answer = match answer {
            Ok(HookAnswer::Typed(answer)) => {
                run.outcome = RunOutcome::Applied;
                Ok((hook.mode == EnforcementMode::Enforce).then_some(answer))
            }
            Ok(_) => {
                run.outcome = self.called_outcome(hook, RunOutcome::Unchanged);
                Ok(None)
            }
            Err(failure) => {
                run.outcome = RunOutcome::Failed(failure.clone());
                Self::failure_policy(hook, at, &failure, &run).map(|_| None)
            }
        };
        (run, answer)
    }

    /// Puts the pieces of all hooks in order and within their caps, and writes the lines.
    fn merge(&mut self, given: Vec<ProvidedTexts>, tokens: CountTokens<'_>) -> Vec<Fragment> {
        let slots = holders(&given);
        let mut pieces: Vec<(i32, Fragment)> = Vec::new();
        for ProvidedTexts { hook, mut run, texts } in given {
            let mut taken: Vec<Option<&str>> = Vec::new();
            let mut order: Vec<&ProvidedText> = texts.iter().collect();
            order.sort_by_key(|piece| std::cmp::Reverse(piece.priority));
            let mut room = hook.max_tokens;
            let mut own = Vec::new();
            for piece in order {
                let slot = piece.exclusive_slot.as_deref();
                let holder = slot.and_then(|slot| slots.get(slot));
                let lost = holder.is_some_and(|holder| *holder != hook.id && run_holds(&run));
                if lost || (slot.is_some() && taken.contains(&slot)) {
                    continue;
                }
                taken.push(slot);
                let cap = piece.max_tokens.unwrap_or(u32::MAX).min(room);
                let (content, used) = clip(&piece.content, cap, tokens);
                let clipped = content.len() < piece.content.len();
                run.clipped |= clipped;
                room = room.saturating_sub(used);
                if !content.is_empty() {
                    let content = content.into();
                    let hook = Arc::clone(&hook.id);
                    let (include, bucket) = (piece.include, piece.bucket.clone());
                    let fragment =
                        Fragment { hook, content, include, bucket, tokens: used, clipped };
                    own.push((piece.priority, fragment));
                }
            }
            run.tokens =
                own.iter().fold(0, |sum: u32, (_, piece)| sum.saturating_add(piece.tokens));
            run.outcome = match own.is_empty() {
                true if !run.clipped => RunOutcome::Skipped(SkipReason::ExclusiveConflict),
                true => RunOutcome::Unchanged,
                false => RunOutcome::Applied,
            };
            if hook.mode == EnforcementMode::Enforce {
                pieces.extend(own);
            }
            self.runs.push(run);
        }
        // Stable: among equals the order of the hooks and of their pieces stays.
        pieces.sort_by_key(|(priority, _)| std::cmp::Reverse(*priority));
        pieces.into_iter().map(|(_, piece)| piece).collect()
    }
}

fn check_answer(
    answer: Result<HookAnswer, CallFailure>,
    check: PayloadCheck<'_>,
) -> Result<HookAnswer, CallFailure> {
    if let Ok(HookAnswer::Typed(text)) = &answer {
        check(text).map_err(|why| CallFailure::new(FailureCause::InvalidPayload, why))?;
    }
    answer
}

/// A hook that is only watched does not compete.
fn run_holds(run: &HookRun) -> bool {
    !run.audit
}

/// The hook that gets each exclusive slot: of those that ask for it, the one whose id comes first.
fn holders(given: &[ProvidedTexts]) -> BTreeMap<Arc<str>, Arc<str>> {
    let mut slots: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
    for ProvidedTexts { hook, texts, .. } in given.iter().filter(|one| run_holds(&one.run)) {
        for slot in texts.iter().filter_map(|piece| piece.exclusive_slot.as_ref()) {
            let holder = slots.entry(Arc::clone(slot)).or_insert_with(|| Arc::clone(&hook.id));
            if hook.id < *holder {
                *holder = Arc::clone(&hook.id);
            }
        }
    }
    slots
}

/// The longest start of a text that takes at most `cap` tokens, and what it takes. The work
/// follows what is kept, not what is given.
fn clip<'t>(text: &'t str, cap: u32, tokens: CountTokens<'_>) -> (&'t str, u32) {
    let start = |bytes: usize| text.get(..text.floor_char_boundary(bytes)).unwrap_or_default();
    let mut most = usize::try_from(cap).unwrap_or(usize::MAX).saturating_mul(4).max(64);
    // Doubles until it is too much, or all.
    let mut fits = 0;
    loop {
        let all = most >= text.len();
        let used = tokens(start(most));
        if used <= cap && all {
            return (text, used);
        }
        if used > cap {
            break;
        }
        fits = most;
        most = most.saturating_mul(2);
    }
    while most - fits > 1 {
        let middle = fits + (most - fits) / 2;
        if tokens(start(middle)) <= cap {
            fits = middle;
        } else {
            most = middle;
        }
    }
    let kept = start(fits);
    (kept, tokens(kept))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_clipped_text_fits_and_one_more_character_does_not(
            text in "[a-c€😀]{0,400}", cap in 0_u32..80
        ) {
            let count = |text: &str| u32::try_from(text.len().div_ceil(4)).unwrap();
            let (kept, used) = clip(&text, cap, &count);
            prop_assert!(text.starts_with(kept) && used == count(kept) && used <= cap);
            if let Some(next) = text[kept.len()..].chars().next() {
                prop_assert!(count(&text[..kept.len() + next.len_utf8()]) > cap);
            }
        }
    }
}
