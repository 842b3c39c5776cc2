//! Finds where a payload first differs from the previous one.

use crate::domain::{Model, Note};
use crate::pipeline::{self, CompiledPayload, FirstChange, PayloadBlocks};
use crate::request::PreviousCompile;
use crate::service::Services;
use crate::service::earlier_payload::{EarlierPayload, last_sent};
use crate::service::sessions::SessionHandle;

/// Reports where the payload first differs from the previous one, which is the one that the caller
/// names, else the last payload of its session.
pub(super) fn note_change(
    services: &Services,
    compiled: &mut CompiledPayload,
    model: &Model,
    previous: Option<&PreviousCompile>,
    session: Option<&SessionHandle>,
) {
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
    let Some(before) = before.as_ref().and_then(EarlierPayload::blocks) else { return };
    let now = PayloadBlocks::from_written(compiled.payload(), &compiled.written.blocks);
    let counter = &services.pipeline().counter;
    let count = |text: &str| counter.count(model.tokenizer, text);
    let found = pipeline::first_change(&before, &now, &compiled.hints, &count);
    let scaled = |change: FirstChange| FirstChange {
        tokens_behind: model.scale(change.tokens_behind),
        ..change
    };
    compiled.report.first_change(found.map(scaled));
}
