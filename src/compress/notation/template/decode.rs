//! Reads a block back into lines.

use super::form::{Form, Hole, Piece, foretold};

/// Forms that a block may have: one for each tag.
const FORMS: usize = 52;

struct Reader {
    form: Form,
    /// The value before of each hole.
    before: Vec<Option<String>>,
}

pub(super) fn text(args: &str, body: &[&str], limit: usize) -> Option<String> {
    let count: usize = args.strip_prefix("with ")?.parse().ok()?;
    if count > FORMS {
        return None;
    }
    let (forms, rows) = body.split_at_checked(count)?;
    let mut readers: Vec<Reader> = Vec::with_capacity(count);
    for form in forms {
        let form = Form::read(form)?;
        if readers.iter().any(|reader| reader.form.tag == form.tag) {
            return None;
        }
        let before = vec![None; form.holes().count()];
        readers.push(Reader { form, before });
    }
    let mut out = String::new();
    for (at, line) in rows.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let row =
            readers.iter_mut().find_map(|reader| reader.form.row(line).map(|row| (reader, row)));
        match row {
            Some((reader, row)) => reader.line(row, &mut out, limit)?,
            None => out.push_str(line.strip_prefix('\\').unwrap_or(line)),
        }
        if out.len() > limit {
            return None;
        }
    }
    Some(out)
}

impl Reader {
    fn line(&mut self, row: &str, out: &mut String, limit: usize) -> Option<()> {
        let mut cells = row.splitn(self.form.cells(), self.form.separator);
        let mut before = self.before.iter_mut();
        for piece in &self.form.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Hole(hole) => {
                    let cell = if hole.first.is_some() { "" } else { cells.next().unwrap_or("") };
                    next(hole, before.next()?, cell)?.fill(hole, out);
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

struct Value<'a>(&'a str);

impl Value<'_> {
    fn fill(&self, hole: &Hole, out: &mut String) {
        hole.fill(self.0, out);
    }
}

fn next<'a>(hole: &Hole, before: &'a mut Option<String>, cell: &str) -> Option<Value<'a>> {
    let value = match (cell, before.as_deref(), hole.first.as_deref()) {
        ("", Some(_), _) if hole.step == 0 => return before.as_deref().map(Value),
        ("", Some(before), _) => foretold(before, hole.step)?,
        ("", None, Some(first)) => first.to_owned(),
        ("", None, None) => return None,
        (cell, _, _) => cell.to_owned(),
    };
    Some(Value(before.insert(value)))
}
