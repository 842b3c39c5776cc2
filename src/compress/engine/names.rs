//! Artifact ids of the texts of one list: each is hashed once, however often it is asked for.

use std::cell::RefCell;
use std::sync::Arc;

use foldhash::HashMap;

use crate::domain::ArtifactId;
use crate::tokenizer::Digest;

/// Bytes of a text that takes longer to hash than to look up.
const MIN_NAMED_BYTES: usize = 256;

/// The names of the texts that were looked up, by their address in memory: each text is kept, so
/// that no other text gets the same address. Looked up by key only.
#[derive(Debug, Default)]
pub struct TextNames(RefCell<HashMap<usize, TextName>>);

#[derive(Debug)]
struct TextName {
    text: Arc<str>,
    digest: Option<Digest>,
    artifact: Option<ArtifactId>,
}

impl TextNames {
    /// The digest of a text.
    pub(super) fn digest(&self, text: &Arc<str>) -> Digest {
        if text.len() < MIN_NAMED_BYTES {
            return Digest::from_text(text);
        }
        self.with_entry(text, |named| {
            *named.digest.get_or_insert_with(|| Digest::from_text(&named.text))
        })
    }

    /// The id of the artifact that holds a text.
    pub fn artifact_id(&self, text: &Arc<str>) -> ArtifactId {
        if text.len() < MIN_NAMED_BYTES {
            return ArtifactId::of_text(text);
        }
        self.with_entry(text, |named| {
            *named.artifact.get_or_insert_with(|| ArtifactId::of_text(&named.text))
        })
    }

    fn with_entry<T>(&self, text: &Arc<str>, name: impl FnOnce(&mut TextName) -> T) -> T {
        let mut names = self.0.borrow_mut();
        let fresh = || TextName { text: Arc::clone(text), digest: None, artifact: None };
        name(names.entry(text.as_ptr() as usize).or_insert_with(fresh))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_has_its_own_names() {
        let names = TextNames::default();
        let texts: Vec<Arc<str>> = (0..300).map(|length| "a".repeat(length).into()).collect();
        for _ in 0..2 {
            for text in &texts {
                assert_eq!(names.digest(text), Digest::from_text(text));
                assert_eq!(names.artifact_id(text), ArtifactId::of_text(text));
            }
        }
        assert_eq!(names.0.borrow().len(), 300 - MIN_NAMED_BYTES);
    }

    #[test]
    fn a_text_that_nobody_else_holds_is_not_mistaken_for_the_next() {
        let names = TextNames::default();
        for letter in ["a", "b", "c"] {
            let text: Arc<str> = letter.repeat(MIN_NAMED_BYTES).into();
            assert_eq!(names.digest(&text), Digest::from_text(&letter.repeat(MIN_NAMED_BYTES)));
        }
    }
}
