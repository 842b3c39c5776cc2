//! Limits of a provider on all images of a request together: a warning, since an image that is left out
//! as the list grows would change what stands before.
//!
//! <https://platform.claude.com/docs/en/build-with-claude/vision>, "Request limits".

use super::slot::Slot;
use crate::domain::{Content, Media, MediaSource, Message, Model, Notes, Part, Target};
use crate::provider::ImageSize;

/// Images of one request to a model with the window below.
const MAX_IMAGES_OF_SMALL_WINDOW: usize = 100;
const SMALL_WINDOW_TOKENS: u64 = 200_000;
/// Images of one request to any other model.
const MAX_IMAGES: usize = 600;
/// Images of a request that may have any size.
const MAX_LARGE_REQUEST_IMAGES: usize = 20;
/// The longest side of an image among more.
const MAX_SIDE_PIXELS: u32 = 2_000;

pub(super) fn warn(target: Target, model: &Model, slots: &[Slot], list: &str, notes: &mut Notes) {
    if target != Target::Anthropic {
        return;
    }
    let most = if model.context_window == SMALL_WINDOW_TOKENS {
        MAX_IMAGES_OF_SMALL_WINDOW
    } else {
        MAX_IMAGES
    };
    let messages = || slots.iter().map(|slot| &slot.message);
    let count: usize = messages().map(|message| images(message).count()).sum();
    if count > most {
        let detail = format!("{count} images; the target takes {most}");
        notes.warn("too_many_images", format!("/{list}"), detail);
    }
    if count <= MAX_LARGE_REQUEST_IMAGES {
        return;
    }
    let large = |message: &Message| images(message).filter(|media| is_large(media)).count();
    let mut found = messages().map(|message| (message.origin, large(message)));
    let Some((origin, _)) = found.clone().find(|(_, large)| *large > 0) else { return };
    let sum: usize = found.by_ref().map(|(_, large)| large).sum();
    let at = origin.map_or(format!("/{list}"), |index| format!("/{list}/{index}"));
    let detail = format!(
        "{sum} of {count} images have a side of more than {MAX_SIDE_PIXELS} pixels; the target takes \
         none among more than {MAX_LARGE_REQUEST_IMAGES} images"
    );
    notes.warn("images_large", at, detail);
}

/// The images of a message, those in results among them.
fn images(message: &Message) -> impl Iterator<Item = &Media> {
    fn image(part: &Part) -> Option<&Media> {
        match &part.content {
            Content::Media(media) if media.is_image() => Some(media),
            _ => None,
        }
    }
    let results = message.tool_results().flat_map(|result| &result.content);
    message.parts.iter().chain(results).filter_map(image)
}

fn is_large(media: &Media) -> bool {
    let MediaSource::Base64(data) = &media.source else { return false };
    ImageSize::read(data).is_some_and(|size| size.longest_side() > MAX_SIDE_PIXELS)
}
