//! Calls of Anthropic's server tools and what they found: the API refuses one without the other, but for
//! calls that it still has to answer
//! (<https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools>).

use std::collections::{HashMap, HashSet};

use super::call_half::CallHalf;
use super::{ConversationAdapter, MessageRegion, pointer};
use crate::domain::{HalfFamily, Message, Part, Role, Target, program_of};

/// What becomes of a half.
enum Fate {
    Stays,
    /// What was found goes after its call.
    Moves,
    Goes,
}

impl ConversationAdapter<'_> {
    /// Moves what a server tool found to after its call, and removes halves without the other.
    pub(super) fn server_tools(&mut self, history: &mut Vec<Message>) {
        if self.target != Target::Anthropic {
            return;
        }
        // In the order of the parts, each of which is read once.
        let parts = history.iter().flat_map(|message| &message.parts);
        let halves: Vec<Option<CallHalf>> =
            parts.map(|part| CallHalf::new(part, HalfFamily::ServerTool)).collect();
        if halves.iter().all(Option::is_none) {
            return;
        }
        let fates = find_fates(history, &halves);
        let mut moved = self.take_out(history, &halves, &fates);
        if !moved.is_empty() {
            for message in history.iter_mut().filter(|message| message.role == Role::Assistant) {
                put_behind(message, &mut moved);
            }
        }
        history.retain(|message| !message.parts.is_empty() || !message.extra.is_empty());
    }

    /// Takes out what goes and what moves; what moves is returned by the ids of the calls.
    fn take_out(
        &mut self,
        history: &mut [Message],
        halves: &[Option<CallHalf>],
        fates: &[Fate],
    ) -> HashMap<String, Part> {
        let mut moved = HashMap::new();
        let mut next = halves.iter().zip(fates);
        for message in history {
            let (mut calls, mut results, mut late) = (0, 0, 0);
            let mut kept = Vec::with_capacity(message.parts.len());
            for part in std::mem::take(&mut message.parts) {
                match next.next() {
                    Some((Some(CallHalf::Output(id)), Fate::Moves)) => {
                        late += 1;
                        moved.insert(id.clone(), part);
                    }
                    Some((Some(CallHalf::Output(_)), Fate::Goes)) => results += 1,
                    Some((Some(CallHalf::Call(_)), Fate::Goes)) => calls += 1,
                    _ => kept.push(part),
                }
            }
            message.parts = kept;
            let at = pointer(self.source, message.origin, MessageRegion::History);
            self.note_halves(
                &at,
                [("unanswered_call", calls), ("orphan_result", results), ("late_result", late)],
            );
        }
        moved
    }
}

/// What becomes of each half. Messages between two of the user's belong together: a call of a tool at
/// the client may have their results before those of the server.
fn find_fates(history: &[Message], halves: &[Option<CallHalf>]) -> Vec<Fate> {
    let mut run = 0_usize;
    let places = history.iter().flat_map(|message| {
        let is_user = message.role == Role::User;
        run += usize::from(is_user);
        message.parts.iter().map(move |_| (run, is_user))
    });
    let places: Vec<(usize, bool)> = places.collect();
    let last = places.last().map_or(0, |(run, _)| *run);
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut found = HashSet::new();
    let mut fates = Vec::with_capacity(halves.len());
    for (half, (run, is_user)) in halves.iter().zip(&places) {
        fates.push(match half {
            Some(CallHalf::Call(id)) => {
                open.insert(id, *run);
                Fate::Stays
            }
            Some(CallHalf::Output(id)) => match open.remove(id.as_str()) {
                Some(used) => {
                    found.insert(id.as_str());
                    if used == *run && !is_user { Fate::Stays } else { Fate::Moves }
                }
                None => Fate::Goes,
            },
            None => Fate::Stays,
        });
    }
    // A program whose calls are there stays with them.
    let programs: HashSet<String> =
        history.iter().flat_map(|message| &message.parts).filter_map(program_of).collect();
    for ((half, fate), (run, _)) in halves.iter().zip(&mut fates).zip(&places) {
        if let Some(CallHalf::Call(id)) = half {
            let is_pending = *run == last || programs.contains(id);
            if !is_pending && !found.contains(id.as_str()) {
                *fate = Fate::Goes;
            }
        }
    }
    fates
}

/// Puts what was found after its call.
fn put_behind(message: &mut Message, moved: &mut HashMap<String, Part>) {
    let mut parts = Vec::with_capacity(message.parts.len());
    for part in std::mem::take(&mut message.parts) {
        let result = match CallHalf::new(&part, HalfFamily::ServerTool) {
            Some(CallHalf::Call(id)) => moved.remove(&id),
            _ => None,
        };
        parts.push(part);
        parts.extend(result);
    }
    message.parts = parts;
}
