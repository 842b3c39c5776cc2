//! Reads a block back into lines.

use super::form::{Form, Hole, Pad, Piece, foretold, unfolded, width_of};

/// Forms that a block may have: one for each tag.
const FORMS: usize = 52;

struct Reader {
    form: Form,
    /// Which of the values before each hole reads and writes.
    places: Vec<usize>,
}

/// The values before: first those with a letter, then one for every other hole.
type Before = Vec<Option<String>>;

pub(super) fn text(args: &str, body: &[&str], limit: usize) -> Option<String> {
    let count: usize = args.strip_prefix("with ")?.parse().ok()?;
    if count > FORMS {
        return None;
    }
    let (forms, rows) = body.split_at_checked(count)?;
    let mut readers: Vec<Reader> = Vec::with_capacity(count);
    let mut before: Before = vec![None; 26];
    for form in forms {
        let form = Form::read(form)?;
        if readers.iter().any(|reader| reader.form.tag == form.tag) {
            return None;
        }
        let places = form.holes().map(|hole| place(hole, &mut before)).collect();
        readers.push(Reader { form, places });
    }
    let mut out = String::new();
    for (at, line) in rows.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let row = readers.iter().find_map(|reader| reader.form.row(line).map(|row| (reader, row)));
        match row {
            Some((reader, row)) => reader.line(row, &mut before, &mut out, limit)?,
            None => out.push_str(line.strip_prefix('\\').unwrap_or(line)),
        }
        if out.len() > limit {
            return None;
        }
    }
    Some(out)
}

fn place(hole: &Hole, before: &mut Before) -> usize {
    if let Some(name) = hole.name {
        return name as usize - 'a' as usize;
    }
    before.push(None);
    before.len() - 1
}

impl Reader {
    fn line(&self, row: &str, before: &mut Before, out: &mut String, limit: usize) -> Option<()> {
        let mut cells = row.splitn(self.form.cells(), self.form.separator);
        let mut places = self.places.iter();
        let mut given = None;
        for piece in &self.form.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Hole(hole) => {
                    let before = before.get_mut(*places.next()?)?;
                    let cell = if hole.first.is_some() { "" } else { cells.next().unwrap_or("") };
                    let value = next(hole, before, cell)?;
                    if hole.pad == Pad::Next {
                        given = Some(Pad::Left(width_of(value)?));
                    } else {
                        given.take().unwrap_or(hole.pad).fill(value, out);
                    }
                }
            }
            // A row that is all foretold is short, and its line need not be.
            if out.len() > limit {
                return None;
            }
        }
        // A row of a form without cells has no text.
        (self.form.cells() > 0 || row.is_empty()).then_some(())
    }
}

fn next<'a>(hole: &Hole, before: &'a mut Option<String>, cell: &str) -> Option<&'a str> {
    let value = match (cell, before.as_deref(), hole.first.as_deref()) {
        ("", Some(_), _) if hole.step == 0 => return before.as_deref(),
        ("", Some(before), _) => foretold(before, hole.step)?,
        ("", None, Some(first)) => first.to_owned(),
        ("", None, None) => return None,
        (cell, before, _) if hole.path => unfolded(cell, before)?,
        (cell, _, _) => cell.to_owned(),
    };
    Some(before.insert(value))
}
