//! Outcomes of hooks on tool results.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use super::sql::{SqlValue, values};
use super::{Error, Tx};

/// Keys that are looked for at once; a list of another length is filled up to the next of these, so
/// that there are few texts of the statement.
const BATCH_ROWS: [usize; 3] = [4, 32, 256];

/// Outcomes that are removed by one statement, so that no write of the tenant waits for long.
const DELETE_BATCH_OUTCOMES: u64 = 500;

/// The outcome of a hook on a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookOutcome {
    pub hook: Arc<str>,
    pub key: Arc<str>,
    pub answer: Arc<str>,
}

impl Tx<'_> {
    /// The stored outcomes of a hook, by their keys.
    pub fn hook_outcomes(
        &self,
        hook: &str,
        keys: &[&str],
    ) -> Result<HashMap<Arc<str>, Arc<str>>, Error> {
        let mut found = HashMap::new();
        let [.., most] = BATCH_ROWS;
        for chunk in keys.chunks(most) {
            let length =
                BATCH_ROWS.into_iter().find(|length| chunk.len() <= *length).unwrap_or(most);
            let mut text = "SELECT key, answer FROM hook_outcomes
                 WHERE tenant = ?1 AND hook = ?2 AND key IN ("
                .to_owned();
            for at in 0..length {
                let _ = write!(text, "{}?{}", if at > 0 { ", " } else { "" }, at + 3);
            }
            text.push(')');
            let mut given: Vec<SqlValue<'_>> = vec![hook.into()];
            given.extend(chunk.iter().copied().map(SqlValue::from));
            given.resize_with(length + 1, || chunk.last().copied().unwrap_or_default().into());
            found.extend(self.all(&text, &given, |row| Ok((row.get(0)?, row.get(1)?)))?);
        }
        Ok(found)
    }

    /// Stores outcomes of hooks; the first outcome of a key is kept.
    pub fn keep_hook_outcomes(&self, outcomes: &[HookOutcome]) -> Result<(), Error> {
        for HookOutcome { hook, key, answer } in outcomes {
            self.execute(
                "INSERT INTO hook_outcomes (tenant, hook, key, at, answer)
                 VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (tenant, hook, key) DO NOTHING",
                values![hook, key, self.now(), answer],
            )?;
        }
        Ok(())
    }

    /// Hooks of which something is kept, by one step in the index for each.
    pub fn hooks_with_outcomes(&self) -> Result<Vec<Arc<str>>, Error> {
        let next = "SELECT hook FROM hook_outcomes WHERE tenant = ?1 AND hook > ?2
             ORDER BY hook LIMIT 1";
        let mut found: Vec<Arc<str>> = Vec::new();
        loop {
            let after = found.last().map_or("", |hook| &**hook);
            match self.first(next, values![after], |row| row.get(0))? {
                Some(hook) => found.push(hook),
                None => return Ok(found),
            }
        }
    }

    /// Deletes some of the outcomes of a hook; returns whether there are more.
    pub fn forget_outcomes_of(&self, hook: &str) -> Result<bool, Error> {
        let old: Vec<String> = self.all(
            &format!(
                "SELECT key FROM hook_outcomes WHERE tenant = ?1 AND hook = ?2
                 ORDER BY key LIMIT {DELETE_BATCH_OUTCOMES}"
            ),
            values![hook],
            |row| row.get(0),
        )?;
        let delete = "DELETE FROM hook_outcomes WHERE tenant = ?1 AND hook = ?2 AND key IN #";
        self.execute_for(delete, values![hook], &old)?;
        Ok(old.len() as u64 == DELETE_BATCH_OUTCOMES)
    }
}
