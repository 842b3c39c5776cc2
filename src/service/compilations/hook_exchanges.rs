//! What hooks of a recorded compile were sent, and what queued calls returned.

use serde_json::{Value, json};

use super::unless_damaged;
use crate::service::record::{RecordPlan, input_plans};
use crate::service::{Error, Services};
use crate::store::HookResponse;

/// The texts that a full record has of its hooks in addition to its own body.
#[derive(Debug, Default)]
pub(super) struct HookExchanges {
    /// JSON texts of the inputs, one for each hook of the record; none if nothing was sent, or if it is
    /// no longer stored.
    inputs: Vec<Option<String>>,
    responses: Vec<HookResponse>,
}

impl HookExchanges {
    /// Reads the texts of a record with these runs, which are JSON text.
    pub(super) fn read(services: &Services, id: &str, runs: &str) -> Result<Self, Error> {
        let tenant = services.tenant();
        let mut inputs = Vec::new();
        let mut is_damaged = false;
        for hash in input_plans(runs) {
            let plan = hash.map_or(Ok(None), |hash| RecordPlan::read(&tenant, hash));
            let Some(plan) = unless_damaged(plan, &mut is_damaged)? else {
                inputs.push(None);
                continue;
            };
            services.reserve_work(plan.bytes(&tenant)?)?;
            inputs.push(unless_damaged(plan.put_together(&tenant), &mut is_damaged)?);
        }
        let responses = tenant.read(|tx| tx.hook_responses(id))?;
        Ok(Self { inputs, responses })
    }

    /// Adds the members `input` and `delivery` to the hooks of the record.
    pub(super) fn put_into(&self, hooks: &mut Value) {
        let hooks = hooks.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut);
        for (index, hook) in hooks.enumerate() {
            let input = self.inputs.get(index).cloned().flatten();
            let is_of =
                |name: &str, value: &str| hook.get(name).and_then(Value::as_str) == Some(value);
            let occurrence = hook.get("occurrence").and_then(Value::as_u64);
            let response = self.responses.iter().find(|response| {
                is_of("hook", &response.hook)
                    && is_of("point", &response.point)
                    && is_of("outcome", "queued")
                    && occurrence == Some(response.occurrence.into())
            });
            let delivery = response.map(|response| {
                json!({
                    "id": &*response.delivery,
                    "attempt": response.number,
                    "at": response.at,
                    "status": response.status,
                    "response": response.response.as_deref(),
                })
            });
            hook.insert("input".to_owned(), input.into());
            hook.insert("delivery".to_owned(), delivery.into());
        }
    }
}
