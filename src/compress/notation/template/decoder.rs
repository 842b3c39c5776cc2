//! Reads a block back into lines.

use super::super::sink::PieceSink;
use super::form::{FormPiece, Hole, PadSide, RowForm, next_value, unfold_cell, width_of};
use super::{COUNTER_WORDS, EMPTY_CELL_WORDS, FOLDER_WORDS, FORMS_WORD, STEP_WORDS};

/// Forms that a block may have: one for each tag.
const MAX_FORMS: usize = 52;

struct RowReader {
    form: RowForm,
    cells: usize,
    /// Index of the value before that each hole reads and writes.
    places: Vec<usize>,
}

/// The value before: none at first.
#[derive(Clone, Default)]
struct PreviousValue<'a> {
    /// The cell, if it is one as a whole.
    cell: Option<&'a str>,
    /// The text, if it is in no cell as a whole.
    text: String,
    is_made: bool,
}

impl<'a> PreviousValue<'a> {
    fn text(&self) -> Option<&str> {
        if self.is_made { Some(&self.text) } else { self.cell }
    }

    fn set(&mut self, cell: &'a str) {
        self.cell = Some(cell);
        self.is_made = false;
    }

    fn make_text(&mut self, text: &str) {
        self.text.clear();
        self.text.push_str(text);
        self.is_made = true;
    }

    /// The path before goes on as this one: so much of it, and a name.
    fn unfold(&mut self, cut: usize, name: &str) -> Option<()> {
        if self.is_made {
            self.text.truncate(cut);
        } else {
            self.make_text(self.cell?.get(..cut)?);
        }
        self.text.push_str(name);
        Some(())
    }
}

/// Writes the lines that a block represents.
pub(super) fn text(args: &str, body: &[&str], out: &mut impl PieceSink) -> Option<()> {
    let mut words = args.strip_prefix(FORMS_WORD)?.split(", ");
    let count: usize = words.next()?.parse().ok()?;
    let known = [EMPTY_CELL_WORDS, STEP_WORDS, COUNTER_WORDS, FOLDER_WORDS];
    if count > MAX_FORMS || !words.all(|words| known.contains(&words)) {
        return None;
    }
    let (forms, rows) = body.split_at_checked(count)?;
    let mut readers: Vec<RowReader> = Vec::with_capacity(count);
    // First those with a letter, then one for every other hole.
    let mut before = vec![PreviousValue::default(); 26];
    // The reader of every tag.
    let mut by_tag = [None; 128];
    for form in forms {
        let form = RowForm::read(form)?;
        let is_other = match form.tag {
            Some(tag) => by_tag.get_mut(tag as usize)?.replace(readers.len()).is_some(),
            // Without a tag there is one form.
            None => count > 1,
        };
        if is_other {
            return None;
        }
        let places = form.holes().map(|hole| place(hole, &mut before)).collect();
        readers.push(RowReader { cells: form.cells(), form, places });
    }
    let least: usize = rows.iter().map(|row| row.len() + 1).sum();
    out.expect(least.saturating_mul(3));
    for (at, line) in rows.iter().enumerate() {
        if at > 0 {
            out.push("\n")?;
        }
        let tag = line.bytes().next().map_or(0, usize::from);
        let untagged = readers.first().filter(|reader| reader.form.tag.is_none());
        let tagged = || by_tag.get(tag).copied().flatten().and_then(|at| readers.get(at));
        let reader = untagged.or_else(tagged);
        let row = reader.and_then(|reader| Some((reader, reader.form.row(line)?)));
        match row {
            Some((reader, row)) => reader.line(row, &mut before, out)?,
            None => out.push(line.strip_prefix('\\').unwrap_or(line))?,
        }
    }
    Some(())
}

fn place(hole: &Hole, before: &mut Vec<PreviousValue<'_>>) -> usize {
    if let Some(name) = hole.name {
        return name as usize - 'a' as usize;
    }
    before.push(PreviousValue::default());
    before.len() - 1
}

impl RowReader {
    fn line<'a>(
        &self,
        row: &'a str,
        before: &mut [PreviousValue<'a>],
        out: &mut impl PieceSink,
    ) -> Option<()> {
        let mut cells =
            RowCells { row: Some(row), left: self.cells, separator: self.form.separator };
        let mut places = self.places.iter();
        let mut given = None;
        for piece in &self.form.pieces {
            match piece {
                FormPiece::Text(text) => out.push(text)?,
                FormPiece::Hole(hole) => {
                    let before = before.get_mut(*places.next()?)?;
                    let cell = if hole.first.is_some() { "" } else { cells.next() };
                    let value = next(hole, before, cell)?;
                    if hole.pad == PadSide::Next {
                        given = Some(PadSide::Left(width_of(value)?));
                    } else {
                        given.take().unwrap_or(hole.pad).fill(value, out)?;
                    }
                }
            }
        }
        // A row of a form without cells has no text.
        (self.cells > 0 || row.is_empty()).then_some(())
    }
}

/// The cells of a row, one after the other; all that is left is the last.
struct RowCells<'a> {
    row: Option<&'a str>,
    left: usize,
    separator: char,
}

impl<'a> RowCells<'a> {
    #[inline]
    fn next(&mut self) -> &'a str {
        let Some(row) = self.row else { return "" };
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            // Cells are short.
            let sign = self.separator as u32;
            let at = row.bytes().position(|byte| u32::from(byte) == sign);
            if let Some((cell, after)) = at.and_then(|at| row.split_at_checked(at)) {
                self.row = after.get(1..);
                return cell;
            }
        }
        self.row = None;
        row
    }
}

#[inline]
fn next<'b, 'a>(hole: &Hole, before: &'b mut PreviousValue<'a>, cell: &'a str) -> Option<&'b str> {
    if !cell.is_empty() {
        if hole.path && cell.starts_with('^') {
            let (cut, name) = unfold_cell(cell, before.text()?)?;
            before.unfold(cut, name)?;
        } else {
            before.set(cell);
        }
    } else if let Some(text) = before.text() {
        if hole.step != 0 {
            let text = next_value(text, hole.step)?;
            before.make_text(&text);
        }
    } else {
        before.make_text(hole.first.as_deref()?);
    }
    before.text()
}
