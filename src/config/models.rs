//! The models file: rows that an operator adds to the built-in table.

use std::fs;
use std::path::{Path, PathBuf};

use crate::domain::{Family, Model, TokenizerName};

/// Why the models file cannot be used. The text names the file and the row.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the models file {} cannot be read", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the models file {} is not a list of models", path.display())]
    Parse { path: PathBuf, source: serde_json::Error },
    #[error("the models file {}: `{name}`: {detail}", path.display())]
    Row { path: PathBuf, name: String, detail: String },
}

/// One row of the file, and of `GET /models`.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Model)]
pub struct ModelRow {
    /// What `model` in a request names; dated variants (`name-2025-01-01`) find it too.
    #[schema(example = "gpt-4o")]
    pub name: String,
    /// `openai`, `anthropic`, `gemini` or `other`.
    #[serde(default = "other")]
    #[schema(example = "openai")]
    pub family: String,
    /// Tokens the window holds, the answer included.
    #[schema(example = 128_000)]
    pub context_window: u64,
    /// Tokens of the largest answer.
    #[schema(example = 16_384)]
    pub max_output: u64,
    /// `o200k_base`, `cl100k_base` or `bytes4`.
    #[serde(default = "o200k")]
    #[schema(example = "o200k_base")]
    pub tokenizer: String,
    /// What a count is multiplied by; 1 where the tokenizer is the model's own. The family's
    /// when absent.
    #[serde(default)]
    #[schema(example = 1.0)]
    pub factor: Option<f64>,
    /// Whether the model goes on from a last assistant message.
    #[serde(default)]
    pub prefill: bool,
    /// Whether an Anthropic model takes system messages between the others.
    #[serde(default)]
    pub system_messages: bool,
    /// Whether it takes changes of tools in these messages.
    #[serde(default)]
    pub tool_changes: bool,
}

impl From<&Model> for ModelRow {
    fn from(model: &Model) -> Self {
        Self {
            name: (*model.name).to_owned(),
            family: model.family.as_str().to_owned(),
            context_window: model.context_window,
            max_output: model.max_output,
            tokenizer: model.tokenizer.as_str().to_owned(),
            factor: Some(f64::from(model.factor_milli) / 1000.0),
            prefill: model.prefill,
            system_messages: model.system_messages,
            tool_changes: model.tool_changes,
        }
    }
}

/// Reads the rows of a models file.
pub fn read(path: &Path) -> Result<Vec<Model>, Error> {
    let text =
        fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    let rows: Vec<ModelRow> = serde_json::from_str(&text)
        .map_err(|source| Error::Parse { path: path.to_owned(), source })?;
    rows.into_iter()
        .map(|row| {
            let name = row.name.clone();
            model(row).map_err(|detail| Error::Row { path: path.to_owned(), name, detail })
        })
        .collect()
}

fn model(row: ModelRow) -> Result<Model, String> {
    if row.name.is_empty() {
        return Err("`name` is empty".to_owned());
    }
    if row.context_window == 0 {
        return Err("`context_window` is zero".to_owned());
    }
    let family = Family::parse(&row.family).ok_or_else(|| {
        format!("`{}` is no family: openai, anthropic, gemini, other", row.family)
    })?;
    let tokenizer = TokenizerName::parse(&row.tokenizer).ok_or_else(|| {
        format!("`{}` is no tokenizer: o200k_base, cl100k_base, bytes4", row.tokenizer)
    })?;
    Ok(Model {
        name: row.name.into(),
        family,
        context_window: row.context_window,
        max_output: row.max_output,
        tokenizer,
        factor_milli: row.factor.map_or(Ok(family.factor_milli()), thousandths)?,
        prefill: row.prefill,
        system_messages: row.system_messages,
        tool_changes: row.tool_changes,
    })
}

/// A factor in thousandths; rounded up, so that an estimate is never below what was asked for.
fn thousandths(factor: f64) -> Result<u32, String> {
    if !(0.1..=100.0).contains(&factor) {
        return Err("`factor` is not between 0.1 and 100".to_owned());
    }
    let milli = (factor * 1000.0 - 1e-6).ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 100 and 100,000 by the check above"
    )]
    Ok(milli as u32)
}

fn other() -> String {
    Family::Other.as_str().to_owned()
}

fn o200k() -> String {
    TokenizerName::O200kBase.as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Result<Vec<Model>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models.json");
        fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn absent_keys_have_the_family_s_values() {
        let row = r#"[{"name":"m","family":"gemini","context_window":9,"max_output":3}]"#;
        let model = rows(row).unwrap().remove(0);
        assert_eq!(model.factor_milli, 1050);
        assert_eq!(model.tokenizer, TokenizerName::O200kBase);
        assert!(!model.prefill);
    }

    #[test]
    fn a_row_of_the_table_reads_back_as_itself() {
        for known in crate::domain::Models::built_in().rows() {
            let text = serde_json::to_string(&[ModelRow::from(known)]).unwrap();
            assert_eq!(rows(&text).unwrap(), std::slice::from_ref(known));
        }
    }

    #[test]
    fn a_bad_row_is_named() {
        let row = r#"[{"name":"m","family":"x","context_window":9,"max_output":3}]"#;
        let error = rows(row).unwrap_err().to_string();
        assert!(error.contains("`m`") && error.contains("`x`"), "{error}");
        assert!(matches!(rows("{}"), Err(Error::Parse { .. })));
        assert!(matches!(rows(r#"[{"nam":1}]"#), Err(Error::Parse { .. })));
    }
}
