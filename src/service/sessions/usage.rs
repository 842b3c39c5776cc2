//! Calibrates token counts by the counts of a provider.

use std::sync::Arc;

use super::UNKNOWN;
use super::handle::learnt_factor;
use crate::domain::{Note, Notes, Session};
use crate::json::{self, Limits};
use crate::request;
use crate::service::{Error, Services};

/// A session after a report of usage.
#[derive(Debug)]
pub struct ReportedUsage {
    pub session: Session,
    pub warnings: Vec<Note>,
}

/// Calibrates a session's counts by the `usage` object in `body`.
pub fn report(services: &Services, id: &str, body: &str) -> Result<ReportedUsage, Error> {
    let node = json::parse(body, Limits::default())?;
    let request = request::read_usage_request(&node).map_err(Error::Invalid)?;
    let named = |name: &Arc<str>| {
        services.models().find(name).map_or_else(|| Arc::clone(name), |row| Arc::clone(&row.name))
    };
    let model = request.model.as_ref().map(named);
    let (id, usual) = (id.to_owned(), services.tenant().usual_session_ttl());
    let models = services.models().clone();
    services.tenant().write_durable(move |tx| {
        let mut session = tx.session(&id)?.ok_or(UNKNOWN)?;
        let known = match &model {
            Some(model) => session.measured.iter().find(|known| known.model == *model),
            None => session.last_measured(),
        };
        let Some(known) = known else {
            let detail = "nothing was compiled in the session that the usage could be of";
            return Err(Error::Conflict(detail.to_owned()));
        };
        let mut notes = Notes::default();
        let tokens = request.tokens;
        let factor = tokens.and_then(|tokens| learnt_factor(&models, known, tokens, &mut notes));
        if let Some(factor) = factor {
            let model = Arc::clone(&known.model);
            session.learn(&model, factor);
        }
        session.touch(tx.now(), usual);
        tx.put_session(&session)?;
        Ok(ReportedUsage { session, warnings: notes.warnings })
    })
}
