//! Schemas of `/skills`.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::service::skills::{FolderError, FoundSkill};

/// A skill as it is stored. All but `description` and `instructions` may be absent.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"description": "Reviews a change", "instructions": "Look at $0 and say what is wrong."}))]
pub struct SkillDefinition {
    /// The name in the path.
    pub name: Option<String>,
    /// What it does, for choosing one.
    pub description: String,
    /// When a model should choose it.
    pub when_to_use: Option<String>,
    /// The text for the model.
    pub instructions: String,
    /// Told, and never acted on.
    pub allowed_tools: Option<Vec<String>>,
    /// Anything; the list `arguments` in it names the words of the arguments.
    pub metadata: Option<Value>,
}

/// A skill.
#[derive(Debug, Serialize, ToSchema)]
pub struct Skill {
    /// The name of the skill.
    pub name: String,
    /// What the skill is for.
    pub description: String,
    /// When a model should choose it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when_to_use: Option<String>,
    /// Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The tools that the skill may use, or null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// An object that is kept with it and not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub metadata: Option<Map<String, Value>>,
    /// `stored`, or `folder` where it was read from a `SKILL.md` at the start.
    #[schema(example = "stored")]
    pub source: &'static str,
    /// From 1, one more with each write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

impl Skill {
    /// As in a list.
    pub fn row(found: &FoundSkill) -> Self {
        let FoundSkill { skill, stored } = found;
        let texts =
            |list: &Vec<std::sync::Arc<str>>| list.iter().map(ToString::to_string).collect();
        Self {
            name: skill.name.to_string(),
            description: skill.description.to_string(),
            when_to_use: skill.when_to_use.as_ref().map(ToString::to_string),
            instructions: None,
            allowed_tools: skill.allowed_tools.as_ref().map(texts),
            metadata: (!skill.metadata.is_empty()).then(|| skill.metadata.clone()),
            source: if stored.is_some() { "stored" } else { "folder" },
            version: stored.as_ref().map(|stored| stored.version),
            created_at: stored.as_ref().map(|stored| stored.created_at.to_string()),
            updated_at: stored.as_ref().map(|stored| stored.updated_at.to_string()),
        }
    }

    pub fn whole(found: &FoundSkill) -> Self {
        Self { instructions: Some(found.skill.instructions.to_string()), ..Self::row(found) }
    }
}

/// Skills by name.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillList {
    pub items: Vec<Skill>,
    pub next_cursor: Option<String>,
    /// What could not be read of the server's folders.
    pub errors: Vec<SkillError>,
}

/// A file or folder that is no skill.
#[derive(Debug, Serialize, ToSchema)]
pub struct SkillError {
    /// The last two names of its path.
    #[schema(example = "broken/SKILL.md")]
    pub path: String,
    /// What is wrong with the file.
    pub message: String,
}

impl From<&FolderError> for SkillError {
    fn from(error: &FolderError) -> Self {
        // Callers must not see where the server keeps its files.
        let names: Vec<_> =
            error.path.iter().rev().take(2).map(|name| name.to_string_lossy()).collect();
        let path = names.iter().rev().map(AsRef::as_ref).collect::<Vec<&str>>().join("/");
        Self { path, message: error.message.clone() }
    }
}

/// What to put into the instructions.
#[derive(Debug, ToSchema)]
pub struct RenderSkill {
    /// One text, whose words are the arguments; text in quotes is one word.
    pub args: Option<String>,
    /// The value of `${NAME}`.
    #[schema(value_type = Option<Object>, example = json!({"BRANCH": "main"}))]
    pub vars: Option<Value>,
    /// What the words are called; the list `arguments` of the skill's metadata when absent.
    pub argument_names: Option<Vec<String>>,
    /// Whether a line with the skill's folder stands first.
    pub include_base_dir: Option<bool>,
    /// Whether arguments that no place asks for are appended; true when absent.
    pub append_args_if_no_placeholder: Option<bool>,
}

/// A skill with everything put in.
#[derive(Debug, Serialize, ToSchema)]
pub struct RenderedSkill {
    /// The name of the skill.
    pub name: String,
    /// The instructions with arguments and variables filled in.
    pub instructions: String,
}
