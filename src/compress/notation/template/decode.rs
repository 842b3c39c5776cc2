//! Reads a block back into lines.

use std::borrow::Cow;

use super::AS_BEFORE;
use super::form::{Form, Hole, Pad, Piece, foretold, unfolded, width_of};

/// Forms that a block may have: one for each tag.
const FORMS: usize = 52;

struct Reader {
    form: Form,
    cells: usize,
    /// Which of the values before each hole reads and writes.
    places: Vec<usize>,
}

/// The values before: first those with a letter, then one for every other hole.
type Before<'a> = Vec<Option<Cow<'a, str>>>;

pub(super) fn text(args: &str, body: &[&str], limit: usize) -> Option<String> {
    let count: usize = args.strip_prefix("with ")?.strip_suffix(AS_BEFORE)?.parse().ok()?;
    if count > FORMS {
        return None;
    }
    let (forms, rows) = body.split_at_checked(count)?;
    let mut readers: Vec<Reader> = Vec::with_capacity(count);
    let mut before: Before<'_> = vec![None; 26];
    // The reader of every tag.
    let mut by_tag = [None; 128];
    for form in forms {
        let form = Form::read(form)?;
        if by_tag.get_mut(form.tag as usize)?.replace(readers.len()).is_some() {
            return None;
        }
        let places = form.holes().map(|hole| place(hole, &mut before)).collect();
        readers.push(Reader { cells: form.cells(), form, places });
    }
    let least: usize = rows.iter().map(|row| row.len() + 1).sum();
    let mut out = String::with_capacity(least.saturating_mul(3).min(limit.saturating_add(1)));
    for (at, line) in rows.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let tag = line.bytes().next().map_or(0, usize::from);
        let reader = by_tag.get(tag).copied().flatten().and_then(|at| readers.get(at));
        let row = reader.and_then(|reader| Some((reader, reader.form.row(line)?)));
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

fn place(hole: &Hole, before: &mut Before<'_>) -> usize {
    if let Some(name) = hole.name {
        return name as usize - 'a' as usize;
    }
    before.push(None);
    before.len() - 1
}

impl Reader {
    fn line<'a>(
        &self,
        row: &'a str,
        before: &mut Before<'a>,
        out: &mut String,
        limit: usize,
    ) -> Option<()> {
        let mut cells = Cells { row: Some(row), left: self.cells, separator: self.form.separator };
        let mut places = self.places.iter();
        let mut given = None;
        for piece in &self.form.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Hole(hole) => {
                    let before = before.get_mut(*places.next()?)?;
                    let cell = if hole.first.is_some() { "" } else { cells.next() };
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
        (self.cells > 0 || row.is_empty()).then_some(())
    }
}

/// The cells of a row, one after the other; all that is left is the last.
struct Cells<'a> {
    row: Option<&'a str>,
    left: usize,
    separator: char,
}

impl<'a> Cells<'a> {
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
fn next<'b, 'a>(
    hole: &Hole,
    before: &'b mut Option<Cow<'a, str>>,
    cell: &'a str,
) -> Option<&'b str> {
    if cell.is_empty() && hole.step == 0 && before.is_some() {
        return before.as_deref();
    }
    if hole.path && cell.starts_with('^') {
        let (cut, name) = unfolded(cell, before.as_deref()?)?;
        // The path before goes on as this one.
        let path = before.as_mut()?.to_mut();
        path.truncate(cut);
        path.push_str(name);
        return Some(path);
    }
    let value = match (cell, before.as_deref(), hole.first.as_deref()) {
        ("", Some(before), _) => Cow::Owned(foretold(before, hole.step)?),
        ("", None, Some(first)) => Cow::Owned(first.to_owned()),
        ("", None, None) => return None,
        (cell, ..) => Cow::Borrowed(cell),
    };
    Some(before.insert(value))
}
