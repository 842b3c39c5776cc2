//! A page read once: what of it says nothing, and where its text is.

use std::ops::Range;

use super::TextBlock;
use super::element::{ElementRole, is_readable, role};
use super::scan::{HtmlToken, TokenKind, attributes, tokens};
use crate::compress::adapter::Cut;

/// Content of a page.
#[derive(Debug)]
pub(super) struct HtmlPage {
    /// Boilerplate, boxes, attributes, white space: in order, disjoint.
    pub(super) cuts: Vec<Cut>,
    /// Texts with the inline elements in them.
    pub(super) places: Vec<TextBlock>,
}

/// The tokens of a page, and which of them are boilerplate.
#[derive(Debug)]
pub(super) struct PageTokens<'t> {
    pub(super) text: &'t str,
    pub(super) list: Vec<HtmlToken>,
    /// The last token of each piece of boilerplate, at its first.
    pub(super) ends: Vec<Option<usize>>,
}

impl<'t> PageTokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let list = tokens(text);
        let ends = boilerplate(text, &list);
        Self { text, list, ends }
    }
}

impl HtmlPage {
    pub(super) fn new(PageTokens { text, list, ends }: &PageTokens<'_>) -> Self {
        let mut read = PageReader {
            text,
            page: Self { cuts: Vec::new(), places: Vec::new() },
            junk: None,
            verbatim: 0,
            place: None,
            open: Vec::new(),
        };
        let mut at = 0;
        while let Some(token) = list.get(at) {
            if let Some(end) = ends.get(at).copied().flatten() {
                let last = list.get(end).unwrap_or(token);
                read.close();
                read.junk(token.range.start..last.range.end, BlankKind::Line);
                at = end + 1;
                continue;
            }
            read.token(token);
            at += 1;
        }
        read.close();
        read.flush();
        read.page
    }
}

/// The last token of each piece of boilerplate, at its first. Pieces that nothing closes stay.
fn boilerplate(text: &str, tokens: &[HtmlToken]) -> Vec<Option<usize>> {
    let mut ends = vec![None; tokens.len()];
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut headings = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let name = text.get(token.name.clone()).unwrap_or_default();
        if role(name) != ElementRole::Boilerplate {
            let is_hidden = open.iter().any(|(name, _)| !is_part(name));
            headings.extend((is_heading(name) && !is_hidden).then_some(at));
            continue;
        }
        let is_empty = text.get(token.range.clone()).is_some_and(|tag| tag.ends_with("/>"));
        match token.kind {
            TokenKind::Open if !is_empty && open.len() < MAX_BOILERPLATE_DEPTH => {
                open.push((name, at));
            }
            TokenKind::Close => {
                let found = open.iter().rposition(|(known, _)| known.eq_ignore_ascii_case(name));
                let Some(depth) = found else { continue };
                // An element with a heading of its own is a part of the page.
                let is_read = is_part(name)
                    && open.get(depth).is_some_and(|(_, first)| {
                        headings.last().is_some_and(|heading| heading > first)
                    });
                if let Some((_, first)) = open.get(depth)
                    && !is_read
                    && let Some(end) = ends.get_mut(*first)
                {
                    *end = Some(at);
                }
                open.truncate(depth);
            }
            _ => {}
        }
    }
    ends
}

/// Whether boilerplate may hold a part of the page.
fn is_part(name: &str) -> bool {
    ["nav", "footer"].iter().any(|part| part.eq_ignore_ascii_case(name))
}

fn is_heading(name: &str) -> bool {
    matches!(name.as_bytes(), [b'h' | b'H', b'1'..=b'6'])
}

/// Boilerplate inside boilerplate that is followed.
const MAX_BOILERPLATE_DEPTH: usize = 64;

/// The text in the place of what goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BlankKind {
    None,
    Space,
    Line,
}

struct PageReader<'t> {
    text: &'t str,
    page: HtmlPage,
    /// A range that goes as one, and the text in its place.
    junk: Option<(Range<usize>, BlankKind)>,
    /// Elements that are open in which white space counts.
    verbatim: usize,
    place: Option<TextBlock>,
    /// Inline elements that are open in the place: names, and where they begin.
    open: Vec<(&'t str, usize)>,
}

impl<'t> PageReader<'t> {
    fn token(&mut self, token: &HtmlToken) {
        let range = token.range.clone();
        let name = self.text.get(token.name.clone()).unwrap_or_default();
        match token.kind {
            TokenKind::Text => self.words(range),
            TokenKind::Comment => self.junk(range, BlankKind::None),
            // The cut part of a rest may close something.
            TokenKind::Declaration | TokenKind::Rest => {
                self.close();
                self.keep(range);
            }
            TokenKind::Open | TokenKind::Close => match role(name) {
                ElementRole::Meta => self.junk(range, BlankKind::Line),
                ElementRole::Box => {
                    self.close();
                    self.junk(range, BlankKind::Line);
                }
                ElementRole::Span => self.junk(range, BlankKind::None),
                ElementRole::Inline => self.inline(token, name),
                ElementRole::Mark => {
                    self.place(range.clone());
                    self.add_whole(range.clone());
                    if let Some(place) = &mut self.place {
                        place.links.push(range);
                    }
                    self.tag(token);
                }
                found @ (ElementRole::Verbatim
                | ElementRole::Structure
                | ElementRole::Boilerplate) => {
                    self.close();
                    let is_open = token.kind == TokenKind::Open;
                    if found == ElementRole::Verbatim && is_open {
                        self.verbatim += 1;
                    } else if found == ElementRole::Verbatim {
                        self.verbatim = self.verbatim.saturating_sub(1);
                    }
                    self.tag(token);
                }
            },
        }
    }

    /// A tag that stays, without the attributes that say nothing.
    fn tag(&mut self, token: &HtmlToken) {
        self.keep(token.range.clone());
        if token.kind != TokenKind::Open {
            return;
        }
        let first = self.page.cuts.len();
        let is_slash = |at: usize| self.text.as_bytes().get(at) == Some(&b'/');
        let attributes = attributes(self.text, token);
        let mut before_slash = attributes.last().is_some_and(|last| is_slash(last.range.end));
        for attribute in attributes.into_iter().rev() {
            let says = is_readable(self.text.get(attribute.name).unwrap_or_default());
            // A value without quotes would take the slash in that then follows it.
            if says || before_slash && self.follows_bare_value(token, attribute.range.start) {
                before_slash = is_slash(attribute.range.start);
            } else {
                self.page.cuts.push(Cut { range: attribute.range, with: String::new() });
            }
        }
        self.page.cuts.get_mut(first..).unwrap_or_default().reverse();
    }

    /// Whether a value, or a name, without quotes may be before a place in a tag.
    fn follows_bare_value(&self, tag: &HtmlToken, at: usize) -> bool {
        at > tag.name.end && !self.text.get(..at).is_some_and(|head| head.ends_with(['"', '\'']))
    }

    fn inline(&mut self, token: &HtmlToken, name: &'t str) {
        /// Inline elements inside one another that are followed.
        const MAX_INLINE_DEPTH: usize = 32;
        let range = token.range.clone();
        self.place(range.clone());
        if token.kind == TokenKind::Open {
            if name.eq_ignore_ascii_case("a")
                && let Some(place) = &mut self.place
            {
                place.links.push(range.clone());
            }
            if self.open.len() < MAX_INLINE_DEPTH {
                self.open.push((name, range.start));
            }
        } else if let Some(depth) =
            self.open.iter().rposition(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            let start = self.open.get(depth).map_or(range.start, |(_, start)| *start);
            self.open.truncate(depth);
            self.add_whole(start..range.end);
        } else {
            self.add_whole(range);
        }
        self.tag(token);
    }

    /// No border falls into it.
    fn add_whole(&mut self, range: Range<usize>) {
        let Some(place) = &mut self.place else { return };
        while place.unbreakable.last().is_some_and(|last| last.start >= range.start) {
            place.unbreakable.pop();
        }
        place.unbreakable.push(range);
    }

    fn words(&mut self, range: Range<usize>) {
        let words = self.text.get(range.clone()).unwrap_or_default();
        if self.verbatim > 0 {
            self.keep(range);
            return;
        }
        let bare = words.trim();
        let head = words.len() - words.trim_start().len();
        if bare.is_empty() {
            self.junk(range, blank(words));
            return;
        }
        let core = range.start + head..range.start + head + bare.len();
        self.blanks(range.start..core.start);
        self.keep(core.clone());
        self.place(core.clone());
        // Lines are wrapped and indented as the source has it.
        let mut from = core.start;
        for (at, _) in bare.match_indices('\n') {
            let at = core.start + at;
            if at < from {
                continue;
            }
            let rest = self.text.get(at..core.end).unwrap_or_default();
            let indented = rest.len() - rest.trim_start().len();
            from = at + indented;
            if indented > 1 {
                self.page.cuts.push(Cut { range: at..from, with: "\n".to_owned() });
            }
        }
        self.blanks(core.end..range.end);
    }

    fn blanks(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            let blank = blank(self.text.get(range.clone()).unwrap_or_default());
            self.junk(range, blank);
        }
    }

    fn junk(&mut self, range: Range<usize>, with: BlankKind) {
        if self.verbatim > 0 {
            // Only what is on its own goes there.
            self.flush();
            let is_tag = self.text.as_bytes().get(range.start) == Some(&b'<');
            if is_tag && !self.follows_bracket(range.start) {
                self.page.cuts.push(Cut { range, with: String::new() });
            }
            return;
        }
        match &mut self.junk {
            Some((junk, blank)) if junk.end == range.start => {
                junk.end = range.end;
                *blank = (*blank).max(with);
            }
            _ => {
                self.flush();
                self.junk = Some((range, with));
            }
        }
    }

    /// Keeps this range.
    fn keep(&mut self, range: Range<usize>) {
        if self.junk.as_ref().is_some_and(|(junk, _)| junk.end <= range.start) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let Some((range, blank)) = self.junk.take() else { return };
        let with = match blank {
            BlankKind::None if self.follows_bracket(range.start) => " ",
            BlankKind::None => "",
            BlankKind::Space => " ",
            BlankKind::Line => "\n",
        };
        if self.text.get(range.clone()) != Some(with) {
            self.page.cuts.push(Cut { range, with: with.to_owned() });
        }
    }

    /// Whether a bracket precedes it that is text, and would begin a tag with what follows.
    fn follows_bracket(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default();
        ["<", "</", "<!", "<?", "<!-"].iter().any(|head| before.ends_with(head))
    }

    /// Text or an inline element is here.
    fn place(&mut self, range: Range<usize>) {
        if self.verbatim > 0 {
            return;
        }
        match &mut self.place {
            Some(place) => place.range.end = range.end,
            None => self.place = Some(TextBlock::new(range)),
        }
    }

    fn close(&mut self) {
        if let Some(mut place) = self.place.take() {
            // An element that nothing closes goes on to the end.
            if let Some((_, start)) = self.open.first() {
                place.unbreakable.retain(|whole| whole.end <= *start);
                place.unbreakable.push(*start..place.range.end);
            }
            self.page.places.push(place);
        }
        self.open.clear();
    }
}

fn blank(blanks: &str) -> BlankKind {
    if blanks.contains('\n') { BlankKind::Line } else { BlankKind::Space }
}
