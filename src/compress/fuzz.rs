//! Entry points of the engine for `fuzz/`; built by `cargo fuzz` alone.

use std::ops::Range;

use super::adapter::{AdapterSet, InnerTexts, Part, apply, shorten};
use super::notation::{FoundBlock, LooseJsonNotation, Notation, find_notation};
use crate::domain::{AdapterChoice, AdapterChoices, ValueClass};

/// The ranges of a text's parts.
pub fn spans(text: &str) -> Vec<Range<usize>> {
    super::segment::segment(text).into_iter().map(|span| span.range).collect()
}

/// A block that a notation finds.
#[derive(Debug)]
pub struct EncodedBlock {
    /// The lines that it represents.
    pub lines: Range<usize>,
    pub args: String,
    pub body: Vec<String>,
}

/// Blocks that a notation finds with these values.
pub fn encode(notation: &str, lines: &[&str], values: ValueClass) -> Vec<EncodedBlock> {
    let found = encoder(notation).map(|notation| notation.encode(lines, values));
    let found = found.unwrap_or_default();
    let block = |FoundBlock { lines, block }: FoundBlock| EncodedBlock {
        lines,
        args: block.args,
        body: block.body.lines().map(str::to_owned).collect(),
    };
    found.into_iter().map(block).collect()
}

/// Decodes a block of a notation.
pub fn decode(notation: &str, args: &str, body: &[&str], limit: usize) -> Option<String> {
    encoder(notation)?.decode(args, body, limit)
}

/// The notation of that name; `loose_json` has blocks of the name `json`.
fn encoder(notation: &str) -> Option<&'static dyn Notation> {
    if notation == "loose_json" { Some(&LooseJsonNotation) } else { find_notation(notation) }
}

/// Result of adapters over a text.
#[derive(Debug, PartialEq, Eq)]
pub struct AdapterOutcome {
    /// Whether the first of them takes the text as a whole.
    pub detects: bool,
    /// The text with the cuts of the first, if each text inside of it loses its second half,
    /// and whether that holds; none if cuts overlap or split a character.
    pub halved: Option<(String, bool)>,
    /// The text as a request would show it; none if it stays as it was.
    pub shown: Option<String>,
    /// Adapters whose cuts broke the format.
    pub reverted: Vec<String>,
}

/// Runs adapters over a text, in their order; none without adapters.
pub fn run_adapters(choices: &AdapterChoices, text: &str) -> Option<AdapterOutcome> {
    let adapters = AdapterSet::new(choices, &crate::limit::Deadline::default());
    let list: Vec<_> = adapters.list(false).collect();
    let first = list.first()?;
    let spans = super::segment::segment(text);
    let part = Part::new(text, &spans);
    let halved = apply(text, &first.attempt(part, &mut Half).cuts);
    let halved = halved.map(|halved| {
        let holds = halved == text || first.holds(text, &halved);
        (halved, holds)
    });
    let made = shorten(&list, text, &|_, _| true);
    let (shown, reverted) = (made.text, made.reverted);
    Some(AdapterOutcome { detects: first.detects(part), halved, shown, reverted })
}

/// The choice of one adapter of ours.
pub fn choose_adapter(name: &str) -> AdapterChoices {
    AdapterChoices::Chosen(vec![AdapterChoice::Named(name.into())])
}

/// Leaves the first half of a text.
struct Half;

impl InnerTexts for Half {
    fn shorten(&mut self, text: &str) -> Option<String> {
        let half = text.chars().count() / 2;
        let head: String = text.chars().take(half).collect();
        (half > 0).then_some(head)
    }
}

/// A text as adapters read it: without terminal codes and with line feeds at the ends of lines.
pub fn plain_text(text: &str) -> String {
    super::adapter::plain_text(text).into_owned()
}

/// Whether a line reports an error: then it is shown.
pub fn reports_error(line: &str) -> bool {
    super::notation::reports_error(line)
}

/// The atoms of a text.
pub fn atoms(text: &str) -> Vec<Range<usize>> {
    super::atom::atoms(text)
}

/// A line of a summary.
pub fn one_line(text: &str, width: usize) -> String {
    super::summary::one_line(text, width)
}
