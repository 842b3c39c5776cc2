//! Reads the originals that a caller has kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::ArtifactId;
use crate::json::Faults;
use crate::request::Fields;
use crate::service::recognized_messages::ReturnedRecipes;

/// Members that the originals of a request may have: texts, and how they are put back.
const MAX_ORIGINALS: usize = 200_000;

/// The `originals` of a request, which a response has returned.
#[derive(Debug, Default)]
pub(super) struct KeptOriginals {
    /// Texts by id.
    pub(super) texts: BTreeMap<String, Arc<str>>,
    /// How they are put back.
    pub(super) recipes: ReturnedRecipes,
}

impl KeptOriginals {
    pub(super) fn read(fields: &Fields<'_, '_>, faults: &mut Faults) -> Self {
        let mut originals = Self::default();
        let Some(node) = fields.get("originals") else { return originals };
        let Some(members) = node.as_object().filter(|members| members.len() <= MAX_ORIGINALS)
        else {
            fields.fault("originals", "must be an object of texts by id", faults);
            return originals;
        };
        let path = fields.path().key("originals");
        for (id, text) in members {
            match text.as_str() {
                Some(text) if ArtifactId::of_text(text).to_string() == id.as_ref() => {
                    originals.texts.insert(id.to_string(), text.into());
                }
                Some(recipe) if originals.recipes.add_member(id, recipe) => {}
                Some(_) => faults.add(&path.key(id), "is not the text of this id"),
                None => faults.add(&path.key(id), "must be a string"),
            }
        }
        originals
    }
}
