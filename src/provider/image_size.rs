//! The width and the height that an image says of itself. Nothing is decoded but its first bytes, and
//! the headers of a JPEG's segments.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Segments of a JPEG before the one with its size: a program writes a handful.
const MAX_SEGMENTS: usize = 256;

/// In pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSize {
    pub width: u32,
    pub height: u32,
}

impl ImageSize {
    /// Reads it from an image in standard base64; none if it is of another kind, or broken.
    pub fn read(data: &str) -> Option<Self> {
        let image = EncodedImage(data);
        let head = image.bytes(0, 30)?;
        match head.as_slice() {
            // https://www.w3.org/TR/png-3/#11IHDR
            [0x89, b'P', b'N', b'G', ..] => {
                Some(Self { width: big(head.get(16..20)?), height: big(head.get(20..24)?) })
            }
            // https://www.w3.org/Graphics/GIF/spec-gif89a.txt, section 18
            [b'G', b'I', b'F', b'8', ..] => {
                Some(Self { width: little(head.get(6..8)?), height: little(head.get(8..10)?) })
            }
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', kind @ ..] => webp(kind),
            [0xff, 0xd8, ..] => jpeg(&image),
            _ => None,
        }
    }

    pub fn longest_side(self) -> u32 {
        self.width.max(self.height)
    }
}

/// An image in base64, of which single bytes are decoded.
struct EncodedImage<'d>(&'d str);

impl EncodedImage<'_> {
    /// The bytes from `at` on, or fewer at the end.
    fn bytes(&self, at: usize, count: usize) -> Option<Vec<u8>> {
        let start = (at / 3).checked_mul(4)?;
        let end = at.checked_add(count)?.div_ceil(3).checked_mul(4)?.min(self.0.len());
        let mut found = STANDARD.decode(self.0.get(start..end)?).ok()?;
        let before = at % 3;
        if before > found.len() {
            return None;
        }
        found.drain(..before);
        found.truncate(count);
        Some(found)
    }
}

/// <https://www.rfc-editor.org/rfc/rfc9649#section-2>, from the name of the first chunk on.
fn webp(kind: &[u8]) -> Option<ImageSize> {
    let body = kind.get(8..)?;
    match kind.get(..4)? {
        b"VP8 " => Some(ImageSize {
            width: little(body.get(6..8)?) & 0x3fff,
            height: little(body.get(8..10)?) & 0x3fff,
        }),
        b"VP8L" => {
            let bits = little(body.get(1..5)?);
            Some(ImageSize { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 })
        }
        b"VP8X" => Some(ImageSize {
            width: little(body.get(4..7)?) + 1,
            height: little(body.get(7..10)?) + 1,
        }),
        _ => None,
    }
}

/// The frame's header among the segments: <https://www.w3.org/Graphics/JPEG/itu-t81.pdf>, B.2.2.
fn jpeg(image: &EncodedImage<'_>) -> Option<ImageSize> {
    let mut at = 2;
    for _ in 0..MAX_SEGMENTS {
        let segment = image.bytes(at, 9)?;
        let [0xff, marker, rest @ ..] = segment.as_slice() else { return None };
        match marker {
            // Fill bytes.
            0xff => at += 1,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                return Some(ImageSize {
                    height: big(rest.get(3..5)?),
                    width: big(rest.get(5..7)?),
                });
            }
            // The image itself begins.
            0xda => return None,
            _ => at = at.checked_add(2)?.checked_add(usize::try_from(big(rest.get(..2)?)).ok()?)?,
        }
    }
    None
}

fn big(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| (number << 8) | u32::from(*byte))
}

fn little(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(bytes: &[u8]) -> Option<(u32, u32)> {
        ImageSize::read(&STANDARD.encode(bytes)).map(|size| (size.width, size.height))
    }

    #[test]
    fn every_kind_says_its_size() {
        let padded = |head: &[u8]| [head, &[0; 32]].concat();
        let png = padded(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x64\0\0\x23\x28");
        assert_eq!(size(&png), Some((100, 9_000)));
        assert_eq!(size(&padded(b"GIF89a\x2c\x01\x90\x01")), Some((300, 400)));
        let lossy = padded(b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x2c\x01\x90\x01");
        assert_eq!(size(&lossy), Some((300, 400)));
        let bits: u32 = 299 + (399 << 14);
        let lossless =
            [b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f".as_slice(), &bits.to_le_bytes()].concat();
        assert_eq!(size(&padded(&lossless)), Some((300, 400)));
        let extended = padded(b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x2b\x01\0\x8f\x01\0");
        assert_eq!(size(&extended), Some((300, 400)));
    }

    #[test]
    fn a_jpeg_is_read_segment_by_segment() {
        let frame = b"\xff\xc2\0\x11\x08\x01\x90\x01\x2c\x03\0\0\0\0\0\0\0\0\0";
        for length in [2_u16, 16, 17, 18, 65_000] {
            let mut image = b"\xff\xd8\xff\xe1".to_vec();
            image.extend(length.to_be_bytes());
            image.extend(vec![0xff; usize::from(length) - 2]);
            image.extend(b"\xff\xff\xc4\0\x02");
            image.extend(frame);
            assert_eq!(size(&image), Some((300, 400)), "{length}");
        }
        assert_eq!(size(&[&b"\xff\xd8\xff\xda\0\x08"[..], &[0; 40]].concat()), None);
        assert_eq!(size(&[&b"\xff\xd8\xff\xe1\xff\xff"[..], &[0; 40]].concat()), None);
        assert_eq!(size(b"no image, but some thirty bytes of text"), None);
        assert_eq!(size(b"\x89PNG"), None);
    }
}
