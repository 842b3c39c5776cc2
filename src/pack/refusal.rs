//! Why nothing is compiled under a pack.

use serde_json::{Value, json};

use crate::json::{Fault, Faults, Path};

/// The closed list of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalCode {
    PackIncompatible,
    PackPinMismatch,
    PackMultipleUnsupported,
    TenantMismatch,
    CtxInvalid,
    CtxSafetyModeInvalid,
    IntentMissing,
    IntentUnknown,
    IntentMismatch,
    IntentChannelUnsupported,
    IntentLocaleUnsupported,
    EvidenceSnapshotUnpinned,
    BudgetTotalInvalid,
    BudgetRequiredOverflow,
    TransformRequiredBlockChanged,
}

impl RefusalCode {
    /// The code as problems have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PackIncompatible => "pack_incompatible",
            Self::PackPinMismatch => "pack_pin_mismatch",
            Self::PackMultipleUnsupported => "pack_multiple_unsupported",
            Self::TenantMismatch => "tenant_mismatch",
            Self::CtxInvalid => "ctx_invalid",
            Self::CtxSafetyModeInvalid => "ctx_safety_mode_invalid",
            Self::IntentMissing => "intent_missing",
            Self::IntentUnknown => "intent_unknown",
            Self::IntentMismatch => "intent_mismatch",
            Self::IntentChannelUnsupported => "intent_channel_unsupported",
            Self::IntentLocaleUnsupported => "intent_locale_unsupported",
            Self::EvidenceSnapshotUnpinned => "evidence_snapshot_unpinned",
            Self::BudgetTotalInvalid => "budget_total_invalid",
            Self::BudgetRequiredOverflow => "budget_required_overflow",
            Self::TransformRequiredBlockChanged => "transform_required_block_changed",
        }
    }
}

/// A compile that is refused. A decision that denies is no refusal: the compiled context contains
/// it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", .said.detail)]
pub struct Refusal {
    pub code: RefusalCode,
    /// The stage that refused; `None` if the request was refused before the first one.
    pub stage: Option<&'static str>,
    pub said: Box<RefusalText>,
}

/// The text of a refusal.
#[derive(Debug, Clone, PartialEq)]
pub struct RefusalText {
    pub detail: String,
    pub faults: Vec<Fault>,
    /// Further details for programs; null if there are none.
    pub details: Value,
}

impl Refusal {
    pub fn new(code: RefusalCode, stage: Option<&'static str>, detail: impl Into<String>) -> Self {
        let said = RefusalText { detail: detail.into(), faults: Vec::new(), details: Value::Null };
        Self { code, stage, said: Box::new(said) }
    }

    /// Adds the place of the fault.
    #[must_use]
    pub fn at(mut self, pointer: &str) -> Self {
        let detail = self.said.detail.clone();
        self.said.faults.push(Fault { pointer: pointer.to_owned(), detail, did_you_mean: None });
        self
    }

    /// Reports the refusal as a fault of a request that has other faults, too.
    pub fn add_to(self, faults: &mut Faults) {
        if self.said.faults.is_empty() {
            faults.add(&Path::Root, self.said.detail);
        } else {
            faults.extend(self.said.faults);
        }
    }

    /// Adds all places of faults.
    #[must_use]
    pub fn at_all(mut self, faults: Vec<Fault>) -> Self {
        self.said.faults = faults;
        self
    }

    /// Adds places of further faults, which have texts of their own.
    #[must_use]
    pub fn and_at(mut self, faults: impl IntoIterator<Item = Fault>) -> Self {
        self.said.faults.extend(faults);
        self
    }

    /// Converts each pointer to the one in another document, if it differs there.
    #[must_use]
    pub fn placed(mut self, place: impl Fn(&str) -> Option<String>) -> Self {
        for fault in &mut self.said.faults {
            if let Some(pointer) = place(&fault.pointer) {
                fault.pointer = pointer;
            }
        }
        self
    }

    #[must_use]
    pub fn with(mut self, details: Value) -> Self {
        self.said.details = details;
        self
    }

    /// The refusal as a record stores it: no part of it depends on the time.
    pub fn to_record(&self) -> Value {
        let faults = self.said.faults.iter();
        let errors = faults.map(|fault| json!({"pointer": fault.pointer, "detail": fault.detail}));
        json!({
            "code": self.code.as_str(),
            "stage": self.stage,
            "detail": self.said.detail,
            "errors": errors.collect::<Vec<_>>(),
            "details": self.said.details,
        })
    }
}
