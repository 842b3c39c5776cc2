//! Errors of a store, grouped by the caller's possible reaction.

use std::path::PathBuf;
use std::sync::Arc;

use crate::domain::{ArtifactId, QuotaUse};

/// The cause of an error, in the backend's own words. Shared, because one failure can fail every
/// write of a group.
pub(super) type BackendCause = Arc<dyn std::error::Error + Send + Sync>;

/// Why a call failed. Nothing of it was stored, unless it is [`Error::Unknown`].
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    #[error("the store has no room left")]
    Full(#[source] BackendCause),
    #[error("the store cannot be used at the moment")]
    Unavailable(#[source] BackendCause),
    #[error("whether it was stored is not known: the answer to the commit was lost")]
    Unknown(#[source] BackendCause),
    #[error("what the store holds is damaged")]
    Corrupt(#[source] BackendCause),
    /// SQLite accepts such a text and PostgreSQL does not: both refuse it, before anything is sent.
    #[error("a text with the character NUL cannot be stored or looked for")]
    Nul,
    #[error("another text has the id {0}")]
    Collision(ArtifactId),
    #[error("{0} adapters are stored, and no more may be; delete one first")]
    TooManyAdapters(u64),
    #[error("{0} hooks or orders are stored, and no more may be; delete one first")]
    TooManyHooks(u64),
    #[error("the tenant has {0} keys, and no more may be; delete one first")]
    TooManyKeys(u64),
    #[error(
        "the tenant may keep {} of `{}` and uses {}: delete some first",
        .0.max, .0.quota.as_str(), .0.used
    )]
    QuotaExceeded(QuotaUse),
    #[error("{0} packs are stored, and no more may be")]
    TooManyPacks(u64),
    #[error("the caller has gone, or its time was up, before the write began")]
    Abandoned,
}

impl Error {
    /// A column contains a word that this program does not know.
    pub(super) fn unknown_word(word: &str) -> Self {
        #[derive(Debug, thiserror::Error)]
        #[error("`{0}` is no word of this column")]
        struct UnknownWord(String);
        Self::Corrupt(Arc::new(UnknownWord(word.to_owned())))
    }

    /// The rows that a write depends on have changed since they were read.
    pub fn conflict() -> Self {
        broken("what was read has changed in between")
    }

    /// A statement that must return a row has returned none.
    pub(super) fn no_row() -> Self {
        broken("a statement answered no row")
    }
}

/// An error that no database has reported.
pub(super) fn broken(what: &'static str) -> Error {
    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct BrokenBackend(&'static str);
    Error::Unavailable(Arc::new(BrokenBackend(what)))
}

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot open the database {} (--database-url, CONTEXTURE_DATABASE_URL)", file.display())]
    Open { file: PathBuf, source: BackendCause },
    #[error("there is no database {} (--database-url, CONTEXTURE_DATABASE_URL)", file.display())]
    Missing { file: PathBuf },
    #[error(
        "the database {} has schema {found}, this program knows {known}: use a newer program",
        file.display()
    )]
    Newer { file: PathBuf, found: i64, known: i64 },
    #[error(
        "the database {} has schema {found}, this program wants {known}: stop the server that uses \
         it, and start the new one or run `contexture migrate`",
        file.display()
    )]
    Older { file: PathBuf, found: i64, known: i64 },
    #[error("the database {} is in use by {}", file.display(), holder(*pid))]
    InUse { file: PathBuf, pid: Option<u32> },
    #[error(
        "another process uses the file of the database {} by another name (a hard link, or a file \
         that is mounted elsewhere): use the name that it was opened by",
        file.display()
    )]
    InUseElsewhere { file: PathBuf },
    #[error("the database {} (--database-url, CONTEXTURE_DATABASE_URL) is damaged, or is no database; \
             it was left as it is", file.display())]
    Damaged { file: PathBuf, source: BackendCause },
    #[error(
        "cannot open the database {} (--database-url, CONTEXTURE_DATABASE_URL): its disk is full",
        file.display()
    )]
    Full { file: PathBuf, source: BackendCause },
    #[error("cannot open the copy {}", file.display())]
    CopyUnread { file: PathBuf, source: BackendCause },
    #[error("the copy {} is damaged, or is no database; nothing was changed", file.display())]
    CopyDamaged { file: PathBuf, source: BackendCause },
    #[error("cannot write the copy {}", file.display())]
    Copy { file: PathBuf, source: BackendCause },
    #[error("the database {} is there already: --replace keeps it under another name", file.display())]
    Exists { file: PathBuf },
    #[error("a store in memory ends with its process: there is nothing to copy or to check")]
    InMemory,
    #[error("the database cannot be read")]
    Unread { source: BackendCause },
    #[error("a database of PostgreSQL is copied by its own tools: pg_dump, or a copy of its log")]
    Elsewhere,
    #[error("cannot open the database {url} (--database-url, CONTEXTURE_DATABASE_URL)")]
    Connect { url: String, source: BackendCause },
    #[error(
        "the database {url} has schema {found}, this program knows {known}, and it does not go with \
         programs before {oldest}: use a newer program"
    )]
    TooNew { url: String, found: i64, known: i64, oldest: i64 },
}

impl OpenError {
    /// The same fault, of a copy that is read and not of the database that is set.
    pub(super) fn of_copy(self) -> Self {
        match self {
            Self::Open { file, source } => Self::CopyUnread { file, source },
            Self::Damaged { file, source } => Self::CopyDamaged { file, source },
            other => other,
        }
    }
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("the process {pid}"))
}
