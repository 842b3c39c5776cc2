//! Points in time, and the clock.
//!
//! Only a [`Clock`] reads the machine's time, so a test can set it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::calendar::CalendarDate;

/// Microseconds since 1970 in UTC; shown as RFC 3339 in whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Reads RFC 3339, as in `2026-12-31T23:59:59Z` or with a fraction and an offset.
    pub fn parse(text: &str) -> Option<Self> {
        let (day, time) = text.split_once(['T', 't', ' '])?;
        let mut parts = day.split('-').map(|part| digits(part, part.len()));
        let date =
            CalendarDate { year: parts.next()??, month: parts.next()??, day: parts.next()?? };
        let known =
            day.len() == 10 && (1..=12).contains(&date.month) && (1..=31).contains(&date.day);
        let (clock, rest) = time.split_at_checked(8)?;
        let mut parts = clock.split(':').map(|part| digits(part, 2));
        let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
        if !known || parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let (fraction, offset) = match rest.strip_prefix('.') {
            Some(rest) => rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?),
            None => ("0", rest),
        };
        let micros = digits(format!("{fraction:0<6}").get(..6)?, 6)?;
        let offset = match offset {
            "Z" | "z" => 0,
            _ => {
                let sign = if offset.starts_with('-') { -1 } else { 1 };
                let (hours, minutes) = offset.strip_prefix(['+', '-'])?.split_once(':')?;
                sign * (digits(hours, 2)? * 60 + digits(minutes, 2)?)
            }
        };
        let seconds = date.days() * 86_400 + hour * 3600 + minute * 60 + second;
        Some(Self((seconds - offset * 60).checked_mul(1_000_000)?.checked_add(micros)?))
    }

    /// Adds `duration`; at most the latest time that can be represented.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)))
    }

    /// Subtracts `duration`; at least the earliest time that can be represented.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)))
    }

    /// RFC 3339 with milliseconds, as in `2026-12-31T23:59:59.000Z`.
    pub fn with_millis(self) -> String {
        let text = self.to_string();
        let millis = self.0.rem_euclid(1_000_000) / 1_000;
        format!("{}.{millis:03}Z", text.trim_end_matches('Z'))
    }

    /// The time since `earlier`; zero if that is in the future.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.div_euclid(1_000_000);
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let date = CalendarDate::from_days(days);
        let (hour, minute) = (second / 3600, second / 60 % 60);
        write!(f, "{date}T{hour:02}:{minute:02}:{:02}Z", second % 60)
    }
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A number of so many digits.
fn digits(text: &str, count: usize) -> Option<i64> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// A clock: the machine's, or one that a test sets. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    set: Option<Arc<AtomicI64>>,
}

impl Clock {
    /// The machine's.
    pub fn system() -> Self {
        Self::default()
    }

    /// A clock that stays at `start` until it is advanced.
    pub fn standing(start: Timestamp) -> Self {
        Self { set: Some(Arc::new(AtomicI64::new(start.0))) }
    }

    pub fn now(&self) -> Timestamp {
        if let Some(set) = &self.set {
            return Timestamp(set.load(Ordering::SeqCst));
        }
        #[expect(clippy::disallowed_methods, reason = "this is the clock that all others ask")]
        let now = SystemTime::now();
        Timestamp::default().after(now.duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    /// Advances a test clock; has no effect on the machine's.
    pub fn advance(&self, duration: Duration) {
        if let Some(set) = &self.set {
            set.store(self.now().after(duration).0, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(seconds: i64) -> String {
        Timestamp::from_micros(seconds * 1_000_000).to_string()
    }

    #[test]
    fn times_are_written_as_rfc_3339_has_them() {
        assert_eq!(shown(0), "1970-01-01T00:00:00Z");
        assert_eq!(shown(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(shown(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(shown(951_868_800), "2000-03-01T00:00:00Z");
        assert_eq!(shown(1_798_761_599), "2026-12-31T23:59:59Z");
        assert_eq!(shown(4_107_542_400), "2100-03-01T00:00:00Z");
        assert_eq!(shown(-1), "1969-12-31T23:59:59Z");
    }

    #[test]
    fn times_are_read_as_they_are_written() {
        for text in ["1970-01-01T00:00:00Z", "2000-02-29T12:34:56Z", "2100-03-01T00:00:00Z"] {
            assert_eq!(Timestamp::parse(text).unwrap().to_string(), text);
        }
        let at = |text| Timestamp::parse(text).map(Timestamp::micros);
        assert_eq!(at("1970-01-01T01:00:00.25+01:00"), Some(250_000));
        assert_eq!(at("1969-12-31T23:59:59-00:01"), Some(59_000_000));
        for bad in
            ["", "1970-01-01", "1970-13-01T00:00:00Z", "1970-01-01T00:00:00", "1970-01-01T0:0:0Z"]
        {
            assert_eq!(at(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_standing_clock_moves_when_told() {
        let clock = Clock::standing(Timestamp::from_micros(5));
        clock.advance(Duration::from_micros(7));
        assert_eq!(clock.now(), Timestamp::from_micros(12));
        assert_eq!(clock.now().since(Timestamp::from_micros(20)), Duration::ZERO);
        assert!(Clock::system().now() > Timestamp::from_micros(1_700_000_000_000_000));
    }
}
