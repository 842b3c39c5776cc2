//! Publishes, reads and compares packs, and evaluates single rules.

mod rule;

use std::sync::Arc;

use quick_cache::sync::Cache;

use super::idempotency::ResponseRecorder;
use super::{Error, PackRefusal, Services, StoreError};
use crate::domain::StoredPack;
use crate::json::{self, Faults, Fields, Limits, Node, Path};
pub use crate::pack::LintFault;
use crate::pack::{self, LayerChange, LintResult, Pack, PackRef, PublicKeys};
use crate::pipeline::StopReason;
use crate::store::{self, Page};

pub use rule::{RuleResult, evaluate};

/// Bytes of the document of a pack.
const MAX_DOCUMENT_BYTES: usize = 4 << 20;
/// Versions of a pack that are listed.
const MAX_VERSIONS: usize = 1_000;
/// Parsed packs that are cached.
const MAX_CACHED_PACKS: usize = 64;

/// Cache of parsed packs. An entry is valid for good, since a published version never changes.
#[derive(Debug)]
pub(super) struct PackCache {
    packs: Cache<(Arc<str>, PackRef), Arc<Pack>>,
}

impl Default for PackCache {
    fn default() -> Self {
        Self { packs: Cache::new(MAX_CACHED_PACKS) }
    }
}

/// Result of publishing a pack.
#[derive(Debug)]
pub struct Publication {
    pub stored: StoredPack,
    pub is_new: bool,
    pub warnings: Vec<LintFault>,
}

/// Publishes the document in `body`.
pub fn publish(
    services: &Services,
    body: &str,
    recorder: ResponseRecorder<Publication>,
) -> Result<Publication, Error> {
    let node = parse(body)?;
    let LintResult { faults, pack, .. } = pack::lint(&node, services.pack_keys());
    let Some(pack) = pack else { return Err(PackRefusal::Lint(faults).into()) };
    let version = &pack.reference.version;
    let stored = StoredPack {
        id: Arc::clone(&pack.reference.id),
        version: [version.major, version.minor, version.patch],
        digest: pack.digest,
        is_signed: pack.is_signed,
        created_at: crate::domain::Timestamp::default(),
    };
    let document = node.raw.to_owned();
    services.tenant().write_durable(move |tx| {
        let (stored, is_new) = match tx.publish_pack(&stored, &document)? {
            store::PublishResult::New(stored) => (stored, true),
            store::PublishResult::Same(stored) => (stored, false),
            store::PublishResult::Other(stored) => {
                let digest = format!("sha256:{}", stored.digest);
                return Err(PackRefusal::VersionExists(stored.reference(), digest).into());
            }
        };
        let done = Publication { stored, is_new, warnings: faults.clone() };
        recorder.remember(tx, &done)?;
        Ok(done)
    })
}

/// Returns every fault of the document in `body`.
pub fn lint(services: &Services, body: &str) -> Result<Vec<LintFault>, Error> {
    Ok(pack::lint(&parse(body)?, services.pack_keys()).faults)
}

/// Whether a document with these faults may be published.
pub fn is_ok(faults: &[LintFault]) -> bool {
    !faults.iter().any(LintFault::is_error)
}

/// The row after which a list continues: an id and the three numbers of a version.
pub type PackCursor = (String, [u64; 3]);

/// Lists at most `limit` versions of packs. Returns the row after which the list continues, if it
/// does.
pub fn list(
    services: &Services,
    after: Option<&PackCursor>,
    limit: usize,
) -> Result<Page<StoredPack, PackCursor>, Error> {
    let after = after.map(|(id, version)| (id.as_str(), *version));
    let rows = services.tenant().read(|tx| tx.list_packs(after, limit + 1))?;
    Ok(Page::new(rows, limit, |row| (row.id.to_string(), row.version), None))
}

/// Lists the versions of a pack, newest first.
pub fn versions(services: &Services, id: &str) -> Result<Vec<StoredPack>, Error> {
    let found = services.tenant().read(|tx| tx.pack_versions(id, MAX_VERSIONS))?;
    if found.is_empty() { Err(PackRefusal::NotFound.into()) } else { Ok(found) }
}

/// Finds a version, with its document as it was published.
pub fn find(services: &Services, id: &str, version: &str) -> Result<(StoredPack, String), Error> {
    let reference = PackRef::new(id, version);
    let found = reference.as_ref().map(|reference| document(services, reference)).transpose()?;
    found.flatten().ok_or_else(|| PackRefusal::NotFound.into())
}

pub(super) fn document(
    services: &Services,
    reference: &PackRef,
) -> Result<Option<(StoredPack, String)>, StoreError> {
    let version = &reference.version;
    let numbers = [version.major, version.minor, version.patch];
    services.tenant().read(|tx| tx.find_pack(&reference.id, numbers))
}

/// Loads a published pack, from the cache or else from the store; none if it does not exist.
pub fn load(services: &Services, reference: &PackRef) -> Result<Option<Arc<Pack>>, StoreError> {
    let cache = services.packs();
    let name = (Arc::clone(&services.caller().tenant), reference.clone());
    if let Some(pack) = cache.packs.get(&name) {
        return Ok(Some(pack));
    }
    let Some((stored, text)) = document(services, reference)? else { return Ok(None) };
    let corrupt = |error: &'static str| StoreError::Corrupt(Arc::new(UnreadablePack(error)));
    let node = json::parse(&text, Limits::default()).map_err(|_| corrupt("it is no JSON"))?;
    // Signatures are checked when a pack is published, and not again here.
    let pack = pack::read(&node, &PublicKeys::default()).map_err(|_| corrupt("it has faults"))?;
    if pack.digest != stored.digest {
        return Err(corrupt("its digest is another one"));
    }
    let pack = Arc::new(pack);
    cache.packs.insert(name, Arc::clone(&pack));
    Ok(Some(pack))
}

#[derive(Debug, thiserror::Error)]
#[error("a stored pack cannot be read: {0}")]
struct UnreadablePack(&'static str);

/// Differences between two versions.
#[derive(Debug)]
pub struct VersionDifference {
    pub from: StoredPack,
    pub to: StoredPack,
    pub layers: Vec<LayerChange>,
}

/// Compares the versions that the body names: `{"from", "to"}`, each `id@version`.
pub fn diff(services: &Services, body: &str) -> Result<VersionDifference, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let Some(fields) = Fields::read(&node, Path::Root, &["from", "to"], &mut faults) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    let mut named = |key: &str| {
        let reference = fields.text(key, &mut faults).map(PackRef::parse);
        match reference {
            Some(Some(reference)) => Some(reference),
            Some(None) => {
                fields.fault(key, "must be `id@version`", &mut faults);
                None
            }
            None => {
                if fields.get(key).is_none() {
                    fields.fault(key, "is missing", &mut faults);
                }
                None
            }
        }
    };
    let (Some(from), Some(to)) = (named("from"), named("to")) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    if !faults.is_empty() {
        return Err(Error::Invalid(faults.into_vec()));
    }
    let get = |reference: &PackRef| {
        let found = document(services, reference)?;
        let (stored, text) = found.ok_or(Error::Pack(PackRefusal::NotFound))?;
        let value: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| StoreError::Corrupt(Arc::new(error)))?;
        Ok::<_, Error>((stored, value))
    };
    let ((from, before), (to, after)) = (get(&from)?, get(&to)?);
    let layers = pack::between(&before, &after, services.allowance()).map_err(StopReason::from)?;
    Ok(VersionDifference { from, to, layers })
}

fn parse(body: &str) -> Result<Node<'_>, Error> {
    let node = json::parse(body, Limits::default())?;
    if node.raw.len() > MAX_DOCUMENT_BYTES {
        let mut faults = Faults::default();
        faults.add(&Path::Root, format!("must be at most {MAX_DOCUMENT_BYTES} bytes"));
        return Err(Error::Invalid(faults.into_vec()));
    }
    Ok(node)
}
