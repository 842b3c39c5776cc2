//! The end of the program that reads standard output.

/// Waits until the reader of a pipe at standard output has gone, such as `head`. Other outputs have no
/// end. A command that waits for events would notice it only when it prints the next one.
#[cfg(unix)]
pub(super) async fn stdout_is_closed() {
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    // A file cannot be watched.
    if let Ok(watched) = AsyncFd::with_interest(std::io::stdout(), Interest::ERROR)
        && watched.ready(Interest::ERROR).await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

#[cfg(not(unix))]
pub(super) async fn stdout_is_closed() {
    std::future::pending().await
}
