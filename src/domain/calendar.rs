//! Dates of the Gregorian calendar, which is applied to every year, and the days between them.

use std::fmt;

/// The first three letters of the months, in order.
pub(crate) const MONTH_NAMES: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Days of 400 years, after which the calendar repeats.
const ERA_DAYS: i64 = 146_097;
/// Days from the first of March of the year 0 to 1970.
const EPOCH_DAYS: i64 = 719_468;

/// A date, written as `2026-12-31`. Years are counted from March inside, so that a leap day is the
/// last of its year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CalendarDate {
    pub(crate) year: i64,
    /// From 1 to 12.
    pub(crate) month: i64,
    /// From 1.
    pub(crate) day: i64,
}

impl CalendarDate {
    /// A date that the calendar has; `None` for the 31st of April.
    pub(crate) fn new(year: i64, month: i64, day: i64) -> Option<Self> {
        ((1..=12).contains(&month) && (1..=month_days(year, month)).contains(&day))
            .then_some(Self { year, month, day })
    }

    /// The date so many days after the first of January 1970.
    pub(crate) fn from_days(days: i64) -> Self {
        let days = days + EPOCH_DAYS;
        let era = days.div_euclid(ERA_DAYS);
        let of_era = days.rem_euclid(ERA_DAYS);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        Self { year: year + era * 400 + i64::from(month <= 2), month, day }
    }

    /// Days since the first of January 1970: the inverse of [`CalendarDate::from_days`]. A day after
    /// the last of its month is one of the next month.
    pub(crate) fn days(self) -> i64 {
        let Self { year, month, day } = self;
        let (year, shifted) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * shifted + 2) / 5 + day - 1;
        era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH_DAYS
    }
}

impl fmt::Display for CalendarDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { year, month, day } = self;
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

fn month_days(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_each_other() {
        let mut before = CalendarDate::from_days(-800_000);
        for days in -799_999..800_000 {
            let date = CalendarDate::from_days(days);
            let CalendarDate { year, month, day } = before;
            let next = CalendarDate::new(year, month, day + 1)
                .or(CalendarDate::new(year, month + 1, 1))
                .or(CalendarDate::new(year + 1, 1, 1));
            assert_eq!(next, Some(date));
            assert_eq!(date.days(), days);
            before = date;
        }
    }

    #[test]
    fn dates_that_are_not_in_the_calendar_are_none() {
        assert_eq!(CalendarDate::new(1970, 1, 1).map(CalendarDate::days), Some(0));
        for (year, month, day) in [(2026, 2, 29), (1900, 2, 29), (2026, 4, 31), (2026, 13, 1)] {
            assert_eq!(CalendarDate::new(year, month, day), None);
        }
        for (year, month, day) in [(2026, 0, 1), (2026, 1, 0)] {
            assert_eq!(CalendarDate::new(year, month, day), None);
        }
        let late = CalendarDate { year: 2026, month: 2, day: 31 };
        assert_eq!(CalendarDate::from_days(late.days()).to_string(), "2026-03-03");
    }
}
