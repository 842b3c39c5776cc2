//! Splits a request or a payload into texts that the records of a growing conversation share.
//!
//! A plan, which is a small object, lists the texts by their hashes. If a conversation has grown by
//! a turn, only the texts of this turn are stored.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::domain::ContentHash;
use crate::json::{self, Limits, Node, write_string};
use crate::provider::{MemberBlocks, WrittenPayload};
use crate::store::{Batch, Error, Tenant};

/// A member of at least this many bytes is a text of its own.
const MIN_SHARED_TEXT_BYTES: usize = 512;

/// A member of an object that is taken apart.
pub(crate) struct MemberText<'t> {
    name: &'t str,
    /// The value as JSON text; empty for a list that was put together from its items.
    value: &'t str,
    /// The items, if the value is a list.
    items: Option<Vec<&'t str>>,
}

impl MemberText<'_> {
    /// Bytes of the value as JSON text.
    fn bytes(&self) -> usize {
        match &self.items {
            Some(items) if self.value.is_empty() => {
                items.iter().map(|item| item.len() + ",".len()).sum::<usize>() + "[".len()
            }
            _ => self.value.len(),
        }
    }

    fn text(&self) -> Cow<'_, str> {
        match &self.items {
            Some(items) if self.value.is_empty() => format!("[{}]", items.join(",")).into(),
            _ => self.value.into(),
        }
    }
}

/// The members of a request. Hooks are left out: they may hold secrets, and the record names the
/// hooks that were called.
pub(crate) fn request_members<'t>(request: &'t Node<'_>) -> Vec<MemberText<'t>> {
    let members = request.as_object().map(|members| object_members(members)).unwrap_or_default();
    members.into_iter().filter(|member| member.name != "hooks").collect()
}

/// The members of an object.
pub(crate) fn object_members<'t>(members: &'t [(Cow<'_, str>, Node<'_>)]) -> Vec<MemberText<'t>> {
    let member = |(name, node): &'t (Cow<'_, str>, Node<'_>)| MemberText {
        name,
        value: node.raw,
        items: node.as_array().map(|items| items.iter().map(|item| item.raw).collect()),
    };
    members.iter().map(member).collect()
}

/// The members of a payload that was just written.
pub(crate) fn payload_members(written: &WrittenPayload) -> Vec<MemberText<'_>> {
    let payload = written.payload();
    let member = |member: &'_ MemberBlocks| MemberText {
        name: member.name,
        value: member.value(payload),
        items: member.is_list.then(|| member.texts(payload).collect()),
    };
    written.blocks.iter().map(member).collect()
}

/// Adds the texts of an object to a batch and their hashes to `texts`. Returns the hash of the plan
/// that puts them together again.
pub(crate) fn take_apart(
    batch: &mut Batch,
    members: &[MemberText<'_>],
    texts: &mut Vec<ContentHash>,
) -> ContentHash {
    let mut keep = |text: &str| {
        let hash = batch.message(text);
        texts.push(hash);
        hash
    };
    let mut plan = String::from("{");
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            plan.push(',');
        }
        write_string(&mut plan, member.name);
        match &member.items {
            _ if member.bytes() < MIN_SHARED_TEXT_BYTES => {
                let _ = write!(plan, ":{{\"here\":{}}}", member.text());
            }
            None => {
                let _ = write!(plan, ":{{\"text\":\"{}\"}}", keep(member.value));
            }
            Some(items) => {
                let ItemGroups { groups, rest } = grouped(member.name, items);
                let texts = groups.iter().map(String::as_str).chain(rest.iter().copied());
                let hashes: Vec<String> = texts.map(|text| format!("\"{}\"", keep(text))).collect();
                let _ = write!(plan, ":{{\"list\":[{}]}}", hashes.join(","));
            }
        }
    }
    plan.push('}');
    keep(&plan)
}

/// The items of a list as texts.
struct ItemGroups<'i> {
    /// Neighbouring items, joined by commas.
    groups: Vec<String>,
    /// The items at the end, each of which is a text of its own.
    rest: &'i [&'i str],
}

/// Joins neighbouring items of a long list into groups, each of which is one text, so that a record
/// names few texts however long its conversation is. Items at the end stay apart until their group is
/// whole: the next turn adds to it, and would store all of it again. Evidence does not grow by turns, so
/// all of it is in groups.
fn grouped<'i>(name: &str, items: &'i [&'i str]) -> ItemGroups<'i> {
    /// Items of a list that is long.
    const MIN_GROUPED_ITEMS: usize = 24;
    /// Bytes at which a group ends in any case.
    const MAX_GROUP_BYTES: usize = 1 << 15;
    let is_evidence = name == "evidence";
    let mut groups = Vec::new();
    if !is_evidence && items.len() < MIN_GROUPED_ITEMS {
        return ItemGroups { groups, rest: items };
    }
    let mut group = String::new();
    let mut grouped = 0;
    for (at, item) in items.iter().enumerate() {
        group.push_str(if group.is_empty() { "" } else { "," });
        group.push_str(item);
        let is_last = is_evidence && at + 1 == items.len();
        if is_last || ends_group(item) || group.len() >= MAX_GROUP_BYTES {
            groups.push(std::mem::take(&mut group));
            grouped = at + 1;
        }
    }
    ItemGroups { groups, rest: items.get(grouped..).unwrap_or_default() }
}

/// Whether a group ends after an item. The content decides, so that lists with the same items share groups,
/// wherever the items are: one of sixteen ends a group, on average.
fn ends_group(item: &str) -> bool {
    const READ_BYTES: usize = 256;
    let from = item.len().saturating_sub(READ_BYTES);
    let end = item.as_bytes().get(from..).unwrap_or_default();
    let hash = crc32fast::hash(end) ^ u32::try_from(item.len()).unwrap_or(u32::MAX);
    hash.is_multiple_of(16)
}

/// The plan by which a request or a payload is restored.
#[derive(Debug)]
pub(crate) struct RecordPlan {
    text: String,
    /// The texts that it names, in order.
    hashes: Vec<ContentHash>,
}

impl RecordPlan {
    /// Reads a plan; none if it is no longer stored.
    pub(crate) fn read(tenant: &Tenant, plan: ContentHash) -> Result<Option<Self>, Error> {
        let Some(text) = tenant.messages(&[plan])?.pop().flatten() else { return Ok(None) };
        let Ok(node) = json::parse(&text, Limits::default()) else { return Ok(None) };
        let mut hashes = Vec::new();
        for (_, member) in node.as_object().into_iter().flatten() {
            let list = member.get("list").and_then(Node::as_array).unwrap_or_default();
            let named = list.iter().chain(member.get("text"));
            hashes.extend(named.filter_map(|item| ContentHash::parse(item.as_str()?)));
        }
        Ok(Some(Self { text, hashes }))
    }

    /// The bytes of the object, as far as its texts are still stored.
    pub(crate) fn bytes(&self, tenant: &Tenant) -> Result<usize, Error> {
        Ok(self.text.len() + tenant.read(|tx| tx.message_bytes(&self.hashes))?)
    }

    /// Restores the object, byte for byte except for white space between its members. Returns none
    /// if one of its texts is no longer stored.
    pub(crate) fn put_together(&self, tenant: &Tenant) -> Result<Option<String>, Error> {
        let Ok(node) = json::parse(&self.text, Limits::default()) else { return Ok(None) };
        let members = node.as_object().map(Vec::as_slice).unwrap_or_default();
        let mut texts = tenant.messages(&self.hashes)?.into_iter();
        let mut out = String::from("{");
        for (index, (key, member)) in members.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            write_string(&mut out, key);
            out.push(':');
            if let Some(here) = member.get("here") {
                out.push_str(here.raw);
            } else if let Some(list) = member.get("list").and_then(Node::as_array) {
                out.push('[');
                for at in 0..list.len() {
                    if at > 0 {
                        out.push(',');
                    }
                    let Some(text) = texts.next().flatten() else { return Ok(None) };
                    out.push_str(&text);
                }
                out.push(']');
            } else {
                let Some(text) = texts.next().flatten() else { return Ok(None) };
                out.push_str(&text);
            }
        }
        out.push('}');
        Ok(Some(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(count: usize) -> Vec<String> {
        (0..count).map(|at| format!("{{\"role\":\"user\",\"content\":\"message {at}\"}}")).collect()
    }

    fn texts(name: &str, items: &[String]) -> Vec<String> {
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        let ItemGroups { groups, rest } = grouped(name, &items);
        groups.into_iter().chain(rest.iter().map(|item| (*item).to_owned())).collect()
    }

    #[test]
    fn a_list_of_items_without_a_text_is_kept_as_one_with_a_text() {
        for count in [0, 1, 3, 40] {
            let items = items(count);
            let parts: Vec<&str> = items.iter().map(String::as_str).collect();
            let whole = format!("[{}]", items.join(","));
            let plan = |value| {
                let items = Some(parts.clone());
                let (mut batch, mut texts) = (Batch::default(), Vec::new());
                let member = MemberText { name: "messages", value, items };
                (take_apart(&mut batch, &[member], &mut texts), texts)
            };
            assert_eq!(plan(""), plan(&whole), "{count}");
        }
    }

    #[test]
    fn a_long_list_has_few_texts_and_all_of_its_items() {
        for (name, count) in
            [("messages", 63), ("messages", 64), ("messages", 999), ("evidence", 9)]
        {
            let items = items(count);
            let texts = texts(name, &items);
            assert_eq!(texts.join(","), items.join(","), "{count}");
            let is_few =
                if count < 64 { texts.len() <= count } else { texts.len() * 4 < count * 3 };
            assert!(is_few, "{name}: {} of {count}", texts.len());
        }
        assert_eq!(texts("messages", &items(23)).len(), 23);
        assert!(texts("messages", &items(999)).len() < 150);
    }

    #[test]
    fn a_turn_adds_the_texts_of_its_own_items() {
        let items = items(400);
        for count in 300..400 {
            let [before, after] =
                [count, count + 1].map(|count| texts("messages", &items[..count]));
            let added = after.iter().filter(|text| !before.contains(text)).count();
            assert_eq!(added, 1, "{count}");
        }
    }

    #[test]
    fn a_group_ends_by_its_bytes_if_no_item_ends_it() {
        let item = (0..99).map(|at| format!("\"{at}\"")).find(|item| !ends_group(item)).unwrap();
        let items = vec![item; 40_000];
        assert!(texts("messages", &items).iter().all(|text| text.len() <= (1 << 15) + 16));
    }
}
