//! Text without its entities, and back.

use std::ops::Range;

use crate::compress::extract::GAP_MARK;

/// The spellings of the characters of a text that were written as entities.
#[derive(Debug, Default)]
pub(super) struct Entities<'a> {
    raw: &'a str,
    /// The text that `raw` represents.
    plain: String,
    /// In order: where a character begins in the text, and where its spelling is in `raw`.
    places: Vec<Spelling>,
}

#[derive(Debug)]
struct Spelling {
    plain: usize,
    raw: Range<usize>,
    letter: char,
}

/// Entities that every document has.
const BUILT_IN_ENTITIES: [(&str, char); 5] =
    [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];
/// Bytes of a name.
const MAX_NAME_BYTES: usize = 12;

impl<'a> Entities<'a> {
    /// Reads raw text; `None` if it has an entity of its own.
    pub(super) fn read(raw: &'a str) -> Option<Self> {
        let mut text = String::with_capacity(raw.len());
        let mut places = Vec::new();
        let mut rest = raw;
        while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
            let (plain, entity) = rest.split_at_checked(at)?;
            text.push_str(plain);
            let end =
                memchr::memchr(b';', entity.as_bytes()).filter(|end| *end <= MAX_NAME_BYTES)?;
            let letter = letter(entity.get(1..end)?)?;
            let from = raw.len() - entity.len();
            places.push(Spelling { plain: text.len(), raw: from..from + end + 1, letter });
            text.push(letter);
            rest = entity.get(end + 1..)?;
        }
        text.push_str(rest);
        Some(Self { raw, plain: text, places })
    }

    /// The text without its entities.
    pub(super) fn text(&self) -> &str {
        &self.plain
    }

    /// A shorter form of the text as raw text: what stays of it is written as it was.
    pub(super) fn write(&self, short: &str) -> String {
        let mut out = String::with_capacity(short.len());
        let mut from = 0;
        let mut rest = short;
        while !rest.is_empty() {
            let (run, gap) = match rest.find(GAP_MARK) {
                Some(0) => ("", rest.get(..GAP_MARK.len()).unwrap_or(rest)),
                Some(at) => rest.split_at_checked(at).map_or((rest, ""), |(run, _)| (run, "")),
                None => (rest, ""),
            };
            out.push_str(gap);
            let words = run.trim();
            let found = self.plain.get(from..).and_then(|plain| plain.find(words));
            if let Some(at) = found.filter(|_| !words.is_empty()) {
                let place = from + at;
                let (head, tail) = run.split_once(words).unwrap_or_default();
                out.push_str(head);
                out.push_str(self.raw_of(place..place + words.len()));
                out.push_str(tail);
                from = place + words.len();
            } else {
                self.write_letters(run, &mut out);
                // Words that others put here: no more of them is looked for.
                from = if words.is_empty() { from } else { self.plain.len() };
            }
            rest = rest.get(run.len() + gap.len()..).unwrap_or_default();
        }
        out
    }

    /// The raw text of a part of the text.
    fn raw_of(&self, plain: Range<usize>) -> &'a str {
        let place = |at: usize| {
            let next = self.places.partition_point(|own| own.plain < at);
            match next.checked_sub(1).and_then(|before| self.places.get(before)) {
                Some(own) => own.raw.end + at - own.plain - own.letter.len_utf8(),
                None => at,
            }
        };
        self.raw.get(place(plain.start)..place(plain.end)).unwrap_or_default()
    }

    /// Letters that are nowhere in the text: those that must be are written as entities, in the
    /// spelling of their first.
    fn write_letters(&self, text: &str, out: &mut String) {
        for letter in text.chars() {
            let must = match letter {
                '&' => "&amp;",
                '<' => "&lt;",
                '>' if out.ends_with("]]") => "&gt;",
                _ => {
                    out.push(letter);
                    continue;
                }
            };
            let own = self.places.iter().find(|own| own.letter == letter);
            let own = own.and_then(|own| self.raw.get(own.raw.clone()));
            out.push_str(own.unwrap_or(must));
        }
    }
}

fn letter(name: &str) -> Option<char> {
    let code = match name.strip_prefix('#') {
        Some(digits) => match digits.strip_prefix('x') {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => digits.parse().ok()?,
        },
        None => {
            return BUILT_IN_ENTITIES
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, letter)| *letter);
        }
    };
    char::from_u32(code).filter(|letter| *letter >= ' ' || matches!(letter, '\t' | '\n' | '\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_written_as_they_were() {
        let raw = "Tom &amp; Jerry &#60;3 &#x2014; it's &quot;fine&quot; > that";
        let entities = Entities::read(raw).unwrap();
        assert_eq!(entities.text(), "Tom & Jerry <3 — it's \"fine\" > that");
        assert_eq!(entities.write(entities.text()), raw);
        assert_eq!(Entities::default().write("a<b ]]> &"), "a&lt;b ]]&gt; &amp;");
    }

    #[test]
    fn each_character_keeps_its_own_spelling() {
        let raw =
            "Th&#101; rest is here. Some &#x65;vening &amp; &#38; more. The end &lt;is&#60; near.";
        let entities = Entities::read(raw).unwrap();
        assert_eq!(entities.write(entities.text()), raw);
        for (short, shown) in [
            ("The rest is here. […]", "Th&#101; rest is here. […]"),
            ("[…] Some evening & & more. […]", "[…] Some &#x65;vening &amp; &#38; more. […]"),
            ("[…]\n\nThe end <is< near.", "[…]\n\nThe end &lt;is&#60; near."),
            ("[…] elsewhere & here", "[…] elsewhere &amp; here"),
            ("", ""),
        ] {
            assert_eq!(entities.write(short), shown);
        }
    }

    #[test]
    fn other_entities_are_refused() {
        for raw in ["&nbsp;", "&", "a & b", "&#xD800;", "&#1;", "&aaaaaaaaaaaaaaaaaaaaaa;"] {
            assert!(Entities::read(raw).is_none(), "{raw}");
        }
    }
}
