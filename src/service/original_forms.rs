//! Finds originals that a caller kept, without a store.
//!
//! A text that is decoded from its notations alone may lack parts without meaning, such as terminal
//! codes. If exactly one of the kept originals has the same normal form, it is the original. If two
//! originals have the same normal form, neither is taken.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::compress::{self, DecodedText, Decoder};
use crate::json::Node;
use crate::pipeline::{Deadline, StopReason};
use crate::provider::{self, MessageText};

/// The kept originals by normal form; none if two of them share it.
#[derive(Debug, Default)]
pub(super) struct OriginalsByForm(BTreeMap<String, Option<Arc<str>>>);

impl OriginalsByForm {
    pub(super) fn new(originals: &BTreeMap<String, Arc<str>>) -> Self {
        let mut forms = BTreeMap::new();
        for text in originals.values() {
            forms
                .entry(compress::normal(text))
                .and_modify(|found| *found = None)
                .or_insert_with(|| Some(Arc::clone(text)));
        }
        Self(forms)
    }

    /// Removes the originals that texts of a list decode to by themselves, so that no other text is
    /// taken for one of them.
    pub(super) fn remove_decoded(
        &mut self,
        items: &[Node<'_>],
        deadline: &Deadline,
    ) -> Result<(), StopReason> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut reader = Decoder::new(items.iter().map(|item| item.raw.len()).sum());
        for item in items {
            deadline.check()?;
            for spoken in provider::message_texts(item) {
                let decoded = match spoken {
                    MessageText::Call(place, _) => {
                        reader.add_call(&place.text);
                        Vec::new()
                    }
                    MessageText::Said(_) => Vec::new(),
                    MessageText::Words(place) => vec![reader.decode_prompt(&place.text)],
                    MessageText::Result(answered) => {
                        let texts: Vec<Arc<str>> =
                            answered.slots.iter().map(|slot| Arc::clone(&slot.text)).collect();
                        reader.decode_result(&texts)
                    }
                };
                for text in decoded {
                    if let DecodedText::Text(text) = text {
                        self.remove_exact(&text);
                    }
                }
            }
        }
        Ok(())
    }

    fn remove_exact(&mut self, decoded: &str) {
        let form = compress::normal(decoded);
        if matches!(self.0.get(&form), Some(Some(original)) if **original == *decoded) {
            self.0.remove(&form);
        }
    }

    /// Replaces a decoded text by the kept original, if there is one.
    pub(super) fn restore(&self, shown: &str, decoded: DecodedText) -> DecodedText {
        let text = match &decoded {
            _ if self.0.is_empty() => return decoded,
            DecodedText::Missing => return decoded,
            DecodedText::Same => shown,
            DecodedText::Text(text) => text,
        };
        match self.0.get(compress::equivalent(text).as_ref()) {
            Some(Some(original)) if **original != *text => DecodedText::Text(original.to_string()),
            _ => decoded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returned(texts: &[&str]) -> OriginalsByForm {
        let entry = |(at, text): (usize, &&str)| (at.to_string(), Arc::from(*text));
        OriginalsByForm::new(&texts.iter().enumerate().map(entry).collect())
    }

    #[test]
    fn an_original_comes_back_by_its_normal_form() {
        let kept = returned(&["\u{1b}[1ma\u{1b}[0m  \n", "b"]);
        let original = DecodedText::Text("\u{1b}[1ma\u{1b}[0m  \n".to_owned());
        assert_eq!(kept.restore("a\n", DecodedText::Same), original);
        assert_eq!(kept.restore("§x", DecodedText::Text("a\n".to_owned())), original);
        assert_eq!(kept.restore("b", DecodedText::Same), DecodedText::Same);
        assert_eq!(kept.restore("c", DecodedText::Same), DecodedText::Same);
        assert_eq!(kept.restore("a\n", DecodedText::Missing), DecodedText::Missing);
    }

    #[test]
    fn what_decodes_by_itself_is_not_taken_for_another() {
        let mut kept = returned(&["§ ", "b "]);
        assert_eq!(kept.restore("§", DecodedText::Same), DecodedText::Text("§ ".to_owned()));
        kept.remove_exact("§ ");
        kept.remove_exact("b");
        assert_eq!(kept.restore("§", DecodedText::Same), DecodedText::Same);
        assert_eq!(kept.restore("b", DecodedText::Same), DecodedText::Text("b ".to_owned()));
    }

    #[test]
    fn of_two_that_cannot_be_told_apart_neither_is_taken() {
        let kept = returned(&["a \n", "a\t\n"]);
        assert_eq!(kept.restore("a\n", DecodedText::Same), DecodedText::Same);
    }
}
