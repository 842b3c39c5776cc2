//! Prints the measurements as lines for a person: at most 100 characters wide, without colours.

use std::io::{self, Write};
use std::time::Duration;

use super::facts::{FACT_KINDS, FactShare};
use super::formats::FORMAT_NAMES;
use super::round::ProveRound;
use super::{LevelMeasure, ParsedCounts};
use crate::cli::input_file::InputFile;
use crate::domain::{counted, group_digits};

/// Characters of the first column.
const FIRST_COLUMN_CHARS: usize = 34;
/// Characters of each further column.
const COLUMN_CHARS: usize = 15;

pub(super) fn print(
    file: &InputFile,
    measured: &[LevelMeasure],
    parsed: Option<&ParsedCounts>,
    out: &mut impl Write,
) -> io::Result<()> {
    let rounds: Vec<&ProveRound> = measured.iter().map(|measured| &measured.round).collect();
    let Some(first) = rounds.first() else { return Ok(()) };
    let what = match (file.is_text(), first.count) {
        (true, _) if file.value().get().starts_with("\"{") => {
            "one text (its lines of JSON are no messages)".to_owned()
        }
        (true, _) => "one text".to_owned(),
        (_, count) => counted(count as u64, "message"),
    };
    let what = if file.has_lines { format!("{what} from JSON Lines") } else { what };
    let source = if first.exact { "of" } else { "estimated from those of" };
    writeln!(out, "{what}, {} {source} {}", counted(first.before, "token"), first.tokenizer)?;
    print_tokens(&rounds, out)?;
    print_restored(&rounds, out)?;
    if let Some(parsed) = parsed {
        print_formats(parsed, out)?;
    }
    print_facts(measured, out)?;
    print_savers(first, file.is_text(), out)
}

/// Prints the times of compression separately, because they differ from run to run.
pub(super) fn print_time(measured: &[LevelMeasure], out: &mut impl Write) -> io::Result<()> {
    print_row(
        "time of compressing",
        measured.iter().map(|one| format_milliseconds(one.round.took)),
        out,
    )?;
    let speed = |one: &LevelMeasure| {
        let megabytes = megabytes(one.round.bytes);
        format!("{:.1} MB/s", megabytes / one.round.took.as_secs_f64().max(1e-9))
    };
    print_row("speed, counting tokens included", measured.iter().map(speed), out)
}

fn print_tokens(rounds: &[&ProveRound], out: &mut impl Write) -> io::Result<()> {
    writeln!(out)?;
    let level = |round: &&ProveRound| match round.budget {
        Some(_) => "half".to_owned(),
        None => round.level.to_owned(),
    };
    print_row("tokens", rounds.iter().map(level), out)?;
    print_row("  before", rounds.iter().map(|round| group_digits(round.before)), out)?;
    print_row("  after", rounds.iter().map(|round| group_digits(round.after)), out)?;
    print_row("  saved", rounds.iter().map(|round| format_saved(round.before, round.after)), out)?;
    print_notations(rounds, out)?;
    print_row(
        "  of tool results, before",
        rounds.iter().map(|round| group_digits(round.results_before)),
        out,
    )?;
    print_row(
        "  of tool results, after",
        rounds.iter().map(|round| group_digits(round.results_after)),
        out,
    )?;
    let results =
        rounds.iter().map(|round| format_saved(round.results_before, round.results_after));
    print_row("  of tool results, saved", results, out)?;
    for round in rounds {
        if let Some(budget) = round.budget {
            let fits = if round.fits { "within it" } else { "IT DOES NOT FIT" };
            writeln!(
                out,
                "half: level {}, a budget of {}; {fits}",
                round.level,
                group_digits(budget)
            )?;
        }
    }
    Ok(())
}

/// Prints what lossless edits save by how they may show values.
fn print_notations(rounds: &[&ProveRound], out: &mut impl Write) -> io::Result<()> {
    let Some(round) = rounds.first() else { return Ok(()) };
    let Some(tokens) = round.notations else { return Ok(()) };
    for (title, after) in
        [("  saved, plain values", tokens.plain), ("  saved, computed values", tokens.computed)]
    {
        print_row(title, std::iter::once(format_saved(round.before, after)), out)?;
    }
    Ok(())
}

fn print_restored(rounds: &[&ProveRound], out: &mut impl Write) -> io::Result<()> {
    writeln!(out)?;
    let of = |found: usize, round: &ProveRound| format!("{found} of {}", round.count);
    let yes =
        |round: &&ProveRound| if round.restored == round.count { "yes" } else { "NO" }.to_owned();
    print_row("given back by /expand", rounds.iter().map(|round| of(round.restored, round)), out)?;
    print_row("  byte for byte", rounds.iter().map(yes), out)?;
    print_row(
        "decoded with no store: equal",
        rounds.iter().map(|round| of(round.equal, round)),
        out,
    )?;
    let equivalent = rounds.iter().map(|round| round.equivalent.to_string());
    print_row("  equal after normalisation", equivalent, out)?;
    let not = |round: &&ProveRound| {
        let not = round.count.saturating_sub(round.equal + round.equivalent);
        let lost = round.must_decode && not > 0;
        if lost { format!("{not} LOST") } else { not.to_string() }
    };
    print_row("  only in the store", rounds.iter().map(not), out)
}

fn print_formats(parsed: &ParsedCounts, out: &mut impl Write) -> io::Result<()> {
    let columns = [parsed.original, parsed.compressed, parsed.expanded, parsed.decoded];
    let titles = ["as they came", "as shown", "expanded", "no store"];
    writeln!(out)?;
    print_row("results that parse (lossless)", titles.map(str::to_owned), out)?;
    let mut none = true;
    for (at, name) in FORMAT_NAMES.iter().enumerate() {
        let counts = columns.map(|formats| formats.counts.get(at).copied().unwrap_or(0));
        if counts.iter().any(|count| *count > 0) {
            none = false;
            print_row(&format!("  {name}"), counts.map(|count| count.to_string()), out)?;
        }
    }
    if none { writeln!(out, "  none is JSON, XML, a table or a diff as a whole") } else { Ok(()) }
}

fn print_facts(measured: &[LevelMeasure], out: &mut impl Write) -> io::Result<()> {
    let mut before: Option<&LevelMeasure> = None;
    for one in measured {
        let round = &one.round;
        let level = if round.budget.is_some() { "half" } else { round.level };
        writeln!(out)?;
        if let Some(before) = before.replace(one)
            && before.round.compressed == round.compressed
        {
            writeln!(out, "facts in sight: {level}: the same messages are shown")?;
            continue;
        }
        let titles = ["there", "shown", "random lines", "head and tail"];
        print_row(&format!("facts in sight: {level}"), titles.map(str::to_owned), out)?;
        for (at, kind) in FACT_KINDS.iter().enumerate() {
            let total = one.compressed.get(at).map_or(0, |share| share.total);
            let shares = [&one.compressed, &one.random, &one.ends]
                .map(|shares| format_share(shares.get(at)));
            let cells = [group_digits(total as u64)].into_iter().chain(shares);
            print_row(&format!("  {kind}"), cells, out)?;
        }
    }
    writeln!(out, "random lines, head and tail: what is left at the same size without looking")
}

fn print_savers(round: &ProveRound, is_text: bool, out: &mut impl Write) -> io::Result<()> {
    if round.savers.is_empty() {
        return writeln!(out, "\nnothing could be shortened without loss");
    }
    writeln!(out)?;
    let titles = ["before", "after", "saved"].map(str::to_owned);
    print_row_with("most saved (lossless)", titles, "  how it is written", out)?;
    for saver in &round.savers {
        let (before, after) = (saver.tokens_before, saver.tokens_after);
        let name =
            if is_text { "  the text".to_owned() } else { format!("  message {}", saver.index) };
        let rule = saver.rule.trim_start_matches("lossless:");
        let cells = [group_digits(before), group_digits(after), format_saved(before, after)];
        print_row_with(&name, cells, &format!("  {}", cut_rule(rule)), out)?;
    }
    Ok(())
}

fn print_row(
    name: &str,
    cells: impl IntoIterator<Item = String>,
    out: &mut impl Write,
) -> io::Result<()> {
    print_row_with(name, cells, "", out)
}

fn print_row_with(
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

/// Cuts the name of a rule to the rest of the line.
fn cut_rule(rule: &str) -> String {
    const MAX_NAME_CHARS: usize = 100 - FIRST_COLUMN_CHARS - 3 * COLUMN_CHARS - 2;
    if rule.chars().count() <= MAX_NAME_CHARS {
        return rule.to_owned();
    }
    rule.chars().take(MAX_NAME_CHARS - 1).chain(['…']).collect()
}

/// Formats the share that was saved; negative if the result is larger.
fn format_saved(before: u64, after: u64) -> String {
    if before == 0 {
        return "-".to_owned();
    }
    match before.checked_sub(after) {
        Some(saved) => format_percent(saved, before),
        None => format!("-{}", format_percent(after - before, before)),
    }
}

fn format_share(share: Option<&FactShare>) -> String {
    match share {
        Some(share) if share.total > 0 => format_percent(share.seen as u64, share.total as u64),
        _ => "-".to_owned(),
    }
}

/// Formats a share, rounded down, so that only a complete one is 100 %.
fn format_percent(part: u64, whole: u64) -> String {
    let tenths = u128::from(part) * 1000 / u128::from(whole.max(1));
    format!("{}.{} %", tenths / 10, tenths % 10)
}

fn format_milliseconds(took: Duration) -> String {
    format!("{:.1} ms", took.as_secs_f64() * 1e3)
}

#[expect(clippy::cast_precision_loss, reason = "a figure with one digit after the point")]
fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_complete_share_is_100_percent() {
        assert_eq!(format_percent(9_999, 10_000), "99.9 %");
        assert_eq!(format_percent(5, 5), "100.0 %");
        assert_eq!(
            [format_saved(4, 1), format_saved(4, 5), format_saved(0, 0)],
            ["75.0 %", "-25.0 %", "-"]
        );
    }

    #[test]
    fn long_rules_are_cut_to_the_line() {
        let rule = cut_rule("clean+template+reference+template");
        assert_eq!(rule.chars().count() + 2 + FIRST_COLUMN_CHARS + 3 * COLUMN_CHARS, 100);
    }
}
