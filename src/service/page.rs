//! Reads a page of a list: so many rows at most, and so many bytes.

use super::{Error, Services};

/// Bytes of rows at which a page ends, however few rows it has.
const MAX_PAGE_BYTES: usize = 4 << 20;
/// Rows that are read at once.
const MAX_ROWS_PER_READ: usize = 128;
/// The memory that a page needs until its response is made, as a multiple of its rows' bytes.
const MEMORY_BYTES_PER_ROW_BYTE: usize = 4;

/// A page of a list.
#[derive(Debug)]
pub(super) struct ListPage<T> {
    pub(super) rows: Vec<T>,
    /// Whether the list continues after the last row.
    continues: bool,
}

impl<T> ListPage<T> {
    /// Reads at most `limit` rows, and no more than fit the bytes of a page, unless the first row
    /// alone does not. `bytes` returns the size of a row. `read` returns up to so many rows after a
    /// row of this page, and the first rows of the page if there is none yet. The rows' memory is
    /// reserved as they are read.
    pub(super) fn read(
        services: &Services,
        limit: usize,
        bytes: impl Fn(&T) -> usize,
        mut read: impl FnMut(Option<&T>, usize) -> Result<Vec<T>, Error>,
    ) -> Result<Self, Error> {
        let mut rows: Vec<T> = Vec::new();
        let mut total_bytes = 0_usize;
        loop {
            // One row more than `limit` tells whether the list continues.
            let count = (limit + 1 - rows.len()).min(MAX_ROWS_PER_READ);
            let found = read(rows.last(), count)?;
            let is_end = found.len() < count;
            let found_bytes: usize = found.iter().map(&bytes).sum();
            services.reserve((total_bytes + found_bytes) * MEMORY_BYTES_PER_ROW_BYTE)?;
            for row in found {
                let row_bytes = bytes(&row);
                let is_full = !rows.is_empty() && total_bytes + row_bytes > MAX_PAGE_BYTES;
                if is_full || rows.len() == limit {
                    return Ok(Self { rows, continues: true });
                }
                total_bytes += row_bytes;
                rows.push(row);
            }
            if is_end {
                return Ok(Self { rows, continues: false });
            }
        }
    }

    /// The position after which the list continues, if it does.
    pub(super) fn next<C>(&self, position: impl FnOnce(&T) -> C) -> Option<C> {
        self.rows.last().filter(|_| self.continues).map(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Models;

    /// A page of a list of `sizes`, as its rows and whether it continues.
    fn page(sizes: &[usize], limit: usize) -> (Vec<usize>, bool) {
        let services = Services::new(Models::built_in()).unwrap();
        let rows: Vec<(usize, usize)> = sizes.iter().copied().enumerate().collect();
        let page = ListPage::read(
            &services,
            limit,
            |row: &(usize, usize)| row.1,
            |last, count| {
                let from = last.map_or(0, |last| last.0 + 1);
                Ok(rows[from..].iter().take(count).copied().collect())
            },
        );
        let page = page.unwrap();
        (page.rows.iter().map(|row| row.1).collect(), page.next(|_| ()).is_some())
    }

    #[test]
    fn a_page_ends_at_its_limit() {
        assert_eq!(page(&[1; 3], 3), (vec![1; 3], false));
        assert_eq!(page(&[1; 4], 3), (vec![1; 3], true));
        assert_eq!(page(&[], 3), (vec![], false));
        assert_eq!(page(&[1; 400], 300), (vec![1; 300], true));
        assert_eq!(page(&[1; 300], 300), (vec![1; 300], false));
    }

    #[test]
    fn a_page_ends_at_its_bytes_but_has_a_row() {
        let third = MAX_PAGE_BYTES / 3;
        assert_eq!(page(&[third; 5], 100), (vec![third; 3], true));
        let large = MAX_PAGE_BYTES + 1;
        assert_eq!(page(&[large, 1], 100), (vec![large], true));
        assert_eq!(page(&[1, large], 100), (vec![1], true));
        assert_eq!(page(&[large], 100), (vec![large], false));
    }
}
