//! Takes a provider's usage of a session's last payload: calibrates token counts by it, and replaces
//! the assumed cost of the payload.

use std::sync::Arc;

use super::UNKNOWN;
use super::payload_usage::{PayloadUsage, judged};
use crate::domain::{Note, Notes, PayloadCost, ReportedCost, Session, UsageReport};
use crate::json::{self, Limits};
use crate::request;
use crate::service::{Error, Services, usage};

/// A session after a report of usage.
#[derive(Debug)]
pub struct ReportedUsage {
    pub session: Session,
    /// The cost of the payload by the report; none if its prices are not known.
    pub cost: Option<PayloadCost>,
    pub warnings: Vec<Note>,
}

/// Notes the `usage` object in `body` in a session.
pub fn report(services: &Services, id: &str, body: &str) -> Result<ReportedUsage, Error> {
    let node = json::parse(body, Limits::default())?;
    let request = request::read_usage_request(&node).map_err(Error::Invalid)?;
    let named = |name: &Arc<str>| {
        services.models().find(name).map_or_else(|| Arc::clone(name), |row| Arc::clone(&row.name))
    };
    let model = request.model.as_ref().map(named);
    let (id, usual) = (Arc::<str>::from(id), services.tenant().usual_session_ttl());
    let (models, of) = (services.models().clone(), Arc::clone(&id));
    let (reported, change) = services.tenant().write_durable(move |tx| {
        let mut session = tx.session(&id)?.ok_or(UNKNOWN)?;
        let known = match &model {
            Some(model) => session.measured.iter().find(|known| known.model == *model),
            None => session.last_measured(),
        };
        let Some(known) = known.cloned() else {
            let detail = "nothing was compiled in the session that the usage could be of";
            return Err(Error::Conflict(detail.to_owned()));
        };
        let mut notes = Notes::default();
        request.diagnostics.note(&mut notes);
        let mut change: Option<ReportedCost> = None;
        if let Some(tokens) = request.tokens {
            let report = judged(&models, &known, tokens.input(), &mut notes);
            if let UsageReport::Plausible(factor) = report {
                session.learn(&known.model, factor);
            }
            if report != UsageReport::Implausible {
                let usage = PayloadUsage::note(&models, &mut session, &known.model, tokens);
                usage.note_cache(tx, &id)?;
                PayloadUsage::note_record(tx, usage.cost.as_ref())?;
                change = usage.cost;
            }
        }
        session.touch(tx.now(), usual);
        tx.put_session(&session)?;
        let cost = change.as_ref().map(|change| change.after);
        Ok((ReportedUsage { session, cost, warnings: notes.warnings }, change))
    })?;
    if let Some(change) = &change {
        usage::count_reported(services, &of, change);
    }
    Ok(reported)
}
