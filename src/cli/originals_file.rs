//! The file of `expand --originals`: originals by id, or a response that contains them.

use std::path::Path;

use serde_json::value::RawValue;

use super::CommandError;
use super::failure::FileFaults;
use super::members::OrderedMembers;
use super::source_file::SourceFile;
use crate::http::problem::Problem;
use crate::json::Fault;

/// Pointer of the originals in a request and in a response.
const ORIGINALS: &str = "/originals";

/// A file with originals.
pub(super) struct OriginalsFile {
    source: SourceFile,
    pub(super) originals: Box<RawValue>,
    /// Whether the file is a response, which has other members.
    is_response: bool,
}

impl OriginalsFile {
    pub(super) fn read(path: &Path) -> Result<Self, CommandError> {
        let source = SourceFile::read_json(path)?;
        source.check_not_empty()?;
        source.check_json(None)?;
        let members: OrderedMembers = serde_json::from_str(&source.text).map_err(|_| {
            format!("{} holds no originals by id: it is no JSON object", source.name())
        })?;
        if let Some(originals) = members.object("originals") {
            return Ok(Self { originals: originals.to_owned(), is_response: true, source });
        }
        let originals = RawValue::from_string(source.text.trim().to_owned())?;
        Ok(Self { originals, is_response: false, source })
    }

    /// The faults of a problem at their places in this file; `None` if one is of another file.
    pub(super) fn fault(&self, problem: &Problem) -> Option<FileFaults> {
        let faults = problem.errors.iter().map(|fault| {
            let local = fault.pointer.strip_prefix(ORIGINALS)?;
            let pointer = if self.is_response { &*fault.pointer } else { local };
            let detail = format!("no originals by id: {}", fault.detail);
            Some(Fault { pointer: pointer.to_owned(), detail, ..fault.clone() })
        });
        let faults: Vec<Fault> = faults.collect::<Option<_>>()?;
        (!faults.is_empty()).then(|| self.source.faults(&faults, ""))
    }
}
