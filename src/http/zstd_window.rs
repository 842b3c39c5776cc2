//! Refuses zstd bodies that would make the decoder reserve more memory than any text needs.
//!
//! The first bytes of a frame declare the window that its decoder must reserve, by default up to
//! 128 MiB. RFC 9659 limits the window to 8 MiB for HTTP. A body may have any number of frames, one
//! after the other, so all of them are parsed while the body passes.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::Frame;

const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The end of the magic numbers of skippable frames; the first byte is 0x50 to 0x5f.
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];
const MAX_WINDOW_BYTES: u64 = 8 << 20;
const CHECKSUM_BYTES: u64 = 4;

/// A fault of a frame. The decoder finds all other faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum FrameError {
    #[error("a zstd frame may ask for a window of 8 MiB at most")]
    Window,
    #[error("the body is not made of zstd frames")]
    Magic,
    #[error("a zstd block has no known type")]
    Block,
}

/// Checks the frames of zstd bodies before they are decoded.
pub(super) async fn check(request: Request, next: Next) -> Response {
    let encoding = request.headers().get(header::CONTENT_ENCODING);
    if encoding.is_none_or(|value| value.as_bytes() != b"zstd") {
        return next.run(request).await;
    }
    let (parts, inner) = request.into_parts();
    let body = Body::new(FrameCheckedBody { frames: Frames::default(), inner });
    next.run(Request::from_parts(parts, body)).await
}

/// Parses frames from bytes that arrive in pieces (RFC 8878 §3.1).
#[derive(Debug, Default)]
struct Frames {
    /// Bytes of a header that is not complete yet.
    header: Vec<u8>,
    /// Bytes of content that are skipped next.
    skip: u64,
    /// The frame whose blocks follow; `None` between frames.
    open: Option<OpenFrame>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OpenFrame {
    window: u64,
    has_checksum: bool,
}

/// A complete header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FrameStart {
    Frame(OpenFrame),
    Skippable(u64),
}

impl Frames {
    fn feed(&mut self, mut data: &[u8]) -> Result<(), FrameError> {
        loop {
            let passed = data.len().min(usize::try_from(self.skip).unwrap_or(usize::MAX));
            self.skip -= passed as u64;
            let Some((byte, rest)) = data.get(passed..).and_then(<[u8]>::split_first) else {
                return Ok(());
            };
            data = rest;
            self.header.push(*byte);
            self.step()?;
        }
    }

    /// Evaluates the header if it is complete, and continues with the bytes after it.
    fn step(&mut self) -> Result<(), FrameError> {
        match self.open {
            None => match parse_start(&self.header)? {
                None => return Ok(()),
                Some(FrameStart::Skippable(bytes)) => self.skip = bytes,
                Some(FrameStart::Frame(open)) if open.window > MAX_WINDOW_BYTES => {
                    return Err(FrameError::Window);
                }
                Some(FrameStart::Frame(open)) => self.open = Some(open),
            },
            Some(open) => {
                let [a, b, c] = self.header[..] else { return Ok(()) };
                let block = u32::from_le_bytes([a, b, c, 0]);
                self.skip = match (block >> 1) & 0b11 {
                    // A raw or a compressed block.
                    0 | 2 => u64::from(block >> 3),
                    // A block of one repeated byte.
                    1 => 1,
                    _ => return Err(FrameError::Block),
                };
                if block & 1 == 1 {
                    self.skip += if open.has_checksum { CHECKSUM_BYTES } else { 0 };
                    self.open = None;
                }
            }
        }
        self.header.clear();
        Ok(())
    }
}

/// Parses the beginning of a frame; `None` if it is not complete.
fn parse_start(header: &[u8]) -> Result<Option<FrameStart>, FrameError> {
    let Some((magic, rest)) = header.split_first_chunk::<4>() else { return Ok(None) };
    if let [0x50..=0x5f, end @ ..] = magic
        && *end == SKIPPABLE
    {
        let size = rest.first_chunk::<4>();
        return Ok(size.map(|size| FrameStart::Skippable(u32::from_le_bytes(*size).into())));
    }
    if *magic != MAGIC {
        return Err(FrameError::Magic);
    }
    Ok(parse_frame_header(rest).map(FrameStart::Frame))
}

/// Parses the header of a frame after its magic number (RFC 8878 §3.1.1.1).
fn parse_frame_header(rest: &[u8]) -> Option<OpenFrame> {
    let (descriptor, rest) = rest.split_first()?;
    let is_single_segment = descriptor & 0b10_0000 != 0;
    let has_checksum = descriptor & 0b100 != 0;
    let dictionary_id = [0, 1, 2, 4].get(usize::from(descriptor & 3)).copied()?;
    let size = match descriptor >> 6 {
        0 => usize::from(is_single_segment),
        flag => [0, 2, 4, 8].get(usize::from(flag)).copied()?,
    };
    if !is_single_segment {
        let (window, rest) = rest.split_first()?;
        let base = 1_u64 << (10 + u32::from(window >> 3));
        let window = base + base / 8 * u64::from(window & 7);
        // The header is complete with its last byte.
        return (rest.len() >= dictionary_id + size).then_some(OpenFrame { window, has_checksum });
    }
    // In a single segment, the window is as large as the content.
    let digits = rest.get(dictionary_id..dictionary_id + size)?;
    let number = digits.iter().rev().fold(0_u64, |number, digit| number << 8 | u64::from(*digit));
    let window = if size == 2 { number + 256 } else { number };
    Some(OpenFrame { window, has_checksum })
}

/// A body whose frames are checked while it passes.
struct FrameCheckedBody {
    frames: Frames,
    inner: Body,
}

impl HttpBody for FrameCheckedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
            && let Err(error) = self.frames.feed(data)
        {
            return Poll::Ready(Some(Err(axum::Error::new(error))));
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(window_log: u32, size: Option<u64>, has_checksum: bool) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(window_log).unwrap();
        encoder.include_checksum(has_checksum).unwrap();
        encoder.set_pledged_src_size(size).unwrap();
        let bytes = vec![b'a'; size.map_or(100, |size| usize::try_from(size).unwrap())];
        std::io::Write::write_all(&mut encoder, &bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn window(frame: &[u8]) -> Option<u64> {
        // Headers have different lengths: the shortest beginning that is complete is one.
        (0..=frame.len()).find_map(|end| match parse_start(&frame[..end]) {
            Ok(Some(FrameStart::Frame(open))) => Some(open.window),
            _ => None,
        })
    }

    fn skippable(content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len()).unwrap().to_le_bytes();
        [&[0x5a, 0x2a, 0x4d, 0x18], &length[..], content].concat()
    }

    /// Feeds bytes in pieces of several sizes. The result must not depend on the size.
    fn fed(bytes: &[u8]) -> Result<bool, FrameError> {
        let mut outcomes = [1, 2, 3, 7, 1000, usize::MAX].map(|piece| {
            let mut frames = Frames::default();
            let done = bytes.chunks(piece.min(bytes.len().max(1))).try_for_each(|p| frames.feed(p));
            let is_whole = frames.header.is_empty() && frames.skip == 0 && frames.open.is_none();
            done.map(|()| is_whole)
        });
        let first = outcomes[0];
        outcomes.sort_by_key(|outcome| *outcome != first);
        assert_eq!(outcomes, [first; 6]);
        first
    }

    #[test]
    fn the_window_is_read_as_the_encoder_wrote_it() {
        for log in 10..=27 {
            assert_eq!(window(&packed(log, None, false)), Some(1 << log), "{log}");
        }
        for size in [1, 255, 256, 65_535, 65_536, 1 << 20] {
            assert_eq!(window(&packed(27, Some(size), true)), Some(size), "{size}");
        }
    }

    #[test]
    fn frames_are_followed_to_their_ends() {
        for has_checksum in [false, true] {
            for size in [None, Some(0), Some(100), Some(400_000)] {
                let frame = packed(20, size, has_checksum);
                assert_eq!(fed(&frame), Ok(true));
                assert_eq!(fed(&frame[..frame.len() - 1]), Ok(false));
                let many = [&frame[..], &skippable(b"anything"), &frame, &skippable(b""), &frame];
                assert_eq!(fed(&many.concat()), Ok(true));
            }
        }
    }

    #[test]
    fn a_later_frame_is_judged_like_the_first() {
        let (good, wide) = (packed(20, None, true), packed(27, None, false));
        assert_eq!(fed(&wide), Err(FrameError::Window));
        for before in [&good[..], &skippable(b"x"), &[good.clone(), skippable(&wide)].concat()] {
            assert_eq!(fed(&[before, &wide].concat()), Err(FrameError::Window));
        }
        // The content of a frame is not parsed as a frame.
        assert_eq!(fed(&[skippable(&wide), good.clone()].concat()), Ok(true));
        assert_eq!(fed(&[&good[..], b"hello there"].concat()), Err(FrameError::Magic));
        assert_eq!(fed(b"hello there"), Err(FrameError::Magic));
        assert_eq!(fed(b""), Ok(true));
    }
}
