//! Reads the stored memory that a compile shows.

use crate::domain::{MemoryEntry, MemoryScope, Role};
use crate::pipeline::{self, RankedMemory};
use crate::request::{CompileRequest, Placement};
use crate::service::hook_runner::HookRunner;
use crate::service::{Services, StoreError, memory};
use crate::store::{MemoryView, Tx};

use super::{CompileTurn, Error, recall};

/// The memory that a compile can show.
#[derive(Debug)]
pub(crate) struct MemoryRecall {
    /// Entries, the most relevant first.
    pub(crate) ranked: Vec<RankedMemory>,
    /// Expired entries that are still stored.
    pub(crate) expired: Vec<MemoryEntry>,
}

/// Reads the memory of a scope, ranked by relevance for a query.
pub(crate) fn read_memory(
    tx: &Tx<'_>,
    scope: &MemoryScope,
    query: &str,
) -> Result<MemoryRecall, StoreError> {
    let view = MemoryView::new(scope.clone());
    let ranked = memory::recalled(tx, &view, query, &|_| true)?;
    Ok(MemoryRecall { ranked, expired: memory::expired(tx, scope)? })
}

/// Fills the request's memory with stored entries, without calling hooks.
pub(crate) fn remember(
    services: &Services,
    turn: Option<&dyn CompileTurn>,
    request: &mut CompileRequest,
) -> Result<(), StoreError> {
    let query = query_of(request);
    read(services, turn, request, &query).map(drop)
}

/// Fills the request's memory with stored entries, or with those that `recall_memory` hooks choose.
/// Returns the expired entries of the scope.
pub(crate) fn remember_asking(
    services: &Services,
    turn: Option<&dyn CompileTurn>,
    request: &mut CompileRequest,
    runner: &mut HookRunner<'_>,
) -> Result<Vec<MemoryEntry>, Error> {
    let query = query_of(request);
    let Some(MemoryRecall { ranked, expired }) = read(services, turn, request, &query)? else {
        return Ok(Vec::new());
    };
    if let Some(memory) = &mut request.memory
        && let Some(chosen) = recall::ask(runner, &ranked, &query, memory.max_tokens)?
    {
        memory.entries = chosen.entries;
        for key in chosen.unknown {
            let detail = format!("`{key}` is none of the candidates of `recall_memory` hooks");
            request.notes.warn("recalled_key_unknown", "/memory".to_owned(), detail);
        }
    }
    Ok(expired)
}

fn read(
    services: &Services,
    turn: Option<&dyn CompileTurn>,
    request: &mut CompileRequest,
    query: &str,
) -> Result<Option<MemoryRecall>, StoreError> {
    let Some(memory) = request.memory.as_mut().filter(|memory| memory.from_store) else {
        return Ok(None);
    };
    let of_turn = match turn {
        Some(turn) => turn.recall(services, &memory.scope, query)?,
        None => None,
    };
    let recall = match of_turn {
        Some(recall) => recall,
        None => services.tenant().read(|tx| read_memory(tx, &memory.scope, query))?,
    };
    memory.entries = recall.ranked.iter().map(pipeline::shown_entry).collect();
    Ok(Some(recall))
}

/// The query that ranks memory: that of the request, or else the last user message if the memory
/// block is placed there. A block in the system text has no query, so that the cached head does not
/// change with every message.
fn query_of(request: &CompileRequest) -> String {
    /// Characters that are read from the end of the message.
    const MAX_READ_ENTRIES: usize = 2_000;
    let Some(memory) = &request.memory else { return String::new() };
    match (&memory.query, memory.placement) {
        (Some(query), _) => query.to_string(),
        (None, Placement::System) => String::new(),
        (None, Placement::LastUser) => {
            let mut messages = request.conversation.history.iter().rev();
            let last = messages.find(|message| message.role == Role::User);
            let texts: Vec<&str> = last
                .iter()
                .flat_map(|message| &message.parts)
                .filter_map(|part| part.as_text().map(|text| &**text))
                .collect();
            let text = texts.join("\n");
            let from = text.char_indices().rev().nth(MAX_READ_ENTRIES).map_or(0, |(at, _)| at);
            text.get(from..).unwrap_or_default().to_owned()
        }
    }
}
