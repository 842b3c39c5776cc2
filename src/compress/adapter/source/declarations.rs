//! Detects lines that declare something, by their shape: a name, perhaps words before it, perhaps
//! parameters after it, and a block below. What opens a block without declaring anything begins
//! with one of a few words that most languages share.

/// Words that open a block or a call, and declare nothing.
const CONTROL_WORDS: [&str; 40] = [
    "if", "else", "elif", "elsif", "unless", "for", "foreach", "while", "until", "loop", "do",
    "try", "catch", "except", "rescue", "ensure", "finally", "switch", "match", "select", "case",
    "when", "with", "default", "return", "yield", "await", "throw", "raise", "assert", "new",
    "let", "not", "where", "unsafe", "begin", "then", "defer", "go", "using",
];

/// Words that what a body gives back, or refuses, begins with.
const RESULT_WORDS: [&str; 8] =
    ["return", "raise", "throw", "assert", "yield", "panic", "assert_eq", "assert_ne"];

/// Words that lines which bring in other modules begin with.
const IMPORT_WORDS: [&str; 7] =
    ["import", "use", "from", "require", "package", "using", "#include"];

/// Whether a line that a block is below declares something.
pub(super) fn opens_declaration(body: &str) -> bool {
    let body = without_visibility(body.trim_ascii_end());
    if CONTROL_WORDS.contains(&word(body)) || !body.starts_with(begins_a_name) {
        return false;
    }
    let end = body.find(['(', '{', '=']).unwrap_or(body.len());
    let (head, rest) = body.split_at_checked(end).unwrap_or_default();
    let head = head.strip_suffix(':').unwrap_or(head);
    let words = head.split_ascii_whitespace().count();
    match rest.bytes().next() {
        Some(b'=') => words > 0 && !rest.starts_with("=>") && is_function(rest),
        Some(b'(') if is_arm(rest) => false,
        Some(b'(') if words >= 2 => true,
        // A method, or a block with a name: `it("works", () => {`.
        Some(b'(') => {
            let is_named = rest.get(1..).is_some_and(|rest| rest.starts_with(['"', '\'', '`']));
            let opens = rest.ends_with('{') || rest.ends_with(':');
            !head.contains('.') && opens && (is_named || is_balanced(rest))
        }
        Some(_) => rest == "{" && words >= 2 && !head.contains('|'),
        None => words >= 2 && !head.ends_with([',', ';', '.']),
    }
}

/// Whether a line declares something and nothing is below it: `const N: usize = 3;`, `N = 3`.
pub(super) fn is_short_declaration(body: &str) -> bool {
    let body = without_visibility(body);
    let end = body.find(['(', '{', '=', ';', ':']).unwrap_or(body.len());
    let head = body.get(..end).unwrap_or_default();
    let is_assigned = body.get(end..).is_some_and(|rest| rest.starts_with(['=', ':']));
    body.starts_with(begins_a_name)
        && !CONTROL_WORDS.contains(&word(body))
        && (head.split_ascii_whitespace().count() >= 2 || is_assigned)
        && !head.contains(['.', '"', '\'', '[', ','])
}

pub(super) fn is_import(body: &str) -> bool {
    let body = without_visibility(body);
    let first = body.split([' ', '\t', '(', '<', '"']).next().unwrap_or_default();
    IMPORT_WORDS.contains(&first) && body.len() > first.len()
}

/// Whether a line says what a body gives back, or refuses.
pub(super) fn is_result(body: &str) -> bool {
    RESULT_WORDS.contains(&word(body))
}

/// Brackets and what ends them, alone.
pub(super) fn is_closing(body: &str) -> bool {
    body.bytes().all(|byte| b"{}[]();,".contains(&byte)) || body == "end"
}

/// A declaration without the word that says how far it can be seen.
fn without_visibility(body: &str) -> &str {
    let Some(rest) = body.strip_prefix("pub") else { return body };
    let rest = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((_, rest)) => rest,
        None => rest,
    };
    rest.strip_prefix(' ').unwrap_or(body)
}

fn word(body: &str) -> &str {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    body.get(..body.bytes().take_while(|byte| is_word(byte)).count()).unwrap_or_default()
}

fn begins_a_name(letter: char) -> bool {
    letter.is_alphabetic() || matches!(letter, '_' | '$' | '*' | '~')
}

/// `= (a) => {`, `= function (a) {`, `= async (a) => {`: after the name of a function.
fn is_function(rest: &str) -> bool {
    let value = rest.trim_start_matches('=').trim_ascii_start();
    let value = value.strip_prefix("async").map_or(value, str::trim_ascii_start);
    (value.starts_with("function") && value.ends_with('{'))
        || (value.ends_with("=> {") && is_balanced(value))
}

/// `(x) => {` after a pattern: a case of a match.
fn is_arm(rest: &str) -> bool {
    rest.ends_with("=> {") && is_balanced(rest)
}

/// Whether each round bracket that opens closes again.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => {}
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_many_languages_are_known() {
        for line in [
            "def take(self, job):",
            "class Worker(Thread):",
            "class Worker:",
            "async def run() -> None:",
            "fn take(&self) -> u8 {",
            "pub(crate) fn shorten(",
            "impl<T> Take for Worker<T> {",
            "pub struct Worker {",
            "export class Worker extends Base {",
            "export async function run(a: string): Promise<void> {",
            "export const run = async (a) => {",
            "render(props) {",
            "constructor(private readonly a: A) {",
            "public static void main(String[] args) {",
            "func (w *Worker) Take(ctx context.Context) error {",
            "interface Job {",
            "int main(void) {",
            "module Jobs",
            "def take(job)",
            "describe(\"worker\", () => {",
        ] {
            assert!(opens_declaration(line), "{line}");
        }
    }

    #[test]
    fn blocks_that_declare_nothing_are_known() {
        for line in [
            "if x > 0:",
            "for (const a of b) {",
            "} else {",
            "match kind {",
            "Some(x) => {",
            "let found = items.iter().map(|x| {",
            "let Some(x) = y else {",
            "self.items.retain(|x| {",
            "items.map(x => {",
            "foo(",
            "return Found {",
            "Found {",
            "while let Some(x) = y {",
            "with open(path) as file:",
            "try:",
            "x = [",
            ".then(x => {",
            "await run(",
        ] {
            assert!(!opens_declaration(line), "{line}");
        }
    }

    #[test]
    fn short_declarations_imports_and_results_are_known() {
        assert!(
            [
                "const N: usize = 3;",
                "pub const M: u8 = 1;",
                "type A = B",
                "export const x = 1;",
                "N = 3"
            ]
            .iter()
            .all(|line| is_short_declaration(line))
        );
        assert!(
            !["run();", "x[3] = 3", "return x;", "a.b c = 1"]
                .iter()
                .any(|line| is_short_declaration(line))
        );
        assert!(
            ["import os", "use a::b;", "from a import b", "pub use a::b;", "#include <a.h>"]
                .iter()
                .all(|line| is_import(line))
        );
        assert!(!["important()", "user = 1", "import"].iter().any(|line| is_import(line)));
        assert!(is_result("return x") && is_result("assert!(x)") && !is_result("returned = 1"));
    }
}
