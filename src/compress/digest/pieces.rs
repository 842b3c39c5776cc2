//! The pieces of a text among which a digest chooses: lines, and pieces of long ones.

use std::ops::Range;

use crate::compress::atom::{atoms, is_boundary};
use crate::compress::notation::reports_error;
use crate::compress::text::{MAX_CLUSTER_BYTES, is_cluster_end};

/// The mark in the place of lines, or pieces of one, that are left out.
pub(super) const GAP_MARK: &str = "…";
/// The mark in the place of the beginning or the end of a line that is left out.
const LINE_GAP_MARK: &str = "[…]";
/// Bytes of a line that is chosen whole; longer ones go by pieces.
const MAX_WHOLE_LINE_BYTES: usize = 160;
/// Bytes of a line that reports an error and is whole.
const MAX_WHOLE_ERROR_BYTES: usize = 1_000;

/// Bytes of the beginning of a piece that says something.
const MIN_BEGINNING_BYTES: usize = 24;

/// A line, or a piece of a long one.
#[derive(Debug, Clone)]
pub(crate) struct DigestPiece {
    /// Bytes, the line break aside.
    range: Range<usize>,
    pub(crate) line: usize,
}

impl DigestPiece {
    pub(crate) fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.range.clone()).unwrap_or_default()
    }

    /// The piece as its beginning, of at most so many bytes, and the rest; none if no part of it
    /// ends so early.
    pub(crate) fn split(&self, text: &str, bytes: usize) -> Option<[Self; 2]> {
        let own = self.text(text);
        let room = bytes.checked_sub(LINE_GAP_MARK.len() + 1).filter(|room| *room < own.len())?;
        let head = own.get(..own.floor_char_boundary(room))?;
        let blank = head.trim_end_matches(|letter: char| letter != ' ').len();
        let end = head.get(..blank)?.trim_end().len();
        let is_long = own.get(..end)?.trim_start().len() >= MIN_BEGINNING_BYTES;
        if !is_long || !is_boundary(&atoms(own), end) {
            return None;
        }
        let (start, middle) = (self.range.start, self.range.start + end);
        let part = |range| Self { range, line: self.line };
        Some([part(start..middle), part(middle..self.range.end)])
    }
}

/// Where long lines are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineCuts {
    /// Into pieces as short as may be.
    Short,
    /// After sentences, if there are any, and before parameters of an address.
    Sentences,
}

/// Cuts a text into its lines, and long lines into pieces.
pub(crate) fn cut(text: &str, line_cuts: LineCuts) -> Vec<DigestPiece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (line, own) in text.split('\n').enumerate() {
        if own.len() <= MAX_WHOLE_LINE_BYTES
            || (own.len() <= MAX_WHOLE_ERROR_BYTES && reports_error(own))
        {
            pieces.push(DigestPiece { range: start..start + own.len(), line });
        } else {
            let cuts = cuts(own, line_cuts);
            let ends = cuts.iter().copied().chain([own.len()]);
            let mut from = 0;
            for end in ends {
                pieces.push(DigestPiece { range: start + from..start + end, line });
                from = end;
            }
        }
        start += own.len() + 1;
    }
    pieces
}

/// A line, or the pieces of a long one.
pub(crate) fn pieces_of(line: &str) -> impl Iterator<Item = &str> {
    let cuts =
        if line.len() <= MAX_WHOLE_LINE_BYTES { Vec::new() } else { cuts(line, LineCuts::Short) };
    let mut from = 0;
    let ends = cuts.into_iter().chain([line.len()]);
    ends.filter_map(move |end| line.get(std::mem::replace(&mut from, end)..end))
}

/// Places at which a long line may be cut: after a blank or a comma, in no atom. Where a line has
/// none for long, after any character: texts of some languages, and data, have no blanks.
fn cuts(line: &str, line_cuts: LineCuts) -> Vec<usize> {
    /// Bytes of a piece, if the line lets us.
    const MIN_PIECE_BYTES: usize = 64;
    /// Bytes of a piece that is cut in an atom, too.
    const MAX_PIECE_BYTES: usize = 240;
    let atoms = atoms(line);
    let is_fine = line_cuts == LineCuts::Sentences;
    let by_sentence = is_fine && has_sentences(line);
    // After it are blanks alone.
    let says = line.trim_end().len();
    let mut cuts = Vec::new();
    let mut from = 0;
    for (at, character) in line.char_indices() {
        let end = at + character.len_utf8();
        let length = end - from;
        if length < MIN_PIECE_BYTES || end >= says {
            continue;
        }
        let is_break =
            matches!(character, ' ' | ',' | ';' | '\t' | '，' | '；' | '、' | '。' | '！' | '？');
        let is_early = by_sentence
            && length < MAX_WHOLE_LINE_BYTES
            && !ends_sentence(line.get(from..end).unwrap_or_default());
        let is_blank_rare = length >= MAX_WHOLE_LINE_BYTES && !by_sentence;
        // Parameters of an address are read one by one.
        let is_place = length >= MAX_PIECE_BYTES
            || is_fine && character == '&' && begins_parameter(line.get(end..).unwrap_or_default())
            || (is_break && !is_early || is_blank_rare) && is_boundary(&atoms, end);
        if is_place && (length >= MAX_CLUSTER_BYTES || is_cluster_end(line, from, end)) {
            cuts.push(end);
            from = end;
        }
    }
    cuts
}

/// Whether this begins with a parameter of an address: `page=3`.
fn begins_parameter(rest: &str) -> bool {
    let name =
        rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    name > 0
        && rest.as_bytes().get(name) == Some(&b'=')
        && rest.as_bytes().get(name + 1) != Some(&b'=')
}

/// Whether a long line is made of sentences of about the length of pieces.
fn has_sentences(line: &str) -> bool {
    const MAX_SENTENCE_BYTES: usize = 240;
    memchr::memmem::find_iter(line.as_bytes(), ". ").count() * MAX_SENTENCE_BYTES >= line.len()
}

/// Whether the end of a sentence, and a blank, are the last of what is read.
fn ends_sentence(read: &str) -> bool {
    let body = read.trim_end_matches([' ', '"', '\'', ')']);
    body.len() < read.len() && body.ends_with(['.', '!', '?']) || read.ends_with(['。', '！', '？'])
}

/// The first piece that has words.
pub(crate) fn find_first(text: &str, pieces: &[DigestPiece]) -> Option<usize> {
    pieces.iter().position(|piece| has_words(text, piece))
}

/// The last piece that has words.
pub(crate) fn find_last(text: &str, pieces: &[DigestPiece]) -> Option<usize> {
    pieces.iter().rposition(|piece| has_words(text, piece))
}

fn has_words(text: &str, piece: &DigestPiece) -> bool {
    !piece.text(text).trim().is_empty()
}

/// The text of the pieces that stay; what is left out is counted in its place. `note` goes into the
/// mark at the end.
pub(crate) fn write_kept(
    text: &str,
    pieces: &[DigestPiece],
    kept: &[bool],
    note: Option<&str>,
) -> String {
    let line_of = |at: usize| pieces.get(at).map(|piece| piece.line);
    // Nothing is on the line after the last break.
    let lines = text.split_inclusive('\n').count();
    // Each line after its break, the first one, too.
    let mut out = String::new();
    let mut next = 0;
    let mut open: Option<usize> = None;
    let mut shown = 0;
    let chosen = pieces.iter().zip(kept).enumerate().filter(|(_, (_, kept))| **kept);
    for (at, (piece, _)) in chosen {
        let own = piece.text(text);
        if open == Some(piece.line) {
            if at > next {
                trim_line(&mut out);
                out.push(' ');
                out.push_str(GAP_MARK);
                out.push(' ');
            }
        } else {
            if piece.line > open.map_or(0, |line| line + 1) {
                push_line(&mut out, GAP_MARK);
            }
            push_line(&mut out, "");
            shown += usize::from(piece.line < lines);
            if at.checked_sub(1).and_then(line_of) == Some(piece.line) {
                out.push_str(LINE_GAP_MARK);
                out.push(' ');
            }
        }
        out.push_str(own);
        // The line goes on, and nothing more of it is shown.
        let rest = pieces.iter().zip(kept).skip(at + 1);
        let mut rest = rest.take_while(|(other, _)| other.line == piece.line).peekable();
        if rest.peek().is_some() && !rest.any(|(_, kept)| *kept) {
            trim_line(&mut out);
            out.push(' ');
            out.push_str(LINE_GAP_MARK);
        }
        open = Some(piece.line);
        next = at + 1;
    }
    if shown < lines {
        push_line(
            &mut out,
            &format!("[{GAP_MARK}{shown}/{lines} lines{}]", note.unwrap_or_default()),
        );
    }
    out.drain(..out.len().min(1));
    out
}

/// Begins another line.
fn push_line(out: &mut String, line: &str) {
    out.push('\n');
    out.push_str(line);
}

/// Takes the blanks off the end of the last line.
fn trim_line(out: &mut String) {
    out.truncate(out.trim_end_matches(|own: char| own != '\n' && own.is_whitespace()).len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_cut_off_a_line_but_blanks() {
        let words = "abcdefg ".repeat(24);
        let ends: Vec<usize> =
            cut(&words, LineCuts::Short).iter().map(|piece| piece.range.end).collect();
        assert_eq!(ends, [64, 128, 192]);
    }

    #[test]
    fn no_piece_begins_inside_what_a_reader_sees_as_one_character() {
        for cluster in
            ["a\u{301}", "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}", "\u{1f1e9}\u{1f1ea}"]
        {
            for shift in 0..4 {
                let text = "x".repeat(shift) + &cluster.repeat(2_000);
                let pieces: Vec<&str> = pieces_of(&text).collect();
                assert!(pieces.len() > 10, "{cluster}");
                assert!(pieces.iter().skip(1).all(|own| own.starts_with(cluster)), "{cluster}");
                assert_eq!(pieces.concat(), text);
            }
        }
        // Marks without end are cut all the same.
        let marks = "a".to_owned() + &"\u{301}".repeat(100_000);
        assert!(pieces_of(&marks).all(|own| own.len() <= 500));
    }
    fn sentences_of(line: &str) -> Vec<&str> {
        cut(line, LineCuts::Sentences).iter().map(|piece| piece.text(line)).collect()
    }

    #[test]
    fn addresses_are_cut_at_parameters_and_prose_after_sentences() {
        let fields: Vec<String> = (0..60).map(|at| format!("p{at}={at}a{at}")).collect();
        let address = format!("GET /a?{}", fields.join("&"));
        let pieces: Vec<&str> = sentences_of(&address);
        assert!(pieces.len() > 3 && pieces.iter().skip(1).all(|own| own.starts_with('p')));
        // Two signs are no parameter.
        let code = "if(a&&b==c){d()}else{e()}".repeat(12);
        assert!(
            sentences_of(&code)
                .into_iter()
                .skip(1)
                .all(|own| !own.starts_with("&b") && !own.starts_with("b=="))
        );
        let prose =
            "The harbor was carried to the ledger before the lantern was opened. ".repeat(6);
        let pieces: Vec<&str> = sentences_of(&prose);
        assert!(pieces.len() > 4 && pieces.iter().all(|own| own.trim_end().ends_with('.')));
        assert_eq!(pieces.concat(), prose);
    }
}
