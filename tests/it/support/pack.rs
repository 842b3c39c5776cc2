//! Packs, run contexts and requests for tests.

use serde_json::{Value, json};

/// A pack of one intent `x`, with no rules, no tools and nothing to say.
pub fn minimal() -> Value {
    json!({
        "contract_meta": {"contract_name": "context-pack", "contract_version": "2.0.0", "issuer": "t",
            "created_at": "2026-01-01T00:00:00Z", "compatibility": {"requires": {}}},
        "pack_meta": {"pack_id": "min", "pack_version": "1.0.0", "tenant": "tenant_min",
            "environment_defaults": {}, "ttl_seconds": 0, "data_classification": "CONFIDENTIAL"},
        "intelligence_refs": {"ontology": {"namespace": "n", "version": "1.0.0",
            "entity_types": [], "relationship_types": []}, "identity": {"ceid_namespaces": []}},
        "business_context": {"summary": "Nothing.", "non_negotiables": []},
        "policy_layer": {"policy_bundles": [], "approval_gates": [],
            "guardrails": {"must_refuse": [], "must_escalate": [], "redaction_rules": []}},
        "tooling_layer": {"adapter_registry": [], "permissions": []},
        "decision_layer": {"decision_specs": []},
        "memory_layer": {"tiers": {"working": {}, "episodic": {}, "semantic": {}, "durable": {}},
            "write_classes": [], "consent_required": false,
            "promotion": {"min_confidence": 0.8, "auto_promote_classes": []}},
        "evaluation_layer": {"eval_targets": []},
        "tone_and_comms": {},
        "intent_layer": {"catalog": [{"id": "x", "intent_class": "c", "task_id": "t"}]}
    })
}

/// A rule of a bundle.
pub fn rule(id: &str, intent: &str, condition: &Value, then: &Value) -> Value {
    let mut rule = json!({"rule_id": id, "if": condition, "then": then, "rationale": "Why."});
    if !intent.is_empty() {
        rule["applies_to"] = json!({"intent": intent});
    }
    rule
}

pub fn bundle(id: &str, priority: i64, rules: &[Value]) -> Value {
    json!({"bundle_id": id, "version": "1", "priority": priority,
        "policy_dsl": {"language": "jsonlogic", "rules": rules}})
}

/// A capability of an adapter of its own, with leave to use it.
fn adapter(adapter: &str, capability: &str, mode: &str, schema: &str) -> (Value, Value) {
    (
        json!({"adapter_id": adapter, "type": "OPENAPI", "endpoint_ref": format!("internal://{adapter}"),
            "schema_ref": schema, "capabilities": [{"id": capability, "approval_mode": mode}]}),
        json!({"permission_id": format!("p_{adapter}"), "adapter_id": adapter,
            "capability": capability, "allow": true}),
    )
}

fn with_tools(pack: &mut Value, rows: &[(&str, &str, &str, &str)]) {
    let (adapters, permissions): (Vec<_>, Vec<_>) =
        rows.iter().map(|(a, c, mode, schema)| adapter(a, c, mode, schema)).unzip();
    pack["tooling_layer"] = json!({"adapter_registry": adapters, "permissions": permissions});
}

/// On-call work on database clusters: restoring in production needs a second engineer.
#[expect(clippy::too_many_lines, reason = "a document")]
pub fn dbops() -> Value {
    let mut pack = minimal();
    pack["contract_meta"]["compatibility"]["requires"] =
        json!({"runtime": ">=1.0.0", "ontology": ">=3.1.0"});
    pack["pack_meta"] = json!({"pack_id": "pack.dbops", "pack_version": "1.4.0",
        "tenant": "tenant_northwind", "environment_defaults": {"region": "eu-north"},
        "ttl_seconds": 900, "data_classification": "CONFIDENTIAL"});
    pack["intelligence_refs"]["ontology"]["version"] = "3.2.0".into();
    pack["intelligence_refs"]["graph_snapshot"] = json!({"rule": "pinned"});
    pack["business_context"]["non_negotiables"] = json!(["A healthy primary stays as it is."]);
    pack["intent_layer"]["catalog"] = json!([
        {"id": "ops.db.inspect", "intent_class": "ops_low_risk", "task_id": "task_inspect_cluster",
         "risk_class": "read_only", "accepted_channels": ["chat", "cli"]},
        {"id": "ops.db.restore", "intent_class": "ops_high_risk", "task_id": "task_restore_snapshot",
         "risk_class": "destructive", "accepted_channels": ["cli"]}]);
    let restore = "ops.db.restore";
    let context = |name: &str| json!({"var": format!("request.context.{name}")});
    pack["policy_layer"]["policy_bundles"] = json!([
        bundle(
            "PB_OPS_SAFETY",
            100,
            &[
                rule(
                    "R_NO_RESTORE_ON_HEALTHY",
                    restore,
                    &json!({"===": [context("cluster_state"), "healthy"]}),
                    &json!({"allow": false, "targets": ["adp_db.restore_snapshot"]})
                ),
                {
                    let mut rule = rule(
                        "R_PROD_RESTORE_TWO_PERSON",
                        restore,
                        &json!({"===": [context("environment"), "production"]}),
                        &json!({"allow": true, "requires": ["approval", "snapshot_verification"],
                        "requires_approval_gate": "GATE_SECOND_ENGINEER"}),
                    );
                    rule["decision_binding"] = "ops.db.restore.execute".into();
                    rule
                }
            ]
        ),
        bundle(
            "PB_OPS_HYGIENE",
            10,
            &[
                rule(
                    "R_CONTRACTORS_NO_PAGING",
                    "",
                    &json!({"===": [{"var": "user.role"}, "contractor"]}),
                    &json!({"allow": true, "forbids": ["adp_paging.notify"]})
                ),
                rule(
                    "R_LARGE_SNAPSHOT_REVIEW",
                    restore,
                    &json!({">": [context("snapshot_gb"), 500]}),
                    &json!({"allow": true, "requires": ["capacity_check"]})
                )
            ]
        )
    ]);
    pack["policy_layer"]["guardrails"]["redaction_rules"] = json!(["email",
        {"id": "host_ip", "regex": "\\b(?:[0-9]{1,3}\\.){3}[0-9]{1,3}\\b"}]);
    pack["policy_layer"]["approval_gates"] = json!([{"gate_id": "GATE_SECOND_ENGINEER",
        "required_approver_role": "sre_lead", "expires_in_seconds": 900,
        "applies_to": {"capabilities": ["adp_db.restore_snapshot"]}}]);
    with_tools(
        &mut pack,
        &[
            ("adp_metrics", "query", "read_only", "schema://metrics.v2"),
            ("adp_runbook", "annotate", "local_write", "schema://runbook.v1"),
            ("adp_paging", "notify", "network", "schema://paging.v1"),
            ("adp_db", "restore_snapshot", "destructive", "schema://db.v4"),
        ],
    );
    pack["decision_layer"]["decision_specs"] = json!([{"decision_key": "ops.db.restore.execute",
        "version": "1.0.0", "owner_role": "sre_lead",
        "required_evidence": ["snapshot_verification", "capacity_check"],
        "allowed_outcomes": ["restored", "declined"], "approval_mode": "destructive"}]);
    pack["memory_layer"]["tiers"] = json!({"working": {"ttl_seconds": 3600},
        "episodic": {"ttl_seconds": 172_800}, "semantic": {}, "durable": {}});
    pack["memory_layer"]["write_classes"] = json!(["correction", "decision_outcome"]);
    pack["memory_layer"]["recall_policy"] = json!({"max_per_intent": 4});
    pack["evaluation_layer"]["eval_targets"] = json!([{"intent": restore, "safety": 0.99}]);
    pack["tone_and_comms"] = json!({"voice": "terse", "do": ["Name clusters."],
        "dont": ["Guess at causes."],
        "system_blocks": [{"kind": "role", "text": "You help whoever is on call for the databases.",
            "priority": 100, "required": true}],
        "developer_blocks": [{"kind": "format", "text": "Number your steps.", "priority": 50}]});
    pack["budget_layer"] = json!({"default_total": 6000, "splits": {"ops.db.restore": {
        "system": 0.05, "developer": 0.05, "task": 0.10, "policy": 0.15, "tools": 0.15,
        "evidence": 0.30, "memory": 0.10, "session": 0.10}}});
    pack
}

/// A refund desk: unverified customers get nothing, large refunds need finance.
pub fn refunds() -> Value {
    let mut pack = minimal();
    pack["contract_meta"]["compatibility"]["requires"] = json!({"runtime": ">=1.0.0"});
    pack["pack_meta"] = json!({"pack_id": "pack.refunds", "pack_version": "2.1.0",
        "tenant": "tenant_shopco", "environment_defaults": {}, "ttl_seconds": 600,
        "data_classification": "RESTRICTED"});
    pack["intelligence_refs"]["graph_snapshot"] = json!({"rule": "pinned"});
    pack["business_context"]["non_negotiables"] = json!(["Who asks is known before money moves."]);
    pack["intent_layer"]["catalog"] = json!([
        {"id": "refund.status", "intent_class": "support_low_risk", "task_id": "task_refund_status",
         "risk_class": "read_only"},
        {"id": "refund.execute", "intent_class": "support_high_value", "task_id": "task_refund_pay",
         "risk_class": "destructive"}]);
    let context = |name: &str| json!({"var": format!("request.context.{name}")});
    let execute = "refund.execute";
    let mut high = rule(
        "R_HIGH_VALUE",
        execute,
        &json!({">": [context("refund_amount"), 3000]}),
        &json!({"allow": true, "requires": ["approval", "order_lookup"],
            "requires_approval_gate": "GATE_FINANCE"}),
    );
    high["decision_binding"] = execute.into();
    pack["policy_layer"]["policy_bundles"] = json!([bundle(
        "PB_REFUNDS",
        50,
        &[
            rule(
                "R_IDV",
                execute,
                &json!({"!==": [context("identity_verified"), true]}),
                &json!({"allow": false})
            ),
            high,
            rule(
                "R_SMALL_REFUND_AS_DELEGATED",
                execute,
                &json!({"<=": [context("refund_amount"), 500]}),
                &json!({"allow": true, "approval_mode": "delegated", "targets": ["adp_pay.refund"]})
            )
        ]
    )]);
    pack["policy_layer"]["guardrails"]["redaction_rules"] = json!(["credit_card", "email"]);
    pack["policy_layer"]["approval_gates"] = json!([{"gate_id": "GATE_FINANCE",
        "when": {">": [context("refund_amount"), 3000]}, "required_approver_role": "finance_lead",
        "expires_in_seconds": 900}]);
    with_tools(
        &mut pack,
        &[
            ("adp_orders", "lookup", "read_only", "schema://orders.v1"),
            ("adp_pay", "refund", "destructive", "schema://pay.v1"),
        ],
    );
    pack["decision_layer"]["decision_specs"] = json!([{"decision_key": execute, "version": "1.0.0",
        "owner_role": "support_ops", "required_evidence": ["order_lookup"],
        "allowed_outcomes": ["approved", "denied"], "approval_mode": "destructive"}]);
    pack["memory_layer"]["consent_required"] = true.into();
    pack["memory_layer"]["recall_policy"] = json!({"max_per_intent": 8});
    pack["evaluation_layer"]["eval_targets"] = json!([{"intent": execute, "safety": 1.0}]);
    pack["tone_and_comms"] = json!({"voice": "warm", "system_blocks": [{"kind": "role",
        "text": "You handle refunds.", "priority": 100, "required": true}]});
    pack["budget_layer"] = json!({"default_total": 8000, "splits": {}});
    pack
}

/// The run context of a tenant, with every mode allowed.
pub fn context(tenant: &str) -> Value {
    json!({"run_id": "run_1", "trace_id": "t1", "tenant_id": tenant,
        "user": {"user_id": "u1", "role": "engineer"},
        "agent": {"agent_id": "a1", "workload_identity": "spiffe://x/a1"},
        "safety_mode": "destructive", "kg_snapshot_id": "snap_kg_7",
        "run_budget": {"bucket_tokens": 6000}})
}
