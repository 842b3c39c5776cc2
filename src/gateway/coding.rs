//! Codings of bodies (RFC 9110 §8.4.1), which clients may send and which answers may have.

use std::io::{self, Read};

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// Bytes that decoders of brotli read or write at once.
pub(super) const BROTLI_BUFFER_BYTES: usize = 4096;
/// The logarithm of the largest window of zstd that is decoded: 8 MiB, as RFC 8878 says for the web.
pub(super) const MAX_ZSTD_WINDOW_LOG: u32 = 23;

/// How a body is coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentCoding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Why a body cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CodingError {
    #[error("the body is larger than allowed once it is decoded")]
    TooLarge,
    #[error("the body is not in the coding that `content-encoding` names")]
    Invalid,
}

impl ContentCoding {
    /// Reads the value of `content-encoding`; none if it is another coding, or several.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Self::Identity,
            "gzip" | "x-gzip" => Self::Gzip,
            "deflate" => Self::Deflate,
            "br" => Self::Brotli,
            "zstd" => Self::Zstd,
            _ => return None,
        })
    }

    /// Decodes a body of at most `max_bytes`.
    pub fn decode(self, bytes: &[u8], max_bytes: usize) -> Result<Vec<u8>, CodingError> {
        if self == Self::Deflate {
            // Some clients leave the zlib header out that the coding has.
            let plain = read(ZlibDecoder::new(bytes), max_bytes);
            return match plain {
                Err(CodingError::Invalid) => read(DeflateDecoder::new(bytes), max_bytes),
                found => found,
            };
        }
        read(self.reader(bytes).map_err(|_| CodingError::Invalid)?, max_bytes)
    }

    /// Returns a reader of the decoded bytes.
    fn reader<'r>(self, bytes: impl Read + 'r) -> io::Result<Box<dyn Read + 'r>> {
        Ok(match self {
            Self::Identity => Box::new(bytes),
            Self::Gzip => Box::new(MultiGzDecoder::new(bytes)),
            Self::Deflate => Box::new(ZlibDecoder::new(bytes)),
            Self::Brotli => {
                Box::new(brotli_decompressor::Decompressor::new(bytes, BROTLI_BUFFER_BYTES))
            }
            Self::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::new(bytes)?;
                decoder.window_log_max(MAX_ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
        })
    }
}

fn read(reader: impl Read, max_bytes: usize) -> Result<Vec<u8>, CodingError> {
    let mut out = Vec::new();
    let most = (max_bytes as u64).saturating_add(1);
    reader.take(most).read_to_end(&mut out).map_err(|_| CodingError::Invalid)?;
    if out.len() > max_bytes { Err(CodingError::TooLarge) } else { Ok(out) }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    const TEXT: &[u8] = b"a text, a text, a text, a text, a text";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn each_coding_is_decoded() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(TEXT).unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(TEXT).unwrap();
        // One uncompressed meta-block (RFC 7932 §9.2), then the empty last one.
        let length = u32::try_from(TEXT.len() - 1).unwrap();
        let mut brotli = (length << 4 | 1 << 20).to_le_bytes()[..3].to_vec();
        brotli.extend_from_slice(TEXT);
        brotli.push(3);
        for (name, coded) in [
            ("identity", TEXT.to_vec()),
            ("gzip", gzip(TEXT)),
            ("X-GZIP", [gzip(b"a text, "), gzip(&TEXT[8..])].concat()),
            ("deflate", zlib.finish().unwrap()),
            ("deflate", raw.finish().unwrap()),
            ("zstd", zstd::bulk::compress(TEXT, 1).unwrap()),
            ("br", brotli),
        ] {
            let coding = ContentCoding::parse(name).unwrap();
            assert_eq!(coding.decode(&coded, TEXT.len()).as_deref(), Ok(TEXT), "{name}");
            let small = coding.decode(&coded, TEXT.len() - 1);
            assert_eq!(small, Err(CodingError::TooLarge), "{name}");
        }
    }

    #[test]
    fn what_is_not_in_its_coding_is_an_error() {
        for name in ["gzip", "deflate", "br", "zstd"] {
            let coding = ContentCoding::parse(name).unwrap();
            let found = coding.decode(b"{\"messages\": []}\xff\xff", 1000);
            assert_eq!(found, Err(CodingError::Invalid), "{name}");
        }
        let whole = gzip(TEXT);
        let cut = ContentCoding::Gzip.decode(&whole[..whole.len() - 9], 1000);
        assert_eq!(cut, Err(CodingError::Invalid));
        for unknown in ["gzip, br", "compress", "x"] {
            assert_eq!(ContentCoding::parse(unknown), None);
        }
    }
}
