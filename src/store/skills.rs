//! Skills that callers have stored.

use super::sql::{Row, values};
use super::{Error, Tx};
use crate::domain::{Quota, StoredSkill};

impl Tx<'_> {
    /// Stores a skill's text, or replaces it; returns whether it is new. Storing the same text
    /// again changes nothing.
    pub fn put_skill(&self, name: &str, skill: &str) -> Result<(StoredSkill, bool), Error> {
        let exists =
            self.exists("SELECT 1 FROM skills WHERE tenant = ?1 AND name = ?2", values![name])?;
        if !exists {
            self.admit(Quota::Skills, 1)?;
        }
        let stored = self.first(
            "INSERT INTO skills (tenant, name, version, created_at, updated_at, skill)
             VALUES (?1, ?2, 1, ?4, ?4, ?3)
             ON CONFLICT (tenant, name) DO UPDATE SET
                 version = skills.version
                     + CASE WHEN skills.skill = excluded.skill THEN 0 ELSE 1 END,
                 updated_at = CASE WHEN skills.skill = excluded.skill
                                   THEN skills.updated_at ELSE excluded.updated_at END,
                 skill = excluded.skill
             RETURNING name, version, created_at, updated_at",
            values![name, skill, self.now()],
            read_skill,
        )?;
        Ok((stored.ok_or_else(Error::no_row)?, !exists))
    }

    /// A skill with its text.
    pub fn skill(&self, name: &str) -> Result<Option<(StoredSkill, String)>, Error> {
        self.first(
            "SELECT name, version, created_at, updated_at, skill FROM skills
             WHERE tenant = ?1 AND name = ?2",
            values![name],
            |row| Ok((read_skill(row)?, row.get(4)?)),
        )
    }

    /// All skills with their texts, in the byte order of their names.
    pub fn skills(&self) -> Result<Vec<(StoredSkill, String)>, Error> {
        self.all(
            "SELECT name, version, created_at, updated_at, skill FROM skills
             WHERE tenant = ?1 ORDER BY name",
            values![],
            |row| Ok((read_skill(row)?, row.get(4)?)),
        )
    }

    /// Removes a skill; returns whether it was there.
    pub fn delete_skill(&self, name: &str) -> Result<bool, Error> {
        let removed =
            self.execute("DELETE FROM skills WHERE tenant = ?1 AND name = ?2", values![name])?;
        Ok(removed > 0)
    }
}

fn read_skill(row: &dyn Row) -> Result<StoredSkill, Error> {
    Ok(StoredSkill {
        name: row.get(0)?,
        version: row.get(1)?,
        created_at: row.get(2)?,
        updated_at: row.get(3)?,
    })
}
