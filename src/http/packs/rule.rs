//! One rule by itself.

use axum::extract::{Request, State};
use axum::response::Response;

use crate::http::answer::json;
use crate::http::body;
use crate::http::job::work;
use crate::http::problem::Problem;
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
        (status = OK, description = "What the rule comes to", body = RuleValue),
        (status = "4XX", description = "The rule uses operators that there are not"),
    ),
)]
pub(crate) async fn evaluate_rule(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let received = body::read(&state, request).await?;
    let told = work(&state, received, |services, text| {
        let evaluated = packs::evaluate(services, text)?;
        Ok(tell(&evaluated, services.allowance()).map_err(StopReason::from)?)
    });
    Ok(json(told.await?))
}

/// The answer as text: values of rules are no values of a JSON library.
fn tell(evaluated: &packs::RuleResult, allowance: &Allowance) -> Result<String, AllowanceExceeded> {
    let mut written = PaidText::new(allowance);
    written.push_str("{\"value\":")?;
    let mut unsure = evaluated.unsure.as_ref().map(|unsure| (unsure.reason, unsure.path.clone()));
    let mut kind = None;
    match &evaluated.value {
        Ok(value) => {
            value.write(&mut written)?;
            kind = special(value);
        }
        Err(failure) => {
            written.push_str("null")?;
            unsure = Some((failure.reason(), None));
        }
    }
    let mut out = written.into_string();
    out.push_str(",\"holds\":");
    let holds = evaluated.value.as_ref().is_ok_and(Value::is_truthy);
    out.push_str(if holds { "true" } else { "false" });
    if let Some(kind) = kind {
        out.push_str(",\"special\":");
        write_string(&mut out, kind);
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

/// What a value is that JSON cannot hold.
fn special(value: &Value) -> Option<&'static str> {
    match value {
        Value::Undefined => Some("undefined"),
        Value::Number(number) if number.is_nan() => Some("NaN"),
        Value::Number(number) if number.is_infinite() && *number > 0.0 => Some("Infinity"),
        Value::Number(number) if number.is_infinite() => Some("-Infinity"),
        _ => None,
    }
}
