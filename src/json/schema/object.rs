//! Keywords of a schema for an object's members.

use serde_json::Value;

use super::SchemaError;
use super::run::{Instance, MisfitSink, SchemaCheck, SchemaOutcome, report_misfit, size_misfit};

pub(super) fn check<'s>(
    run: &mut SchemaCheck<'s>,
    instance: Instance<'s, '_>,
    outcome: &mut SchemaOutcome,
    mut misfits: MisfitSink<'_>,
) -> Result<(), SchemaError> {
    let Instance { schema, value, path } = instance;
    let Some(members) = value.as_object() else { return Ok(()) };
    let count = || members.len();
    if let Some(detail) = size_misfit(schema, "minProperties", "maxProperties", "members", count) {
        outcome.fails = true;
        report_misfit(&mut misfits, path, detail);
    }
    check_required(run, instance, outcome, misfits.as_deref_mut())?;
    let named = schema.get("properties").and_then(Value::as_object);
    let patterned = schema.get("patternProperties").and_then(Value::as_object);
    let more = schema.get("additionalProperties");
    let naming = schema.get("propertyNames");
    for (name, member) in members {
        let at = path.key(name);
        let mut known = false;
        if let Some(naming) = naming {
            let misfits = misfits.as_deref_mut();
            outcome.fails |= run.check(naming, &Value::from(name.as_str()), &at, misfits)?.fails;
        }
        if let Some(own) = named.and_then(|named| named.get(name)) {
            known = true;
            outcome.fails |= run.check(own, member, &at, misfits.as_deref_mut())?.fails;
        }
        for (pattern, own) in patterned.into_iter().flatten() {
            if run.matches_pattern(pattern, name)? {
                known = true;
                outcome.fails |= run.check(own, member, &at, misfits.as_deref_mut())?.fails;
            }
        }
        if let Some(more) = more.filter(|_| !known) {
            known = true;
            outcome.fails |= run.check(more, member, &at, misfits.as_deref_mut())?.fails;
        }
        if known {
            outcome.names.insert(name.clone());
        }
    }
    for (name, own) in
        schema.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten()
    {
        if members.contains_key(name) {
            let other = run.check(own, value, path, misfits.as_deref_mut())?;
            outcome.fails |= other.fails;
            outcome.join(other);
        }
    }
    if let Some(rest) = schema.get("unevaluatedProperties") {
        for (name, member) in members {
            if !outcome.names.contains(name) {
                let at = path.key(name);
                outcome.fails |= run.check(rest, member, &at, misfits.as_deref_mut())?.fails;
                outcome.names.insert(name.clone());
            }
        }
    }
    Ok(())
}

/// Checks `required` and `dependentRequired`.
fn check_required(
    run: &mut SchemaCheck<'_>,
    instance: Instance<'_, '_>,
    outcome: &mut SchemaOutcome,
    mut misfits: MisfitSink<'_>,
) -> Result<(), SchemaError> {
    let Instance { schema, value, path } = instance;
    let mut ask = |names: Option<&Vec<Value>>| {
        run.spend(names.map_or(0, Vec::len))?;
        for name in names.into_iter().flatten().filter_map(Value::as_str) {
            if value.get(name).is_none() {
                outcome.fails = true;
                report_misfit(&mut misfits, &path.key(name), "is missing");
            }
        }
        Ok::<_, SchemaError>(())
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
