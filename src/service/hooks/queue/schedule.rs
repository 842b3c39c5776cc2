//! The pauses after which a failed call is made again.

use std::time::Duration;

use crate::domain::ContentHash;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

/// Seconds between one attempt and the next: about three days in all.
const PAUSES: [u64; 11] = [
    5,
    30,
    2 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
];
/// Longest pause that a receiver can ask for.
const MAX_ASKED_PAUSE: Duration = Duration::from_hours(10);

/// The pause after an attempt, counted from 1; none after the last one. It is up to a fifth longer
/// or shorter, so that calls that failed together do not come back together. The difference depends
/// on the id, so that all nodes compute the same pause. A receiver that asks for a longer pause
/// gets it, up to ten hours.
pub(super) fn pause(id: &str, tries: u32, asked: Option<Duration>) -> Option<Duration> {
    let step = usize::try_from(tries).ok()?.checked_sub(1)?;
    let seconds = PAUSES.get(step)?;
    let hash = ContentHash::of(&format!("{id} {tries}")).0;
    let [high, low, ..] = hash;
    // From 80 to 120 hundredths.
    let share = 80_000 + u64::from(u16::from_be_bytes([high, low])) * 40_000 / 65_535;
    let pause = Duration::from_millis(seconds * share / 100);
    Some(asked.map_or(pause, |asked| pause.max(asked.min(MAX_ASKED_PAUSE))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_attempts_are_made_in_about_three_days() {
        let all: Vec<Duration> = (1..).map_while(|tries| pause("msg_1", tries, None)).collect();
        assert_eq!(all.len() + 1, 12);
        let hours = all.iter().sum::<Duration>().as_secs() / HOUR;
        assert!((60..92).contains(&hours), "{hours} hours");
        for (pause, seconds) in all.iter().zip(PAUSES) {
            let (least, most) = (seconds * 800, seconds * 1200);
            assert!((least..=most).contains(&u64::try_from(pause.as_millis()).unwrap()));
        }
    }

    #[test]
    fn two_calls_do_not_come_back_together() {
        assert_ne!(pause("msg_1", 3, None), pause("msg_2", 3, None));
        assert_eq!(pause("msg_1", 3, None), pause("msg_1", 3, None));
    }

    #[test]
    fn a_receiver_is_left_alone_for_as_long_as_it_asks_and_no_longer_than_ten_hours() {
        let of = |asked| pause("msg_1", 1, Some(Duration::from_secs(asked))).unwrap().as_secs();
        assert!((4..=6).contains(&of(1)));
        assert_eq!((of(3600), of(u64::MAX)), (3600, 10 * HOUR));
    }
}
