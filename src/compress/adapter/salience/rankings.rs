//! Lists that are sorted by the number at the head of each line, the largest first: what takes most
//! time or room.

use super::super::page::LinePage;

/// Calls `each` with the first lines of each such list.
pub(super) fn mark_rankings(page: &LinePage<'_>, mut each: impl FnMut(usize, usize)) {
    /// Lines of the shortest.
    const MIN_LINES: usize = 12;
    const FIRST_LINES: usize = 3;
    let mut from = 0;
    let mut before: Option<Amount> = None;
    for at in 0..=page.len() {
        let own = Some(at).filter(|at| *at < page.len()).and_then(|at| amount(page.body(at)));
        let goes_on = match (&before, &own) {
            (Some(before), Some(own)) => before.is_time == own.is_time && before.value >= own.value,
            _ => false,
        };
        if !goes_on {
            let first = (from < at).then(|| amount(page.body(from))).flatten();
            let last = before.take();
            let falls = match (first, last) {
                (Some(first), Some(last)) => first.value >= last.value * 2.0,
                _ => false,
            };
            if falls && at - from >= MIN_LINES {
                (from..from + FIRST_LINES).enumerate().for_each(|(nth, at)| each(at, nth));
            }
            from = at;
        }
        before = own;
    }
}

/// What a line begins with: a number, with a unit or without.
#[derive(Debug)]
struct Amount {
    value: f64,
    is_time: bool,
}

/// `1min 28.770s name`, `412M name`, `31.42% name`, `8112 name`.
fn amount(body: &str) -> Option<Amount> {
    let mut sum = 0.0;
    let mut is_time = false;
    let mut rest = body;
    loop {
        let (word, after) = rest.split_once([' ', '\t'])?;
        let (number, unit) = split_unit(word)?;
        sum += number * factor(unit)?;
        is_time |= matches!(unit, "h" | "min" | "s" | "ms" | "us" | "µs");
        rest = after.trim_ascii_start();
        if !matches!(unit, "h" | "min") {
            return Some(Amount { value: sum, is_time });
        }
    }
}

/// A number with a unit: `412MiB`, `3980m`, `94C`.
pub(super) fn measured(cell: &str) -> Option<f64> {
    let (number, unit) = split_unit(cell)?;
    Some(number * factor(unit).unwrap_or(1.0))
}

/// A number and the letters after it.
fn split_unit(word: &str) -> Option<(f64, &str)> {
    /// Letters of the longest unit.
    const MAX_UNIT: usize = 3;
    let end = word.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let (digits, unit) = word.split_at_checked(end.unwrap_or(word.len()))?;
    let is_unit =
        unit.len() <= MAX_UNIT && unit.chars().all(|own| own.is_alphabetic() || own == '%');
    Some((digits.parse().ok().filter(|_| is_unit)?, unit))
}

fn factor(unit: &str) -> Option<f64> {
    Some(match unit {
        "h" => 3_600_000.0,
        "min" => 60_000.0,
        "s" | "K" | "k" | "KB" | "kB" | "Ki" | "KiB" => 1e3,
        "ms" | "" | "%" | "B" => 1.0,
        "us" | "µs" => 0.001,
        "M" | "MB" | "Mi" | "MiB" => 1e6,
        "G" | "GB" | "Gi" | "GiB" => 1e9,
        "T" | "TB" | "Ti" | "TiB" => 1e12,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        mark_rankings(&LinePage::new(text), |at, _| found.push(at));
        found
    }

    #[test]
    fn numbers_may_have_units() {
        assert_eq!(measured("412MiB"), Some(412e6));
        assert_eq!(measured("3980m"), Some(3980.0));
        assert_eq!(measured("9851e4d5"), None);
        assert_eq!(measured("name"), None);
    }

    #[test]
    fn the_head_of_a_sorted_list_is_found() {
        let rows = |unit: &str| -> String {
            let row = |at| format!("{:>9}{unit} name-{at}\n", 900 - at * 40);
            (0..20).map(row).collect()
        };
        assert_eq!(marked(&format!("a list\n1min 28.770s a\n5.018s b\n{}", rows("ms"))), [1, 2, 3]);
        assert_eq!(marked(&format!("4.1G a\n{}", rows("M"))), [0, 1, 2]);
        let row = |at| format!("{at} name\n");
        let rising: String = (0..20).map(row).collect();
        assert!(marked(&rising).is_empty());
    }
}
