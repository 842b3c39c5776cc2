//! What the defaults of a key say about requests through the gateway.

use super::Services;
use crate::domain::{GatewayMode, RecordLevel};
use crate::json::{self, Faults, Fields, Limits, Node, Path};

/// The member of a key's defaults that is about the gateway, and no key of a compile.
pub(super) const GATEWAY: &str = "gateway";
const MODE: &str = "mode";
const BUDGET: &str = "budget";
/// The most tokens that a budget may have.
const MAX_BUDGET_TOKENS: u64 = 1 << 40;

/// The defaults of a key for requests through the gateway.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GatewayDefaults {
    /// None if the settings of the server decide.
    pub mode: Option<GatewayMode>,
    /// Tokens that a request may have in mode `fit`; none if the settings decide.
    pub budget: Option<u64>,
    /// The member `record`, as a compile has it.
    pub record: RecordLevel,
}

impl GatewayDefaults {
    /// Those of the caller. Defaults in a file of keys are not checked before they are used: their
    /// first fault is returned.
    pub fn of_caller(services: &Services) -> Result<Self, String> {
        let Some(text) = &services.caller().defaults else { return Ok(Self::default()) };
        let node = json::parse(text, Limits::default()).map_err(|error| error.to_string())?;
        let mut faults = Faults::default();
        let own = node.get(GATEWAY).map(|own| Self::read(own, &mut faults)).unwrap_or_default();
        let record = node.get("record").and_then(Node::as_str).and_then(RecordLevel::parse);
        match faults.into_vec().into_iter().next() {
            Some(fault) => Err(format!("{} {}", fault.pointer, fault.detail)),
            None => Ok(Self { record: record.unwrap_or_default(), ..own }),
        }
    }

    /// Reads the member `gateway` of a key's defaults.
    pub(super) fn read(node: &Node<'_>, faults: &mut Faults) -> Self {
        let root = Path::Root;
        let defaults = root.key("defaults");
        let Some(fields) = Fields::read(node, defaults.key(GATEWAY), &[MODE, BUDGET], faults)
        else {
            return Self::default();
        };
        let mode = fields.choice(MODE, GatewayMode::WORDS, faults);
        let budget = fields.whole(BUDGET, 1, MAX_BUDGET_TOKENS, faults);
        Self { mode, budget, ..Self::default() }
    }
}
