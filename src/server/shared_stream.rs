//! A socket that hyper serves and that can still be read after hyper has closed it.
//!
//! If a server closes a connection on which bytes of the client still arrive, TCP resets it, and
//! most clients never read the response that tells them why their body was refused. So the bytes
//! are read and discarded for a moment after the response (a lingering close, RFC 9112 §9.6).

use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_io_timeout::TimeoutStream;

/// Time for which bytes are read after the response.
const MAX_LINGER_TIME: Duration = Duration::from_secs(1);
/// Bytes that are read after the response.
const MAX_LINGER_BYTES: usize = 64 << 20;
const LINGER_BUFFER_BYTES: usize = 16 * 1024;

/// A handle of a socket. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct SharedStream(Arc<Mutex<Pin<Box<TimeoutStream<TcpStream>>>>>);

impl SharedStream {
    /// Wraps a socket. A write that makes no progress for `max_write_pause` fails.
    pub(super) fn new(stream: TcpStream, max_write_pause: Duration) -> Self {
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(max_write_pause));
        Self(Arc::new(Mutex::new(Box::pin(stream))))
    }

    /// Reads and discards what the client still sends, until it closes the connection, within
    /// limits.
    pub(super) async fn linger(mut self) {
        let discard = async {
            let mut buffer = vec![0; LINGER_BUFFER_BYTES];
            let mut left_bytes = MAX_LINGER_BYTES;
            while let Ok(bytes @ 1..) = self.read(&mut buffer).await {
                left_bytes = left_bytes.saturating_sub(bytes);
                if left_bytes == 0 {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(MAX_LINGER_TIME, discard).await;
    }

    fn lock(&self) -> MutexGuard<'_, Pin<Box<TimeoutStream<TcpStream>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsyncRead for SharedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        self.lock().as_mut().poll_read(context, buffer)
    }
}

impl AsyncWrite for SharedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        self.lock().as_mut().poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.lock().as_mut().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.lock().as_mut().poll_shutdown(context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        self.lock().as_mut().poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.lock().is_write_vectored()
    }
}
