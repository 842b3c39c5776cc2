//! One level: compress, restore from the store, decode without it, compare.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::visible_text::has_tool_result;
use crate::cli::CommandError;
use crate::cli::compress::call_deadline;
use crate::cli::failure::refused;
use crate::cli::input_file::InputFile;
use crate::cli::members::OrderedMembers;
use crate::service::{OpenError, Services, compress, expansion, tokens};

/// Messages with the largest savings that are listed.
const MAX_SAVERS: usize = 5;

/// The measurements of one level.
pub(super) struct ProveRound {
    pub(super) level: &'static str,
    pub(super) budget: Option<u64>,
    pub(super) fits: bool,
    pub(super) tokenizer: String,
    /// Whether tokens are counts of the tokenizer and no estimates from them.
    pub(super) exact: bool,
    pub(super) before: u64,
    pub(super) after: u64,
    /// Tokens of the messages that contain tool results.
    /// Tokens after lossless edits, by how they may show values; none if the report has no figures.
    pub(super) notations: Option<ShownTokens>,
    pub(super) results_before: u64,
    pub(super) results_after: u64,
    pub(super) count: usize,
    /// Messages that `/expand` gave back byte for byte.
    pub(super) restored: usize,
    /// Messages that decode without a store: to equal texts, and to equivalent ones.
    pub(super) equal: usize,
    pub(super) equivalent: usize,
    /// Whether the level guarantees that all messages decode without a store.
    pub(super) must_decode: bool,
    pub(super) savers: Vec<TopSaving>,
    pub(super) bytes: usize,
    pub(super) took: Duration,
    pub(super) compressed: Vec<Value>,
    pub(super) expanded: Vec<Value>,
    pub(super) decoded: Vec<Value>,
}

/// A message that became much shorter.
#[derive(Deserialize)]
pub(super) struct TopSaving {
    pub(super) index: usize,
    pub(super) rule: String,
    pub(super) tokens_before: u64,
    pub(super) tokens_after: u64,
}

impl TopSaving {
    pub(super) fn saved(&self) -> u64 {
        self.tokens_before.saturating_sub(self.tokens_after)
    }
}

#[derive(Deserialize)]
struct LevelReport {
    tokens_before: u64,
    tokens_after: u64,
    fits: bool,
    tokenizer: String,
    exact: bool,
    notations: Option<ShownTokens>,
    decisions: Vec<TopSaving>,
}

/// Tokens after lossless edits, by how they may show values.
#[derive(Deserialize, Clone, Copy)]
pub(super) struct ShownTokens {
    pub(super) plain: u64,
    pub(super) computed: u64,
}

impl ProveRound {
    pub(super) fn run(
        services: &dyn Fn() -> Result<Services, OpenError>,
        file: &InputFile,
        level: &'static str,
        budget: Option<u64>,
    ) -> Result<Self, CommandError> {
        let store = services()?;
        let mut request: OrderedMembers = serde_json::from_str(&file.members.to_json()?)?;
        request.set("level", to_raw_value(level)?);
        request.set("explain", to_raw_value("full")?);
        if let Some(budget) = budget {
            request.set("budget_tokens", to_raw_value(&budget)?);
        }
        let request = request.to_json()?;
        let start = Instant::now();
        let answer = compress::compress(&store, &request, &call_deadline())
            .map_err(|error| refused(&error.into()))?;
        let took = start.elapsed();
        let answer: OrderedMembers = serde_json::from_str(&answer.text())?;
        let report = answer.get("report").map_or("null", RawValue::get);
        let report: LevelReport = serde_json::from_str(report)
            .map_err(|error| format!("compressing took too long, or gave no report: {error}"))?;

        let id = answer.get("id").map(ToOwned::to_owned).unwrap_or_default();
        let compressed =
            OrderedMembers::new(file.key, value(&answer, file.key).to_owned()).to_json()?;
        let stored = if file.is_text() {
            OrderedMembers::new("id", id).to_json()?
        } else {
            compressed.clone()
        };
        let expanded = expand(&store, &stored)?;
        let decoded = expand(&services()?, &compressed)?;

        let original = items(file)?;
        let decoded = values(&decoded, file.key)?;
        let (equal, equivalent) = compare(&original, &decoded);
        let mut round = Self {
            level,
            budget,
            fits: report.fits,
            tokenizer: report.tokenizer,
            exact: report.exact,
            before: report.tokens_before,
            after: report.tokens_after,
            notations: report.notations,
            results_before: 0,
            results_after: 0,
            count: original.len(),
            restored: count_same(&raw(file.value())?, &raw(value(&expanded, file.key))?),
            equal,
            equivalent,
            must_decode: level == "lossless",
            savers: report.decisions,
            bytes: request.len(),
            took,
            compressed: values(&answer, file.key)?,
            expanded: values(&expanded, file.key)?,
            decoded,
        };
        for saver in &round.savers {
            if original.get(saver.index).is_some_and(has_tool_result) {
                round.results_before += saver.tokens_before;
                round.results_after += saver.tokens_after;
            }
        }
        round.savers.retain(|saver| saver.saved() > 0);
        round.savers.sort_by_key(|saver| std::cmp::Reverse(saver.saved()));
        round.savers.truncate(MAX_SAVERS);
        Ok(round)
    }

    /// Counts the messages that were not restored as the level guarantees.
    pub(super) fn lost(&self) -> usize {
        let undecoded = self.count.saturating_sub(self.equal + self.equivalent);
        let unrestored = self.count.saturating_sub(self.restored);
        if self.must_decode { unrestored.max(undecoded) } else { unrestored }
    }
}

fn expand(services: &Services, request: &str) -> Result<OrderedMembers, CommandError> {
    let answer = expansion::expand(services, request, &call_deadline())
        .map_err(|error| refused(&error.into()))?;
    Ok(serde_json::from_slice(&answer)?)
}

/// Counts the tokens of a text.
pub(super) fn count(services: &Services, text: &str) -> Result<u64, CommandError> {
    let request = OrderedMembers::new("text", to_raw_value(text)?).to_json()?;
    let counted = tokens::count(services, &request, &call_deadline());
    Ok(counted.map_err(|error| refused(&error.into()))?.tokens)
}

/// Returns the messages of a file, or its text as the only item.
pub(super) fn items(file: &InputFile) -> Result<Vec<Value>, CommandError> {
    values(&file.members, file.key)
}

fn value<'m>(members: &'m OrderedMembers, key: &str) -> &'m RawValue {
    members.get(key).unwrap_or(RawValue::NULL)
}

fn values(members: &OrderedMembers, key: &str) -> Result<Vec<Value>, CommandError> {
    match serde_json::from_str(value(members, key).get())? {
        Value::Array(items) => Ok(items),
        one => Ok(vec![one]),
    }
}

/// Returns the messages as JSON texts, or the value of a text.
fn raw(value: &RawValue) -> Result<Vec<String>, CommandError> {
    if value.get().starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(value.get())?;
        return Ok(items.into_iter().map(|item| item.get().to_owned()).collect());
    }
    let text: Option<String> = serde_json::from_str(value.get())?;
    Ok(text.into_iter().collect())
}

/// Counts messages with the same bytes; 0 if there are more messages than before.
fn count_same(before: &[String], after: &[String]) -> usize {
    if before.len() < after.len() {
        return 0;
    }
    before.iter().zip(after).filter(|(before, after)| before == after).count()
}

/// Counts messages with equal texts, and further ones whose texts have the same normal form.
fn compare(before: &[Value], after: &[Value]) -> (usize, usize) {
    let (mut equal, mut equivalent) = (0, 0);
    if before.len() != after.len() {
        return (equal, equivalent);
    }
    for (before, after) in before.iter().zip(after) {
        if before == after {
            equal += 1;
        } else if normalize(before) == normalize(after) {
            equivalent += 1;
        }
    }
    (equal, equivalent)
}

/// Returns the value with all of its texts in normal form.
fn normalize(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(expansion::normal(text)),
        Value::Array(items) => Value::Array(items.iter().map(normalize).collect()),
        Value::Object(members) => Value::Object(
            members.iter().map(|(key, value)| (key.clone(), normalize(value))).collect(),
        ),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_change_of_blanks_is_not_a_change_of_words() {
        let before =
            [json!({"content": "a  \nb"}), json!({"content": "c"}), json!({"content": "d"})];
        let after = [json!({"content": "a\nb"}), json!({"content": "c"}), json!({"content": "e"})];
        assert_eq!(compare(&before, &after), (1, 1));
        assert_eq!(compare(&before, &after[..2]), (0, 0));
    }

    #[test]
    fn a_list_that_grew_is_not_the_same() {
        let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(count_same(&list(&["1", "2"]), &list(&["1", "3"])), 1);
        assert_eq!(count_same(&list(&["1"]), &list(&["1", "2"])), 0);
    }
}
