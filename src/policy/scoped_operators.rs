//! Operators that control which of their operands are evaluated, and on what data.

use std::sync::Arc;

use super::evaluation::{Evaluator, RuleFailure};
use super::{Value, ValueList};

/// The value, if `name` is one of these operators.
pub(super) fn operate(
    machine: &mut Evaluator<'_>,
    name: &str,
    given: &[Value],
    data: &Value,
) -> Option<Result<Value, RuleFailure>> {
    Some(match name {
        "if" | "?:" => choose(machine, given, data),
        "and" => find_operand(machine, given, data, false),
        "or" => find_operand(machine, given, data, true),
        "map" => map(machine, given, data),
        "filter" => filter(machine, given, data).and_then(|kept| machine.list(kept)),
        "reduce" => reduce(machine, given, data),
        "all" => all(machine, given, data),
        "some" => filter(machine, given, data).map(|kept| Value::Bool(!kept.is_empty())),
        "none" => filter(machine, given, data).map(|kept| Value::Bool(kept.is_empty())),
        _ => return None,
    })
}

fn choose(
    machine: &mut Evaluator<'_>,
    given: &[Value],
    data: &Value,
) -> Result<Value, RuleFailure> {
    for pair in given.chunks(2) {
        // Literals are no operations: without this a list of them would be free in every round.
        machine.work(1)?;
        match pair {
            [condition, then] if machine.apply(condition, data)?.is_truthy() => {
                return machine.apply(then, data);
            }
            [otherwise] => return machine.apply(otherwise, data),
            _ => {}
        }
    }
    Ok(Value::Null)
}

/// The first operand that is true, or false; else the last.
fn find_operand(
    machine: &mut Evaluator<'_>,
    given: &[Value],
    data: &Value,
    holds: bool,
) -> Result<Value, RuleFailure> {
    let mut value = Value::Undefined;
    for rule in given {
        machine.work(1)?;
        value = machine.apply(rule, data)?;
        if value.is_truthy() == holds {
            break;
        }
    }
    Ok(value)
}

/// The list that an operator works on, if it is one, and the rule for its items.
fn items<'g>(
    machine: &mut Evaluator<'_>,
    given: &'g [Value],
    data: &Value,
) -> Result<(Option<ValueList>, &'g Value), RuleFailure> {
    let list = given.first().unwrap_or(&Value::Undefined);
    let value = machine.apply(list, data)?;
    machine.doubt_missing([&value], given);
    let items = match value {
        Value::List(items) => Some(items),
        _ => None,
    };
    machine.work(items.as_ref().map_or(0, |items| items.len()))?;
    Ok((items, given.get(1).unwrap_or(&Value::Undefined)))
}

fn map(machine: &mut Evaluator<'_>, given: &[Value], data: &Value) -> Result<Value, RuleFailure> {
    let (items, rule) = items(machine, given, data)?;
    let mut values = Vec::new();
    for item in items.iter().flat_map(|items| items.iter()) {
        values.push(machine.apply(rule, item)?);
    }
    machine.list(values)
}

fn filter(
    machine: &mut Evaluator<'_>,
    given: &[Value],
    data: &Value,
) -> Result<Vec<Value>, RuleFailure> {
    let (items, rule) = items(machine, given, data)?;
    let mut kept = Vec::new();
    for item in items.iter().flat_map(|items| items.iter()) {
        if machine.apply(rule, item)?.is_truthy() {
            kept.push(item.clone());
        }
    }
    Ok(kept)
}

fn reduce(
    machine: &mut Evaluator<'_>,
    given: &[Value],
    data: &Value,
) -> Result<Value, RuleFailure> {
    let (items, rule) = items(machine, given, data)?;
    let mut value = match given.get(2) {
        Some(first) => machine.apply(first, data)?,
        None => Value::Null,
    };
    let (current, accumulator) = (Arc::from("current"), Arc::from("accumulator"));
    for item in items.iter().flat_map(|items| items.iter()) {
        let pair = vec![(Arc::clone(&current), item.clone()), (Arc::clone(&accumulator), value)];
        let pair = machine.record(pair)?;
        value = machine.apply(rule, &pair)?;
    }
    Ok(value)
}

fn all(machine: &mut Evaluator<'_>, given: &[Value], data: &Value) -> Result<Value, RuleFailure> {
    let (items, rule) = items(machine, given, data)?;
    let Some(items) = items.filter(|items| !items.is_empty()) else {
        return Ok(Value::Bool(false));
    };
    for item in items.iter() {
        if !machine.apply(rule, item)?.is_truthy() {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}
