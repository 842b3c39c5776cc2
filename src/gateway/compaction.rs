//! What a compaction point decided about the messages before it, and its stored form.
//!
//! A point is known by the place of the last message of the request that passed it. All of the messages
//! before the newest ones of that request have their forms from it, in every later request that
//! continues the list: what was decided about them before does not count any more.

use super::decision::MessageDecision;
use super::lineage::LineageHash;
use super::outline::{OutlinedMessage, RequestOutline};

/// The version of the stored form, its first byte.
const VERSION: u8 = 1;
/// The stored form of a point at which nothing was decided.
pub const NO_COMPACTION: &[u8] = &[0];
/// What is hashed after the place of a message.
const DOMAIN: &[u8] = b"compaction";
/// The stored number of no message.
const NONE: u64 = u64::MAX;

/// A message of the list, and what was decided about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactedMessage {
    /// Its index in the list.
    pub index: usize,
    pub decision: MessageDecision,
}

/// The decision of a compaction point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compaction {
    /// The messages with forms, in order. All others before the point stay as they came.
    pub messages: Vec<CompactedMessage>,
    /// Signed thinking after this message and before the point is left out, since it is bound to bytes
    /// that have changed. None if the model does not bind it.
    pub unbound_from: Option<usize>,
}

/// A place at which a request may have passed a compaction point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionPlace {
    /// The index of the last message of the request.
    pub last: usize,
    /// The messages before this one are compacted: all up to the last one of the model.
    pub end: usize,
}

impl LineageHash {
    /// The hash by which the compaction of a request with this last message is known.
    #[must_use]
    pub fn of_compaction(&self) -> Self {
        Self(*blake3::Hasher::new().update(&self.0).update(DOMAIN).finalize().as_bytes())
    }
}

impl RequestOutline {
    /// The places at which this list, or a shorter one that it continues, may have passed a point: the
    /// last messages before each response of the model, and the last one of all.
    pub fn compaction_places(&self) -> Vec<CompactionPlace> {
        let mut places = Vec::new();
        let mut end = 0;
        for (last, message) in self.messages.iter().enumerate() {
            if message.is_of_model {
                end = last + 1;
            } else if end > 0 && self.messages.get(last + 1).is_none_or(|next| next.is_of_model) {
                places.push(CompactionPlace { last, end });
            }
        }
        places
    }
}

impl Compaction {
    /// The decision about a message; none if it stays as it came.
    pub fn decision(&self, index: usize) -> Option<&MessageDecision> {
        let at = self.messages.binary_search_by_key(&index, |own| own.index).ok()?;
        self.messages.get(at).map(|own| &own.decision)
    }

    /// Bytes of its forms.
    pub fn bytes(&self) -> usize {
        self.messages.iter().map(|own| own.decision.bytes()).sum()
    }

    /// Returns the stored form, given the list.
    pub fn pack(&self, messages: &[OutlinedMessage]) -> Vec<u8> {
        let mut out = vec![VERSION];
        let unbound = self.unbound_from.map_or(NONE, |index| index as u64);
        out.extend_from_slice(&unbound.to_le_bytes());
        for CompactedMessage { index, decision } in &self.messages {
            let Some(message) = messages.get(*index) else { continue };
            let packed = decision.pack(message);
            out.extend_from_slice(&(*index as u64).to_le_bytes());
            out.extend_from_slice(&(packed.len() as u64).to_le_bytes());
            out.extend_from_slice(&packed);
        }
        out
    }

    /// Reads the stored form, given the list; none if nothing was decided, or if it is damaged.
    pub fn unpack(mut packed: &[u8], messages: &[OutlinedMessage]) -> Option<Self> {
        if *packed.split_off_first()? != VERSION {
            return None;
        }
        let unbound = number(&mut packed)?;
        let mut found = Self { messages: Vec::new(), unbound_from: usize::try_from(unbound).ok() };
        found.unbound_from = found.unbound_from.filter(|_| unbound != NONE);
        while !packed.is_empty() {
            let index = usize::try_from(number(&mut packed)?).ok()?;
            let bytes = usize::try_from(number(&mut packed)?).ok()?;
            let (own, rest) = packed.split_at_checked(bytes)?;
            packed = rest;
            let decision = MessageDecision::unpack(own, messages.get(index)?)?;
            found.messages.push(CompactedMessage { index, decision });
        }
        found.messages.is_sorted_by_key(|own| own.index).then_some(found)
    }
}

fn number(packed: &mut &[u8]) -> Option<u64> {
    let (number, rest) = packed.split_first_chunk::<8>()?;
    *packed = rest;
    Some(u64::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::outline::{GroupKind, RequestText, TextGroup};
    use crate::gateway::{DecidedText, ProviderEndpoint, TextDigest};

    fn message(text: Option<&str>) -> OutlinedMessage {
        let text = text.map(|text| RequestText { span: 0..0, text: text.into() });
        let group = TextGroup {
            kind: GroupKind::Result,
            tool: None,
            is_fixed: false,
            is_of_program: false,
            texts: text.clone().into_iter().collect(),
        };
        let groups = text.iter().map(|_| group.clone()).collect();
        OutlinedMessage { hash: [7; 32], is_of_model: text.is_none(), groups, block_place: None }
    }

    fn list() -> Vec<OutlinedMessage> {
        [Some("ask"), None, Some("one"), Some("two"), None, None, Some("three")].map(message).into()
    }

    fn outlined(messages: Vec<OutlinedMessage>) -> RequestOutline {
        RequestOutline {
            endpoint: ProviderEndpoint::Messages,
            model: None,
            messages,
            thinking: Vec::new(),
            is_summary_request: false,
            is_in_sight: true,
            read_tool: None,
        }
    }

    fn compaction(unbound_from: Option<usize>) -> Compaction {
        let decision = |text: &str| {
            let digest = TextDigest::of(text);
            let form = DecidedText { digest, occurrence: 0, form: "…".into(), saved_tokens: 1 };
            MessageDecision { forms: vec![form] }
        };
        let own = |index, text| CompactedMessage { index, decision: decision(text) };
        Compaction { messages: vec![own(2, "one"), own(3, "two")], unbound_from }
    }

    #[test]
    fn points_are_after_the_last_messages_before_a_response() {
        let outline = outlined(list());
        let places: Vec<_> =
            outline.compaction_places().iter().map(|place| (place.last, place.end)).collect();
        assert_eq!(places, [(3, 2), (6, 6)]);
        let shorter = outlined(list()[..4].into());
        assert_eq!(shorter.compaction_places(), outline.compaction_places()[..1]);
        let first = outlined(list()[..1].into());
        assert_eq!(first.compaction_places(), []);
    }

    #[test]
    fn a_compaction_is_restored_from_the_list_that_comes_again() {
        for unbound_from in [None, Some(2)] {
            let compaction = compaction(unbound_from);
            let packed = compaction.pack(&list());
            assert_eq!(Compaction::unpack(&packed, &list()).as_ref(), Some(&compaction));
            assert!(compaction.decision(3).is_some() && compaction.decision(4).is_none());
            for length in 0..packed.len() {
                let found = Compaction::unpack(&packed[..length], &list());
                assert_ne!(found.as_ref(), Some(&compaction), "{length}");
            }
            assert_eq!(Compaction::unpack(&packed, &list()[..3]), None);
        }
        assert_eq!(Compaction::unpack(NO_COMPACTION, &list()), None);
    }

    #[test]
    fn a_point_has_another_hash_than_its_message() {
        let place = LineageHash([1; 32]);
        assert_ne!(place.of_compaction(), place);
        assert_ne!(place.of_compaction(), LineageHash([2; 32]).of_compaction());
    }
}
