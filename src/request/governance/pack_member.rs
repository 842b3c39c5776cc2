//! The key `pack` of a body, with the members that may be inside of it or next to it.

use super::PackSource;
use crate::json::{Faults, Fields, Node, Path};
use crate::pack::PackRef;

/// The key `pack` and the members inside of it or next to it.
pub(super) struct PackMember<'p, 'a> {
    pub(super) pack: &'p Node<'a>,
    pub(super) body: &'p Node<'a>,
    pub(super) at: Path<'p>,
}

impl<'p, 'a> PackMember<'p, 'a> {
    const KNOWN: &'static [&'static str] =
        &["ref", "document", "run_context", "request", "evidence", "memory", "blocks"];

    /// Whether `pack` is the document itself.
    fn is_document(&self) -> bool {
        self.pack.get("pack_meta").is_some() || self.pack.get("contract_meta").is_some()
    }

    pub(super) fn source(&self, faults: &mut Faults) -> Option<PackSource> {
        let named = |node: &Node<'_>, at: &Path<'_>, faults: &mut Faults| {
            let found = node.as_str().and_then(PackRef::parse).map(PackSource::Published);
            if found.is_none() {
                faults.add(at, "must be `id@version`");
            }
            found
        };
        if self.pack.as_object().is_none() {
            return named(self.pack, &self.at, faults);
        }
        if self.is_document() {
            return Some(PackSource::Inline(self.pack.raw.into()));
        }
        let fields = Fields::read(self.pack, self.at, Self::KNOWN, faults)?;
        match (fields.get("ref"), fields.get("document")) {
            (Some(node), None) => named(node, &self.at.key("ref"), faults),
            (None, Some(node)) => Some(PackSource::Inline(node.raw.into())),
            _ => {
                faults.add(&self.at, "must have `ref` or `document`, and not both");
                None
            }
        }
    }

    /// Whether `pack` names its pack, and contains the other members.
    fn holds(&self) -> bool {
        self.pack.as_object().is_some() && !self.is_document()
    }

    /// A member inside of `pack`.
    pub(super) fn own(&self, key: &str) -> Option<&'p Node<'a>> {
        self.pack.get(key).filter(|node| self.holds() && !node.is_null())
    }

    /// The place where an absent member is expected.
    pub(super) fn pointer_to(&self, key: &str) -> String {
        if self.holds() { format!("/pack/{key}") } else { format!("/{key}") }
    }

    /// Finds a member inside of `pack`, or next to it.
    pub(super) fn find(&self, key: &str) -> Option<(&'p Node<'a>, String)> {
        let inside = self.own(key).map(|node| (node, format!("/pack/{key}")));
        let beside = self.body.get(key).filter(|node| !node.is_null());
        inside.or_else(|| beside.map(|node| (node, format!("/{key}"))))
    }
}

/// A pack document in a body.
#[derive(Debug, Clone, Copy)]
pub struct PackInBody<'p, 'a> {
    pub pointer: &'static str,
    pub document: &'p Node<'a>,
}

/// Finds the pack document in a body; none if the body names a published pack, or no pack.
pub fn find_pack_document<'p, 'a>(body: &'p Node<'a>) -> Option<PackInBody<'p, 'a>> {
    let pack = body.get("pack").filter(|pack| pack.as_object().is_some())?;
    let place = PackMember { pack, body, at: Path::Root };
    if place.is_document() {
        return Some(PackInBody { pointer: "/pack", document: pack });
    }
    let document = pack.get("document").filter(|node| !node.is_null())?;
    Some(PackInBody { pointer: "/pack/document", document })
}
