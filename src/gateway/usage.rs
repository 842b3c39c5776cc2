//! Finds the usage in a response while it passes: in streams and whole, coded or not.
//!
//! Nothing is kept of a response but the end of what cannot be judged yet, and the usage objects.

use std::io::{self, Write};

use flate2::write::{MultiGzDecoder, ZlibDecoder};
use memchr::memmem;
use serde_json::{Map, Value};

use super::coding::{BROTLI_BUFFER_BYTES, ContentCoding, MAX_ZSTD_WINDOW_LOG};

/// Bytes at the end of an event, or of a whole response, in which its usage is looked for.
const MAX_TAIL_BYTES: usize = 32 << 10;
/// Bytes of a response, decoded, after which nothing is looked for any more.
const MAX_ANSWER_BYTES: usize = 256 << 20;

/// The names of usage objects: of `OpenAI` and Anthropic, and of Gemini.
const KEYS: &[&str] = &["\"usage\"", "\"usageMetadata\"", "\"usage_metadata\""];

/// Reads a response as it passes.
pub struct UsageReader(Option<AnswerDecoder>);

enum AnswerDecoder {
    Plain(UsageScanner),
    Gzip(MultiGzDecoder<UsageScanner>),
    Deflate(ZlibDecoder<UsageScanner>),
    Brotli(Box<brotli_decompressor::DecompressorWriter<UsageScanner>>),
    Zstd(zstd::stream::write::Decoder<'static, UsageScanner>),
}

/// Looks for usage objects in decoded bytes.
#[derive(Debug, Default)]
struct UsageScanner {
    /// Whether each line is judged by itself.
    is_stream: bool,
    /// The end of the current line, or of the whole.
    tail: Vec<u8>,
    /// Bytes so far.
    bytes: usize,
    /// The members of all usage objects; later ones replace earlier ones.
    usage: Map<String, Value>,
}

impl UsageReader {
    /// A reader of a response with these values of `content-encoding` and `content-type`. A response
    /// in an unknown coding is not read.
    pub fn new(coding: &str, media_type: &str) -> Self {
        let scanner = UsageScanner {
            is_stream: media_type.starts_with("text/event-stream"),
            ..UsageScanner::default()
        };
        let decoder = match ContentCoding::parse(coding) {
            Some(ContentCoding::Identity) => Some(AnswerDecoder::Plain(scanner)),
            Some(ContentCoding::Gzip) => Some(AnswerDecoder::Gzip(MultiGzDecoder::new(scanner))),
            Some(ContentCoding::Deflate) => Some(AnswerDecoder::Deflate(ZlibDecoder::new(scanner))),
            Some(ContentCoding::Brotli) => {
                let writer =
                    brotli_decompressor::DecompressorWriter::new(scanner, BROTLI_BUFFER_BYTES);
                Some(AnswerDecoder::Brotli(Box::new(writer)))
            }
            Some(ContentCoding::Zstd) => zstd_decoder(scanner).ok().map(AnswerDecoder::Zstd),
            None => None,
        };
        Self(decoder)
    }

    /// Reads the next bytes as they are sent. What cannot be decoded is read no further.
    pub fn read(&mut self, bytes: &[u8]) {
        let Some(decoder) = &mut self.0 else { return };
        let written = match decoder {
            AnswerDecoder::Plain(scanner) => scanner.write_all(bytes),
            AnswerDecoder::Gzip(decoder) => flushed(decoder, bytes),
            AnswerDecoder::Deflate(decoder) => flushed(decoder, bytes),
            AnswerDecoder::Brotli(decoder) => flushed(decoder, bytes),
            AnswerDecoder::Zstd(decoder) => flushed(decoder, bytes),
        };
        if written.is_err() {
            self.0 = None;
        }
    }

    /// Returns the usage object that the response has so far, as JSON; none if it has none.
    pub fn usage(mut self) -> Option<String> {
        let scanner = match self.0.as_mut()? {
            AnswerDecoder::Plain(scanner) => scanner,
            AnswerDecoder::Gzip(decoder) => decoder.get_mut(),
            AnswerDecoder::Deflate(decoder) => decoder.get_mut(),
            AnswerDecoder::Brotli(decoder) => decoder.get_mut(),
            AnswerDecoder::Zstd(decoder) => decoder.get_mut(),
        };
        scanner.judge();
        let usage = std::mem::take(&mut scanner.usage);
        (!usage.is_empty()).then(|| Value::Object(usage).to_string())
    }
}

impl std::fmt::Debug for UsageReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UsageReader").finish_non_exhaustive()
    }
}

/// A decoder that reserves no more memory than that of a request's body.
fn zstd_decoder(
    scanner: UsageScanner,
) -> io::Result<zstd::stream::write::Decoder<'static, UsageScanner>> {
    let mut decoder = zstd::stream::write::Decoder::new(scanner)?;
    decoder.window_log_max(MAX_ZSTD_WINDOW_LOG)?;
    Ok(decoder)
}

fn flushed(decoder: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    decoder.write_all(bytes)?;
    decoder.flush()
}

impl UsageScanner {
    fn add(&mut self, bytes: &[u8]) {
        // Half of the room goes at once, so that each byte is moved at most twice.
        if self.tail.len() + bytes.len() > 2 * MAX_TAIL_BYTES {
            let kept = self.tail.len().min(MAX_TAIL_BYTES.saturating_sub(bytes.len()));
            self.tail.drain(..self.tail.len() - kept);
        }
        let from = bytes.len().saturating_sub(2 * MAX_TAIL_BYTES);
        self.tail.extend_from_slice(bytes.get(from..).unwrap_or_default());
    }

    /// Takes over the last usage object of what was read, and forgets the rest.
    fn judge(&mut self) {
        if let Some(found) = KEYS.iter().find_map(|key| last_object(&self.tail, key)) {
            let known = found.into_iter().filter(|(_, value)| !value.is_null());
            self.usage.extend(known);
        }
        self.tail.clear();
    }
}

impl Write for UsageScanner {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if self.bytes > MAX_ANSWER_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if !self.is_stream {
            self.add(bytes);
            return Ok(bytes.len());
        }
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            self.add(line);
            self.judge();
            rest = after.get(1..).unwrap_or_default();
        }
        self.add(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the last object of this key. In a text of the model the quotes are escaped.
fn last_object(text: &[u8], key: &str) -> Option<Map<String, Value>> {
    /// Places that are tried: a text that repeats the key costs no more.
    const MAX_TRIES: usize = 8;
    let finder = memmem::FinderRev::new(key);
    for at in finder.rfind_iter(text).take(MAX_TRIES) {
        if at.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'\\') {
            continue;
        }
        let rest = text.get(at + key.len()..)?.trim_ascii_start();
        let Some(value) = rest.strip_prefix(b":") else { continue };
        let mut values = serde_json::Deserializer::from_slice(value).into_iter::<Value>();
        if let Some(Ok(Value::Object(object))) = values.next() {
            return Some(object);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    const STREAM: &str = "text/event-stream; charset=utf-8";

    /// Reads a response in pieces of every size.
    fn usage(coding: &str, media_type: &str, answer: &[u8]) -> Option<Value> {
        let mut found = Vec::new();
        for size in [1, 7, 1000, answer.len().max(1)] {
            let mut reader = UsageReader::new(coding, media_type);
            answer.chunks(size).for_each(|piece| reader.read(piece));
            found.push(reader.usage().map(|usage| serde_json::from_str(&usage).unwrap()));
        }
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:?}");
        found.pop().unwrap()
    }

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn usage_of_streams_is_merged() {
        let anthropic = "event: message_start\r\n\
            data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9,\"cache_read_input_tokens\":5,\"output_tokens\":1}}}\r\n\r\n\
            event: content_block_delta\r\ndata: {\"delta\":{\"text\":\"\\\"usage\\\": {\\\"input_tokens\\\": 99}\"}}\r\n\r\n\
            : ping\r\n\r\n\
            data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":42,\"input_tokens\":null}}\r\n\r\n";
        assert_eq!(
            usage("", STREAM, anthropic.as_bytes()),
            Some(value(r#"{"input_tokens":9,"cache_read_input_tokens":5,"output_tokens":42}"#))
        );
        let chat = "data: {\"choices\":[],\"usage\":null}\n\n\
            data: {\"choices\":[],\"usage\": {\"prompt_tokens\":3}}\n\ndata: [DONE]\n\n";
        assert_eq!(usage("", STREAM, chat.as_bytes()), Some(value(r#"{"prompt_tokens":3}"#)));
        let gemini = "data: {\"usageMetadata\":{\"promptTokenCount\":3}}\n\n\
            data: {\"usageMetadata\":{\"promptTokenCount\":3,\"candidatesTokenCount\":2}}";
        assert_eq!(
            usage("", STREAM, gemini.as_bytes()),
            Some(value(r#"{"promptTokenCount":3,"candidatesTokenCount":2}"#))
        );
        assert_eq!(usage("", STREAM, b"data: {\"choices\":[]}\n\n"), None);
    }

    #[test]
    fn usage_of_a_long_response_is_at_its_end() {
        let text = "a \\\"usage\\\": {} b".repeat(20_000);
        let whole = format!("{{\"content\":\"{text}\",\"usage\":{{\"input_tokens\":7}},\"x\":[]}}");
        assert_eq!(
            usage("", "application/json", whole.as_bytes()),
            Some(value(r#"{"input_tokens":7}"#))
        );
        let line = format!("data: {whole}\n\n");
        assert_eq!(usage("", STREAM, line.as_bytes()), Some(value(r#"{"input_tokens":7}"#)));
    }

    #[test]
    fn coded_responses_are_read() {
        let answer = b"{\"usage\":{\"input_tokens\":7}}";
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(answer).unwrap();
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        zlib.write_all(answer).unwrap();
        for (coding, coded) in [
            ("gzip", gzip.finish().unwrap()),
            ("deflate", zlib.finish().unwrap()),
            ("zstd", zstd::bulk::compress(answer, 1).unwrap()),
        ] {
            let found = usage(coding, "application/json", &coded);
            assert_eq!(found, Some(value(r#"{"input_tokens":7}"#)), "{coding}");
        }
        assert_eq!(usage("gzip", STREAM, answer), None);
        assert_eq!(usage("x-unknown", STREAM, answer), None);
    }

    #[test]
    fn a_zstd_window_of_more_than_8_mib_is_not_reserved() {
        let answer = br#"{"usage":{"input_tokens":7}}"#;
        let coded = |window_log| {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
            encoder.window_log(window_log).unwrap();
            encoder.write_all(answer).unwrap();
            encoder.finish().unwrap()
        };
        let wanted = Some(value(r#"{"input_tokens":7}"#));
        assert_eq!(usage("zstd", "application/json", &coded(23)), wanted);
        assert_eq!(usage("zstd", "application/json", &coded(24)), None);
    }

    #[test]
    fn a_text_that_repeats_the_key_costs_no_more() {
        let text = "\"usage\":{".repeat(200_000);
        assert_eq!(usage("", "application/json", text.as_bytes()), None);
    }
}
