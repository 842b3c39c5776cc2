//! Paths of memory files: `/memories/a/b.txt` is the key `a/b.txt`.

use std::sync::Arc;

use crate::json::beginning;
use crate::request::is_memory_key;

/// The directory that all files are in.
pub(super) const MEMORY_ROOT: &str = "/memories";

/// More bytes than the path of any key has.
const MAX_PATH_BYTES: usize = 512;

/// A path below [`MEMORY_ROOT`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilePath {
    /// Empty for the root.
    pub(crate) key: Arc<str>,
    /// Whether the path ends with a slash, so that it cannot be a file.
    pub(super) is_directory: bool,
}

impl FilePath {
    /// Reads a path. The error is for the model.
    pub(crate) fn read(path: &str) -> Result<Self, String> {
        let shown = beginning(path);
        let invalid = || {
            format!(
                "Error: {shown} cannot be a memory file: below {MEMORY_ROOT}, a path must be 1 to 256 \
                 bytes without control characters and empty names, and not `import`, `recall`, `.` or `..`"
            )
        };
        if path.len() > MAX_PATH_BYTES {
            return Err(invalid());
        }
        let rest = path.strip_prefix(MEMORY_ROOT);
        // `/memoriesX` is another directory.
        let rest = rest.filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let Some(rest) = rest else {
            return Err(format!("Path must start with {MEMORY_ROOT}, got: {shown}"));
        };
        if escapes(rest) {
            return Err(format!("Path {shown} would escape {MEMORY_ROOT} directory"));
        }
        let below = rest.strip_prefix('/').unwrap_or(rest);
        let key = below.strip_suffix('/').unwrap_or(below);
        if !rest.is_empty() && rest != "/" && !is_file_key(key) {
            return Err(invalid());
        }
        Ok(Self { key: key.into(), is_directory: rest.ends_with('/') })
    }

    pub(super) fn is_root(&self) -> bool {
        self.key.is_empty()
    }

    /// The path as results show it.
    pub(super) fn shown(&self) -> String {
        shown_path(&self.key)
    }
}

/// The path of a key; the root for an empty one.
pub(super) fn shown_path(key: &str) -> String {
    if key.is_empty() { MEMORY_ROOT.to_owned() } else { format!("{MEMORY_ROOT}/{key}") }
}

/// Whether a key is the path of a file, without empty names and names that lead elsewhere.
pub(super) fn is_file_key(key: &str) -> bool {
    is_memory_key(key) && !escapes(key) && key.split('/').all(|name| !name.is_empty())
}

/// Whether a path has `.` or `..` as a name, with either kind of slash, percent-encoded or not.
fn escapes(path: &str) -> bool {
    let mut text = path.to_ascii_lowercase();
    // A percent sign may be encoded again and again. The path is short, so the passes are few.
    while text.contains("%25") {
        text = text.replace("%25", "%");
    }
    let text = text.replace("%2e", ".").replace("%2f", "/").replace("%5c", "\\");
    text.split(['/', '\\']).any(|name| name == "." || name == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_below_the_root_are_files() {
        for (path, key) in [
            ("/memories", ""),
            ("/memories/", ""),
            ("/memories/a", "a"),
            ("/memories/a/b.txt", "a/b.txt"),
            ("/memories/a/", "a"),
            ("/memories/.hidden", ".hidden"),
            ("/memories/a..b", "a..b"),
            ("/memories/.25.", ".25."),
            ("/memories/é 100%", "é 100%"),
        ] {
            assert_eq!(&*FilePath::read(path).unwrap().key, key, "{path}");
        }
        let long = format!("/memories/{}", "x".repeat(257));
        for path in [
            "",
            "memories/a",
            "/memoriesX",
            "/memories2/a",
            "/etc/passwd",
            "/memories/../etc",
            "/memories/..",
            "/memories/a/../../b",
            "/memories/./a",
            "/memories/..\\a",
            "/memories/%2e%2e",
            "/memories/%2E%2e/a",
            "/memories/.%2e/a",
            "/memories/%2e%2e%2fa",
            "/memories/%252e%252e/a",
            "/memories/%25252e%25252e/a",
            "/memories/a%2f..%5Cb",
            "/memories//a",
            "/memories/a//",
            "/memories/import",
            "/memories/recall",
            "/memories/a\nb",
            "/memories/a\0",
            &long,
        ] {
            assert!(FilePath::read(path).is_err(), "{path}");
        }
    }
}
