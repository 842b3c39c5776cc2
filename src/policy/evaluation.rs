//! Evaluates one rule on one set of facts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{RecordMember, Value, js, scoped_operators};
use crate::limit::{Deadline, StopReason};

/// The result of a rule.
#[derive(Debug)]
pub struct Evaluation {
    pub value: Result<Value, RuleFailure>,
    /// The first place at which facts were missing for a comparison, a search or a sum; a value that
    /// depends on it is uncertain.
    pub unsure: Option<Uncertainty>,
    /// The facts that were read, by their paths; null if they are missing. The empty path is all of
    /// them.
    pub reads: BTreeMap<Arc<str>, Value>,
}

/// Why a rule has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleFailure {
    #[error("there is no operator `{0}`")]
    Operator(Arc<str>),
    #[error("the operator `{0}` cannot work on what it was given")]
    Given(&'static str),
    #[error("operators, or the values that they make, are nested more than {MAX_DEPTH} deep")]
    Depth,
    #[error(
        "it takes more than {MAX_OPERATIONS} operations, or goes through or makes more than \
         {MAX_WORK_UNITS} items and bytes"
    )]
    Budget,
    /// The request has to stop.
    #[error(transparent)]
    Stopped(#[from] StopReason),
}

impl RuleFailure {
    /// The reason in a word.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Operator(_) | Self::Given(_) => "error",
            Self::Depth => "depth",
            Self::Budget => "budget",
            Self::Stopped(_) => "stopped",
        }
    }
}

/// A comparison, a search or a sum that met a missing fact, or something else than a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncertainty {
    /// `missing`, `not_a_number` or `not_finite`.
    pub reason: &'static str,
    /// The path that was read there by `var`, if it was.
    pub path: Option<Arc<str>>,
}

/// Work that all rules of one request may do together, in items and bytes: a pack has hundreds of
/// them.
#[derive(Debug)]
pub struct RuleBudget<'d> {
    left: usize,
    /// Asked while a rule is evaluated.
    deadline: &'d Deadline,
}

impl<'d> RuleBudget<'d> {
    pub fn new(deadline: &'d Deadline) -> Self {
        Self { left: 16 * MAX_WORK_UNITS, deadline }
    }
}

/// Evaluates a rule, and takes what it does from the effort of all of them.
pub fn evaluate<'d>(rule: &Value, data: &'d Value, effort: &mut RuleBudget<'d>) -> Evaluation {
    let max_work = effort.left.min(MAX_WORK_UNITS);
    let deadline = effort.deadline;
    let mut machine = Evaluator {
        depth: 0,
        operations: 0,
        work: 0,
        unasked: 0,
        max_work,
        deadline,
        facts: data,
        unsure: None,
        reads: BTreeMap::new(),
    };
    let value = machine.apply(rule, data);
    effort.left = effort.left.saturating_sub(machine.work);
    Evaluation { value, unsure: machine.unsure, reads: machine.reads }
}

pub(super) struct Evaluator<'d> {
    depth: usize,
    operations: usize,
    work: usize,
    /// Work since the deadline was asked.
    unasked: usize,
    deadline: &'d Deadline,
    max_work: usize,
    facts: &'d Value,
    pub(super) unsure: Option<Uncertainty>,
    reads: BTreeMap<Arc<str>, Value>,
}

/// Operators inside one another; also lists and records inside one another in a value that a rule
/// makes: writing and dropping a value takes stack by its depth.
const MAX_DEPTH: usize = 64;
const MAX_OPERATIONS: usize = 10_000;
/// Items and bytes that one rule may go through or make.
const MAX_WORK_UNITS: usize = 4_000_000;
/// Work that each item of a list or record costs that is made: it takes memory.
const MADE_ITEM_WORK: usize = 8;
/// Work after which the deadline is asked.
const MAX_WORK_UNASKED: usize = 1 << 16;
/// Work of an operation that counts for asking the deadline.
const OPERATION_WORK: usize = 256;

impl Evaluator<'_> {
    pub(super) fn apply(&mut self, rule: &Value, data: &Value) -> Result<Value, RuleFailure> {
        match rule {
            Value::List(rules) => {
                let values = self.apply_all(rules, data)?;
                self.list(values)
            }
            Value::Record(members) => match &**members {
                [(name, given)] => {
                    self.operations += 1;
                    if self.operations > MAX_OPERATIONS {
                        return Err(RuleFailure::Budget);
                    }
                    self.ask(OPERATION_WORK)?;
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return Err(RuleFailure::Depth);
                    }
                    let given = match given {
                        Value::List(items) => items,
                        one => std::slice::from_ref(one),
                    };
                    let value = self.operate(name, given, data)?;
                    self.depth -= 1;
                    Ok(value)
                }
                _ => Ok(rule.clone()),
            },
            _ => Ok(rule.clone()),
        }
    }

    /// Accounts for items or bytes.
    pub(super) fn work(&mut self, amount: usize) -> Result<(), RuleFailure> {
        self.work = self.work.saturating_add(amount);
        if self.work > self.max_work {
            return Err(RuleFailure::Budget);
        }
        self.ask(amount)
    }

    /// Asks the deadline, if enough was done.
    fn ask(&mut self, amount: usize) -> Result<(), RuleFailure> {
        self.unasked = self.unasked.saturating_add(amount);
        if self.unasked > MAX_WORK_UNASKED {
            self.unasked = 0;
            self.deadline.check()?;
        }
        Ok(())
    }

    /// A list that was made.
    pub(super) fn list(&mut self, items: Vec<Value>) -> Result<Value, RuleFailure> {
        self.charge_items(items.len())?;
        shallow(Value::list(items))
    }

    /// A record that was made.
    pub(super) fn record(&mut self, members: Vec<RecordMember>) -> Result<Value, RuleFailure> {
        self.charge_items(members.len())?;
        shallow(Value::record(members))
    }

    fn charge_items(&mut self, items: usize) -> Result<(), RuleFailure> {
        self.work(items.saturating_add(1).saturating_mul(MADE_ITEM_WORK))
    }

    /// Accounts for the texts of values, before any of them is made or read.
    pub(super) fn read_texts<'v>(
        &mut self,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> Result<(), RuleFailure> {
        values.into_iter().try_for_each(|value| match value {
            Value::Text(_) | Value::List(_) => self.work(value.text_bytes()),
            _ => Ok(()),
        })
    }

    /// Charges for comparing two values. Texts of different lengths differ, and lists and records
    /// are compared by identity.
    fn compare_cost(&mut self, a: &Value, b: &Value) -> Result<(), RuleFailure> {
        match (a, b) {
            (Value::Text(a), Value::Text(b)) if a.len() != b.len() => Ok(()),
            (Value::Text(text), Value::Text(_)) => self.work(text.len()),
            (Value::List(_) | Value::Record(_), Value::List(_) | Value::Record(_)) => Ok(()),
            _ => self.read_texts([a, b]),
        }
    }

    fn apply_all(&mut self, rules: &[Value], data: &Value) -> Result<Vec<Value>, RuleFailure> {
        // Literals are no operations: without this a list of them would be free in every round.
        self.work(rules.len())?;
        rules.iter().map(|rule| self.apply(rule, data)).collect()
    }

    fn operate(
        &mut self,
        name: &Arc<str>,
        given: &[Value],
        data: &Value,
    ) -> Result<Value, RuleFailure> {
        if let Some(value) = scoped_operators::operate(self, name, given, data) {
            return value;
        }
        let values = self.apply_all(given, data)?;
        let [a, b, c] = [0, 1, 2].map(|at| values.get(at).unwrap_or(&Value::Undefined));
        Ok(match &**name {
            "var" => self.var(values.first(), values.get(1), data)?,
            "missing" => self.missing(&values, data)?,
            "missing_some" => self.missing_some(a, b, data)?,
            "==" | "!=" | "===" | "!==" => {
                // A comparison with a literal null asks whether the fact is missing.
                if !given.iter().any(|operand| matches!(operand, Value::Null)) {
                    self.doubt_missing([a, b], given);
                }
                Value::Bool(self.equals(name, a, b)?)
            }
            "!" => Value::Bool(!a.is_truthy()),
            "!!" => Value::Bool(a.is_truthy()),
            ">" | ">=" | "<" | "<=" => self.compare(name, [a, b, c], given)?,
            "max" | "min" | "+" | "-" | "*" | "/" | "%" => self.reckon(name, &values, given)?,
            "merge" => self.merge(&values)?,
            "in" => {
                self.doubt_missing([a, b], given);
                self.is_in(a, b)?
            }
            "cat" => self.cat(&values)?,
            "substr" => {
                self.read_texts(&values)?;
                Value::text(js::substr(a, b, values.get(2)))
            }
            // Returns its argument, and prints nothing.
            "log" => a.clone(),
            _ => return Err(RuleFailure::Operator(Arc::clone(name))),
        })
    }

    fn equals(&mut self, name: &str, a: &Value, b: &Value) -> Result<bool, RuleFailure> {
        self.compare_cost(a, b)?;
        let equal = if name.len() == "==".len() { js::is_alike(a, b) } else { js::is_same(a, b) };
        Ok(equal != name.starts_with('!'))
    }

    fn var(
        &mut self,
        path: Option<&Value>,
        instead: Option<&Value>,
        data: &Value,
    ) -> Result<Value, RuleFailure> {
        let path = match path {
            None | Some(Value::Undefined | Value::Null) => "".into(),
            Some(path) => {
                self.work(path.text_bytes())?;
                js::text(path)
            }
        };
        let found = self.find(&path, data)?;
        if std::ptr::eq(data, self.facts) {
            self.reads.insert(path, found.clone().unwrap_or(Value::Null));
        }
        Ok(match (found, instead) {
            (Some(found), _) => found,
            (None, None | Some(Value::Undefined)) => Value::Null,
            (None, Some(value)) => value.clone(),
        })
    }

    /// The value at a path; none if there is none.
    fn find(&mut self, path: &str, data: &Value) -> Result<Option<Value>, RuleFailure> {
        if path.is_empty() {
            return Ok(Some(data.clone()));
        }
        let mut found = Cow::Borrowed(data);
        for name in path.split('.') {
            self.work(found.search_cost(name))?;
            let next = match &found {
                Cow::Borrowed(value) => value.at(name),
                Cow::Owned(value) => value.at(name).map(|value| Cow::Owned(value.into_owned())),
            };
            match next {
                Some(value) => found = value,
                None => return Ok(None),
            }
        }
        Ok(Some(found.into_owned()).filter(|found| !matches!(found, Value::Undefined)))
    }

    fn missing(&mut self, values: &[Value], data: &Value) -> Result<Value, RuleFailure> {
        let names = match values.first() {
            Some(Value::List(names)) => names,
            _ => values,
        };
        self.work(names.len())?;
        let mut missing = Vec::new();
        for name in names {
            let found = self.var(Some(name), None, data)?;
            if matches!(&found, Value::Null) || matches!(&found, Value::Text(t) if t.is_empty()) {
                missing.push(name.clone());
            }
        }
        self.list(missing)
    }

    fn missing_some(
        &mut self,
        need: &Value,
        names: &Value,
        data: &Value,
    ) -> Result<Value, RuleFailure> {
        self.read_texts([need, names])?;
        let all = match names {
            Value::List(names) => names.len(),
            Value::Text(text) => text.encode_utf16().count(),
            _ => return Err(RuleFailure::Given("missing_some")),
        };
        let missing = self.missing(std::slice::from_ref(names), data)?;
        let Value::List(lacking) = &missing else { return Ok(missing) };
        let Value::Number(there) = Value::count(all.saturating_sub(lacking.len())) else {
            return Ok(missing);
        };
        Ok(if there >= js::number(need) { Value::list(Vec::new()) } else { missing })
    }

    fn merge(&mut self, values: &[Value]) -> Result<Value, RuleFailure> {
        let mut merged = Vec::new();
        for value in values {
            match value {
                Value::List(items) => {
                    // Charged one by one: the whole may exceed the limit.
                    self.charge_items(items.len())?;
                    merged.extend(items.iter().cloned());
                }
                other => merged.push(other.clone()),
            }
        }
        self.list(merged)
    }

    fn is_in(&mut self, a: &Value, b: &Value) -> Result<Value, RuleFailure> {
        Ok(Value::Bool(match b {
            Value::List(items) => {
                self.work(items.len())?;
                for item in items.iter() {
                    self.compare_cost(item, a)?;
                    if js::is_same(item, a) {
                        return Ok(Value::Bool(true));
                    }
                }
                false
            }
            Value::Text(text) => {
                self.read_texts([a, b])?;
                !text.is_empty() && text.contains(&*js::text(a))
            }
            _ => false,
        }))
    }

    fn cat(&mut self, values: &[Value]) -> Result<Value, RuleFailure> {
        self.read_texts(values)?;
        Ok(Value::text(js::join(values, "")))
    }
}

/// The value, if it is not nested too deep.
fn shallow(value: Value) -> Result<Value, RuleFailure> {
    if value.depth() > MAX_DEPTH { Err(RuleFailure::Depth) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_share_what_they_may_do_together() {
        let text = Value::text("a".repeat(MAX_WORK_UNITS - 100));
        let cat = Value::record(vec![("cat".into(), text)]);
        let deadline = Deadline::default();
        let mut effort = RuleBudget::new(&deadline);
        let done = (0..20).map(|_| evaluate(&cat, &Value::Null, &mut effort).value.is_ok());
        assert_eq!(done.filter(|done| *done).count(), 16);
    }

    fn list(length: usize, item: &Value) -> Value {
        Value::list(vec![item.clone(); length])
    }

    #[test]
    fn operands_that_are_no_operators_are_paid_for_in_every_round() {
        for name in ["if", "and", "or"] {
            let operand = Value::Bool(name == "and");
            let rule = Value::record(vec![(name.into(), list(10_000, &operand))]);
            let each = Value::record(vec![("var".into(), Value::text("items"))]);
            let map = Value::record(vec![("map".into(), Value::list(vec![each, rule]))]);
            let data = Value::record(vec![("items".into(), list(1_000, &Value::Null))]);
            let deadline = Deadline::default();
            let evaluated = evaluate(&map, &data, &mut RuleBudget::new(&deadline));
            assert!(matches!(evaluated.value, Err(RuleFailure::Budget)), "{name}");
        }
    }

    #[test]
    fn a_rule_ends_with_the_caller() {
        let deadline = Deadline::default();
        deadline.cancel();
        let cat =
            Value::record(vec![("cat".into(), Value::text("a".repeat(MAX_WORK_UNASKED + 1)))]);
        let negation = Value::record(vec![("!".into(), Value::Null)]);
        for rule in [cat, list(MAX_WORK_UNASKED / OPERATION_WORK + 1, &negation)] {
            let evaluated = evaluate(&rule, &Value::Null, &mut RuleBudget::new(&deadline));
            let stopped = RuleFailure::Stopped(StopReason::Cancelled);
            assert_eq!(evaluated.value.err(), Some(stopped));
        }
    }
}
