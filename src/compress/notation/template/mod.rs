//! `template`: runs of log lines as forms and rows.
//!
//! ```text
//! §template 5 with 2
//! A,=2024-05-01T12:{}:{}.{} INFO worker-{} done in {}ms
//! B,=2024-05-01T12:{}:{}.{} INFO cache holds {} pages, tick {=1+1}
//! A00,01,417,3,17
//! B00,02,108,940
//! A,,530,4
//! ```
//!
//! The first lines of the body, as many as `with` says, are *forms*: a tag (an ASCII letter), the
//! character that separates cells, `=`, and the text of a line with holes. Each line after them
//! is a row of a form, or a line of the text as it is. Lines keep their order.
//!
//! A *row* is a tag and the cells for the holes of its form, from left to right. A cell that
//! begins with a digit may follow the tag at once; otherwise a separator stands between. Every
//! cell but the last is free of separators. An empty cell says what its hole foretells: the same
//! value as in the row before of the same form. Empty cells at the end are left out.
//!
//! Holes: `{}` is a cell. `{+2}` foretells the number before and 2, as wide as that one was.
//! `{=7+1}` has no cell: 7, then 8, and so on. `{>8}` and `{<8}` fill the value with spaces to 8
//! characters, on its left or on its right, and go with the others (`{>8+2}`). `{{` is a brace.
//!
//! A line of the text that could be read as a row, or that begins with `\`, has a `\` before it.
//! Every line that reports an error stands as it is.

mod column;
mod decode;
mod form;
mod group;
mod shape;
mod share;
mod write;

use super::{Block, Found, Notation};

/// Rows and forms; see the module.
#[derive(Debug)]
pub(crate) struct Template;

impl Notation for Template {
    fn name(&self) -> &'static str {
        "template"
    }

    fn encode(&self, lines: &[&str]) -> Vec<Found> {
        let groups = group::groups(lines);
        let tables = groups.iter().filter_map(|group| shape::table(lines, group)).collect();
        let Some((range, body, forms)) = write::body(lines, tables) else { return Vec::new() };
        vec![Found { lines: range, block: Block { args: format!("with {forms}"), body } }]
    }

    fn decode(&self, args: &str, body: &[&str], limit: usize) -> Option<String> {
        decode::text(args, body, limit)
    }
}

#[cfg(test)]
mod tests;
