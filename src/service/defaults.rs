//! What keys and sessions give to requests that do not say it themselves.

use std::sync::Arc;

use super::{Services, StoreError, adapters};
use crate::domain::Source;
use crate::json::{self, Fault, Faults, Limits, Node, Path};
use crate::request::{self, Fields};

/// Bytes of defaults.
const LONGEST: usize = 64 << 10;

/// The text of `/defaults`, if a compile would take them; `allowed` are the keys that may stand in
/// them.
pub(super) fn check(
    services: &Services,
    node: &Node<'_>,
    allowed: &[&str],
    faults: &mut Faults,
) -> Result<Option<Arc<str>>, StoreError> {
    let root = Path::Root;
    let path = root.key("defaults");
    if node.raw.len() > LONGEST {
        faults.add(&path, format!("must be at most {LONGEST} bytes"));
        return Ok(None);
    }
    let Some(fields) = Fields::read(node, path, allowed, faults) else { return Ok(None) };
    let sources: Vec<_> = Source::ALL.iter().map(|source| (source.as_str(), *source)).collect();
    fields.choice("source", &sources, faults);
    let request = smallest(node, allowed);
    let request = match json::parse(&request, Limits::default()) {
        Ok(request) => request,
        Err(error) => {
            faults.add(fields.path(), error.to_string());
            return Ok(None);
        }
    };
    let known = adapters::known(services, request.get("compression"))?;
    let check_url = |url: &str| services.check_hook_url(url);
    let read = request::read_compile(&request, services.models(), &known, &check_url);
    if let Err(found) = read {
        for fault in found {
            faults.add_found(Fault { pointer: format!("/defaults{}", fault.pointer), ..fault });
        }
    }
    Ok(Some(json::minify(node.raw).into()))
}

/// The smallest request with these options; what is wrong with it is wrong with them. The shape of
/// its conversation is that of the system text among them.
fn smallest(node: &Node<'_>, allowed: &[&str]) -> String {
    let has = |key: &str| node.get(key).is_some();
    let conversation = if has("systemInstruction") || has("system_instruction") {
        r#""contents":[{"role":"user","parts":[{"text":"x"}]}]"#
    } else if has("instructions") {
        r#""input":[{"role":"user","content":"x"}]"#
    } else {
        r#""messages":[{"role":"user","content":"x"}]"#
    };
    let mut text = format!("{{{conversation}");
    for (name, value) in node.as_object().into_iter().flatten() {
        if name != "source" && allowed.contains(&name.as_ref()) {
            text.push(',');
            json::write_string(&mut text, name);
            text.push(':');
            text.push_str(value.raw);
        }
    }
    text.push('}');
    text
}
