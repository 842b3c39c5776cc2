//! Keywords of a schema for an array's items.

use std::collections::BTreeSet;

use serde_json::Value;

use super::SchemaError;
use super::run::{Instance, MisfitSink, SchemaCheck, SchemaOutcome, report_misfit, size_misfit};
use super::value::key;

pub(super) fn check<'s>(
    run: &mut SchemaCheck<'s>,
    instance: Instance<'s, '_>,
    outcome: &mut SchemaOutcome,
    mut misfits: MisfitSink<'_>,
) -> Result<(), SchemaError> {
    let Instance { schema, value, path } = instance;
    let Some(items) = value.as_array() else { return Ok(()) };
    let count = || items.len();
    if let Some(detail) = size_misfit(schema, "minItems", "maxItems", "items", count) {
        outcome.fails = true;
        report_misfit(&mut misfits, path, detail);
    }
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        let mut seen = BTreeSet::new();
        for (at, item) in items.iter().enumerate() {
            let key = key(item);
            run.spend(key.len())?;
            if !seen.insert(key) {
                outcome.fails = true;
                report_misfit(&mut misfits, &path.index(at), "is in the list already");
                break;
            }
        }
    }
    let listed = |key: &str| schema.get(key).and_then(Value::as_array);
    // A list of `items` is how drafts before wrote it.
    let first = listed("prefixItems").or_else(|| listed("items"));
    let rest = match schema.get("items") {
        Some(Value::Array(_)) => schema.get("additionalItems"),
        rest => rest,
    };
    for (at, item) in items.iter().enumerate() {
        let Some(own) = first.and_then(|first| first.get(at)).or(rest) else { continue };
        let place = path.index(at);
        outcome.fails |= run.check(own, item, &place, misfits.as_deref_mut())?.fails;
        outcome.items.insert(at);
    }
    if let Some(wanted) = schema.get("contains") {
        let mut count = 0;
        for (at, item) in items.iter().enumerate() {
            if !run.check(wanted, item, &path.index(at), None)?.fails {
                count += 1;
                outcome.items.insert(at);
            }
        }
        let noun = "items of a certain form";
        let size = || size_misfit(schema, "minContains", "maxContains", noun, || count);
        let none = count == 0 && schema.get("minContains").is_none();
        let detail = none.then(|| "must have an item of a certain form".to_owned());
        if let Some(detail) = detail.or_else(size) {
            outcome.fails = true;
            report_misfit(&mut misfits, path, detail);
        }
    }
    if let Some(rest) = schema.get("unevaluatedItems") {
        for (at, item) in items.iter().enumerate() {
            if outcome.items.insert(at) {
                let place = path.index(at);
                outcome.fails |= run.check(rest, item, &place, misfits.as_deref_mut())?.fails;
            }
        }
    }
    Ok(())
}
