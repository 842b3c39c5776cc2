//! The memory that a compile shows, as the store has it.

use std::sync::Arc;

use crate::domain::{MemoryEntry, Role};
use crate::pipeline::{self, Ranked};
use crate::request::{CompileRequest, Placement};
use crate::service::hook_runner::HookRunner;
use crate::service::sessions::TurnContext;
use crate::service::{Services, StoreError, memory};
use crate::store::Tx;

use super::{Error, recall};

/// What a compile remembers: the question, the entries ranked, and those whose time is up.
type MemoryRecallResult = (String, Vec<Ranked>, Vec<MemoryEntry>);

/// Reads what memory shows in this compile, by its own ranking.
pub(in crate::service) fn remember(
    services: &Services,
    turn: Option<&TurnContext>,
    request: &mut CompileRequest,
) -> Result<(), StoreError> {
    read(services, turn, request).map(drop)
}

/// The same, and hooks choose; answers the entries in sight whose time is up.
pub(super) fn remember_asking(
    services: &Services,
    turn: Option<&Arc<TurnContext>>,
    request: &mut CompileRequest,
    asking: &mut HookRunner<'_>,
) -> Result<Vec<MemoryEntry>, Error> {
    let turn = turn.map(|turn| &**turn);
    let Some((question, ranked, expired)) = read(services, turn, request)? else {
        return Ok(Vec::new());
    };
    if let Some(memory) = &mut request.memory
        && let Some(chosen) = recall::ask(asking, &ranked, (&question, memory.max_tokens))?
    {
        memory.entries = chosen;
    }
    Ok(expired)
}

fn read(
    services: &Services,
    turn: Option<&TurnContext>,
    request: &mut CompileRequest,
) -> Result<Option<MemoryRecallResult>, StoreError> {
    let question = question(request);
    let session = request.session_id.clone();
    let Some(memory) = request.memory.as_mut().filter(|memory| memory.from_store) else {
        return Ok(None);
    };
    memory.scope.session_id = memory.scope.session_id.take().or(session);
    let (scope, asked) = (memory.scope.clone(), question.clone());
    let read = move |tx: &Tx<'_>| {
        let ranked = memory::recalled(tx, &scope, &asked)?;
        Ok::<_, StoreError>((ranked, memory::expired(tx, &scope)?))
    };
    let (ranked, expired) = match turn.and_then(TurnContext::memory) {
        Some(trial) => trial.read(services, read)?,
        None => services.tenant().read(read)?,
    };
    memory.entries = ranked.iter().map(pipeline::shown_entry).collect();
    Ok(Some((question, ranked, expired)))
}

/// What memory is asked for: what the request says, else the last user message where the block
/// stands on it. Where it stands in the head, which is to stay the same, nothing in particular.
fn question(request: &CompileRequest) -> String {
    /// Characters of a message that are read, from its end.
    const READ: usize = 2_000;
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
            let from = text.char_indices().rev().nth(READ).map_or(0, |(at, _)| at);
            text.get(from..).unwrap_or_default().to_owned()
        }
    }
}
