//! A golden set under a version of its pack: which compiles come to the same, and where others part.

use super::{Golden, golden, published};
use crate::json::{self, Faults, Fields, Path};
use crate::pack::PackRef;
use crate::pipeline::Deadline;
use crate::service::compilations::{self, Replayed};
use crate::service::{Error, Services, compile};

/// What a set came to.
#[derive(Debug)]
pub struct GoldenOutcome {
    pub reference: PackRef,
    /// The version that it was run under.
    pub against: PackRef,
    pub cases: Vec<Case>,
}

/// One compile of it.
#[derive(Debug)]
pub struct Case {
    pub golden: Golden,
    pub outcome: CaseOutcome,
}

#[derive(Debug)]
pub enum CaseOutcome {
    Replayed(Box<Replayed>),
    /// It cannot be run.
    Failed(Box<Error>),
}

/// Runs the set of a version under the one that `body` names: `{"against"?: "id@version"}`, its own
/// where it names none. Nothing is called and nothing is stored: everything else is the record's.
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
        Some(other) => published(services, &other.id, &other.version.to_string())?,
        None => set.reference.clone(),
    };
    let mut cases = Vec::with_capacity(set.items.len());
    for golden in set.items {
        let outcome = match compilations::strict(services, &golden.record, Some(&against), deadline)
        {
            Ok(replayed) => CaseOutcome::Replayed(Box::new(replayed)),
            Err(error) if is_of_all(&error) => return Err(error),
            Err(error) => CaseOutcome::Failed(Box::new(error)),
        };
        cases.push(Case { golden, outcome });
    }
    Ok(GoldenOutcome { reference: set.reference, against, cases })
}

/// Whether it is not this compile that stands in the way.
fn is_of_all(error: &Error) -> bool {
    match error {
        Error::Stopped(_) | Error::Store(_) => true,
        Error::Compile(error) => {
            matches!(**error, compile::Error::Stopped(_) | compile::Error::Store(_))
        }
        _ => false,
    }
}
