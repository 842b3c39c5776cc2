//! Texts that people wrote, by the layout of Markdown: paragraphs shrink where they are, and headings,
//! tables, fences, front matter and lists stay as they were.
//!
//! There are two adapters, so that a request can choose: one of documents, which have headings, and
//! one of answers with code in them, in which each fence is next to its words.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::passages::{Passages, TextBlock};
use super::{AdapterAttempt, Cut, FormatAdapter, InnerTexts, Part, prose};
use crate::compress::segment::{Kind, Part as Markdown, Span};

/// Bytes of words that are worth it.
const MIN_WORDS_BYTES: usize = 200;
/// Bytes of a list's item that stays as it is.
const MAX_WHOLE_ITEM_BYTES: usize = 160;
/// Hundredths of a text that must be words and the marks of Markdown.
const MIN_WRITTEN_PERCENT: usize = 70;

/// The adapter of texts with headings.
#[derive(Debug)]
pub(crate) struct MarkdownAdapter;

impl FormatAdapter for MarkdownAdapter {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn detects(&self, part: Part<'_>) -> bool {
        is_written(part) && is_document(part)
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        is_same(before, after)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        attempt(part)
    }
}

/// The adapter of texts with fences that are no documents.
#[derive(Debug)]
pub(crate) struct CodeAdapter;

impl FormatAdapter for CodeAdapter {
    fn name(&self) -> &'static str {
        "code"
    }

    fn detects(&self, part: Part<'_>) -> bool {
        part.has(|kind| kind == Kind::Fence) && is_written(part) && !is_document(part)
    }

    fn holds(&self, before: &str, after: &str) -> bool {
        is_same(before, after)
    }

    fn attempt<'p>(&'p self, part: Part<'p>, _: &mut dyn InnerTexts) -> AdapterAttempt<'p> {
        attempt(part)
    }
}

fn parser(text: &str) -> Parser<'_> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    Parser::new_ext(text, options)
}

/// Whether a text is mostly words and marks of Markdown, and words enough.
fn is_written(part: Part<'_>) -> bool {
    let bytes = |holds: &dyn Fn(Kind) -> bool| -> usize {
        part.spans.iter().filter(|span| holds(span.kind)).map(|span| span.range.len()).sum()
    };
    let written = bytes(&|kind| matches!(kind, Kind::Prose | Kind::Markdown(_) | Kind::Fence));
    bytes(&prose::is_words) >= MIN_WORDS_BYTES
        && written >= part.text.len() * MIN_WRITTEN_PERCENT / 100
}

/// Whether a text has so many headings that it is a document.
fn is_document(part: Part<'_>) -> bool {
    /// Headings that make a document.
    const MIN_HEADINGS: usize = 2;
    let is_heading = |span: &&Span| span.kind == Kind::Markdown(Markdown::Heading);
    let counts = part.spans.iter().filter(is_heading).map(|span| {
        let lines = part.text.get(span.range.clone()).unwrap_or_default().lines();
        // A line below words makes a heading of them, any other is a rule.
        let before = part.text.get(..span.range.start).unwrap_or_default();
        let is_below =
            !before.is_empty() && !before.ends_with("\n\n") && !before.ends_with("\n\r\n");
        let is_line = |line: &str| line.trim_end().bytes().all(|byte| matches!(byte, b'=' | b'-'));
        let mut lines = lines.map(str::trim_start).filter(|line| !line.is_empty()).peekable();
        let below = usize::from(is_below && lines.peek().is_some_and(|line| is_line(line)));
        below + lines.filter(|line| line.starts_with('#')).count()
    });
    counts.sum::<usize>() >= MIN_HEADINGS
}

/// Cuts in paragraphs, with a check that the rest has the blocks of the text.
fn attempt(part: Part<'_>) -> AdapterAttempt<'_> {
    let parser = parser(part.text);
    let definitions = definitions(&parser);
    let (mut blocks, mut walk) =
        (Vec::new(), LayoutWalk { text: part.text, ..LayoutWalk::default() });
    for (event, range) in parser.into_offset_iter() {
        blocks.extend(block(part.text, &event, range.clone()));
        walk.event(&event, range);
    }
    walk.close();
    let holds = move |after: &str| {
        let shown = self::parser(after);
        definitions == self::definitions(&shown)
            && self::blocks(after, shown).eq(blocks.iter().copied())
    };
    AdapterAttempt::new(cuts(part, &walk.found), holds)
}

fn cuts(part: Part<'_>, places: &[TextBlock]) -> Vec<Cut> {
    let mut passages = Passages::new(part.text).with_ratio(part.ratio);
    for place in places {
        let next = part.spans.partition_point(|span| span.range.end <= place.range.start);
        let in_words = part
            .spans
            .get(next)
            .is_some_and(|span| prose::is_words(span.kind) && place.range.end <= span.range.end);
        let is_short = place.in_item && place.range.len() < MAX_WHOLE_ITEM_BYTES;
        if in_words && !is_short {
            passages.add_place(place);
        }
    }
    // After `[name]:`, the mark of a gap would be where a link leads.
    let follows_name = |at: usize| {
        let next = places.partition_point(|place| place.range.end <= at);
        let head = places.get(next).and_then(|place| part.text.get(place.range.start..at));
        head.is_some_and(|head| head.trim_end().ends_with("]:"))
    };
    // A line that begins with marks of a fence may be none for a backtick further on alone.
    let marked = marked_lines(part.text);
    let follows_marks = |at: usize| {
        let next = marked.partition_point(|line| line.end < at);
        marked.get(next).is_some_and(|line| line.start < at)
    };
    let mut cuts = passages.cuts();
    cuts.retain(|cut| !follows_name(cut.range.start) && !follows_marks(cut.range.start));
    cuts
}

/// Lines from the first marks of a fence in them on.
fn marked_lines(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    let rest = |from: usize| text.as_bytes().get(from..).unwrap_or_default();
    while let Some(at) = memchr::memmem::find(rest(from), b"```") {
        let start = from + at;
        from = memchr::memchr(b'\n', rest(start)).map_or(text.len(), |end| start + end);
        found.push(start..from);
    }
    found
}

/// Whether two texts have the same blocks but for paragraphs, and what no adapter may touch is the
/// same byte for byte: headings, fences and other code, tables, front matter, HTML.
fn is_same(before: &str, after: &str) -> bool {
    let (own, shown) = (parser(before), parser(after));
    definitions(&own) == definitions(&shown) && blocks(before, own).eq(blocks(after, shown))
}

/// Targets of the links of `[text][name]`.
fn definitions(parser: &Parser<'_>) -> Vec<(String, String)> {
    let definitions = parser.reference_definitions().iter();
    let mut all: Vec<(String, String)> = definitions
        .map(|(name, definition)| (name.to_owned(), definition.dest.to_string()))
        .collect();
    all.sort_unstable();
    all
}

/// The blocks of a text by what they are, with their bytes if those must stay.
fn blocks<'t>(text: &'t str, parser: Parser<'t>) -> impl Iterator<Item = (u8, &'t str)> {
    parser.into_offset_iter().filter_map(move |(event, range)| block(text, &event, range))
}

fn block<'t>(text: &'t str, event: &Event<'_>, range: Range<usize>) -> Option<(u8, &'t str)> {
    let (kind, stays) = match event {
        Event::Start(Tag::Heading { .. }) => (0, true),
        Event::Start(Tag::CodeBlock(_)) => (1, true),
        Event::Start(Tag::Table(_)) => (2, true),
        Event::Start(Tag::MetadataBlock(_)) => (3, true),
        Event::Start(Tag::HtmlBlock) => (4, true),
        Event::Start(Tag::List(_)) => (5, false),
        Event::Start(Tag::Item) => (6, false),
        Event::Start(Tag::BlockQuote(_)) => (7, false),
        Event::Start(Tag::FootnoteDefinition(_)) => (8, false),
        Event::Rule => (9, true),
        _ => return None,
    };
    let bytes = if stays { text.get(range).unwrap_or_default().trim_end() } else { "" };
    Some((kind, bytes))
}

#[derive(Debug, Default)]
struct LayoutWalk<'t> {
    text: &'t str,
    found: Vec<TextBlock>,
    open: Option<TextBlock>,
    /// Whether a paragraph is open that ends with an event of its own.
    is_paragraph: bool,
    /// Elements within a line that are open.
    inline: usize,
    items: usize,
    /// Blocks that are open and must stay.
    fixed: usize,
    /// End of a table that no words have followed yet.
    table: Option<usize>,
    opens: bool,
    /// Blocks that began or ended, but for paragraphs.
    group: usize,
}

impl LayoutWalk<'_> {
    fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(*tag),
            Event::Code(_) | Event::InlineHtml(_) | Event::FootnoteReference(_) => {
                self.inline(range, true);
            }
            Event::Text(_) | Event::SoftBreak | Event::HardBreak => self.inline(range, false),
            Event::Rule => self.border(),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => {
                self.inline(range, true);
                self.inline += 1;
            }
            Tag::Link { .. } | Tag::Image { .. } => {
                self.inline(range.clone(), true);
                self.inline += 1;
                if let Some(open) = &mut self.open
                    && open.links.last().is_none_or(|last| last.end <= range.start)
                {
                    open.links.push(range);
                }
            }
            Tag::Paragraph => {
                self.close();
                self.begin(range);
                self.is_paragraph = true;
            }
            Tag::Heading { .. }
            | Tag::Table(_)
            | Tag::CodeBlock(_)
            | Tag::HtmlBlock
            | Tag::MetadataBlock(_) => {
                self.border();
                self.fixed += 1;
                if matches!(tag, Tag::Table(_)) {
                    self.table = Some(range.end);
                }
            }
            Tag::Item => {
                self.border();
                self.items += 1;
            }
            Tag::TableHead | Tag::TableRow | Tag::TableCell => {}
            _ => self.border(),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Link
            | TagEnd::Image => {
                self.inline = self.inline.saturating_sub(1);
            }
            TagEnd::Heading(_) => {
                self.fixed = self.fixed.saturating_sub(1);
                self.opens = true;
            }
            TagEnd::Table | TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::MetadataBlock(_) => {
                self.fixed = self.fixed.saturating_sub(1);
            }
            TagEnd::Item => {
                self.border();
                self.items = self.items.saturating_sub(1);
            }
            TagEnd::TableHead | TagEnd::TableRow | TagEnd::TableCell => {}
            TagEnd::Paragraph => self.close(),
            _ => self.border(),
        }
    }

    /// Words of an item that are in no paragraph are one all the same.
    fn inline(&mut self, range: Range<usize>, is_whole: bool) {
        if self.fixed > 0 {
            return;
        }
        if self.open.is_none() {
            self.begin(range.clone());
            self.is_paragraph = false;
        }
        let Some(open) = &mut self.open else { return };
        if !self.is_paragraph {
            open.range.end = open.range.end.max(range.end);
        }
        if is_whole && self.inline == 0 {
            open.unbreakable.push(range);
        }
    }

    fn begin(&mut self, range: Range<usize>) {
        let opens = std::mem::take(&mut self.opens);
        let in_item = self.items > 0;
        self.open = Some(TextBlock { opens, in_item, group: self.group, ..TextBlock::new(range) });
        self.inline = 0;
    }

    /// A block begins or ends that is no paragraph.
    fn border(&mut self) {
        self.group += 1;
        self.close();
    }

    fn close(&mut self) {
        let Some(mut place) = self.open.take() else { return };
        let words = self.text.get(place.range.clone()).unwrap_or_default();
        place.range.end = place.range.start + words.trim_end().len();
        if !self.is_below_table(place.range.start) {
            self.found.push(place);
        }
    }

    /// Whether no line is between a table and the words that follow it: they are no row of it only
    /// as long as they begin as they do.
    fn is_below_table(&mut self, at: usize) -> bool {
        let between = self.table.take().and_then(|end| self.text.as_bytes().get(end..at));
        between.is_some_and(|between| memchr::memchr(b'\n', between).is_none())
    }
}

#[cfg(test)]
mod tests {
    mod code;
    mod markdown;
}
