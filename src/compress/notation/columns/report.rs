//! Rows of separated values that stay as they are.

use crate::compress::gaps::is_gap_line;
use crate::compress::notation::reports_error;

/// Whether a row stays as it is: one of its fields reports an error, or it is a mark of what is left
/// out. `verdicts` holds the fields of a row above and what they do; many are the same.
pub(super) fn report<'a>(row: &[&'a str], line: &str, verdicts: &mut [(&'a str, bool)]) -> bool {
    const ESCAPE: u8 = 0x1b;
    // The words of a line are those of its fields. What else a field can report by is how it
    // begins, and what is left of it without terminal codes.
    let may_report = |field: &&str| field.starts_with(['E', 'F', '[']);
    let is_quiet = !reports_error(line)
        && memchr::memchr(ESCAPE, line.as_bytes()).is_none()
        && !row.iter().any(may_report);
    if is_quiet {
        return is_gap_line(line);
    }
    let mut reports = false;
    for (field, (above, verdict)) in row.iter().zip(verdicts) {
        if field != above {
            let has_word = field.bytes().any(|byte| byte.is_ascii_alphabetic());
            (*above, *verdict) = (field, has_word && reports_error(field));
        }
        reports |= *verdict;
    }
    reports || is_gap_line(line)
}
