//! Stage 1: what is wanted, as the catalogue has it. Nothing is guessed.

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use crate::pack::{Intent, Refusal, RefusalCode};

pub(super) struct Input<'i> {
    pub(super) catalog: &'i [Intent],
    pub(super) proposed: Option<&'i Arc<str>>,
    pub(super) pinned: Option<&'i Arc<str>>,
    pub(super) pinned_class: Option<&'i Arc<str>>,
    pub(super) channel: Option<&'i Arc<str>>,
    pub(super) locale: Option<&'i Arc<str>>,
}

/// The row; its id is the request's, letter for letter.
pub(super) fn run(input: &Input<'_>) -> Result<Intent, Refusal> {
    let refuse = |code, detail: String| Refusal::new(code, Some("intent"), detail);
    let Some(proposed) = input.proposed else {
        let refusal = refuse(RefusalCode::IntentMissing, "the request names no intent".to_owned());
        return Err(refusal.at("/request/input/intent"));
    };
    let Some(row) = input.catalog.iter().find(|row| row.id == *proposed) else {
        let allowed: Vec<&str> = input.catalog.iter().map(|row| &*row.id).collect();
        let detail = format!("no intent of the pack is `{proposed}`: {}", allowed.join(", "));
        let refusal = refuse(RefusalCode::IntentUnknown, detail).at("/request/input/intent");
        return Err(refusal.with(json!({ "allowed": allowed })));
    };
    if let Some(pinned) = input.pinned.filter(|pinned| **pinned != row.id) {
        let detail = format!("the run is for `{pinned}`, the request for `{}`", row.id);
        return Err(refuse(RefusalCode::IntentMismatch, detail).at("/run_context/intent"));
    }
    if let Some(class) = input.pinned_class.filter(|class| **class != row.class) {
        let detail =
            format!("the run is for the class `{class}`, the intent is of `{}`", row.class);
        return Err(refuse(RefusalCode::IntentMismatch, detail).at("/run_context/intent_class"));
    }
    let is_out = |list: &[Arc<str>], given: Option<&Arc<str>>| {
        !list.is_empty() && !given.is_some_and(|given| list.contains(given))
    };
    for (list, given, code, name) in [
        (&row.channels, input.channel, RefusalCode::IntentChannelUnsupported, "channel"),
        (&row.locales, input.locale, RefusalCode::IntentLocaleUnsupported, "locale"),
    ] {
        if is_out(list, given) {
            let given = given.map_or("none", |given| given);
            let detail = format!("`{}` is not for the {name} `{given}`", row.id);
            let refusal = refuse(code, detail).at(&format!("/request/input/{name}"));
            return Err(refusal.with(json!({ "allowed": list })));
        }
    }
    Ok(row.clone())
}

/// The intent as a row.
#[derive(Serialize)]
pub(super) struct IntentRow<'i> {
    id: &'i str,
    class: &'i str,
    task: &'i str,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk_class: Option<&'i str>,
}

pub(super) fn row(intent: &Intent) -> IntentRow<'_> {
    let risk_class = intent.risk_class.as_deref();
    IntentRow { id: &intent.id, class: &intent.class, task: &intent.task, risk_class }
}
