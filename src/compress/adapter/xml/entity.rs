//! Text without its entities, and back.

/// The spellings of the characters of a text that were written as entities.
#[derive(Debug, Default)]
pub(super) struct Entities<'a>(Vec<(char, &'a str)>);

/// Entities that every document has.
const BUILT_IN_ENTITIES: [(&str, char); 5] =
    [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];
/// Bytes of a name.
const MAX_NAME_BYTES: usize = 12;
/// Characters that are written in ways of their own.
const MAX_SPELLINGS: usize = 64;

impl<'a> Entities<'a> {
    /// The text that raw text represents; `None` if it has an entity of its own.
    pub(super) fn read(raw: &'a str) -> Option<(String, Self)> {
        let (mut text, mut own) = (String::with_capacity(raw.len()), Self::default());
        let mut rest = raw;
        while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
            let (plain, entity) = rest.split_at_checked(at)?;
            text.push_str(plain);
            let end =
                memchr::memchr(b';', entity.as_bytes()).filter(|end| *end <= MAX_NAME_BYTES)?;
            let letter = letter(entity.get(1..end)?)?;
            if !own.0.iter().any(|(known, _)| *known == letter) {
                own.0.push((letter, entity.get(..=end)?));
            }
            if own.0.len() > MAX_SPELLINGS {
                return None;
            }
            text.push(letter);
            rest = entity.get(end + 1..)?;
        }
        text.push_str(rest);
        Some((text, own))
    }

    /// A text as raw text: a character is written as it was before.
    pub(super) fn write(&self, text: &str) -> String {
        let mut raw = String::with_capacity(text.len());
        for letter in text.chars() {
            let own = self.0.iter().find(|(known, _)| *known == letter);
            match (letter, own) {
                (_, Some((_, entity))) => raw.push_str(entity),
                ('&', _) => raw.push_str("&amp;"),
                ('<', _) => raw.push_str("&lt;"),
                ('>', _) if raw.ends_with("]]") => raw.push_str("&gt;"),
                _ => raw.push(letter),
            }
        }
        raw
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
        let (text, entities) = Entities::read(raw).unwrap();
        assert_eq!(text, "Tom & Jerry <3 — it's \"fine\" > that");
        assert_eq!(entities.write(&text), raw);
        assert_eq!(Entities::default().write("a<b ]]> &"), "a&lt;b ]]&gt; &amp;");
    }

    #[test]
    fn other_entities_are_refused() {
        for raw in ["&nbsp;", "&", "a & b", "&#xD800;", "&#1;", "&aaaaaaaaaaaaaaaaaaaaaa;"] {
            assert!(Entities::read(raw).is_none(), "{raw}");
        }
    }
}
