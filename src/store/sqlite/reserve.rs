//! Disk space that is reserved for a full disk.
//!
//! On a full disk SQLite can neither write to its log nor move the log into the file, so no cleanup
//! would free space. Then the reserve is released for that: the log is moved into the file and
//! starts again, and rows are removed. Other writes wait until the reserve could be taken again.

use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bytes of the reserve of a new database: more than the log grows to before it is moved into the
/// file, unless a commit is large.
const MIN_RESERVE_BYTES: u64 = 8 << 20;
/// Bytes of the largest reserve.
const MAX_RESERVE_BYTES: u64 = 128 << 20;
/// Bytes of the reserve for each byte of the log: pages are moved through the log before their room
/// is given back to the disk.
const RESERVE_BYTES_PER_LOG_BYTE: u64 = 2;
/// Between tries to take it while the disk is not full.
const RETRY_INTERVAL: Duration = Duration::from_mins(1);
/// Between tries to take it while the disk is full.
const FULL_RETRY_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Reserve {
    file: PathBuf,
    log: PathBuf,
    held_bytes: u64,
    tried: Option<Instant>,
}

impl Reserve {
    /// The reserve of a database; not taken yet.
    pub(super) fn new(database: &Path) -> Self {
        let beside = |ending: &str| {
            let mut name = database.as_os_str().to_owned();
            name.push(ending);
            name.into()
        };
        Self { file: beside("-reserve"), log: beside("-wal"), held_bytes: 0, tried: None }
    }

    /// Takes the reserve, or more of it after large commits, if there is space. Not often: other
    /// programs would find no space if it were released and taken by turns.
    pub(super) fn take(&mut self) {
        self.take_after(RETRY_INTERVAL);
    }

    /// Takes the reserve on a disk that was full; returns whether it is taken.
    pub(super) fn take_back(&mut self) -> bool {
        self.take_after(FULL_RETRY_INTERVAL);
        self.held_bytes > 0
    }

    fn take_after(&mut self, interval: Duration) {
        let wanted = self.wanted_bytes();
        let is_tried = self.tried.is_some_and(|tried| tried.elapsed() < interval);
        if self.held_bytes >= wanted || is_tried {
            return;
        }
        self.tried = Some(Instant::now());
        let there = file_bytes(&self.file);
        let missing = wanted.saturating_sub(there);
        if there >= MIN_RESERVE_BYTES && self.free_bytes().is_some_and(|free| free < missing) {
            self.held_bytes = there;
            return;
        }
        match self.fill(there, wanted) {
            Ok(()) => self.held_bytes = wanted.max(there),
            Err(error) => {
                tracing::debug!(%error, "no room on the disk for the reserve that removals need");
                // What could not be written whole would leave no room at all.
                let kept = if there >= MIN_RESERVE_BYTES { there } else { 0 };
                self.held_bytes = self.shrink_to(kept).map_or(0, |()| kept);
            }
        }
    }

    /// The reserve that the log of the largest commit so far needs.
    fn wanted_bytes(&self) -> u64 {
        let needed = file_bytes(&self.log).saturating_mul(RESERVE_BYTES_PER_LOG_BYTE);
        // In whole steps, so that it does not grow with each commit.
        needed.clamp(MIN_RESERVE_BYTES, MAX_RESERVE_BYTES).next_multiple_of(MIN_RESERVE_BYTES)
    }

    /// Writes zeros from the byte `there` on, because a hole takes no room.
    fn fill(&self, there: u64, wanted: u64) -> std::io::Result<()> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.file)?;
        std::io::copy(&mut std::io::repeat(0).take(wanted.saturating_sub(there)), &mut file)?;
        Ok(())
    }

    fn shrink_to(&self, bytes: u64) -> std::io::Result<()> {
        if bytes == 0 {
            return std::fs::remove_file(&self.file);
        }
        OpenOptions::new().write(true).open(&self.file)?.set_len(bytes)
    }

    /// Bytes that are free on the disk of the database; none if the system does not tell.
    #[cfg(target_os = "linux")]
    pub(super) fn free_bytes(&self) -> Option<u64> {
        let disk = nix::sys::statvfs::statvfs(self.file.parent()?).ok()?;
        Some(disk.blocks_available().saturating_mul(disk.fragment_size()))
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn free_bytes(&self) -> Option<u64> {
        None
    }

    /// Removes the reserve that an earlier process has left; returns whether there was any.
    pub(super) fn remove_left(&self) -> bool {
        std::fs::remove_file(&self.file).is_ok()
    }

    /// Releases the reserve; returns whether there was any.
    pub(super) fn give_up(&mut self) -> bool {
        self.tried = Some(Instant::now());
        let was_held = std::mem::take(&mut self.held_bytes) > 0;
        was_held && std::fs::remove_file(&self.file).is_ok()
    }
}

/// The length of a file; 0 if there is none.
pub(super) fn file_bytes(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |file| file.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserve_takes_its_room_and_gives_it_back() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("store.db");
        let file = folder.path().join("store.db-reserve");
        let mut reserve = Reserve::new(&database);
        assert!(!reserve.give_up(), "there is nothing to give");
        reserve.take();
        assert!(!file.exists(), "it is not tried again at once");
        let mut reserve = Reserve::new(&database);
        reserve.take();
        assert_eq!(std::fs::metadata(&file).unwrap().len(), MIN_RESERVE_BYTES);
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            assert!(
                std::fs::metadata(&file).unwrap().blocks() * 512 >= MIN_RESERVE_BYTES,
                "a hole"
            );
        }
        let mut next = Reserve::new(&database);
        next.take();
        assert!(next.give_up() && !file.exists(), "a process before has taken it");
    }

    #[test]
    fn a_reserve_grows_with_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("store.db");
        let mut reserve = Reserve::new(&database);
        reserve.take();
        std::fs::write(folder.path().join("store.db-wal"), vec![1; 15 << 20]).unwrap();
        reserve.tried = None;
        reserve.take();
        assert_eq!(reserve.held_bytes, 32 << 20);
        assert_eq!(file_bytes(&folder.path().join("store.db-reserve")), 32 << 20);
        // It stays as large when the log has been moved into the file.
        std::fs::write(folder.path().join("store.db-wal"), "").unwrap();
        let mut next = Reserve::new(&database);
        next.take();
        assert_eq!(next.held_bytes, 32 << 20);
    }

    #[test]
    fn where_there_is_no_room_nothing_is_left() {
        let mut reserve = Reserve::new(Path::new("/proc/no-such-folder/store.db"));
        reserve.take();
        assert!(reserve.held_bytes == 0 && !reserve.give_up());
    }
}
