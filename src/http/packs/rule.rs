//! Evaluates one rule, without a pack.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::http::body;
use crate::http::job::work;
use crate::http::problem::Problem;
use crate::http::response::respond_json;
use crate::http::schema::{RuleRequest, RuleValue};
use crate::http::state::AppState;
use crate::json::write_string;
use crate::limit::{Allowance, AllowanceExceeded, PaidText};
use crate::pipeline::StopReason;
use crate::policy::Value;
use crate::service::packs;

/// Evaluate a rule
///
/// One rule on one set of facts, as a compile does it: the value, and whether facts were missing
/// for a comparison or a sum on the way.
#[utoipa::path(
    post,
    path = "/policy/evaluate",
    tag = "packs",
    operation_id = "evaluate_rule",
    request_body = RuleRequest,
    responses(
        (status = OK, description = "The value of the rule", body = RuleValue),
        (status = "4XX", description = "The rule uses operators that there are not"),
    ),
)]
pub(crate) async fn evaluate_rule(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let input = body::read(&state, request).await?;
    let text = work(&state, input, |services, text| {
        let evaluated = packs::evaluate(services, text)?;
        Ok(write_result(&evaluated, services.allowance()).map_err(StopReason::from)?)
    });
    Ok(respond_json(text.await?))
}

/// Writes the response as text, because values of rules include some that JSON libraries do not
/// have.
fn write_result(
    evaluated: &packs::RuleResult,
    allowance: &Allowance,
) -> Result<String, AllowanceExceeded> {
    let mut paid = PaidText::new(allowance);
    paid.push_str("{\"value\":")?;
    let mut unsure = evaluated.unsure.as_ref().map(|unsure| (unsure.reason, unsure.path.clone()));
    let mut special = None;
    match &evaluated.value {
        Ok(value) => {
            value.write(&mut paid)?;
            special = special_name(value);
        }
        Err(failure) => {
            paid.push_str("null")?;
            unsure = Some((failure.reason(), None));
        }
    }
    let mut out = paid.into_string();
    out.push_str(",\"holds\":");
    let holds = evaluated.value.as_ref().is_ok_and(Value::is_truthy);
    out.push_str(if holds { "true" } else { "false" });
    if let Some(special) = special {
        out.push_str(",\"special\":");
        write_string(&mut out, special);
    }
    out.push_str(",\"indeterminate\":");
    match unsure {
        None => out.push_str("null"),
        Some((reason, path)) => {
            out.push_str("{\"reason\":");
            write_string(&mut out, reason);
            if let Some(path) = path {
                out.push_str(",\"path\":");
                write_string(&mut out, &path);
            }
            out.push('}');
        }
    }
    out.push('}');
    Ok(out)
}

/// Names a value that JSON does not have.
fn special_name(value: &Value) -> Option<&'static str> {
    match value {
        Value::Undefined => Some("undefined"),
        Value::Number(number) if number.is_nan() => Some("NaN"),
        Value::Number(number) if number.is_infinite() && *number > 0.0 => Some("Infinity"),
        Value::Number(number) if number.is_infinite() => Some("-Infinity"),
        _ => None,
    }
}
