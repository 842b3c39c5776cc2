//! What rung 3 takes out of a message: results, for a line each, and thinking.

use std::ops::Range;

use super::ShortenJob;
use super::forms::Visibility;
use crate::compress::EditLimit;
use crate::domain::ArtifactId;
use crate::pipeline::compress::{self, Clearing};
use crate::pipeline::measure::{self, Cost};
use crate::pipeline::prose;
use crate::provider::{self, ContentWrap, MessageText, ResultTexts};

/// Hundredths of a result's bytes that the names in its line may take, if there is no budget.
const NAMES_PERCENT: usize = 8;

/// Tokens of a result for each that its line with names takes at most.
const MIN_BEFORE_PER_NAMED_TOKEN: u64 = 8;

/// The thinking of a message.
#[derive(Debug, Clone)]
pub(super) struct MessageThinking {
    /// Bytes of the message's JSON text.
    pub(super) places: Vec<Range<usize>>,
    /// Raw tokens.
    pub(super) saved: i64,
}

/// The line that replaces a result that is cleared.
#[derive(Debug, Clone)]
pub(super) struct ClearedLine {
    pub(super) text: String,
    pub(super) tokens: u64,
    /// Tokens of the result's texts.
    pub(super) before: u64,
}

impl ShortenJob<'_> {
    /// The line that replaces a cleared result, if it takes fewer tokens than the texts; none if
    /// the result stays. `nth`: the index of the result in its message.
    pub(super) fn line(
        &self,
        at: usize,
        nth: usize,
        visibility: Visibility,
    ) -> Option<&ClearedLine> {
        if !matches!(visibility, Visibility::Cleared(..)) {
            return None;
        }
        self.lines.get(at)?.get_or_init(|| self.find_lines(at)).get(nth)?.as_ref()
    }

    fn find_lines(&self, at: usize) -> Vec<Option<ClearedLine>> {
        if !self.may_clear(at) || self.stands(at) {
            return Vec::new();
        }
        let results = self.spoken.get(at).into_iter().flatten();
        let results = results.filter_map(|spoken| match spoken {
            MessageText::Result(answered) => Some(answered),
            _ => None,
        });
        let own = self.messages(at).iter().flat_map(|message| message.tool_results());
        let mut tools = own.map(|result| self.tools.tool_name(result));
        let raw = self.item(at).map_or("", |item| item.raw);
        let lines = results.map(|answered| self.find_line(answered, raw, tools.next().flatten()));
        lines.collect()
    }

    /// `raw`: the JSON of the result's message.
    fn find_line(
        &self,
        answered: &ResultTexts,
        raw: &str,
        tool: Option<&str>,
    ) -> Option<ClearedLine> {
        let count = |text: &str| self.meter.counter().count(self.meter.tokenizer(), text);
        // What a line of ours says of the original would be lost.
        if answered.slots.iter().all(|slot| prose::is_cleared(&slot.text)) {
            return None;
        }
        // An object around the line takes some tokens more.
        let other_tokens = match answered.content.as_ref()? {
            (_, ContentWrap::Object) => 6,
            _ => 0,
        };
        let before: u64 = answered.slots.iter().map(|slot| count(&slot.text)).sum();
        let id = || ArtifactId::of_text(original_text(answered, raw));
        let read = self.request.reader.reference.map(|reference| (reference, id()));
        let line = |names_percent| {
            let texts = answered.slots.iter().map(|slot| &*slot.text);
            let extras = prose::ClearedExtras { read, names_percent };
            let text = prose::cleared_line(tool, texts, extras);
            (count(&text), text)
        };
        // Under a budget, lines of other results say more than names.
        let has_names = self.request.budget_tokens.is_none();
        let named = has_names.then(|| line(NAMES_PERCENT));
        // A short result would say more by itself.
        let named = named.filter(|(tokens, _)| tokens * MIN_BEFORE_PER_NAMED_TOKEN <= before);
        let (tokens, text) = named.unwrap_or_else(|| line(0));
        (tokens + other_tokens < before).then_some(ClearedLine { text, tokens, before })
    }

    /// The thinking to remove from a message.
    pub(super) fn thinking_of(
        &self,
        at: usize,
        visibility: Visibility,
    ) -> Option<&MessageThinking> {
        let clears = matches!(visibility, Visibility::Cleared(_, Clearing::ResultsAndThinking));
        if !clears || !self.request.clear.is_on || self.request.reader.results_only {
            return None;
        }
        self.thoughts.get(at)?.get_or_init(|| self.find_thinking(at)).as_ref()
    }

    fn find_thinking(&self, at: usize) -> Option<MessageThinking> {
        let ([message], EditLimit::Free) = (self.messages(at), self.hold(at)) else { return None };
        let rest = compress::without_thinking(message)?;
        let places = provider::thoughts(self.item(at)?);
        if message.parts.len() - rest.parts.len() != places.len() {
            return None;
        }
        let cost = |message| self.meter.message(message).ok().map(Cost::real);
        let saved = measure::saved(cost(message)?, cost(&rest)?);
        (saved > 0).then_some(MessageThinking { places, saved })
    }

    /// Whether rung 3 may take the results of a message.
    pub(super) fn may_clear(&self, at: usize) -> bool {
        if !self.request.clear.is_on {
            return false;
        }
        let tokens = self.costs.get(at).map_or(0, |cost| cost.real());
        let own = self.messages(at).iter();
        let mut own = own.filter(|message| message.tool_results().next().is_some());
        own.all(|message| compress::may_clear(message, &self.request.clear, &self.tools, tokens))
    }
}

/// The stored original of a cleared result: its text, or the JSON of its whole content.
pub(super) fn original_text<'a>(answered: &'a ResultTexts, raw: &'a str) -> &'a str {
    match (&answered.content, answered.slots.as_slice()) {
        (Some((at, _)), [slot]) if slot.raw == *at => &slot.text,
        (Some((at, _)), _) => raw.get(at.clone()).unwrap_or_default(),
        (None, _) => "",
    }
}
