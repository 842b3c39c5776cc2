//! Schemas of `/artifacts`.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::Artifact;

/// A text to put aside.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"text": "the 9,000 lines of a log", "tail_chars": 1000}))]
pub struct OffloadRequest {
    /// The text.
    pub text: String,
    /// UTF-16 units up to which a text stays as it is.
    #[schema(default = 5_000)]
    pub threshold: Option<u64>,
    /// UTF-16 units of the beginning that stay in sight, to the last whole line.
    #[schema(default = 0)]
    pub head_chars: Option<u64>,
    /// UTF-16 units of the end that stay in sight, from the first whole line.
    #[schema(default = 2_000)]
    pub tail_chars: Option<u64>,
}

/// The outcome for the text. `id` and the members after it are there only if it is stored.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OffloadResponse)]
pub struct OffloadAnswer {
    /// Whether the text was stored, and `text` is a marker.
    pub offloaded: bool,
    /// The id of the artifact.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "574a963fe4c28cab63d90746")]
    pub id: Option<String>,
    /// What to send to the model: the text itself, or the marker that replaces it.
    pub text: String,
    /// Bytes of the text in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Lines of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub expires_at: Option<String>,
}

impl OffloadAnswer {
    pub(crate) fn kept(text: String) -> Self {
        Self { offloaded: false, id: None, text, bytes: None, lines: None, expires_at: None }
    }

    pub(crate) fn stored(artifact: &Artifact, marker: String) -> Self {
        Self {
            offloaded: true,
            id: Some(artifact.id.to_string()),
            text: marker,
            bytes: Some(artifact.bytes),
            lines: Some(artifact.lines),
            expires_at: Some(artifact.expires_at.to_string()),
        }
    }
}

/// The caps of a cleanup; the settings' if absent. 0 keeps nothing.
#[derive(Debug, ToSchema)]
#[schema(as = ArtifactCleanupRequest)]
pub struct CleanupRequest {
    /// Seconds since an artifact was last stored.
    #[schema(example = 86_400)]
    pub max_age_seconds: Option<u64>,
    /// The number of artifacts.
    #[schema(example = 1_000)]
    pub max_count: Option<u64>,
    /// Bytes of all artifacts together.
    pub max_bytes: Option<u64>,
}
