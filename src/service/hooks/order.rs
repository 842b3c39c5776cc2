//! The order in which hooks run: the stored manifest, and the order that follows from it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::set::read_manifest;
use crate::hook::{HookSet, Manifest, OrderDifference, Point};
use crate::json::{self as reader, Faults, Limits, Path};
use crate::service::{Error, Services};

/// The order of a session, or of all sessions.
#[derive(Debug)]
pub struct Order {
    /// From 1, one more with each change; 0 if no order was stored.
    pub revision: u64,
    /// The stored manifest, as JSON.
    pub manifest: String,
    /// The hooks in their order.
    pub set: Arc<HookSet>,
    /// Ids in the manifest that no hook of their point has.
    pub unknown: Vec<Arc<str>>,
    /// Differences to the manifest before, if it was just changed.
    pub changes: Vec<(Point, OrderDifference)>,
}

impl Order {
    /// Writes the order as JSON.
    pub fn write(&self) -> String {
        let changes: Map<String, Value> = self
            .changes
            .iter()
            .map(|(point, OrderDifference { added, removed, reordered })| {
                let change = json!({"added": added, "removed": removed, "reordered": reordered});
                (point.as_str().to_owned(), change)
            })
            .collect();
        format!(
            "{{\"revision\":{},\"manifest\":{},\"order\":{},\"order_hash\":\"{}\",\
             \"unknown_ids\":{},\"changes\":{}}}",
            self.revision,
            self.manifest,
            self.set.write(),
            self.set.order_hash(),
            json!(self.unknown),
            Value::Object(changes)
        )
    }
}

/// Reads the order of a session, or of all sessions if none is given.
pub fn order(services: &Services, session: Option<&str>) -> Result<Order, Error> {
    let row = services.tenant().read(|tx| tx.hook_order(session.unwrap_or_default()))?;
    let (revision, given) = match row {
        Some(row) => (row.revision, read_manifest(&row.manifest)?),
        None => (0, Manifest::default()),
    };
    resolve_order(services, session, revision, &given, Vec::new())
}

/// Stores the manifest in `body`: `{"points": {"tool_result": ["redact", "truncate"]}}`.
pub fn put_order(
    services: &Services,
    session: Option<&str>,
    body: &str,
    if_match: Option<u64>,
) -> Result<Order, Error> {
    let node = reader::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let read = Manifest::read(&node, Path::Root, &mut faults);
    let Some(given) = read.filter(|_| faults.is_empty()) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    let (name, text) = (session.unwrap_or_default().to_owned(), given.write());
    let (revision, earlier) = services.tenant().write_durable(move |tx| {
        let row = tx.hook_order(&name)?;
        let stored = row.as_ref().map_or(0, |row| row.revision);
        if if_match.is_some_and(|wanted| wanted != stored) {
            return Err(Error::Stale(stored));
        }
        let earlier = row.map(|row| read_manifest(&row.manifest)).transpose()?;
        Ok((tx.put_hook_order(&name, &text)?, earlier.unwrap_or_default()))
    })?;
    let changed = Point::ALL.into_iter().filter_map(|point| {
        let difference = given.difference(&earlier, point);
        (difference != OrderDifference::default()).then_some((point, difference))
    });
    resolve_order(services, session, revision, &given, changed.collect())
}

fn resolve_order(
    services: &Services,
    session: Option<&str>,
    revision: u64,
    given: &Manifest,
    changes: Vec<(Point, OrderDifference)>,
) -> Result<Order, Error> {
    let loaded = services.loaded_hooks()?;
    let file = &services.hooks().file.hooks;
    let hooks: Vec<_> = loaded.hooks.iter().chain(file).cloned().collect();
    let set = services.hook_set(session, &[])?;
    Ok(Order { revision, manifest: given.write(), set, unknown: given.unknown(&hooks), changes })
}
