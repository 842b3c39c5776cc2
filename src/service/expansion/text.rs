//! Restores a single text: by the response that showed it, or else by decoding it like a tool
//! result.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use super::answer::{ResponseText, write_text};
use super::kept_originals::KeptOriginals;
use super::{ExpandReport, MissingOriginal};
use crate::compress::{self, DecodedText, Decoder};
use crate::domain::ArtifactId;
use crate::json::{self, Limits};
use crate::limit::Allowance;
use crate::service::compile::Error;
use crate::service::original_forms::OriginalsByForm;
use crate::service::recognized_messages::{MessageRecipe, RecognizedMessages, message_of};
use crate::store::Tenant;

/// Restores the text that was shown as `shown`: from the store, from the originals that the caller
/// kept, or else by decoding its notations.
pub(super) fn expand(
    tenant: &Tenant,
    shown: &str,
    kept: &KeptOriginals,
    allowance: &Allowance,
) -> Result<Bytes, Error> {
    let KeptOriginals { texts: originals, recipes } = kept;
    let message = message_of(shown);
    let node = json::parse(&message, Limits::default())?;
    let mut recognized =
        RecognizedMessages::find_with(tenant, std::slice::from_ref(&node), recipes)?;
    if recognized.own.contains(&true) {
        let done = ExpandReport { unchanged: 1, identical: true, ..ExpandReport::default() };
        return write_text(&ResponseText::Text(shown), &done, allowance);
    }
    let is_lost = recognized.lost.contains(&true);
    match recognized.originals.pop().flatten() {
        Some(recipe) if MessageRecipe::is_recipe(&recipe) => {
            let wanted = MessageRecipe::steps(&recipe).first().map(|step| step.id().clone());
            let kept = wanted.as_ref().and_then(|id| originals.get(id));
            match kept {
                Some(text) => write_text(&ResponseText::Text(text), &whole_report(), allowance),
                None => decode(shown, originals, wanted.as_deref(), false, allowance),
            }
        }
        Some(original) => {
            let original = json::parse(&original, Limits::default())?;
            let text = original.get("text").map(|text| text.raw);
            write_text(
                &text.map_or(ResponseText::Nothing, ResponseText::Json),
                &whole_report(),
                allowance,
            )
        }
        None => decode(shown, originals, None, is_lost, allowance),
    }
}

fn whole_report() -> ExpandReport {
    ExpandReport { expanded: 1, identical: true, ..ExpandReport::default() }
}

/// Decodes a text. `wanted` is the id of its original, if that is known; `is_lost` tells whether
/// the original is no longer in the store.
fn decode(
    shown: &str,
    originals: &BTreeMap<String, Arc<str>>,
    wanted: Option<&str>,
    is_lost: bool,
    allowance: &Allowance,
) -> Result<Bytes, Error> {
    let mut done = ExpandReport::default();
    let decoded = Decoder::new(shown.len()).decode_result(&[shown.into()]).pop();
    let decoded =
        OriginalsByForm::new(originals).restore(shown, decoded.unwrap_or(DecodedText::Same));
    let is_wanted =
        |text: &str| wanted.is_some_and(|id| *id == ArtifactId::of_text(text).to_string());
    let text = match decoded {
        DecodedText::Text(text) => {
            done.expanded = 1;
            // The text does not show whether white space was left out.
            done.identical = is_wanted(&text);
            Some(text)
        }
        DecodedText::Same => {
            let is_shortened = wanted.is_some() || is_lost || compress::has_gaps(shown);
            done.unchanged = usize::from(!is_shortened);
            done.identical = !is_shortened;
            None
        }
        DecodedText::Missing => {
            done.missing.push(MissingOriginal { index: Some(0), id: None });
            None
        }
    };
    let is_shortened = wanted.is_some() || is_lost || compress::has_gaps(shown);
    if !done.identical && done.missing.is_empty() && is_shortened {
        done.missing.push(MissingOriginal { index: Some(0), id: wanted.map(str::to_owned) });
    }
    write_text(&ResponseText::Text(text.as_deref().unwrap_or(shown)), &done, allowance)
}
