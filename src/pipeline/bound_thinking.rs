//! Leaves out thinking that its provider would refuse.
//!
//! Some models bind each signed thinking block to everything before it in the payload that it was made from:
//! if a byte differs later, the request is refused. Thinking that is left in must be an unbroken run of
//! what the model made, so blocks are left out from the first on
//! (<https://platform.claude.com/docs/en/build-with-claude/preserved-thinking>).

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use super::StopReason;
use super::measure::Meter;
use super::message_hash::{HashScope, MessageHasher, finish_hash, tools_hash};
use super::slot::Slot;
use crate::domain::{
    Content, ContentHash, Message, Part, PrefixHash, SentHistory, SentPrefix, ToolDefinition,
};

/// Messages of the request's list whose thinking was made before bytes in front of it changed: those
/// after `after` up to `until`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BrokenRange {
    /// The first message that changed; none if something was put before all of them.
    pub(super) after: Option<usize>,
    pub(super) until: usize,
}

impl BrokenRange {
    fn has(self, origin: usize) -> bool {
        origin <= self.until && self.after.is_none_or(|after| origin > after)
    }
}

/// What is known of the payloads that the thinking of a list was made for.
pub(super) struct BindingFacts<'b> {
    /// What the session sent; none if the request names no session.
    pub(super) sent: Option<&'b SentHistory>,
    /// Where compaction changed messages.
    pub(super) broken: &'b [BrokenRange],
    /// Whether earlier payloads had text that is no longer remembered.
    pub(super) forgets_tail: bool,
    /// Whether the provider refuses thinking behind other bytes.
    pub(super) binds: bool,
}

/// The final list, as its provider binds the next thinking to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BoundList {
    /// What the next thinking is bound to; none without a session, which would keep it.
    pub(super) hash: Option<PrefixHash>,
    /// The last thinking block that stays.
    pub(super) thinking: Option<PrefixHash>,
    /// Blocks that are left out.
    pub(super) removed: usize,
}

/// The hash of a list as far as it was read.
struct BoundPrefix<'h> {
    hasher: &'h mut MessageHasher,
    hash: Sha256,
}

impl<'h> BoundPrefix<'h> {
    /// Begins with tools and system text, which are before all messages.
    fn new(hasher: &'h mut MessageHasher, slots: &[Slot], tools: &[ToolDefinition]) -> Self {
        let mut hash = Sha256::new();
        // A deferred tool that nothing refers to is no part of it.
        let shown = tools.iter().filter(|tool| !tool.is_deferred());
        hash.update(tools_hash(shown, HashScope::Bound).0);
        let mut prefix = Self { hasher, hash };
        for slot in slots.iter().filter(|slot| slot.message.is_hoisted()) {
            prefix.add(&slot.message);
        }
        prefix
    }

    fn add(&mut self, message: &Message) {
        self.hasher.message_into(&mut self.hash, message, HashScope::Bound);
    }

    fn now(&self) -> PrefixHash {
        finish_hash(self.hash.clone()).into()
    }
}

/// How the thinking of a message relates to the payload that it was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Binding {
    /// The same bytes are before it; with the thinking that was before it.
    Same(Option<PrefixHash>),
    /// Nothing is recorded, and no change is known.
    Unknown,
    Broken,
}

/// Removes the thinking that is bound to other bytes than those before it now.
pub(super) fn run(
    meter: &Meter<'_>,
    facts: &BindingFacts<'_>,
    slots: &mut Vec<Slot>,
    tools: &[ToolDefinition],
    hasher: &mut MessageHasher,
) -> Result<BoundList, StopReason> {
    let lengths = by_length(facts.sent);
    let mut prefix = facts.sent.map(|_| BoundPrefix::new(hasher, slots, tools));
    let mut run = ThinkingRun::default();
    let mut broken = Vec::new();
    for (at, slot) in slots.iter().enumerate().filter(|(_, slot)| !slot.message.is_hoisted()) {
        meter.check()?;
        let message = &slot.message;
        if let Some(thinking) = last_thinking(message) {
            let now = prefix.as_ref().map(BoundPrefix::now);
            let binding = find_binding(message.origin, now, facts, &lengths);
            if !run.add(at, binding, thinking) {
                broken.push(at);
            }
        }
        if let Some(prefix) = prefix.as_mut().filter(|_| !is_thinking_alone(message)) {
            prefix.add(message);
        }
    }
    let hash = prefix.as_ref().map(BoundPrefix::now);
    broken.extend(&run.given_up);
    broken.sort_unstable();
    let removed = remove(meter, slots, &broken)?;
    Ok(BoundList { hash, thinking: run.last, removed })
}

/// The unbroken run of thinking that stays.
#[derive(Debug, Default)]
struct ThinkingRun {
    kept: Vec<usize>,
    /// Blocks that were kept until a later one turned out not to follow them.
    given_up: Vec<usize>,
    last: Option<PrefixHash>,
    /// Whether thinking was left out after the last block of the run.
    has_gap: bool,
}

impl ThinkingRun {
    /// Adds the thinking of a message to the run, if it can stay.
    fn add(&mut self, at: usize, binding: Binding, thinking: PrefixHash) -> bool {
        let follows = match binding {
            Binding::Broken => {
                self.has_gap = true;
                return false;
            }
            Binding::Same(before) => self.last.is_none() || before == self.last,
            Binding::Unknown => !self.has_gap,
        };
        if !follows {
            self.given_up.append(&mut self.kept);
        }
        self.kept.push(at);
        self.last = Some(thinking);
        self.has_gap = false;
        true
    }
}

fn by_length(sent: Option<&SentHistory>) -> BTreeMap<u64, Vec<&SentPrefix>> {
    let mut found: BTreeMap<u64, Vec<&SentPrefix>> = BTreeMap::new();
    for prefix in sent.iter().flat_map(|sent| &sent.prefixes) {
        found.entry(prefix.length).or_default().push(prefix);
    }
    found
}

fn find_binding(
    origin: Option<usize>,
    now: Option<PrefixHash>,
    facts: &BindingFacts<'_>,
    lengths: &BTreeMap<u64, Vec<&SentPrefix>>,
) -> Binding {
    if !facts.binds {
        return Binding::Unknown;
    }
    let Some(origin) = origin else { return Binding::Broken };
    // The message is the reply to the payload whose list ended before it.
    if let Some(sent) = lengths.get(&(origin as u64)) {
        let same = sent.iter().rev().find(|prefix| Some(prefix.hash) == now);
        return same.map_or(Binding::Broken, |prefix| Binding::Same(prefix.thinking));
    }
    let is_broken = facts.forgets_tail || facts.broken.iter().any(|range| range.has(origin));
    if is_broken { Binding::Broken } else { Binding::Unknown }
}

/// Raw tokens that a message would not have without its thinking.
pub(super) fn thinking_tokens(meter: &Meter<'_>, message: &Message) -> Result<u64, StopReason> {
    if !message.parts.iter().any(is_thinking) {
        return Ok(0);
    }
    let whole = meter.message(message)?.real();
    if is_thinking_alone(message) {
        return Ok(whole);
    }
    let mut bare = message.clone();
    bare.parts.retain(|part| !is_thinking(part));
    Ok(whole.saturating_sub(meter.message(&bare)?.real()))
}

fn is_thinking(part: &Part) -> bool {
    matches!(part.content, Content::Thinking(_))
}

/// Whether nothing of a message is left without its thinking.
fn is_thinking_alone(message: &Message) -> bool {
    !message.parts.is_empty() && message.parts.iter().all(is_thinking)
}

/// The name of the last thinking block of a message.
fn last_thinking(message: &Message) -> Option<PrefixHash> {
    let part = message.parts.iter().rev().find(|part| is_thinking(part))?;
    let Content::Thinking(thinking) = &part.content else { return None };
    let text = match (&part.signature, &thinking.opaque) {
        (Some(signature), _) => &**signature,
        (None, Some(raw)) => raw.as_str(),
        (None, None) => &*thinking.text,
    };
    Some(ContentHash::of(text).into())
}

/// Removes the thinking of the slots at these indexes, and slots of which nothing is left. Returns the
/// number of blocks.
fn remove(meter: &Meter<'_>, slots: &mut Vec<Slot>, broken: &[usize]) -> Result<usize, StopReason> {
    let mut removed = 0;
    for at in broken {
        let Some(slot) = slots.get_mut(*at) else { continue };
        let before = slot.message.parts.len();
        slot.message.parts.retain(|part| !is_thinking(part));
        removed += before - slot.message.parts.len();
        slot.cost = meter.message(&slot.message)?;
    }
    let mut at = 0;
    slots.retain(|slot| {
        let is_gone = slot.message.parts.is_empty() && broken.binary_search(&at).is_ok();
        at += 1;
        !is_gone
    });
    Ok(removed)
}
