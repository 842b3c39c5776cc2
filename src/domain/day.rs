//! Days of UTC.

use std::fmt;
use std::time::Duration;

use super::Timestamp;
use super::calendar::CalendarDate;

const SECONDS_PER_DAY: i64 = 86_400;

/// A day, counted from 1970 in UTC; shown as `2026-12-31`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Day(pub i64);

impl Day {
    /// The day that a point in time lies in.
    pub fn new(at: Timestamp) -> Self {
        Self(at.micros().div_euclid(SECONDS_PER_DAY * 1_000_000))
    }

    /// The hour of its day that a point in time lies in: 0 to 23.
    pub fn hour_of(at: Timestamp) -> u8 {
        let micros = at.micros().rem_euclid(SECONDS_PER_DAY * 1_000_000);
        u8::try_from(micros / 3_600_000_000).unwrap_or(u8::MAX)
    }

    /// When it begins.
    pub fn start(self) -> Timestamp {
        Timestamp::from_micros(self.0.saturating_mul(SECONDS_PER_DAY * 1_000_000))
    }

    /// The time from `now` until the day ends.
    pub fn rest(self, now: Timestamp) -> Duration {
        Self(self.0.saturating_add(1)).start().since(now)
    }

    /// A day that is there, written as `2026-12-31`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut number = |length: usize| {
            let digits = parts.next()?;
            let is_number =
                digits.len() == length && digits.bytes().all(|digit| digit.is_ascii_digit());
            digits.parse::<i64>().ok().filter(|_| is_number)
        };
        let date = CalendarDate::new(number(4)?, number(2)?, number(2)?)?;
        parts.next().is_none().then(|| Self(date.days()))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.start().to_string();
        f.write_str(start.split('T').next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_as_it_is_written() {
        for days in (-700_000..1_000_000).step_by(37) {
            let day = Day(days);
            assert_eq!(Day::parse(&day.to_string()), Some(day), "{day}");
        }
        assert_eq!(Day::parse("2000-02-29").unwrap().start().to_string(), "2000-02-29T00:00:00Z");
        for bad in ["", "2026-02-29", "2026-13-01", "2026-00-10", "2026-1-01", "2026-01-01-", "-1"]
        {
            assert_eq!(Day::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_day_has_an_end() {
        let now = Timestamp::from_micros(90_000_000_000);
        assert_eq!(Day::new(now), Day(1));
        assert_eq!(Day(1).rest(now), Duration::from_hours(23));
        assert_eq!(Day::new(Timestamp::from_micros(-1)), Day(-1));
        assert_eq!(Day::hour_of(now), 1);
        assert_eq!(Day::hour_of(Timestamp::from_micros(-1)), 23);
    }
}
