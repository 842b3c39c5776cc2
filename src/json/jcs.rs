//! Canonical JSON as RFC 8785 (JCS) has it: what digests that others compute too are over.
//!
//! Members are in the order of their keys' UTF-16 code units, numbers as ECMAScript prints them.
//! [`super::canonical`] is the form for ourselves: there a number keeps every digit.

use std::cmp::Ordering;

use super::{Node, Path, Value, write_string};

/// A number that other readers would round or could not hold, so that two different documents
/// would have one digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the number {number} at `{pointer}` is beyond what every JSON reader holds")]
pub struct UnsafeNumber {
    /// JSON Pointer to the number.
    pub pointer: String,
    pub number: String,
}

/// The largest whole number up to which no two are the same float.
pub(super) const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_992;
const MAX_SAFE_FLOAT: f64 = 9_007_199_254_740_992.0;

/// The one text of a value (RFC 8785).
pub fn jcs(node: &Node<'_>) -> Result<String, UnsafeNumber> {
    let mut out = String::with_capacity(node.raw.len());
    write(&mut out, node, &Path::Root)?;
    Ok(out)
}

/// Whether [`jcs`] has a text of it; found without writing one.
pub fn is_i_json(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Number(text) => is_held(text),
        Value::Array(items) => items.iter().all(is_i_json),
        Value::Object(members) => members.iter().all(|(_, member)| is_i_json(member)),
        _ => true,
    }
}

/// The order of members: that of their keys' UTF-16 code units.
pub(super) fn in_order(a: &str, b: &str) -> Ordering {
    // Without surrogates it is that of the bytes.
    if a.is_ascii() && b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

fn write(out: &mut String, node: &Node<'_>, path: &Path<'_>) -> Result<(), UnsafeNumber> {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(text) => match number(text) {
            Some(number) => out.push_str(&number),
            None => {
                return Err(UnsafeNumber { pointer: path.pointer(), number: (*text).to_owned() });
            }
        },
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, item, &path.index(index))?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(a, _), (b, _)| in_order(a, b));
            out.push('{');
            for (index, (key, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write(out, member, &path.key(key))?;
            }
            out.push('}');
        }
    }
    Ok(())
}

/// A number as ECMAScript prints it; none if it is no finite float, or a whole number written
/// out that a float would round.
fn number(text: &str) -> Option<String> {
    is_held(text).then(|| text.parse().map(ecmascript).unwrap_or_default())
}

/// Whether a number is a finite float and, if written out, the very one.
fn is_held(text: &str) -> bool {
    /// Digits, and perhaps a sign, that are below the largest whatever they are.
    const MAX_SAFE_BYTES: usize = 15;
    let is_written_out = !text.contains(['.', 'e', 'E']);
    if is_written_out && text.len() <= MAX_SAFE_BYTES {
        return true;
    }
    let Ok(float) = text.parse::<f64>() else { return false };
    // The one after the largest is rounded to it.
    let is_rounded = is_written_out
        && float.abs() >= MAX_SAFE_FLOAT
        && text.trim_start_matches('-') != ecmascript(MAX_SAFE_FLOAT);
    float.is_finite() && !is_rounded
}

/// `Number::toString` of ECMAScript, for finite numbers. The standard library's shortest digits are
/// others if two are equally near.
pub(super) fn ecmascript(float: f64) -> String {
    ryu_js::Buffer::new().format_finite(float).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sha2::{Digest as _, Sha256};

    use super::*;
    use crate::json::{Limits, parse};

    fn form(text: &str) -> Result<String, UnsafeNumber> {
        jcs(&parse(text, Limits::default()).unwrap())
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
    }

    #[test]
    fn the_example_of_the_standard() {
        let text = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        assert_eq!(
            form(text).unwrap(),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
             \"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}"
        );
    }

    #[test]
    fn members_stand_by_utf_16() {
        let text = r#"{"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6,
            "\u00f6": 7}"#;
        let sorted = form(text).unwrap();
        let order: Vec<usize> =
            [2, 4, 6, 7, 1, 5, 3].iter().filter_map(|n| sorted.find(&format!(":{n}"))).collect();
        assert_eq!(order.len(), 7);
        assert!(order.is_sorted(), "{sorted}");
    }

    #[test]
    fn numbers_are_those_of_ecmascript() {
        for (bits, text) in [
            (0x0000_0000_0000_0000_u64, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] {
            assert_eq!(ecmascript(f64::from_bits(bits)), text);
        }
    }

    #[test]
    fn what_a_reader_would_round_is_refused() {
        for bad in ["9007199254740993", "18446744073709551615", "-9007199254740993", "1e400"] {
            let error = form(&format!("{{\"a\":[0,{bad}]}}")).unwrap_err();
            assert_eq!((error.pointer.as_str(), error.number.as_str()), ("/a/1", bad));
        }
        assert_eq!(
            form("[9007199254740992,-9007199254740992]").unwrap(),
            "[9007199254740992,-9007199254740992]"
        );
    }

    #[test]
    fn digests_are_those_of_other_programs() {
        for (text, digest) in [
            ("{}", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
            (
                "{\"verified\": true, \"size_gb\": 900.0, \"snapshot\": \"s1\"}",
                "5a0ce202404a6761dca6c53d16aaf33ebfa77616b0c901a51c6c0bca6afeffb2",
            ),
            (
                "{\"b\":1,\"a\":\"x\"}",
                "cdab067e9f3beb32d1252cfd63e492592fecbf591b0d08cadb24bb17f3864246",
            ),
        ] {
            assert_eq!(hex(&Sha256::digest(form(text).unwrap())), digest);
        }
    }

    proptest! {
        #[test]
        fn a_number_is_read_back_as_the_same(bits in any::<u64>()) {
            let float = f64::from_bits(bits);
            prop_assume!(float.is_finite());
            let again: f64 = ecmascript(float).parse().unwrap();
            // Zero has no sign any more.
            prop_assert_eq!((again + 0.0).to_bits(), (float + 0.0).to_bits());
        }
    }
}
