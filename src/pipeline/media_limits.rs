//! Limits of a provider on images and documents: a warning, since one that is left out as the list
//! grows would change what stands before.
//!
//! <https://platform.claude.com/docs/en/build-with-claude/vision> and
//! <https://platform.claude.com/docs/en/build-with-claude/pdf-support>, "Request limits".

use memchr::memmem;

use super::measure::PAGE_TOKENS;
use super::pdf_pages::count_pages;
use super::slot::Slot;
use crate::domain::{Content, Media, MediaSource, Message, Model, Notes, Part, Target};
use crate::provider::ImageSize;

const SMALL_WINDOW_TOKENS: u64 = 200_000;
/// Images of one request, and pages of a PDF, to a model with the window above.
const MAX_COUNT_OF_SMALL_WINDOW: u64 = 100;
/// The same to any other model.
const MAX_COUNT: u64 = 600;
/// Images of a request that may have any size.
const MAX_LARGE_REQUEST_IMAGES: usize = 20;
/// The longest side of an image among more.
const MAX_SIDE_PIXELS: u32 = 2_000;
/// Characters of base64 of an image.
const MAX_IMAGE_CHARS: usize = 5 * 1_024 * 1_024;
/// Characters of base64 before the end of a PNG in which its last chunk is looked for: some programs
/// append bytes of their own.
const MAX_PNG_TAIL_CHARS: usize = 64 * 1_024;

pub(super) fn warn(target: Target, model: &Model, slots: &[Slot], list: &str, notes: &mut Notes) {
    let mut found = MediaFindings { notes, list, slots };
    found.of_each("media_incomplete", |_, media| {
        is_cut_png(media).then(|| "a PNG without its end; providers refuse it".to_owned())
    });
    if target != Target::Anthropic {
        return;
    }
    let max = if model.context_window == SMALL_WINDOW_TOKENS {
        MAX_COUNT_OF_SMALL_WINDOW
    } else {
        MAX_COUNT
    };
    found.of_each("image_too_large", |_, media| match &media.source {
        MediaSource::Base64(data) if media.is_image() && data.len() > MAX_IMAGE_CHARS => {
            let length = data.len();
            Some(format!(
                "an image of {length} bytes of base64; the target takes {MAX_IMAGE_CHARS}"
            ))
        }
        _ => None,
    });
    // Pages were counted with the tokens: only what may have too many is read again.
    let may_be_long = |slot: &Slot| slot.cost.media > max * PAGE_TOKENS;
    found.of_each("too_many_pages", |slot, media| match &media.source {
        MediaSource::Base64(data)
            if may_be_long(slot) && &*media.media_type == "application/pdf" =>
        {
            let pages = count_pages(data);
            (pages > max).then(|| format!("a PDF of {pages} pages; the target takes {max}"))
        }
        _ => None,
    });
    found.image_count(max);
}

/// Looks through the media of a conversation and warns of what it finds.
struct MediaFindings<'a> {
    notes: &'a mut Notes,
    /// The key of the list of messages in the request.
    list: &'a str,
    slots: &'a [Slot],
}

impl MediaFindings<'_> {
    fn messages(&self) -> impl Iterator<Item = &Message> + Clone + use<'_> {
        self.slots.iter().map(|slot| &slot.message)
    }

    fn pointer(&self, origin: Option<usize>) -> String {
        origin.map_or_else(|| format!("/{}", self.list), |index| format!("/{}/{index}", self.list))
    }

    /// Warns once a message, of the first medium with a fault.
    fn of_each(&mut self, code: &'static str, fault: impl Fn(&Slot, &Media) -> Option<String>) {
        let first = |slot: &Slot| {
            let detail = media(&slot.message).find_map(|media| fault(slot, media))?;
            Some((self.pointer(slot.message.origin), detail))
        };
        let warnings: Vec<(String, String)> = self.slots.iter().filter_map(first).collect();
        for (at, detail) in warnings {
            self.notes.warn(code, at, detail);
        }
    }

    fn image_count(&mut self, max: u64) {
        let count: usize = self.messages().map(|message| images(message).count()).sum();
        if count as u64 > max {
            let detail = format!("{count} images; the target takes {max}");
            self.notes.warn("too_many_images", self.pointer(None), detail);
        }
        if count <= MAX_LARGE_REQUEST_IMAGES {
            return;
        }
        let large = |message: &Message| images(message).filter(|media| is_large(media)).count();
        let found = self.messages().map(|message| (message.origin, large(message)));
        let Some((origin, _)) = found.clone().find(|(_, large)| *large > 0) else { return };
        let sum: usize = found.map(|(_, large)| large).sum();
        let detail = format!(
            "{sum} of {count} images have a side of more than {MAX_SIDE_PIXELS} pixels; the target \
             takes none among more than {MAX_LARGE_REQUEST_IMAGES} images"
        );
        self.notes.warn("images_large", self.pointer(origin), detail);
    }
}

/// The media of a message, those in results among them.
fn media(message: &Message) -> impl Iterator<Item = &Media> {
    fn medium(part: &Part) -> Option<&Media> {
        match &part.content {
            Content::Media(media) => Some(media),
            _ => None,
        }
    }
    let results = message.tool_results().flat_map(|result| &result.content);
    message.parts.iter().chain(results).filter_map(medium)
}

fn images(message: &Message) -> impl Iterator<Item = &Media> {
    media(message).filter(|media| media.is_image())
}

fn is_large(media: &Media) -> bool {
    let MediaSource::Base64(data) = &media.source else { return false };
    ImageSize::read(data).is_some_and(|size| size.longest_side() > MAX_SIDE_PIXELS)
}

/// Whether a PNG lacks its last chunk, `IEND`, which is the same eight bytes in each:
/// <https://www.w3.org/TR/png-3/#11IEND>.
fn is_cut_png(media: &Media) -> bool {
    /// The eight bytes in base64, by where they begin in a group of three, without the characters that
    /// hold bits of others.
    const IEND: [&[u8]; 3] = [b"SUVORK5CYI", b"lFTkSuQmCC", b"JRU5ErkJgg"];
    let MediaSource::Base64(data) = &media.source else { return false };
    let is_png = &*media.media_type == "image/png" && ImageSize::read(data).is_some();
    let tail = data.len().saturating_sub(MAX_PNG_TAIL_CHARS);
    let tail = data.as_bytes().get(tail..).unwrap_or_default();
    is_png && IEND.iter().all(|end| memmem::find(tail, end).is_none())
}
