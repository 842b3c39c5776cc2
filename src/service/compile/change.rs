//! Where a payload leaves the one before it.

use bytes::Bytes;

use crate::domain::{Model, Note};
use crate::json::{self, Limits};
use crate::pipeline::{self, CompiledPayload, FirstChange};
use crate::request::PreviousCompile;
use crate::service::Services;
use crate::service::sessions::{SessionHandle, last_sent};

/// Finds where the payload leaves the one before it: the one the caller names, else the last
/// of its session.
pub(super) fn note_change(
    services: &Services,
    compiled: &mut CompiledPayload,
    model: &Model,
    previous: Option<&PreviousCompile>,
    session: Option<&SessionHandle>,
) {
    let before = match previous {
        Some(PreviousCompile::Payload(raw)) => {
            Some(Bytes::copy_from_slice(raw.as_str().as_bytes()))
        }
        Some(PreviousCompile::Id(id)) => {
            let known = services.recall_payload(id);
            if known.is_none() {
                compiled.report.warnings.push(Note {
                    code: "previous_unknown",
                    pointer: "/cache/previous".to_owned(),
                    detail: "no such answer is remembered".to_owned(),
                });
            }
            known
        }
        None => session.and_then(|session| last_sent(services, session)),
    };
    let Some(Ok(before)) = before.as_deref().map(std::str::from_utf8) else { return };
    if before == compiled.payload() {
        return;
    }
    let read = |text| json::parse(text, Limits::default()).ok();
    let (Some(before), Some(now)) = (read(before), read(compiled.payload())) else { return };
    let counter = &services.pipeline().counter;
    let count = |text: &str| counter.count(model.tokenizer, text);
    let found = pipeline::first_change(&before, &now, &compiled.hints, &count);
    compiled.report.cache.first_change = found
        .map(|change| FirstChange { tokens_behind: model.scale(change.tokens_behind), ..change });
}
