//! The members of a turn's request that are not messages.

use std::borrow::Cow;

use crate::domain::Source;
use crate::json::{self, Node, Value};

/// The members that a turn adds to its request, with their JSON texts.
pub(super) struct MemberTexts<'t> {
    source: Source,
    source_text: String,
    session: &'t str,
    session_text: String,
}

impl<'t> MemberTexts<'t> {
    pub(super) fn new(source: Source, session: &'t str) -> Self {
        let text = |value: &str| {
            let mut text = String::new();
            json::write_string(&mut text, value);
            text
        };
        Self { source, source_text: text(source.as_str()), session, session_text: text(session) }
    }

    /// Adds them to a request, and the members that the caller gave.
    pub(super) fn add_to<'n>(
        &'n self,
        mut node: Node<'n>,
        given: &[&'n (Cow<'n, str>, Node<'n>)],
    ) -> Node<'n> {
        let text = |raw: &'n str, value: &'n str| Node {
            raw,
            value: Value::String(json::Text::Borrowed(value)),
        };
        if let Value::Object(members) = &mut node.value {
            let source = text(&self.source_text, self.source.as_str());
            let session = text(&self.session_text, self.session);
            members.push((Cow::Borrowed("source"), source));
            members.push((Cow::Borrowed("session_id"), session));
            members.extend(given.iter().map(|member| (*member).clone()));
        }
        node
    }
}
