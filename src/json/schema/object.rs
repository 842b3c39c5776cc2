//! What a schema asks of an object's members.

use serde_json::Value;

use super::run::{MisfitSink, SchemaCheck, SchemaOutcome, size, tell};
use crate::json::Path;

pub(super) fn check<'s>(
    run: &mut SchemaCheck<'s>,
    schema: &'s Value,
    value: &Value,
    path: &Path<'_>,
    outcome: &mut SchemaOutcome,
    mut told: MisfitSink<'_>,
) -> Result<(), String> {
    let Some(members) = value.as_object() else { return Ok(()) };
    let words = ("minProperties", "maxProperties", "members");
    if let Some(detail) = size(schema, words, || members.len()) {
        outcome.fails = true;
        tell(&mut told, path, detail);
    }
    needed(run, schema, (value, path), outcome, told.as_deref_mut())?;
    let named = schema.get("properties").and_then(Value::as_object);
    let patterned = schema.get("patternProperties").and_then(Value::as_object);
    let more = schema.get("additionalProperties");
    let naming = schema.get("propertyNames");
    for (name, member) in members {
        let at = path.key(name);
        let mut known = false;
        if let Some(naming) = naming {
            let told = told.as_deref_mut();
            outcome.fails |= run.check(naming, &Value::from(name.as_str()), &at, told)?.fails;
        }
        if let Some(own) = named.and_then(|named| named.get(name)) {
            known = true;
            outcome.fails |= run.check(own, member, &at, told.as_deref_mut())?.fails;
        }
        for (pattern, own) in patterned.into_iter().flatten() {
            if run.matches(pattern, name)? {
                known = true;
                outcome.fails |= run.check(own, member, &at, told.as_deref_mut())?.fails;
            }
        }
        if let Some(more) = more.filter(|_| !known) {
            known = true;
            outcome.fails |= run.check(more, member, &at, told.as_deref_mut())?.fails;
        }
        if known {
            outcome.names.insert(name.clone());
        }
    }
    for (name, own) in
        schema.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten()
    {
        if members.contains_key(name) {
            let other = run.check(own, value, path, told.as_deref_mut())?;
            outcome.fails |= other.fails;
            outcome.join(other);
        }
    }
    if let Some(rest) = schema.get("unevaluatedProperties") {
        for (name, member) in members {
            if !outcome.names.contains(name) {
                let at = path.key(name);
                outcome.fails |= run.check(rest, member, &at, told.as_deref_mut())?.fails;
                outcome.names.insert(name.clone());
            }
        }
    }
    Ok(())
}

/// Whether the members are there that must be, always or beside others.
fn needed(
    run: &mut SchemaCheck<'_>,
    schema: &Value,
    (value, path): (&Value, &Path<'_>),
    outcome: &mut SchemaOutcome,
    mut told: MisfitSink<'_>,
) -> Result<(), String> {
    let mut ask = |names: Option<&Vec<Value>>| {
        run.spend(names.map_or(0, Vec::len))?;
        for name in names.into_iter().flatten().filter_map(Value::as_str) {
            if value.get(name).is_none() {
                outcome.fails = true;
                tell(&mut told, &path.key(name), "is missing");
            }
        }
        Ok::<_, String>(())
    };
    ask(schema.get("required").and_then(Value::as_array))?;
    let dependent = schema.get("dependentRequired").and_then(Value::as_object);
    for (name, names) in dependent.into_iter().flatten() {
        if value.get(name).is_some() {
            ask(names.as_array())?;
        }
    }
    Ok(())
}
