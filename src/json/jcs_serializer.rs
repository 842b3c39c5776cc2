//! The canonical text of what serializes, without a tree in between.

use std::fmt::Write as _;

use serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, Serializer,
};
use serde_json::Error;

use super::jcs::{MAX_SAFE_INTEGER, ecmascript, in_order};
use super::write_string;

/// The one text (RFC 8785) of a value that was made here: its numbers are such that every reader
/// holds, and its keys are texts.
pub fn jcs_value<T: Serialize + ?Sized>(value: &T) -> String {
    let mut out = String::new();
    jcs_into(&mut out, value);
    out
}

/// Appends the same.
pub fn jcs_into<T: Serialize + ?Sized>(out: &mut String, value: &T) {
    // Only keys that are no text, and enums with fields, fail: no value here has them.
    let _ = value.serialize(TypedWriter(out));
}

struct TypedWriter<'o>(&'o mut String);

fn unknown<T>() -> Result<T, Error> {
    Err(serde::ser::Error::custom("is not written as canonical JSON"))
}

impl<'o> Serializer for TypedWriter<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = TypedList<'o>;
    type SerializeTuple = TypedList<'o>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = SortedMembers<'o, String>;
    type SerializeStruct = SortedMembers<'o, &'static str>;
    type SerializeStructVariant = Impossible<(), Error>;

    fn serialize_bool(self, flag: bool) -> Result<(), Error> {
        self.0.push_str(if flag { "true" } else { "false" });
        Ok(())
    }

    fn serialize_i8(self, number: i8) -> Result<(), Error> {
        self.serialize_i64(number.into())
    }

    fn serialize_i16(self, number: i16) -> Result<(), Error> {
        self.serialize_i64(number.into())
    }

    fn serialize_i32(self, number: i32) -> Result<(), Error> {
        self.serialize_i64(number.into())
    }

    fn serialize_i64(self, number: i64) -> Result<(), Error> {
        if is_exact(number.unsigned_abs()) {
            let _ = write!(self.0, "{number}");
        }
        Ok(())
    }

    fn serialize_u8(self, number: u8) -> Result<(), Error> {
        self.serialize_u64(number.into())
    }

    fn serialize_u16(self, number: u16) -> Result<(), Error> {
        self.serialize_u64(number.into())
    }

    fn serialize_u32(self, number: u32) -> Result<(), Error> {
        self.serialize_u64(number.into())
    }

    fn serialize_u64(self, number: u64) -> Result<(), Error> {
        if is_exact(number) {
            let _ = write!(self.0, "{number}");
        }
        Ok(())
    }

    fn serialize_f32(self, number: f32) -> Result<(), Error> {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<(), Error> {
        if number.is_finite() {
            self.0.push_str(&ecmascript(number));
            return Ok(());
        }
        self.serialize_unit()
    }

    fn serialize_char(self, character: char) -> Result<(), Error> {
        self.serialize_str(character.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        write_string(self.0, text);
        Ok(())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        self.collect_seq(bytes)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.0.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &str, _: u32, variant: &str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let mut members = SortedMembers::new(self.0, 1);
        SerializeStruct::serialize_field(&mut members, variant, value)?;
        SerializeStruct::end(members)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<TypedList<'o>, Error> {
        self.0.push('[');
        Ok(TypedList { out: self.0, is_first: true })
    }

    fn serialize_tuple(self, length: usize) -> Result<TypedList<'o>, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Error> {
        unknown()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        unknown()
    }

    fn serialize_map(self, length: Option<usize>) -> Result<SortedMembers<'o, String>, Error> {
        Ok(SortedMembers::new(self.0, length.unwrap_or_default()))
    }

    fn serialize_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> Result<SortedMembers<'o, &'static str>, Error> {
        Ok(SortedMembers::new(self.0, length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        unknown()
    }
}

/// Whether no other whole number is the same float; one that is not is not written.
fn is_exact(number: u64) -> bool {
    number <= MAX_SAFE_INTEGER
}

struct TypedList<'o> {
    out: &'o mut String,
    is_first: bool,
}

impl SerializeSeq for TypedList<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(',');
        }
        value.serialize(TypedWriter(self.out))
    }

    fn end(self) -> Result<(), Error> {
        self.out.push(']');
        Ok(())
    }
}

impl SerializeTuple for TypedList<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Result<(), Error> {
        SerializeSeq::end(self)
    }
}

/// An object whose members are written as they come and put in order at its end.
struct SortedMembers<'o, K> {
    out: &'o mut String,
    /// Start of the object.
    start: usize,
    /// Each key, and where its member ends; a comma is in front of all but the first.
    ends: Vec<(K, usize)>,
}

impl<'o, K: AsRef<str>> SortedMembers<'o, K> {
    fn new(out: &'o mut String, length: usize) -> Self {
        let start = out.len();
        out.push('{');
        Self { out, start, ends: Vec::with_capacity(length) }
    }

    fn member<T: Serialize + ?Sized>(&mut self, key: K, value: &T) -> Result<(), Error> {
        if !self.ends.is_empty() {
            self.out.push(',');
        }
        write_string(self.out, key.as_ref());
        self.out.push(':');
        value.serialize(TypedWriter(self.out))?;
        self.ends.push((key, self.out.len()));
        Ok(())
    }

    fn close(self) {
        let Self { out, start, ends } = self;
        if !ends.is_sorted_by(|(a, _), (b, _)| in_order(a.as_ref(), b.as_ref()).is_le()) {
            let written = out.split_off(start);
            let mut from = 1;
            let mut members: Vec<(K, &str)> = ends
                .into_iter()
                .map(|(key, end)| {
                    let member = written.get(from..end - start).unwrap_or_default();
                    from = end - start + 1;
                    (key, member)
                })
                .collect();
            members.sort_unstable_by(|(a, _), (b, _)| in_order(a.as_ref(), b.as_ref()));
            out.push('{');
            for (at, (_, member)) in members.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                out.push_str(member);
            }
        }
        out.push('}');
    }
}

impl SerializeStruct for SortedMembers<'_, &'static str> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.member(key, value)
    }

    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

impl SerializeMap for SortedMembers<'_, String> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), Error> {
        unknown()
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), Error> {
        unknown()
    }

    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Result<(), Error> {
        match serde_json::to_value(key)? {
            serde_json::Value::String(key) => self.member(key, value),
            _ => unknown(),
        }
    }

    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, jcs, parse};

    #[derive(serde::Serialize)]
    struct Row<'r> {
        b: Option<&'r str>,
        a: (u64, bool),
        #[serde(skip_serializing_if = "Option::is_none")]
        absent: Option<u8>,
        c: serde_json::Value,
    }

    #[test]
    fn a_struct_is_written_as_its_text_would_be() {
        let c = serde_json::json!({"\u{fb33}": 1.50, "\u{1f600}": [1e30, -0.0], "é": {}, "": "\n"});
        for b in [None, Some("\"x\"")] {
            let row = Row { b, a: (1 << 53, false), absent: None, c: c.clone() };
            let rows = [&row, &row];
            let text = serde_json::to_string(&rows).unwrap();
            let wanted = jcs(&parse(&text, Limits::default()).unwrap()).unwrap();
            assert_eq!(jcs_value(&rows), wanted);
        }
    }

    #[test]
    fn a_number_that_readers_would_round_is_left_out() {
        assert_eq!(jcs_value(&[(1_u64 << 53) + 1, 1]), "[,1]");
    }
}
