//! Resources in the content of the Model Context Protocol's tools, which programs hand on as they are.
//! No provider knows these blocks, so they are read as the text or the medium that they hold.

use std::sync::Arc;

use super::context::{ReadContext, present};
use super::media;
use crate::domain::{Content, Part};
use crate::json::{Node, Path};

/// Reads a `resource` or a `resource_link`; `None` if it is neither text, bytes nor an address.
pub(super) fn read(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Option<Part> {
    let at = path.key("resource");
    let Some(inner) = present(node, "resource").filter(|inner| inner.as_object().is_some()) else {
        return link(cx, node, path);
    };
    let uri = cx.member(inner, "uri", &at);
    if present(inner, "text").is_some() {
        let text = cx.member(inner, "text", &at)?;
        return Some(Part::text(match uri {
            Some(uri) => format!("[resource: {uri}]\n{text}").into(),
            None => text,
        }));
    }
    present(inner, "blob")?;
    let blob = cx.media_data(inner, "blob", &at);
    let mime = cx.member(inner, "mimeType", &at);
    let mut media = media::media_of(mime.as_deref().unwrap_or(media::UNKNOWN_TYPE), &blob);
    media.name = uri;
    Some(Part::new(Content::Media(media)))
}

/// A resource that the tool only names.
fn link(cx: &mut ReadContext<'_>, node: &Node<'_>, path: &Path<'_>) -> Option<Part> {
    present(node, "uri")?;
    let uri = cx.required(node, "uri", path, "a resource has an address");
    let mut text = String::from("[resource");
    if let Some(name) = cx.member(node, "name", path) {
        text.push_str(": ");
        text.push_str(&name);
    }
    text.push_str("] ");
    text.push_str(&uri);
    if let Some(about) = cx.member(node, "description", path) {
        text.push('\n');
        text.push_str(&about);
    }
    Some(Part::text(Arc::<str>::from(text)))
}
