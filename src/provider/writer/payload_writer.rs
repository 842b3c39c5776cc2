//! JSON text of a payload, and where its parts are: [`PayloadWriter`], [`WrittenPayload`].

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use crate::domain::{CacheMark, CacheMarks, CacheTtl, Extra};
use crate::json::{self, Node, escape_into, write_string};

/// Keys whose values are texts of a model or a tool: content, whatever keys it has itself.
const CONTENT_KEYS: &[&str] = &["input", "arguments", "input_schema", "parameters"];

/// A payload as JSON text, with the places of its parts, so that no later step has to parse it.
#[derive(Debug, Clone, Default)]
pub struct WrittenPayload {
    /// The head that the caller gave, then the payload. What stores it, compares it or sends it shares
    /// it.
    pub text: Arc<String>,
    /// Byte of `text` at which the payload begins.
    pub head_end: usize,
    /// The members of the payload in their order.
    pub blocks: Vec<MemberBlocks>,
    /// JSON Pointers into the payload of the blocks that carry a cache mark; empty if the target has
    /// no cache marks.
    pub breakpoints: Vec<String>,
}

impl WrittenPayload {
    /// The payload without the head.
    pub fn payload(&self) -> &str {
        self.text.get(self.head_end..).unwrap_or_default()
    }

    /// The head and the payload as bytes, which are not copied.
    pub fn bytes(&self) -> Bytes {
        struct PayloadText(Arc<String>);
        impl AsRef<[u8]> for PayloadText {
            fn as_ref(&self) -> &[u8] {
                self.0.as_bytes()
            }
        }
        Bytes::from_owner(PayloadText(Arc::clone(&self.text)))
    }
}

/// The blocks of one member of a payload: the items of a list, or the value itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberBlocks {
    pub name: &'static str,
    pub is_list: bool,
    /// Bytes of each block, counted from the start of the payload.
    pub places: Vec<Range<usize>>,
}

impl MemberBlocks {
    /// The blocks as JSON texts; `payload` is the payload without the head.
    pub fn texts<'t>(&self, payload: &'t str) -> impl Iterator<Item = &'t str> {
        self.places.iter().map(|place| payload.get(place.clone()).unwrap_or_default())
    }

    /// The whole value of the member as JSON text.
    pub fn value<'t>(&self, payload: &'t str) -> &'t str {
        let (Some(first), Some(last)) = (self.places.first(), self.places.last()) else {
            return "[]";
        };
        // The brackets of a list are next to its first and last block.
        let bracket = usize::from(self.is_list);
        payload.get(first.start - bracket..last.end + bracket).unwrap_or_default()
    }
}

/// A list that is being written.
#[derive(Debug)]
struct OpenList {
    /// The key of the list in the object around it.
    name: &'static str,
    /// Items that have been begun.
    items: usize,
    /// Breakpoints that were known before the last item.
    breakpoints_before: usize,
}

/// Writes a payload. Lists that are opened with [`Self::open_list`] make up the path of the block
/// that is being written, which a cache mark is reported with.
pub(super) struct PayloadWriter {
    text: String,
    head_end: usize,
    open: Vec<OpenList>,
    blocks: Vec<MemberBlocks>,
    /// The kind of marks that blocks can have and that are reported.
    marks: Option<CacheMarks>,
    /// As [`PayloadCaching::lists`](crate::provider::PayloadCaching::lists).
    pub(super) lists: bool,
    breakpoints: Vec<String>,
}

impl PayloadWriter {
    pub(super) fn new(head: String, marks: Option<CacheMarks>) -> Self {
        let head_end = head.len();
        Self {
            text: head,
            head_end,
            open: Vec::new(),
            blocks: Vec::new(),
            marks,
            lists: false,
            breakpoints: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> WrittenPayload {
        let Self { text, head_end, blocks, breakpoints, .. } = self;
        WrittenPayload { text: Arc::new(text), head_end, blocks, breakpoints }
    }

    /// What was written, where nobody asks for its parts.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    pub(super) fn reserve(&mut self, bytes: usize) {
        self.text.reserve(bytes);
    }

    pub(super) fn push(&mut self, each: char) {
        self.text.push(each);
    }

    pub(super) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes a comma, unless an object or array has just been opened. A value never ends in an
    /// opening bracket, so the last byte shows it.
    pub(super) fn comma(&mut self) {
        if !matches!(self.text.as_bytes().last(), Some(b'{' | b'[')) {
            self.text.push(',');
        }
    }

    /// Writes a member's key, which needs no escapes.
    pub(super) fn key(&mut self, name: &str) {
        self.comma();
        self.text.push('"');
        self.text.push_str(name);
        self.text.push_str("\":");
    }

    /// Writes a string value.
    pub(super) fn string(&mut self, text: &str) {
        write_string(&mut self.text, text);
    }

    /// Writes a string of several texts with a separator between them.
    pub(super) fn joined_string<'t>(
        &mut self,
        texts: impl Iterator<Item = &'t str>,
        separator: &str,
    ) {
        self.text.push('"');
        for (index, text) in texts.enumerate() {
            if index > 0 {
                escape_into(&mut self.text, separator);
            }
            escape_into(&mut self.text, text);
        }
        self.text.push('"');
    }

    /// Writes a member with a string.
    pub(super) fn member(&mut self, name: &str, text: &str) {
        self.key(name);
        self.string(text);
    }

    /// Writes a member with JSON text that is one value.
    pub(super) fn raw_member(&mut self, name: &str, json: &str) {
        self.key(name);
        self.text.push_str(json);
    }

    /// Writes an uninterpreted member unchanged.
    pub(super) fn extra_member(&mut self, name: &str, json: &str) {
        self.comma();
        self.string(name);
        self.text.push(':');
        self.text.push_str(json);
        if !CONTENT_KEYS.contains(&name) {
            self.note_marks(json, &json::Path::Root.key(name));
        }
    }

    /// Writes uninterpreted members unchanged, except for those in `known`.
    pub(super) fn extra_members(&mut self, extra: &Extra, known: &[&str]) {
        for (name, raw) in extra {
            if !known.contains(&&**name) {
                self.extra_member(name, raw.as_str());
            }
        }
    }

    /// Writes a block of the provider's own unchanged. `name`: its key, unless it is an item.
    pub(super) fn raw_block(&mut self, name: Option<&str>, raw: &str) {
        self.text.push_str(raw);
        let path = json::Path::Root;
        match name {
            Some(name) => self.note_marks(raw, &path.key(name)),
            None => self.note_marks(raw, &path),
        }
    }

    /// Writes an object unchanged, with a cache mark as its last member.
    pub(super) fn marked_object(&mut self, raw: &str, mark: Option<CacheMark>) {
        match (mark, raw.trim_end().strip_suffix('}')) {
            (Some(mark), Some(open)) => {
                self.text.push_str(open.trim_end());
                self.note_marks(raw, &json::Path::Root);
                self.cache_control(mark);
                self.text.push('}');
            }
            _ => self.raw_block(None, raw),
        }
    }

    /// Writes the member that marks the end of a cached prefix.
    pub(super) fn cache_control(&mut self, mark: CacheMark) {
        self.key("cache_control");
        self.mark_value(mark);
    }

    /// Writes the value of a cache mark, and notes its block: before the blocks inside it.
    pub(super) fn mark_value(&mut self, mark: CacheMark) {
        self.text.push('{');
        self.member("type", "ephemeral");
        if let Some(ttl) = mark.ttl {
            self.member("ttl", ttl.as_str());
        }
        self.text.push('}');
        self.note_block_mark();
    }

    /// Whether blocks can have marks of `OpenAI`'s.
    pub(super) fn has_breakpoints(&self) -> bool {
        self.marks == Some(CacheMarks::Breakpoints)
    }

    /// Writes the value of a mark of `OpenAI`'s, and notes its block. Without a lifetime it has that of
    /// the request
    /// (<https://learn.microsoft.com/javascript/api/@azure/ai-projects/promptcachebreakpointconfig>).
    pub(super) fn breakpoint_value(&mut self, mark: CacheMark) {
        self.text.push_str("{\"mode\":\"explicit\"");
        // The shorter lifetime of a mark that was none of OpenAI's is the request's default.
        let is_default = mark.ttl == Some(CacheTtl::FiveMinutes) && mark.kind == CacheMarks::Blocks;
        if let Some(ttl) = mark.ttl.filter(|_| !is_default) {
            self.member("ttl", CacheMarks::Breakpoints.ttl_word(ttl));
        }
        self.text.push('}');
        self.note_block_mark();
    }

    /// Notes the mark that the payload itself has, after those of its blocks.
    pub(super) fn note_payload_mark(&mut self) {
        self.breakpoints.push(String::new());
    }

    /// Notes the block that is being written: before the blocks inside it.
    fn note_block_mark(&mut self) {
        if self.marks.is_none() {
            return;
        }
        let at = self.open.last().map_or(0, |list| list.breakpoints_before);
        let pointer = self.pointer();
        self.breakpoints.insert(at.min(self.breakpoints.len()), pointer);
    }

    /// Opens the list of the member whose key was just written.
    pub(super) fn open_list(&mut self, name: &'static str) {
        if self.open.is_empty() {
            self.blocks.push(MemberBlocks { name, is_list: true, places: Vec::new() });
        }
        self.text.push('[');
        self.open.push(OpenList { name, items: 0, breakpoints_before: self.breakpoints.len() });
    }

    /// Begins the next item of the list that was opened last.
    pub(super) fn item(&mut self) {
        self.end_block();
        self.comma();
        let breakpoints_before = self.breakpoints.len();
        if let Some(list) = self.open.last_mut() {
            list.items += 1;
            list.breakpoints_before = breakpoints_before;
        }
        self.begin_block();
    }

    pub(super) fn close_list(&mut self) {
        self.end_block();
        self.text.push(']');
        self.open.pop();
    }

    /// Writes the key of a member of the payload that is no list; [`Self::close_value`] ends it.
    pub(super) fn open_value(&mut self, name: &'static str) {
        self.key(name);
        let start = self.text.len() - self.head_end;
        let place = start..start;
        self.blocks.push(MemberBlocks { name, is_list: false, places: vec![place] });
    }

    pub(super) fn close_value(&mut self) {
        self.end_last_place();
    }

    /// Begins a block of the payload, if the item is one.
    fn begin_block(&mut self) {
        let start = self.text.len() - self.head_end;
        if let ([_], Some(member)) = (self.open.as_slice(), self.blocks.last_mut()) {
            member.places.push(start..start);
        }
    }

    fn end_block(&mut self) {
        if self.open.len() == 1 {
            self.end_last_place();
        }
    }

    fn end_last_place(&mut self) {
        let end = self.text.len() - self.head_end;
        if let Some(place) = self.blocks.last_mut().and_then(|member| member.places.last_mut()) {
            place.end = end;
        }
    }

    /// The pointer of the block that is being written.
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for list in &self.open {
            pointer.push('/');
            pointer.push_str(list.name);
            pointer.push('/');
            pointer.push_str(&list.items.saturating_sub(1).to_string());
        }
        pointer
    }

    /// Notes the blocks with a cache mark inside text of the caller's that is written unchanged.
    fn note_marks(&mut self, raw: &str, path: &json::Path<'_>) {
        let Some(key) = self.marks.map(CacheMarks::key) else { return };
        if !raw.contains(key) {
            return;
        }
        let Ok(node) = json::parse(raw, json::Limits::default()) else { return };
        let mut found = Vec::new();
        marked_blocks(&node, key, path, &mut found);
        let base = self.pointer();
        self.breakpoints.extend(found.into_iter().map(|place| format!("{base}{place}")));
    }
}

/// JSON Pointers of the objects with a cache mark.
fn marked_blocks(node: &Node<'_>, mark: &str, path: &json::Path<'_>, found: &mut Vec<String>) {
    if let Some(members) = node.as_object() {
        if members.iter().any(|(key, value)| key == mark && value.as_object().is_some()) {
            found.push(path.pointer());
        }
        for (key, value) in members {
            if !CONTENT_KEYS.contains(&key.as_ref()) {
                marked_blocks(value, mark, &path.key(key), found);
            }
        }
    }
    for (index, item) in node.as_array().unwrap_or_default().iter().enumerate() {
        marked_blocks(item, mark, &path.index(index), found);
    }
}
