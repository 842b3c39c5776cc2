//! Disk space that is reserved for a full disk.
//!
//! On a full disk SQLite can neither write to its log nor move the log into the file, so no cleanup
//! would free space. Then the reserve is released for that: the log is moved into the file and
//! starts again, and rows are removed. Other writes wait until the reserve could be taken again.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// More than the log grows to before it is moved into the file.
const RESERVE_BYTES: u64 = 8 << 20;
/// Between tries to take it while the disk is not full.
const RETRY_INTERVAL: Duration = Duration::from_mins(1);
/// Between tries to take it while the disk is full.
const FULL_RETRY_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Reserve {
    file: PathBuf,
    is_held: bool,
    tried: Option<Instant>,
}

impl Reserve {
    /// The reserve of a database; not taken yet.
    pub(super) fn new(database: &Path) -> Self {
        let mut name = database.as_os_str().to_owned();
        name.push("-reserve");
        Self { file: name.into(), is_held: false, tried: None }
    }

    /// Takes the reserve if it is not taken and there is space. Not often: other programs would
    /// find no space if it were released and taken by turns.
    pub(super) fn take(&mut self) {
        self.take_after(RETRY_INTERVAL);
    }

    /// Takes the reserve on a disk that was full; returns whether it is taken.
    pub(super) fn take_back(&mut self) -> bool {
        self.take_after(FULL_RETRY_INTERVAL);
        self.is_held
    }

    fn take_after(&mut self, interval: Duration) {
        if self.is_held || self.tried.is_some_and(|tried| tried.elapsed() < interval) {
            return;
        }
        self.tried = Some(Instant::now());
        let is_there = std::fs::metadata(&self.file).is_ok_and(|file| file.len() == RESERVE_BYTES);
        if is_there {
            self.is_held = true;
            return;
        }
        match self.fill() {
            Ok(()) => self.is_held = true,
            Err(error) => {
                tracing::debug!(%error, "no room for the reserve");
                let _ = std::fs::remove_file(&self.file);
            }
        }
    }

    /// Written out: a hole takes no room.
    fn fill(&self) -> std::io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.file)?;
        let zeros = vec![0; 1 << 20];
        for _ in 0..RESERVE_BYTES >> 20 {
            file.write_all(&zeros)?;
        }
        Ok(())
    }

    /// Removes the reserve that an earlier process has left; returns whether there was any.
    pub(super) fn remove_left(&self) -> bool {
        std::fs::remove_file(&self.file).is_ok()
    }

    /// Releases the reserve; returns whether there was any.
    pub(super) fn give_up(&mut self) -> bool {
        self.tried = Some(Instant::now());
        let was_held = std::mem::take(&mut self.is_held);
        was_held && std::fs::remove_file(&self.file).is_ok()
    }
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
        assert_eq!(std::fs::metadata(&file).unwrap().len(), RESERVE_BYTES);
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            assert!(std::fs::metadata(&file).unwrap().blocks() * 512 >= RESERVE_BYTES, "a hole");
        }
        let mut next = Reserve::new(&database);
        next.take();
        assert!(next.give_up() && !file.exists(), "a process before has taken it");
    }

    #[test]
    fn where_there_is_no_room_nothing_is_left() {
        let mut reserve = Reserve::new(Path::new("/proc/no-such-folder/store.db"));
        reserve.take();
        assert!(!reserve.is_held && !reserve.give_up());
    }
}
