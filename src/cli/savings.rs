//! `contexture report`: what a running server saved, by day.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::Duration;

use hyper::Method;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::event_words::format_dollars;
use super::server_client::{ServerArgs, ServerClient};
use super::terminal::{HEADING, Terminal};
use super::{CommandError, aligned};
use crate::domain::{CalendarDate, Clock, group_digits};

/// Rows of one page of `GET /usage`.
const PAGE_ROWS: usize = 1000;
/// Time that one page may take.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
const MICROS_A_DAY: i64 = 86_400_000_000;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  contexture report
  contexture report --days 7 --by model
  contexture report --json

The key of the server needs the scope admin, if the server needs keys. `saved once` counts each text the
first time that it is left out; `saved` counts it in every request that would have had it.")]
pub(super) struct ReportArgs {
    /// Days, today included; days are those of UTC
    #[arg(long, value_name = "N", default_value = "30", value_parser = clap::value_parser!(u16).range(1..=3650))]
    days: u16,

    /// A row for each of these
    #[arg(long, value_enum, value_name = "WHAT", default_value = "day")]
    by: GroupBy,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    server: ServerArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum GroupBy {
    Day,
    Model,
    Key,
}

impl GroupBy {
    const fn member(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Model => "model",
            Self::Key => "key",
        }
    }
}

/// Sums of requests. Costs are millionths of a dollar, and none if the cost of no request is known.
#[derive(Debug, Default)]
struct SavedSums {
    requests: u64,
    tokens_before: u64,
    tokens_after: u64,
    unique_saved_tokens: u64,
    payload_micros: Option<u64>,
    saved_micros: Option<i64>,
}

impl SavedSums {
    fn add(&mut self, row: &Value) {
        let number = |key: &str| row.get(key).and_then(Value::as_u64).unwrap_or(0);
        self.requests += number("requests");
        self.tokens_before += number("tokens_before");
        self.tokens_after += number("tokens_after");
        self.unique_saved_tokens += number("unique_saved_tokens");
        if let Some(cost) = row.get("cost").filter(|cost| cost.is_object()) {
            let payload = cost.get("payload_micros").and_then(Value::as_u64).unwrap_or(0);
            let saved = cost.get("saved_micros").and_then(Value::as_i64).unwrap_or(0);
            *self.payload_micros.get_or_insert(0) += payload;
            *self.saved_micros.get_or_insert(0) += saved;
        }
    }

    fn cells(&self, name: &str) -> [String; COLUMNS.len()] {
        let saved = self.tokens_before.saturating_sub(self.tokens_after);
        let share = u128::from(saved) * 100 / u128::from(self.tokens_before.max(1));
        let dollars = |micros: Option<i64>| match micros {
            None => "-".to_owned(),
            Some(micros) if micros < 0 => format!("-{}", format_dollars(micros.unsigned_abs())),
            Some(micros) => format_dollars(micros.unsigned_abs()),
        };
        [
            name.to_owned(),
            group_digits(self.requests),
            group_digits(self.tokens_before),
            group_digits(self.tokens_after),
            format!("{share} %"),
            group_digits(self.unique_saved_tokens),
            dollars(self.payload_micros.map(|micros| i64::try_from(micros).unwrap_or(i64::MAX))),
            dollars(self.saved_micros),
        ]
    }

    fn json(&self, member: &str, name: &str) -> Value {
        json!({
            member: name,
            "requests": self.requests,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "unique_saved_tokens": self.unique_saved_tokens,
            "payload_micros": self.payload_micros,
            "saved_micros": self.saved_micros,
        })
    }
}

const COLUMNS: [&str; 8] =
    ["", "requests", "tokens before", "after", "saved", "saved once", "cost", "saved"];

pub(super) fn run(args: &ReportArgs, terminal: Terminal) -> Result<(), CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let progress = terminal.progress("reading what was used");
    let rows = runtime.block_on(read_rows(args))?;
    drop(progress);
    let mut sums: BTreeMap<String, SavedSums> = BTreeMap::new();
    let mut total = SavedSums::default();
    for row in &rows {
        let name = row.get(args.by.member()).and_then(Value::as_str).unwrap_or("none");
        sums.entry(name.to_owned()).or_default().add(row);
        total.add(row);
    }
    if args.json {
        let member = args.by.member();
        let rows: Vec<Value> = sums.iter().map(|(name, sums)| sums.json(member, name)).collect();
        writeln!(io::stdout(), "{}", json!({"rows": rows, "total": total.json(member, "total")}))?;
    } else if rows.is_empty() {
        terminal
            .note(&format!("nothing was compiled or compressed in the last {} days", args.days));
    } else {
        let mut rows: Vec<_> = sums.iter().map(|(name, sums)| sums.cells(name)).collect();
        rows.push(total.cells("total"));
        anstream::stdout().write_all(table(args.by.member(), rows).as_bytes())?;
    }
    Ok(())
}

async fn read_rows(args: &ReportArgs) -> Result<Vec<Value>, CommandError> {
    let client = ServerClient::new(&args.server)?.responding_within(RESPONSE_TIMEOUT);
    let from = first_day(args.days);
    let mut rows = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut path = format!("/usage?from={from}&limit={PAGE_ROWS}");
        if let Some(cursor) = &cursor {
            let _ = write!(path, "&cursor={}", utf8_percent_encode(cursor, NON_ALPHANUMERIC));
        }
        let mut page = client.json(Method::GET, &path, None).await?;
        if let Some(Value::Array(items)) = page.get_mut("items").map(Value::take) {
            rows.extend(items);
        }
        cursor = page.get("next_cursor").and_then(Value::as_str).map(str::to_owned);
        if cursor.is_none() {
            return Ok(rows);
        }
    }
}

/// The first of so many days, of which the last is today.
fn first_day(days: u16) -> CalendarDate {
    let today = Clock::system().now().micros().div_euclid(MICROS_A_DAY);
    CalendarDate::from_days(today - i64::from(days) + 1)
}

fn table(first: &str, mut rows: Vec<[String; COLUMNS.len()]>) -> String {
    let mut head = COLUMNS.map(str::to_owned);
    if let Some(cell) = head.first_mut() {
        first.clone_into(cell);
    }
    rows.insert(0, head);
    let mut lines = aligned::lines(&rows);
    if let Some(head) = lines.first_mut() {
        *head = format!("{HEADING}{head}{HEADING:#}");
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_summed_and_lined_up() {
        let mut sums = SavedSums::default();
        sums.add(&json!({"requests": 2, "tokens_before": 4_000, "tokens_after": 1_000, "unique_saved_tokens": 2_000,
            "cost": {"payload_micros": 1_000_000, "saved_micros": -250_000}}));
        sums.add(&json!({"requests": 1, "tokens_before": 0, "tokens_after": 0, "cost": null}));
        let text =
            table("day", vec![sums.cells("2026-12-31"), SavedSums::default().cells("total")]);
        assert_eq!(
            anstream::adapter::strip_str(&text).to_string(),
            "day         requests  tokens before  after  saved  saved once     cost     saved\n\
             2026-12-31         3          4,000  1,000   75 %       2,000  $1.0000  -$0.2500\n\
             total              0              0      0    0 %           0        -         -\n"
        );
    }
}
