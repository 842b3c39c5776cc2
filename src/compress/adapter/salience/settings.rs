//! Sections of settings: `[package]`, and the entries below.

use super::super::page::LinePage;

/// Entries of a section that has few.
const MAX_FEW_ENTRIES: usize = 4;

/// A line of settings that is asked for, and how many like it precede it.
#[derive(Debug, Clone, Copy)]
pub(super) enum SettingLine {
    /// The name of a section.
    Head { nth: usize },
    /// An entry of a section of few; the first one of each section comes first.
    Entry { nth: usize },
}

/// Calls `each` with the lines that are asked for, if most of a text is settings in sections.
pub(super) fn mark_settings(page: &LinePage<'_>, mut each: impl FnMut(usize, SettingLine)) {
    let solid = page.solid();
    let heads: Vec<usize> =
        (0..solid.len()).filter(|at| names_section(page, solid.get(*at).copied())).collect();
    let entries = solid.iter().filter(|at| is_entry(page.body(**at))).count();
    let items = solid.iter().filter(|at| is_item(page.body(**at))).count();
    if heads.is_empty() || (entries + heads.len()) * 2 < solid.len().saturating_sub(items) {
        return;
    }
    for (nth, from) in heads.iter().enumerate() {
        let to = heads.get(nth + 1).copied().unwrap_or(solid.len());
        let Some((head, own)) = solid.get(*from..to).and_then(<[usize]>::split_first) else {
            continue;
        };
        each(*head, SettingLine::Head { nth });
        for line in own.iter().filter(|line| nth == 0 && names_thing(page.body(**line))) {
            each(*line, SettingLine::Head { nth });
        }
        if own.len() <= MAX_FEW_ENTRIES {
            for (at, line) in own.iter().enumerate() {
                each(*line, SettingLine::Entry { nth: nth + at });
            }
        }
    }
}

/// Whether a line is the name of a section: `[package]`, `[[bin]]`, `[remote "origin"]`.
fn names_section(page: &LinePage<'_>, at: Option<usize>) -> bool {
    let Some(at) = at.filter(|at| page.indent(*at) == 0) else { return false };
    let inner = page.body(at).strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| inner.starts_with(|own: char| own.is_alphabetic() || own == '['))
}

/// Whether an entry says what the settings are of.
fn names_thing(body: &str) -> bool {
    let (key, value) = body.split_once('=').unwrap_or_default();
    matches!(key.trim_end(), "name" | "version" | "id" | "title") && value.len() <= 80
}

/// Whether a line is a key with a value.
fn is_entry(body: &str) -> bool {
    let Some((key, _)) = body.split_once('=') else { return false };
    let key = key.trim_end();
    let is_of_key = |letter: char| letter.is_alphanumeric() || "_-.\"'/ ".contains(letter);
    !key.is_empty() && key.chars().all(is_of_key)
}

/// Whether a line is an item of a list, or its end.
fn is_item(body: &str) -> bool {
    body.starts_with(['"', '\'', ']', '}']) || body.ends_with(',')
}
