//! A lock on a file itself, by whatever name it is opened.
//!
//! A hard link and a bind mount are names of their own, with a log of their own: two processes that
//! use different names destroy the database. The lock is on one byte past the end of any database,
//! so it is none of SQLite's locks, and it belongs to the open file (OFD), since a lock of the
//! process would end as soon as SQLite closes the file. Only Linux has it.

use std::fs::File;

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{c_int, c_short};
    use std::fs::File;
    use std::io;

    use nix::errno::Errno;
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc;

    fn range(kind: c_int) -> libc::flock {
        libc::flock {
            l_type: c_short::try_from(kind).unwrap_or_default(),
            l_whence: c_short::try_from(libc::SEEK_SET).unwrap_or_default(),
            l_start: libc::off_t::MAX - 1,
            l_len: 1,
            l_pid: 0,
        }
    }

    /// Takes the lock; false if another open file has it.
    pub(crate) fn try_lock(file: &File) -> io::Result<bool> {
        match fcntl(file, FcntlArg::F_OFD_SETLK(&range(libc::F_WRLCK))) {
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(false),
            // The last four: a file system without such locks, so the lock by name is all there is.
            Ok(_) | Err(Errno::EINVAL | Errno::ENOLCK | Errno::ENOSYS | Errno::ENOTSUP) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends the lock, for all who have the open file.
    pub(crate) fn unlock(file: &File) -> io::Result<()> {
        match fcntl(file, FcntlArg::F_OFD_SETLK(&range(libc::F_UNLCK))) {
            // There was no lock to be taken either.
            Ok(_) | Err(Errno::EINVAL | Errno::ENOLCK | Errno::ENOSYS | Errno::ENOTSUP) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether another open file has the lock.
    pub(crate) fn is_locked(file: &File) -> bool {
        let mut found = range(libc::F_WRLCK);
        let asked = fcntl(file, FcntlArg::F_OFD_GETLK(&mut found));
        asked.is_ok() && c_int::from(found.l_type) != libc::F_UNLCK
    }
}

#[cfg(target_os = "linux")]
pub(super) use self::linux::{is_locked, try_lock, unlock};

/// Takes the lock, if the system has such locks.
#[cfg(not(target_os = "linux"))]
pub(super) fn try_lock(_: &File) -> std::io::Result<bool> {
    Ok(true)
}

/// Ends the lock, if there is one.
#[cfg(not(target_os = "linux"))]
pub(super) fn unlock(_: &File) -> std::io::Result<()> {
    Ok(())
}

/// Whether another open file has the lock.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_locked(_: &File) -> bool {
    false
}

/// Leaves a file open for as long as the process lives. To close a file ends every lock that this
/// process has on it, SQLite's among them, and SQLite may have it open by another name.
pub(super) fn leave_open(file: File) {
    std::mem::forget(file);
}
