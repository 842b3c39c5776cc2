//! The frames of stack traces: which lines belong to one, and whether it is a library's.
//!
//! A library's frame is known by where libraries are installed, or by a root that only a platform
//! has.

use super::page::LinePage;

/// A frame: the line that names it, and lines below that belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) is_library: bool,
}

/// Lines that may belong to one frame.
const MAX_FRAME_LINES: usize = 8;

/// Parts of paths below which nothing but libraries is.
const LIBRARY_PATHS: [&str; 16] = [
    "site-packages",
    "dist-packages",
    "node_modules",
    ".cargo/registry",
    "cargo/registry",
    "/rustc/",
    "pkg/mod/",
    "/vendor/",
    "/gems/",
    "node:internal",
    "(internal/",
    "<frozen ",
    "/lib/python",
    "/usr/lib/",
    "/go/src/runtime/",
    "(Native Method)",
];

/// First parts of names in the platforms' own modules.
const PLATFORM_ROOTS: [&str; 14] = [
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "scala.",
    "System.",
    "Microsoft.",
    "core::",
    "std::",
    "alloc::",
    "runtime.",
    "runtime/",
];

/// The frame that begins at a line, if one does. `follows` says that a frame precedes it.
pub(super) fn frame(page: &LinePage<'_>, at: usize, follows: bool) -> Option<Frame> {
    let body = page.body(at);
    let to = if is_python(body) {
        python(page, at)
    } else if is_place(body) || (body.starts_with("from ") && body.contains(":in ")) {
        at + 1
    } else if is_numbered(body)
        && (follows || page.body(at.saturating_sub(1)).ends_with("backtrace:"))
    {
        at + 1 + usize::from(page.body(at + 1).starts_with("at "))
    } else if is_go(page, at) {
        at + 2
    } else {
        return None;
    };
    let text = page.slice(at, to);
    let named = body.strip_prefix("at ").unwrap_or_else(|| name(body));
    let is_library =
        PLATFORM_ROOTS.iter().any(|root| named.trim_start_matches('<').starts_with(root))
            || LIBRARY_PATHS.iter().any(|place| text.contains(place))
            || named.split_once('/').is_some_and(|(module, _)| module == "java.base");
    Some(Frame { from: at, to, is_library })
}

/// The common root of a run of frames of one library: the folder of the file, or the first two
/// parts of the name.
pub(super) fn root<'t>(page: &LinePage<'t>, frame: Frame) -> &'t str {
    let body = page.body(frame.from);
    if let Some(path) = body.strip_prefix("File \"") {
        let path = path.split('"').next().unwrap_or_default();
        return path.rsplit_once('/').map_or(path, |(folder, _)| folder);
    }
    let name = body.strip_prefix("at ").unwrap_or_else(|| name(body));
    let name = name.split(['(', ' ']).next().unwrap_or_default();
    let mut dots = name.match_indices(['.', ':']).map(|(at, _)| at);
    match dots.nth(1) {
        Some(end) => name.get(..end).unwrap_or_default(),
        None => name,
    }
}

/// The name after `12: `.
fn name(body: &str) -> &str {
    body.trim_start_matches(|letter: char| letter.is_ascii_digit()).trim_start_matches([':', ' '])
}

fn is_python(body: &str) -> bool {
    body.starts_with("File \"") && body.contains("\", line ")
}

/// The source below, and marks under it.
fn python(page: &LinePage<'_>, at: usize) -> usize {
    let goes_on = |line: usize| {
        !page.is_blank(line) && page.indent(line) > page.indent(at) && !is_python(page.body(line))
    };
    (at + 1..).take(MAX_FRAME_LINES).find(|line| !goes_on(*line)).unwrap_or(at + MAX_FRAME_LINES)
}

/// `at f (file:1:2)`, `at file:3`, `at A.b() in x.cs:line 3`.
fn is_place(body: &str) -> bool {
    let Some(place) = body.strip_prefix("at ") else { return false };
    match place.bytes().last() {
        Some(b')') => place.contains('('),
        Some(b'0'..=b'9') => place.contains(':'),
        _ => place.contains(" in "),
    }
}

/// `12: core::panicking::panic`.
fn is_numbered(body: &str) -> bool {
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && digits < 6 && body.get(digits..).is_some_and(|rest| rest.starts_with(": "))
}

/// `main.run(0x1)` above `\t/src/main.go:12 +0x1d`.
fn is_go(page: &LinePage<'_>, at: usize) -> bool {
    let (line, below) = (page.line(at), page.line(at + 1));
    (line.ends_with(')') || line.starts_with("created by "))
        && page.indent(at) == 0
        && below.starts_with('\t')
        && below.contains(".go:")
}
