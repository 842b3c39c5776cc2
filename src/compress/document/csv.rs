//! A table of separated values as rows.

use super::tree::{DocumentTree, GapStyle, TreeBuilder};
use crate::compress::adapter::CsvTable;

pub(super) fn read(text: &str, separator: u8) -> Option<DocumentTree> {
    let table = CsvTable::read(text, separator)?;
    let mut builder = TreeBuilder::new();
    let style = GapStyle::CsvRow { separator, width: table.width() };
    builder.begin(0, style);
    let mut close = 0;
    for row in 0..table.rows() {
        let span = table.span(&(row..row + 1))?;
        if row == 0 {
            builder.open_at(span.start);
        }
        let at = builder.leaf(span.start, span.end);
        if row == 0 {
            builder.pin(at);
        }
        close = span.end;
    }
    builder.end(close, text.len());
    builder.finish()
}
