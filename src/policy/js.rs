//! JavaScript's conversions of a value to a number, a text, or an order.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::sync::Arc;

use super::value::{RECORD_TEXT, UNDEFINED_TEXT, Value, number_text};

/// `Number(value)`.
pub(super) fn number(value: &Value) -> f64 {
    match value {
        Value::Undefined | Value::Record(_) => f64::NAN,
        Value::Null => 0.0,
        Value::Bool(flag) => f64::from(u8::from(*flag)),
        Value::Number(number) => *number,
        Value::Text(text) => number_of_text(text),
        Value::List(_) => number_of_text(&text(value)),
    }
}

fn number_of_text(text: &str) -> f64 {
    let text = text.trim_matches(is_space);
    if text.is_empty() {
        return 0.0;
    }
    for (mark, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        let cut = text.get(..2).filter(|start| start.eq_ignore_ascii_case(mark));
        if let Some(digits) = cut.and(text.get(2..)) {
            return number_of_digits(digits, radix);
        }
    }
    match text.strip_prefix(['+', '-']).unwrap_or(text) {
        "Infinity" if text.starts_with('-') => f64::NEG_INFINITY,
        "Infinity" => f64::INFINITY,
        rest if decimal(rest) == rest.len() => text.parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

fn number_of_digits(digits: &str, radix: u32) -> f64 {
    let mut number = if digits.is_empty() { f64::NAN } else { 0.0 };
    for digit in digits.chars() {
        let digit = digit.to_digit(radix).map_or(f64::NAN, f64::from);
        number = number * f64::from(radix) + digit;
    }
    number
}

/// `parseFloat(value)`: the number that the text of a value begins with.
pub(super) fn parse_float(value: &Value) -> f64 {
    if let Value::Number(number) = value {
        return *number;
    }
    let text = text(value);
    let text = text.trim_start_matches(is_space);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = text.len() - unsigned.len();
    if unsigned.starts_with("Infinity") {
        return if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    match decimal(unsigned) {
        0 => f64::NAN,
        length => text.get(..sign + length).and_then(|t| t.parse().ok()).unwrap_or(f64::NAN),
    }
}

/// Bytes of the decimal number at the start of a text; 0 if there is none.
fn decimal(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let whole = digits(0);
    let mut end = whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        if whole + fraction > 0 {
            end += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return 0;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

fn is_space(character: char) -> bool {
    character.is_whitespace() && character != '\u{85}' || character == '\u{feff}'
}

/// `String(value)`. Takes [`Value::text_bytes`] at most, which the caller has paid for.
pub(super) fn text(value: &Value) -> Arc<str> {
    if let Value::Text(text) = value {
        return Arc::clone(text);
    }
    let mut out = String::new();
    write_text(&mut out, value);
    out.into()
}

fn write_text(out: &mut String, value: &Value) {
    match value {
        Value::Text(text) => out.push_str(text),
        Value::Undefined => out.push_str(UNDEFINED_TEXT),
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number_text(*number)),
        Value::List(items) => write_joined(out, items, ","),
        Value::Record(_) => out.push_str(RECORD_TEXT),
    }
}

/// `items.join(between)`: what is nothing is empty.
pub(super) fn join(items: &[Value], between: &str) -> String {
    let mut joined = String::new();
    write_joined(&mut joined, items, between);
    joined
}

fn write_joined(out: &mut String, items: &[Value], between: &str) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(between);
        }
        if !matches!(item, Value::Undefined | Value::Null) {
            write_text(out, item);
        }
    }
}

/// `a === b`.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Undefined, Value::Undefined) | (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        #[expect(clippy::float_cmp, reason = "the language compares them as they are")]
        (Value::Number(a), Value::Number(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::List(a), Value::List(b)) => a.is_same(b),
        (Value::Record(a), Value::Record(b)) => a.is_same(b),
        _ => false,
    }
}

/// `a == b`.
pub(super) fn is_alike(a: &Value, b: &Value) -> bool {
    use Value::{Bool, List, Null, Number, Record, Text, Undefined};
    match (a, b) {
        (Undefined | Null, Undefined | Null) => true,
        (Undefined | Null, _) | (_, Undefined | Null) => false,
        #[expect(clippy::float_cmp, reason = "the language compares them as they are")]
        (Number(_), Text(_)) | (Text(_), Number(_)) => number(a) == number(b),
        (Bool(_), Bool(_)) | (List(_) | Record(_), List(_) | Record(_)) => is_same(a, b),
        (Bool(flag), other) | (other, Bool(flag)) => {
            is_alike(&Number(f64::from(u8::from(*flag))), other)
        }
        (List(_) | Record(_), _) => is_alike(&Text(text(a)), b),
        (_, List(_) | Record(_)) => is_alike(a, &Text(text(b))),
        _ => is_same(a, b),
    }
}

/// Compares two values; `None` if one of them is no number.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    let as_text = |value: &Value| match value {
        Value::Text(_) | Value::List(_) | Value::Record(_) => Some(text(value)),
        _ => None,
    };
    if let (Some(a), Some(b)) = (as_text(a), as_text(b)) {
        return Some(a.encode_utf16().cmp(b.encode_utf16()));
    }
    number(a).partial_cmp(&number(b))
}

/// `String(value).substr(start, length)`, in UTF-16 units; half of a pair becomes U+FFFD.
pub(super) fn substr(value: &Value, start: &Value, length: Option<&Value>) -> String {
    let units: Vec<u16> = text(value).encode_utf16().collect();
    let start = place(start, units.len());
    let rest = units.get(start..).unwrap_or_default();
    let taken = match length {
        None | Some(Value::Undefined) => rest.len(),
        // A length below zero is what stays away at the end.
        Some(length) if number(length) < 0.0 => rest.len().saturating_sub(whole(-number(length))),
        Some(length) => whole(number(length)).min(rest.len()),
    };
    String::from_utf16_lossy(rest.get(..taken).unwrap_or_default())
}

fn place(start: &Value, length: usize) -> usize {
    let start = number(start);
    if start < 0.0 { length.saturating_sub(whole(-start)) } else { whole(start).min(length) }
}

/// A number at or above zero without its fraction; 0 for what is none.
fn whole(number: f64) -> usize {
    let mut text = String::new();
    let _ = write!(text, "{}", number.trunc().clamp(0.0, f64::from(u32::MAX)));
    text.parse().unwrap_or(0)
}
