//! Roles of the elements of a page, and the attributes that say something.

/// Treatment of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementRole {
    /// It goes with all that is in it.
    Boilerplate,
    /// A tag that is alone, and goes.
    Meta,
    /// Its tags go, what is in it stays; it begins a line.
    Box,
    /// The same, within a line.
    Span,
    /// A part of a sentence.
    Inline,
    /// The same, without an end of its own.
    Mark,
    /// White space in it counts.
    Verbatim,
    /// All else: headings, lists, tables, forms.
    Structure,
}

/// Letters of the longest name below.
const MAX_NAME_BYTES: usize = 10;

pub(super) fn role(name: &str) -> ElementRole {
    let mut small = [0_u8; MAX_NAME_BYTES];
    for (small, byte) in small.iter_mut().zip(name.bytes()) {
        *small = byte.to_ascii_lowercase();
    }
    match small.get(..name.len()).unwrap_or_default() {
        b"script" | b"style" | b"svg" | b"noscript" | b"template" | b"iframe" | b"nav"
        | b"footer" => ElementRole::Boilerplate,
        b"meta" | b"link" | b"base" => ElementRole::Meta,
        b"div" | b"section" | b"article" | b"main" | b"header" | b"center" | b"figure"
        | b"picture" => ElementRole::Box,
        b"span" | b"font" | b"wbr" => ElementRole::Span,
        b"a" | b"abbr" | b"b" | b"bdi" | b"bdo" | b"cite" | b"code" | b"data" | b"del" | b"dfn"
        | b"em" | b"i" | b"ins" | b"kbd" | b"mark" | b"q" | b"s" | b"samp" | b"small"
        | b"strong" | b"sub" | b"sup" | b"time" | b"u" | b"var" => ElementRole::Inline,
        b"img" => ElementRole::Mark,
        b"pre" | b"textarea" => ElementRole::Verbatim,
        _ => ElementRole::Structure,
    }
}

/// Whether an attribute says something to a reader of the page.
pub(super) fn is_readable(attribute: &str) -> bool {
    const NAMES: [&str; 26] = [
        "href",
        "src",
        "alt",
        "title",
        "id",
        "name",
        "value",
        "type",
        "for",
        "action",
        "method",
        "colspan",
        "rowspan",
        "lang",
        "datetime",
        "placeholder",
        "label",
        "cite",
        "start",
        "open",
        "checked",
        "selected",
        "disabled",
        "required",
        "scope",
        "download",
    ];
    NAMES.iter().any(|name| name.eq_ignore_ascii_case(attribute))
}
