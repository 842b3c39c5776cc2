//! Small questions about the bytes of a line. Each looks at a line once at the most.

/// How many times a byte stands at the beginning.
pub(super) fn run_of(bytes: &[u8], mark: u8) -> usize {
    bytes.iter().take_while(|byte| **byte == mark).count()
}

/// Digits at the beginning.
pub(super) fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// A list item's marker with the blank after it: `- `, `* `, `+ `, `12. `, `12) `.
pub(super) fn list_marker(body: &[u8]) -> Option<usize> {
    let width = match body.first()? {
        b'-' | b'*' | b'+' => 1,
        b'0'..=b'9' => {
            let digits = digits(body.get(..body.len().min(10))?);
            matches!(body.get(digits)?, b'.' | b')').then_some(digits + 1)?
        }
        _ => return None,
    };
    matches!(body.get(width)?, b' ' | b'\t').then_some(width + 1)
}
