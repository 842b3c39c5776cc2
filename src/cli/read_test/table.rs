//! Prints the figures as lines for a person, at most 100 characters wide.

use std::io::{self, Write};

use super::answer::{FormAnswer, ModelAnswer, is_compared, value_of};
use super::figures::{NotationVerdict, PairGroup, PointInterval, ReadingFigures};
use super::form::TextForm;

/// Characters of the first column.
const NAME_CHARS: usize = 20;

pub(super) fn print(figures: &ReadingFigures, out: &mut impl Write) -> io::Result<()> {
    print_head("notation", out)?;
    for (name, group) in &figures.notations {
        let verdict = match group.verdict() {
            NotationVerdict::Passed => "passed",
            NotationVerdict::Failed if name.starts_with("computed ") => "failed",
            NotationVerdict::Failed => "FAILED",
            NotationVerdict::TooFew => "too few",
        };
        print_row(name, group, verdict, out)?;
    }
    for (form, title) in [
        (TextForm::Plain, "text, plain"),
        (TextForm::Computed, "text, computed"),
        (TextForm::Half, "text, half"),
        (TextForm::Quarter, "text, quarter"),
    ] {
        let rows = figures.texts.iter().filter(|((of, _), _)| *of == form);
        let rows: Vec<(&str, &PairGroup)> = rows.map(|((_, kind), group)| (*kind, group)).collect();
        if rows.is_empty() {
            continue;
        }
        writeln!(out)?;
        print_head(title, out)?;
        for (kind, group) in rows {
            let hidden = match group.not_in_sight {
                0 => String::new(),
                hidden => format!("{hidden} not in sight"),
            };
            print_row(kind, group, &hidden, out)?;
        }
    }
    writeln!(out)?;
    print_head("question, plain", out)?;
    for (kind, group) in &figures.questions {
        print_row(kind, group, "", out)?;
    }
    Ok(())
}

fn print_head(title: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{title:<NAME_CHARS$}{:>6}{:>21}{:>21}{:>16}",
        "pairs", "original, %", "form, %", "difference"
    )
}

fn print_row(name: &str, group: &PairGroup, end: &str, out: &mut impl Write) -> io::Result<()> {
    if group.count() == 0 {
        return writeln!(out, "{name:<NAME_CHARS$}{:>6}  {end}", 0);
    }
    let difference = group.difference();
    let signed = format!("{:+.1} {:+.1}…{:+.1}", difference.mean, difference.low, difference.high);
    let row = format!(
        "{name:<NAME_CHARS$}{:>6}{:>21}{:>21}{signed:>20}  {end}",
        group.count(),
        format_share(group.original()),
        format_share(group.form()),
    );
    writeln!(out, "{}", row.trim_end())
}

fn format_share(share: PointInterval) -> String {
    format!("{:.1} ({:.1}…{:.1})", share.mean, share.low, share.high)
}

/// Prints each question that was answered rightly over one of the two forms alone.
pub(super) fn print_differences(
    answers: &[FormAnswer<'_>],
    out: &mut impl Write,
) -> io::Result<()> {
    let mut originals: &[FormAnswer<'_>] = &[];
    writeln!(out, "\nanswers that differ")?;
    let same_form =
        |a: &FormAnswer<'_>, b: &FormAnswer<'_>| std::ptr::eq(a.asked.form, b.asked.form);
    for form in answers.chunk_by(same_form) {
        if form.first().is_some_and(|answer| !is_compared(answer.asked.form.form)) {
            originals = form;
            continue;
        }
        for (answer, original) in form.iter().zip(originals) {
            let (ModelAnswer::Said(said), ModelAnswer::Said(before)) =
                (&answer.said, &original.said)
            else {
                continue;
            };
            if answer.is_right() == original.is_right() {
                continue;
            }
            let asked = &answer.asked;
            writeln!(
                out,
                "{} {}: {} right {:?}, original {:?}, {} {:?}",
                asked.text.id(asked.place),
                asked.form.form.as_str(),
                asked.question.text,
                asked.question.answer,
                value_of(before),
                asked.form.form.as_str(),
                value_of(said),
            )?;
        }
    }
    Ok(())
}
