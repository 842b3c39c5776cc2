//! Keys outside of the store: the operator's own, and those of a file.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::domain::{Key, KeyHash, KeyLimits, Keyword, KeywordSet, PrincipalKind, Timestamp};

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Keys")]
pub struct KeysConfig {
    /// JSON file with hashed keys, read again when it changes
    ///
    /// A list of objects as `contexture key create --keys-file FILE` adds them: `id`, `hash`,
    /// `scopes`, and if wanted `tenant`, `name`, `kind`, `roles`, `limits` and `defaults`. With
    /// a file, callers need a key, even if the file lists none.
    #[arg(long, env = "CONTEXTURE_KEYS_FILE", value_name = "FILE")]
    pub keys_file: Option<PathBuf>,

    /// A key with every right, to make the others with; at least 32 visible characters
    ///
    /// Nothing of it is stored: it is gone when the server is started without it. Set the
    /// variable: a command line can be read by others.
    #[arg(long, env = "CONTEXTURE_BOOTSTRAP_KEY", value_name = "SECRET", hide_env_values = true)]
    pub bootstrap_key: Option<SecretText>,
}

/// A text that is not shown.
#[derive(Clone)]
pub struct SecretText(String);

impl SecretText {
    const MIN_KEY_CHARS: usize = 32;

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl FromStr for SecretText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if text.len() < Self::MIN_KEY_CHARS || !is_visible {
            return Err(format!("must be at least {} visible characters", Self::MIN_KEY_CHARS));
        }
        Ok(Self(text.to_owned()))
    }
}

/// Why the keys file cannot be used. The text names the file and the key.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the keys file {} cannot be read", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("the keys file {} cannot be written", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("the keys file {} is not a list of keys", path.display())]
    Parse { path: PathBuf, source: serde_json::Error },
    #[error("the keys file {}: `{id}`: {detail}", path.display())]
    Row { path: PathBuf, index: usize, id: String, detail: String },
}

/// One key of the file.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    /// 64 hex digits: the SHA-256 of the secret part.
    hash: String,
    #[serde(default = "usual_tenant")]
    tenant: String,
    #[serde(default)]
    name: String,
    #[serde(default = "service")]
    kind: String,
    scopes: Vec<String>,
    #[serde(default)]
    roles: Vec<String>,
    #[serde(default)]
    limits: RowLimits,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    defaults: Option<Box<RawValue>>,
}

#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RowLimits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    requests_per_minute: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens_per_day: Option<u64>,
}

/// Reads the keys of a keys file.
pub fn read(path: &Path) -> Result<Vec<(Key, KeyHash)>, Error> {
    keys_of(path, rows(path)?)
}

/// Reads the keys in the text of a keys file. A byte order mark is ignored.
pub fn parse(path: &Path, text: &str) -> Result<Vec<(Key, KeyHash)>, Error> {
    keys_of(path, rows_in(path, text)?)
}

fn keys_of(path: &Path, rows: Vec<Row>) -> Result<Vec<(Key, KeyHash)>, Error> {
    let mut keys = Vec::new();
    for (index, row) in rows.into_iter().enumerate() {
        let id = row.id.clone();
        let failed = |detail| Error::Row { path: path.to_owned(), index, id, detail };
        keys.push(key(row).map_err(failed)?);
    }
    Ok(keys)
}

fn rows(path: &Path) -> Result<Vec<Row>, Error> {
    let text =
        fs::read_to_string(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
    rows_in(path, &text)
}

fn rows_in(path: &Path, text: &str) -> Result<Vec<Row>, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).map_err(|source| Error::Parse { path: path.to_owned(), source })
}

/// Adds a key to a keys file, creating the file if it is missing. Readers see the file before or
/// after the change, never in between.
pub fn add(path: &Path, key: &Key, hash: KeyHash) -> Result<(), Error> {
    let mut rows = if path.exists() { rows(path)? } else { Vec::new() };
    rows.push(Row {
        id: (*key.id).to_owned(),
        hash: hash.to_hex(),
        tenant: (*key.tenant).to_owned(),
        name: key.name.clone(),
        kind: key.kind.as_str().to_owned(),
        scopes: key.scopes.words().into_iter().map(str::to_owned).collect(),
        roles: key.roles.words().into_iter().map(str::to_owned).collect(),
        limits: RowLimits {
            requests_per_minute: key.limits.requests_per_minute,
            tokens_per_day: key.limits.tokens_per_day,
        },
        defaults: key
            .defaults
            .as_ref()
            .and_then(|text| RawValue::from_string((**text).to_owned()).ok()),
    });
    write(path, &rows)
}

/// Takes a key out of a keys file; returns whether it was there. Readers see the file before or after
/// the change, never in between.
pub fn remove(path: &Path, id: &str) -> Result<bool, Error> {
    let mut rows = rows(path)?;
    let before = rows.len();
    rows.retain(|row| row.id != id);
    if rows.len() == before {
        return Ok(false);
    }
    write(path, &rows)?;
    Ok(true)
}

fn write(path: &Path, rows: &[Row]) -> Result<(), Error> {
    let failed = |source| Error::Write { path: path.to_owned(), source };
    let mut text = serde_json::to_string_pretty(rows)
        .map_err(|source| Error::Parse { path: path.to_owned(), source })?;
    text.push('\n');
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside).map_err(failed)?;
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    fs::rename(&beside, path).map_err(failed)
}

fn key(row: Row) -> Result<(Key, KeyHash), String> {
    let is_id = row.id.len() == 16 && row.id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !is_id {
        return Err("`id` is not 16 letters and digits".to_owned());
    }
    let hash = KeyHash::from_hex(&row.hash).ok_or("`hash` is not 64 hex digits")?;
    let kind = PrincipalKind::parse(&row.kind)
        .ok_or_else(|| format!("`{}` is no kind: user, agent, service, automation", row.kind))?;
    if row.tenant.is_empty() || row.tenant.len() > 64 {
        return Err("`tenant` is not 1 to 64 characters".to_owned());
    }
    if row.defaults.as_ref().is_some_and(|defaults| !defaults.get().starts_with('{')) {
        return Err("`defaults` is not an object".to_owned());
    }
    let limits = KeyLimits {
        requests_per_minute: row.limits.requests_per_minute,
        tokens_per_day: row.limits.tokens_per_day,
    };
    if limits.requests_per_minute == Some(0) || limits.tokens_per_day == Some(0) {
        return Err("a limit is zero".to_owned());
    }
    let key = Key {
        id: row.id.into(),
        tenant: row.tenant.into(),
        name: row.name,
        kind,
        scopes: words("scope", &row.scopes)?,
        roles: words("role", &row.roles)?,
        limits,
        defaults: row.defaults.map(|defaults| Arc::from(defaults.get())),
        created_at: Timestamp::default(),
        updated_at: Timestamp::default(),
    };
    Ok((key, hash))
}

fn words<W: Keyword>(what: &str, given: &[String]) -> Result<KeywordSet<W>, String> {
    given
        .iter()
        .map(|word| W::parse(word).ok_or_else(|| format!("`{word}` is no {what}")))
        .collect()
}

fn usual_tenant() -> String {
    "default".to_owned()
}

fn service() -> String {
    PrincipalKind::Service.as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Result<Vec<(Key, KeyHash)>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        fs::write(&path, text).unwrap();
        read(&path)
    }

    fn row(more: &str) -> String {
        let hash = "ab".repeat(32);
        format!(r#"[{{"id":"0123456789abcdef","hash":"{hash}","scopes":["compile"]{more}}}]"#)
    }

    #[test]
    fn a_key_that_was_added_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        let more = r#","tenant":"acme","kind":"agent","roles":["auditor"],"name":"a",
                      "limits":{"tokens_per_day":5},"defaults":{"target":"gemini"}"#;
        let (key, hash) = written(&row(more)).unwrap().remove(0);
        assert_eq!(key.defaults.as_deref(), Some("{\"target\":\"gemini\"}"));
        for _ in 0..2 {
            add(&path, &key, hash).unwrap();
        }
        assert_eq!(read(&path).unwrap(), [(key.clone(), hash), (key.clone(), hash)]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(!remove(&path, "fedcba9876543210").unwrap());
        assert!(remove(&path, &key.id).unwrap());
        assert_eq!(read(&path).unwrap(), []);
    }

    #[test]
    fn a_bad_key_is_named() {
        for more in [
            r#","scope":[]"#,
            r#","kind":"robot""#,
            r#","roles":["king"]"#,
            r#","tenant":"""#,
            r#","defaults":[]"#,
            r#","limits":{"tokens_per_day":0}"#,
        ] {
            assert!(written(&row(more)).is_err(), "{more}");
        }
        let bad = row(r#","roles":["king"]"#);
        let error = written(&bad).unwrap_err().to_string();
        assert!(error.contains("`0123456789abcdef`") && error.contains("`king`"), "{error}");
        assert!(written("{}").is_err());
    }

    #[test]
    fn a_secret_is_long_and_not_shown() {
        let secret: SecretText = "x".repeat(32).parse().unwrap();
        assert_eq!(format!("{secret:?}"), "Secret");
        assert!("x".repeat(31).parse::<SecretText>().is_err());
        assert!("x ".repeat(20).parse::<SecretText>().is_err());
    }
}
