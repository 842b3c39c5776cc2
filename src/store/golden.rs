//! Golden sets: compiles of a version of a pack, stored whole.

use std::sync::Arc;

use super::sql::{Row, values};
use super::{Error, Tx};
use crate::domain::Timestamp;

/// A compile of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldenRow {
    /// The id of the compilation.
    pub compilation: Arc<str>,
    pub session_id: Option<Arc<str>>,
    /// When it was taken into the set.
    pub created_at: Timestamp,
    /// JSON text: the record, with all that it takes to run it again.
    pub packet: Arc<str>,
}

impl Tx<'_> {
    /// The set of a version, in its order.
    pub fn golden_set(
        &self,
        pack: &str,
        [major, minor, patch]: [u64; 3],
    ) -> Result<Vec<GoldenRow>, Error> {
        self.all(
            "SELECT compilation, session, created_at, packet FROM golden
             WHERE tenant = ?1 AND pack = ?2 AND major = ?3 AND minor = ?4 AND patch = ?5
             ORDER BY place",
            values![pack, major, minor, patch],
            row,
        )
    }

    /// Puts a set in the place of the one before.
    pub fn put_golden_set(
        &self,
        pack: &str,
        [major, minor, patch]: [u64; 3],
        rows: &[GoldenRow],
    ) -> Result<(), Error> {
        self.execute(
            "DELETE FROM golden
             WHERE tenant = ?1 AND pack = ?2 AND major = ?3 AND minor = ?4 AND patch = ?5",
            values![pack, major, minor, patch],
        )?;
        for (place, row) in rows.iter().enumerate() {
            self.execute(
                "INSERT INTO golden (tenant, pack, major, minor, patch, place, compilation,
                                     session, created_at, packet)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                values![
                    pack,
                    major,
                    minor,
                    patch,
                    place,
                    &row.compilation,
                    row.session_id.as_deref().unwrap_or_default(),
                    row.created_at,
                    &row.packet
                ],
            )?;
        }
        Ok(())
    }
}

fn row(row: &dyn Row) -> Result<GoldenRow, Error> {
    let session: Arc<str> = row.get(1)?;
    Ok(GoldenRow {
        compilation: row.get(0)?,
        session_id: (!session.is_empty()).then_some(session),
        created_at: row.get(2)?,
        packet: row.get(3)?,
    })
}
