//! The message that stands for covered turns.

use std::sync::Arc;

use crate::compress::summarize;
use crate::domain::{Message, Role};
use crate::pipeline::measure::Meter;
use crate::pipeline::slot::{PartName, Slot};
use crate::pipeline::{Stopped, prose};
use crate::request::Level;

/// Raw tokens below which a summary cannot say anything beside its own frame.
const LEAST_SUMMARY: u64 = 96;
/// Raw tokens that a summary takes at most (DESIGN §2, rule 4).
const MOST_SUMMARY: u64 = 2_000;

/// Raw tokens that a summary is charged and may take of a room: an eighth of it. 0 where turns are
/// rather dropped than summarised in so little.
pub(in crate::pipeline) fn summary_cap(level: Level, room: u64) -> u64 {
    match (room / 8).min(MOST_SUMMARY) {
        cap if level == Level::Drop && cap < LEAST_SUMMARY => 0,
        cap => cap.max(LEAST_SUMMARY),
    }
}

/// What a summary goes by.
pub(in crate::pipeline) struct SummaryRules<'t> {
    /// Raw tokens that it takes at most.
    pub(in crate::pipeline) cap: u64,
    /// Tool results of more characters are not quoted.
    pub(in crate::pipeline) stub_over: Option<usize>,
    /// Whether a fact stands in what is not covered.
    pub(in crate::pipeline) told: &'t dyn Fn(u64) -> bool,
    /// What hooks gave for it.
    pub(in crate::pipeline) material: &'t Material,
}

/// Text of hooks for the summary of what leaves the history.
#[derive(Debug, Default, Clone)]
pub(in crate::pipeline) struct Material {
    /// For whoever writes the summary.
    pub(in crate::pipeline) input: Option<Arc<str>>,
    /// Stands behind the summary, word for word.
    pub(in crate::pipeline) verbatim: Option<Arc<str>>,
}

impl Material {
    pub(in crate::pipeline) fn is_empty(&self) -> bool {
        self.input.is_none() && self.verbatim.is_none()
    }

    /// The text of a note with what stands behind it.
    pub(super) fn behind(&self, text: &str) -> String {
        match &self.verbatim {
            Some(verbatim) if text.is_empty() => verbatim.to_string(),
            Some(verbatim) => format!("{text}\n\n{verbatim}"),
            None => text.to_owned(),
        }
    }
}

/// The summary of covered messages, which take so many tokens; `None` where there is nothing to
/// quote, or what is quoted is no shorter than the messages.
pub(in crate::pipeline) fn summary(
    meter: &Meter<'_>,
    covered: &[&Message],
    tokens: u64,
    SummaryRules { cap, stub_over, told, material }: SummaryRules<'_>,
) -> Result<Option<Slot>, Stopped> {
    let quoted = match &material.input {
        // What was given to be in it stands in it, in at most half of the room.
        Some(input) => quote(meter, input, cap / 2)?,
        None => String::new(),
    };
    let given = meter.text(&quoted)?;
    // What stands word for word is paid for beside the summary.
    let beside = material.verbatim.as_deref().map_or(Ok(0), |text| meter.text(text))?;
    let cap = cap + beside;
    let frame = Message::text(Role::User, prose::summary(covered.len(), ""));
    let mut room = cap.saturating_sub(meter.message(&frame)?.real()).saturating_sub(given + beside);
    // Joining text to its frame may cost a token or two more than both apart.
    for _ in 0..3 {
        let summary =
            summarize(meter.counter(), meter.tokenizer(), covered, (room, stub_over), told);
        let text = [quoted.as_str(), &*summary.text].concat();
        let text = material.behind(text.trim_end());
        if text.is_empty() {
            return Ok(None);
        }
        let message = Message::text(Role::User, prose::summary(covered.len(), &text));
        let slot = Slot::new(meter, message, PartName::History)?;
        let over = slot.cost.real().saturating_sub(cap);
        if over == 0 {
            return Ok((slot.cost.real() < tokens + beside).then_some(slot));
        }
        room = room.saturating_sub(over + 1);
    }
    Ok(None)
}

/// What hooks gave for a summary, under its heading, in at most so many tokens.
fn quote(meter: &Meter<'_>, input: &str, most: u64) -> Result<String, Stopped> {
    const HEADING: &str = "Given for this summary:\n";
    let mut kept = input;
    loop {
        let text = format!("{HEADING}{}\n\n", kept.trim_end());
        let tokens = meter.text(&text)?;
        if tokens <= most {
            return Ok(text);
        }
        // A little less than its share, so that few rounds are needed.
        let share = u64::try_from(kept.len()).unwrap_or(u64::MAX).saturating_mul(most) / tokens;
        let bytes = usize::try_from(share).unwrap_or_default().min(kept.len().saturating_sub(1));
        kept = kept.get(..kept.floor_char_boundary(bytes)).unwrap_or_default();
        if kept.trim().is_empty() {
            return Ok(String::new());
        }
    }
}
