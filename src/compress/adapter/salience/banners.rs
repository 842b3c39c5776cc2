//! Headings between two equal rules: `-----`, `name`, `  section`, `-----`.

use super::super::page::LinePage;

/// The headings of a text that are drawn so, if there is more than one.
#[derive(Debug, Default)]
pub(super) struct Banners {
    /// First lines, in order.
    heads: Vec<usize>,
    /// The rules below them.
    ends: Vec<usize>,
}

impl Banners {
    pub(super) fn find(page: &LinePage<'_>) -> Self {
        /// Lines of the longest heading.
        const MAX_LINES: usize = 4;
        /// Lines between rules that may be a list.
        const MIN_LISTED: usize = 6;
        let mut found = Self::default();
        let mut open: Option<usize> = None;
        for at in (0..page.len()).filter(|at| is_full_rule(page.body(*at))) {
            let is_heading = |open: &usize| {
                (2..=MAX_LINES + 1).contains(&(at - open)) && page.line(*open) == page.line(at)
            };
            match open.filter(is_heading) {
                Some(rule) => {
                    found.heads.push(rule + 1);
                    found.ends.push(at);
                    open = None;
                }
                None => open = Some(at),
            }
        }
        // The head of one table is drawn so, too, and rules between all lines head nothing.
        let solid = page.solid().len();
        let is_list = found.heads.len() >= MIN_LISTED && found.heads.len() * 5 > solid;
        if found.heads.len() < 2 || is_list { Self::default() } else { found }
    }

    /// Whether a line is the first of a heading.
    pub(super) fn heads(&self, at: usize) -> bool {
        self.heads.binary_search(&at).is_ok()
    }

    /// Whether a line is the rule below a heading.
    pub(super) fn closes(&self, at: usize) -> bool {
        self.ends.binary_search(&at).is_ok()
    }
}

/// Whether a line is one mark over and over.
fn is_full_rule(body: &str) -> bool {
    /// Marks of the shortest.
    const MIN_MARKS: usize = 20;
    let bytes = body.as_bytes();
    bytes.len() >= MIN_MARKS
        && bytes.first().is_some_and(|first| {
            matches!(first, b'-' | b'=' | b'*' | b'~') && bytes.iter().all(|byte| byte == first)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_drawn_with_two_rules() {
        let rule = "-".repeat(40);
        let text = format!("{rule}\na\n  b\n{rule}\nit ran\n{rule}\nc\n{rule}\nit ran\n");
        let banners = Banners::find(&LinePage::new(&text));
        assert!(banners.heads(1) && banners.heads(6) && !banners.heads(2) && !banners.heads(4));
        assert!(banners.closes(3) && banners.closes(7) && !banners.closes(0));
        let table = format!("{rule}\nname value\n{rule}\na 1\nb 2\n");
        assert!(!Banners::find(&LinePage::new(&table)).heads(1));
    }
}
