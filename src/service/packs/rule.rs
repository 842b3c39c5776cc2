//! One rule on one set of facts, by itself.

use super::Refused;
use crate::json::{self, Fault, Faults, Fields, Limits, Path};
use crate::policy::{self, Effort, Failure, Trouble, TroubleKind, Unsure, Value};
use crate::service::{Error, Services};

/// What a rule came to.
#[derive(Debug)]
pub struct Evaluated {
    /// None where it has no value that can be told.
    pub value: Result<Value, Failure>,
    pub unsure: Option<Unsure>,
}

/// Evaluates the rule in `body`: `{"rule", "data"?}`.
pub fn evaluate(_services: &Services, body: &str) -> Result<Evaluated, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let fields = Fields::of(&node, Path::Root, &["rule", "data"], &mut faults);
    // Null is a rule, and a set of facts.
    let rule = fields.and_then(|fields| fields.node().get("rule"));
    if rule.is_none() && fields.is_some() {
        faults.add(&Path::Root.key("rule"), "is missing");
    }
    let Some(rule) = rule.filter(|_| faults.is_empty()) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    let rule = Value::of(rule);
    let data = node.get("data").map_or(Value::Null, Value::of);
    let outcome = policy::evaluate(&rule, &data, &mut Effort::default());
    if let Err(Failure::Operator(_)) = &outcome.value {
        let unknown = |trouble: Trouble| match trouble.kind {
            TroubleKind::Operator(name) => Some(Fault {
                pointer: format!("/rule{}", trouble.pointer),
                detail: format!("there is no operator `{name}`"),
                did_you_mean: None,
            }),
            _ => None,
        };
        let found = policy::check(&rule, Faults::MOST);
        return Err(Refused::Operators(found.into_iter().filter_map(unknown).collect()).into());
    }
    Ok(Evaluated { value: outcome.value, unsure: outcome.unsure })
}
