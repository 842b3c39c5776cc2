//! Pages of lists, each of which looks at a bounded number of rows.

use super::Error;

/// Rows that a page of a filtered list looks at. A page may end with fewer rows than asked for, even
/// none, and the list goes on: a filter that finds nothing among many rows holds no other reader up.
pub(super) const MAX_EXAMINED_ROWS: usize = 5_000;

/// How much longer each window of a page is than the one before.
const WINDOW_GROWTH: usize = 8;

/// A part of a list that is looked at by one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// Rows that the read looks at.
    pub(super) examined_rows: usize,
    /// Rows that it returns at most.
    pub(super) limit: usize,
}

impl Window {
    /// The offset of the last row that is looked at.
    pub(super) fn last_row(self) -> usize {
        self.examined_rows.saturating_sub(1)
    }
}

/// Some rows of a list, and where the list goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, C> {
    pub rows: Vec<T>,
    /// The cursor of the next page; none at the end of the list.
    pub next: Option<C>,
}

impl<T, C> Page<T, C> {
    /// `rows` are up to `limit` rows and one more, if there is one. `examined` is the cursor of the
    /// last row that was looked at, if there may be rows after it.
    pub(crate) fn new(
        mut rows: Vec<T>,
        limit: usize,
        cursor: impl FnOnce(&T) -> C,
        examined: Option<C>,
    ) -> Self {
        let goes_on = rows.len() > limit;
        rows.truncate(limit);
        let next = match rows.last() {
            Some(last) if goes_on => Some(cursor(last)),
            _ => examined,
        };
        Self { rows, next }
    }
}

impl<T, C> Page<T, C> {
    /// Reads up to `limit` rows after a position by windows that grow, so that a list in which few
    /// rows are left out costs about its page, until `MAX_EXAMINED_ROWS` were looked at. `read`
    /// returns the page of one window.
    pub(super) fn read_by_windows(
        mut after: Option<C>,
        limit: usize,
        mut read: impl FnMut(Option<&C>, Window) -> Result<Self, Error>,
    ) -> Result<Self, Error> {
        let mut rows = Vec::new();
        let mut left = MAX_EXAMINED_ROWS;
        // One row more shows whether the list continues.
        let mut examined_rows = limit.saturating_add(1).min(left);
        loop {
            let window = Window { examined_rows, limit: limit - rows.len() };
            let page = read(after.as_ref(), window)?;
            rows.extend(page.rows);
            left -= examined_rows;
            if page.next.is_none() || rows.len() >= limit || left == 0 {
                return Ok(Self { rows, next: page.next });
            }
            after = page.next;
            examined_rows = examined_rows.saturating_mul(WINDOW_GROWTH).min(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page of a list of numbers of which every `every`th is wanted, its cursor, and the rows
    /// that each window looked at.
    fn page(length: usize, every: usize, limit: usize) -> (Vec<usize>, Option<usize>, Vec<usize>) {
        let mut windows = Vec::new();
        let page = Page::read_by_windows(None, limit, |after: Option<&usize>, window| {
            windows.push(window.examined_rows);
            let from = after.map_or(1, |after| after + 1);
            let last = from + window.last_row();
            let rows = (from..=last.min(length)).filter(|number| number % every == 0);
            let rows = rows.take(window.limit + 1).collect();
            Ok(Page::new(rows, window.limit, |last| *last, (last <= length).then_some(last)))
        });
        let Page { rows, next } = page.unwrap();
        (rows, next, windows)
    }

    #[test]
    fn a_list_without_a_filter_costs_its_page() {
        assert_eq!(page(100_000, 1, 3), (vec![1, 2, 3], Some(3), vec![4]));
        assert_eq!(page(3, 1, 3), (vec![1, 2, 3], None, vec![4]));
        assert_eq!(page(0, 1, 3), (vec![], None, vec![4]));
        // With one row fewer than the window, the position is that of the last row.
        assert_eq!(page(4, 1, 3), (vec![1, 2, 3], Some(3), vec![4]));
    }

    #[test]
    fn a_filter_has_longer_and_longer_windows_and_an_end() {
        assert_eq!(page(100_000, 50, 2), (vec![50, 100], Some(100), vec![3, 24, 192]));
        let (rows, next, windows) = page(100_000, 100_000, 20);
        assert_eq!((rows, next), (vec![], Some(MAX_EXAMINED_ROWS)));
        assert_eq!(windows, [21, 168, 1_344, 3_467]);
        assert_eq!(page(30, 31, 20), (vec![], None, vec![21, 168]));
        let (rows, next, windows) = page(100_000, 1, 9_000);
        assert_eq!((rows.len(), next, windows), (5_000, Some(5_000), vec![5_000]));
    }
}
