//! Media: which target accepts which kind and where; the rest becomes a line of text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::ConversationAdapter;
use crate::domain::{Media, MediaSource, Source, Target};
use crate::provider::ImageSize;
use crate::provider::words::shown;

/// The message or part that contains a medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MediaHolder {
    User,
    Assistant,
    System,
    Result,
}

const PDF: &str = "application/pdf";

/// What adapting a medium changed.
#[derive(Debug, Default)]
pub(super) struct MediaChange {
    /// The text that replaces it.
    pub(super) text: Option<String>,
    /// The declared type and the one that its bytes have.
    pub(super) retyped: Option<String>,
    /// Whether it got a name that the target requires.
    pub(super) is_named: bool,
}

impl ConversationAdapter<'_> {
    /// Adapts a medium in place.
    pub(super) fn media(&self, media: &mut Media, holder: MediaHolder) -> MediaChange {
        let mut change = MediaChange::default();
        if self.target == Target::Neutral {
            return change;
        }
        change.retyped = name_type(media, self.target);
        if matches!(self.target, Target::Anthropic | Target::Openai) || is_svg(media) {
            read_text(media);
        }
        if is_unreadable(media) {
            change.text = Some(format!("{} missing or cut off", placeholder(media)));
            return change;
        }
        if let Some(size) = self.refused_size(media) {
            let ImageSize { width, height } = size;
            change.text = Some(format!("{} {width} × {height} pixels", placeholder(media)));
            return change;
        }
        if self.holds(media, holder) {
            if self.requires_name(media) && media.name.is_none() {
                media.name = Some(file_name(&media.media_type).into());
                change.is_named = true;
            }
            return change;
        }
        change.text = Some(Self::instead(media));
        change
    }

    /// The size of an image that is too large for the target, whatever else is sent:
    /// <https://platform.claude.com/docs/en/build-with-claude/vision>.
    fn refused_size(&self, media: &Media) -> Option<ImageSize> {
        const MAX_SIDE_PIXELS: u32 = 8_000;
        if self.target != Target::Anthropic || !media.is_image() {
            return None;
        }
        let MediaSource::Base64(data) = &media.source else { return None };
        ImageSize::read(data).filter(|size| size.longest_side() > MAX_SIDE_PIXELS)
    }

    /// The text in the place of a medium that the target cannot hold.
    fn instead(media: &Media) -> String {
        let mut text = placeholder(media);
        match &media.source {
            MediaSource::Text(content) => {
                text.push('\n');
                text.push_str(content);
            }
            MediaSource::Url(url) => {
                text.push(' ');
                text.push_str(url);
            }
            MediaSource::Base64(_) | MediaSource::FileId(_) => {}
        }
        text
    }

    /// Whether the target refuses the bytes of a file without a name: `filename` next to `file_data`
    /// in OpenAI's guide to file inputs.
    fn requires_name(&self, media: &Media) -> bool {
        matches!(self.target, Target::Openai | Target::OpenaiResponses)
            && matches!(media.source, MediaSource::Base64(_))
            && !media.is_image()
            && !media.is_audio()
            && !media.is_video()
    }

    /// Whether the target's shape has a place for the name of a medium that it accepts.
    pub(super) fn names_media(&self, media: &Media, holder: MediaHolder) -> bool {
        let file = !media.is_image() && !media.is_audio();
        match self.target {
            Target::Neutral => true,
            Target::Openai => file && !matches!(media.source, MediaSource::FileId(_)),
            Target::OpenaiResponses => file && matches!(media.source, MediaSource::Base64(_)),
            Target::Anthropic => file,
            // Only one of the provider's two services takes a name, so none is written, except inside
            // a response, which may refer to it.
            Target::Gemini => holder == MediaHolder::Result && self.source == Source::Gemini,
        }
    }

    /// The kinds that each provider's reference allows: content part types by role.
    fn holds(&self, media: &Media, holder: MediaHolder) -> bool {
        use MediaHolder::{Result, System, User};
        use MediaSource::{Base64, FileId, Text, Url};
        let image = media.is_image();
        let sound = media.is_audio() || media.is_video();
        match self.target {
            Target::Neutral => true,
            Target::Openai => {
                holder == User
                    && match &media.source {
                        Base64(_) if media.is_audio() => is_wav_or_mp3(&media.media_type),
                        Base64(_) if image => is_common_image(&media.media_type),
                        Base64(_) | Url(_) if media.is_video() => self.takes_videos(),
                        // https://developers.openai.com/api/docs/guides/file-inputs
                        Base64(_) => &*media.media_type == PDF,
                        Url(url) => image && is_web(url),
                        FileId(_) => !sound && self.knows_files(),
                        Text(_) => false,
                    }
            }
            Target::OpenaiResponses => {
                matches!(holder, User | Result)
                    && !sound
                    && match &media.source {
                        Base64(_) if image => is_common_image(&media.media_type),
                        Base64(_) => true,
                        Url(url) => is_web(url),
                        FileId(_) => self.knows_files(),
                        Text(_) => false,
                    }
            }
            Target::Anthropic => {
                matches!(holder, User | Result)
                    && !sound
                    && match &media.source {
                        Base64(_) if image => is_common_image(&media.media_type),
                        Base64(_) => media.media_type.eq_ignore_ascii_case(PDF),
                        Url(url) => is_web(url),
                        FileId(_) => self.knows_files(),
                        Text(text) => !image && !text.trim_start().is_empty(),
                    }
            }
            Target::Gemini => {
                let holds = !image || is_gemini_image(&media.media_type);
                let is_sent = match &media.source {
                    Base64(_) => image || sound || is_gemini_document(&media.media_type),
                    Url(url) => is_web(url) || is_google_file(url),
                    FileId(_) | Text(_) => false,
                };
                holder != System && holds && is_sent
            }
        }
    }

    /// Whether videos are sent as servers of other models take them, in messages that came from there:
    /// <https://openrouter.ai/docs/features/multimodal/videos>. `OpenAI`'s own models take none, and a
    /// request without a model is for one of these.
    fn takes_videos(&self) -> bool {
        matches!(self.source, Source::Openai | Source::Neutral) && !self.destination.takes_developer
    }

    /// Whether file ids of the source mean something to the target.
    fn knows_files(&self) -> bool {
        match self.target {
            Target::Openai | Target::OpenaiResponses => {
                matches!(self.source, Source::Openai | Source::OpenaiResponses | Source::Neutral)
            }
            _ => self.target.reads_items_of(self.source) || self.source == Source::Neutral,
        }
    }
}

/// `[image: NAME]` and the like: short, and the same words everywhere.
fn placeholder(media: &Media) -> String {
    let noun = if media.is_image() {
        "image"
    } else if media.is_audio() {
        "audio"
    } else if media.is_video() {
        "video"
    } else {
        "document"
    };
    match &media.name {
        Some(name) => format!("[{noun}: {name}]"),
        None => format!("[{noun}]"),
    }
}

fn is_web(url: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| url.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme)))
}

/// An object in Google's storage, or a file of the Gemini API: <https://ai.google.dev/api/files>.
fn is_google_file(uri: &str) -> bool {
    uri.starts_with("gs://") || uri.starts_with("files/")
}

/// Whether what should be the bytes of a medium is no base64: nothing, a text that a log has in place
/// of the bytes, or bytes that were cut off within a character. Every provider refuses it.
fn is_unreadable(media: &Media) -> bool {
    let data = match &media.source {
        MediaSource::Base64(data) => data,
        MediaSource::Text(text) | MediaSource::Url(text) => return text.is_empty(),
        MediaSource::FileId(_) => return false,
    };
    let digits = data.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    digits.is_empty() || digits.len() % 4 == 1 || !digits.bytes().all(is_digit)
}

fn is_wav_or_mp3(media_type: &str) -> bool {
    const KNOWN: &[&str] = &["audio/wav", "audio/x-wav", "audio/wave", "audio/mp3", "audio/mpeg"];
    KNOWN.iter().any(|known| media_type.eq_ignore_ascii_case(known))
}

/// The images that Anthropic's and OpenAI's guides to vision list.
fn is_common_image(media_type: &str) -> bool {
    ["image/jpeg", "image/png", "image/gif", "image/webp"].contains(&media_type)
}

/// The images that Gemini's guide to image understanding lists.
fn is_gemini_image(media_type: &str) -> bool {
    ["image/jpeg", "image/png", "image/webp", "image/heic", "image/heif"].contains(&media_type)
}

/// The documents that Gemini's guide to document understanding and its list of file types have.
fn is_gemini_document(media_type: &str) -> bool {
    media_type == PDF
        || media_type.starts_with("text/")
        || [
            "application/json",
            "application/xml",
            "application/rtf",
            "application/x-javascript",
            "application/x-python",
            "application/x-typescript",
        ]
        .contains(&media_type)
}

fn is_svg(media: &Media) -> bool {
    &*media.media_type == "image/svg+xml"
}

/// The name of a file without one, by its type.
fn file_name(media_type: &str) -> &'static str {
    match media_type {
        "application/pdf" => "document.pdf",
        "text/plain" => "document.txt",
        "text/markdown" => "document.md",
        "text/csv" => "document.csv",
        "text/html" => "document.html",
        "application/json" => "document.json",
        _ => "document",
    }
}

/// Sets the media type that the provider requires: from the first bytes, else as it was declared,
/// else from the name. URLs need one for Gemini only. Returns the declared type and the real one if
/// the bytes are of another type than was declared.
fn name_type(media: &mut Media, target: Target) -> Option<String> {
    let known = media.media_type.to_ascii_lowercase();
    let known = known.split(';').next().unwrap_or_default().trim();
    let is_declared = !known.contains('*') && !known.is_empty();
    let detected = match &media.source {
        MediaSource::Base64(data) => from_bytes(data),
        // Content that was given as text is text, whatever its declared type.
        MediaSource::Text(_) if !known.starts_with("text/") && !is_svg(media) => Some("text/plain"),
        _ => None,
    };
    if is_declared {
        let canonical = canonical(known);
        match detected.filter(|found| *found != canonical) {
            Some(found) if matches!(media.source, MediaSource::Base64(_)) => {
                let change = format!("{} → {found}", shown(&media.media_type));
                media.media_type = found.into();
                return Some(change);
            }
            Some(found) => media.media_type = found.into(),
            // Names of sounds are many, and their target reads them all.
            None if media.is_audio() => {}
            None if *media.media_type != *canonical => media.media_type = canonical.into(),
            None => {}
        }
        return None;
    }
    let image = known.starts_with("image/");
    let fallback = match known {
        _ if image => "image/jpeg",
        "video/*" => "video/mp4",
        _ => "application/octet-stream",
    };
    let found = match &media.source {
        MediaSource::Base64(_) => Some(detected.unwrap_or(fallback)),
        MediaSource::Url(url) if target == Target::Gemini => {
            let name = media.name.as_deref().unwrap_or_default();
            Some(from_name(url).or_else(|| from_name(name)).unwrap_or(fallback))
        }
        MediaSource::Text(_) => detected,
        MediaSource::Url(_) | MediaSource::FileId(_) => None,
    };
    if let Some(found) = found {
        media.media_type = found.into();
    }
    None
}

/// The registered name of a type that has several.
fn canonical(media_type: &str) -> &str {
    match media_type {
        "image/jpg" | "image/pjpeg" => "image/jpeg",
        "image/x-png" => "image/png",
        "image/svg" => "image/svg+xml",
        "application/x-pdf" => "application/pdf",
        "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => "audio/wav",
        "audio/mp3" | "audio/x-mp3" => "audio/mpeg",
        other => other,
    }
}

/// Detects the type from the first bytes.
fn from_bytes(data: &str) -> Option<&'static str> {
    let head = STANDARD.decode(data.get(..16).or_else(|| data.get(..8))?).ok()?;
    Some(match head.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P'] => "image/webp",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E'] => "audio/wav",
        [_, _, _, _, b'f', b't', b'y', b'p', b'h', b'e', b'i', b'c' | b'x'] => "image/heic",
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f'] => "image/avif",
        [b'%', b'P', b'D', b'F', ..] => "application/pdf",
        [b'I', b'D', b'3', ..] => "audio/mpeg",
        [b'<', b's', b'v', b'g', ..] => "image/svg+xml",
        _ => return None,
    })
}

/// Detects the type from a file's extension.
fn from_name(name: &str) -> Option<&'static str> {
    const ENDINGS: &[(&str, &str)] = &[
        ("png", "image/png"),
        ("jpg", "image/jpeg"),
        ("jpeg", "image/jpeg"),
        ("gif", "image/gif"),
        ("webp", "image/webp"),
        ("heic", "image/heic"),
        ("pdf", "application/pdf"),
        ("txt", "text/plain"),
        ("md", "text/markdown"),
        ("csv", "text/csv"),
        ("html", "text/html"),
        ("json", "application/json"),
        ("mp3", "audio/mpeg"),
        ("wav", "audio/wav"),
        ("mp4", "video/mp4"),
    ];
    let path = name.split(['?', '#']).next().unwrap_or(name);
    let ending = path.rsplit_once('.')?.1;
    ENDINGS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|(_, kind)| *kind)
}

/// A text file in base64 becomes a document of plain text: the only base64 documents there are
/// PDFs.
fn read_text(media: &mut Media) {
    let MediaSource::Base64(data) = &media.source else { return };
    let textual = media.media_type.starts_with("text/") || &*media.media_type == "application/json";
    let svg = is_svg(media);
    if !textual && !svg {
        return;
    }
    let text =
        STANDARD.decode(data.as_bytes()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        media.source = MediaSource::Text(text.replace('\0', "\u{fffd}").into());
        // An image stays one, so that its place in the text says so.
        if !svg {
            media.media_type = "text/plain".into();
        }
    }
}
