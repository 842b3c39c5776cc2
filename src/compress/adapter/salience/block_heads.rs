//! Heads of blocks at the left edge that declare something: `CREATE TABLE orders (` up to `);`,
//! `message Order {` up to `}`.

use super::super::page::LinePage;

/// Calls `each` with the heads of the blocks of a text, if it has several.
pub(super) fn mark_block_heads(page: &LinePage<'_>, mut each: impl FnMut(usize)) {
    /// Blocks of a text that is made of them, in part at the least.
    const MIN_BLOCKS: usize = 3;
    let mut heads: Vec<usize> = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for at in (0..page.len()).filter(|at| page.indent(*at) == 0 && !page.is_blank(*at)) {
        let body = page.body(at);
        if let Some((head, mark)) = open.filter(|(_, mark)| body.starts_with(*mark)) {
            let is_end = body.chars().all(|letter| letter == mark || matches!(letter, ';' | ','));
            heads.extend(Some(head).filter(|_| is_end));
            open = None;
        } else {
            open = closing_mark(body).map(|mark| (at, mark));
        }
    }
    if heads.len() >= MIN_BLOCKS {
        heads.into_iter().for_each(&mut each);
    }
}

/// What closes the block that a line opens, if the line says what is in it.
fn closing_mark(body: &str) -> Option<char> {
    let (head, mark) = match body.strip_suffix('{') {
        Some(head) => (head, '}'),
        None => (body.strip_suffix('(')?, ')'),
    };
    let begins = head.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '@');
    (begins && head.ends_with(' ') && head.trim_ascii_end().contains(' ')).then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_at_the_left_edge_have_heads() {
        let text = "CREATE TABLE a (\n  id int\n);\n\nmessage Order {\n  int64 id = 1;\n}\nhttp {\n}\nresource \"x\" \"y\" {\n  z = 1\n}\n";
        let mut found = Vec::new();
        mark_block_heads(&LinePage::new(text), |at| found.push(at));
        assert_eq!(found, [0, 4, 9]);
        let few = "message Order {\n  int64 id = 1;\n}\n";
        mark_block_heads(&LinePage::new(few), |at| panic!("{at}"));
    }
}
