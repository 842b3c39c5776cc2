//! Why nothing is compiled under a pack.

use serde_json::Value;

use crate::json::Fault;

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

/// A compile that is not to be. A decision that denies is none: it is told in what was compiled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{detail}")]
pub struct Refusal {
    pub code: RefusalCode,
    /// The stage that refused; none where it was settled before the first one.
    pub stage: Option<&'static str>,
    pub detail: String,
    pub faults: Vec<Fault>,
    /// What else programs may want to know; null where there is nothing.
    pub details: Value,
}

impl Refusal {
    pub fn new(code: RefusalCode, stage: Option<&'static str>, detail: impl Into<String>) -> Self {
        Self { code, stage, detail: detail.into(), faults: Vec::new(), details: Value::Null }
    }

    /// The same, with the place that is to blame.
    #[must_use]
    pub fn at(mut self, pointer: &str) -> Self {
        let detail = self.detail.clone();
        self.faults.push(Fault { pointer: pointer.to_owned(), detail, did_you_mean: None });
        self
    }

    #[must_use]
    pub fn with(self, details: Value) -> Self {
        Self { details, ..self }
    }
}
