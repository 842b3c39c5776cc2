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
        saved.push(if shortens { shorten(meter, arrivals, message) } else { 0 });
        costs.push(meter.message(message)?);
    }
    Ok(Output { costs, saved })
}

fn shorten(meter: &Meter<'_>, arrivals: &Arrivals, message: &mut Message) -> u64 {
    let mut saved = 0;
    let results = message.parts.iter_mut().filter_map(|part| match &mut part.content {
        Content::ToolResult(result) => Some(&mut result.content),
        _ => None,
    });
    for content in results {
        for Part { content, .. } in content {
            let Content::Text(text) = content else { continue };
            let arrival = arrivals.form(meter.counter(), meter.tokenizer(), text);
            if let Some(form) = arrival.form {
                saved += arrival.tokens_before - arrival.tokens_after;
                *text = form;
            }
        }
    }
    saved
}
