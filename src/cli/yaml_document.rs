//! A YAML or JSON file as a JSON value, and where its values are.

use std::cell::Cell;
use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::json_lines::strip_byte_order_mark;

/// What a file says that cannot be a JSON value.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct YamlFault {
    pub(super) detail: String,
    /// Bytes of the file; none if the reader does not say where.
    pub(super) span: Option<Range<usize>>,
}

/// Reads a document. A key that is there twice is a fault, not the last of the two.
pub(super) fn parse(text: &str) -> Result<Value, YamlFault> {
    let detail = Cell::new(None);
    let reader = yaml_serde::Deserializer::from_str(strip_byte_order_mark(text));
    ValueReader { detail: &detail }.deserialize(reader).map_err(|error| {
        let span = error.location().map(|location| word_at(text, location.index()));
        let detail = detail.take().unwrap_or_else(|| {
            let place = error.location().map(|location| {
                format!(" at line {} column {}", location.line(), location.column())
            });
            error.to_string().replacen(&place.unwrap_or_default(), "", 1)
        });
        YamlFault { detail, span }
    })
}

/// The bytes of the key, or of the item, that a JSON Pointer leads to; of the nearest value around it if
/// there is none.
pub(super) fn span(text: &str, pointer: &str) -> Option<Range<usize>> {
    let unescape = |step: &str| step.replace("~1", "/").replace("~0", "~");
    let steps: Vec<String> = pointer.split('/').skip(1).map(unescape).collect();
    (1..=steps.len()).rev().find_map(|count| {
        let reader = yaml_serde::Deserializer::from_str(strip_byte_order_mark(text));
        let error = Locator { steps: steps.get(..count)? }.deserialize(reader).err()?;
        Some(word_at(text, error.location()?.index()))
    })
}

/// The bytes of a word or of a quoted text that begins at a byte of the document.
fn word_at(text: &str, index: usize) -> Range<usize> {
    let document = strip_byte_order_mark(text);
    let skipped = text.len() - document.len();
    let start = document.floor_char_boundary(index);
    let rest = document.get(start..).unwrap_or_default();
    let length = match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let end = rest.get(1..).and_then(|inner| inner.find([quote, '\n']));
            end.map_or(rest.len(), |end| end + 2)
        }
        Some('[' | '{' | ']' | '}') => 1,
        _ => rest.find([' ', ',', ':', ']', '}', '\r', '\n']).unwrap_or(rest.len()),
    };
    let end = rest.floor_char_boundary(length);
    start + skipped..start + skipped + end
}

/// Makes a value of what is read.
#[derive(Clone, Copy)]
struct ValueReader<'c> {
    /// What is wrong: errors of the deserializer have more around it.
    detail: &'c Cell<Option<String>>,
}

impl ValueReader<'_> {
    fn fault<E: Error>(self, detail: String) -> E {
        self.detail.set(Some(detail));
        E::custom("refused")
    }
}

impl<'de> DeserializeSeed<'de> for ValueReader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueReader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping, a list, a text, a number, true, false or null")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        Err(self.fault(format!("the number {value} is too small")))
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        Err(self.fault(format!("the number {value} is too large")))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).map(Value::Number);
        number.ok_or_else(|| self.fault(format!("{value} is no number of JSON")))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(key) =
            entries.next_key_seed(KeyReader { reader: self, members: &members })?
        {
            let value = entries.next_value_seed(self)?;
            members.insert(key, value);
        }
        Ok(Value::Object(members))
    }
}

/// Reads a key that none of the members before has.
struct KeyReader<'c, 'm> {
    reader: ValueReader<'c>,
    members: &'m Map<String, Value>,
}

impl<'de> DeserializeSeed<'de> for KeyReader<'_, '_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyReader<'_, '_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<String, E> {
        if self.members.contains_key(key) {
            return Err(self.reader.fault(format!("the key `{key}` is there twice")));
        }
        Ok(key.to_owned())
    }
}

/// Follows a pointer, and fails at its end: the deserializer says where that is.
#[derive(Clone, Copy)]
struct Locator<'s> {
    steps: &'s [String],
}

impl<'de> DeserializeSeed<'de> for Locator<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.steps.is_empty() {
            // Fails for every value.
            return deserializer.deserialize_any(Found);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Locator<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping or a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let (step, rest) = self.steps.split_first().unzip();
        let wanted: usize = step.and_then(|step| step.parse().ok()).unwrap_or(usize::MAX);
        let rest = Locator { steps: rest.unwrap_or_default() };
        for index in 0.. {
            let found = if index == wanted {
                items.next_element_seed(rest)?.is_some()
            } else {
                items.next_element::<IgnoredAny>()?.is_some()
            };
            if !found {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let (step, rest) = self.steps.split_first().unzip();
        let rest = Locator { steps: rest.unwrap_or_default() };
        let key = KeyLocator { wanted: step.map_or("", String::as_str), rest };
        while let Some(is_wanted) = entries.next_key_seed(key)? {
            if is_wanted {
                entries.next_value_seed(rest)?;
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Tells whether a key is the wanted one, and fails if the pointer ends there.
#[derive(Clone, Copy)]
struct KeyLocator<'s> {
    wanted: &'s str,
    rest: Locator<'s>,
}

impl<'de> DeserializeSeed<'de> for KeyLocator<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyLocator<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<bool, E> {
        let is_wanted = key == self.wanted;
        if is_wanted && self.rest.steps.is_empty() {
            return Err(E::custom("found"));
        }
        Ok(is_wanted)
    }
}

/// Accepts no value.
struct Found;

impl Visitor<'_> for Found {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: &str =
        "\u{feff}hooks:\r\n  \"é a\": {kind: x, list: [1, two]}\n  b:\n    - {k/y: 1}\n";

    fn at(pointer: &str) -> Option<&'static str> {
        span(TEXT, pointer).map(|span| &TEXT[span])
    }

    #[test]
    fn a_pointer_leads_to_its_key_or_item() {
        let value = parse(TEXT).unwrap();
        let expected =
            json!({"hooks": {"é a": {"kind": "x", "list": [1, "two"]}, "b": [{"k/y": 1}]}});
        assert_eq!(value, expected);
        assert_eq!(at("/hooks"), Some("hooks"));
        assert_eq!(at("/hooks/é a"), Some("\"é a\""));
        assert_eq!(at("/hooks/é a/kind"), Some("kind"));
        assert_eq!(at("/hooks/é a/list/1"), Some("two"));
        assert_eq!(at("/hooks/b/0"), Some("{"));
        assert_eq!(at("/hooks/b/0/k~1y"), Some("k/y"));
        assert_eq!(at("/hooks/é a/url"), Some("\"é a\""), "what is missing is missing there");
        assert_eq!(at(""), None);
        assert_eq!(at("/nope"), None);
    }

    #[test]
    fn what_is_no_value_of_json_has_its_place() {
        let fault = |text: &'static str| {
            let fault = parse(text).unwrap_err();
            let span = fault.span.clone().unwrap();
            (fault.detail, text[..span.start].lines().count().max(1), &text[span])
        };
        let twice = ("the key `b` is there twice".to_owned(), 3, "b");
        assert_eq!(fault("a: 1\nb: 2\n\nb: 3\n"), twice);
        let large = fault("a: 99999999999999999999999");
        assert_eq!(
            large,
            (
                "the number 99999999999999999999999 is too large".to_owned(),
                1,
                "99999999999999999999999"
            )
        );
        assert_eq!(fault("a: .inf").0, "inf is no number of JSON");
        let (detail, ..) = fault("hooks: [");
        assert!(detail.contains("did not find expected node content"), "{detail}");
    }
}
