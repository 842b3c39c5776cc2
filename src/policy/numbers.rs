//! Operators on numbers, and the uncertainty that is recorded if they get something else.

use std::sync::Arc;

use super::evaluation::{Evaluator, RuleFailure, Uncertainty};
use super::{Value, js};

impl Evaluator<'_> {
    pub(super) fn compare(
        &mut self,
        name: &str,
        [a, b, c]: [&Value; 3],
        given: &[Value],
    ) -> Result<Value, RuleFailure> {
        self.read_texts([a, b, c])?;
        let both = |a: &Value, b: &Value| match (name, js::order(a, b)) {
            (_, None) => false,
            (">", Some(order)) => order.is_gt(),
            (">=", Some(order)) => order.is_ge(),
            ("<", Some(order)) => order.is_lt(),
            (_, Some(order)) => order.is_le(),
        };
        let between = name.starts_with('<') && !matches!(c, Value::Undefined);
        let compared = if between { &[a, b, c][..] } else { &[a, b][..] };
        let texts = compared.iter().all(|value| matches!(value, Value::Text(_)));
        if !texts {
            for (at, value) in compared.iter().enumerate() {
                self.doubt(value, given.get(at));
            }
        }
        Ok(Value::Bool(both(a, b) && (!between || both(b, c))))
    }

    pub(super) fn reckon(
        &mut self,
        name: &str,
        values: &[Value],
        given: &[Value],
    ) -> Result<Value, RuleFailure> {
        self.read_texts(values)?;
        for (at, value) in values.iter().enumerate() {
            self.doubt(value, given.get(at));
        }
        let numbers = values.iter().map(js::number);
        let [a, b] = [0, 1].map(|at| values.get(at).unwrap_or(&Value::Undefined));
        let number = match name {
            "max" => numbers.fold(f64::NEG_INFINITY, |most, one| {
                if most.is_nan() || one.is_nan() { f64::NAN } else { most.max(one) }
            }),
            "min" => numbers.fold(f64::INFINITY, |least, one| {
                if least.is_nan() || one.is_nan() { f64::NAN } else { least.min(one) }
            }),
            "+" => values.iter().map(js::parse_float).fold(0.0, |sum, one| sum + one),
            "*" => match values {
                [] => return Err(RuleFailure::Given("*")),
                // A single factor is returned unchanged.
                [one] => return Ok(one.clone()),
                all => all.iter().map(js::parse_float).product(),
            },
            "-" if matches!(b, Value::Undefined) => -js::number(a),
            "-" => js::number(a) - js::number(b),
            "/" => js::number(a) / js::number(b),
            _ => js::number(a) % js::number(b),
        };
        if !number.is_finite() && self.unsure.is_none() {
            self.unsure = Some(Uncertainty { reason: "not_finite", path: None });
        }
        Ok(Value::Number(number))
    }

    /// Notes facts that are missing, or null, where `var` reads them without a default.
    pub(super) fn doubt_missing<const N: usize>(&mut self, values: [&Value; N], given: &[Value]) {
        for (value, operand) in values.into_iter().zip(given) {
            let is_missing = matches!(value, Value::Null) && reads_fact(operand);
            if is_missing && self.unsure.is_none() {
                self.unsure = Some(Uncertainty { reason: "missing", path: path_of(operand) });
            }
        }
    }

    /// Notes that a number was wanted and something else was there.
    fn doubt(&mut self, value: &Value, given: Option<&Value>) {
        let reason = match value {
            Value::Number(number) if number.is_finite() => return,
            Value::Number(_) => "not_finite",
            Value::Text(text) if !text.trim().is_empty() && js::number(value).is_finite() => return,
            Value::Undefined | Value::Null => "missing",
            _ => "not_a_number",
        };
        if self.unsure.is_none() {
            self.unsure = Some(Uncertainty { reason, path: given.and_then(path_of) });
        }
    }
}

/// Whether an operand reads a fact and has no default for it.
fn reads_fact(operand: &Value) -> bool {
    let Value::Record(members) = operand else { return false };
    match &**members {
        [(name, Value::List(given))] => &**name == "var" && given.len() <= 1,
        [(name, _)] => &**name == "var",
        _ => false,
    }
}

/// Bytes of a path that is reported.
const MAX_PATH_BYTES: usize = 200;

/// The path that a `var` reads.
fn path_of(rule: &Value) -> Option<Arc<str>> {
    let Value::Record(members) = rule else { return None };
    let [(name, given)] = &**members else { return None };
    let path = match given {
        Value::List(items) => items.first()?,
        path => path,
    };
    (&**name == "var" && path.text_bytes() <= MAX_PATH_BYTES).then(|| js::text(path))
}
