//! The end of the program that reads standard output.

/// Waits until the reader of a pipe at standard output has gone, such as `head`. Other outputs have no
/// end. A command that waits for events would notice it only when it prints the next one.
#[cfg(unix)]
pub(super) async fn stdout_is_closed() {
    let Ok(output) = stdout_pipe() else { return std::future::pending().await };
    while let Ok(ready) = output.ready(tokio::io::Interest::ERROR).await {
        if ready.is_error() {
            return;
        }
    }
    std::future::pending::<()>().await;
}

/// Standard output, to be watched. It stays as it is, blocking. A file cannot be watched.
#[cfg(unix)]
fn stdout_pipe() -> std::io::Result<tokio::net::unix::pipe::Sender> {
    use std::os::fd::AsFd as _;

    let output = std::io::stdout().as_fd().try_clone_to_owned()?;
    tokio::net::unix::pipe::Sender::from_owned_fd_unchecked(output)
}

#[cfg(not(unix))]
pub(super) async fn stdout_is_closed() {
    std::future::pending::<()>().await;
}
