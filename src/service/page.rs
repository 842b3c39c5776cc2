//! Reads a page of a list: so many rows at most, and so many bytes.

use super::{Error, Services};
use crate::store::Page;

/// Bytes of rows at which a page ends, however few rows it has.
const MAX_PAGE_BYTES: usize = 4 << 20;
/// Rows that are read at once.
const MAX_ROWS_PER_READ: usize = 128;
/// The memory that a page needs until its response is made, as a multiple of its rows' bytes.
const MEMORY_BYTES_PER_ROW_BYTE: usize = 4;

/// A list whose pages are read.
pub(super) struct PagedList<T, C> {
    /// Rows that a page has at most.
    pub(super) limit: usize,
    /// The size of a row in bytes.
    pub(super) bytes: fn(&T) -> usize,
    /// The position of a row.
    pub(super) position: fn(&T) -> C,
}

impl<T, C> PagedList<T, C> {
    /// Reads the page after a position: no more rows than fit the bytes of a page, unless the first
    /// row alone does not. `read` returns up to so many rows after a position; with fewer it has
    /// looked at as many as it may. The rows' memory is reserved as they are read.
    pub(super) fn read(
        &self,
        services: &Services,
        mut after: Option<C>,
        mut read: impl FnMut(Option<&C>, usize) -> Result<Page<T, C>, Error>,
    ) -> Result<Page<T, C>, Error> {
        let mut rows: Vec<T> = Vec::new();
        let mut total_bytes = 0_usize;
        loop {
            let count = (self.limit - rows.len()).min(MAX_ROWS_PER_READ);
            let Page { rows: found, next } = read(after.as_ref(), count)?;
            let is_last = found.len() < count;
            let found_bytes: usize = found.iter().map(self.bytes).sum();
            services.reserve((total_bytes + found_bytes) * MEMORY_BYTES_PER_ROW_BYTE)?;
            for row in found {
                let row_bytes = (self.bytes)(&row);
                if !rows.is_empty() && total_bytes + row_bytes > MAX_PAGE_BYTES {
                    let next = rows.last().map(self.position);
                    return Ok(Page { rows, next });
                }
                total_bytes += row_bytes;
                rows.push(row);
            }
            if next.is_none() || is_last || rows.len() == self.limit {
                return Ok(Page { rows, next });
            }
            after = next;
        }
    }

    /// Like [`Self::read`], of a list all of whose rows may be looked at: `read` returns the rows.
    pub(super) fn read_rows(
        &self,
        services: &Services,
        after: Option<C>,
        mut read: impl FnMut(Option<&C>, usize) -> Result<Vec<T>, Error>,
    ) -> Result<Page<T, C>, Error> {
        self.read(services, after, |after, count| {
            // One row more shows whether the list continues.
            let rows = read(after, count + 1)?;
            Ok(Page::new(rows, count, self.position, None))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Models;

    /// A page of a list of `sizes`, and the index after which it continues.
    fn page(sizes: &[usize], limit: usize) -> (Vec<usize>, Option<usize>) {
        let services = Services::new(Models::built_in()).unwrap();
        let rows: Vec<(usize, usize)> = sizes.iter().copied().enumerate().collect();
        let list = PagedList { limit, bytes: |row: &(usize, usize)| row.1, position: |row| row.0 };
        let page = list.read_rows(&services, None, |after, count| {
            let from = after.map_or(0, |after| after + 1);
            Ok(rows[from..].iter().take(count).copied().collect())
        });
        let page = page.unwrap();
        (page.rows.iter().map(|row| row.1).collect(), page.next)
    }

    #[test]
    fn a_page_ends_at_its_limit() {
        assert_eq!(page(&[1; 3], 3), (vec![1; 3], None));
        assert_eq!(page(&[1; 4], 3), (vec![1; 3], Some(2)));
        assert_eq!(page(&[], 3), (vec![], None));
        assert_eq!(page(&[1; 400], 300), (vec![1; 300], Some(299)));
        assert_eq!(page(&[1; 300], 300), (vec![1; 300], None));
    }

    #[test]
    fn a_page_ends_at_its_bytes_but_has_a_row() {
        let third = MAX_PAGE_BYTES / 3;
        assert_eq!(page(&[third; 5], 100), (vec![third; 3], Some(2)));
        let large = MAX_PAGE_BYTES + 1;
        assert_eq!(page(&[large, 1], 100), (vec![large], Some(0)));
        assert_eq!(page(&[1, large], 100), (vec![1], Some(0)));
        assert_eq!(page(&[large], 100), (vec![large], None));
    }
}
