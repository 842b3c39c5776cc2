//! Refuses zstd bodies that would make the decoder reserve more memory than any text needs.
//!
//! A frame says in its first bytes how large a window its decoder must hold, by default up to
//! 128 MiB. RFC 9659 limits what HTTP may use to 8 MiB.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;
use hyper::body::Frame;

use super::body::explain;
use super::problem::{Kind, Problem};

const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const MOST_BYTES: u64 = 8 << 20;
/// Magic, descriptor, window or dictionary id, content size: the longest header.
const LONGEST_HEADER: usize = 18;

/// Stands between the limits and the decoder.
pub(super) async fn check(request: Request, next: Next) -> Response {
    let encoding = request.headers().get(header::CONTENT_ENCODING);
    if encoding.is_none_or(|value| value.as_bytes() != b"zstd") {
        return next.run(request).await;
    }
    let (parts, mut rest) = request.into_parts();
    let mut head = Vec::new();
    while head.len() < LONGEST_HEADER {
        match rest.frame().await {
            Some(Ok(frame)) => head.extend_from_slice(frame.data_ref().map_or(&[], |data| data)),
            Some(Err(error)) => return explain(&error).into_response(),
            None => break,
        }
    }
    if window(&head).is_some_and(|bytes| bytes > MOST_BYTES) {
        let detail = "a zstd frame may ask for a window of 8 MiB at most";
        return Problem::with_detail(Kind::InvalidEncoding, detail).into_response();
    }
    let body = Body::new(Rejoined { head: Some(Bytes::from(head)), rest });
    next.run(Request::from_parts(parts, body)).await
}

/// The bytes of the window that a frame asks for (RFC 8878 §3.1.1.1); none where the bytes are
/// no frame, which the decoder then says.
fn window(head: &[u8]) -> Option<u64> {
    let rest = head.strip_prefix(&MAGIC)?;
    let (descriptor, rest) = rest.split_first()?;
    let is_single_segment = descriptor & 0b10_0000 != 0;
    if !is_single_segment {
        let window = *rest.first()?;
        let base = 1_u64 << (10 + u32::from(window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // Then the window is as large as the content.
    let dictionary_id = [0, 1, 2, 4].get(usize::from(descriptor & 3)).copied()?;
    let size = [1, 2, 4, 8].get(usize::from(descriptor >> 6)).copied()?;
    let digits = rest.get(dictionary_id..dictionary_id + size)?;
    let number = digits.iter().rev().fold(0_u64, |number, digit| number << 8 | u64::from(*digit));
    Some(if size == 2 { number + 256 } else { number })
}

/// A body whose beginning was read already.
struct Rejoined {
    head: Option<Bytes>,
    rest: Body,
}

impl HttpBody for Rejoined {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.head.take() {
            Some(head) => Poll::Ready(Some(Ok(Frame::data(head)))),
            None => Pin::new(&mut self.rest).poll_frame(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(window_log: u32, size: Option<u64>) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(window_log).unwrap();
        encoder.set_pledged_src_size(size).unwrap();
        let bytes = vec![b'a'; size.map_or(100, |size| usize::try_from(size).unwrap())];
        std::io::Write::write_all(&mut encoder, &bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn the_window_is_read_as_the_encoder_wrote_it() {
        for log in 10..=27 {
            assert_eq!(window(&packed(log, None)), Some(1 << log), "{log}");
        }
        for size in [1, 255, 256, 65_535, 65_536, 1 << 20] {
            assert_eq!(window(&packed(27, Some(size))), Some(size), "{size}");
        }
    }

    #[test]
    fn what_is_no_frame_has_no_window() {
        let frame = packed(20, Some(5));
        for end in 0..6 {
            assert_eq!(window(&frame[..end]), None);
        }
        assert_eq!(window(b"hello there"), None);
    }
}
