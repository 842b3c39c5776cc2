//! `transform_context`: the complete assembled list, as hooks see it and as they leave it.

use super::list::{AcceptedMessage, ShownMessages};
use crate::domain::{Notes, Role, Target};
use crate::hook::{PointInput as _, TransformContextInput};
use crate::json::{Faults, Node};
use crate::pipeline::StopReason;
use crate::pipeline::measure::Meter;
use crate::pipeline::slot::{PartName, Slot};
use crate::provider;
use crate::request::CompileRequest;

/// The input of hooks.
pub(crate) fn input(request: &CompileRequest, seen: &ShownMessages) -> String {
    let model = &*request.model.name;
    TransformContextInput {
        target: request.target.as_str(),
        model: (!model.is_empty()).then_some(model),
        messages: seen.json(),
    }
    .to_json()
}

/// The input of hooks about a payload that somebody else wrote: it is shown and stays as it is. What
/// cannot be read of it is not shown.
pub fn sent_input(payload: &Node<'_>, target: Target, model: Option<&str>) -> String {
    let (mut faults, mut notes) = (Faults::default(), Notes::default());
    let read = provider::read(payload, target.into(), &mut faults, &mut notes);
    let seen = ShownMessages::new(read.system.iter().chain(&read.history));
    let (target, model) = (target.as_str(), model.filter(|model| !model.is_empty()));
    TransformContextInput { target, model, messages: seen.json() }.to_json()
}

/// Whether every message of a list is in another one, in the same order.
pub(crate) fn holds_all(list: &[Slot], messages: &[Slot]) -> bool {
    let mut rest = list.iter();
    messages.iter().all(|own| rest.any(|slot| slot.message == own.message))
}

/// The assembled list of the messages that hooks returned, counted if they changed.
pub(crate) fn apply(
    meter: &Meter<'_>,
    slots: &[Slot],
    accepted: Vec<AcceptedMessage>,
) -> Result<Vec<Slot>, StopReason> {
    let mut leads = true;
    let mut changed = Vec::with_capacity(accepted.len());
    for AcceptedMessage { message, of } in accepted {
        leads &= message.role == Role::System;
        let old = of.and_then(|at| slots.get(at));
        changed.push(match old {
            Some(old) if old.message == message => old.clone(),
            Some(old) => {
                let slot = Slot::new(meter, message, old.part)?;
                // The tail is on top of the message's own tokens; the rest is the tail.
                let stands_on = old.cost.real().saturating_sub(old.tail);
                let tail =
                    if old.tail > 0 { slot.cost.real().saturating_sub(stands_on) } else { 0 };
                Slot { tail, fixed: old.fixed, ..slot }
            }
            None if leads => Slot::new(meter, message, PartName::System)?,
            None => Slot::new(meter, message, PartName::History)?,
        });
    }
    Ok(changed)
}
