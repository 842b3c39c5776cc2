//! Finds where a payload first differs from the previous one.

use super::cost::{CacheFacts, PayloadTokens, payload_cost};
use crate::domain::{CostFigures, Model, Note};
use crate::pipeline::{self, ChangeReason, CompiledPayload, FirstChange, PayloadBlocks};
use crate::request::{self, CacheOptions, PreviousCompile};
use crate::service::Services;
use crate::service::earlier_payload::{EarlierPayload, last_sent};
use crate::service::record::ENGINE;
use crate::service::sessions::SessionHandle;

/// Reports where the payload first differs from the previous one, which is the one that the caller
/// names, else the last payload of its session. Returns the payload's cost, if it is known.
pub(super) fn note_change(
    services: &Services,
    compiled: &mut CompiledPayload,
    model: &Model,
    cache: &CacheOptions,
    session: Option<&SessionHandle>,
) -> Option<CostFigures> {
    let previous = cache.previous.as_ref();
    let before = match previous {
        Some(PreviousCompile::Payload(raw)) => Some(EarlierPayload::Request(raw)),
        Some(PreviousCompile::Id(id)) => {
            let known = services.recall_payload(id);
            if known.is_none() {
                compiled.report.warn(Note {
                    code: "previous_unknown",
                    pointer: "/cache/previous".to_owned(),
                    detail: "no such answer is remembered".to_owned(),
                });
            }
            known.map(EarlierPayload::Remembered)
        }
        None => session.and_then(|session| last_sent(services, session)),
    };
    let Some(before) = before.as_ref().and_then(EarlierPayload::blocks) else {
        let state = CacheFacts {
            is_warm: false,
            new_tokens: compiled.report.report().tokens_after,
            previous_before: None,
            ttl: cache.ttl,
        };
        return note_cost(compiled, model, state);
    };
    let now = PayloadBlocks::from_written(compiled.payload(), &compiled.written.blocks);
    let counter = &services.pipeline().counter;
    let count = |text: &str| counter.count(model.tokenizer, text);
    let found = pipeline::first_change(&before, &now, &compiled.hints, &count);
    let is_older = previous.is_none() && session.is_some_and(is_of_other_engine);
    let scaled = |change: FirstChange| {
        let is_by_engine = is_older && change.why.is_by_engine();
        let why = if is_by_engine { ChangeReason::EngineChanged } else { change.why };
        FirstChange { why, ..change.scaled(&|tokens| model.scale(tokens)) }
    };
    let new_tokens = match &found {
        Some(change) => model.scale(change.tokens_behind),
        None => model.scale(pipeline::appended_tokens(&before, &now, &count)),
    };
    compiled.report.first_change(found.map(scaled));
    let previous_before = match previous {
        Some(_) => None,
        None => session.and_then(|session| session.sent.as_ref()?.tokens_before),
    };
    let is_warm = cache.state != request::CacheState::Cold;
    let state = CacheFacts { is_warm, new_tokens, previous_before, ttl: cache.ttl };
    note_cost(compiled, model, state)
}

/// Whether the last payload of a session was made by another version of the engine.
fn is_of_other_engine(session: &SessionHandle) -> bool {
    let engine = session.sent.as_ref().and_then(|sent| sent.engine.as_ref());
    engine.is_some_and(|engine| **engine != *ENGINE)
}

fn note_cost(
    compiled: &mut CompiledPayload,
    model: &Model,
    state: CacheFacts,
) -> Option<CostFigures> {
    let figures = payload_cost(model, PayloadTokens::new(compiled.report.report()), state);
    compiled.report.cost(figures.map(|figures| figures.cost));
    figures
}
