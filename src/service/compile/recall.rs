//! Runs the hooks at `recall_memory`, which choose among the stored entries and add others.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Error;
use crate::hook::{
    AnswerReader, HookInput, HookKind, MatchContext, Point, PointInput as _, RecallMemoryInput,
};
use crate::pipeline::{self, HookPort as _, RankedMemory};
use crate::request::{self, RequestMemoryEntry};
use crate::service::hook_runner::HookRunner;

/// The choice of hooks.
#[derive(Debug)]
pub(super) struct RecallChoice {
    /// The entries that hooks choose and add.
    pub(super) entries: Vec<RequestMemoryEntry>,
    /// Keys of their answers that are none of the candidates.
    pub(super) unknown: BTreeSet<Arc<str>>,
}

/// The choice of hooks; none if no hook answers, so that the ranking of the store applies.
pub(super) fn ask(
    runner: &mut HookRunner<'_>,
    ranked: &[RankedMemory],
    query: &str,
    max_tokens: u64,
) -> Result<Option<RecallChoice>, Error> {
    const POINT: Point = Point::RecallMemory;
    if !runner.has(POINT, HookKind::Provide) {
        return Ok(None);
    }
    let input = RecallMemoryInput {
        query: (!query.is_empty()).then_some(query),
        candidates: ranked.iter().map(|one| (&*one.entry).into()).collect(),
        max_tokens,
    }
    .to_json();
    let known: BTreeSet<Arc<str>> = ranked.iter().map(|one| Arc::clone(&one.entry.key)).collect();
    let reader = AnswerReader::new(request::read_recalled);
    let at = HookInput { point: POINT, input: &input, facts: MatchContext::default() };
    let provided = runner.provide(at, &|_| 0, &|answer| reader.check(answer))?;
    let answers: Vec<_> =
        provided.answers.iter().filter_map(|(_, answer)| reader.take(answer)).collect();
    if answers.is_empty() {
        return Ok(None);
    }
    let chosen: Vec<&Arc<str>> = answers.iter().flat_map(|one| one.keys.iter().flatten()).collect();
    let unknown = chosen.iter().filter(|key| !known.contains(**key)).map(|key| Arc::clone(key));
    let unknown = unknown.collect();
    // A list of nothing but unknown keys chooses nothing: the ranking applies.
    let is_choice =
        |keys: &Vec<Arc<str>>| keys.is_empty() || keys.iter().any(|key| known.contains(key));
    let chooses = answers.iter().any(|one| one.keys.as_ref().is_some_and(is_choice));
    let mut entries: Vec<RequestMemoryEntry> = Vec::new();
    if chooses {
        for key in chosen {
            let one = ranked.iter().find(|one| one.entry.key == *key);
            if let Some(one) = one.filter(|_| !entries.iter().any(|entry| entry.key == *key)) {
                entries.push(pipeline::shown_entry(one));
            }
        }
    } else {
        entries.extend(ranked.iter().map(pipeline::shown_entry));
    }
    entries.extend(answers.into_iter().flat_map(|one| one.entries));
    // Chosen entries are shown in the order of the answers. If no hook chose, added entries follow
    // the ranked ones.
    if chooses {
        for (place, entry) in entries.iter_mut().enumerate() {
            entry.place = place;
        }
    } else {
        let mut next = entries.iter().map(|entry| entry.place).max().unwrap_or_default();
        for entry in entries.iter_mut().skip(ranked.len()) {
            next += 1;
            entry.place = next;
        }
    }
    Ok(Some(RecallChoice { entries, unknown }))
}
