//! Prints the measurements as lines for a person: at most 100 characters wide, without colours.

use std::io::{self, Write};
use std::time::Duration;

use super::facts::{FACT_KINDS, FactShare};
use super::formats::NAMES;
use super::round::ProveRound;
use super::{LevelMeasure, ParsedCounts};
use crate::cli::input_file::InputFile;
use crate::cli::report::grouped;

/// Signs of the first column.
const FIRST_COLUMN_CHARS: usize = 34;
/// Signs of each further one.
const COLUMN_CHARS: usize = 15;

pub(super) fn print(
    given: &InputFile,
    measured: &[LevelMeasure],
    parsed: Option<&ParsedCounts>,
    out: &mut impl Write,
) -> io::Result<()> {
    let rounds: Vec<&ProveRound> = measured.iter().map(|measured| &measured.round).collect();
    let Some(first) = rounds.first() else { return Ok(()) };
    let what = match (given.is_text(), first.count) {
        (true, _) => "one text".to_owned(),
        (_, 1) => "1 message".to_owned(),
        (_, count) => format!("{} messages", grouped(count as u64)),
    };
    writeln!(out, "{what}, {} tokens of {}", grouped(first.before), first.tokenizer)?;
    tokens(&rounds, out)?;
    print_restored(&rounds, out)?;
    if let Some(parsed) = parsed {
        formats(parsed, out)?;
    }
    facts(measured, out)?;
    savers(first, given.is_text(), out)
}

/// Prints the time of the compression, separately because it differs from run to run.
pub(super) fn print_time(measured: &[LevelMeasure], out: &mut impl Write) -> io::Result<()> {
    row("time of compressing", measured.iter().map(|one| milliseconds(one.round.took)), out)?;
    let speed = |one: &LevelMeasure| {
        let megabytes = megabytes(one.round.bytes);
        format!("{:.1} MB/s", megabytes / one.round.took.as_secs_f64().max(1e-9))
    };
    row("speed, counting tokens included", measured.iter().map(speed), out)
}

fn tokens(rounds: &[&ProveRound], out: &mut impl Write) -> io::Result<()> {
    writeln!(out)?;
    let level = |round: &&ProveRound| match round.budget {
        Some(_) => "half".to_owned(),
        None => round.level.to_owned(),
    };
    row("tokens", rounds.iter().map(level), out)?;
    row("  before", rounds.iter().map(|round| grouped(round.before)), out)?;
    row("  after", rounds.iter().map(|round| grouped(round.after)), out)?;
    row("  saved", rounds.iter().map(|round| format_saved(round.before, round.after)), out)?;
    row(
        "  of tool results, before",
        rounds.iter().map(|round| grouped(round.results_before)),
        out,
    )?;
    row("  of tool results, after", rounds.iter().map(|round| grouped(round.results_after)), out)?;
    let results =
        rounds.iter().map(|round| format_saved(round.results_before, round.results_after));
    row("  of tool results, saved", results, out)?;
    for round in rounds {
        if let Some(budget) = round.budget {
            let fits = if round.fits { "within it" } else { "IT DOES NOT FIT" };
            writeln!(out, "half: level {}, a budget of {}; {fits}", round.level, grouped(budget))?;
        }
    }
    Ok(())
}

fn print_restored(rounds: &[&ProveRound], out: &mut impl Write) -> io::Result<()> {
    writeln!(out)?;
    let of = |found: usize, round: &ProveRound| format!("{found} of {}", round.count);
    let yes =
        |round: &&ProveRound| if round.restored == round.count { "yes" } else { "NO" }.to_owned();
    row("given back by /expand", rounds.iter().map(|round| of(round.restored, round)), out)?;
    row("  byte for byte", rounds.iter().map(yes), out)?;
    row("decoded with no store: equal", rounds.iter().map(|round| of(round.equal, round)), out)?;
    let equivalent = rounds.iter().map(|round| round.equivalent.to_string());
    row("  equal after normalisation", equivalent, out)?;
    let not = |round: &&ProveRound| {
        let not = round.count.saturating_sub(round.equal + round.equivalent);
        let lost = round.must_decode && not > 0;
        if lost { format!("{not} LOST") } else { not.to_string() }
    };
    row("  only in the store", rounds.iter().map(not), out)
}

fn formats(parsed: &ParsedCounts, out: &mut impl Write) -> io::Result<()> {
    let columns = [parsed.came, parsed.shown, parsed.expanded, parsed.decoded];
    let titles = ["as they came", "as shown", "expanded", "no store"];
    writeln!(out)?;
    row("results that parse (lossless)", titles.map(str::to_owned), out)?;
    let mut none = true;
    for (at, name) in NAMES.iter().enumerate() {
        let counts = columns.map(|formats| formats.counts.get(at).copied().unwrap_or(0));
        if counts.iter().any(|count| *count > 0) {
            none = false;
            row(&format!("  {name}"), counts.map(|count| count.to_string()), out)?;
        }
    }
    if none { writeln!(out, "  none is JSON, XML, a table or a diff as a whole") } else { Ok(()) }
}

fn facts(measured: &[LevelMeasure], out: &mut impl Write) -> io::Result<()> {
    let mut before: Option<&LevelMeasure> = None;
    for one in measured {
        let round = &one.round;
        let level = if round.budget.is_some() { "half" } else { round.level };
        writeln!(out)?;
        if let Some(before) = before.replace(one)
            && before.round.shown == round.shown
        {
            writeln!(out, "facts in sight: {level}: the same messages are shown")?;
            continue;
        }
        let titles = ["there", "shown", "random lines", "head and tail"];
        row(&format!("facts in sight: {level}"), titles.map(str::to_owned), out)?;
        for (at, kind) in FACT_KINDS.iter().enumerate() {
            let of = one.shown.get(at).map_or(0, |seen| seen.of);
            let shares = [&one.shown, &one.random, &one.ends].map(|seen| share(seen.get(at)));
            let cells = [grouped(of as u64)].into_iter().chain(shares);
            row(&format!("  {kind}"), cells, out)?;
        }
    }
    writeln!(out, "random lines, head and tail: what is left at the same size without looking")
}

fn savers(round: &ProveRound, is_text: bool, out: &mut impl Write) -> io::Result<()> {
    if round.savers.is_empty() {
        return writeln!(out, "\nnothing could be shortened without loss");
    }
    writeln!(out)?;
    row("most saved (lossless)", ["before", "after", "saved"].map(str::to_owned), out)?;
    for saver in &round.savers {
        let (before, after) = (saver.tokens_before, saver.tokens_after);
        let name =
            if is_text { "  the text".to_owned() } else { format!("  message {}", saver.index) };
        let rule = saver.rule.trim_start_matches("lossless:");
        let cells = [grouped(before), grouped(after), format_saved(before, after)];
        row_with(&name, cells, &format!("  {}", cut(rule)), out)?;
    }
    Ok(())
}

fn row(
    name: &str,
    cells: impl IntoIterator<Item = String>,
    out: &mut impl Write,
) -> io::Result<()> {
    row_with(name, cells, "", out)
}

fn row_with(
    name: &str,
    cells: impl IntoIterator<Item = String>,
    end: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "{name:<FIRST_COLUMN_CHARS$}")?;
    for cell in cells {
        write!(out, "{cell:>COLUMN_CHARS$}")?;
    }
    writeln!(out, "{end}")
}

/// A rule's name, no longer than what is left of the line.
fn cut(rule: &str) -> String {
    const MAX_NAME_CHARS: usize = 100 - FIRST_COLUMN_CHARS - 3 * COLUMN_CHARS - 2;
    if rule.chars().count() <= MAX_NAME_CHARS {
        return rule.to_owned();
    }
    rule.chars().take(MAX_NAME_CHARS - 1).chain(['…']).collect()
}

/// The share that was saved; negative if the result is larger.
fn format_saved(before: u64, after: u64) -> String {
    if before == 0 {
        return "-".to_owned();
    }
    match before.checked_sub(after) {
        Some(saved) => percent(saved, before),
        None => format!("-{}", percent(after - before, before)),
    }
}

fn share(seen: Option<&FactShare>) -> String {
    match seen {
        Some(seen) if seen.of > 0 => percent(seen.seen as u64, seen.of as u64),
        _ => "-".to_owned(),
    }
}

/// Rounded down, so that a share that lacks anything is never all.
fn percent(part: u64, whole: u64) -> String {
    let tenths = u128::from(part) * 1000 / u128::from(whole.max(1));
    format!("{}.{} %", tenths / 10, tenths % 10)
}

fn milliseconds(took: Duration) -> String {
    format!("{:.1} ms", took.as_secs_f64() * 1e3)
}

#[expect(clippy::cast_precision_loss, reason = "a figure with one digit behind the point")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_lacks_anything_is_never_all() {
        assert_eq!(percent(9_999, 10_000), "99.9 %");
        assert_eq!(percent(5, 5), "100.0 %");
        assert_eq!(
            [format_saved(4, 1), format_saved(4, 5), format_saved(0, 0)],
            ["75.0 %", "-25.0 %", "-"]
        );
    }

    #[test]
    fn long_rules_are_cut_to_the_line() {
        let rule = cut("clean+template+reference+template");
        assert_eq!(rule.chars().count() + 2 + FIRST_COLUMN_CHARS + 3 * COLUMN_CHARS, 100);
    }
}
