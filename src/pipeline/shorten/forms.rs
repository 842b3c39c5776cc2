//! The forms in which a message of the list and its texts are shown.

use std::sync::Arc;

use crate::compress::{Depth, EditLimit, Encoder, ShownForm, TextOwner};
use crate::pipeline::compress::Clearing;
use crate::pipeline::report::Action;
use crate::provider::MessageText;

/// How much of a message is in sight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visibility {
    Whole,
    /// Its texts are reduced by rung 2 to this depth.
    To(Depth),
    /// Its tool results, or its thinking too, are cleared; all other texts are reduced to this
    /// depth.
    Cleared(Depth, Clearing),
    Gone(Action),
}

/// The form of a text by itself.
pub(super) fn find_form(
    encoder: &Encoder<'_>,
    spoken: &MessageText,
    text: &Arc<str>,
    hold: EditLimit,
) -> Option<ShownForm> {
    Some(match (spoken, hold) {
        (MessageText::Words(_), hold) => encoder.encode_prompt(text, hold),
        (MessageText::Said(_), EditLimit::To(depth)) => encoder.encode_reply(text, depth),
        (MessageText::Call(..), EditLimit::To(depth)) => encoder.encode_arguments(text, depth),
        (MessageText::Result(_), EditLimit::To(depth)) => encoder.encode_alone(text, Some(depth)),
        (MessageText::Result(_), EditLimit::Free) => encoder.encode_alone(text, None),
        _ => return None,
    })
}

/// The owner of the texts in a part of a message.
pub(super) fn text_owner(spoken: &MessageText) -> TextOwner {
    match spoken {
        MessageText::Result(_) => TextOwner::Result,
        MessageText::Words(_) => TextOwner::Words,
        MessageText::Said(_) => TextOwner::Reply,
        MessageText::Call(..) => TextOwner::Arguments,
    }
}
