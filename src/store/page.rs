//! Pages of lists, each of which looks at a bounded number of rows.

/// Rows that a page of a filtered list looks at. A page may end with fewer rows than asked for, even
/// none, and the list goes on: a filter that finds nothing among many rows holds no other reader up.
pub(super) const MAX_EXAMINED_ROWS: usize = 5_000;

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
