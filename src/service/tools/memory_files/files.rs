//! The files that the entries of a scope are, with the changes of earlier calls.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::path::is_file_key;
use crate::domain::{MemoryScope, MemoryStatus, RawJson};
use crate::service::StoreError;
use crate::store::{MemoryFilter, Tx};

/// Values of files after earlier calls that are not stored yet; none for a file that is gone.
pub(crate) type FileChanges = BTreeMap<Arc<str>, Option<RawJson>>;

/// Files that are read in one query.
const PAGE_FILES: usize = 50;
/// Bytes of values after which a directory is read no further.
const MAX_DIRECTORY_BYTES: usize = 8 << 20;
/// Entries of a directory that are looked at, also those that models do not see.
const MAX_EXAMINED_ENTRIES: usize = 5_000;
/// Bytes that the calls of one request may read and write, with what each of them costs.
const MAX_WORK_BYTES: usize = 8 << 20;
/// What a call or a look at an entry costs, in bytes.
const LOOK_BYTES: usize = 256;

/// What the calls of one request have read and written, so that small calls cannot make much work.
#[derive(Debug, Default)]
pub(crate) struct FileWork {
    bytes: usize,
}

impl FileWork {
    pub(super) fn add(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes).saturating_add(LOOK_BYTES);
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.bytes > MAX_WORK_BYTES
    }
}

/// What is at a key.
#[derive(Debug)]
pub(super) enum FoundFile {
    Missing,
    /// An entry that models do not see, such as a retracted one.
    Unseen(MemoryStatus),
    Value(RawJson),
}

/// A file of a directory.
#[derive(Debug)]
pub(super) struct DirectoryFile {
    pub(super) key: Arc<str>,
    pub(super) value: RawJson,
}

/// Files below a directory, by their keys.
#[derive(Debug, Default)]
pub(super) struct Directory {
    pub(super) files: Vec<DirectoryFile>,
    /// Whether there are files that were not read.
    pub(super) has_more: bool,
}

/// Reads the files of a scope.
pub(crate) struct FileReader<'r, 't> {
    pub(crate) tx: &'r Tx<'t>,
    pub(crate) scope: &'r MemoryScope,
    pub(crate) changes: &'r FileChanges,
    pub(crate) work: &'r mut FileWork,
}

impl FileReader<'_, '_> {
    pub(super) fn find(&mut self, key: &str) -> Result<FoundFile, StoreError> {
        let found = match self.changes.get(key) {
            Some(Some(value)) => FoundFile::Value(value.clone()),
            Some(None) => FoundFile::Missing,
            None => match self.tx.memory(self.scope, key)? {
                Some(entry) if entry.status.is_recalled() => FoundFile::Value(entry.value),
                Some(entry) => FoundFile::Unseen(entry.status),
                None => FoundFile::Missing,
            },
        };
        let bytes = if let FoundFile::Value(value) = &found { value.as_str().len() } else { 0 };
        self.work.add(bytes);
        Ok(found)
    }

    /// Reads up to `limit` files below a directory, the empty key for the root.
    pub(super) fn below(&mut self, directory: &str, limit: usize) -> Result<Directory, StoreError> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let part = |part: &Option<Arc<str>>| Some(part.as_deref().unwrap_or_default().to_owned());
        let filter = MemoryFilter {
            subject: part(&self.scope.subject),
            session_id: part(&self.scope.session_id),
            agent: part(&self.scope.agent),
            pack_tenant: part(&self.scope.pack_tenant),
            prefix: (!prefix.is_empty()).then(|| prefix.clone()),
            ..MemoryFilter::default()
        };
        let (mut values, mut bytes, mut has_more) = (BTreeMap::new(), 0, false);
        for (key, value) in self.changes {
            if let (true, Some(value)) = (key.starts_with(&prefix), value) {
                bytes += value.as_str().len();
                values.insert(Arc::clone(key), value.clone());
            }
        }
        let (mut after, mut examined) = (None, 0);
        loop {
            let page = self.tx.list_memory(&filter, after.as_ref(), PAGE_FILES)?;
            // A page without rows has looked at entries that are not alive.
            examined += page.rows.len().max(1);
            for entry in page.rows {
                self.work.add(0);
                let is_seen = entry.status.is_recalled() && is_file_key(&entry.key);
                if is_seen && !self.changes.contains_key(&entry.key) {
                    bytes += entry.value.as_str().len();
                    values.insert(entry.key, entry.value);
                }
            }
            after = page.next;
            if after.is_none() {
                break;
            }
            if values.len() > limit
                || bytes > MAX_DIRECTORY_BYTES
                || examined >= MAX_EXAMINED_ENTRIES
            {
                has_more = true;
                break;
            }
        }
        self.work.add(bytes);
        has_more |= values.len() > limit;
        let files = values.into_iter().take(limit);
        let files = files.map(|(key, value)| DirectoryFile { key, value }).collect();
        Ok(Directory { files, has_more })
    }
}

/// The text of a file; none if its entry has another value, which only its application changes.
pub(super) fn text_of(value: &RawJson) -> Option<String> {
    serde_json::from_str(value.as_str()).ok()
}

/// The value of a text.
pub(super) fn value_of(text: &str) -> RawJson {
    // Serialising a text cannot fail.
    RawJson::new(serde_json::to_string(text).unwrap_or_default())
}
