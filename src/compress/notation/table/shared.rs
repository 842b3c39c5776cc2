//! Equal arrays and objects of one document: the first one is named `&1`, each other one is `*1`.
//!
//! ```text
//! §json 5 *1 repeats &1
//! owner &1: {login:ann,id:417,url:https://example.com/ann}
//! issues[2]{number,title,user{login,id,url}}
//! 12,Lamp flickers,*1
//! 13,Chair creaks,bo,902,https://example.com/bo
//! closed_by: *1
//! ```
//!
//! A name is before the value: after the key and a blank, before the item of a list, or before the
//! first of the cells that an object takes in a row. A repetition is in the place of the value, or of all
//! of these cells. What reports an error is shown each time.

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hasher as _};

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt as _};

use crate::compress::notation::reports_error;
use crate::json::tape::{TapeKind, TapeNode};

/// The words of a header for such a document.
pub(super) const SHARED_WORDS: [&str; 3] = ["*1", "repeats", "&1"];
/// The signs before the number of a name and of a repetition.
pub(super) const NAME_SIGN: char = '&';
pub(super) const REPEAT_SIGN: char = '*';

/// Bytes of a value, without white space between its tokens, from which on it is repeated by its name.
const MIN_VALUE_BYTES: usize = 40;
/// Bytes of the cells of an object, from which on they are.
pub(super) const MIN_CELLS_BYTES: usize = 24;
/// Parts of a document that equal values must take: one in so many.
const MAX_SHARE: usize = 20;
/// The highest number of a name that is read.
const MAX_NAME: usize = 100_000;

/// What is written where a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SharedMark {
    /// The value alone.
    None,
    /// A name before the value.
    Name(usize),
    /// The value of that name once more.
    Repeat(usize),
}

/// The arrays and objects of a document that are there more than once.
pub(super) struct SharedValues {
    /// By the number of the value on its tape.
    hashes: HashMap<u32, u64>,
    states: HashMap<u64, SharedState>,
    names: usize,
    /// Whether it is only found out so far which values would be repeated.
    is_trial: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct SharedState {
    /// Whether a repetition was asked for.
    is_repeated: bool,
    /// The name, from where the value was written on; 0 in a trial.
    name: Option<usize>,
}

impl SharedValues {
    /// None if the document has few equal values.
    pub(super) fn find(root: TapeNode<'_, '_>) -> Option<Self> {
        let mut found = Vec::new();
        let mut scan = ValueScan { build: FixedState::default(), found: &mut found };
        let (_, bytes) = scan.visit(root);
        found.sort_unstable_by_key(|value| (value.hash, value.number));
        let (mut hashes, mut states) = (HashMap::new(), HashMap::new());
        let mut saved = 0;
        for equal in found.chunk_by(|a, b| a.hash == b.hash) {
            let (Some(first), true) = (equal.first(), equal.len() > 1) else { continue };
            saved += first.bytes * (equal.len() - 1);
            states.insert(first.hash, SharedState::default());
            hashes.extend(equal.iter().map(|value| (value.number, value.hash)));
        }
        let pays = saved * MAX_SHARE >= bytes;
        (pays && !states.is_empty()).then_some(Self { hashes, states, names: 0, is_trial: true })
    }

    /// Ends the trial: names are given to the values that were repeated in it.
    pub(super) fn end_trial(&mut self) -> bool {
        self.is_trial = false;
        self.states.retain(|_, state| state.is_repeated);
        for state in self.states.values_mut() {
            state.name = None;
        }
        !self.states.is_empty()
    }

    /// Whether a value is there more than once.
    pub(super) fn is_shared(&self, node: TapeNode<'_, '_>) -> bool {
        self.hashes.get(&node.number()).is_some_and(|hash| self.states.contains_key(hash))
    }

    /// The mark of the next value that is written.
    pub(super) fn mark(&mut self, node: TapeNode<'_, '_>) -> SharedMark {
        let hash = self.hashes.get(&node.number());
        let Some((hash, state)) = hash.and_then(|hash| Some((*hash, self.states.get_mut(hash)?)))
        else {
            return SharedMark::None;
        };
        match state.name {
            Some(name) => {
                state.is_repeated = true;
                SharedMark::Repeat(name)
            }
            None if self.is_trial && reports(node) => {
                self.states.remove(&hash);
                SharedMark::None
            }
            None if self.is_trial => {
                state.name = Some(0);
                SharedMark::None
            }
            None => {
                self.names += 1;
                state.name = Some(self.names);
                SharedMark::Name(self.names)
            }
        }
    }
}

fn reports(node: TapeNode<'_, '_>) -> bool {
    node.all().any(|node| node.text().is_some_and(reports_error))
}

impl SharedMark {
    /// Writes a repetition; whether this is one.
    pub(super) fn write_repeat(self, out: &mut String) -> bool {
        let Self::Repeat(name) = self else { return false };
        let _ = write!(out, "{REPEAT_SIGN}{name}");
        true
    }

    /// Writes a name without a blank; whether this is one.
    pub(super) fn write_name(self, out: &mut String) -> bool {
        let Self::Name(name) = self else { return false };
        let _ = write!(out, "{NAME_SIGN}{name}");
        true
    }

    /// The mark at the head of a text, and what follows it.
    pub(super) fn read(text: &str) -> Option<(Self, &str)> {
        let sign = text.chars().next()?;
        let rest = text.strip_prefix([NAME_SIGN, REPEAT_SIGN])?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = rest.split_at_checked(digits)?;
        let number = number.parse().ok().filter(|number| (1..=MAX_NAME).contains(number))?;
        Some((if sign == NAME_SIGN { Self::Name(number) } else { Self::Repeat(number) }, rest))
    }

    /// The name at the head of a text and the blank after it, and what follows them; the text
    /// alone if it has none.
    pub(super) fn strip_name(text: &str) -> Option<(Self, &str)> {
        if !text.starts_with(NAME_SIGN) {
            return Some((Self::None, text));
        }
        let (mark, rest) = Self::read(text)?;
        Some((mark, rest.strip_prefix(' ')?))
    }
}

/// Whether a string would be read as the name of a value, or as its repetition.
pub(super) fn may_be_mark(text: &str) -> bool {
    text.starts_with([NAME_SIGN, REPEAT_SIGN]) || starts_named_item(text)
}

/// Whether a line of a list opens an item of several lines that has a name.
pub(super) fn starts_named_item(line: &str) -> bool {
    line.strip_prefix("- ").is_some_and(|rest| rest.starts_with(NAME_SIGN))
}

/// An array or object that is long enough to be repeated by its name.
struct FoundValue {
    hash: u64,
    number: u32,
    bytes: usize,
}

struct ValueScan<'v> {
    build: FixedState,
    found: &'v mut Vec<FoundValue>,
}

impl ValueScan<'_> {
    /// The hash of a value whatever its white space, and its bytes without that.
    fn visit(&mut self, node: TapeNode<'_, '_>) -> (u64, usize) {
        let mut hasher = self.build.build_hasher();
        let mut bytes = 1;
        match node.kind() {
            TapeKind::Array => {
                hasher.write_u8(1);
                for item in node.items() {
                    let (hash, own) = self.visit(item);
                    hasher.write_u64(hash);
                    bytes += own + 1;
                }
            }
            TapeKind::Object => {
                hasher.write_u8(2);
                for (key, value) in node.members() {
                    let (hash, own) = self.visit(value);
                    hasher.write(key.raw().as_bytes());
                    hasher.write_u64(hash);
                    bytes += key.raw().len() + own + 2;
                }
            }
            _ => {
                hasher.write(node.raw().as_bytes());
                return (hasher.finish(), node.raw().len());
            }
        }
        let hash = hasher.finish();
        if bytes >= MIN_VALUE_BYTES {
            self.found.push(FoundValue { hash, number: node.number(), bytes });
        }
        (hash, bytes)
    }
}
