//! The number of pages of a PDF, which decides what a provider charges for it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use memchr::memmem;

/// Characters of base64 that are decoded at once: whole groups of four.
const CHUNK_CHARS: usize = 64 * 1024;
/// Bytes that a page object may be cut in at the end of a chunk.
const MAX_MARK_BYTES: usize = 32;

/// Counts the page objects of a PDF (ISO 32000-2, 7.7.3.3) in base64; 0 if they are in compressed object
/// streams, or the text is no base64.
pub(super) fn count_pages(base64: &str) -> u64 {
    let text = base64.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(CHUNK_CHARS);
    let mut pages = 0;
    for chunk in text.chunks(CHUNK_CHARS) {
        let Ok(decoded) = STANDARD_NO_PAD.decode(chunk) else { return pages };
        bytes.extend(decoded);
        let (found, end) = pages_in(&bytes);
        pages += found;
        let kept = end.max(bytes.len().saturating_sub(MAX_MARK_BYTES));
        bytes.drain(..kept);
    }
    pages
}

/// The page objects that begin in some bytes, and where the last one ends.
fn pages_in(bytes: &[u8]) -> (u64, usize) {
    const KEY: &[u8] = b"/Type";
    const PAGE: &[u8] = b"/Page";
    let (mut pages, mut end) = (0, 0);
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memmem::find(rest, KEY)) {
        at += found + KEY.len();
        let rest = bytes.get(at..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let value = rest.get(blanks..).unwrap_or_default();
        // `/Pages` is a node of the tree of pages.
        let next = value.get(PAGE.len());
        if value.starts_with(PAGE) && next.is_some_and(|next| !next.is_ascii_alphanumeric()) {
            pages += 1;
            end = at + blanks + PAGE.len();
            at = end;
        }
    }
    (pages, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::STANDARD;

    fn pdf(pages: usize, padding: usize) -> String {
        let page = |page| format!("{page} 0 obj<< /Type /Page\n/Parent 1 0 R>>endobj\n");
        let bodies: Vec<String> = (0..pages).map(|at| page(at) + &"x".repeat(padding)).collect();
        format!("%PDF-1.4\n1 0 obj<</Type/Pages/Count 9>>endobj\n{}", bodies.concat())
    }

    #[test]
    fn page_objects_are_counted_wherever_chunks_end() {
        for (pages, padding) in [(0, 0), (1, 0), (100, 2_000), (3, 49_000), (40, 1_213)] {
            let text = pdf(pages, padding);
            assert_eq!(count_pages(&STANDARD.encode(&text)), pages as u64, "{pages} {padding}");
        }
    }

    #[test]
    fn what_is_no_pdf_has_no_pages() {
        assert_eq!(count_pages("@@@@"), 0);
        assert_eq!(count_pages(&STANDARD.encode("/Type /PageLabel /Type/Pages /Type /Page")), 0);
    }
}
