//! The message that replaces covered turns.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use crate::compress::{SummaryInput, floor_cluster_boundary, summarize};
use crate::domain::{AskedSummary, Message, Notes, Part, Role, Summary};
use crate::pipeline::measure::Meter;
use crate::pipeline::slot::{PartName, Slot};
use crate::pipeline::{StopReason, prose};
use crate::provider::built_in_as_functions;
use crate::request::Level;

/// Raw tokens below which a summary has no room for more than its own frame.
const MIN_SUMMARY_TOKENS: u64 = 96;
/// Raw tokens that a summary takes at most, however large the room is.
const MAX_SUMMARY_TOKENS: u64 = 2_000;

/// Raw tokens that a summary is charged and may take of a room: an eighth of it. 0 if turns are
/// dropped rather than summarised in so little.
pub(crate) fn summary_cap(level: Level, room: u64) -> u64 {
    match (room / 8).min(MAX_SUMMARY_TOKENS) {
        cap if level == Level::Drop && cap < MIN_SUMMARY_TOKENS => 0,
        cap => cap.max(MIN_SUMMARY_TOKENS),
    }
}

/// Parameters of one summary.
#[derive(Clone, Copy)]
pub(crate) struct SummaryRules<'t> {
    /// Raw tokens that it takes at most.
    pub(crate) cap: u64,
    /// Tool results of more characters are not quoted.
    pub(crate) stub_over: Option<usize>,
    /// The caller's instructions.
    pub(crate) instructions: Option<&'t str>,
    /// Whether a fact is visible in what is not covered.
    pub(crate) is_visible: &'t dyn Fn(u64) -> bool,
    /// Text of hooks for the summary.
    pub(crate) material: &'t SummaryMaterial,
}

/// Text of hooks for the summary of what leaves the history.
#[derive(Debug, Default, Clone)]
pub(crate) struct SummaryMaterial {
    /// For the hook or model that writes the summary.
    pub(crate) input: Option<Arc<str>>,
    /// Text after the summary, word for word.
    pub(crate) verbatim: Option<Arc<str>>,
    /// Whether a hook or model writes summaries, so that missing ones are requested.
    pub(crate) asks: bool,
    /// Results of the summaries that were asked for.
    pub(crate) written: Vec<SummaryResult>,
}

/// The result of asking for the summary of covered messages.
#[derive(Debug, Clone)]
pub(crate) struct SummaryResult {
    /// Their places in the list.
    pub(crate) covered: Vec<usize>,
    /// None if no summary was written.
    pub(crate) summary: Option<Summary>,
}

/// Messages that leave the history.
#[derive(Debug)]
pub(crate) struct CoveredMessages<'m> {
    pub(crate) messages: Vec<&'m Message>,
    /// Their places in the list.
    pub(crate) places: Vec<usize>,
    /// Raw tokens that the messages take.
    pub(crate) tokens: u64,
}

/// Reads the result of asking for a summary, and notes a failure.
pub(crate) fn read_summary(
    wanted: SummaryRequest,
    asked: Option<AskedSummary>,
    notes: &mut Notes,
) -> SummaryResult {
    let summary = match asked.map(|asked| asked.result) {
        Some(Ok(summary)) => Some(summary),
        Some(Err(why)) => {
            let detail = format!("{why}: its own lines replace what was summarised");
            notes.degraded("summarizer_failed", String::new(), detail);
            None
        }
        None => None,
    };
    SummaryResult { covered: wanted.covered, summary }
}

/// A summary that no hook or model was asked for yet.
#[derive(Debug, Clone)]
pub(crate) struct SummaryRequest {
    pub(crate) covered: Vec<usize>,
    /// Raw tokens that it may take.
    pub(crate) max_tokens: u64,
}

/// The message that replaces covered ones, and its author; none if it quotes their own lines.
#[derive(Debug, Clone)]
pub(crate) struct SummaryMessage {
    pub(crate) slot: Slot,
    pub(crate) by: Option<Arc<str>>,
}

impl SummaryMaterial {
    pub(crate) fn is_empty(&self) -> bool {
        self.input.is_none() && self.verbatim.is_none()
    }

    /// Finds the written summary of these messages; requests it if it was not asked for yet.
    fn find_summary(
        &self,
        covered: &[usize],
        wanted: &OnceCell<SummaryRequest>,
        most: u64,
    ) -> Option<&Summary> {
        if !self.asks {
            return None;
        }
        let found = self.written.iter().find(|written| written.covered == covered);
        if found.is_none() {
            let covered = covered.to_vec();
            wanted.get_or_init(|| SummaryRequest { covered, max_tokens: most });
        }
        found.and_then(|written| written.summary.as_ref())
    }

    /// The text of a note with the verbatim text after it.
    pub(super) fn append_verbatim(&self, text: &str) -> String {
        match &self.verbatim {
            Some(verbatim) if text.is_empty() => verbatim.to_string(),
            Some(verbatim) => format!("{text}\n\n{verbatim}"),
            None => text.to_owned(),
        }
    }
}

/// Writes the message that replaces covered messages: a written summary, or their own lines. None
/// if nothing would be shorter than they are.
pub(crate) fn write_note(
    meter: &Meter<'_>,
    covered: &CoveredMessages<'_>,
    rules: SummaryRules<'_>,
    wanted: &OnceCell<SummaryRequest>,
) -> Result<Option<SummaryMessage>, StopReason> {
    let frame =
        Message::text(Role::User, prose::summary_message(count_covered(&covered.messages), ""));
    let most = rules.cap.saturating_sub(meter.message(&frame)?.real());
    if let Some(summary) = rules.material.find_summary(&covered.places, wanted, most)
        && let Some(slot) = fit_written(meter, covered, &summary.text, rules)?
    {
        return Ok(Some(SummaryMessage { slot, by: Some(Arc::clone(&summary.by)) }));
    }
    let slot = fit_quotes(meter, covered, rules)?;
    Ok(slot.map(|slot| SummaryMessage { slot, by: None }))
}

/// The message with a written summary, without its last lines if it is too long; none if it is no
/// shorter than the messages.
fn fit_written(
    meter: &Meter<'_>,
    covered: &CoveredMessages<'_>,
    text: &str,
    SummaryRules { cap, material, .. }: SummaryRules<'_>,
) -> Result<Option<Slot>, StopReason> {
    let beside = material.verbatim.as_deref().map_or(Ok(0), |text| meter.text(text))?;
    let mut kept = text;
    while !kept.trim().is_empty() {
        let text = prose::summary_message(
            count_covered(&covered.messages),
            &material.append_verbatim(kept.trim_end()),
        );
        let slot = Slot::new(meter, Message::text(Role::User, text), PartName::History)?;
        let took = slot.cost.real();
        if took <= cap + beside {
            return Ok((took < covered.tokens + beside).then_some(slot));
        }
        // A little less than its share, so that few rounds are needed.
        let bytes =
            u64::try_from(kept.len()).unwrap_or(u64::MAX).saturating_mul(cap + beside) / took;
        let bytes = usize::try_from(bytes).unwrap_or_default().min(kept.len().saturating_sub(1));
        kept = kept.get(..kept.floor_char_boundary(bytes)).unwrap_or_default();
        kept = kept.rfind('\n').and_then(|end| kept.get(..end)).unwrap_or_default();
    }
    Ok(None)
}

/// The summary of covered messages in their own lines; `None` if there is nothing to quote, or the
/// quotes are no shorter than the messages.
fn fit_quotes(
    meter: &Meter<'_>,
    covered: &CoveredMessages<'_>,
    SummaryRules { cap, stub_over, instructions, is_visible, material }: SummaryRules<'_>,
) -> Result<Option<Slot>, StopReason> {
    let quoted = match &material.input {
        // Material for the summary is quoted in it, in at most half of the room.
        Some(input) => quote_material(meter, input, cap / 2)?,
        None => String::new(),
    };
    let given = meter.text(&quoted)?;
    // Verbatim text is paid for in addition to the summary.
    let beside = material.verbatim.as_deref().map_or(Ok(0), |text| meter.text(text))?;
    let cap = cap + beside;
    let tokens = covered.tokens;
    let parts = CoveredParts::new(&covered.messages);
    let count = parts.count;
    let messages: Vec<&Message> = parts.messages.iter().map(AsRef::as_ref).collect();
    let earlier: Vec<&str> = parts.earlier.iter().map(AsRef::as_ref).collect();
    let covered = SummaryInput {
        messages: &messages,
        earlier: &earlier,
        instructions,
        stub_over,
        is_shown: is_visible,
    };
    let frame = Message::text(Role::User, prose::summary_message(count, ""));
    let mut room = cap.saturating_sub(meter.message(&frame)?.real()).saturating_sub(given + beside);
    // Joining text to its frame may cost a token or two more than both apart.
    for _ in 0..3 {
        let summary = summarize(meter.counter(), meter.tokenizer(), &covered, room);
        let text = [quoted.as_str(), &summary].concat();
        let text = material.append_verbatim(text.trim_end());
        if text.is_empty() {
            return Ok(None);
        }
        let message = Message::text(Role::User, prose::summary_message(count, &text));
        let slot = Slot::new(meter, message, PartName::History)?;
        let over = slot.cost.real().saturating_sub(cap);
        if over == 0 {
            return Ok((slot.cost.real() < tokens + beside).then_some(slot));
        }
        room = room.saturating_sub(over + 1);
    }
    Ok(None)
}

/// Counts the messages of the conversation that covered ones represent: an earlier summary
/// represents all that it covered.
pub(crate) fn count_covered(covered: &[&Message]) -> usize {
    CoveredParts::new(covered).count
}

/// Covered messages, their own texts apart from the earlier summaries among them.
struct CoveredParts<'m> {
    /// The messages without the summaries.
    messages: Vec<Cow<'m, Message>>,
    /// The texts of the earlier summaries.
    earlier: Vec<Arc<str>>,
    /// Messages of the conversation that all of them represent.
    count: usize,
}

impl<'m> CoveredParts<'m> {
    fn new(covered: &[&'m Message]) -> Self {
        let mut parts = Self { messages: Vec::new(), earlier: Vec::new(), count: 0 };
        for message in covered {
            parts.add(message);
        }
        parts
    }

    fn add(&mut self, message: &'m Message) {
        let found = |part: &Part| {
            let text = part.as_text().filter(|_| message.role == Role::User)?;
            prose::read_summary(text).map(|(stands_for, body)| (stands_for, Arc::from(body)))
        };
        let found: Vec<(usize, Arc<str>)> = message.parts.iter().filter_map(found).collect();
        if found.is_empty() {
            match built_in_as_functions(message) {
                Some(messages) => self.messages.extend(messages.map(Cow::Owned)),
                None => self.messages.push(Cow::Borrowed(message)),
            }
            self.count += 1;
            return;
        }
        let mut rest = message.clone();
        rest.parts
            .retain(|part| !part.as_text().is_some_and(|text| prose::is_history_summary(text)));
        self.count += usize::from(!rest.parts.is_empty());
        if !rest.parts.is_empty() {
            self.messages.push(Cow::Owned(rest));
        }
        for (stands_for, body) in found {
            self.count = self.count.saturating_add(stands_for);
            self.earlier.push(body);
        }
    }
}

/// Quotes the material of hooks for a summary, under its heading, in at most `most` tokens.
fn quote_material(meter: &Meter<'_>, input: &str, most: u64) -> Result<String, StopReason> {
    const MATERIAL_HEADING: &str = "Given for this summary:\n";
    let mut kept = input;
    loop {
        let text = format!("{MATERIAL_HEADING}{}\n\n", kept.trim_end());
        let tokens = meter.text(&text)?;
        if tokens <= most {
            return Ok(text);
        }
        // A little less than its share, so that few rounds are needed.
        let share = u64::try_from(kept.len()).unwrap_or(u64::MAX).saturating_mul(most) / tokens;
        let bytes = usize::try_from(share).unwrap_or_default().min(kept.len().saturating_sub(1));
        kept = kept.get(..floor_cluster_boundary(kept, bytes)).unwrap_or_default();
        if kept.trim().is_empty() {
            return Ok(String::new());
        }
    }
}
