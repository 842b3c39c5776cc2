//! What a command of the memory tool does, before anything is changed.

use std::sync::Arc;

use super::command::FileCommand;
use super::files::{DirectoryFile, FileReader, FoundFile, text_of, value_of};
use super::listing::list;
use super::path::{FilePath, MEMORY_ROOT, shown_path};
use super::text;
use crate::domain::{MemoryStatus, RawJson, ToolCall, value_text, word_of};
use crate::request::{MemoryWriteAccess, check_memory_text};
use crate::service::StoreError;
use crate::service::tools::memory_command::{WriteRefusal, check_key};
use crate::service::tools::{MemoryRights, ToolAnswer};

/// Files of a directory that `view` reads.
const MAX_LISTED_FILES: usize = 1_000;
/// Files of a directory that one command deletes or renames.
const MAX_CHANGED_FILES: usize = 100;

/// A change of one entry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FileChange {
    Write { key: Arc<str>, old: Option<RawJson>, value: RawJson },
    Remove { key: Arc<str>, old: RawJson },
    Move { from: Arc<str>, to: Arc<str>, value: RawJson },
}

/// The changes of a command, and its result.
#[derive(Debug, Default)]
pub(crate) struct FilePlan {
    pub(crate) changes: Vec<FileChange>,
    pub(crate) answer: String,
    /// What the result shows of the new text, unless a hook gives it another one.
    pub(crate) snippet: Option<String>,
}

/// The reason why a command does nothing.
#[derive(Debug)]
pub(crate) struct FileRefusal {
    /// The key and the reason of the event; no event is published of a file that is not there.
    pub(crate) denial: Option<FileDenial>,
    pub(crate) answer: ToolAnswer,
}

/// What an event says of a write that is not allowed.
#[derive(Debug)]
pub(crate) struct FileDenial {
    pub(crate) key: Arc<str>,
    pub(crate) reason: &'static str,
}

impl FileRefusal {
    fn new(answer: impl Into<String>) -> Self {
        Self { denial: None, answer: ToolAnswer::Refused(answer.into()) }
    }

    fn of_write(key: &Arc<str>, refusal: WriteRefusal) -> Self {
        let WriteRefusal { reason, answer } = refusal;
        let denial = reason.map(|reason| FileDenial { key: Arc::clone(key), reason });
        Self { denial, answer }
    }

    fn missing(path: &FilePath) -> Self {
        Self::new(format!("Error: The path {} does not exist", path.shown()))
    }

    fn missing_file(path: &FilePath) -> Self {
        let shown = path.shown();
        Self::new(format!("Error: The path {shown} does not exist. Please provide a valid path."))
    }
}

impl From<ToolAnswer> for FileRefusal {
    fn from(answer: ToolAnswer) -> Self {
        Self { denial: None, answer }
    }
}

/// The refusal of a command, or a failure of the store.
pub(crate) enum PlanFailure {
    Refused(FileRefusal),
    Store(StoreError),
}

impl<R: Into<FileRefusal>> From<R> for PlanFailure {
    fn from(refusal: R) -> Self {
        Self::Refused(refusal.into())
    }
}

impl From<StoreError> for PlanFailure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Plans the command of a call.
pub(crate) fn plan(
    files: FileReader<'_, '_>,
    rights: &MemoryRights,
    call: &ToolCall,
) -> Result<FilePlan, PlanFailure> {
    if files.work.is_exhausted() {
        let text = "Error: the calls of one message may read and write 8 MiB of memory files. \
                    Nothing was done; send this call again.";
        return Err(FileRefusal::new(text).into());
    }
    let command = FileCommand::read(call)?;
    let mut planner = Planner { files, rights };
    let plan = match command {
        FileCommand::View { path, range } => planner.view(&path, range),
        FileCommand::Create { path, text } => planner.create(&path, &text),
        FileCommand::Replace { path, old, new } => planner.replace(&path, &old, &new),
        FileCommand::Insert { path, after, text } => planner.insert(&path, after, &text),
        FileCommand::Delete { path } => planner.delete(&path),
        FileCommand::Rename { from, to } => planner.rename(&from, &to),
    }?;
    let written = plan.changes.iter().map(|change| match change {
        FileChange::Write { value, .. } | FileChange::Move { value, .. } => value.as_str().len(),
        FileChange::Remove { .. } => 0,
    });
    planner.files.work.add(written.sum::<usize>() + plan.answer.len());
    Ok(plan)
}

struct Planner<'r, 't> {
    files: FileReader<'r, 't>,
    rights: &'r MemoryRights,
}

impl Planner<'_, '_> {
    fn view(
        &mut self,
        path: &FilePath,
        range: Option<super::command::LineRange>,
    ) -> Result<FilePlan, PlanFailure> {
        let shown = path.shown();
        if let Some(value) = self.file(path)? {
            // An entry of another kind is shown as its JSON.
            let Some(lines) = text::numbered(&value_text(&value), range) else {
                let text = "Error: Invalid `view_range` parameter: the file ends before its start";
                return Err(FileRefusal::new(text).into());
            };
            let answer = format!("Here's the content of {shown} with line numbers:\n{lines}");
            return Ok(FilePlan { answer, ..FilePlan::default() });
        }
        let directory = self.files.below(&path.key, MAX_LISTED_FILES)?;
        if directory.files.is_empty() && !path.is_root() {
            let text = format!("The path {shown} does not exist. Please provide a valid path.");
            return Err(FileRefusal::new(text).into());
        }
        Ok(FilePlan { answer: list(&path.key, &directory), ..FilePlan::default() })
    }

    fn create(&mut self, path: &FilePath, text: &str) -> Result<FilePlan, PlanFailure> {
        self.check_access(&path.key)?;
        let shown = path.shown();
        if path.is_root() || path.is_directory {
            return Err(FileRefusal::new(format!("Error: The path {shown} is a directory")).into());
        }
        self.check_key(&path.key)?;
        if !self.is_free(path)? {
            return Err(FileRefusal::new(format!("Error: File {shown} already exists")).into());
        }
        let answer = format!("File created successfully at: {shown}");
        write(path, None, text, FilePlan { answer, ..FilePlan::default() })
    }

    fn replace(&mut self, path: &FilePath, old: &str, new: &str) -> Result<FilePlan, PlanFailure> {
        self.check_access(&path.key)?;
        self.check_key(&path.key)?;
        let shown = path.shown();
        let Some(value) = self.file(path)? else {
            return Err(FileRefusal::missing_file(path).into());
        };
        let whole = editable(path, &value)?;
        let lines = text::lines_with(&whole, old);
        let Some(replaced) = text::replace(&whole, old, new) else {
            let text = format!(
                "No replacement was performed, old_str `{old}` did not appear verbatim in {shown}."
            );
            return Err(FileRefusal::new(text).into());
        };
        if whole.matches(old).nth(1).is_some() {
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            let lines = lines.join(", ");
            let text = format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: \
                 {lines}. Please ensure it is unique"
            );
            return Err(FileRefusal::new(text).into());
        }
        let snippet = format!(
            " Here is the snippet showing the change (with line numbers):\n{}",
            replaced.snippet
        );
        let answer = "The memory file has been edited.".to_owned();
        let plan = FilePlan { answer, snippet: Some(snippet), ..FilePlan::default() };
        write(path, Some(value), &replaced.text, plan)
    }

    fn insert(
        &mut self,
        path: &FilePath,
        after: i64,
        inserted: &str,
    ) -> Result<FilePlan, PlanFailure> {
        self.check_access(&path.key)?;
        self.check_key(&path.key)?;
        let Some(value) = self.file(path)? else { return Err(FileRefusal::missing(path).into()) };
        let whole = editable(path, &value)?;
        let count = text::lines(&whole).len();
        let Some(after) = usize::try_from(after).ok().filter(|after| *after <= count) else {
            let text = format!(
                "Error: Invalid `insert_line` parameter: {after}. It should be within the range of \
                 lines of the file: [0, {count}]"
            );
            return Err(FileRefusal::new(text).into());
        };
        let answer = format!("The file {} has been edited.", path.shown());
        let plan = FilePlan { answer, ..FilePlan::default() };
        write(path, Some(value), &text::insert(&whole, after, inserted), plan)
    }

    fn delete(&mut self, path: &FilePath) -> Result<FilePlan, PlanFailure> {
        self.check_access(&path.key)?;
        if path.is_root() {
            let text = format!("Cannot delete the {MEMORY_ROOT} directory itself");
            return Err(FileRefusal::new(text).into());
        }
        let files = self.changed_files(path)?;
        let remove = |DirectoryFile { key, value }| FileChange::Remove { key, old: value };
        let changes: Vec<FileChange> = files.into_iter().map(remove).collect();
        let answer = format!("Successfully deleted {}", path.shown());
        Ok(FilePlan { changes, answer, snippet: None })
    }

    fn rename(&mut self, from: &FilePath, to: &FilePath) -> Result<FilePlan, PlanFailure> {
        self.check_access(&from.key)?;
        if from.is_root() || to.is_root() {
            let text = format!("Cannot rename the {MEMORY_ROOT} directory itself");
            return Err(FileRefusal::new(text).into());
        }
        let files = self.changed_files(from)?;
        let (old, new) = (from.shown(), to.shown());
        if to.key.strip_prefix(&*from.key).is_some_and(|rest| rest.starts_with('/')) {
            let text = format!("Error: The destination {new} is inside of {old}");
            return Err(FileRefusal::new(text).into());
        }
        if !self.is_free(to)? {
            let text = format!("Error: The destination {new} already exists");
            return Err(FileRefusal::new(text).into());
        }
        let mut changes = Vec::with_capacity(files.len());
        for DirectoryFile { key, value } in files {
            let rest = key.strip_prefix(&*from.key).unwrap_or_default();
            let moved = FilePath::read(&shown_path(&format!("{}{rest}", to.key)))
                .map_err(FileRefusal::new)?;
            self.check_key(&moved.key)?;
            // A retracted entry may be at the place of a file of the directory.
            self.check_seen(&moved.key)?;
            changes.push(FileChange::Move { from: key, to: moved.key, value });
        }
        let answer = format!("Successfully renamed {old} to {new}");
        Ok(FilePlan { changes, answer, snippet: None })
    }

    /// The value of a file; none for a directory, and where nothing is.
    fn file(&mut self, path: &FilePath) -> Result<Option<RawJson>, StoreError> {
        if path.is_root() || path.is_directory {
            return Ok(None);
        }
        Ok(match self.files.find(&path.key)? {
            FoundFile::Value(value) => Some(value),
            FoundFile::Missing | FoundFile::Unseen(_) => None,
        })
    }

    /// The file of a path, or all files of a directory, each of which may be written.
    fn changed_files(&mut self, path: &FilePath) -> Result<Vec<DirectoryFile>, PlanFailure> {
        let files = if let Some(value) = self.file(path)? {
            vec![DirectoryFile { key: Arc::clone(&path.key), value }]
        } else {
            let directory = self.files.below(&path.key, MAX_CHANGED_FILES)?;
            if directory.has_more {
                let text = format!(
                    "Error: {} has more than {MAX_CHANGED_FILES} files, or more than 8 MiB. Nothing \
                     was done; begin with the directories and files in it.",
                    path.shown()
                );
                return Err(FileRefusal::new(text).into());
            }
            directory.files
        };
        if files.is_empty() {
            return Err(FileRefusal::missing(path).into());
        }
        files.iter().try_for_each(|file| self.check_key(&file.key))?;
        Ok(files)
    }

    /// Whether a file can be created at a path: nothing is there, and no file is above it.
    fn is_free(&mut self, path: &FilePath) -> Result<bool, PlanFailure> {
        for (end, _) in path.key.match_indices('/') {
            let above = path.key.get(..end).unwrap_or_default();
            if matches!(self.files.find(above)?, FoundFile::Value(_)) {
                let shown = shown_path(above);
                return Err(FileRefusal::new(format!("Error: {shown} is not a directory")).into());
            }
        }
        self.check_seen(&path.key)?;
        let is_missing = matches!(self.files.find(&path.key)?, FoundFile::Missing);
        Ok(is_missing && self.files.below(&path.key, 1)?.files.is_empty())
    }

    /// Refuses to write over an entry that models do not see.
    fn check_seen(&mut self, key: &Arc<str>) -> Result<(), PlanFailure> {
        let FoundFile::Unseen(status) = self.files.find(key)? else { return Ok(()) };
        let status = word_of(MemoryStatus::WORDS, status);
        let text = format!(
            "Error: {} is {status} and may not be written. Nothing was done.",
            shown_path(key)
        );
        let denial = Some(FileDenial { key: Arc::clone(key), reason: "not_current" });
        Err(FileRefusal { denial, answer: ToolAnswer::Refused(text) }.into())
    }

    /// Refuses every write if memory may not be written.
    fn check_access(&self, key: &Arc<str>) -> Result<(), PlanFailure> {
        if self.rights.access == MemoryWriteAccess::Off { self.check_key(key) } else { Ok(()) }
    }

    /// Refuses a key that may not be written.
    fn check_key(&self, key: &Arc<str>) -> Result<(), PlanFailure> {
        check_key(self.rights, key).map_err(|refusal| FileRefusal::of_write(key, refusal).into())
    }
}

/// The text of a file, if it is one.
fn editable(path: &FilePath, value: &RawJson) -> Result<String, FileRefusal> {
    text_of(value).ok_or_else(|| {
        let shown = path.shown();
        FileRefusal::new(format!(
            "Error: {shown} is no text but a JSON value, which cannot be edited. Nothing was done."
        ))
    })
}

/// Completes a plan with the write of a text.
fn write(
    path: &FilePath,
    old: Option<RawJson>,
    text: &str,
    mut plan: FilePlan,
) -> Result<FilePlan, PlanFailure> {
    if check_memory_text(text, None).is_some() {
        let shown = path.shown();
        let text = format!("Error: {shown} would have more than 65536 bytes. Nothing was done.");
        return Err(FileRefusal::new(text).into());
    }
    plan.changes.push(FileChange::Write { key: Arc::clone(&path.key), old, value: value_of(text) });
    Ok(plan)
}
