//! Messages on their way into the payload, each with its count and the part it belongs to.

use super::StopReason;
use super::measure::{Cost, Meter};
use crate::domain::{Message, Role};

/// The parts that the report distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartName {
    System,
    Skill,
    Memory,
    History,
    Tail,
}

/// One message of the assembled list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slot {
    pub(super) message: Message,
    pub(super) cost: Cost,
    pub(super) part: PartName,
    /// Raw tokens of the message that a stitched tail or note makes up, or state: they change with
    /// every compile.
    pub(super) tail: u64,
    /// Whether the caller wants it kept verbatim.
    pub(super) fixed: bool,
}

impl Slot {
    pub(super) fn new(
        meter: &Meter<'_>,
        message: Message,
        part: PartName,
    ) -> Result<Self, StopReason> {
        let cost = meter.message(&message)?;
        Ok(Self { message, cost, part, tail: 0, fixed: false })
    }

    /// Whether the slot, or its end, is not the same in the next compile. `hoists_system`: the target
    /// has its system text before all messages, where an output block stays in its place.
    pub(super) fn changes(&self, hoists_system: bool) -> bool {
        let stays = hoists_system && self.message.role == Role::System;
        self.tail > 0 || (self.part == PartName::Tail && !stays)
    }
}
