//! The name of a pack: `id@version`.

use std::fmt;
use std::sync::Arc;

use semver::Version;

/// The name of a published pack.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackRef {
    pub id: Arc<str>,
    /// Three numbers, as in `1.4.0`.
    pub version: Version,
}

impl PackRef {
    /// Reads `id@version`.
    pub fn parse(text: &str) -> Option<Self> {
        let (id, version) = text.rsplit_once('@')?;
        Self::new(id, version)
    }

    pub fn new(id: &str, version: &str) -> Option<Self> {
        let version = Version::parse(version).ok()?;
        let is_plain = version.pre.is_empty() && version.build.is_empty();
        (is_id(id) && is_plain).then(|| Self { id: id.into(), version })
    }
}

impl fmt::Display for PackRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.id, self.version)
    }
}

/// Whether a pack may be called so.
pub(super) fn is_id(text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    !text.is_empty() && text.len() <= 128 && text.bytes().all(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_an_id_and_three_numbers() {
        let reference = PackRef::parse("pack.dbops@1.4.0").unwrap();
        assert_eq!(reference.to_string(), "pack.dbops@1.4.0");
        for bad in ["pack.dbops", "@1.0.0", "a@1.0", "a@1.0.0-rc.1", "a b@1.0.0", "a@b@1.0.0"] {
            assert_eq!(PackRef::parse(bad), None, "{bad}");
        }
    }
}
