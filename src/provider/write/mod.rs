//! From neutral messages to a provider's payload.

use super::Sandwich;
use crate::domain::Target;

/// Writes the payload as JSON text.
pub fn write(_target: Target, _sandwich: Sandwich<'_>) -> String {
    String::new()
}
