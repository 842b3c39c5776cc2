//! Comments: which lines are, and where the groups of them begin.

/// Comments and doc strings, line by line.
#[derive(Debug, Default)]
pub(super) struct CommentScan {
    /// The end mark of the open comment.
    open: Option<&'static str>,
}

impl CommentScan {
    /// Whether a line is one, or belongs to one.
    pub(super) fn add_line(&mut self, body: &str) -> bool {
        if let Some(end) = self.open {
            if body.contains(end) {
                self.open = None;
            }
            return true;
        }
        for (start, end) in [("/*", "*/"), ("\"\"\"", "\"\"\""), ("'''", "'''")] {
            let bare = body.strip_prefix(['r', 'b']).unwrap_or(body);
            if let Some(rest) = bare.strip_prefix(start) {
                if !rest.contains(end) {
                    self.open = Some(end);
                }
                return true;
            }
        }
        is_line_comment(body)
    }
}

fn is_line_comment(body: &str) -> bool {
    match body.as_bytes() {
        [b'/', b'/', ..] | [b'-', b'-', b' ', ..] => true,
        [b'#', rest @ ..] => {
            rest.first().is_none_or(|next| matches!(next, b' ' | b'#' | b'!' | b':'))
        }
        _ => false,
    }
}

/// Whether a line of a comment says something, rather than opening or closing it.
pub(super) fn has_words(body: &str) -> bool {
    body.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(lines: &[&str]) -> Vec<bool> {
        let mut comments = CommentScan::default();
        lines.iter().map(|line| comments.add_line(line)).collect()
    }

    #[test]
    fn comments_of_many_languages_are_known() {
        let lines = [
            "/**",
            "* a",
            "*/",
            "x",
            "// a",
            "# a",
            "#[a]",
            "#include <a>",
            "\"\"\"a",
            "b",
            "c\"\"\"",
            "d",
        ];
        let expected = [true, true, true, false, true, true, false, false, true, true, true, false];
        assert_eq!(seen(&lines), expected);
        assert_eq!(seen(&["\"\"\"One line.\"\"\"", "x = 1"]), [true, false]);
        assert!(has_words("/// a") && !has_words("/**"));
    }
}
