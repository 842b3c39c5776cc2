//! JSON with positions: values that know their own bytes, and paths that become JSON Pointers.
//!
//! Request bodies and the JSON inside messages go through one reader. It keeps the raw text of
//! every value (numbers are never rounded), refuses duplicate keys, and counts depth and values
//! while it reads, so hostile input costs no more than its own length.

mod canonical;
mod diff;
mod fields;
mod halves;
mod jcs;
mod jcs_serializer;
mod merge;
mod object_text;
mod path;
mod reader;
mod scan;
mod schema;
pub(crate) mod tape;
mod verbatim;
mod writer;

/// The largest whole number that every JSON reader represents exactly.
pub const MAX_WHOLE_NUMBER: u64 = 1 << 53;

pub use canonical::{canonical, canonical_with_nulls};
pub use diff::{JsonDifference, differences};
pub use fields::Fields;
pub use halves::{has_replaced_half, replace_halves};
pub use jcs::{UnsafeNumber, is_i_json, jcs};
pub use jcs_serializer::{jcs_into, jcs_value};
pub use merge::merge;
pub use object_text::{ObjectText, with_members, without_members};
pub use path::{Fault, Faults, MAX_KEY_BYTES, Path, beginning, cut, places};
pub use reader::{Error, ErrorKind, Limits, parse, parse_each, parse_or_empty};
pub(crate) use scan::{Marks, next_special, number, space_outside_strings};
pub use schema::{InnerSchemas, JsonSchema, Misfit, SchemaError, inner_schemas, schemas_in};
pub use verbatim::{JsonText, to_text};
pub use writer::{escape_into, minify, string_bytes, write_string, write_string_escaping};

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

/// A value and the text it was read from.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    /// The value's own bytes, without the white space around it.
    pub raw: &'a str,
    pub value: Value<'a>,
}

/// Value of a [`Node`]. Numbers stay text: `1.50` and 2^70 keep every digit.
#[derive(Debug, Clone)]
pub enum Value<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    String(Text<'a>),
    Array(Vec<Node<'a>>),
    Object(Object<'a>),
}

/// A string's text: a slice of the document if nothing was escaped, else decoded once, into
/// the shared form in which messages keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text<'a> {
    Borrowed(&'a str),
    Shared(Arc<str>),
    /// A text in which U+FFFD stands for half a surrogate pair ([`replace_halves`]).
    Replaced(Arc<str>),
}

impl Text<'_> {
    /// The text in shared form; copied only if it is still a slice of the document.
    pub fn to_shared(&self) -> Arc<str> {
        match self {
            Self::Borrowed(text) => Arc::from(*text),
            Self::Shared(text) | Self::Replaced(text) => Arc::clone(text),
        }
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) | Self::Replaced(text) => text,
        }
    }
}

/// An object's members in the order they were written; keys are distinct.
pub type Object<'a> = Vec<(Cow<'a, str>, Node<'a>)>;

impl<'a> Node<'a> {
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&[Node<'a>]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_object(&self) -> Option<&Object<'a>> {
        match &self.value {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The value as a whole number, if it is written as one and fits.
    pub fn as_u64(&self) -> Option<u64> {
        match self.value {
            Value::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The value as a finite float.
    pub fn as_f64(&self) -> Option<f64> {
        match self.value {
            Value::Number(text) => text.parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// The member called `key`, if this is an object that has one.
    pub fn get(&self, key: &str) -> Option<&Node<'a>> {
        self.as_object()?.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// Kind of the value, as a fault message names it.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }
}
