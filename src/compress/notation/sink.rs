//! The sink of decoded text: the text is made, or compared piece by piece with the expected one.

use crate::compress::text::is_same;

/// Takes decoded text.
#[derive(Debug)]
pub(crate) enum DecodeSink<'t> {
    /// It is made.
    Made(LimitedText),
    /// It is compared: what is still expected.
    Expected(ExpectedText<'t>),
}

/// Text that is made, up to a number of bytes.
#[derive(Debug)]
pub(crate) struct LimitedText {
    text: String,
    limit: usize,
}

/// Expected text that comes next, up to the end.
#[derive(Debug)]
pub(crate) struct ExpectedText<'t>(&'t str);

/// Takes text piece by piece. `None` if it takes no more, or not this.
pub(crate) trait PieceSink {
    fn push(&mut self, piece: &str) -> Option<()>;

    fn spaces(&mut self, count: usize) -> Option<()>;

    /// Says that about so many bytes follow.
    fn expect(&mut self, bytes: usize);
}

impl<'t> DecodeSink<'t> {
    /// Text is made, of no more than so many bytes.
    pub(crate) fn with_limit(limit: usize) -> Self {
        Self::Made(LimitedText { text: String::new(), limit })
    }

    /// Text is compared with this one.
    pub(crate) fn comparing(text: &'t str) -> Self {
        Self::Expected(ExpectedText(text))
    }

    pub(crate) fn push(&mut self, piece: &str) -> Option<()> {
        match self {
            Self::Made(made) => made.push(piece),
            Self::Expected(expected) => expected.push(piece),
        }
    }

    /// Bytes that it would still take.
    pub(crate) fn bytes_left(&self) -> usize {
        match self {
            Self::Made(made) => made.limit.saturating_sub(made.text.len()),
            Self::Expected(expected) => expected.0.len(),
        }
    }

    /// The text that was made.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Made(made) => made.text,
            Self::Expected(_) => String::new(),
        }
    }
}

impl PieceSink for LimitedText {
    #[inline]
    fn push(&mut self, piece: &str) -> Option<()> {
        if piece.len() > self.limit - self.text.len() {
            return None;
        }
        self.text.push_str(piece);
        Some(())
    }

    fn spaces(&mut self, count: usize) -> Option<()> {
        if count > self.limit - self.text.len() {
            return None;
        }
        self.text.extend(std::iter::repeat_n(' ', count));
        Some(())
    }

    fn expect(&mut self, bytes: usize) {
        self.text.reserve(bytes.min(self.limit - self.text.len()));
    }
}

impl PieceSink for ExpectedText<'_> {
    #[inline]
    fn push(&mut self, piece: &str) -> Option<()> {
        let (begin, rest) = self.0.split_at_checked(piece.len())?;
        self.0 = rest;
        is_same(begin, piece).then_some(())
    }

    fn spaces(&mut self, count: usize) -> Option<()> {
        let (begin, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        begin.bytes().all(|byte| byte == b' ').then_some(())
    }

    fn expect(&mut self, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_made_up_to_its_limit() {
        let mut out = DecodeSink::with_limit(4);
        assert_eq!(out.push("abc"), Some(()));
        assert_eq!((out.push("de"), out.bytes_left()), (None, 1));
        assert_eq!(out.push("d"), Some(()));
        assert_eq!(out.into_text(), "abcd");
    }

    #[test]
    fn text_is_compared_to_its_end() {
        let mut out = DecodeSink::comparing("abc  d");
        let DecodeSink::Expected(expected) = &mut out else { unreachable!() };
        assert_eq!((expected.push("abc"), expected.spaces(2)), (Some(()), Some(())));
        assert_eq!((out.bytes_left(), out.push("d"), out.bytes_left()), (1, Some(()), 0));
        assert_eq!(out.push("e"), None);
        assert_eq!(DecodeSink::comparing("abc").push("abd"), None);
        assert_eq!(DecodeSink::comparing("é").push("a"), None, "within a character");
        let DecodeSink::Expected(mut expected) = DecodeSink::comparing("a b") else {
            unreachable!()
        };
        assert_eq!(expected.spaces(2), None);
    }
}
