//! An object of options in a request.

use crate::json::{Faults, Fields, Path};

/// Turns a request may shield; more than any conversation has.
pub(super) const MAX_TURNS: u64 = 10_000;

/// The members of the object under a key, if the request has it.
pub(super) fn section<'r, 'a>(
    fields: &Fields<'r, 'a>,
    key: &'r str,
    path: &'r Path<'r>,
    known: &[&str],
    faults: &mut Faults,
) -> Option<Fields<'r, 'a>> {
    let node = fields.get(key)?;
    Fields::read(node, path.key(key), known, faults)
}
