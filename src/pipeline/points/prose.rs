//! Prose in texts, made shorter by whoever writes summaries: a hook at `summarize`, or a model.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::format::ShorterTexts;
use super::summary::SummarySlice;
use crate::compress::AdapterSet;
use crate::domain::{Message, Notes, Role};
use crate::pipeline::{Error, HookPort, prose};

/// Bytes of the shortest prose that a summariser is asked about.
const MIN_PROSE_BYTES: usize = 600;
/// Texts that it is asked about for one request.
const MAX_PROSE_TEXTS: usize = 16;
/// Bytes of a token, about.
const TOKEN_BYTES: usize = 4;

/// Asks for shorter forms of the prose in texts, if the adapters are told to. What there is no
/// answer for keeps its own sentences.
pub(crate) fn ask_prose<'t>(
    hooks: &mut dyn HookPort,
    adapters: &AdapterSet,
    texts: impl Iterator<Item = &'t Arc<str>>,
    notes: &mut Notes,
) -> Result<ShorterTexts, Error> {
    let mut made = ShorterTexts::new();
    if !adapters.ask_summarizer() {
        return Ok(made);
    }
    if !hooks.summarizes() {
        let detail = "no summariser is set up: prose is shortened by its own sentences";
        notes.warn("summarizer_missing", String::new(), detail);
        return Ok(made);
    }
    let mut seen = BTreeSet::new();
    let found = texts.flat_map(|text| adapters.summarizer_prose(text));
    let found = found.filter(|prose| prose.text.len() >= MIN_PROSE_BYTES);
    let found = found.filter(|prose| seen.insert(Arc::clone(&prose.text)));
    for own in found.take(MAX_PROSE_TEXTS) {
        let message = Message::text(Role::User, &*own.text);
        let most = u64::try_from(own.most_bytes / TOKEN_BYTES).unwrap_or(u64::MAX).max(1);
        let instructions = Some(prose::PROSE_INSTRUCTIONS.into());
        let slice = SummarySlice::new(&[&message], None, instructions, None, most);
        match hooks.summarize(&slice.ask_for_prose())?.map(|asked| asked.result) {
            Some(Ok(summary)) => {
                made.insert(own.text, summary.text);
            }
            Some(Err(why)) => {
                let detail = format!("{why}: the prose keeps sentences of its own");
                notes.degraded("summarizer_failed", String::new(), detail);
            }
            None => {}
        }
    }
    Ok(made)
}
