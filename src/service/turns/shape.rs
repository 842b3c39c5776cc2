//! The shape of a session's messages, and whether malformed calls in them are kept: what the
//! request says, else the defaults of the session, else those of the key.
//!
//! Only a message that a single shape has decides the shape of a session. Until then its messages
//! fit several, and each turn reads them in the shape that its target has, if they fit it.

use std::sync::Arc;

use super::TurnRequest;
use crate::domain::{Source, Target};
use crate::json::Node;
use crate::provider;
use crate::service::sessions::SessionHandle;
use crate::service::sessions::messages::{check_list, list_node};
use crate::service::tools::parse_all;
use crate::service::{Services, StoreError};

/// The shape in which a turn reads the messages of its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TurnShape {
    pub(super) source: Source,
    /// Whether the session keeps it: its messages, a request or defaults have said so.
    pub(super) is_decided: bool,
    /// Whether malformed arguments are kept as they are.
    pub(super) is_lenient: bool,
}

impl TurnShape {
    /// The shape that the session keeps.
    pub(super) fn decided(self) -> Option<Source> {
        self.is_decided.then_some(self.source)
    }

    /// Finds the shape for a turn.
    pub(super) fn find(
        services: &Services,
        session: &SessionHandle,
        turn: &TurnRequest<'_, '_>,
    ) -> Result<Self, StoreError> {
        let own = session.defaults().map(Arc::from);
        let texts: Vec<Arc<str>> =
            own.into_iter().chain(services.caller().defaults.clone()).collect();
        let defaults = parse_all(&texts)?;
        let asked = turn.rest.iter().find(|(name, _)| name == "repair").map(|(_, node)| node);
        let repair = asked.or_else(|| defaults.iter().find_map(|node| node.get("repair")));
        let is_lenient = provider::keeps_malformed(repair).unwrap_or(false);
        let decided = |source| Self { source, is_decided: true, is_lenient };
        let word =
            |key: &str| defaults.iter().find_map(|node| node.get(key)).and_then(Node::as_str);
        let said =
            session.source().or(turn.source).or_else(|| word("source").and_then(Source::parse));
        if let Some(source) = said.or_else(|| provider::detect_in(turn.append)) {
            return Ok(decided(source));
        }
        let asked = turn.rest.iter().find(|(name, _)| name == "target").map(|(_, node)| node);
        let target = match asked {
            Some(node) => node.as_str(),
            None => word("target"),
        };
        let target = target.and_then(Target::parse).unwrap_or(Target::Openai);
        let fits = |source: &Source| {
            let list = list_node(*source, turn.append.to_vec());
            check_list(*source, is_lenient, &list, "").is_empty()
        };
        let source = Some(Source::from(target)).filter(fits).unwrap_or(Source::Openai);
        Ok(Self { source, is_decided: false, is_lenient })
    }
}
