//! What a schema asks of an array's items.

use std::collections::BTreeSet;

use serde_json::Value;

use super::run::{Outcome, Path, Run, Told, key, size, tell};

pub(super) fn check<'s>(
    run: &mut Run<'s>,
    schema: &'s Value,
    items: &[Value],
    path: &Path<'_>,
    outcome: &mut Outcome,
    mut told: Told<'_>,
) -> Result<(), String> {
    if let Some(detail) = size(schema, ("minItems", "maxItems", "items"), || items.len()) {
        outcome.fails = true;
        tell(&mut told, path, detail);
    }
    if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
        let mut seen = BTreeSet::new();
        if let Some(at) = items.iter().position(|item| !seen.insert(key(item))) {
            outcome.fails = true;
            tell(&mut told, &Path::Index(path, at), "stands in the list already");
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
        let place = Path::Index(path, at);
        outcome.fails |= run.check(own, item, &place, told.as_deref_mut())?.fails;
        outcome.items.insert(at);
    }
    if let Some(wanted) = schema.get("contains") {
        let mut count = 0;
        for (at, item) in items.iter().enumerate() {
            if !run.check(wanted, item, &Path::Index(path, at), None)?.fails {
                count += 1;
                outcome.items.insert(at);
            }
        }
        let words = ("minContains", "maxContains", "items of a certain form");
        let none = count == 0 && schema.get("minContains").is_none();
        let detail = none.then(|| "must have an item of a certain form".to_owned());
        if let Some(detail) = detail.or_else(|| size(schema, words, || count)) {
            outcome.fails = true;
            tell(&mut told, path, detail);
        }
    }
    if let Some(rest) = schema.get("unevaluatedItems") {
        for (at, item) in items.iter().enumerate() {
            if outcome.items.insert(at) {
                let place = Path::Index(path, at);
                outcome.fails |= run.check(rest, item, &place, told.as_deref_mut())?.fails;
            }
        }
    }
    Ok(())
}
