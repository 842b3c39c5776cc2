//! Form of a record in its lines, and the line above its rows that names it.

use super::cell::CellSyntax;
use crate::compress::text::parse_digits;

/// The indentation of what is inside, from the header.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RecordStyle {
    /// Indentation that a level adds.
    pub(super) step: String,
    /// Spaces by which the dashes of a list follow their key.
    pub(super) dashes: usize,
    /// Whether each line ends with a carriage return.
    pub(super) returns: bool,
    /// Whether lines that occur again are aliases.
    pub(super) aliases: bool,
}

/// Word of a header for carriage returns.
const RETURNS_WORD: &str = "crlf";
/// Words of a header for aliases.
const ALIASES_WORDS: &str = "*1 repeats the lines from &1 on";
/// Widest step.
const MAX_STEP_SPACES: usize = 8;

impl RecordStyle {
    pub(super) fn words(&self) -> String {
        let mut words = match self.step.as_str() {
            "" => String::new(),
            "\t" => "tab".to_owned(),
            step => format!("indent {}", step.len()),
        };
        if self.dashes > 0 {
            words.push_str(if words.is_empty() { "dashes " } else { ", dashes " });
            words.push_str(&self.dashes.to_string());
        }
        if self.returns {
            words.push_str(if words.is_empty() { "" } else { ", " });
            words.push_str(RETURNS_WORD);
        }
        if self.aliases {
            words.push_str(if words.is_empty() { "" } else { ", " });
            words.push_str(ALIASES_WORDS);
        }
        words
    }

    pub(super) fn read(words: &str) -> Option<Self> {
        let mut style = Self::default();
        if words.is_empty() {
            return Some(style);
        }
        let number =
            |text: &str| text.parse().ok().filter(|wide| (1..=MAX_STEP_SPACES).contains(wide));
        for word in words.split(", ") {
            if word == RETURNS_WORD {
                style.returns = true;
            } else if word == ALIASES_WORDS {
                style.aliases = true;
            } else if word == "tab" {
                style.step.push('\t');
            } else if let Some(wide) = word.strip_prefix("indent ") {
                style.step = " ".repeat(number(wide)?);
            } else {
                style.dashes = number(word.strip_prefix("dashes ")?)?;
            }
        }
        Some(style)
    }
}

/// Layout of the lines of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordForm<'a> {
    /// `- a: 1`, a member a line.
    Item,
    /// `key:`, a member a line below it.
    Key,
    /// `- { a: 1, b: 2 }`
    FlowItem,
    /// `key: { a: 1, b: 2 }`
    FlowKey,
    /// `<tag a="1" b="2"/>`, by what closes it.
    Attributes { tag: &'a str, close: &'a str },
    /// `<tag a="1">text</tag>`
    Text { tag: &'a str },
    /// `<tag><a>1</a></tag>`
    Elements { tag: &'a str },
    /// The same with each child on its line.
    Lines { tag: &'a str },
}

/// Bytes of indentation that a record may have.
pub(super) const MAX_INDENT_BYTES: usize = 200;
/// Sign before the number of rows.
const ROWS_SIGN: &str = " ×";

impl<'a> RecordForm<'a> {
    pub(super) fn values(self) -> CellSyntax {
        match self {
            Self::Item | Self::Key | Self::FlowItem | Self::FlowKey => CellSyntax::Yaml,
            _ => CellSyntax::Xml,
        }
    }

    /// Whether a row begins with the key of its record.
    pub(super) fn is_keyed(self) -> bool {
        matches!(self, Self::Key | Self::FlowKey)
    }

    /// Whether a row ends with the text of its record.
    pub(super) fn has_text(self) -> bool {
        matches!(self, Self::Text { .. })
    }

    /// The line above the rows; `columns` have their braces.
    pub(super) fn head(self, indent: &str, columns: &str, rows: usize) -> String {
        let line = match self {
            Self::Item => format!("- {columns}"),
            Self::Key => format!("*: {columns}"),
            Self::FlowItem => format!("- {}", spaced(columns)),
            Self::FlowKey => format!("*: {}", spaced(columns)),
            Self::Attributes { tag, close } => format!("<{tag} {columns}{close}"),
            Self::Text { tag } => format!("<{tag} {columns}>*</{tag}>"),
            Self::Elements { tag } => format!("<{tag}>{columns}</{tag}>"),
            Self::Lines { tag } => format!("<{tag}> {columns} </{tag}>"),
        };
        format!("{indent}{line}{ROWS_SIGN}{rows}")
    }

    /// Reads what [`RecordForm::head`] wrote after the indentation: the form, and the columns
    /// without their braces.
    pub(super) fn read(line: &'a str) -> Option<(Self, &'a str)> {
        let (open, close) = (line.find('{')?, line.rfind('}')?);
        let (before, after) = (line.get(..open)?, line.get(close + 1..)?);
        let columns = line.get(open + 1..close)?;
        if matches!(before, "- " | "*: ") {
            if !after.is_empty() {
                return None;
            }
            let flow = unspaced(columns);
            let form = match (before, flow.is_some()) {
                ("- ", true) => Self::FlowItem,
                ("- ", false) => Self::Item,
                (_, true) => Self::FlowKey,
                (_, false) => Self::Key,
            };
            return Some((form, flow.unwrap_or(columns)));
        }
        let before = before.strip_prefix('<')?;
        if let Some(tag) = before.strip_suffix("> ") {
            return (after.strip_prefix(" </")?.strip_suffix('>')? == tag)
                .then_some((Self::Lines { tag }, columns));
        }
        if let Some(tag) = before.strip_suffix('>') {
            return (after.strip_prefix("</")?.strip_suffix('>')? == tag)
                .then_some((Self::Elements { tag }, columns));
        }
        let tag = before.strip_suffix(' ')?;
        if let Some(closed) = after.strip_prefix(">*</") {
            return (closed.strip_suffix('>')? == tag).then_some((Self::Text { tag }, columns));
        }
        Some((Self::Attributes { tag, close: after }, columns))
    }
}

/// The line above the rows of a table.
pub(super) struct TableHead<'l> {
    pub(super) indent: &'l str,
    /// The form of the rows, for [`RecordForm::read`].
    pub(super) form: &'l str,
    /// Number of rows that follow.
    pub(super) rows: usize,
}

impl<'l> TableHead<'l> {
    pub(super) fn parse(line: &'l str) -> Option<Self> {
        // Few lines end with a number.
        line.as_bytes().last().filter(|last| last.is_ascii_digit())?;
        let (head, rows) = line.rsplit_once(ROWS_SIGN)?;
        let rows = parse_digits(rows)?;
        let form = head.trim_start_matches([' ', '\t']);
        let indent = head.get(..head.len() - form.len())?;
        if indent.len() > MAX_INDENT_BYTES {
            return None;
        }
        Some(Self { indent, form, rows })
    }
}

/// Columns in braces as they are in a map on one line.
fn spaced(columns: &str) -> String {
    let inner = columns.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    match inner.unwrap_or_default() {
        "" => "{ }".to_owned(),
        inner => format!("{{ {inner} }}"),
    }
}

fn unspaced(inner: &str) -> Option<&str> {
    if inner == " " { Some("") } else { inner.strip_prefix(' ')?.strip_suffix(' ') }
}
