//! `/packs` and `/policy`: documents that govern compiles, and their rules.

mod golden;
mod publish;
mod read;
mod rule;

pub(super) use golden::*;
pub(super) use publish::*;
pub(super) use read::*;
pub(super) use rule::*;

use serde_json::json;

use super::problem::{Kind, More, Problem};
use crate::pack::{LintFault, Refusal, RefusalCode, RefusalText};
use crate::service::compile;
use crate::service::packs::PackRefusal;

/// The problem of a pack that nothing is done with.
pub(super) fn problem_of(refused: PackRefusal) -> Problem {
    let detail = refused.to_string();
    match refused {
        PackRefusal::Lint(faults) => of_faults(&faults, detail),
        PackRefusal::VersionExists(..) => Problem::with_detail(Kind::PackVersionExists, detail),
        PackRefusal::NotFound => Problem::with_detail(Kind::PackNotFound, detail),
        PackRefusal::Operators(errors) => {
            Problem { errors, ..Problem::with_detail(Kind::PolicyOperatorUnknown, detail) }
        }
    }
}

/// The problem of a compile that a pack refuses.
pub(super) fn refusal(refused: compile::RefusedCompile) -> Problem {
    let compile::RefusedCompile { refusal, compilation, .. } = refused;
    let kind = match refusal.code {
        RefusalCode::PackIncompatible => Kind::PackIncompatible,
        RefusalCode::PackPinMismatch => Kind::PackPinMismatch,
        RefusalCode::PackMultipleUnsupported => Kind::PackMultipleUnsupported,
        RefusalCode::TenantMismatch => Kind::TenantMismatch,
        RefusalCode::CtxInvalid => Kind::CtxInvalid,
        RefusalCode::CtxSafetyModeInvalid => Kind::CtxSafetyModeInvalid,
        RefusalCode::IntentMissing => Kind::IntentMissing,
        RefusalCode::IntentUnknown => Kind::IntentUnknown,
        RefusalCode::IntentMismatch => Kind::IntentMismatch,
        RefusalCode::IntentChannelUnsupported => Kind::IntentChannelUnsupported,
        RefusalCode::IntentLocaleUnsupported => Kind::IntentLocaleUnsupported,
        RefusalCode::EvidenceSnapshotUnpinned => Kind::EvidenceSnapshotUnpinned,
        RefusalCode::BudgetTotalInvalid => Kind::BudgetTotalInvalid,
        RefusalCode::BudgetRequiredOverflow => Kind::BudgetRequiredOverflow,
        RefusalCode::TransformRequiredBlockChanged => Kind::TransformRequiredBlockChanged,
    };
    let Refusal { stage, said, .. } = refusal;
    let RefusalText { detail, faults, details } = *said;
    Problem {
        errors: faults,
        more: Some(Box::new(More { stage, details, compilation })),
        ..Problem::with_detail(kind, detail)
    }
}

/// Faults of a pack; those of its signature alone have problems of their own.
pub(super) fn of_faults(faults: &[LintFault], detail: String) -> Problem {
    let errors: Vec<&LintFault> = faults.iter().filter(|fault| fault.is_error()).collect();
    let kind = match errors.as_slice() {
        [one] if one.code == "pack_signature_missing" => Kind::PackSignatureMissing,
        [one] if one.code == "pack_signature_invalid" => Kind::PackSignatureInvalid,
        _ => Kind::PackLint,
    };
    let rows: Vec<_> = faults.iter().map(read::row).collect();
    let errors = errors.into_iter().map(|fault| crate::json::Fault {
        pointer: fault.pointer.clone(),
        detail: fault.detail.clone(),
        did_you_mean: fault.did_you_mean.clone(),
    });
    Problem {
        errors: errors.collect(),
        more: Some(Box::new(More {
            stage: None,
            details: json!({ "faults": rows }),
            compilation: None,
        })),
        ..Problem::with_detail(kind, detail)
    }
}
