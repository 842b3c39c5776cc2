//! Media: which target accepts which kind and where; the rest becomes a line of text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::ConversationAdapter;
use crate::domain::{Media, MediaSource, Source, Target};

/// The message or part that contains a medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MediaHolder {
    User,
    Assistant,
    System,
    Result,
}

impl ConversationAdapter<'_> {
    /// Adapts a medium in place, or returns the text that replaces it.
    pub(super) fn media(&self, media: &mut Media, holder: MediaHolder) -> Option<String> {
        if self.target == Target::Neutral {
            return None;
        }
        name_type(media, self.target);
        if self.target == Target::Anthropic {
            read_text(media);
        }
        if self.holds(media, holder) {
            return None;
        }
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
        Some(text)
    }

    /// Whether the target's shape has a place for the name of a medium that it accepts.
    pub(super) fn names_media(&self, media: &Media) -> bool {
        let file = !media.is_image() && !media.is_audio();
        match self.target {
            Target::Neutral => true,
            Target::Openai => file && !matches!(media.source, MediaSource::FileId(_)),
            Target::OpenaiResponses => file && matches!(media.source, MediaSource::Base64(_)),
            Target::Anthropic => file,
            // Only one of the provider's two services takes a name, so none is written.
            Target::Gemini => false,
        }
    }

    /// The kinds that each provider's reference allows: content part types by role.
    fn holds(&self, media: &Media, holder: MediaHolder) -> bool {
        use MediaHolder::{Result, System, User};
        use MediaSource::{Base64, FileId, Text, Url};
        let image = media.is_image();
        let sound = media.is_audio() || is_video(&media.media_type);
        match self.target {
            Target::Neutral => true,
            Target::Openai => {
                holder == User
                    && match &media.source {
                        Base64(_) if media.is_audio() => is_wav_or_mp3(&media.media_type),
                        Base64(_) => !sound,
                        Url(url) => image && is_web(url),
                        FileId(_) => !sound && self.knows_files(),
                        Text(_) => false,
                    }
            }
            Target::OpenaiResponses => {
                matches!(holder, User | Result)
                    && !sound
                    && match &media.source {
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
                        Base64(_) if image => is_anthropic_image(&media.media_type),
                        Base64(_) => media.media_type.eq_ignore_ascii_case("application/pdf"),
                        Url(url) => is_web(url),
                        FileId(_) => self.knows_files(),
                        Text(text) => !text.trim_start().is_empty(),
                    }
            }
            Target::Gemini => holder != System && matches!(media.source, Base64(_) | Url(_)),
        }
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
    } else if media.is_audio() || is_video(&media.media_type) {
        "attachment"
    } else {
        "document"
    };
    match &media.name {
        Some(name) => format!("[{noun}: {name}]"),
        None => format!("[{noun}]"),
    }
}

fn is_video(media_type: &str) -> bool {
    media_type.get(..6).is_some_and(|head| head.eq_ignore_ascii_case("video/"))
}

fn is_web(url: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| url.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme)))
}

fn is_wav_or_mp3(media_type: &str) -> bool {
    const KNOWN: &[&str] = &["audio/wav", "audio/x-wav", "audio/wave", "audio/mp3", "audio/mpeg"];
    KNOWN.iter().any(|known| media_type.eq_ignore_ascii_case(known))
}

fn is_anthropic_image(media_type: &str) -> bool {
    ["image/jpeg", "image/png", "image/gif", "image/webp"].contains(&media_type)
}

/// Sets the media type that the provider requires: from the first bytes or the name if the source
/// did not specify it. URLs need one for Gemini only.
fn name_type(media: &mut Media, target: Target) {
    // Content that was given as text is text, whatever its declared type.
    if matches!(media.source, MediaSource::Text(_)) && !media.media_type.starts_with("text/") {
        media.media_type = "text/plain".into();
    }
    let known = media.media_type.to_ascii_lowercase();
    if !known.contains('*') && !known.is_empty() {
        let canonical = if known == "image/jpg" { "image/jpeg" } else { &*known };
        if *media.media_type != *canonical {
            media.media_type = canonical.into();
        }
        return;
    }
    let image = known.starts_with("image/");
    let fallback = if image { "image/jpeg" } else { "application/octet-stream" };
    let found = match &media.source {
        MediaSource::Base64(data) => Some(from_bytes(data).unwrap_or(fallback)),
        MediaSource::Url(url) if target == Target::Gemini => {
            let name = media.name.as_deref().unwrap_or_default();
            Some(from_name(url).or_else(|| from_name(name)).unwrap_or(fallback))
        }
        MediaSource::Url(_) | MediaSource::FileId(_) | MediaSource::Text(_) => None,
    };
    if let Some(found) = found {
        media.media_type = found.into();
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
        [b'%', b'P', b'D', b'F', ..] => "application/pdf",
        [b'I', b'D', b'3', ..] => "audio/mpeg",
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
    if !textual {
        return;
    }
    let text =
        STANDARD.decode(data.as_bytes()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        media.source = MediaSource::Text(text.into());
        media.media_type = "text/plain".into();
    }
}
