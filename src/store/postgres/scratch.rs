//! A place of its own for each test, in the database that `CONTEXTURE_TEST_POSTGRES` names.
#![expect(clippy::print_stderr, reason = "a schema that stays is told")]

use std::sync::atomic::{AtomicUsize, Ordering};

use super::connection::PostgresTarget;
use crate::config::{DatabaseUrl, PostgresUrl};
use crate::store::sql::Sql as _;

/// A schema that is gone with this value.
pub(crate) struct ScratchSchema {
    owner: PostgresTarget,
    schema: String,
    pub(crate) url: PostgresUrl,
}

fn url(text: &str) -> PostgresUrl {
    match text.parse() {
        Ok(DatabaseUrl::Postgres(url)) => url,
        other => panic!("CONTEXTURE_TEST_POSTGRES: {other:?}"),
    }
}

/// None if no database is named: the caller skips.
pub(crate) fn scratch() -> Option<ScratchSchema> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let text = crate::prerequisite::variable("postgres")?;
    let owner = PostgresTarget::new(&url(&text)).unwrap();
    let schema = format!("test_{}_{number}", std::process::id());
    // Row security has no effect on a superuser.
    let made = format!(
        "DO $$ BEGIN CREATE ROLE contexture_test; EXCEPTION WHEN duplicate_object THEN NULL; \
                     WHEN unique_violation THEN NULL; END $$;
         DROP SCHEMA IF EXISTS {schema} CASCADE;
         CREATE SCHEMA {schema} AUTHORIZATION contexture_test"
    );
    owner.connect().unwrap().batch(&made).unwrap();
    let sign = if text.contains('?') { '&' } else { '?' };
    let options = format!("-csearch_path%3D{schema}%20-crole%3Dcontexture_test");
    let url = url(&format!("{text}{sign}options={options}"));
    Some(ScratchSchema { owner, schema, url })
}

impl ScratchSchema {
    /// Ends a connection from the other side.
    pub(super) fn cut(&self, pid: i64) {
        let connection = self.owner.connect().unwrap();
        connection.batch(&format!("SELECT pg_terminate_backend({pid})")).unwrap();
        // The connection has ended when it is no longer listed.
        let listed = format!("SELECT 1 FROM pg_stat_activity WHERE pid = {pid}");
        let mut found = true;
        while found {
            found = false;
            let each = &mut |_: &dyn crate::store::sql::Row| {
                found = true;
                Ok(())
            };
            connection.query(&listed, &[], each).unwrap();
        }
    }
}

impl Drop for ScratchSchema {
    fn drop(&mut self) {
        let dropped = self.owner.connect().and_then(|connection| {
            connection.batch(&format!("DROP SCHEMA {} CASCADE", self.schema))
        });
        if let Err(error) = dropped {
            eprintln!("{} stays: {error}", self.schema);
        }
    }
}
