//! The report of `POST /compress`, message by message and in figures.

use std::borrow::Cow;

use super::output::{Edit, splice};
use super::{Original, ShortenJob, ShortenOutcome, ShownMessage, TextEdit};
use crate::compress::{Fidelity, ShownForm};
use crate::domain::{ArtifactId, Model, Notes, Role, ValueClass};
use crate::pipeline::Error;
use crate::pipeline::arrived_forms::{name_rules, warn};
use crate::pipeline::changed_results::ChangedResults;
use crate::pipeline::manifest::MessageName;
use crate::pipeline::measure::Meter;
use crate::pipeline::report::{
    Action, Actions, CoveredRange, Decision, HistorySummary, MAX_OVERSIZED_PARTS, OversizedPart,
    Report, ReportBuilder, SentenceSubject, SizeLimit, TokenTotals,
};
use crate::request::{CompressInput, CompressRequest, ExplainLevel, Originals};

/// A text or a list made shorter, and the report of it.
#[derive(Debug)]
pub struct ShortenResult {
    pub output: ShortenOutput,
    pub report: ReportBuilder,
}

/// A text or a list made shorter.
#[derive(Debug)]
pub struct ShortenOutput {
    /// The messages that are shown, in order; empty if a text was given.
    pub list: Vec<ShownMessage>,
    /// The text that is shown, if one was given.
    pub text: Option<String>,
    /// The originals of shortened texts, in order.
    pub originals: Vec<Original>,
}

/// The result for one message, or the summary of those that are gone. Raw tokens.
#[derive(Debug)]
pub(super) struct Row {
    /// None if it is gone.
    pub(super) shown: Option<RowContent>,
    pub(super) origin: Option<usize>,
    pub(super) action: Action,
    pub(super) rules: Vec<Cow<'static, str>>,
    /// Notations and adapters whose work was reverted.
    pub(super) reverted: Vec<Cow<'static, str>>,
    /// Adapters that would have made it no shorter.
    pub(super) refused: Vec<Cow<'static, str>>,
    pub(super) class: Option<Fidelity>,
    pub(super) values: Option<ValueClass>,
    pub(super) before: u64,
    pub(super) after: u64,
    /// Tokens without references.
    pub(super) alone: u64,
    pub(super) originals: Vec<Original>,
}

/// The content to show: rows that are not used are not written.
#[derive(Debug)]
pub(super) enum RowContent {
    /// A message with edits in their order.
    Message { places: Vec<Edit>, edits: Vec<TextEdit>, stands_for: Option<ArtifactId> },
    /// The JSON text of the summary.
    Summary(String),
}

impl RowContent {
    fn into_shown(self, job: &ShortenJob<'_>, origin: Option<usize>) -> ShownMessage {
        match self {
            Self::Summary(json) => {
                ShownMessage { json, origin, changed: true, edits: Vec::new(), stands_for: None }
            }
            Self::Message { places, edits, stands_for } => {
                let raw = origin.and_then(|at| job.item(at)).map_or("", |item| item.raw);
                let changed = !places.is_empty();
                let json = if changed { splice(raw, &places) } else { raw.to_owned() };
                ShownMessage { json, origin, changed, edits, stands_for }
            }
        }
    }
}

impl Row {
    pub(super) fn summary(json: String, tokens: u64) -> Self {
        Self {
            shown: Some(RowContent::Summary(json)),
            origin: None,
            action: Action::Kept,
            rules: Vec::new(),
            reverted: Vec::new(),
            refused: Vec::new(),
            class: None,
            values: None,
            before: 0,
            after: tokens,
            alone: tokens,
            originals: Vec::new(),
        }
    }

    fn rule(&self) -> String {
        match self.action {
            Action::Kept if self.rules == ["escape"] => "escape".to_owned(),
            Action::Kept => kept_rule(&self.reverted, &self.refused),
            Action::Cleared if self.rules.iter().any(|rule| rule == "escape") => {
                "ladder:clear+escape".to_owned()
            }
            Action::Cleared => "ladder:clear".to_owned(),
            Action::Summarized => "ladder:summary".to_owned(),
            Action::Dropped => "ladder:drop".to_owned(),
            Action::Removed | Action::Changed | Action::Added => "hook".to_owned(),
            Action::Compressed | Action::Deduplicated => {
                name_rules(self.rules.iter().map(AsRef::as_ref), "lossless")
            }
        }
    }
}

/// The rule of an unchanged text: the first adapter whose work was not used.
fn kept_rule(reverted: &[Cow<'static, str>], refused: &[Cow<'static, str>]) -> String {
    let mut names = reverted.iter().chain(refused);
    let first = names.find_map(|name| name.strip_prefix("adapter:"));
    first.map_or_else(|| "kept".to_owned(), |name| format!("adapter_reverted:{name}"))
}

/// The request's text or messages unchanged: there was no time for more, not even to count.
pub fn passed_on(request: &CompressRequest<'_, '_>, notes: Notes) -> ShortenResult {
    match &request.given {
        CompressInput::Text(text) => {
            report_uncounted(request, Vec::new(), Some(text.to_string()), notes)
        }
        CompressInput::List(list) => {
            let shown = list.items.iter().enumerate().map(|(at, item)| ShownMessage {
                json: item.raw.to_owned(),
                origin: Some(at),
                changed: false,
                edits: Vec::new(),
                stands_for: None,
            });
            report_uncounted(request, shown.collect(), None, notes)
        }
    }
}

pub(super) fn report_text(
    request: &CompressRequest<'_, '_>,
    text: &str,
    form: Option<ShownForm>,
    notes: Notes,
) -> ShortenResult {
    let Some(form) = form else {
        // One text in, one form out: there is no other case.
        let report = build_report(request, 0, 0, Actions::default(), notes);
        let text = Some(text.to_owned());
        let output = ShortenOutput { list: Vec::new(), text, originals: Vec::new() };
        return ShortenResult { output, report: ReportBuilder::new(report) };
    };
    let changed = form.text.is_some();
    let mut actions = Actions::default();
    // A mark before a look-alike means that the text is unchanged.
    let is_escaped = form.rules == ["escape"];
    let action = if changed && !is_escaped { Action::Compressed } else { Action::Kept };
    actions.add(action);
    let mut report = build_report(request, form.tokens_before, form.tokens_after, actions, notes);
    if request.explain == ExplainLevel::Full {
        report.decisions = Some(vec![Decision {
            index: 0,
            id: "text".to_owned(),
            action,
            rule: match (changed, is_escaped) {
                (false, _) => kept_rule(&form.reverted, &form.refused),
                (true, true) => "escape".to_owned(),
                (true, false) => name_rules(form.rules.iter().map(AsRef::as_ref), "lossless"),
            }
            .into(),
            class: changed.then(|| form.class.as_str()),
            values: form.values().map(ValueClass::as_str),
            tokens_before: report.tokens_before,
            tokens_after: report.tokens_after,
            artifact: None,
        }]);
    }
    if !report.fits {
        let tokens = report.tokens_after;
        report.too_big = vec![OversizedPart { part: "history", tokens, pointer: None }];
    }
    let original = changed.then(|| Original {
        text: text.into(),
        message: 0,
        tokens: form.tokens_before,
        whole: false,
        artifact: ArtifactId::of_text(text),
    });
    let output = ShortenOutput {
        list: Vec::new(),
        text: Some(form.text.map_or_else(|| text.to_owned(), |text| text.to_string())),
        originals: original.into_iter().collect(),
    };
    ShortenResult { output, report: ReportBuilder::new(report) }
}

pub(super) fn report_list(
    meter: &Meter<'_>,
    job: &ShortenJob<'_>,
    outcome: ShortenOutcome,
    before: u64,
    mut notes: Notes,
) -> Result<ShortenResult, Error> {
    meter.check()?;
    let request = job.request;
    let changed = ChangedResults::count(meter, &request.replaced_results)?;
    let before = before.saturating_add_signed(changed.saved_tokens);
    let ShortenOutcome { mut rows, by, .. } = outcome;
    for row in rows.iter_mut().filter(|row| row.action == Action::Kept) {
        let messages = row.origin.map_or(&[][..], |at| job.messages(at));
        if messages.iter().any(|message| changed.contains(message)) {
            row.action = Action::Changed;
        }
    }
    for row in &rows {
        let pointer = format!("/{}/{}", job.list.key, row.origin.unwrap_or_default());
        warn(&mut notes, &pointer, row.reverted.iter().map(AsRef::as_ref));
    }
    let mut actions = Actions::default();
    for row in rows.iter().filter(|row| row.origin.is_some()) {
        actions.add(row.action);
    }
    let mut report = build_report(request, before, job.tokens_after(&rows), actions, notes);
    report.exact = report.exact && !job.costs.iter().any(|cost| cost.is_estimated());
    if !report.fits {
        report.too_big = find_oversized(job, &rows);
    }
    report.history_summary = by.map(|by| {
        let gone = rows.iter().filter(|row| row.action == Action::Summarized);
        HistorySummary { by, covers: CoveredRange::from_places(gone.filter_map(|row| row.origin)) }
    });
    if request.explain == ExplainLevel::Full {
        report.decisions = Some(write_decisions(job, &rows));
    }
    let mut output = ShortenOutput { list: Vec::new(), text: None, originals: Vec::new() };
    for row in rows {
        output.list.extend(row.shown.map(|shown| shown.into_shown(job, row.origin)));
        output.originals.extend(row.originals);
    }
    Ok(ShortenResult { output, report: ReportBuilder::new(report) })
}

fn build_report(
    request: &CompressRequest<'_, '_>,
    before: u64,
    after: u64,
    actions: Actions,
    notes: Notes,
) -> Report {
    let totals = totals(request, before, after);
    Report::new(&request.model, totals, actions, notes)
}

/// Scales raw tokens, and finds what they are compared with: a window only if the request names its model.
fn totals(request: &CompressRequest<'_, '_>, before: u64, after: u64) -> TokenTotals {
    let model = &request.model;
    let subject = match &request.given {
        CompressInput::Text(_) => SentenceSubject::Text,
        CompressInput::List(_) => SentenceSubject::Messages,
    };
    let limit = match request.budget_tokens {
        Some(budget) => SizeLimit::Budget(budget),
        None if model.name.is_empty() => SizeLimit::None,
        None => SizeLimit::Window(model.context_window),
    };
    let budget = request.budget_tokens.unwrap_or(model.context_window);
    let (before, after) = (model.scale(before), model.scale(after));
    TokenTotals { subject, before, after, budget, limit }
}

/// The largest messages that are left.
fn find_oversized(job: &ShortenJob<'_>, rows: &[Row]) -> Vec<OversizedPart> {
    let model = &job.request.model;
    let key = job.list.key;
    let messages = rows.iter().filter(|row| row.shown.is_some()).map(|row| OversizedPart {
        part: if row.origin.is_some() { "message" } else { "history" },
        tokens: model.scale(row.after),
        pointer: row.origin.map(|at| format!("/{key}/{at}")),
    });
    let outside = job.costs.last().map_or(0, |cost| cost.real());
    let outside = OversizedPart { part: "system", tokens: model.scale(outside), pointer: None };
    let mut found: Vec<OversizedPart> =
        messages.chain([outside]).filter(|entry| entry.tokens > 0).collect();
    found.sort_by_key(|entry| std::cmp::Reverse(entry.tokens));
    found.truncate(MAX_OVERSIZED_PARTS);
    found
}

fn write_decisions(job: &ShortenJob<'_>, rows: &[Row]) -> Vec<Decision> {
    let model: &Model = &job.request.model;
    let kept = job.request.originals != Originals::None;
    let decision = |row: &Row| {
        let index = row.origin?;
        let message = job.messages(index).first();
        let id = match message {
            Some(message) if message.role != Role::System || message.id.is_some() => {
                MessageName::new(message, index).id
            }
            _ => format!("m_{index}"),
        };
        Some(Decision {
            index,
            id,
            action: row.action,
            rule: row.rule().into(),
            class: row.class.map(Fidelity::as_str),
            values: row.values.map(ValueClass::as_str),
            tokens_before: model.scale(row.before),
            tokens_after: model.scale(row.after),
            artifact: row
                .originals
                .first()
                .filter(|_| kept)
                .map(|original| original.artifact.to_string()),
        })
    };
    rows.iter().filter_map(decision).collect()
}

/// The report of a request that was passed on uncounted: four bytes to a token, rounded up.
pub(super) fn report_uncounted(
    request: &CompressRequest<'_, '_>,
    list: Vec<ShownMessage>,
    text: Option<String>,
    notes: Notes,
) -> ShortenResult {
    let bytes = list.iter().map(|shown| shown.json.len()).sum::<usize>()
        + text.as_ref().map_or(0, String::len);
    let tokens = bytes.div_ceil(4) as u64;
    let actions = Actions { kept: list.len(), ..Actions::default() };
    let report = build_report(request, tokens, tokens, actions, notes);
    let report = report.uncounted(totals(request, tokens, tokens));
    let output = ShortenOutput { list, text, originals: Vec::new() };
    ShortenResult { output, report: ReportBuilder::new(report) }
}
