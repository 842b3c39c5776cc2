//! The models file: rows that an operator adds to the built-in catalogue.

use std::fs;
use std::path::{Path, PathBuf};

use crate::domain::{Model, ModelRow};

/// Why the models file cannot be used. The text names the file and the row.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the models file {} cannot be read", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the models file {} is not a list of models", path.display())]
    Parse { path: PathBuf, source: serde_json::Error },
    #[error("the models file {}: `{name}`: {detail}", path.display())]
    Row { path: PathBuf, index: usize, name: String, detail: String },
}

/// Reads the rows of a models file.
pub fn read(path: &Path) -> Result<Vec<Model>, Error> {
    let text =
        fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    parse(path, &text)
}

/// Reads the rows in the text of a models file. A byte order mark is ignored.
pub fn parse(path: &Path, text: &str) -> Result<Vec<Model>, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rows: Vec<ModelRow> = serde_json::from_str(text)
        .map_err(|source| Error::Parse { path: path.to_owned(), source })?;
    rows.into_iter()
        .enumerate()
        .map(|(index, row)| {
            let name = row.name.clone();
            let named = if name.is_empty() { Err("`name` is empty".to_owned()) } else { Ok(row) };
            named.and_then(Model::try_from).map_err(|detail| Error::Row {
                path: path.to_owned(),
                index,
                name,
                detail,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Models, TokenizerName};

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
        for known in Models::built_in().rows() {
            let text = serde_json::to_string(&[ModelRow::from(known)]).unwrap();
            assert_eq!(rows(&text).unwrap(), std::slice::from_ref(known));
        }
    }

    #[test]
    fn a_bad_row_is_named() {
        let row = r#"[{"name":"m","family":"x","context_window":9,"max_output":3}]"#;
        let error = rows(row).unwrap_err().to_string();
        assert!(error.contains("`m`") && error.contains("`x`"), "{error}");
        let row = r#"[{"name":"m","context_window":9,"max_output":3,"checked":"May"}]"#;
        assert!(rows(row).unwrap_err().to_string().contains("`checked` is no day"));
        let row = r#"[{"name":"m","context_window":9,"max_output":3,"max_input":10}]"#;
        assert!(rows(row).unwrap_err().to_string().contains("`max_input`"));
        let row =
            r#"[{"name":"m","context_window":9,"max_output":3,"prices":{"input":-1,"output":2}}]"#;
        assert!(rows(row).unwrap_err().to_string().contains("`prices.input`"));
        assert!(matches!(rows("{}"), Err(Error::Parse { .. })));
        assert!(matches!(rows(r#"[{"nam":1}]"#), Err(Error::Parse { .. })));
    }
}
