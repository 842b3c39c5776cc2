//! The faults of a pack, by stable codes.

use crate::json::{Fault, Faults, Path};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Prevents publishing.
    Error,
    Warning,
}

/// A fault of a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LintFault {
    pub code: &'static str,
    pub severity: Severity,
    /// JSON Pointer into the document.
    pub pointer: String,
    pub detail: String,
    pub did_you_mean: Option<String>,
    /// The sum of the weights of a split.
    pub sum: Option<String>,
}

impl LintFault {
    /// Whether it prevents publishing.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Collects faults while a document is read.
#[derive(Debug, Default)]
pub(super) struct Lint {
    /// Missing, unknown and mistyped members.
    pub(super) shape: Faults,
    coded: Vec<LintFault>,
}

impl Lint {
    /// Faults kept of each kind; the response to a document of a million faults does not echo them.
    pub(super) const MAX_FAULTS: usize = 256;

    pub(super) fn error(&mut self, code: &'static str, at: &Path<'_>, detail: impl Into<String>) {
        self.push(code, Severity::Error, at.pointer(), detail.into());
    }

    pub(super) fn warn(&mut self, code: &'static str, at: &Path<'_>, detail: impl Into<String>) {
        self.push(code, Severity::Warning, at.pointer(), detail.into());
    }

    pub(super) fn error_at(&mut self, code: &'static str, at: String, detail: impl Into<String>) {
        self.push(code, Severity::Error, at, detail.into());
    }

    pub(super) fn warn_at(&mut self, code: &'static str, at: String, detail: impl Into<String>) {
        self.push(code, Severity::Warning, at, detail.into());
    }

    /// Reports a split whose weights do not add up to one.
    pub(super) fn sum(&mut self, at: &Path<'_>, sum: String) {
        self.error("budget_split_sum", at, format!("the sum of the weights is {sum}, not 1"));
        if let Some(last) = self.coded.last_mut() {
            last.sum = Some(sum);
        }
    }

    fn push(&mut self, code: &'static str, severity: Severity, pointer: String, detail: String) {
        if self.coded.len() < Self::MAX_FAULTS {
            let (did_you_mean, sum) = (None, None);
            self.coded.push(LintFault { code, severity, pointer, detail, did_you_mean, sum });
        }
    }

    /// All faults, sorted by place.
    pub(super) fn into_faults(self) -> Vec<LintFault> {
        let mut faults: Vec<LintFault> =
            self.shape.into_vec().into_iter().map(from_shape_fault).chain(self.coded).collect();
        faults.sort_by(|a, b| (&a.pointer, a.code).cmp(&(&b.pointer, b.code)));
        faults
    }
}

fn from_shape_fault(fault: Fault) -> LintFault {
    let Fault { pointer, detail, did_you_mean } = fault;
    let code = match detail.as_str() {
        "is missing" => "pack_field_missing",
        text if text.starts_with("unknown key") => "pack_field_unknown",
        _ => "pack_field_invalid",
    };
    LintFault { code, severity: Severity::Error, pointer, detail, did_you_mean, sum: None }
}
