//! Threads that compute give way to those that serve sockets.
//!
//! Where all cores are busy, who accepts, refuses and answers still gets one as soon as there is
//! something to do: a request for which there is no room is refused within milliseconds.

use std::cell::Cell;

/// Steps of niceness that a thread which computes stands behind the others.
#[cfg(target_os = "linux")]
const STEPS: i32 = 10;

thread_local! {
    static GIVES_WAY: Cell<bool> = const { Cell::new(false) };
}

/// From now on this thread gives way, for as long as it lives: a process without privileges cannot
/// take that back. Only Linux has a niceness for each thread; elsewhere nothing is done.
pub(super) fn give_way() {
    if GIVES_WAY.replace(true) {
        return;
    }
    // Who is not let works all the same.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(STEPS);
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
        assert_eq!(worked.join().unwrap(), (before + STEPS).min(19));
        assert_eq!(own(), before);
    }
}
