//! Texts of JavaScript's primitive values, and indexes in member names.

/// The most bytes that a number takes as text, such as `-1.2345678901234567e-300`.
pub(super) const MAX_NUMBER_BYTES: usize = 25;
/// `String(value)` of any record.
pub(super) const RECORD_TEXT: &str = "[object Object]";
/// `String(undefined)`; that of null and of a boolean is shorter.
pub(super) const UNDEFINED_TEXT: &str = "undefined";

/// A number as JavaScript writes it: the shortest digits that read back as it.
pub(super) fn number_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    ryu_js::Buffer::new().format_finite(number).to_owned()
}

/// The index that the name of a member is: digits, without leading zeros.
pub(super) fn index(name: &str) -> Option<usize> {
    let plain = name.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = name == "0" || !name.starts_with('0');
    if plain && canonical { name.parse().ok() } else { None }
}
