//! No statement of the store forgets whose rows it is for.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Statements that are not one tenant's, each with why.
const OF_ALL: &[(&str, &str)] = &[
    ("FROM keys WHERE id = ?1 AND revoked_at IS NULL", "who shows a key is not known yet"),
    ("SELECT tenant FROM tickets WHERE digest = ?1", "who shows a ticket is not known yet"),
    ("SELECT 1 FROM keys LIMIT 1", "whether callers need a key is asked before who they are"),
    ("SELECT min(tenant) AS tenant FROM {table}", "lists the tenants, for the cleanup"),
    ("SELECT min(tenant) FROM ({next})", "the same"),
    ("SELECT tenant FROM delivery_tenants WHERE", "the worker serves the tenants in turn"),
    ("SELECT min(due_at) FROM delivery_tenants", "the worker sleeps until then"),
    (
        "SELECT tenant FROM delivery_lines WHERE claimed = 1",
        "a process frees what an earlier one claimed",
    ),
    (
        "FROM delivery_hooks WHERE untold > 0",
        "the worker publishes events about lost calls of all tenants",
    ),
    ("FROM delivery_backfill", "a new schema makes the lines of all tenants"),
    ("UPDATE delivery_backfill SET", "the same"),
    ("FROM deliveries WHERE state = 'queued' AND (tenant, hook, session, seq) >", "the same"),
    ("FROM deliveries AS head WHERE head.state", "the same"),
    (
        "INSERT INTO delivery_lines (tenant, hook, session, seq, retried, claimed, due_at) SELECT head.",
        "the same",
    ),
    ("SELECT head.tenant, head.hook, count(*), 0, 0, 0, 0, 0", "the same"),
    ("UPDATE delivery_hooks SET due_at = (SELECT min(line.due_at)", "the same"),
    ("SELECT tenant, min(due_at), min(retry_at) FROM delivery_hooks GROUP BY tenant", "the same"),
    ("SELECT 1 FROM event_hooks LIMIT 1", "whether anybody hears of events, so that it wakes"),
    ("FROM event_hooks JOIN event_state", "the worker queues events for whoever hears of them"),
    ("SELECT {COLUMNS}, tenant FROM memory", "a new schema makes the words of all entries anew"),
    ("SELECT DISTINCT tenant FROM session_caches WHERE", "the job serves the tenants in turn"),
    ("SELECT tenant FROM event_state WHERE", "the operator's hooks hear of everybody's events"),
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("readable folder") {
        let path = entry.expect("readable entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !["tests", "sqlite"].contains(&name.as_str()) {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// The text of a file without its comments and tests, and what it says in strings.
fn strings(text: &str) -> Vec<String> {
    let production = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let code: Vec<&str> =
        production.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let joined = code.join("\n");
    let pieces = joined.split('"').skip(1).step_by(2);
    pieces.map(|piece| piece.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// The tables of the schema, as the migrations make them.
fn tables() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/sqlite");
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(root).expect("readable folder") {
        let text = fs::read_to_string(entry.expect("readable entry").path()).expect("a migration");
        for (at, mark) in text.match_indices("CREATE TABLE ") {
            let name: String = text[at + mark.len()..]
                .chars()
                .take_while(|c| *c == '_' || c.is_alphanumeric())
                .collect();
            found.insert(name);
        }
    }
    found
}

/// How often a statement goes to a table, and how often it says whose rows it means there.
fn counts(sql: &str, tables: &BTreeSet<String>) -> (usize, usize) {
    let words: Vec<&str> =
        sql.split([' ', '(', ')', ',']).filter(|word| !word.is_empty()).collect();
    let goes = words.windows(2).filter(|pair| {
        let leads = match pair[0] {
            "FROM" | "JOIN" | "INTO" => true,
            // Not that of an upsert, whose table was named before.
            "UPDATE" => pair[1] != "SET",
            _ => false,
        };
        leads && tables.contains(pair[1])
    });
    let inserts = sql.matches("VALUES (?1").count() + sql.matches("SELECT ?1").count();
    let says = sql.matches("tenant = ").count() - sql.matches("AS tenant = ").count();
    (goes.count(), says + inserts)
}

#[test]
fn every_statement_says_whose_rows_it_is_for() {
    let tables = tables();
    assert!(tables.contains("keys") && tables.contains("blobs"), "{tables:?}");
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store"), &mut found);
    let (mut statements, mut silent) = (0, Vec::new());
    for path in found {
        for sql in strings(&fs::read_to_string(&path).expect("readable file")) {
            let (goes, says) = counts(&sql, &tables);
            if goes == 0 {
                continue;
            }
            statements += 1;
            if says < goes && !OF_ALL.iter().any(|(known, _)| sql.contains(known)) {
                silent.push(format!("{}: {sql}", path.display()));
            }
        }
    }
    assert!(statements > 30, "only {statements} statements were found");
    assert!(silent.is_empty(), "these leave the tenant out:\n{}", silent.join("\n"));
}

#[test]
fn a_statement_without_its_tenant_is_found() {
    let tables = BTreeSet::from(["keys".to_owned(), "blobs".to_owned()]);
    let counted = |sql: &str| counts(sql, &tables);
    assert_eq!(counted("SELECT 1 FROM keys WHERE id = ?2"), (1, 0));
    assert_eq!(counted("SELECT 1 FROM keys WHERE tenant = ?1 AND id = ?2"), (1, 1));
    assert_eq!(counted("DELETE FROM keys WHERE id IN (SELECT id FROM blobs)"), (2, 0));
    assert_eq!(counted("INSERT INTO keys (tenant, id) VALUES (?1, ?2)"), (1, 1));
    assert_eq!(counted("INSERT INTO keys (id, tenant) VALUES (?2, ?3)"), (1, 0));
}

#[test]
fn every_table_is_by_tenant_first() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/sqlite");
    let mut tables = 0;
    for entry in fs::read_dir(root).expect("readable folder") {
        let text = fs::read_to_string(entry.expect("readable entry").path()).expect("a migration");
        for table in text.split("CREATE TABLE ").skip(1) {
            tables += 1;
            let body = table.split(") STRICT").next().unwrap_or_default();
            let has_tenant = body.lines().any(|line| {
                let mut words = line.split_whitespace();
                words.next() == Some("tenant") && line.contains("TEXT") && line.contains("NOT NULL")
            });
            assert!(has_tenant, "{body}");
            let is_by_tenant = ["PRIMARY KEY (tenant", "UNIQUE (tenant", "NOT NULL PRIMARY KEY"];
            assert!(is_by_tenant.iter().any(|key| body.contains(key)), "{body}");
        }
    }
    assert!(tables > 10, "only {tables} tables are found");
}
