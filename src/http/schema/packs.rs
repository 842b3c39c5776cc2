//! Schemas of `/packs` and `/policy`.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::domain::StoredPack;
use crate::pack::LintFault;
use crate::service::packs::VersionDifference;

/// A context pack: the six layers that allow or withhold something, and those that may be absent.
/// The members of each layer, and the defaults, are in `docs/packs.md`; unknown members are refused.
#[derive(Debug, ToSchema)]
pub struct PackDocument {
    /// The version of the format.
    #[schema(value_type = Option<Object>)]
    pub contract_meta: Option<Value>,
    /// Id, version, owner.
    #[schema(value_type = Object)]
    pub pack_meta: Value,
    /// References to evidence.
    #[schema(value_type = Option<Object>)]
    pub intelligence_refs: Option<Value>,
    /// Facts of the business that the model may see.
    #[schema(value_type = Option<Object>)]
    pub business_context: Option<Value>,
    /// Rules, and what they allow or withhold.
    #[schema(value_type = Object)]
    pub policy_layer: Value,
    /// The tools, and who may use them.
    #[schema(value_type = Object)]
    pub tooling_layer: Value,
    /// Options and when to use them.
    #[schema(value_type = Object)]
    pub decision_layer: Value,
    /// What memory may be shown and written.
    #[schema(value_type = Object)]
    pub memory_layer: Value,
    /// What evaluations check.
    #[schema(value_type = Option<Object>)]
    pub evaluation_layer: Option<Value>,
    /// How the model shall write.
    #[schema(value_type = Option<Object>)]
    pub tone_and_comms: Option<Value>,
    /// The catalogue of intents.
    #[schema(value_type = Object)]
    pub intent_layer: Value,
    /// Tokens for each part.
    #[schema(value_type = Option<Object>)]
    pub budget_layer: Option<Value>,
    /// `{"alg": "ed25519", "key_id", "sig"}`, over the canonical JSON (RFC 8785) of the rest.
    #[schema(value_type = Option<Object>)]
    pub signature: Option<Value>,
}

/// One thing that is wrong with a pack.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PackLintFault)]
pub struct LintRow {
    /// A word that stays the same.
    #[schema(example = "policy_operator_unknown")]
    pub code: &'static str,
    /// `error` prevents publishing, `warning` does not.
    #[schema(example = "error")]
    pub severity: &'static str,
    /// JSON Pointer into the document.
    pub pointer: String,
    /// What is wrong, with the value, and what is allowed.
    pub detail: String,
    /// The nearest known name to an unknown one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
    /// The sum of the weights of a split.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "0.99")]
    pub sum: Option<String>,
}

impl From<&LintFault> for LintRow {
    fn from(fault: &LintFault) -> Self {
        Self {
            code: fault.code,
            severity: if fault.is_error() { "error" } else { "warning" },
            pointer: fault.pointer.clone(),
            detail: fault.detail.clone(),
            did_you_mean: fault.did_you_mean.clone(),
            sum: fault.sum.clone(),
        }
    }
}

/// What is wrong with a pack.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PackLintResponse)]
pub struct LintAnswer {
    /// Whether it may be published.
    pub ok: bool,
    /// What is wrong with the pack; empty if nothing is.
    pub faults: Vec<LintRow>,
}

/// A pack as it was published.
#[derive(Debug, Serialize, ToSchema)]
pub struct PackRow {
    /// The version, `id@version`.
    #[schema(example = "pack.dbops@1.4.0")]
    pub pack_ref: String,
    /// The id of the pack.
    #[schema(example = "pack.dbops")]
    pub id: String,
    /// The version.
    #[schema(example = "1.4.0")]
    pub version: String,
    /// SHA-256 of its canonical JSON, the signature left out.
    #[schema(example = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")]
    pub digest: String,
    /// Whether the document is signed.
    pub signed: bool,
    #[schema(example = "2026-12-31T23:59:59Z")]
    pub created_at: String,
}

impl From<&StoredPack> for PackRow {
    fn from(stored: &StoredPack) -> Self {
        Self {
            pack_ref: stored.reference(),
            id: stored.id.to_string(),
            version: stored.version_text(),
            digest: format!("sha256:{}", stored.digest),
            signed: stored.is_signed,
            created_at: stored.created_at.to_string(),
        }
    }
}

/// A pack that is published.
#[derive(Debug, Serialize, ToSchema)]
pub struct PackPublished {
    #[serde(flatten)]
    pub pack: PackRow,
    /// Faults that do not prevent publishing.
    pub warnings: Vec<LintRow>,
}

impl PackPublished {
    pub(crate) fn new(stored: &StoredPack, warnings: Vec<LintRow>) -> Self {
        Self { pack: PackRow::from(stored), warnings }
    }
}

/// A pack with its document.
#[derive(Debug, Serialize, ToSchema)]
pub struct Pack {
    #[serde(flatten)]
    pub pack: PackRow,
    /// As it was published.
    #[schema(value_type = PackDocument)]
    pub document: Option<Box<RawValue>>,
}

impl Pack {
    /// `text`: the document, which was read as JSON before.
    pub(crate) fn new(stored: &StoredPack, text: String) -> Self {
        Self { pack: PackRow::from(stored), document: RawValue::from_string(text).ok() }
    }
}

/// Some of the packs.
#[derive(Debug, Serialize, ToSchema)]
pub struct PackList {
    pub items: Vec<PackRow>,
    /// Where the list goes on; null at its end.
    pub next_cursor: Option<String>,
}

/// The versions of a pack, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct PackVersions {
    /// The id of the pack.
    #[schema(example = "pack.dbops")]
    pub id: String,
    /// Its versions, the newest first.
    pub versions: Vec<PackRow>,
}

/// Two published versions, of one pack or of two.
#[derive(Debug, ToSchema)]
pub struct PackDiffRequest {
    /// A version, `id@version`, or a document.
    #[schema(example = "pack.dbops@1.4.0")]
    pub from: String,
    /// Another version, or a document.
    #[schema(example = "pack.dbops@1.5.0")]
    pub to: String,
}

/// What two versions differ in.
#[derive(Debug, Serialize, ToSchema)]
pub struct PackDiff {
    /// Whether the versions are the same.
    pub equal: bool,
    /// The first version, `id@version`.
    pub from: PackRow,
    /// The second version, `id@version`.
    pub to: PackRow,
    /// The layers that differ.
    pub layers: Vec<PackLayerDiff>,
}

/// What one layer differs in.
#[derive(Debug, Serialize, ToSchema)]
pub struct PackLayerDiff {
    /// The name of the layer.
    #[schema(example = "policy_layer")]
    pub layer: String,
    /// The changes in the layer.
    pub changes: Vec<PackChange>,
}

/// One change.
#[derive(Debug, Serialize, ToSchema)]
pub struct PackChange {
    /// `add`, `remove` or `replace`.
    pub op: &'static str,
    /// JSON Pointer: what is added is in the newer document, all else in the older one.
    pub path: String,
    /// The value before; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Value>,
    /// The value after; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl From<VersionDifference> for PackDiff {
    fn from(difference: VersionDifference) -> Self {
        let VersionDifference { from, to, layers } = difference;
        let layers: Vec<PackLayerDiff> = layers
            .into_iter()
            .map(|layer| PackLayerDiff {
                layer: layer.layer,
                changes: layer
                    .changes
                    .into_iter()
                    .map(|change| PackChange {
                        op: change.op,
                        path: change.path,
                        from: change.from,
                        value: change.value,
                    })
                    .collect(),
            })
            .collect();
        Self {
            equal: layers.is_empty(),
            from: PackRow::from(&from),
            to: PackRow::from(&to),
            layers,
        }
    }
}

/// A rule and the facts it is asked on.
#[derive(Debug, ToSchema)]
#[schema(example = json!({
    "rule": {">": [{"var": "request.context.amount"}, 500]}, "data": {"request": {"context": {}}}
}))]
pub struct RuleRequest {
    /// `JsonLogic`: the operators of json-logic-js.
    pub rule: Value,
    /// What the rule is evaluated on.
    pub data: Option<Value>,
}

/// The value of a rule.
#[derive(Debug, ToSchema)]
pub struct RuleValue {
    /// Null where JSON has no such value.
    #[schema(value_type = Value)]
    pub value: Option<Value>,
    /// Whether a condition of this value is met.
    pub holds: bool,
    /// `undefined`, `NaN`, `Infinity` or `-Infinity`, where the value is that.
    pub special: Option<String>,
    /// The first place where a comparison or a sum met something that is no number.
    #[schema(value_type = Option<RuleDoubt>)]
    pub indeterminate: Option<RuleDoubt>,
}

/// Why a rule's value says little.
#[derive(Debug, ToSchema)]
#[schema(as = RuleWarning)]
pub struct RuleDoubt {
    /// `missing`, `not_a_number`, `not_finite`, `error`, `depth` or `budget`.
    #[schema(example = "missing")]
    pub reason: String,
    /// The path that was read there.
    #[schema(example = "request.context.amount")]
    pub path: Option<String>,
}
