"""A pack of one intent `x` with nothing in it, and what stands in one, for the classes of attack."""


def minimal():
    return {
        "contract_meta": {"contract_name": "context-pack", "contract_version": "2.0.0", "issuer": "t",
                          "created_at": "2026-01-01T00:00:00Z", "compatibility": {"requires": {}}},
        "pack_meta": {"pack_id": "min", "pack_version": "1.0.0", "tenant": "tenant_min",
                      "environment_defaults": {}, "ttl_seconds": 0, "data_classification": "CONFIDENTIAL"},
        "intelligence_refs": {"ontology": {"namespace": "n", "version": "1.0.0", "entity_types": [],
                                           "relationship_types": []}, "identity": {"ceid_namespaces": []}},
        "business_context": {"summary": "Nothing.", "non_negotiables": []},
        "policy_layer": {"policy_bundles": [], "approval_gates": [],
                         "guardrails": {"must_refuse": [], "must_escalate": [], "redaction_rules": []}},
        "tooling_layer": {"adapter_registry": [], "permissions": []},
        "decision_layer": {"decision_specs": []},
        "memory_layer": {"tiers": {"working": {}, "episodic": {}, "semantic": {}, "durable": {}},
                         "write_classes": [], "consent_required": False,
                         "promotion": {"min_confidence": 0.8, "auto_promote_classes": []}},
        "evaluation_layer": {"eval_targets": []},
        "tone_and_comms": {},
        "intent_layer": {"catalog": [{"id": "x", "intent_class": "c", "task_id": "t"}]},
    }


def rule(id_, intent, condition, then):
    one = {"rule_id": id_, "if": condition, "then": then, "rationale": "Why."}
    return {**one, "applies_to": {"intent": intent}} if intent else one


def bundle(id_, priority, rules):
    return {"bundle_id": id_, "version": "1", "priority": priority,
            "policy_dsl": {"language": "jsonlogic", "rules": rules}}


def context(tenant):
    return {"run_id": "run_1", "trace_id": "t1", "tenant_id": tenant, "user": {"user_id": "u1", "role": "engineer"},
            "agent": {"agent_id": "a1", "workload_identity": "spiffe://x/a1"}, "safety_mode": "destructive",
            "kg_snapshot_id": "snap_kg_7", "run_budget": {"bucket_tokens": 6000}}
