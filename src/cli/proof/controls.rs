//! Two generic ways to shorten a text, for comparison: lines deleted at random, and the middle cut
//! out. The seed is fixed, so the same file gives the same figures.

/// A text that was shortened to about the same number of tokens by each of the two ways.
pub(super) struct Controls {
    pub(super) random: String,
    pub(super) ends: String,
}

impl Controls {
    /// Shortens a text of `total` tokens to `tokens`.
    pub(super) fn new(text: &str, tokens: u64, total: u64) -> Self {
        let bytes = text.len() as u128 * u128::from(tokens.min(total)) / u128::from(total.max(1));
        let bytes = usize::try_from(bytes).unwrap_or(text.len());
        Self { random: draw_lines(text, bytes), ends: keep_ends(text, bytes) }
    }
}

/// Returns random lines in their order, `bytes` at most.
fn draw_lines(text: &str, bytes: usize) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut drawn: Vec<(u64, usize)> = (0..lines.len())
        .map(|at| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state, at)
        })
        .collect();
    drawn.sort_unstable();
    let mut remaining_bytes = bytes;
    let mut kept: Vec<usize> = Vec::new();
    for (_, at) in drawn {
        let length = lines.get(at).map_or(0, |line| line.len());
        if let Some(rest) = remaining_bytes.checked_sub(length) {
            remaining_bytes = rest;
            kept.push(at);
        }
    }
    kept.sort_unstable();
    kept.into_iter().filter_map(|at| lines.get(at).copied()).collect()
}

/// Returns the beginning and the end of a text, each half of `bytes`.
fn keep_ends(text: &str, bytes: usize) -> String {
    if bytes >= text.len() {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(bytes / 2);
    let tail = text.ceil_char_boundary(text.len() - (bytes - bytes / 2));
    let head = text.get(..head).unwrap_or_default();
    let tail = text.get(tail..).unwrap_or_default();
    format!("{head}\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_keep_the_size_that_was_asked_for() {
        let lines: Vec<String> = (0..1000).map(|at| format!("line {at} of é")).collect();
        let text = lines.join("\n");
        let controls = Controls::new(&text, 30, 100);
        let size = text.len() * 3 / 10;
        assert!(controls.random.len() <= size && controls.random.len() > size * 9 / 10);
        assert!(controls.ends.len() <= size + 1 && controls.ends.len() > size * 9 / 10);
        assert!(text.contains(controls.random.lines().nth(9).unwrap()));
        assert_eq!(controls.random, Controls::new(&text, 30, 100).random);
    }

    #[test]
    fn nothing_is_removed_if_nothing_was_saved() {
        let text = "a\nb\nc";
        let controls = Controls::new(text, 7, 5);
        assert_eq!((controls.random.as_str(), controls.ends.as_str()), (text, text));
    }
}
