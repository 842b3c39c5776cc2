//! Recipes: how the messages of a response are restored from originals that the caller keeps.

use std::fmt::Write as _;

use crate::pipeline::ShortenOutput;
use crate::store::RECIPE_PREFIX;

/// Steps by which the messages of a response are restored from originals that the caller keeps.
/// They have ids, no texts.
#[derive(Debug)]
pub(crate) struct MessageRecipe {
    /// A recipe for each shown message.
    rows: Vec<String>,
}

/// One step of a recipe.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RecipeStep {
    /// The n-th text of a tool result becomes this original.
    Text(usize, String),
    /// The n-th text of a tool result becomes this original's JSON.
    Json(usize, String),
    /// This message replaces the shown one.
    Message(String),
    /// This message comes before the shown one.
    Before(String),
    /// This message comes after the shown one.
    After(String),
}

impl RecipeStep {
    /// The original that the step needs.
    pub(crate) fn id(&self) -> &String {
        match self {
            Self::Text(_, id)
            | Self::Json(_, id)
            | Self::Message(id)
            | Self::Before(id)
            | Self::After(id) => id,
        }
    }
}

impl MessageRecipe {
    pub(crate) fn write(shortened: &ShortenOutput) -> Self {
        let mut dropped = shortened.originals.iter().filter(|original| original.whole).peekable();
        let mut rows: Vec<String> = Vec::with_capacity(shortened.list.len());
        // Dropped messages return to their place: they replace a summary right before it, else they
        // come before the next shown message.
        let mut summary: Option<String> = None;
        for shown in &shortened.list {
            let mut row = RECIPE_PREFIX.to_owned();
            let upto = shown.origin.unwrap_or(0);
            while let Some(original) = dropped.next_if(|original| original.message < upto) {
                let id = original.artifact;
                let _ = match &mut summary {
                    Some(summary) => write!(summary, "m {id} "),
                    None => write!(row, "b {id} "),
                };
            }
            rows.extend(summary.take());
            if let Some(id) = shown.stands_for {
                let _ = write!(row, "m {id} ");
            }
            for edit in shown.edits.iter().filter(|_| shown.stands_for.is_none()) {
                let kind = if edit.json { 'j' } else { 't' };
                let _ = write!(row, "{kind}{} {} ", edit.slot, edit.artifact);
            }
            match shown.origin {
                Some(_) => rows.push(row),
                None => summary = Some(row),
            }
        }
        let kind = if summary.is_some() { 'm' } else { 'a' };
        rows.extend(summary.take());
        if let Some(last) = rows.last_mut() {
            for original in dropped {
                let _ = write!(last, "{kind} {} ", original.artifact);
            }
        }
        Self { rows }
    }

    /// Merges a row with the recipe that its message already has.
    pub(super) fn merge(&self, at: usize, existing: &str) -> String {
        let existing = existing.strip_prefix(RECIPE_PREFIX).unwrap_or_default();
        let row = self.text(at);
        // Messages that were dropped later are farther outside.
        let (mut before, mut after) = (String::new(), String::new());
        let mut words = row.strip_prefix(RECIPE_PREFIX).unwrap_or_default().split_whitespace();
        while let (Some(kind), Some(id)) = (words.next(), words.next()) {
            let side = if kind == "a" { &mut after } else { &mut before };
            let _ = write!(side, "{kind} {id} ");
        }
        format!("{RECIPE_PREFIX}{before}{existing}{after}")
    }

    pub(super) fn text(&self, at: usize) -> String {
        self.rows.get(at).cloned().unwrap_or_default()
    }

    pub(crate) fn is_recipe(text: &str) -> bool {
        text.starts_with(RECIPE_PREFIX)
    }

    pub(crate) fn steps(text: &str) -> Vec<RecipeStep> {
        let mut words = text.strip_prefix(RECIPE_PREFIX).unwrap_or_default().split_whitespace();
        let mut steps = Vec::new();
        while let (Some(what), Some(id)) = (words.next(), words.next()) {
            let slot = what.get(1..).and_then(|slot| slot.parse().ok());
            steps.extend(match (what.chars().next(), slot) {
                (Some('m'), _) => Some(RecipeStep::Message(id.to_owned())),
                (Some('b'), _) => Some(RecipeStep::Before(id.to_owned())),
                (Some('a'), _) => Some(RecipeStep::After(id.to_owned())),
                (Some('t'), Some(slot)) => Some(RecipeStep::Text(slot, id.to_owned())),
                (Some('j'), Some(slot)) => Some(RecipeStep::Json(slot, id.to_owned())),
                _ => None,
            });
        }
        steps
    }
}
