//! Artifacts: stores a long text, reads it in whole or in part, removes it.

use std::time::Duration;

use super::idempotency::{IdempotentRequest, remember};
use super::{Error, MemoryTaken, Services, StoreError};
pub use crate::compress::OffloadLimits;
use crate::domain::{Artifact, ArtifactId, ContentHash};
use crate::json::{self, Faults, Limits, MAX_WHOLE_NUMBER, Path};
use crate::limit::{Allowance, AllowanceExceeded, PaidText};
use crate::request::Fields;
pub use crate::store::Cleanup;
use crate::store::{Batch, Caps, Tx};

/// The media type of a text that came without one.
pub(super) const TEXT: &str = "text/plain; charset=utf-8";

const OFFLOAD_KEYS: &[&str] = &["text", "threshold", "head_chars", "tail_chars"];
const CLEANUP_KEYS: &[&str] = &["max_age_seconds", "max_count", "max_bytes"];

/// Result of offloading a text.
#[derive(Debug)]
pub enum OffloadResult {
    /// The text is too short: nothing was stored.
    Kept(String),
    /// The text is stored; `marker` replaces it.
    Stored { artifact: Artifact, marker: String },
}

/// Writes the response that is replayed if a request is repeated.
pub type OffloadReply = fn(&OffloadResult) -> String;

/// Offloads the text in `body`: `{"text", "threshold"?, "head_chars"?, "tail_chars"?}`.
pub fn offload(
    services: &Services,
    body: &str,
    once: Option<&IdempotentRequest>,
    tell: OffloadReply,
) -> Result<OffloadResult, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let fields = Fields::read(&node, Path::Root, OFFLOAD_KEYS, &mut faults);
    let text = fields.and_then(|fields| {
        if fields.get("text").is_none() {
            fields.fault("text", "is missing", &mut faults);
        }
        fields.text("text", &mut faults)
    });
    let options = fields.map(|fields| {
        let default = OffloadLimits::default();
        let mut whole = |key| fields.whole(key, 0, MAX_WHOLE_NUMBER, &mut faults);
        OffloadLimits {
            threshold: whole("threshold").unwrap_or(default.threshold),
            head: whole("head_chars").unwrap_or(default.head),
            tail: whole("tail_chars").unwrap_or(default.tail),
        }
    });
    match (text, options) {
        (Some(text), Some(options)) if faults.is_empty() => {
            offload_text(services, text, &options, once, tell)
        }
        _ => Err(Error::Invalid(faults.into_vec())),
    }
}

/// Offloads a text.
pub fn offload_text(
    services: &Services,
    text: &str,
    options: &OffloadLimits,
    once: Option<&IdempotentRequest>,
    tell: OffloadReply,
) -> Result<OffloadResult, Error> {
    let id = ArtifactId::from(&ContentHash::of(text));
    let once = once.cloned();
    let Some(marker) = options.apply(text, id) else {
        let kept = OffloadResult::Kept(text.to_owned());
        if once.is_some() {
            let answer = tell(&kept);
            let note = move |tx: &Tx<'_>| remember(once.as_ref(), tx, || answer.clone());
            services.tenant().write(note)?;
        }
        return Ok(kept);
    };
    let mut batch = Batch::default();
    batch.artifact(text, TEXT);
    let stored_marker = marker.clone();
    let committed = services.awaited_tenant().commit_with(batch, move |tx, artifacts| {
        let Some(artifact) = artifacts.first() else { return Ok(()) };
        let stored =
            OffloadResult::Stored { artifact: artifact.clone(), marker: stored_marker.clone() };
        remember(once.as_ref(), tx, || tell(&stored))
    })?;
    Ok(match committed.artifacts.into_iter().next() {
        Some(artifact) => OffloadResult::Stored { artifact, marker },
        None => OffloadResult::Kept(text.to_owned()),
    })
}

/// Finds an artifact and its text; none if there is no artifact of this id. Reserves memory for the
/// text before it is read.
pub fn find<E>(services: &Services, id: ArtifactId) -> Result<Option<(Artifact, String)>, E>
where
    E: From<StoreError> + From<MemoryTaken>,
{
    let Some(bytes) = services.tenant().read(|tx| tx.artifact_bytes(id))? else { return Ok(None) };
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    services.reserve_more(bytes)?;
    Ok(services.tenant().artifact(id)?)
}

/// Removes an artifact; returns whether it existed.
pub fn delete(services: &Services, id: ArtifactId) -> Result<bool, Error> {
    Ok(services.tenant().delete_artifact(id)?)
}

/// Removes artifacts beyond the caps in `body`; an absent cap is that of the settings.
pub fn cleanup(services: &Services, body: &str) -> Result<Cleanup, Error> {
    let node = json::parse_or_empty(body)?;
    let mut faults = Faults::default();
    let caps = Fields::read(&node, Path::Root, CLEANUP_KEYS, &mut faults).map(|fields| {
        let mut whole = |key| fields.whole(key, 0, MAX_WHOLE_NUMBER, &mut faults);
        Caps {
            max_age: whole("max_age_seconds").map(Duration::from_secs),
            max_count: whole("max_count"),
            max_bytes: whole("max_bytes"),
        }
    });
    match caps {
        Some(caps) if faults.is_empty() => Ok(services.tenant().cleanup(&caps)?),
        _ => Err(Error::Invalid(faults.into_vec())),
    }
}

/// Reads `a-b`, `a-` or `a`: the numbers of the first line and the last.
pub fn parse_lines(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |digits: &str| {
        let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
        digits.parse::<usize>().ok().filter(|_| is_number)
    };
    let last = if last.is_empty() { usize::MAX } else { number(last)? };
    let first = number(first)?;
    (1 <= first && first <= last).then_some((first, last))
}

/// The lines from `first` to `last`, counted from one, with their line feeds; none if the text ends
/// before.
pub fn lines(text: &str, first: usize, last: usize) -> Option<&str> {
    let mut starts =
        std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    let start = starts.nth(first.checked_sub(1)?)?;
    // The start of the line after the last one.
    let end = starts.nth(last.checked_sub(first)?).unwrap_or(text.len());
    text.get(start..end)
}

/// Finds the lines of `text` that contain `words`, in any case. Each has its number; the first line
/// is `first`.
///
/// # Errors
/// The lines would take more than the allowance has left.
pub fn search(
    text: &str,
    words: &str,
    first: usize,
    allowance: &Allowance,
) -> Result<String, AllowanceExceeded> {
    let words = words.to_lowercase();
    find_lines(text, first, allowance, &|line| line.contains(&words))
}

/// Finds the lines whose lower-case text fits, each after its number.
pub(super) fn find_lines(
    text: &str,
    first: usize,
    allowance: &Allowance,
    fits: &dyn Fn(&str) -> bool,
) -> Result<String, AllowanceExceeded> {
    let mut found = PaidText::new(allowance);
    for (line, number) in text.split('\n').zip(first..) {
        if fits(&line.to_lowercase()) {
            for piece in [&number.to_string(), ":", line, "\n"] {
                found.push_str(piece)?;
            }
        }
    }
    Ok(found.into_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_out_byte_for_byte() {
        let text = "one\r\ntwo\n\nfour\n";
        assert_eq!(lines(text, 1, 1), Some("one\r\n"));
        assert_eq!(lines(text, 2, 4), Some("two\n\nfour\n"));
        assert_eq!(lines(text, 4, 99), Some("four\n"));
        assert_eq!(lines(text, 5, 5), Some(""));
        assert_eq!(lines(text, 6, 6), None);
        assert_eq!(lines(text, 0, 1), None);
        assert_eq!(lines(text, 3, 2), None);
        assert_eq!(lines("x", 1, usize::MAX), Some("x"));
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!(parse_lines("10-20"), Some((10, 20)));
        assert_eq!(parse_lines("7"), Some((7, 7)));
        assert_eq!(parse_lines("7-"), Some((7, usize::MAX)));
        for bad in ["", "-", "0-1", "2-1", "-5", "a-b", "1-2-3", "+1-2", "1,2"] {
            assert_eq!(parse_lines(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_search_gives_lines_with_their_numbers() {
        let found = |text, words, first| search(text, words, first, &Allowance::default()).unwrap();
        let text = "Error: one\nfine\nan ERROR: two";
        assert_eq!(found(text, "error:", 1), "1:Error: one\n3:an ERROR: two\n");
        assert_eq!(found(text, "nothing", 1), "");
        assert_eq!(found("STRASSE\n\u{c4}rger", "\u{e4}rg", 7), "8:\u{c4}rger\n");
    }
}
