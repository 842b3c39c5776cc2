//! Compares what two requests through the gateway were sent with, by the hashes in their records.

use crate::json::Node;

/// The hashes of a request, by member, in the order in which a provider caches them.
#[derive(Debug)]
pub(super) struct SentHashes<'r> {
    model: Option<&'r str>,
    target: Option<&'r str>,
    members: Vec<SentMember<'r>>,
}

/// The hashes of the blocks of a member.
#[derive(Debug)]
struct SentMember<'r> {
    name: &'r str,
    hashes: Vec<&'r str>,
}

/// The first block of a request that is not the one of another request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashChange {
    /// JSON Pointer into the request.
    pub pointer: String,
    pub why: HashChangeReason,
}

/// Why a block is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashChangeReason {
    Target,
    Model,
    Tools,
    ToolOrder,
    System,
    MessageInserted,
    MessageRemoved,
    MessageEdited,
}

impl HashChangeReason {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Target => "target_changed",
            Self::Model => "model_changed",
            Self::Tools => "tools_changed",
            Self::ToolOrder => "tools_reordered",
            Self::System => "system_changed",
            Self::MessageInserted => "message_inserted",
            Self::MessageRemoved => "message_removed",
            Self::MessageEdited => "message_edited",
        }
    }

    /// What a person can do about it.
    pub fn explain(self) -> &'static str {
        match self {
            Self::Target => "the requests are in different wire formats",
            Self::Model => "each model has a cache of its own",
            Self::Tools => {
                "a tool was added, removed or edited; tools stand before everything else"
            }
            Self::ToolOrder => "the same tools are in another order",
            Self::System => "the system text differs; the client writes it",
            Self::MessageInserted => "the client put a message between those that were sent",
            Self::MessageRemoved => "the client left out a message that was sent",
            Self::MessageEdited => "the client changed a message that was sent",
        }
    }
}

impl<'r> SentHashes<'r> {
    /// Reads a record of the gateway that has no payload; none if the document is another one.
    pub(super) fn read(record: &'r Node<'_>) -> Option<Self> {
        if record.get("payload").is_some() {
            return None;
        }
        let member = |node: &'r Node<'_>| {
            let hashes = node.get("hashes")?.as_array()?.iter().map(Node::as_str);
            Some(SentMember {
                name: node.get("member")?.as_str()?,
                hashes: hashes.collect::<Option<_>>()?,
            })
        };
        let members = record.get("gateway")?.get("blocks")?.as_array()?.iter().map(member);
        let text = |key| record.get(key).and_then(Node::as_str);
        Some(Self {
            model: text("model"),
            target: text("target"),
            members: members.collect::<Option<_>>()?,
        })
    }

    fn member(&self, is_it: fn(&str) -> bool) -> &[&'r str] {
        self.members.iter().find(|own| is_it(own.name)).map_or(&[], |own| &own.hashes)
    }

    fn name(&self, is_it: fn(&str) -> bool) -> &'r str {
        self.members.iter().map(|own| own.name).find(|name| is_it(name)).unwrap_or("messages")
    }
}

fn is_tools(name: &str) -> bool {
    name == "tools"
}

fn is_list(name: &str) -> bool {
    matches!(name, "messages" | "input" | "contents")
}

fn is_system(name: &str) -> bool {
    !is_tools(name) && !is_list(name)
}

/// Finds where the second request leaves the first; none if it continues it.
pub(super) fn first_change(before: &SentHashes<'_>, now: &SentHashes<'_>) -> Option<HashChange> {
    let change = |pointer: String, why| Some(HashChange { pointer, why });
    if before.target != now.target {
        return change(String::new(), HashChangeReason::Target);
    }
    if before.model != now.model {
        return change("/model".to_owned(), HashChangeReason::Model);
    }
    let (a, b) = (before.member(is_tools), now.member(is_tools));
    if a != b {
        let sorted = |list: &[&str]| {
            let mut list: Vec<String> = list.iter().map(|hash| (*hash).to_owned()).collect();
            list.sort_unstable();
            list
        };
        let is_order = sorted(a) == sorted(b);
        let why = if is_order { HashChangeReason::ToolOrder } else { HashChangeReason::Tools };
        return change(format!("/tools/{}", common(a, b)), why);
    }
    let (a, b) = (before.member(is_system), now.member(is_system));
    if a != b {
        let name = if b.is_empty() { before.name(is_system) } else { now.name(is_system) };
        return change(format!("/{name}/{}", common(a, b)), HashChangeReason::System);
    }
    let (a, b) = (before.member(is_list), now.member(is_list));
    let at = common(a, b);
    let (gone, came) = (a.get(at..)?, b.get(at..).unwrap_or_default());
    let lost = gone.first()?;
    let why = match came.first() {
        None => HashChangeReason::MessageRemoved,
        Some(_) if came.contains(lost) => HashChangeReason::MessageInserted,
        Some(new) if gone.contains(new) => HashChangeReason::MessageRemoved,
        Some(_) => HashChangeReason::MessageEdited,
    };
    change(format!("/{}/{at}", now.name(is_list)), why)
}

/// How many blocks at the beginning are the same.
fn common(a: &[&str], b: &[&str]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::json::{Limits, parse};

    fn record(model: &str, tools: &[&str], system: &[&str], messages: &[&str]) -> Value {
        let member = |name: &str, hashes: &[&str]| json!({"member": name, "hashes": hashes});
        let blocks =
            [member("tools", tools), member("system", system), member("messages", messages)];
        json!({"target": "anthropic", "model": model, "gateway": {"blocks": blocks}})
    }

    fn change(a: &Value, b: &Value) -> Option<(String, &'static str)> {
        let (a, b) = (a.to_string(), b.to_string());
        let (a, b) = (parse(&a, Limits::default()).unwrap(), parse(&b, Limits::default()).unwrap());
        let (a, b) = (SentHashes::read(&a).unwrap(), SentHashes::read(&b).unwrap());
        first_change(&a, &b).map(|found| (found.pointer, found.why.as_str()))
    }

    #[test]
    fn the_first_block_that_differs_is_found_in_the_order_of_caches() {
        let first = record("m", &["t", "u"], &["s"], &["1", "2", "3"]);
        assert_eq!(change(&first, &record("m", &["t", "u"], &["s"], &["1", "2", "3", "4"])), None);
        assert_eq!(change(&first, &first), None);
        for (second, pointer, why) in [
            (record("n", &["t", "u"], &["s"], &["1"]), "/model", "model_changed"),
            (record("m", &["u", "t"], &["s"], &["1"]), "/tools/0", "tools_reordered"),
            (record("m", &["t", "v"], &["s"], &["1"]), "/tools/1", "tools_changed"),
            (record("m", &["t", "u"], &["x"], &["9"]), "/system/0", "system_changed"),
            (record("m", &["t", "u"], &[], &["1"]), "/system/0", "system_changed"),
            (record("m", &["t", "u"], &["s"], &["1", "2"]), "/messages/2", "message_removed"),
            (record("m", &["t", "u"], &["s"], &["1", "3", "4"]), "/messages/1", "message_removed"),
            (record("m", &["t", "u"], &["s"], &["1", "x", "2"]), "/messages/1", "message_inserted"),
            (record("m", &["t", "u"], &["s"], &["1", "x", "4"]), "/messages/1", "message_edited"),
        ] {
            assert_eq!(change(&first, &second), Some((pointer.to_owned(), why)), "{second}");
        }
    }

    #[test]
    fn other_documents_have_no_hashes() {
        for text in ["{}", r#"{"gateway":{}}"#, r#"{"payload":{},"gateway":{"blocks":[]}}"#] {
            assert!(SentHashes::read(&parse(text, Limits::default()).unwrap()).is_none(), "{text}");
        }
    }
}
