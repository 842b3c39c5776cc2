//! What was decided about the texts of a message, and its stored form.
//!
//! A form is stored as a difference from the text that the client sends again with each request: a
//! zstd frame with that text as its dictionary. So the store holds no text of a message, and the
//! form of an older version of this program is sent again byte for byte.

use std::collections::HashMap;
use std::sync::Arc;

use zstd::bulk::{Compressor, Decompressor};

use super::outline::{OutlinedMessage, RequestText, TextGroup};

/// The level of differences: their size matters little beside the time.
const ZSTD_LEVEL: i32 = 3;
/// The version of the stored form, its first byte.
const VERSION: u8 = 1;
/// Bytes of the form that a difference can have at most: more than any body.
const MAX_FORM_BYTES: usize = 256 << 20;

/// The digest of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextDigest(pub [u8; 16]);

impl TextDigest {
    pub fn of(text: &str) -> Self {
        let mut digest = [0; 16];
        blake3::Hasher::new().update(text.as_bytes()).finalize_xof().fill(&mut digest);
        Self(digest)
    }
}

/// The form that was decided for a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedText {
    pub digest: TextDigest,
    /// How many texts of the message before it are the same.
    pub occurrence: u64,
    pub form: Arc<str>,
    /// Tokens that the form saves.
    pub saved_tokens: u64,
}

/// A text of a message, as decisions name it.
#[derive(Debug, Clone, Copy)]
pub struct NumberedText<'m> {
    pub group: &'m TextGroup,
    pub text: &'m RequestText,
    pub digest: TextDigest,
    pub occurrence: u64,
}

/// A text and the form in its place.
#[derive(Debug, Clone, Copy)]
pub struct AppliedForm<'d> {
    pub text: &'d RequestText,
    pub decided: &'d DecidedText,
}

/// Returns the texts of a message, as decisions name them.
pub fn numbered_texts(message: &OutlinedMessage) -> Vec<NumberedText<'_>> {
    let mut counts: HashMap<TextDigest, u64> = HashMap::new();
    let texts = message.groups.iter().flat_map(|group| {
        group.texts.iter().map(move |text| (group, text, TextDigest::of(&text.text)))
    });
    let number = |(group, text, digest)| {
        let count = counts.entry(digest).or_default();
        let occurrence = *count;
        *count += 1;
        NumberedText { group, text, digest, occurrence }
    };
    texts.map(number).collect()
}

/// The forms of a message's texts. A text without one stays as it came, for good.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageDecision {
    pub forms: Vec<DecidedText>,
}

impl MessageDecision {
    /// The texts of the message that have a form, in order.
    pub fn applied<'d>(&'d self, message: &'d OutlinedMessage) -> Vec<AppliedForm<'d>> {
        if self.forms.is_empty() {
            return Vec::new();
        }
        let mut forms: HashMap<(TextDigest, u64), &DecidedText> = HashMap::new();
        for form in &self.forms {
            forms.entry((form.digest, form.occurrence)).or_insert(form);
        }
        let find = |numbered: NumberedText<'d>| {
            let NumberedText { text, digest, occurrence, .. } = numbered;
            Some(AppliedForm { text, decided: forms.get(&(digest, occurrence))? })
        };
        numbered_texts(message).into_iter().filter_map(find).collect()
    }

    /// Bytes of its forms.
    pub fn bytes(&self) -> usize {
        self.forms.iter().map(|form| form.form.len()).sum()
    }

    /// Returns the stored form, given the message that the forms are of. A text whose difference
    /// cannot be made has none there.
    pub fn pack(&self, message: &OutlinedMessage) -> Vec<u8> {
        let mut out = vec![VERSION];
        if self.forms.is_empty() {
            return out;
        }
        let originals = originals(message);
        for decided in &self.forms {
            let original = originals.get(&decided.digest);
            let Some(frame) = original.and_then(|text| difference(text, &decided.form)) else {
                continue;
            };
            out.extend_from_slice(&decided.digest.0);
            let DecidedText { occurrence, saved_tokens, .. } = *decided;
            for number in [occurrence, saved_tokens, decided.form.len() as u64, frame.len() as u64]
            {
                out.extend_from_slice(&number.to_le_bytes());
            }
            out.extend_from_slice(&frame);
        }
        out
    }

    /// Reads the stored form, given the message that it was made of; none if it is damaged.
    pub fn unpack(mut packed: &[u8], message: &OutlinedMessage) -> Option<Self> {
        if *packed.split_off_first()? != VERSION {
            return None;
        }
        let mut forms = Vec::new();
        if packed.is_empty() {
            return Some(Self { forms });
        }
        let originals = originals(message);
        while !packed.is_empty() {
            let digest = TextDigest(*packed.split_first_chunk()?.0);
            packed = packed.get(16..)?;
            let mut number = || {
                let (number, rest) = packed.split_first_chunk::<8>()?;
                packed = rest;
                Some(u64::from_le_bytes(*number))
            };
            let (occurrence, saved_tokens) = (number()?, number()?);
            let (size, bytes) = (number()?, number()?);
            let (frame, rest) = packed.split_at_checked(usize::try_from(bytes).ok()?)?;
            packed = rest;
            let size = usize::try_from(size).ok().filter(|size| *size <= MAX_FORM_BYTES)?;
            let form = apply(originals.get(&digest)?, frame, size)?;
            forms.push(DecidedText { digest, occurrence, form: form.into(), saved_tokens });
        }
        Some(Self { forms })
    }
}

/// The texts of a message by their digests: each is hashed once, however many have a form.
fn originals(message: &OutlinedMessage) -> HashMap<TextDigest, &str> {
    let texts = message.groups.iter().flat_map(|group| &group.texts);
    texts.map(|text| (TextDigest::of(&text.text), &*text.text)).collect()
}

/// A form as its difference from the original.
fn difference(original: &str, form: &str) -> Option<Vec<u8>> {
    // No text begins with the magic number of a trained dictionary, which is no UTF-8.
    let mut compressor = Compressor::with_dictionary(ZSTD_LEVEL, original.as_bytes()).ok()?;
    let frame = compressor.compress(form.as_bytes()).ok()?;
    (apply(original, &frame, form.len()).as_deref() == Some(form)).then_some(frame)
}

fn apply(original: &str, frame: &[u8], size: usize) -> Option<String> {
    let mut decompressor = Decompressor::with_dictionary(original.as_bytes()).ok()?;
    String::from_utf8(decompressor.decompress(frame, size).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gateway::outline::{GroupKind, RequestText, TextGroup};

    fn message(texts: &[&str]) -> OutlinedMessage {
        let texts = texts.iter().map(|text| RequestText { span: 0..0, text: (*text).into() });
        let group = TextGroup {
            kind: GroupKind::Result,
            tool: None,
            is_fixed: false,
            is_of_program: false,
            texts: texts.collect(),
        };
        OutlinedMessage {
            hash: [0; 32],
            is_of_model: false,
            groups: vec![group],
            block_place: None,
        }
    }

    fn decided(text: &str, form: &str) -> DecidedText {
        DecidedText {
            digest: TextDigest::of(text),
            occurrence: 0,
            form: form.into(),
            saved_tokens: 7,
        }
    }

    #[test]
    fn a_decision_is_restored_from_the_text_that_comes_again() {
        let row = |at: u32| format!("{{\"id\": {at}, \"name\": \"user {at}\"}}\n");
        let rows = (0..300).map(row).collect::<Vec<_>>().concat();
        let line = |at: u32| format!("{at},user {at}\n");
        let form = (0..300).map(line).collect::<Vec<_>>().concat();
        let other = "another text";
        let message_of = message(&[other, &rows]);
        let decision =
            MessageDecision { forms: vec![decided(&rows, &form), decided(other, "text")] };
        let packed = decision.pack(&message_of);
        assert_eq!(MessageDecision::unpack(&packed, &message_of), Some(decision.clone()));
        let applied = decision.applied(&message_of);
        let forms: Vec<&str> = applied.iter().map(|applied| &*applied.decided.form).collect();
        assert_eq!(forms, ["text", &form]);
        // Without the text it cannot be read, and the name is not in it.
        assert_eq!(MessageDecision::unpack(&packed, &message(&[other])), None);
        assert!(!packed.windows(8).any(|bytes| bytes == b"user 111"));
        let raw = MessageDecision::default();
        assert_eq!(MessageDecision::unpack(&raw.pack(&message_of), &message_of), Some(raw));
    }

    #[test]
    fn the_second_of_two_equal_texts_has_a_form_of_its_own() {
        let message_of = message(&["a", "b", "a"]);
        let form = DecidedText { occurrence: 1, ..decided("a", "as before") };
        let decision = MessageDecision { forms: vec![form] };
        let applied = decision.applied(&message_of);
        assert_eq!(applied.len(), 1);
        assert!(std::ptr::eq(applied[0].text, &raw const message_of.groups[0].texts[2]));
    }

    #[test]
    fn what_is_damaged_is_no_decision() {
        let message_of = message(&["a text of some length, a text of some length"]);
        let text = &*message_of.groups[0].texts[0].text;
        let decision = MessageDecision { forms: vec![decided(text, "2 × a text of some length")] };
        let packed = decision.pack(&message_of);
        for length in 0..packed.len() {
            let cut = MessageDecision::unpack(&packed[..length], &message_of);
            assert!(length == 1 || cut.is_none(), "{length}");
        }
        assert_eq!(MessageDecision::unpack(&[9], &message_of), None);
    }

    proptest! {
        #[test]
        fn any_form_comes_back(text in "\\PC{0,2000}", form in "\\PC{0,2000}") {
            let message_of = message(&[&text]);
            let decision = MessageDecision { forms: vec![decided(&text, &form)] };
            let packed = decision.pack(&message_of);
            prop_assert_eq!(MessageDecision::unpack(&packed, &message_of), Some(decision));
        }
    }
}
