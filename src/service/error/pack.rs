//! Refusals of a publication, a look-up or a rule of packs.

use crate::json;
use crate::pack::LintFault;

/// The reason why nothing is done with a pack.
#[derive(Debug, thiserror::Error)]
pub enum PackRefusal {
    #[error("the pack has {} fault{}", .0.len(), if .0.len() == 1 { "" } else { "s" })]
    Lint(Vec<LintFault>),
    #[error("{0} is published with another digest: {1}")]
    VersionExists(String, String),
    #[error("no such pack is published")]
    NotFound,
    #[error("the rule uses operators that there are not")]
    Operators(Vec<json::Fault>),
}

impl PackRefusal {
    /// The code of the problem, and of the event of a compile. If the signature is the only fault of
    /// a pack, it has a code of its own.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Lint(faults) => {
                let mut errors = faults.iter().filter(|fault| fault.is_error());
                match (errors.next().map(|fault| fault.code), errors.next()) {
                    (Some(code @ ("pack_signature_missing" | "pack_signature_invalid")), None) => {
                        code
                    }
                    _ => "pack_lint",
                }
            }
            Self::VersionExists(..) => "pack_version_exists",
            Self::NotFound => "pack_not_found",
            Self::Operators(_) => "policy_operator_unknown",
        }
    }
}
