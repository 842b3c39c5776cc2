//! The values of rules: JSON, and the few values that only JavaScript has.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

use crate::json::{self, Node, write_string};
use crate::limit::{AllowanceExceeded, PaidText};

/// A value. Lists and records are shared, so that two equal ones can be distinguished, as in
/// JavaScript.
#[derive(Debug, Clone)]
pub enum Value {
    /// The result of an operator without arguments.
    Undefined,
    Null,
    Bool(bool),
    /// May be infinite, or no number at all.
    Number(f64),
    Text(Arc<str>),
    List(ValueList),
    /// In the order in which the members were written.
    Record(ValueRecord),
}

/// The items of a list.
pub type ValueList = SharedList<Value>;

/// The members of a record.
pub type ValueRecord = SharedList<RecordMember>;

/// A name and its value.
pub type RecordMember = (Arc<str>, Value);

/// Items that several values may hold at once. They know how deep they are nested and how long
/// their text is: a value that holds another one twice, forty times over, is a small value and a
/// text that no memory holds.
#[derive(Debug)]
pub struct SharedList<T>(Arc<SharedItems<T>>);

#[derive(Debug)]
struct SharedItems<T> {
    depth: usize,
    text_bytes: usize,
    items: Box<[T]>,
}

impl<T> SharedList<T> {
    /// Lists and records inside one another, this one included.
    pub(super) fn depth(&self) -> usize {
        self.0.depth
    }

    /// Whether both are one, as against two that look the same.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn new(items: Vec<T>, value: impl Fn(&T) -> &Value) -> Self {
        let (mut depth, mut text_bytes) = (0, 0_usize);
        for value in items.iter().map(value) {
            depth = depth.max(value.depth());
            // A comma separates two items.
            text_bytes = text_bytes.saturating_add(value.text_bytes()).saturating_add(1);
        }
        Self(Arc::new(SharedItems { depth: depth + 1, text_bytes, items: items.into() }))
    }
}

impl<T> Clone for SharedList<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for SharedList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0.items
    }
}

impl Value {
    pub fn from_node(node: &Node<'_>) -> Self {
        match &node.value {
            json::Value::Null => Self::Null,
            json::Value::Bool(flag) => Self::Bool(*flag),
            json::Value::Number(text) => Self::Number(text.parse().unwrap_or(f64::NAN)),
            json::Value::String(text) => Self::Text(text.to_shared()),
            json::Value::Array(items) => Self::list(items.iter().map(Self::from_node).collect()),
            json::Value::Object(members) => Self::record(
                members
                    .iter()
                    .map(|(key, value)| (key.as_ref().into(), Self::from_node(value)))
                    .collect(),
            ),
        }
    }

    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// A record of these members.
    pub fn record(members: Vec<RecordMember>) -> Self {
        Self::Record(SharedList::new(members, |(_, value)| value))
    }

    /// A list of these items.
    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::List(SharedList::new(items, |item| item))
    }

    /// A count as a value.
    pub(super) fn count(count: usize) -> Self {
        // No value that was parsed here has 2^53 items.
        Self::Number(f64::from(u32::try_from(count).unwrap_or(u32::MAX)))
    }

    /// Whether a rule with this result holds. An empty list does not, an empty record does.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Undefined | Self::Null => false,
            Self::Bool(flag) => *flag,
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Record(_) => true,
        }
    }

    /// Lists and records inside one another; 0 for what is neither.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::List(items) => items.depth(),
            Self::Record(members) => members.depth(),
            _ => 0,
        }
    }

    /// The most bytes that `String(value)` takes.
    pub(super) fn text_bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::List(items) => items.0.text_bytes,
            Self::Number(_) => MAX_NUMBER_BYTES,
            Self::Record(_) => RECORD_TEXT.len(),
            Self::Undefined | Self::Null | Self::Bool(_) => UNDEFINED_TEXT.len(),
        }
    }

    /// The member of a record, the item of a list, the character of a text.
    pub(super) fn at(&self, name: &str) -> Option<Cow<'_, Self>> {
        match self {
            Self::Record(members) => {
                let member = members.iter().find(|(key, _)| **key == *name);
                member.map(|(_, value)| Cow::Borrowed(value))
            }
            Self::List(items) if name == "length" => Some(Cow::Owned(Self::count(items.len()))),
            Self::List(items) => index(name).and_then(|at| items.get(at)).map(Cow::Borrowed),
            Self::Text(text) if name == "length" => {
                Some(Cow::Owned(Self::count(text.encode_utf16().count())))
            }
            Self::Text(text) => {
                let unit = text.encode_utf16().nth(index(name)?)?;
                Some(Cow::Owned(Self::text(String::from_utf16_lossy(&[unit]))))
            }
            _ => None,
        }
    }

    /// The cost of finding a member, an item or a character, in items or bytes.
    pub(super) fn search_cost(&self, name: &str) -> usize {
        match self {
            // Names of one length are compared, some bytes at once.
            Self::Record(members) => members
                .iter()
                .map(|(key, _)| if key.len() == name.len() { 1 + key.len() / 16 } else { 1 })
                .sum(),
            Self::Text(text) => text.len(),
            _ => 1,
        }
    }

    /// Appends the value as JSON; a value that JSON does not have becomes null.
    pub fn write(&self, out: &mut PaidText<'_>) -> Result<(), AllowanceExceeded> {
        match self {
            Self::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Self::Number(number) if number.is_finite() => out.push_str(&number_text(*number)),
            Self::Undefined | Self::Null | Self::Number(_) => out.push_str("null"),
            Self::Text(text) => write_text(out, text),
            Self::List(items) => {
                out.push_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push_str(",")?;
                    }
                    item.write(out)?;
                }
                out.push_str("]")
            }
            Self::Record(members) => {
                out.push_str("{")?;
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push_str(",")?;
                    }
                    write_text(out, key)?;
                    out.push_str(":")?;
                    value.write(out)?;
                }
                out.push_str("}")
            }
        }
    }
}

fn write_text(out: &mut PaidText<'_>, text: &str) -> Result<(), AllowanceExceeded> {
    out.push_with(json::string_bytes(text), |out| write_string(out, text))
}

/// The most bytes that a number takes as text, such as `-1.2345678901234567e-300`.
const MAX_NUMBER_BYTES: usize = 25;
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
fn index(name: &str) -> Option<usize> {
    let plain = name.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = name == "0" || !name.starts_with('0');
    if plain && canonical { name.parse().ok() } else { None }
}
