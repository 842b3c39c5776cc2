//! Replays a golden set under a version of its pack, and compares each compile with its record.

use super::{Golden, find_published, golden};
use crate::json::{self, Faults, Fields, Path};
use crate::pack::PackRef;
use crate::pipeline::Deadline;
use crate::service::compilations::{self, ReplayComparison};
use crate::service::{Error, Services, compile};

/// Result of replaying a set.
#[derive(Debug)]
pub struct GoldenOutcome {
    pub reference: PackRef,
    /// The version under which the set was replayed.
    pub against: PackRef,
    pub cases: Vec<Case>,
}

/// A compile of the set, with its outcome.
#[derive(Debug)]
pub struct Case {
    pub golden: Golden,
    pub outcome: CaseOutcome,
}

#[derive(Debug)]
pub enum CaseOutcome {
    Replayed(Box<ReplayComparison>),
    /// Another engine made the record, so that its compile cannot be compared.
    EngineChanged,
    /// The compile could not be replayed.
    Failed(Box<Error>),
}

/// Replays the set of a version under the version that `body` names: `{"against"?: "id@version"}`,
/// or else under its own. All other inputs are the records'; nothing is called and nothing is
/// stored.
pub fn run(
    services: &Services,
    id: &str,
    version: &str,
    body: &str,
    deadline: &Deadline,
) -> Result<GoldenOutcome, Error> {
    let node = json::parse_or_empty(body)?;
    let mut faults = Faults::default();
    let mut against = None;
    if let Some(fields) = Fields::read(&node, Path::Root, &["against"], &mut faults)
        && let Some(given) = fields.text("against", &mut faults)
    {
        against = PackRef::parse(given);
        if against.is_none() {
            fields.fault("against", "must be `id@version`", &mut faults);
        }
    }
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let set = golden(services, id, version)?;
    let against = match against {
        Some(other) => find_published(services, &other.id, &other.version.to_string())?,
        None => set.reference.clone(),
    };
    let mut cases = Vec::with_capacity(set.items.len());
    for golden in set.items {
        let record = &golden.record;
        let outcome = if record.is_current {
            match compilations::strict(services, record, Some(&against), deadline) {
                Ok(replayed) => CaseOutcome::Replayed(Box::new(replayed)),
                Err(error) if ends_run(&error) => return Err(error),
                Err(error) => CaseOutcome::Failed(Box::new(error)),
            }
        } else {
            CaseOutcome::EngineChanged
        };
        cases.push(Case { golden, outcome });
    }
    Ok(GoldenOutcome { reference: set.reference, against, cases })
}

/// Whether an error concerns the whole set, and not only this compile.
fn ends_run(error: &Error) -> bool {
    match error {
        Error::Stopped(_) | Error::Store(_) => true,
        Error::Compile(error) => {
            matches!(**error, compile::Error::Stopped(_) | compile::Error::Store(_))
        }
        _ => false,
    }
}
