//! A value as JSON in chunks of equal size.
//!
//! A text that grows to some megabytes is moved again and again, and leaves gaps of many sizes in the
//! memory of the process. Chunks of one size take each other's place.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use serde::Serialize;

use crate::service::response_body::ResponseBody;

/// Bytes of each chunk but the last one.
const CHUNK_BYTES: usize = 64 << 10;

/// Writes a value as JSON. Values of the API are plain data, which always serialises.
pub(super) fn json_body(value: &impl Serialize) -> Body {
    let mut writer = ChunkWriter::default();
    if serde_json::to_writer(&mut writer, value).is_err() {
        return Body::empty();
    }
    let ChunkWriter { mut chunks, mut last } = writer;
    // A client may leave the response unread for a while, and its memory is counted by its length.
    last.shrink_to_fit();
    if chunks.is_empty() {
        return Body::from(last);
    }
    chunks.push_back(last.into());
    Body::new(ChunkedBody::new(chunks))
}

impl From<ResponseBody> for Body {
    fn from(body: ResponseBody) -> Self {
        let parts = body.into_parts().into_iter().filter(|part| !part.is_empty());
        Self::new(ChunkedBody::new(parts.collect()))
    }
}

#[derive(Debug, Default)]
struct ChunkWriter {
    chunks: VecDeque<Bytes>,
    last: Vec<u8>,
}

impl Write for ChunkWriter {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.last.len() == CHUNK_BYTES {
            let full = std::mem::replace(&mut self.last, Vec::with_capacity(CHUNK_BYTES));
            self.chunks.push_back(full.into());
        }
        let (taken, _) = text.split_at(text.len().min(CHUNK_BYTES - self.last.len()));
        self.last.extend_from_slice(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Debug)]
struct ChunkedBody {
    chunks: VecDeque<Bytes>,
    /// Bytes of the chunks.
    bytes: u64,
}

impl ChunkedBody {
    fn new(chunks: VecDeque<Bytes>) -> Self {
        let bytes = chunks.iter().map(|chunk| chunk.len() as u64).sum();
        Self { chunks, bytes }
    }
}

impl HttpBody for ChunkedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let chunk = self.chunks.pop_front();
        self.bytes -= chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
        Poll::Ready(chunk.map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.chunks.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    #[tokio::test]
    async fn a_value_arrives_whole_in_chunks_of_one_size() {
        for size in [0, 1, CHUNK_BYTES - 2, CHUNK_BYTES - 1, CHUNK_BYTES, 5 * CHUNK_BYTES + 7] {
            let value = "x".repeat(size);
            let mut body = json_body(&value);
            let exact = body.size_hint().exact();
            assert_eq!(exact, Some(size as u64 + 2), "with the quotes");
            let mut chunks: Vec<Bytes> = Vec::new();
            while let Some(frame) = body.frame().await {
                chunks.push(frame.unwrap().into_data().unwrap());
                let left =
                    exact.unwrap() - chunks.iter().map(|chunk| chunk.len() as u64).sum::<u64>();
                assert_eq!(body.size_hint().exact(), Some(left));
            }
            assert!(body.is_end_stream());
            let (last, full) = chunks.split_last().unwrap();
            assert!(full.iter().all(|chunk| chunk.len() == CHUNK_BYTES) && !last.is_empty());
            assert_eq!(chunks.concat(), format!("\"{value}\"").as_bytes());
        }
    }

    #[tokio::test]
    async fn a_response_in_parts_has_one_length() {
        let parts = [("{\"payload\":{}", ",\"report\":{}}"), ("{}", "")];
        for (start, rest) in parts {
            let body = ResponseBody::new(Bytes::from_static(start.as_bytes()), rest.to_owned());
            let whole = format!("{start}{rest}");
            assert_eq!(body.to_string(), whole);
            assert_eq!(body.text(), whole);
            let body = Body::from(body);
            assert_eq!(body.size_hint().exact(), Some(whole.len() as u64));
            assert_eq!(body.collect().await.unwrap().to_bytes(), whole);
        }
    }
}
