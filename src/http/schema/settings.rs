//! The settings of the server, for callers.

use serde::Serialize;
use utoipa::ToSchema;

use crate::config::Setting;

/// The settings of a node.
#[derive(Debug, Serialize, ToSchema)]
pub struct SettingList {
    pub items: Vec<SettingRow>,
}

/// A flag of `contexture serve`.
#[derive(Debug, Serialize, ToSchema)]
pub struct SettingRow {
    /// The flag, without its dashes.
    #[schema(example = "max-body-bytes")]
    pub flag: String,
    /// The variable of the environment that sets it, too.
    #[schema(example = "CONTEXTURE_MAX_BODY_BYTES")]
    pub variable: String,
    /// What it belongs to.
    #[schema(example = "Limits")]
    pub section: String,
    /// Null if it is not set, or secret.
    #[schema(example = "33554432")]
    pub value: Option<String>,
    /// `default`, `environment` or `flag`: what the value is from.
    #[schema(example = "default")]
    pub source: &'static str,
    /// Whether the value is never shown.
    pub secret: bool,
    /// What it means.
    pub about: String,
}

impl From<&Setting> for SettingRow {
    fn from(setting: &Setting) -> Self {
        Self {
            flag: setting.flag.clone(),
            variable: setting.variable.clone(),
            section: setting.section.clone(),
            value: setting.value.clone(),
            source: setting.source.as_str(),
            secret: setting.is_secret,
            about: setting.about.clone(),
        }
    }
}
