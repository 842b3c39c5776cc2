//! The order in which hooks run, as it is wished for and as it comes out.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::set::manifest;
use crate::hook::{HookSet, Manifest, OrderDifference, Point};
use crate::json::{self as reader, Faults, Limits, Path};
use crate::service::{Error, Services};

/// The order of a session, or of all.
#[derive(Debug)]
pub struct Order {
    /// From 1, one more with each change; 0 where none was ever given.
    pub revision: u64,
    /// What was given, as JSON.
    pub manifest: String,
    /// What comes of it.
    pub set: Arc<HookSet>,
    /// Ids that it lists and that no hook of their point has.
    pub unknown: Vec<Arc<str>>,
    /// How lists changed, where it was just given.
    pub changes: Vec<(Point, OrderDifference)>,
}

impl Order {
    /// As JSON.
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

/// The order of a session, or of all where there is none.
pub fn order(services: &Services, session: Option<&str>) -> Result<Order, Error> {
    let row = services.tenant().read(|tx| tx.hook_order(session.unwrap_or_default()))?;
    let (revision, given) = match row {
        Some(row) => (row.revision, manifest(&row.manifest)?),
        None => (0, Manifest::default()),
    };
    told(services, session, revision, &given, Vec::new())
}

/// Stores the order that `body` says: `{"points": {"tool_result": ["redact", "truncate"]}}`.
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
        let earlier = row.map(|row| manifest(&row.manifest)).transpose()?;
        Ok((tx.put_hook_order(&name, &text)?, earlier.unwrap_or_default()))
    })?;
    let changed = Point::ALL.into_iter().filter_map(|point| {
        let difference = given.difference(&earlier, point);
        (difference != OrderDifference::default()).then_some((point, difference))
    });
    told(services, session, revision, &given, changed.collect())
}

fn told(
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
