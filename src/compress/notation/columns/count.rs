//! Columns whose fields count up: dates, and times. Plain numbers stay: they name rows.

use std::fmt::Write as _;
use std::ops::Range;

use crate::compress::text::parse_digits;
use crate::domain::CalendarDate;

/// Step by which a column counts up from row to row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountStep {
    Minutes(u32),
    Days(u32),
    Months(u32),
}

/// The longest field that counts.
const MAX_FIELD_BYTES: usize = 40;
/// Largest step.
const MAX_STEP: i64 = 1_000_000;

/// The word of a step, and the step.
type StepUnit = (&'static str, fn(u32) -> CountStep);

const STEP_UNITS: [StepUnit; 3] =
    [(" min", CountStep::Minutes), (" day", CountStep::Days), (" month", CountStep::Months)];

impl CountStep {
    pub(super) fn words(self) -> String {
        match self {
            Self::Minutes(by) => format!("{by} min"),
            Self::Days(by) => format!("{by} day"),
            Self::Months(by) => format!("{by} month"),
        }
    }

    pub(super) fn read(words: &str) -> Option<Self> {
        let (number, make) =
            STEP_UNITS.iter().find_map(|(unit, make)| Some((words.strip_suffix(unit)?, make)))?;
        let by = number.parse().ok().filter(|by| (1..=MAX_STEP).contains(&i64::from(*by)))?;
        Some(make(by))
    }

    /// The step from one field to the next, if they count.
    pub(super) fn between(above: &str, below: &str) -> Option<Self> {
        let by = |wide: i64| {
            u32::try_from(wide).ok().filter(|by| (1..=MAX_STEP).contains(&i64::from(*by)))
        };
        let (above, below) = (bare(above), bare(below));
        let (one, other) = (DateField::read(above)?, DateField::read(below)?);
        let (from, to) = (one.date, other.date);
        let days = to.days() - from.days();
        let months = 12 * (to.year - from.year) + to.month - from.month;
        match (one.minute, other.minute) {
            (Some(from), Some(to)) if from != to || days == 0 => {
                by(days * DAY_MINUTES + to - from).map(Self::Minutes)
            }
            _ if months > 0 && from.day == to.day => by(months).map(Self::Months),
            _ => by(days).map(Self::Days),
        }
    }

    /// Appends what follows on a field, which is in `out`.
    pub(super) fn write_next(self, out: &mut String, above: Range<usize>) -> Option<()> {
        let mut next = String::new();
        self.next(&mut next, out.get(above)?)?;
        out.push_str(&next);
        Some(())
    }

    /// Whether one field follows on another.
    pub(super) fn leads(self, above: &str, below: &str) -> bool {
        let mut next = String::new();
        self.next(&mut next, above).is_some() && next == below
    }

    fn next(self, out: &mut String, above: &str) -> Option<()> {
        let text = bare(above);
        let is_quoted = text.len() < above.len();
        if is_quoted {
            out.push('"');
        }
        let mut field = DateField::read(text)?;
        field.advance(self)?;
        field.write(out)?;
        if is_quoted {
            out.push('"');
        }
        Some(())
    }
}

/// A field without its quotes.
fn bare(field: &str) -> &str {
    field.strip_prefix('"').and_then(|field| field.strip_suffix('"')).unwrap_or(field)
}

/// Minutes of a day.
const DAY_MINUTES: i64 = 24 * 60;

/// A field that counts: `2024-05-01`, `2024/05/01`, and the same with a time after it.
#[derive(Debug, Clone, Copy)]
struct DateField<'a> {
    date: CalendarDate,
    /// The minute of the day, and what is before it.
    minute: Option<i64>,
    between: &'a str,
    joint: &'a str,
    rest: &'a str,
}

impl<'a> DateField<'a> {
    fn read(text: &'a str) -> Option<Self> {
        if text.len() > MAX_FIELD_BYTES || !text.is_ascii() {
            return None;
        }
        let digits = |range: Range<usize>| parse_digits(text.get(range)?);
        let date = CalendarDate::new(digits(0..4)?, digits(5..7)?, digits(8..10)?)?;
        let joint = text.get(4..5).filter(|joint| matches!(*joint, "-" | "/"))?;
        let minute = match (text.get(10..11), text.get(13..14)) {
            (Some("T" | " "), Some(":")) => {
                let (hour, minute) = (digits(11..13)?, digits(14..16)?);
                ((0..24).contains(&hour) && (0..60).contains(&minute)).then_some(hour * 60 + minute)
            }
            _ => None,
        };
        let between = if minute.is_some() { text.get(10..11)? } else { "" };
        let rest = text.get(if minute.is_some() { 16 } else { 10 }..)?;
        (text.get(7..8) == Some(joint)).then_some(Self { date, minute, between, joint, rest })
    }

    fn write(&self, out: &mut String) -> Option<()> {
        let Self { date: CalendarDate { year, month, day }, joint, between, rest, .. } = self;
        write!(out, "{year:04}{joint}{month:02}{joint}{day:02}{between}").ok()?;
        if let Some(minute) = self.minute {
            write!(out, "{:02}:{:02}", minute / 60, minute % 60).ok()?;
        }
        out.push_str(rest);
        (*year < 10_000).then_some(())
    }

    /// Goes on by a step; `None` if the month that it leads to has no such day.
    fn advance(&mut self, step: CountStep) -> Option<()> {
        let CalendarDate { year, month, day } = self.date;
        let later = |days: i64| CalendarDate::from_days(self.date.days() + days);
        self.date = match step {
            CountStep::Minutes(by) => {
                let minutes = self.minute? + i64::from(by);
                self.minute = Some(minutes % DAY_MINUTES);
                later(minutes / DAY_MINUTES)
            }
            CountStep::Days(by) => later(i64::from(by)),
            CountStep::Months(by) => {
                let months = 12 * year + month - 1 + i64::from(by);
                CalendarDate::new(months / 12, months % 12 + 1, day)?
            }
        };
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(above: &str, below: &str) -> Option<String> {
        let step = CountStep::between(above, below)?;
        assert_eq!(CountStep::read(&step.words()), Some(step));
        let mut out = String::from(below);
        step.write_next(&mut out, 0..below.len())?;
        Some(out.split_off(below.len()))
    }

    #[test]
    fn what_counts_goes_on() {
        for (above, below, next) in [
            ("\"2024-02-01\"", "\"2024-02-02\"", "\"2024-02-03\""),
            ("2024-02-27", "2024-02-28", "2024-02-29"),
            ("2023/02/27", "2023/02/28", "2023/03/01"),
            ("1999-11-01", "1999-12-01", "2000-01-01"),
            ("2024-01-01T22:00:00Z", "2024-01-01T23:00:00Z", "2024-01-02T00:00:00Z"),
            ("2024-05-01 00:00", "2024-05-08 00:00", "2024-05-15 00:00"),
        ] {
            assert_eq!(after(above, below).as_deref(), Some(next));
        }
    }

    #[test]
    fn what_does_not_count_has_no_step() {
        for (above, below) in [
            ("7", "8"),
            ("a", "b"),
            ("", ""),
            ("2024-05-01", "2024-05-01"),
            ("2024-05-01x é", "2024-05-02x é"),
            ("2024-13-01", "2024-14-01"),
            ("2024-05-02", "2024-05-01"),
        ] {
            assert_eq!(after(above, below), None);
        }
        assert_eq!(after("2023-12-31", "2024-01-31"), None);
        assert_eq!(after("9999-12-30", "9999-12-31"), None);
    }
}
