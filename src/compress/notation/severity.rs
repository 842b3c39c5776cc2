//! placeholder
pub(crate) fn reports_error(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    ["error", "exception", "failed", "failure", "fatal", "panic", "traceback", "denied"]
        .iter()
        .any(|w| lower.split(|c: char| !c.is_alphanumeric() && c != '_').any(|x| x == *w))
}
