//! The buckets of a prompt, and the shares of a split as whole millionths.

/// The eight buckets, in the order in which they are filled.
pub const BUCKETS: [&str; 8] =
    ["system", "developer", "task", "policy", "tools", "evidence", "memory", "session"];

/// Parts of a whole.
pub const MILLION: u32 = 1_000_000;

/// Reads a decimal from 0 to 1 with at most six decimal places, as millionths.
pub(super) fn millionths(text: &str) -> Option<u32> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !matches!(whole, "0" | "1") || fraction.len() > 6 {
        return None;
    }
    let mut value: u32 = whole.parse().ok()?;
    for place in 0..6 {
        let digit = fraction
            .as_bytes()
            .get(place)
            .map_or(Some(0), |byte| byte.is_ascii_digit().then(|| u32::from(byte - b'0')))?;
        value = value * 10 + digit;
    }
    (value <= MILLION).then_some(value)
}

/// Millionths as a decimal, without zeros at its end.
pub(super) fn decimal(millionths: u64) -> String {
    let (whole, rest) = (millionths / u64::from(MILLION), millionths % u64::from(MILLION));
    let fraction = format!("{rest:06}");
    match fraction.trim_end_matches('0') {
        "" => whole.to_string(),
        digits => format!("{whole}.{digits}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_from_their_digits() {
        for (text, value) in [("0", 0), ("1", MILLION), ("0.29", 290_000), ("0.000001", 1)] {
            assert_eq!(millionths(text), Some(value));
        }
        for bad in ["-0.1", "1.1", "0.0000001", "2", "1e-1", "00.1"] {
            assert_eq!(millionths(bad), None, "{bad}");
        }
        assert_eq!((decimal(990_000), decimal(1_000_000)), ("0.99".to_owned(), "1".to_owned()));
    }
}
