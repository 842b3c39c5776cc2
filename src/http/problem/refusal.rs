//! Refusals of packs and of memory candidates, as problems.

use serde_json::json;

use super::{Kind, Problem, ProblemExtension};
use crate::http::schema::LintRow;
use crate::json::Fault;
use crate::pack::{LintFault, Refusal, RefusalCode, RefusalText};
use crate::service::{CandidateRefusal, PackRefusal, RefusedCompile};

/// Returns the type of problem for a refused step of a candidate.
pub(super) fn candidate_kind(refusal: &CandidateRefusal) -> Kind {
    match refusal {
        CandidateRefusal::Class(_) => Kind::MemoryClassUnknown,
        CandidateRefusal::Transition { .. } => Kind::MemoryBadTransition,
        CandidateRefusal::SelfReview => Kind::MemorySelfReview,
        CandidateRefusal::Agent | CandidateRefusal::Lacks(_) => Kind::MemoryRole,
        CandidateRefusal::Contradiction(_) => Kind::MemoryContradiction,
        CandidateRefusal::NoConsent => Kind::MemoryConsentMissing,
    }
}

/// Makes the problem of a pack that is refused.
pub(super) fn pack_problem(refused: PackRefusal) -> Problem {
    let problem = Problem::with_detail(Kind::from_code(refused.code()), refused.to_string());
    match refused {
        PackRefusal::Lint(faults) => with_lint_faults(problem, &faults),
        PackRefusal::VersionExists(..) | PackRefusal::NotFound => problem,
        PackRefusal::Operators(errors) => Problem { errors, ..problem },
    }
}

/// Makes the problem of a compile that its pack refuses.
pub(super) fn governed_problem(refused: RefusedCompile) -> Problem {
    let RefusedCompile { refusal, compilation, .. } = refused;
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
        extension: Some(Box::new(ProblemExtension { stage, details, compilation })),
        ..Problem::with_detail(kind, detail)
    }
}

/// Adds the faults of a pack to its problem.
fn with_lint_faults(problem: Problem, faults: &[LintFault]) -> Problem {
    let rows: Vec<_> = faults.iter().map(LintRow::from).collect();
    let errors = faults.iter().filter(|fault| fault.is_error()).map(|fault| Fault {
        pointer: fault.pointer.clone(),
        detail: fault.detail.clone(),
        did_you_mean: fault.did_you_mean.clone(),
    });
    Problem {
        errors: errors.collect(),
        extension: Some(Box::new(ProblemExtension {
            stage: None,
            details: json!({ "faults": rows }),
            compilation: None,
        })),
        ..problem
    }
}
