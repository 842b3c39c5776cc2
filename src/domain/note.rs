//! Lines of the report: what was changed on the way in and out, and why.

/// One thing that the caller should know of.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[schema(as = ReportNote)]
pub struct Note {
    /// A stable word for programs, such as `prefill_as_text`.
    pub code: &'static str,
    /// JSON Pointer into the request.
    pub pointer: String,
    /// What happened, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// Notes by the list of the report they belong to.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Notes {
    /// Content that the target cannot hold, and what it became.
    pub degraded: Vec<Note>,
    /// Repairs of ingest.
    pub repairs: Vec<Note>,
    pub warnings: Vec<Note>,
}

impl Notes {
    pub fn degraded(&mut self, code: &'static str, pointer: String, detail: impl Into<String>) {
        self.degraded.push(Note { code, pointer, detail: detail.into() });
    }

    pub fn repaired(&mut self, code: &'static str, pointer: String, detail: impl Into<String>) {
        self.repairs.push(Note { code, pointer, detail: detail.into() });
    }

    pub fn warn(&mut self, code: &'static str, pointer: String, detail: impl Into<String>) {
        self.warnings.push(Note { code, pointer, detail: detail.into() });
    }
}
