//! Applies the results of hooks to a list on its own: edits in the list's own shape.

use std::collections::BTreeMap;

use super::output::{Edit, splice};
use crate::domain::{Message, Part, ReplacedResult, ToolResult};
use crate::pipeline::points::result::{self, ResultInput};
use crate::pipeline::{Error, HookPort};
use crate::provider::{ContentWrap, MessageText, ResultTexts, message_texts};
use crate::request::MessageList;

/// A result of the list.
struct ResultPlace<'l> {
    /// The index of its message.
    at: usize,
    input: String,
    tool: Option<String>,
    old: &'l ToolResult,
    /// The places of its texts; none if they are not known.
    answered: Option<ResultTexts>,
}

/// A list with results that hooks changed.
#[derive(Debug)]
pub struct ChangedList {
    /// Its JSON text.
    pub json: String,
    pub replaced: Vec<ReplacedResult>,
}

/// Calls the hooks at `tool_result` for a list, and returns the new list; none if it is unchanged.
pub fn ask_results(
    asks: &mut dyn HookPort,
    list: &MessageList<'_, '_>,
) -> Result<Option<ChangedList>, Error> {
    let places = places(list);
    let fits: Vec<_> = places
        .iter()
        .map(|place| {
            move |new: &ToolResult| match edits(place, new) {
                Some(_) => Ok(()),
                None => Err("/result: in this shape a text takes the place of a text".to_owned()),
            }
        })
        .collect();
    let asked: Vec<ResultInput<'_>> = places
        .iter()
        .zip(&fits)
        .map(|(place, fits)| ResultInput {
            input: &place.input,
            tool: place.tool.as_deref(),
            old: place.old,
            fits,
        })
        .collect();
    let changed = result::ask_each(asks, &asked)?;
    let mut by_item: BTreeMap<usize, Vec<Edit>> = BTreeMap::new();
    let mut replaced = Vec::new();
    for (place, new) in places.iter().zip(changed) {
        let Some(new) = new else { continue };
        if let Some(edits) = edits(place, &new) {
            by_item.entry(place.at).or_default().extend(edits);
            replaced.push(ReplacedResult { old: place.old.clone(), new });
        }
    }
    if by_item.is_empty() {
        return Ok(None);
    }
    let mut out = String::from("[");
    for (at, item) in list.items.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        match by_item.get(&at) {
            Some(edits) => out.push_str(&splice(item.raw, edits)),
            None => out.push_str(item.raw),
        }
    }
    out.push(']');
    Ok(Some(ChangedList { json: out, replaced }))
}

fn places<'l>(list: &'l MessageList<'_, '_>) -> Vec<ResultPlace<'l>> {
    let history = &list.conversation.history;
    let calls = result::calls_of(history);
    let mut of_item: BTreeMap<usize, Vec<&Message>> = BTreeMap::new();
    for message in history.iter().filter(|message| message.tool_results().next().is_some()) {
        if let Some(at) = message.origin {
            of_item.entry(at).or_default().push(message);
        }
    }
    let mut places = Vec::new();
    for (at, messages) in of_item {
        let item = list.items.get(at).map(message_texts).unwrap_or_default();
        let answered = item.into_iter().filter_map(|spoken| match spoken {
            MessageText::Result(answered) => Some(answered),
            _ => None,
        });
        let answered: Vec<ResultTexts> = answered.collect();
        let known = answered.len() == messages.len();
        for (nth, message) in messages.into_iter().enumerate() {
            let (Some(input), Some(old)) =
                (result::input(message, &calls), message.tool_results().next())
            else {
                continue;
            };
            let named = calls.get(&old.call_id).map(|call| &call.name);
            let tool = old.name.as_ref().or(named).map(ToString::to_string);
            let answered = answered.get(nth).filter(|_| known).cloned();
            places.push(ResultPlace { at, input, tool, old, answered });
        }
    }
    places
}

/// The edits that replace the old result by a new one; none if no text can.
fn edits(place: &ResultPlace<'_>, new: &ToolResult) -> Option<Vec<Edit>> {
    let answered = place.answered.as_ref()?;
    let fails = |result: &ToolResult| result.is_error == Some(true);
    if fails(place.old) != fails(new) {
        return None;
    }
    let texts: Vec<&str> = new
        .content
        .iter()
        .map(|part| Part::as_text(part).map(|text| &**text))
        .collect::<Option<_>>()?;
    let slots = &answered.slots;
    if slots.len() == place.old.content.len() && slots.len() == texts.len() {
        let edit = |(slot, text): (&crate::provider::TextSlot, &&str)| Edit {
            at: slot.raw.clone(),
            text: (*text).into(),
            wrap: ContentWrap::Text,
        };
        return Some(slots.iter().zip(&texts).map(edit).collect());
    }
    match (texts.as_slice(), &answered.content) {
        ([text], Some((at, wrap))) => {
            Some(vec![Edit { at: at.clone(), text: (*text).into(), wrap: *wrap }])
        }
        _ => None,
    }
}
