//! A turn without a compile: its messages are appended, and its calls judged and run as in any other.

use std::sync::Arc;

use serde_json::json;

use super::{PreparedTurn, TurnContext, TurnError};
use crate::domain::Note;
use crate::request::CompileRequest;
use crate::service::effects::{Effects, StoredTurn, TurnEffects};
use crate::service::fact_observers::FactObservers;
use crate::service::response_body::ResponseBody;
use crate::service::sessions::SessionUpdate;
use crate::service::{Services, StoreError, compile, usage};
use crate::store::{Batch, Tx};

/// A turn that is stored without a payload.
#[derive(Debug)]
struct AppendedTurn {
    turn: Arc<TurnContext>,
    /// What the session learns from the usage in the request.
    update: SessionUpdate,
}

impl StoredTurn for AppendedTurn {
    fn carry_out(&self, tx: &Tx<'_>) -> Result<(), StoreError> {
        self.turn.carry_out(tx)
    }

    fn append(&self, tx: &Tx<'_>, response: &ResponseBody) -> Result<(), StoreError> {
        self.turn.session.append(tx, self.turn.shape.decided(), &self.update)?;
        self.turn.append(tx, response)
    }
}

/// Stores a prepared turn, and returns its response as JSON. `request` has the options of the turn.
pub(super) fn append(
    services: &Services,
    prepared: &PreparedTurn,
    mut request: CompileRequest,
) -> Result<String, TurnError> {
    let turn = Arc::clone(&prepared.turn);
    let known = request.notes.warnings.len();
    let update = turn.session.report(services.models(), &mut request);
    let warnings = request.notes.warnings.split_off(known);
    let set = compile::pinned(services, &request)?;
    let agent = request.memory.as_ref().and_then(|memory| memory.scope.agent.as_ref());
    let scope = services.hook_scope(Some(&turn.session.id), agent);
    let observers = FactObservers::new(&set, scope.clone());
    let response = write(&turn, &warnings);
    let (session, reported) = (Arc::clone(&turn.session.id), update.reported_cost().cloned());
    let stored = Arc::new(AppendedTurn { turn, update }) as Arc<dyn StoredTurn>;
    let effects = Effects {
        scope,
        observers: Some(observers.clone()),
        turn: Some(TurnEffects { turn: stored, response: response.clone().into() }),
        ..Effects::default()
    };
    let done = effects.commit(services, Batch::default())?;
    services.observe_now(&observers, &done.facts);
    if let Some(reported) = &reported {
        usage::count_reported(services, &session, reported);
    }
    Ok(response)
}

fn write(turn: &TurnContext, warnings: &[Note]) -> String {
    let count = turn.held + turn.append.len() as u64;
    let results = &turn.results;
    let lines: Vec<_> = turn.effects.runs.iter().filter_map(compile::hook_line).collect();
    let hooks = if lines.is_empty() {
        String::new()
    } else {
        // Lines are JSON texts, which always serialise.
        format!(",\"hooks\":{}", serde_json::to_string(&lines).unwrap_or_default())
    };
    let warnings = json!(warnings);
    format!("{{\"results\":{results},\"messages\":{count}{hooks},\"warnings\":{warnings}}}")
}
