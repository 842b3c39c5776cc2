//! `context_read`: reads back a text that was cleared.

use std::borrow::Cow;

use super::{ToolAnswer, object, text};
use crate::domain::{ArtifactId, ToolCall};
use crate::json;
use crate::service::{Error, Services, artifacts};

/// Reads an artifact, or the part of it that the call asks for.
pub(crate) fn carry_out(services: &Services, call: &ToolCall) -> Result<ToolAnswer, Error> {
    let wanted = object(call).and_then(|arguments| {
        let id = text(call, &arguments, "id")?.to_owned();
        let part =
            |key: &str| arguments.get(key).and_then(serde_json::Value::as_str).map(str::to_owned);
        Ok((id, part("lines"), part("query")))
    });
    let (id, lines, query) = match wanted {
        Ok(wanted) => wanted,
        Err(refused) => return Ok(refused),
    };
    let too_long = || {
        let id = json::beginning(&id);
        let reason = format!(
            "\"{id}\" is too long to be read here; ask for fewer `lines`, or for a `query`."
        );
        Ok(ToolAnswer::Refused(reason))
    };
    // Every call of a request may read the same artifact, so the texts are limited in sum.
    if services.allowance().check().is_err() {
        return too_long();
    }
    let found = match ArtifactId::parse(&id) {
        Some(id) => artifacts::find::<Error>(services, id)?,
        None => None,
    };
    let Some((_, found)) = found else {
        return Ok(ToolAnswer::Refused(format!(
            "There is nothing of the id \"{}\".",
            json::beginning(&id)
        )));
    };
    let lines = match lines.as_deref().map(artifacts::parse_lines) {
        Some(None) => {
            let reason = "`lines` must be like 10-20, 10- or 10.";
            return Ok(ToolAnswer::Refused(reason.to_owned()));
        }
        Some(lines) => lines,
        None => None,
    };
    let (first, last) = lines.unwrap_or((1, usize::MAX));
    let Some(part) = artifacts::lines(&found, first, last) else {
        return Ok(ToolAnswer::Refused(format!("It ends before line {first}.")));
    };
    let text = match query.filter(|query| !query.is_empty()) {
        Some(query) => match artifacts::search(part, &query, first, services.allowance()) {
            Ok(found) => Cow::Owned(found),
            Err(_) => return too_long(),
        },
        None => Cow::Borrowed(part),
    };
    // The text is in its result and in the response.
    services.reserve_more(text.len() * 2)?;
    match services.allowance().take(json::string_bytes(&text)) {
        Ok(()) => Ok(ToolAnswer::Done(text.into_owned())),
        Err(_) => too_long(),
    }
}
