//! Lowers the priority of threads that compute below that of threads that serve sockets.
//!
//! If all cores are busy, threads that accept, refuse and respond still get one at once: a request
//! for which there is no room is refused within milliseconds.

use std::cell::Cell;

/// Niceness that is added to a thread that computes.
#[cfg(target_os = "linux")]
const ADDED_NICENESS: i32 = 10;

thread_local! {
    static GIVES_WAY: Cell<bool> = const { Cell::new(false) };
}

/// Lowers the priority of this thread for the rest of its life: a process without privileges cannot
/// raise it again. Only Linux has a niceness for each thread; elsewhere nothing is done.
pub(super) fn give_way() {
    if GIVES_WAY.replace(true) {
        return;
    }
    // If the system refuses, the thread works with its usual priority.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(ADDED_NICENESS);
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_gives_way_once_and_no_other_does() {
        let own = || rustix::process::getpriority_process(None).unwrap();
        let before = own();
        let worked = std::thread::spawn(move || {
            give_way();
            give_way();
            own()
        });
        assert_eq!(worked.join().unwrap(), (before + ADDED_NICENESS).min(19));
        assert_eq!(own(), before);
    }
}
