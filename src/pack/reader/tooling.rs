//! Adapters, what they can do, and who may have it done.

use std::sync::Arc;

use super::policy::mode;
use super::{
    MAX_ITEMS, MAX_NAME_BYTES, id, layer, list, optional, optional_id, passed_on, too_long,
};
use crate::json::{Fields, Node, Path};
use crate::pack::document::{AccessMode, Capability, Permission};
use crate::pack::lint::Lint;

pub(super) fn read(fields: &Fields<'_, '_>, lint: &mut Lint) -> (Vec<Capability>, Vec<Permission>) {
    const KNOWN: &[&str] = &["adapter_registry", "permissions", "capability_risks"];
    let (mut capabilities, mut permissions) = (Vec::new(), Vec::new());
    let path = fields.path().key("tooling_layer");
    let Some(given) = layer(fields, "tooling_layer", path, KNOWN, lint) else {
        return (capabilities, permissions);
    };
    passed_on(&given, "capability_risks", lint);
    let path = given.path().key("adapter_registry");
    for (at, node) in list(&given, "adapter_registry", MAX_ITEMS, lint).iter().enumerate() {
        adapter(node, path.index(at), &mut capabilities, lint);
    }
    let path = given.path().key("permissions");
    for (at, node) in list(&given, "permissions", 2 * MAX_ITEMS, lint).iter().enumerate() {
        permissions.extend(permission(node, path.index(at), lint));
    }
    (capabilities, permissions)
}

fn adapter(node: &Node<'_>, path: Path<'_>, found: &mut Vec<Capability>, lint: &mut Lint) {
    const KNOWN: &[&str] = &[
        "adapter_id",
        "type",
        "endpoint_ref",
        "schema_ref",
        "owner",
        "approval_mode",
        "capabilities",
        "capability_risks",
    ];
    let Some(given) = Fields::read(node, path, KNOWN, &mut lint.shape) else { return };
    let adapter = id(&given, "adapter_id", lint);
    if adapter.contains('.') {
        let detail = "must have no dot: a key is parted at its first one";
        lint.error("tool_adapter_id_form", &given.path().key("adapter_id"), detail);
    }
    for key in ["type", "endpoint_ref", "owner"] {
        optional(&given, key, lint);
    }
    passed_on(&given, "capability_risks", lint);
    let schema_ref = optional_id(&given, "schema_ref", lint);
    let ceiling = mode(&given, "approval_mode", lint);
    let has_mode = given.get("approval_mode").is_some();
    let path = given.path().key("capabilities");
    for (at, node) in list(&given, "capabilities", MAX_ITEMS, lint).iter().enumerate() {
        let of = CapabilityOwner {
            adapter: &adapter,
            schema_ref: schema_ref.as_ref(),
            ceiling,
            has_mode,
        };
        found.extend(capability(node, path.index(at), &of, lint));
    }
}

/// The adapter that a capability is of.
struct CapabilityOwner<'o> {
    adapter: &'o Arc<str>,
    schema_ref: Option<&'o Arc<str>>,
    ceiling: Option<AccessMode>,
    has_mode: bool,
}

/// A capability by its name alone, or as an object.
fn capability(
    node: &Node<'_>,
    path: Path<'_>,
    of: &CapabilityOwner<'_>,
    lint: &mut Lint,
) -> Option<Capability> {
    const KNOWN: &[&str] = &["id", "approval_mode", "schema_ref", "description", "input_schema"];
    let missing = "neither the capability nor its adapter has an `approval_mode`";
    let mut read = Capability {
        key: "".into(),
        adapter: Arc::clone(of.adapter),
        id: "".into(),
        // An absent ceiling is a fault.
        ceiling: of.ceiling.unwrap_or(AccessMode::Destructive),
        schema_ref: of.schema_ref.cloned(),
        description: None,
        input_schema: None,
    };
    if let Some(id) = node.as_str() {
        if id.len() > MAX_NAME_BYTES {
            lint.shape.add(&path, too_long());
            return None;
        }
        read.id = id.into();
        if !of.has_mode {
            lint.error("tool_mode_missing", &path, missing);
        }
    } else {
        let given = Fields::read(node, path, KNOWN, &mut lint.shape)?;
        read.id = id(&given, "id", lint);
        read.description = optional(&given, "description", lint);
        read.input_schema = passed_on(&given, "input_schema", lint);
        read.schema_ref = optional_id(&given, "schema_ref", lint).or(read.schema_ref);
        let own = mode(&given, "approval_mode", lint);
        if given.get("approval_mode").is_none() && !of.has_mode {
            lint.error("tool_mode_missing", &path, missing);
        }
        if let (Some(own), Some(most)) = (own, of.ceiling)
            && own > most
        {
            let path = given.path().key("approval_mode");
            let detail = format!("is above the adapter's `{}`", most.as_str());
            lint.error("tool_mode_exceeds_adapter", &path, detail);
        }
        read.ceiling = own.unwrap_or(read.ceiling);
    }
    read.key = format!("{}.{}", read.adapter, read.id).into();
    Some(read)
}

fn permission(node: &Node<'_>, path: Path<'_>, lint: &mut Lint) -> Option<Permission> {
    const KNOWN: &[&str] =
        &["permission_id", "adapter_id", "capability", "allow", "arg_constraints"];
    let given = Fields::read(node, path, KNOWN, &mut lint.shape)?;
    optional(&given, "permission_id", lint);
    let adapter = id(&given, "adapter_id", lint);
    let capability = id(&given, "capability", lint);
    if given.get("allow").is_none() {
        given.fault("allow", "is missing", &mut lint.shape);
    }
    Some(Permission {
        key: format!("{adapter}.{capability}").into(),
        allow: given.flag("allow", &mut lint.shape).unwrap_or(false),
        constraints: passed_on(&given, "arg_constraints", lint),
    })
}
