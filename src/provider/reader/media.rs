//! Images, sounds and files in every provider's shape, brought into one canonical form.
//!
//! Base64 never keeps a `data:` prefix, so that any target can write it in its own way.

use std::sync::Arc;

use super::context::{NEEDS_DATA, ReadContext, either, part_extra, present};
use super::data_uri;
use crate::domain::{Content, Extra, Media, MediaSource, Part};
use crate::json::{Node, Path};

/// The media type if it is unknown.
pub(super) const UNKNOWN_TYPE: &str = "*/*";
const UNKNOWN_IMAGE_TYPE: &str = "image/*";

/// Reads a part whose `type` is a media type; `None` if its shape is unknown, and the part must be
/// kept unchanged.
pub(super) fn read(
    cx: &mut ReadContext<'_>,
    kind: &str,
    node: &Node<'_>,
    path: &Path<'_>,
) -> Option<Part> {
    let (media, extra) = match kind {
        "image_url" => image_url(cx, node, path),
        "video_url" => {
            at_member(cx, node, path, AddressMember { key: "video_url", unknown: "video/*" })
        }
        "input_image" => input_image(cx, node, path),
        "input_audio" => input_audio(cx, node, path),
        "image" | "audio" | "video" | "file" if is_standard_block(node) => {
            standard_block(cx, kind, node, path)
        }
        // The parts of the AI SDK, with members of their own.
        "file" | "reasoning-file" if node.get("data").is_some() => sdk_file(cx, node, path),
        "file" | "input_file" => file(cx, node, path),
        "media" => neutral(cx, node, path),
        "image" if node.get("image").is_some() => sdk_image(cx, node, path),
        "image" | "document" if node.get("source").is_some() => {
            return source(cx, kind, node, path);
        }
        // The Model Context Protocol's content blocks, which tools hand on as they are.
        "image" | "audio" if node.get("data").is_some() => {
            let mime = either(node, "mimeType", "media_type").and_then(Node::as_str);
            let data = cx.media_data(node, "data", path);
            let mime =
                mime.unwrap_or(if kind == "image" { UNKNOWN_IMAGE_TYPE } else { UNKNOWN_TYPE });
            let known = ["type", "data", "mimeType", "media_type"];
            (media_of(mime, &data), part_extra(node, &known))
        }
        _ => return None,
    };
    let mut part = Part::new(Content::Media(media));
    part.extra = extra;
    Some(part)
}

/// Whether a part is a block of `LangChain`'s: with a type of its source, or with the source itself next to
/// the block's type.
fn is_standard_block(node: &Node<'_>) -> bool {
    let has = |key: &str| present(node, key).is_some();
    let has_source = has("url") || has("base64") || has("file_id") && !has("file");
    !has("source") && (has("source_type") || has_source || has("data") && has("mime_type"))
}

/// `{"source_type": "url" | "base64" | "id" | "text", …, "mime_type"?}`, and the same with `url`,
/// `base64` or `file_id` alone: <https://docs.langchain.com/oss/python/langchain/messages>.
fn standard_block(
    cx: &mut ReadContext<'_>,
    kind: &str,
    node: &Node<'_>,
    path: &Path<'_>,
) -> (Media, Extra) {
    const KNOWN: &[&str] = &[
        "type",
        "source_type",
        "url",
        "base64",
        "data",
        "file_id",
        "id",
        "text",
        "mime_type",
        "mimeType",
        "mediaType",
        "media_type",
        "filename",
        "name",
        "metadata",
        "extras",
    ];
    let mime =
        either(node, "mime_type", "mimeType").or_else(|| either(node, "mediaType", "media_type"));
    let any = format!("{kind}/*");
    let mime =
        mime.and_then(Node::as_str).unwrap_or(if kind == "file" { UNKNOWN_TYPE } else { &any });
    let is_text = node.get("source_type").and_then(Node::as_str) == Some("text");
    let find = |keys: [&'static str; 2]| keys.into_iter().find(|key| present(node, key).is_some());
    let mut media = if let Some(url) = cx.member(node, "url", path) {
        at_url(mime, &url)
    } else if is_text {
        let source = MediaSource::Text(cx.media_data(node, "text", path));
        Media { media_type: Arc::from(mime), source, name: None }
    } else if let Some(key) = find(["base64", "data"]) {
        media_of(mime, &cx.media_data(node, key, path))
    } else {
        let key = find(["file_id", "id"]).unwrap_or("id");
        held(mime, cx.required(node, key, path, "media needs its data, an id or a URL"))
    };
    media.name = cx.member(node, "filename", path).or_else(|| cx.member(node, "name", path));
    (media, part_extra(node, KNOWN))
}

/// ContextChef's `{mediaType, data, filename?}`.
pub(super) fn attachment(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Part {
    let data = cx.media_data(node, "data", path);
    let mime = cx.member(node, "mediaType", path);
    let mut media = media_of(mime.as_deref().unwrap_or(UNKNOWN_TYPE), &data);
    media.name = cx.member(node, "filename", path);
    let mut part = Part::new(Content::Media(media));
    part.extra = part_extra(node, &["mediaType", "data", "filename"]);
    part
}

/// Media from text that may be a data URI, a URL or bare base64. The media type that a data
/// URI names wins over `mime`.
pub(super) fn media_of(mime: &str, data: &Arc<str>) -> Media {
    if let Some((own, source)) = data_uri::read(data) {
        let media_type = if own.is_empty() { mime } else { own };
        return Media { media_type: Arc::from(media_type), source, name: None };
    }
    let source = if is_url(data) {
        MediaSource::Url(Arc::clone(data))
    } else {
        MediaSource::Base64(data_uri::standard(data))
    };
    Media { media_type: Arc::from(mime), source, name: None }
}

/// A member with the address of a medium, or with an object that has it as `url`.
#[derive(Clone, Copy)]
struct AddressMember {
    key: &'static str,
    /// The type of media whose address does not tell.
    unknown: &'static str,
}

fn image_url(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> (Media, Extra) {
    at_member(cx, node, path, AddressMember { key: "image_url", unknown: UNKNOWN_IMAGE_TYPE })
}

fn at_member(
    cx: &mut ReadContext<'_>,
    node: &Node<'_>,
    path: &Path<'_>,
    AddressMember { key, unknown }: AddressMember,
) -> (Media, Extra) {
    let mut rest = part_extra(node, &["type", key]);
    let url = match present(node, key) {
        Some(inner) if inner.as_object().is_some() => {
            rest.extend(part_extra(inner, &["url"]));
            cx.media_data(inner, "url", &path.key(key))
        }
        _ => cx.media_data(node, key, path),
    };
    (at_url(unknown, &url), rest)
}

fn input_image(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> (Media, Extra) {
    if let Some(id) = cx.member(node, "file_id", path) {
        let media = held(UNKNOWN_IMAGE_TYPE, id);
        let mut rest = part_extra(node, &["type", "file_id"]);
        rest.retain(|(key, value)| &**key != "image_url" || value.as_str() != "null");
        return (media, rest);
    }
    let (media, mut rest) = image_url(cx, node, path);
    rest.retain(|(key, value)| &**key != "file_id" || value.as_str() != "null");
    (media, rest)
}

fn input_audio(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> (Media, Extra) {
    let mut rest = part_extra(node, &["type", "input_audio"]);
    let inner_path = path.key("input_audio");
    let Some(inner) = present(node, "input_audio").filter(|inner| inner.as_object().is_some())
    else {
        cx.fault(&inner_path, "must be an object with `data` and `format`");
        return (held(UNKNOWN_TYPE, Arc::from("")), rest);
    };
    let data = cx.media_data(inner, "data", &inner_path);
    let format = cx.member(inner, "format", &inner_path);
    let mime = match format.as_deref() {
        None => "audio/*".to_owned(),
        Some("mp3") => "audio/mpeg".to_owned(),
        Some(format) => format!("audio/{format}"),
    };
    rest.extend(part_extra(inner, &["data", "format"]));
    (media_of(&mime, &data), rest)
}

/// `{"data", "mediaType", "filename"?}`.
fn sdk_file(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> (Media, Extra) {
    const KNOWN: &[&str] = &["type", "data", "mediaType", "mimeType", "filename"];
    let data = cx.media_data(node, "data", path);
    let mime = either(node, "mediaType", "mimeType").and_then(Node::as_str);
    let mut media = media_of(mime.unwrap_or(UNKNOWN_TYPE), &data);
    media.name = cx.member(node, "filename", path);
    (media, part_extra(node, KNOWN))
}

/// `{"image", "mediaType"?}`, the image being base64 or an address.
fn sdk_image(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> (Media, Extra) {
    let data = cx.media_data(node, "image", path);
    let mime = either(node, "mediaType", "mimeType").and_then(Node::as_str);
    let media = media_of(mime.unwrap_or(UNKNOWN_IMAGE_TYPE), &data);
    (media, part_extra(node, &["type", "image", "mediaType", "mimeType"]))
}

/// `file` (members inside `file`) and `input_file` (members next to `type`).
fn file(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> (Media, Extra) {
    const KNOWN: &[&str] = &["type", "file", "filename", "file_data", "file_url"];
    let nested = present(node, "file").filter(|inner| inner.as_object().is_some());
    let inner_path = path.key("file");
    let (inner, at) = match nested {
        Some(inner) => (inner, &inner_path),
        None => (node, path),
    };
    let mut rest = part_extra(node, KNOWN);
    if nested.is_some() {
        rest.extend(part_extra(inner, KNOWN));
    }
    rest.retain(|(key, value)| &**key != "file_id" || value.as_str() != "null");
    let name = cx.member(inner, "filename", at);
    let mime = name.as_deref().map_or(UNKNOWN_TYPE, type_of_name);
    let mut media = if let Some(data) = cx.member(inner, "file_data", at) {
        media_of(mime, &data)
    } else if let Some(url) = cx.member(inner, "file_url", at) {
        at_url(mime, &url)
    } else {
        rest.retain(|(key, _)| &**key != "file_id");
        held(mime, cx.required(inner, "file_id", at, "media needs its data, an id or a URL"))
    };
    media.name = name;
    (media, rest)
}

fn neutral(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> (Media, Extra) {
    const KNOWN: &[&str] = &["type", "media_type", "data", "url", "file_id", "text", "name"];
    let mime = cx.member(node, "media_type", path);
    let mime = mime.as_deref().unwrap_or(UNKNOWN_TYPE);
    let mut media = if let Some(url) = cx.member(node, "url", path) {
        at_url(mime, &url)
    } else if let Some(id) = cx.member(node, "file_id", path) {
        held(mime, id)
    } else if let Some(text) = cx.member(node, "text", path) {
        Media { media_type: Arc::from(mime), source: MediaSource::Text(text), name: None }
    } else {
        if present(node, "data").is_none() {
            cx.fault(path, "media needs `data`, `url`, `file_id` or `text`");
        }
        media_of(mime, &cx.member(node, "data", path).unwrap_or_default())
    };
    media.name = cx.member(node, "name", path);
    (media, part_extra(node, KNOWN))
}

/// Anthropic's `image` and `document`, whose `source` has the bytes or their place.
fn source(cx: &mut ReadContext<'_>, kind: &str, node: &Node<'_>, path: &Path<'_>) -> Option<Part> {
    let inner = node.get("source")?;
    let at = path.key("source");
    if inner.as_object().is_none() {
        cx.fault(&at, format!("must be an object, not {}", inner.kind()));
        return None;
    }
    let mime = cx.member(inner, "media_type", &at);
    let unknown = if kind == "image" { UNKNOWN_IMAGE_TYPE } else { "application/pdf" };
    let given = mime.as_deref().unwrap_or(unknown);
    let mut media = match inner.get("type").and_then(Node::as_str) {
        Some("base64") => {
            let data = cx.media_data(inner, "data", &at);
            media_of(given, &data)
        }
        Some("url") => {
            let url = cx.media_data(inner, "url", &at);
            at_url(given, &url)
        }
        Some("file") => {
            let mime =
                mime.as_deref().unwrap_or(if kind == "image" { unknown } else { UNKNOWN_TYPE });
            held(mime, cx.required(inner, "file_id", &at, NEEDS_DATA))
        }
        Some("text") => {
            let text = cx.media_data(inner, "data", &at);
            let media_type = Arc::from(mime.as_deref().unwrap_or("text/plain"));
            Media { media_type, source: MediaSource::Text(text), name: None }
        }
        // The cut of a document into blocks decides what can be cited: it stays whole.
        _ => return None,
    };
    media.name = cx.member(node, "title", path);
    let mut part = Part::new(Content::Media(media));
    part.extra = part_extra(node, &["type", "source", "title"]);
    cx.report_lost(inner, &["type", "media_type", "data", "url", "file_id"], &at);
    Some(part)
}

fn at_url(mime: &str, url: &Arc<str>) -> Media {
    if data_uri::is_one(url) || data_uri::is_bare_base64(url) {
        return media_of(mime, url);
    }
    let source = MediaSource::Url(Arc::clone(url));
    Media { media_type: Arc::from(mime), source, name: None }
}

fn held(mime: &str, id: Arc<str>) -> Media {
    Media { media_type: Arc::from(mime), source: MediaSource::FileId(id), name: None }
}

/// Whether the text starts with a scheme (`https://`, `gs://`, `data:`) and so is no base64,
/// in which `:` does not occur.
fn is_url(text: &str) -> bool {
    let end = text.bytes().take(32).position(|byte| byte == b':');
    end.and_then(|end| text.get(..end)).is_some_and(|scheme| {
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+')
    })
}

/// The media type for a file's extension, for the types that providers accept.
fn type_of_name(name: &str) -> &'static str {
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "txt" | "log" => "text/plain",
        "md" => "text/markdown",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "json" => "application/json",
        _ => UNKNOWN_TYPE,
    }
}
