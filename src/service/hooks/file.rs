//! The operator's hooks, from a file. They apply to every tenant, and callers cannot change them.

use std::sync::Arc;

use crate::hook::{GivenId, Hook, HookAction, HookSecret, Manifest, Secrets, read_hook};
use crate::json::{self, Fault, Faults, Fields, Limits, Path, Value};
use crate::webhook::Policy;

const KEYS: &[&str] = &["hooks", "secrets", "order"];
/// Hooks that the file may contain.
const MAX_HOOKS: usize = 1_000;

/// The content of the file.
#[derive(Debug, Default)]
pub struct HooksFile {
    pub(super) hooks: Vec<Arc<Hook>>,
    pub(super) order: Manifest,
}

/// The reason why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HooksFileError {
    #[error("line {line}, column {column}: {kind}")]
    Json { line: usize, column: usize, kind: json::ErrorKind },
    #[error("{}", list_faults(.0))]
    Invalid(Vec<Fault>),
}

fn list_faults(faults: &[Fault]) -> String {
    let lines: Vec<String> =
        faults.iter().map(|fault| format!("{}: {}", fault.pointer, fault.detail)).collect();
    lines.join("; ")
}

impl HooksFile {
    /// Reads `{"hooks": [hook, …], "secrets": {"id": "whsec_…"}, "order": {"points": …}}`. Each
    /// hook has an id; a hook without a secret is called without a signature.
    ///
    /// # Errors
    /// Returns every fault with its pointer.
    pub fn read(text: &str, policy: &Policy) -> Result<Self, HooksFileError> {
        let node = json::parse(text, Limits::default()).map_err(|error| {
            let before = text.get(..error.offset).unwrap_or(text);
            let line = memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1;
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            let column = before.get(start..).unwrap_or_default().chars().count() + 1;
            HooksFileError::Json { line, column, kind: error.kind }
        })?;
        let mut faults = Faults::default();
        let mut file = Self::default();
        if let Some(fields) = Fields::read(&node, Path::Root, KEYS, &mut faults) {
            let mut hooks = read_hooks(&fields, policy, &mut faults);
            read_secrets(&fields, &mut hooks, &mut faults);
            file.hooks = hooks.into_iter().map(Arc::new).collect();
            if let Some(order) = fields.get("order") {
                let path = fields.path().key("order");
                file.order = Manifest::read(order, path, &mut faults).unwrap_or_default();
            }
        }
        if faults.is_empty() { Ok(file) } else { Err(HooksFileError::Invalid(faults.into_vec())) }
    }
}

fn read_hooks(fields: &Fields<'_, '_>, policy: &Policy, faults: &mut Faults) -> Vec<Hook> {
    let path = fields.path().key("hooks");
    let mut hooks: Vec<Hook> = Vec::new();
    for (index, node) in fields.list("hooks", MAX_HOOKS, faults).iter().enumerate() {
        let path = path.index(index);
        if node.get("id").is_none() {
            faults.add(&path.key("id"), "is missing");
        }
        let check = |url: &str| policy.check_url(url);
        let Some(mut hook) = read_hook(node, path, GivenId::Made(""), &check, faults) else {
            continue;
        };
        // The operator's hooks are mandatory unless the file says otherwise.
        hook.mandatory.get_or_insert(true);
        if hooks.iter().any(|other| other.id == hook.id) {
            faults.add(&path.key("id"), "is given twice");
        }
        hooks.push(hook);
    }
    hooks
}

fn read_secrets(fields: &Fields<'_, '_>, hooks: &mut [Hook], faults: &mut Faults) {
    let Some(node) = fields.get("secrets") else { return };
    let Value::Object(members) = &node.value else {
        fields.fault("secrets", format!("must be an object, not {}", node.kind()), faults);
        return;
    };
    let all = fields.path().key("secrets");
    for (id, value) in members {
        let path = all.key(id);
        let Some(secret) = value.as_str().and_then(HookSecret::parse) else {
            faults.add(&path, "must be `whsec_` and the base64 of 24 to 64 bytes");
            continue;
        };
        let hook = hooks.iter_mut().find(|hook| *hook.id == **id);
        match hook.map(|hook| &mut hook.does) {
            Some(HookAction::Call(endpoint)) => endpoint.secrets = Secrets::new(secret),
            Some(HookAction::Builtin(_)) | None => {
                faults.add(&path, "is no hook with a `url` here");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_hooks_their_secrets_and_an_order() {
        let secret = HookSecret::generate().unwrap().reveal();
        let text = format!(
            r#"{{"hooks": [
                {{"id": "scan", "point": "transform_context", "kind": "guard", "builtin": "secret_scan"}},
                {{"id": "log", "point": "delegation", "kind": "observe", "url": "https://h.example.com/"}}],
              "secrets": {{"log": "{secret}"}}, "order": {{"points": {{"delegation": ["log"]}}}}}}"#
        );
        let file = HooksFile::read(&text, &Policy::default()).unwrap();
        let ids: Vec<&str> = file.hooks.iter().map(|hook| &*hook.id).collect();
        assert_eq!(ids, ["scan", "log"]);
        assert!(!file.hooks[1].endpoint().unwrap().secrets.is_empty());
        assert_eq!(file.order.points().count(), 1);
    }

    #[test]
    fn every_fault_is_named() {
        let text = r#"{"hooks": [
            {"point": "delegation", "kind": "guard", "url": "http://127.0.0.1/"},
            {"id": "a", "point": "tool_call", "kind": "guard", "builtin": "deny_command"},
            {"id": "a", "point": "tool_call", "kind": "guard", "builtin": "deny_command"}],
          "secrets": {"a": "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3", "b": "x"}, "odrer": {}}"#;
        let Err(HooksFileError::Invalid(faults)) = HooksFile::read(text, &Policy::default()) else {
            panic!("it is not valid");
        };
        let found: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
        for pointer in ["/odrer", "/hooks/0/id", "/hooks/0/point", "/hooks/0/url", "/hooks/2/id"] {
            assert!(found.contains(&pointer), "{pointer}: {found:?}");
        }
        assert!(found.contains(&"/secrets/a") && found.contains(&"/secrets/b"), "{found:?}");
    }
}
