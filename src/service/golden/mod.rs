//! Golden sets: recorded compiles of a pack's version, which can be replayed under other versions.

mod packet;
mod run;

use std::sync::Arc;

use crate::domain::Timestamp;
use crate::json::{self, Faults, Fields, Limits, Node, Path};
use crate::pack::PackRef;
use crate::request::{self, PackSource};
use crate::service::compilations::{self, StoredRecord};
use crate::service::packs::document;
use crate::service::{Error, PackRefusal, Services};
use crate::store::GoldenRow;

pub use run::{Case, CaseOutcome, GoldenOutcome, run};

/// Compiles of a set.
const MAX_COMPILES: usize = 100;
/// Bytes of the stored compiles of a set.
const MAX_SET_BYTES: usize = 64 << 20;

/// The golden set of a pack's version.
#[derive(Debug)]
pub struct GoldenSet {
    pub reference: PackRef,
    pub items: Vec<Golden>,
}

/// A compile of a set.
#[derive(Debug)]
pub struct Golden {
    pub record: StoredRecord,
    /// The time at which the compile was added to the set.
    pub created_at: Timestamp,
}

/// Reads the set of a version, in its order.
pub fn golden(services: &Services, id: &str, version: &str) -> Result<GoldenSet, Error> {
    let reference = find_published(services, id, version)?;
    let rows = rows(services, &reference)?;
    let items = rows.iter().map(read).collect::<Result<_, _>>()?;
    Ok(GoldenSet { reference, items })
}

/// Replaces the set by the compiles that `body` names: `{"compilations": […]}`, each a full record
/// of a compile under this version. A compile that is in the set already needs no record.
pub fn put_golden(
    services: &Services,
    id: &str,
    version: &str,
    body: &str,
) -> Result<GoldenSet, Error> {
    let reference = find_published(services, id, version)?;
    let before = rows(services, &reference)?;
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let names = names(&node, &mut faults);
    let now = services.now();
    let mut after = Vec::new();
    for (at, name) in names.iter().enumerate() {
        if let Some(row) = before.iter().find(|row| *row.compilation == **name) {
            after.push(row.clone());
            continue;
        }
        match find_record(services, &reference, name)? {
            Ok(record) => after.push(GoldenRow {
                compilation: Arc::clone(&record.compilation.id),
                session_id: record.compilation.session_id.clone(),
                created_at: now,
                packet: packet::write(&record).into(),
            }),
            Err(why) => faults.add(&Path::Root.key("compilations").index(at), why),
        }
    }
    let bytes: usize = after.iter().map(|row| row.packet.len()).sum();
    if bytes > MAX_SET_BYTES {
        let detail = format!("the set may have at most {MAX_SET_BYTES} bytes, not {bytes}");
        faults.add(&Path::Root.key("compilations"), detail);
    }
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let items = after.iter().map(read).collect::<Result<_, _>>()?;
    let (pack, version) = (Arc::clone(&reference.id), numbers(&reference));
    services.tenant().write_durable(move |tx| tx.put_golden_set(&pack, version, &after))?;
    Ok(GoldenSet { reference, items })
}

/// Reads the ids that a body names.
fn names(node: &Node<'_>, faults: &mut Faults) -> Vec<String> {
    let Some(fields) = Fields::read(node, Path::Root, &["compilations"], faults) else {
        return Vec::new();
    };
    let Some(items) = fields.get("compilations").and_then(Node::as_array) else {
        fields.fault("compilations", "must be an array of ids of compilations", faults);
        return Vec::new();
    };
    if items.len() > MAX_COMPILES {
        fields.fault("compilations", format!("must hold at most {MAX_COMPILES} ids"), faults);
        return Vec::new();
    }
    let mut names: Vec<String> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let mut fault =
            |detail: &str| faults.add(&Path::Root.key("compilations").index(at), detail);
        match item.as_str() {
            None => fault("must be the id of a compilation"),
            Some(name) if names.iter().any(|known| known == name) => fault("is there twice"),
            Some(name) => names.push(name.to_owned()),
        }
    }
    names
}

/// Finds the record of an id; an inner error is the reason why it cannot be in a set of this
/// version.
fn find_record(
    services: &Services,
    reference: &PackRef,
    name: &str,
) -> Result<Result<StoredRecord, String>, Error> {
    let record = match compilations::find(services, name) {
        Ok(record) => record,
        Err(Error::NotFound(why) | Error::RecordIncomplete(why)) => return Ok(Err(why.to_owned())),
        Err(error) => return Err(error),
    };
    let Some(text) = &record.request else {
        return Ok(Err(
            "its record does not hold the request: compile with `record: \"full\"`".into()
        ));
    };
    let node = json::parse(text, Limits::default())?;
    let under = match request::read_governed(&node, record.compilation.created_at) {
        Ok(governed) => governed.map(|governed| governed.pack),
        Err(_) => None,
    };
    Ok(match under {
        Some(PackSource::Published(own)) if own == *reference => Ok(record),
        Some(PackSource::Published(own)) => Err(format!("was compiled under {own}")),
        _ => Err("was compiled under no published pack".to_owned()),
    })
}

/// Finds the reference of a published version.
fn find_published(services: &Services, id: &str, version: &str) -> Result<PackRef, Error> {
    let reference = PackRef::new(id, version).ok_or(PackRefusal::NotFound)?;
    document(services, &reference)?.ok_or(PackRefusal::NotFound)?;
    Ok(reference)
}

fn numbers(reference: &PackRef) -> [u64; 3] {
    let version = &reference.version;
    [version.major, version.minor, version.patch]
}

fn rows(services: &Services, reference: &PackRef) -> Result<Vec<GoldenRow>, Error> {
    let read = services.tenant().read(|tx| tx.golden_set(&reference.id, numbers(reference)));
    Ok(read?)
}

fn read(row: &GoldenRow) -> Result<Golden, Error> {
    let record = packet::read(&row.packet)
        .ok_or(Error::RecordIncomplete("a compile of the set was kept by another release"))?;
    Ok(Golden { record, created_at: row.created_at })
}
