//! Reads the request of a replay, with what it names from the record or from the current store.

use crate::domain::Models;
use crate::json::Node;
use crate::request::{self, CompileRequest, KnownAdapters};
use crate::service::compilations::StoredRecord;
use crate::service::record::{self, RecordedAdapters};
use crate::service::{Error, Services, adapters, compile};

/// A request with the adapters that it names.
pub(super) struct RecordedRequest {
    pub(super) request: CompileRequest,
    pub(super) adapters: RecordedAdapters,
}

/// Reads the request, with all other inputs from the record.
pub(super) fn recorded(
    services: &Services,
    record: &StoredRecord,
    node: &Node<'_>,
) -> Result<RecordedRequest, Error> {
    let gone = Error::RecordIncomplete("the record was written by another release");
    let raw = &record.compilation.body;
    let (Some(model), Some(full)) = (record::model_of(raw), &record.body.full) else {
        return Err(gone);
    };
    // A table with the recorded model alone; a model that was unknown then stays unknown.
    let mut models = Models::empty();
    let is_known = Models::unknown(&model.name) != model && !model.name.is_empty();
    models.extend(is_known.then_some(model));
    let known = adapters::from_record(&full.adapters)?;
    let mut request = read(services, node, &models, &known)?;
    if let (Some(memory), Some(entries)) = (&mut request.memory, record::memory_of(raw)) {
        memory.entries = entries;
    }
    record::session_of(raw).ok_or(gone)?.put_into(&mut request);
    Ok(RecordedRequest { request, adapters: known.stored })
}

/// Reads the request, with all other inputs as they are now.
pub(super) fn today(services: &Services, node: &Node<'_>) -> Result<RecordedRequest, Error> {
    let known = adapters::look_up(services, node.get("compression"))?;
    let mut request = read(services, node, services.models(), &known)?;
    compile::remember(services, None, &mut request)?;
    Ok(RecordedRequest { request, adapters: known.stored.clone() })
}

fn read(
    services: &Services,
    node: &Node<'_>,
    models: &Models,
    known: &KnownAdapters,
) -> Result<CompileRequest, Error> {
    let check_url = |url: &str| services.check_hook_url(url);
    request::read_compile(node, models, known, &check_url).map_err(|faults| {
        let within = faults.into_iter().map(|fault| crate::json::Fault {
            pointer: format!("/request{}", fault.pointer),
            ..fault
        });
        Error::Invalid(within.collect())
    })
}
