//! The sentences of a paragraph, as ranges of bytes without the blanks between them.
//!
//! At a mark that may end a sentence, the rules of UAX-29 are asked about the few characters around
//! it. They know no abbreviations and end a sentence at every line break; what is added here: an
//! abbreviation, an initial and an atom are never cut, closing quotes, brackets and emphasis stay
//! with their sentence, a line that is wrapped goes on.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::compress::atom::{atoms, is_boundary};

/// The mark in the place of what was left out.
pub(crate) const GAP_MARK: &str = "[…]";

/// Texts between the marks of what was left out.
pub(crate) fn between_gaps(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    places(text, GAP_MARK).map(Some).chain([None]).map(move |gap| {
        let run = text.get(from..gap.unwrap_or(text.len())).unwrap_or_default();
        from = gap.map_or(text.len(), |gap| gap + GAP_MARK.len());
        run
    })
}

/// Places of a mark that begins with a rare byte. Most texts are short: a table made of the mark
/// would cost more than the search.
pub(super) fn places(text: &str, mark: &str) -> impl Iterator<Item = usize> {
    let first = mark.bytes().next().unwrap_or_default();
    memchr::memchr_iter(first, text.as_bytes()).filter(move |at| {
        text.as_bytes().get(*at..).is_some_and(|rest| rest.starts_with(mark.as_bytes()))
    })
}

/// Adds the sentences of a paragraph to `found`.
pub(crate) fn sentences(text: &str, paragraph: Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(body) = text.get(paragraph.clone()) else { return };
    let mut scan = SentenceScan::new(body);
    let from = found.len();
    scan.run(found);
    for sentence in found.get_mut(from..).unwrap_or_default() {
        *sentence = paragraph.start + sentence.start..paragraph.start + sentence.end;
    }
}

struct SentenceScan<'t> {
    body: &'t str,
    bytes: &'t [u8],
    /// Start of the sentence that is being read.
    start: usize,
    line: usize,
    /// Bytes of the longest line.
    width: usize,
    /// Whether quotes or keys are in it, and whether addresses are.
    is_quoted: bool,
    is_addressed: bool,
    /// Looked for where a border could fall into one.
    atoms: Option<Vec<Range<usize>>>,
}

impl<'t> SentenceScan<'t> {
    fn new(body: &'t str) -> Self {
        let bytes = body.as_bytes();
        let mut line = 0;
        let mut width = 0;
        for end in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]) {
            width = width.max(end - line);
            line = end + 1;
        }
        let is_quoted = memchr::memchr2(b'"', b'`', bytes).is_some()
            || memchr::memchr_iter(b'\'', bytes).any(|at| opens_quote(bytes, at))
            || places(body, "-----BEGIN").next().is_some();
        let is_addressed = memchr::memchr(b':', bytes).is_some();
        Self { body, bytes, start: 0, line: 0, width, is_quoted, is_addressed, atoms: None }
    }

    fn run(&mut self, found: &mut Vec<Range<usize>>) {
        self.start = self.next_word(0);
        let mut at = self.start;
        while let Some(step) = self.bytes.get(at..).and_then(next_end)
            && let Some(byte) = self.bytes.get(at + step)
        {
            at += step;
            if *byte == b'['
                && let Some(gap) = self.gap(at)
            {
                self.push(gap.start, found);
                self.start = gap.start;
                at = gap.end;
                self.push(at, found);
                self.start = self.next_word(at);
                continue;
            }
            let (border, after) = match byte {
                b'.' | b'!' | b'?' => self.mark(at, 1, char::from(*byte)),
                b'\n' => self.line_break(at),
                0x80.. => self.wide(at),
                _ => (None, at + 1),
            };
            if let Some(end) = border {
                self.push(end, found);
                self.start = self.next_word(end);
            }
            at = after.max(at + 1);
        }
        self.push(self.bytes.len(), found);
    }

    fn push(&self, end: usize, found: &mut Vec<Range<usize>>) {
        let sentence = self.body.get(self.start..end).unwrap_or_default();
        let words =
            sentence.trim_end_matches(|letter: char| letter == '>' || letter.is_whitespace());
        // The marks of a quote belong to the lines that they begin.
        let marks = sentence.get(words.len()..).unwrap_or_default();
        let marks = marks.split('\n').next().unwrap_or_default().trim_end();
        if !words.is_empty() {
            found.push(self.start..self.start + words.len() + marks.len());
        }
    }

    fn char_at(&self, at: usize) -> Option<char> {
        self.body.get(at..)?.chars().next()
    }

    fn char_before(&self, at: usize) -> Option<char> {
        self.body.get(..at)?.chars().next_back()
    }

    /// The first byte that is neither blank nor the mark of a quote at the start of a line.
    fn next_word(&self, from: usize) -> usize {
        let mut is_line = false;
        for (at, letter) in self.body.get(from..).unwrap_or_default().char_indices() {
            is_line |= letter == '\n';
            if !(letter.is_whitespace() || (is_line && letter == '>')) {
                return from + at;
            }
        }
        self.bytes.len()
    }

    /// A character that is not ASCII: a mark that ends sentences in some script, or none.
    fn wide(&mut self, at: usize) -> (Option<usize>, usize) {
        let Some(letter) = self.char_at(at) else { return (None, at + 1) };
        let after = at + letter.len_utf8();
        let is_letter = matches!(letter, '\u{3041}'..='\u{30fa}' | '\u{3400}'..='\u{9fff}')
            || letter.is_alphanumeric();
        if is_letter || letter.is_whitespace() {
            return (None, after);
        }
        let ends = match letter {
            '。' | '！' | '？' | '｡' | '…' => true,
            // Dashes, quotes, commas.
            '\u{2010}'..='\u{201f}' | '、' | '，' | '：' | '「' | '」' => false,
            _ => is_terminator(letter),
        };
        if ends { self.mark(at, letter.len_utf8(), letter) } else { (None, after) }
    }

    /// A mark of ours is a sentence of its own.
    fn gap(&mut self, at: usize) -> Option<Range<usize>> {
        let is_gap = self.bytes.get(at..)?.starts_with(GAP_MARK.as_bytes());
        let gap = at..at + GAP_MARK.len();
        (is_gap && self.cuts_no_atom(gap.start, false) && self.cuts_no_atom(gap.end, false))
            .then_some(gap)
    }

    /// Whether a sentence ends with a mark of some bytes, and with what closes after it.
    fn mark(&mut self, at: usize, length: usize, letter: char) -> (Option<usize>, usize) {
        let is_ascii = letter.is_ascii();
        let needs_blank = is_ascii || letter == '…';
        let mut end = at + length;
        let mut closed = false;
        while let Some(next) = self.char_at(end) {
            // Without a blank after it, a full stop or a dash below may begin a name.
            let begins_name = !needs_blank && matches!(next, '.' | '_');
            let goes_on = is_closing(next)
                || (!closed && matches!(next, '.' | '!' | '?' | '…' | '。' | '！' | '？'));
            if !goes_on || begins_name {
                break;
            }
            closed |= is_closing(next);
            end += next.len_utf8();
        }
        let next = self.char_at(end);
        if next.is_none() || (needs_blank && !next.is_some_and(char::is_whitespace)) {
            return (None, end);
        }
        let goes_on = letter == '.' && end == at + 1 && self.is_short(at, end);
        let is_end =
            !goes_on && self.breaks(at, letter, end) && self.cuts_no_atom(end, needs_blank);
        (is_end.then_some(end), end)
    }

    /// Whether UAX-29 ends a sentence here, and no small letter follows if scripts have such.
    fn breaks(&self, at: usize, letter: char, end: usize) -> bool {
        /// Characters that are looked at for the first letter of the next sentence.
        const MAX_LOOKAHEAD_CHARS: usize = 12;
        let next = self.next_word(end);
        let rest = self.body.get(next..).unwrap_or_default();
        // The usual beginning of a sentence needs no table.
        if letter.is_ascii() && rest.starts_with(|next: char| next.is_ascii_alphabetic()) {
            return rest.starts_with(|next: char| next.is_ascii_uppercase());
        }
        let mut around = String::with_capacity(48);
        around.push(self.char_before(at).filter(|letter| !letter.is_whitespace()).unwrap_or('a'));
        around.push(if letter == '…' { '.' } else { letter });
        around.push(' ');
        let border = around.len();
        for next in rest.chars().take(MAX_LOOKAHEAD_CHARS) {
            around.push(if next.is_whitespace() { ' ' } else { next });
            if next.is_lowercase() && (letter.is_ascii() || letter == '…') {
                return false;
            }
            if next.is_alphanumeric() {
                break;
            }
        }
        around.split_sentence_bound_indices().any(|(start, _)| start == border)
    }

    /// Whether the full stop belongs to an abbreviation, an initial, or a number's word.
    fn is_short(&self, at: usize, end: usize) -> bool {
        let head = self.bytes.get(at.saturating_sub(MAX_WORD_BYTES + 1)..at).unwrap_or_default();
        let is_inner = |byte: &&u8| byte.is_ascii_alphabetic() || **byte == b'.';
        let length = head.iter().rev().take_while(is_inner).count();
        let word = head.get(head.len() - length..).unwrap_or_default();
        if length > MAX_WORD_BYTES || word.is_empty() {
            return false;
        }
        let before = at.checked_sub(length + 1).and_then(|before| self.bytes.get(before));
        if before.is_some_and(|byte| *byte >= 0x80 || byte.is_ascii_digit()) {
            return false;
        }
        let is_initials = word.split(|byte| *byte == b'.').all(|part| part.len() == 1)
            && word.iter().any(u8::is_ascii_uppercase)
            && word != b"I";
        let may_be = |first: &u8| {
            FIRST_LETTERS.get(word.len()).is_some_and(|firsts| firsts >> (first & 31) & 1 == 1)
        };
        let is_known = word.first().is_some_and(may_be);
        let known = |words: &[&str]| {
            is_known && words.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(word))
        };
        let has_number = || self.char_at(self.next_word(end)).is_some_and(char::is_numeric);
        is_initials || known(ABBREVIATIONS) || (known(NUMBER_ABBREVIATIONS) && has_number())
    }

    /// A line that was broken although the next word had room ends a sentence, if the next
    /// line begins like one.
    fn line_break(&mut self, at: usize) -> (Option<usize>, usize) {
        let length = at - self.line;
        self.line = at + 1;
        let next = self.next_word(at);
        let rest = self.bytes.get(next..).unwrap_or_default();
        let room = self.width.saturating_sub(length);
        let word = rest.iter().take(room).take_while(|byte| !byte.is_ascii_whitespace()).count();
        let head = self.body.get(self.start..at).unwrap_or_default().trim_end();
        let goes_on = word >= room
            || head.is_empty()
            || head.ends_with([',', ';', '-', '.', '!', '?', '(', '\u{2014}'])
            || self.char_at(next).is_none_or(|letter| {
                // A tag says nothing of what begins in it.
                letter.is_lowercase() || letter == '<' || is_closing(letter)
            });
        ((!goes_on && self.cuts_no_atom(at, true)).then_some(at), at + 1)
    }

    /// Blanks are in quoted strings and in keys only, other borders in addresses too.
    fn cuts_no_atom(&mut self, at: usize, is_blank: bool) -> bool {
        if !(self.is_quoted || (self.is_addressed && !is_blank)) {
            return true;
        }
        is_boundary(self.atoms.get_or_insert_with(|| atoms(self.body)), at)
    }
}

/// Place of the first byte that may end a sentence, or that a gap mark begins with.
fn next_end(bytes: &[u8]) -> Option<usize> {
    /// Bytes that are looked at together.
    const STEP_BYTES: usize = 32;
    let (steps, _) = bytes.as_chunks::<STEP_BYTES>();
    let has_none =
        |step: &&[u8; STEP_BYTES]| step.iter().fold(0, |any, byte| any | may_end(*byte)) == 0;
    let from = steps.iter().take_while(has_none).count() * STEP_BYTES;
    let rest = bytes.get(from..)?;
    rest.iter().position(|byte| may_end(*byte) != 0).map(|at| from + at)
}

/// No branch, no truth: so many bytes are looked at at once.
#[inline]
fn may_end(byte: u8) -> u8 {
    let is = |mark: u8| u8::from(byte == mark);
    byte >> 7 | is(b'[') | is(b'.') | is(b'!') | is(b'?') | is(b'\n')
}

/// Whether an apostrophe is in no word.
fn opens_quote(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
}

/// Letters of the longest word below.
const MAX_WORD_BYTES: usize = 8;

/// Words with a full stop that ends no sentence.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "eg", "ie", "cf", "vs", "viz", "approx", "ca", "dr", "mr", "mrs", "ms", "prof",
    "st", "jr", "sr", "gen", "sen", "rep", "rev", "hon", "dept", "est", "incl", "excl", "resp",
    "ver", "al", "z.b", "d.h", "u.a", "bzw", "ggf", "evtl", "vgl", "hr", "fr", "mme", "mlle",
    "sra", "dra", "ing",
];

/// The same, if a number follows.
const NUMBER_ABBREVIATIONS: &[&str] = &[
    "no", "nos", "nr", "fig", "figs", "eq", "sec", "ch", "vol", "p", "pp", "art", "abs", "v",
    "min", "max", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov",
    "dec", "ref",
];

/// The first letters of the words above as bits by their low five, by length: most words before a
/// full stop differ from all of them in it.
const FIRST_LETTERS: [u32; MAX_WORD_BYTES + 1] = {
    let mut firsts = [0; MAX_WORD_BYTES + 1];
    let mut lists: &[&[&str]] = &[ABBREVIATIONS, NUMBER_ABBREVIATIONS];
    while let Some((list, others)) = lists.split_first() {
        let mut words = *list;
        while let Some((word, after)) = words.split_first() {
            #[expect(clippy::indexing_slicing, reason = "below the lengths, at compile time")]
            {
                firsts[word.len()] |= 1 << (word.as_bytes()[0] & 31);
            }
            words = after;
        }
        lists = others;
    }
    firsts
};

/// Whether a sentence can end with a character, by UAX-29.
fn is_terminator(letter: char) -> bool {
    let mut around = String::with_capacity(8);
    around.push(letter);
    around.push('A');
    around.split_sentence_bound_indices().nth(1).is_some()
}

/// Whether a character closes after the end of a sentence and belongs to it.
fn is_closing(letter: char) -> bool {
    matches!(
        letter,
        ')' | ']'
            | '}'
            | '"'
            | '\''
            | '*'
            | '_'
            | '`'
            | '”'
            | '’'
            | '»'
            | '」'
            | '』'
            | '）'
            | '】'
            | '〉'
            | '》'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        sentences(text, 0..text.len(), &mut found);
        found.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn sentences_end_where_readers_end_them() {
        for sentences in [
            &["One is here.", "Two is there!", "Is three?", "Four"][..],
            &["See e.g. lib.rs at 1.5 seconds (v2.1).", "Dr. Ames saw it, i.e. all of it."],
            &["It is in Fig. 3 and in No. 7 vs. the other.", "No.", "There it is."],
            &["She said \"No.\"", "Then she left (for good.)", "**He stayed.**", "All is well."],
            &["\"Really?\" she asked.", "Wait... what?", "Well...", "So it is."],
            &["See https://example.org/a.b/c?x=1.", "J. R. Hartley of the U.S. Army wrote it."],
            &["He wrote \"It is. It was. It will be.\" and no more.", "Then he slept."],
            &["It is there.", "[…]", "It is gone.", "[…]"],
            &["Run `a. B. c` now.", "Then wait."],
        ] {
            assert_eq!(of(&sentences.join(" ")), sentences);
            assert_eq!(of(&sentences.join("\n")), sentences);
        }
    }

    #[test]
    fn other_scripts_have_sentences_too() {
        assert_eq!(
            of("你好。他说：“走吧！”然后走了？是的"),
            ["你好。", "他说：“走吧！”", "然后走了？", "是的"]
        );
        assert_eq!(of("यह एक है। वह दो है।"), ["यह एक है।", "वह दो है।"]);
        assert_eq!(
            of("Größe ist alles. Äpfel auch… Öl nicht."),
            ["Größe ist alles.", "Äpfel auch…", "Öl nicht."]
        );
        assert_eq!(of("好。api 好。_x"), ["好。", "api 好。", "_x"]);
        assert_eq!(of("见 https://example.org/a。好"), ["见 https://example.org/a。好"]);
    }

    #[test]
    fn wrapped_lines_go_on_and_other_lines_end() {
        let wrapped = "The backup is written to the second disk every night by a small\nprogram. When \
                       the disk is full the program stops and nobody in\nLondon is told about it.";
        assert_eq!(of(wrapped).len(), 2);
        assert_eq!(
            of("Anna: that is a good idea, is it not\nBoris: yes\nAnna: then do it").len(),
            2
        );
        assert_eq!(
            of("> One is\n> here. Two\n> is there."),
            ["> One is\n> here.", "Two\n> is there."]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn sentences_cut_no_atom_and_leave_only_blanks(
            text in "([A-Za-z]{1,4}|[0-9.]{1,4}|e\\.g|https://a\\.b/c|[ \\n.!?…。\"'`()*>-]|\\[…\\]|中|é| ){0,60}"
        ) {
            let mut found = Vec::new();
            sentences(&text, 0..text.len(), &mut found);
            let atoms = atoms(&text);
            let mut from = 0;
            for sentence in found {
                prop_assert!(sentence.start >= from && sentence.end > sentence.start);
                prop_assert!(text[from..sentence.start].chars().all(|c| c.is_whitespace() || c == '>'));
                prop_assert!(is_boundary(&atoms, sentence.start) && is_boundary(&atoms, sentence.end));
                from = sentence.end;
            }
            prop_assert!(text[from..].chars().all(|c| c.is_whitespace() || c == '>'));
        }

        #[test]
        fn any_text_is_read(text in any::<String>()) {
            let found = of(&text);
            prop_assert!(found.iter().all(|sentence| !sentence.trim().is_empty()));
        }
    }
}
