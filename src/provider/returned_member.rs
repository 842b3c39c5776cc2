//! A member of the caller's that a payload gives back: [`ReturnedMember`].

use crate::domain::RawJson;

/// A member of a provider's own request, as the caller gave it. It is no block of the payload, since no
/// conversation is in it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReturnedMember {
    pub name: &'static str,
    pub value: RawJson,
}
