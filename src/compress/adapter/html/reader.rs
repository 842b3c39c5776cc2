//! A page as its reader has it: what cuts must leave.

use super::element::{ElementRole, role};
use super::page::PageTokens;
use super::scan::{TokenKind, attributes};

/// The part of a page that a reader sees.
#[derive(Debug)]
pub(super) struct VisiblePage<'t> {
    /// All text but white space.
    pub(super) words: String,
    /// The names of the elements of structure, in order.
    pub(super) structure: Vec<&'t str>,
    /// Targets of links and pictures.
    pub(super) addresses: Vec<&'t str>,
}

/// Reads a page without its boilerplate.
pub(super) fn read<'t>(PageTokens { text, list, ends }: &PageTokens<'t>) -> VisiblePage<'t> {
    let words = String::with_capacity(text.len());
    let mut seen = VisiblePage { words, structure: Vec::new(), addresses: Vec::new() };
    let mut at = 0;
    while let Some(token) = list.get(at) {
        if let Some(end) = ends.get(at).copied().flatten() {
            at = end + 1;
            continue;
        }
        at += 1;
        let name = text.get(token.name.clone()).unwrap_or_default();
        match token.kind {
            TokenKind::Text => {
                push_words(&mut seen.words, text.get(token.range.clone()).unwrap_or_default());
            }
            TokenKind::Open => {
                let found = role(name);
                if matches!(found, ElementRole::Structure | ElementRole::Verbatim) {
                    seen.structure.push(name);
                }
                if found != ElementRole::Meta {
                    let addresses = attributes(text, token).into_iter().filter(|found| {
                        let name = text.get(found.name.clone()).unwrap_or_default();
                        ["href", "src"].iter().any(|known| known.eq_ignore_ascii_case(name))
                    });
                    seen.addresses.extend(addresses.filter_map(|found| text.get(found.value)));
                }
            }
            _ => {}
        }
    }
    seen
}

/// Adds a text without its white space.
fn push_words(words: &mut String, text: &str) {
    if !text.is_ascii() {
        text.split_whitespace().for_each(|word| words.push_str(word));
        return;
    }
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let mut begin = 0;
    for (at, _) in text.bytes().enumerate().filter(|(_, byte)| is_blank(*byte)) {
        words.push_str(text.get(begin..at).unwrap_or_default());
        begin = at + 1;
    }
    words.push_str(text.get(begin..).unwrap_or_default());
}
