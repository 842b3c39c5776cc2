//! Evaluates a single rule on a set of facts.

use crate::json::{self, Fault, Faults, Fields, Limits, Path};
use crate::policy::{self, RuleBudget, RuleFailure, RuleFault, RuleFaultKind, Uncertainty, Value};
use crate::service::PackRefusal;
use crate::service::{Error, Services};

/// Result of evaluating a rule.
#[derive(Debug)]
pub struct RuleResult {
    /// The value, or the reason why there is none.
    pub value: Result<Value, RuleFailure>,
    pub unsure: Option<Uncertainty>,
}

/// Evaluates the rule in `body`: `{"rule", "data"?}`.
pub fn evaluate(services: &Services, body: &str) -> Result<RuleResult, Error> {
    let node = json::parse(body, Limits::default())?;
    let mut faults = Faults::default();
    let fields = Fields::read(&node, Path::Root, &["rule", "data"], &mut faults);
    // Null is a valid rule and a valid set of facts, so the node itself is read.
    let rule = fields.and_then(|fields| fields.node().get("rule"));
    if rule.is_none() && fields.is_some() {
        faults.add(&Path::Root.key("rule"), "is missing");
    }
    let Some(rule) = rule.filter(|_| faults.is_empty()) else {
        return Err(Error::Invalid(faults.into_vec()));
    };
    let rule = Value::from_node(rule);
    let data = node.get("data").map_or(Value::Null, Value::from_node);
    let outcome = policy::evaluate(&rule, &data, &mut RuleBudget::new(services.deadline()));
    if let Err(RuleFailure::Stopped(stop)) = outcome.value {
        return Err(stop.into());
    }
    if let Err(RuleFailure::Operator(_)) = &outcome.value {
        let unknown = |trouble: RuleFault| match trouble.kind {
            RuleFaultKind::Operator(name) => Some(Fault {
                pointer: format!("/rule{}", trouble.pointer),
                detail: format!("there is no operator `{name}`"),
                did_you_mean: None,
            }),
            _ => None,
        };
        let found = policy::check(&rule, Faults::MAX_FAULTS);
        return Err(PackRefusal::Operators(found.into_iter().filter_map(unknown).collect()).into());
    }
    Ok(RuleResult { value: outcome.value, unsure: outcome.unsure })
}
