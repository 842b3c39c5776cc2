//! State that all readers share: faults, notes, and the handling of strings.
//!
//! A reader never stops at the first fault and never panics: it reports the fault, continues with a
//! harmless value, and the caller refuses the request.

use std::sync::Arc;

use crate::domain::{CacheMarks, Extra, Notes, RawJson};
use crate::json::{self, ErrorKind, Faults, Limits, Node, Path, Text, Value};
use crate::provider::UNNAMED_TOOL;
use crate::provider::words::is_leftover;
pub(super) use crate::provider::words::shown;

/// Why a medium without data is refused.
pub(super) const NEEDS_DATA: &str = "media needs its data";

/// The state of reading one request.
pub(super) struct ReadContext<'c> {
    pub(super) faults: &'c mut Faults,
    pub(super) notes: &'c mut Notes,
    /// Malformed tool arguments are kept as they are instead of being faults.
    pub(super) lenient: bool,
}

impl ReadContext<'_> {
    pub(super) fn fault(&mut self, path: &Path<'_>, detail: impl Into<String>) {
        self.faults.add(path, detail);
    }

    /// Takes a text over: the one copy that is made of it.
    pub(super) fn text(&mut self, text: &str, path: &Path<'_>) -> Arc<str> {
        without_nul(text, path, self.notes)
    }

    /// Reads a text of the document as [`Self::text`] does, sharing it if possible.
    pub(super) fn shared(&mut self, text: &Text<'_>, path: &Path<'_>) -> Arc<str> {
        if matches!(text, Text::Replaced(_)) {
            note_replaced_half(path, self.notes);
        }
        if memchr::memchr(0, text.as_bytes()).is_none() {
            return text.to_shared();
        }
        self.text(text, path)
    }

    /// The JSON text of a value that is kept as it is. `is_sealed`: its provider may have signed or
    /// encrypted it, so that a changed text would be another one.
    pub(super) fn raw(&mut self, node: &Node<'_>, path: &Path<'_>, is_sealed: bool) -> RawJson {
        if json::has_replaced_half(node.raw) {
            if is_sealed {
                let detail = "an item that only its provider reads has half of a surrogate pair";
                self.fault(path, detail);
            } else {
                note_replaced_half(path, self.notes);
            }
        }
        RawJson::new(node.raw)
    }

    /// A value that must be a string.
    pub(super) fn string(&mut self, node: &Node<'_>, path: &Path<'_>) -> Option<Arc<str>> {
        let Value::String(text) = &node.value else {
            self.fault(path, format!("must be a string, not {}", node.kind()));
            return None;
        };
        Some(self.shared(text, path))
    }

    /// A member that may be absent or null, and is a string otherwise.
    pub(super) fn member(
        &mut self,
        node: &Node<'_>,
        key: &str,
        path: &Path<'_>,
    ) -> Option<Arc<str>> {
        let member = present(node, key)?;
        self.string(member, &path.key(key))
    }

    /// Reads a member that must be a non-empty string; `why` is the fault's text.
    pub(super) fn required(
        &mut self,
        node: &Node<'_>,
        key: &str,
        path: &Path<'_>,
        why: &str,
    ) -> Arc<str> {
        match present(node, key) {
            None => self.fault(path, format!("`{key}` is missing: {why}")),
            Some(member) => match self.string(member, &path.key(key)) {
                Some(text) if text.is_empty() => {
                    self.fault(&path.key(key), format!("must not be empty: {why}"));
                }
                Some(text) => return text,
                None => {}
            },
        }
        Arc::from("")
    }

    /// Reads the name of a call's tool. A model may call without one, and the answer to that says so:
    /// `lenient` keeps both, under a name that the provider takes.
    pub(super) fn tool_name(&mut self, node: &Node<'_>, path: &Path<'_>) -> Arc<str> {
        const WHY: &str = "a tool call names its tool";
        let name = present(node, "name");
        if self.lenient && name.is_none_or(|name| name.as_str().is_some_and(str::is_empty)) {
            let detail = format!("a call without a name counts as one of `{UNNAMED_TOOL}`");
            self.notes.repaired("call_named", path.pointer(), detail);
            return Arc::from(UNNAMED_TOOL);
        }
        self.required(node, "name", path, WHY)
    }

    /// Reads a member with the data of a medium. It may be empty, as tools write what they could not
    /// read: such a medium becomes a line of text.
    pub(super) fn media_data(&mut self, node: &Node<'_>, key: &str, path: &Path<'_>) -> Arc<str> {
        let is_empty = present(node, key).and_then(Node::as_str).is_some_and(str::is_empty);
        if is_empty { Arc::from("") } else { self.required(node, key, path, NEEDS_DATA) }
    }

    /// A member that must be there, whatever it is.
    pub(super) fn require_member<'n, 'a>(
        &mut self,
        node: &'n Node<'a>,
        key: &str,
        path: &Path<'_>,
    ) -> Option<&'n Node<'a>> {
        let member = node.get(key);
        if member.is_none() {
            self.fault(path, format!("`{key}` is missing"));
        }
        member
    }

    /// A member that may be absent or null, and is a boolean otherwise.
    pub(super) fn flag(&mut self, node: &Node<'_>, key: &str, path: &Path<'_>) -> Option<bool> {
        let member = present(node, key)?;
        let flag = member.as_bool();
        if flag.is_none() {
            let detail = format!("must be true or false, not {}", member.kind());
            self.fault(&path.key(key), detail);
        }
        flag
    }

    /// Reports members that are dropped.
    pub(super) fn report_lost(&mut self, node: &Node<'_>, known: &[&str], path: &Path<'_>) {
        const MAX_NAMES: usize = 10;
        let mut lost = extra(node, known);
        // What programs put in while they collect a stream says nothing.
        let taken: Vec<_> =
            lost.extract_if(.., |(key, raw)| is_leftover(key, raw.as_str())).collect();
        if !taken.is_empty() {
            let names: Vec<&str> = taken.iter().map(|(key, _)| &**key).collect();
            self.notes.repaired("leftover_removed", path.pointer(), names.join(", "));
        }
        for (key, _) in lost.iter().take(MAX_NAMES) {
            let detail = "this member has no place in a neutral message";
            self.notes.degraded("member_lost", path.key(&shown(key)).pointer(), detail);
        }
        if let Some(more) = lost.len().checked_sub(MAX_NAMES).filter(|more| *more > 0) {
            let detail = format!("{more} more members have no place in a neutral message");
            self.notes.degraded("member_lost", path.pointer(), detail);
        }
    }

    /// The arguments of the call `id`, as text: a string that contains a JSON object, or, if the
    /// shape has it (`object`), the object itself.
    pub(super) fn arguments(
        &mut self,
        node: &Node<'_>,
        path: &Path<'_>,
        id: &str,
        object: bool,
    ) -> Arc<str> {
        if object && node.as_object().is_some() {
            return Arc::from(self.raw(node, path, false).as_str());
        }
        if node.is_null() {
            self.empty_arguments(path, id);
            return Arc::from("{}");
        }
        let Value::String(shared) = &node.value else {
            let wanted = if object {
                "an object, or a string that holds one"
            } else {
                "a string that holds a JSON object"
            };
            let (id, kind) = (shown(id), node.kind());
            let detail = format!("the arguments of call `{id}` must be {wanted}, not {kind}");
            self.fault(path, detail);
            return Arc::from("{}");
        };
        let text = &**shared;
        if matches!(text.trim(), "" | "null") {
            self.empty_arguments(path, id);
            return Arc::from("{}");
        }
        let wrong = match json::parse(text, Limits::default()) {
            Ok(value) if value.as_object().is_some() => {
                if matches!(shared, Text::Replaced(_)) {
                    note_replaced_half(path, self.notes);
                }
                return Arc::from(text);
            }
            Err(error) if error.kind == ErrorKind::LoneSurrogate => {
                let text = json::replace_halves(text.to_owned());
                if json::parse(&text, Limits::default())
                    .is_ok_and(|node| node.as_object().is_some())
                {
                    note_replaced_half(path, self.notes);
                    return Arc::from(text);
                }
                error.to_string()
            }
            Ok(value) => format!("it is {}", value.kind()),
            Err(error) => error.to_string(),
        };
        let detail =
            format!("the arguments of call `{}` are not a JSON object: {wrong}", shown(id));
        if self.lenient {
            self.notes.repaired("arguments_kept_raw", path.pointer(), detail);
        } else {
            self.fault(path, detail);
        }
        self.shared(shared, path)
    }

    /// Reports a call without arguments, which counts as one with none.
    pub(super) fn empty_arguments(&mut self, path: &Path<'_>, id: &str) {
        let detail = format!("the empty arguments of call `{}` count as {{}}", shown(id));
        self.notes.repaired("empty_arguments", path.pointer(), detail);
    }
}

/// A text with NUL replaced by U+FFFD, with a note: providers refuse NUL, and `PostgreSQL` cannot
/// store it.
pub fn without_nul(text: &str, path: &Path<'_>, notes: &mut Notes) -> Arc<str> {
    if memchr::memchr(0, text.as_bytes()).is_none() {
        return Arc::from(text);
    }
    notes.repaired("nul_replaced", path.pointer(), "NUL characters became U+FFFD");
    Arc::from(text.replace('\0', "\u{fffd}"))
}

/// Reports half of a surrogate pair in a value that is kept as it is.
pub fn note_replaced(node: &Node<'_>, path: &Path<'_>, notes: &mut Notes) {
    if json::has_replaced_half(node.raw) {
        note_replaced_half(path, notes);
    }
}

/// The code of the note about half of a surrogate pair.
pub const SURROGATE_REPLACED: &str = "surrogate_replaced";

/// Reports half of a surrogate pair, which U+FFFD replaced when the document was read.
fn note_replaced_half(path: &Path<'_>, notes: &mut Notes) {
    let detail = "half of a surrogate pair became U+FFFD";
    notes.repaired(SURROGATE_REPLACED, path.pointer(), detail);
}

/// The member called `key`, unless it is null: providers take null for absent.
pub(super) fn present<'n, 'a>(node: &'n Node<'a>, key: &str) -> Option<&'n Node<'a>> {
    node.get(key).filter(|member| !member.is_null())
}

/// The member called by either name: the protocol's, or the one some SDKs write.
pub(super) fn either<'n, 'a>(node: &'n Node<'a>, one: &str, other: &str) -> Option<&'n Node<'a>> {
    present(node, one).or_else(|| present(node, other))
}

/// The text of a value without its cache mark, which is kept apart. One without a mark keeps
/// its bytes.
pub(super) fn unmarked(node: &Node<'_>) -> RawJson {
    let unmarked = json::without_members(node, |name, _| name == "cache_control");
    unmarked.map_or_else(|| RawJson::new(node.raw), RawJson::new)
}

/// The members that no reader interprets.
pub(super) fn extra(node: &Node<'_>, known: &[&str]) -> Extra {
    let members = node.as_object().map(Vec::as_slice).unwrap_or_default();
    members
        .iter()
        .filter(|(key, _)| !known.contains(&&**key))
        .map(|(key, member)| (Arc::from(&**key), RawJson::new(member.raw)))
        .collect()
}

/// [`extra`] of a typed part. Cache marks and signatures are read on every one of them.
pub(super) fn part_extra(node: &Node<'_>, known: &[&str]) -> Extra {
    let mut extra = extra(node, known);
    extra.retain(|(key, value)| match &**key {
        "signature" => false,
        key if [CacheMarks::Blocks, CacheMarks::Breakpoints]
            .iter()
            .any(|kind| kind.key() == key) =>
        {
            false
        }
        "cache" => !value.as_str().starts_with('{'),
        _ => true,
    });
    extra
}
