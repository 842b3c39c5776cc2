//! A request or a payload, taken apart into texts that a growing conversation shares.
//!
//! What is left is a small object that names them by their hashes: of a conversation that has grown
//! by a turn, a turn is stored.

use std::fmt::Write as _;

use crate::domain::ContentHash;
use crate::json::{self, Limits, Node, Value, write_string};
use crate::store::{Batch, Error, Tenant};

/// Bytes from which on a member is a text of its own.
const LARGE: usize = 512;

/// Adds the texts of an object to a batch; answers the hash of what puts them together again, and
/// notes every hash in `texts`.
pub(crate) fn take_apart(
    batch: &mut Batch,
    node: &Node<'_>,
    texts: &mut Vec<ContentHash>,
) -> ContentHash {
    let mut keep = |text: &str| {
        let hash = batch.message(text);
        texts.push(hash);
        hash
    };
    let mut plan = String::from("{");
    // Hooks of a request may hold secrets; who was asked is recorded beside it.
    let members = node.as_object().into_iter().flatten().filter(|(key, _)| key != "hooks");
    for (index, (key, member)) in members.enumerate() {
        if index > 0 {
            plan.push(',');
        }
        write_string(&mut plan, key);
        match &member.value {
            Value::Array(items) if member.raw.len() >= LARGE => {
                plan.push_str(":{\"list\":[");
                let mut comma = "";
                let mut add = |text: &str| {
                    let _ = write!(plan, "{comma}\"{}\"", keep(text));
                    comma = ",";
                };
                if key == "evidence" {
                    for text in grouped(items) {
                        add(&text);
                    }
                } else {
                    for item in items {
                        add(item.raw);
                    }
                }
                plan.push_str("]}");
            }
            _ if member.raw.len() >= LARGE => {
                let _ = write!(plan, ":{{\"text\":\"{}\"}}", keep(member.raw));
            }
            _ => {
                let _ = write!(plan, ":{{\"here\":{}}}", member.raw);
            }
        }
    }
    plan.push('}');
    keep(&plan)
}

/// Items side by side, as one text each group. What an item says decides whether a group ends behind
/// it, so that lists which share items share groups, wherever the items stand.
fn grouped(items: &[Node<'_>]) -> Vec<String> {
    /// Of so many items one ends a group.
    const ABOUT: u8 = 16;
    /// Bytes at which a group ends anyhow.
    const MOST: usize = 1 << 15;
    let mut groups = Vec::new();
    let mut group = String::new();
    for item in items {
        group.push_str(if group.is_empty() { "" } else { "," });
        group.push_str(item.raw);
        let ContentHash([first, ..]) = ContentHash::of(item.raw);
        if first % ABOUT == 0 || group.len() >= MOST {
            groups.push(std::mem::take(&mut group));
        }
    }
    groups.extend(Some(group).filter(|group| !group.is_empty()));
    groups
}

/// The object again, byte for byte but for white space between its members; none where a text of it
/// is gone.
pub(crate) fn put_together(tenant: &Tenant, plan: ContentHash) -> Result<Option<String>, Error> {
    let Some(plan) = tenant.messages(&[plan])?.pop().flatten() else { return Ok(None) };
    let Ok(node) = json::parse(&plan, Limits::default()) else { return Ok(None) };
    let mut hashes = Vec::new();
    let members = node.as_object().map(Vec::as_slice).unwrap_or_default();
    for (_, member) in members {
        let list = member.get("list").and_then(Node::as_array).unwrap_or_default();
        let named = list.iter().chain(member.get("text"));
        hashes.extend(named.filter_map(|item| ContentHash::parse(item.as_str()?)));
    }
    let mut texts = tenant.messages(&hashes)?.into_iter();
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
