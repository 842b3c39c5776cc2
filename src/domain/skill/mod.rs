//! Skills: instructions under a name, with what a model or a person needs to choose one.

mod front_matter;
mod list;
mod rendering;

use std::sync::Arc;

pub use list::{SkillFormat, list_skills};
pub use rendering::{MAX_RENDERED_BYTES, RenderedTooLong, SkillUse, render_skill};

use super::Timestamp;

/// Bytes of a whole skill.
pub const MAX_SKILL_BYTES: usize = 256 << 10;

/// A skill. `allowed_tools` and `metadata` are listed and never acted on.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Skill {
    pub name: Arc<str>,
    pub description: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<Arc<str>>,
    pub instructions: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<Arc<str>>>,
    /// The folder that it was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_dir: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub metadata: serde_json::Map<String, serde_json::Value>,
}

impl Skill {
    /// Reads the text of a `SKILL.md`; everything that is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, Vec<String>> {
        front_matter::read(text)
    }

    /// The names of its arguments: the list `arguments` of its front matter.
    pub fn argument_names(&self) -> Vec<&str> {
        let names = self.metadata.get("arguments").and_then(serde_json::Value::as_array);
        names.into_iter().flatten().filter_map(serde_json::Value::as_str).collect()
    }
}

/// Whether a skill may have this name: it is part of paths and listings.
pub fn is_skill_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'))
        && !matches!(name, "." | "..")
}

/// Facts about a stored skill that are not in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSkill {
    pub name: Arc<str>,
    /// Counted from one with each change.
    pub version: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
