//! The on-arrival form of tool results, and the count of every message.

use super::Stopped;
use super::measure::{Cost, Meter};
use crate::compress::Arrivals;
use crate::domain::{Content, Message, Part, Role};
use crate::request::OnArrival;

/// What is known of each message on arrival.
#[derive(Debug)]
pub(super) struct Output {
    /// One for each message, in its form on arrival.
    pub(super) costs: Vec<Cost>,
    /// Raw tokens that each message's form saves.
    pub(super) saved: Vec<u64>,
}

pub(super) fn run(
    meter: &Meter<'_>,
    arrivals: &Arrivals,
    history: &mut [Message],
    protected: &[bool],
    on_arrival: OnArrival,
) -> Result<Output, Stopped> {
    let mut costs = Vec::with_capacity(history.len());
    let mut saved = Vec::with_capacity(history.len());
    for (message, protected) in history.iter_mut().zip(protected) {
        meter.check()?;
        let shortens =
            on_arrival == OnArrival::Lossless && message.role == Role::Tool && !protected;
        if !shortens {
            saved.push(0);
            costs.push(meter.message(message)?);
            continue;
        }
        let (won, known) = shorten(meter, arrivals, message);
        let mut known = known.into_iter();
        saved.push(won);
        // Every text was counted when its form was found.
        costs.push(meter.message_by(message, &mut |text| match known.next() {
            Some(tokens) => Ok(tokens),
            None => meter.text(text),
        })?);
    }
    Ok(Output { costs, saved })
}

/// Gives the texts of a tool result their form; tells what that saves, and what each text takes.
fn shorten(meter: &Meter<'_>, arrivals: &Arrivals, message: &mut Message) -> (u64, Vec<u64>) {
    let (mut saved, mut known) = (0, Vec::new());
    let texts = message.parts.iter_mut().flat_map(|part| match &mut part.content {
        Content::ToolResult(result) => result.content.as_mut_slice(),
        _ => &mut [],
    });
    for Part { content, .. } in texts {
        let Content::Text(text) = content else { continue };
        let arrival = arrivals.form(meter.counter(), meter.tokenizer(), text);
        known.push(arrival.tokens_after);
        if let Some(form) = arrival.form {
            saved += arrival.tokens_before - arrival.tokens_after;
            *text = form;
        }
    }
    (saved, known)
}
