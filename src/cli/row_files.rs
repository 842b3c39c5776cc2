//! The models file and the keys file: what is wrong in them is shown at its place.

use std::path::Path;

use super::CommandError;
use super::failure::{FileFaults, SettingFileFaults, SettingRefusal};
use super::paths::refuse_standard_input;
use super::source_file::SourceFile;
use crate::config::{self, Config, KeysError, ModelsError};
use crate::domain::{Key, Model};
use crate::json::Fault;

/// Reads the rows of a models file.
pub(super) fn read_models(path: &Path) -> Result<Vec<Model>, CommandError> {
    let source = read(path)?;
    config::parse_models(path, &source.text).map_err(|error| match error {
        ModelsError::Parse { source: error, .. } => source.misfit(&error).into(),
        ModelsError::Row { index, name, detail, .. } => row_fault(&source, index, &name, &detail),
        other @ ModelsError::Read { .. } => other.into(),
    })
}

/// Reads the keys of a keys file.
pub(super) fn read_keys(path: &Path) -> Result<Vec<Key>, CommandError> {
    let source = read(path).map_err(of_setting)?;
    match config::parse_keys(path, &source.text) {
        Ok(keys) => Ok(keys.into_iter().map(|(key, _)| key).collect()),
        Err(KeysError::Parse { source: error, .. }) => {
            Err(of_setting(source.misfit(&error).into()))
        }
        Err(KeysError::Row { index, id, detail, .. }) => {
            Err(of_setting(row_fault(&source, index, &id, &detail)))
        }
        Err(other) => Err(other.into()),
    }
}

/// Refuses a keys file that cannot be changed: standard input, and a file that is no list of keys. A
/// file that is missing is made.
pub(super) fn check_changed_keys(path: &Path) -> Result<(), CommandError> {
    refuse_standard_input(path, "the keys file is written, and - is standard input")?;
    if !path.exists() {
        return Ok(());
    }
    let source = read(path).map_err(of_setting)?;
    match config::parse_keys(path, &source.text) {
        Err(KeysError::Parse { source: error, .. }) => {
            Err(of_setting(source.misfit(&error).into()))
        }
        // A key that is wrong can be taken out.
        _ => Ok(()),
    }
}

/// Refuses the files of a server that are not what they have to be. What cannot be read at all, the
/// server says itself.
pub(super) fn check_files_of_server(config: &Config) -> Result<(), CommandError> {
    let why = "a server reads its files by their names, and - is standard input";
    if let Some(path) = &config.server.models_file {
        refuse_standard_input(path, why).map_err(of_setting)?;
        if path.is_file() {
            read_models(path).map_err(of_setting)?;
        }
    }
    if let Some(path) = &config.keys.keys_file {
        refuse_standard_input(path, why).map_err(of_setting)?;
        if path.is_file() {
            read_keys(path)?;
        }
    }
    Ok(())
}

/// The error of a file, as one of the setting that names it.
fn of_setting(error: CommandError) -> CommandError {
    match error.downcast::<FileFaults>() {
        Ok(faults) => Box::new(SettingFileFaults(*faults)),
        Err(error) => Box::new(SettingRefusal(error.to_string())),
    }
}

fn read(path: &Path) -> Result<SourceFile, CommandError> {
    let source = SourceFile::read_json(path)?;
    source.check_not_empty()?;
    source.check_json(None)?;
    Ok(source)
}

fn row_fault(source: &SourceFile, index: usize, name: &str, detail: &str) -> CommandError {
    let detail = if name.is_empty() { detail.to_owned() } else { format!("`{name}`: {detail}") };
    let fault = Fault { pointer: format!("/{index}"), detail, did_you_mean: None };
    source.faults(&[fault], "").into()
}
