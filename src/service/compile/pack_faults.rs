//! The faults of a request and its pack together, so that a caller sees them all at once.

use super::Error;
use crate::json::{Fault, Faults, Node};
use crate::pack::{self, LintFault};
use crate::request::{self, GovernedError, GovernedRequest, PackInBody};
use crate::service::{PackRefusal, RefusedCompile, Services};

/// Adds the faults of the members that belong to a pack, and of a pack document in the request, to
/// those of the other members.
pub(crate) fn with_pack_faults(
    services: &Services,
    node: &Node<'_>,
    of_request: Vec<Fault>,
) -> Vec<Fault> {
    let mut faults = Faults::default();
    faults.extend(of_request);
    match request::read_governed(node, services.now()) {
        Ok(governed) => faults.extend(absent_members(governed.as_ref())),
        Err(unread) => add_unread(unread, &mut faults),
    }
    faults.extend(faults_of_document(services, node));
    faults.into_vec()
}

fn absent_members(governed: Option<&GovernedRequest>) -> Vec<Fault> {
    governed.map(GovernedRequest::absent_members).unwrap_or_default()
}

/// Adds absent members of the request to the faults of the pack document in it: the stages of the
/// pack would refuse them once the document is mended.
pub(super) fn with_absent_members(
    services: &Services,
    node: &Node<'_>,
    governed: &GovernedRequest,
    error: Error,
) -> Error {
    let absent = governed.absent_members();
    match error {
        Error::Pack(PackRefusal::Lint(_)) if !absent.is_empty() => {
            let mut faults = faults_of_document(services, node);
            faults.extend(absent);
            Error::Invalid(faults)
        }
        error => error,
    }
}

/// Makes the error of members that belong to a pack and cannot be read. If the pack document in the
/// request has faults too, all are reported; a refusal alone keeps its own code.
pub(super) fn unread_members(services: &Services, node: &Node<'_>, unread: GovernedError) -> Error {
    let of_document = faults_of_document(services, node);
    match unread {
        GovernedError::Refused(refusal) if of_document.is_empty() => RefusedCompile::early(refusal),
        unread => {
            let mut faults = Faults::default();
            add_unread(unread, &mut faults);
            faults.extend(of_document);
            Error::Invalid(faults.into_vec())
        }
    }
}

fn add_unread(unread: GovernedError, faults: &mut Faults) {
    match unread {
        GovernedError::Invalid(of_pack) => faults.extend(of_pack),
        GovernedError::Refused(refusal) => refusal.add_to(faults),
    }
}

fn faults_of_document(services: &Services, node: &Node<'_>) -> Vec<Fault> {
    let mut faults = Faults::default();
    if let Some(PackInBody { pointer, document }) = request::find_pack_document(node) {
        let lint = pack::lint(document, services.pack_keys());
        let errors = lint.faults.into_iter().filter(LintFault::is_error);
        faults.extend(errors.map(|fault| Fault {
            pointer: format!("{pointer}{}", fault.pointer),
            detail: fault.detail,
            did_you_mean: fault.did_you_mean,
        }));
    }
    faults.into_vec()
}
