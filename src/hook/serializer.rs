//! Writes a hook as it is shown and stored: every default filled in, no secret in it.

use std::fmt::Write as _;
use std::sync::Arc;

use super::definition::{Endpoint, Hook, HookAction};
use super::matching::HookMatch;
use super::point::HookKind;
use crate::json::write_string;

impl Hook {
    /// The hook as JSON that [`super::read_hook`] reads back, without what is sealed and stored next to
    /// it: the path of its URL, headers and secrets; and without [`Self::mandatory`], which has a column
    /// of its own.
    pub fn write_stored(&self) -> String {
        self.write(false, self.endpoint().map(Endpoint::redacted_url).as_deref())
    }

    /// [`Self::write_stored`] with the whole URL: to be changed, or stored again as it was.
    pub fn write_with_url(&self) -> String {
        self.write(false, self.endpoint().map(|endpoint| &*endpoint.url))
    }

    /// The hook as callers see it: [`Self::write_stored`] with its revision and the names of its
    /// headers.
    pub fn write_shown(&self) -> String {
        self.write(true, self.endpoint().map(Endpoint::redacted_url).as_deref())
    }

    fn write(&self, shown: bool, url: Option<&str>) -> String {
        let mut out = String::from("{");
        let out = &mut out;
        text(out, "id", &self.id);
        if shown {
            raw(out, "revision", &self.revision.to_string());
        }
        list(out, "points", self.points.iter().map(|point| point.as_str()));
        text(out, "kind", self.kind.as_str());
        match &self.does {
            HookAction::Call(endpoint) => {
                text(out, "url", url.unwrap_or_default());
                if shown {
                    list(out, "headers", endpoint.headers.iter().map(|(name, _)| &**name));
                }
            }
            HookAction::Builtin(builtin) => {
                text(out, "builtin", builtin.name());
                key(out, "config");
                builtin.write_config(out);
            }
        }
        raw(out, "enabled", if self.enabled { "true" } else { "false" });
        if shown {
            raw(out, "mandatory", if self.is_mandatory() { "true" } else { "false" });
        }
        text(out, "mode", self.mode.as_str());
        // A default is displayed as its value and stored as absent: another release may have
        // another default.
        if shown || self.timeout.is_some() {
            raw(out, "timeout_ms", &self.timeout().as_millis().to_string());
        }
        self.write_failure(out, shown);
        match self.kind {
            HookKind::Guard if self.reverify => raw(out, "reverify", "true"),
            HookKind::Provide => raw(out, "max_tokens", &self.max_tokens.to_string()),
            HookKind::Observe => text(out, "delivery", self.delivery.as_str()),
            _ => {}
        }
        write_match(out, &self.matching);
        let projection = &self.projection;
        if !projection.is_all() {
            key(out, "input");
            out.push('{');
            for (name, pointers) in
                [("include", &projection.include), ("exclude", &projection.exclude)]
            {
                write_texts(out, name, pointers);
            }
            out.push('}');
        }
        raw(out, "priority", &self.priority.to_string());
        if let Some(session) = &self.session {
            key(out, "scope");
            out.push('{');
            text(out, "session_id", session);
            out.push('}');
        }
        out.push('}');
        std::mem::take(out)
    }

    fn write_failure(&self, out: &mut String, shown: bool) {
        let first = self.points.first().map(|point| self.on_failure(*point));
        let same = self.points.iter().all(|point| Some(self.on_failure(*point)) == first);
        let held = first.filter(|_| shown && same);
        if let Some(policy) = self.on_failure.or(held) {
            text(out, "on_failure", policy.as_str());
        }
        if self.allow_fail_open {
            raw(out, "allow_fail_open", "true");
        }
    }
}

fn write_match(out: &mut String, matching: &HookMatch) {
    let HookMatch { tools, args, agents, sessions, events, status, denials } = matching;
    let lists = [
        ("tools", tools),
        ("agents", agents),
        ("sessions", sessions),
        ("events", events),
        ("status", status),
    ];
    if args.is_empty() && !denials && lists.iter().all(|(_, list)| list.is_empty()) {
        return;
    }
    key(out, "match");
    out.push('{');
    for (name, list) in lists {
        write_texts(out, name, list);
    }
    if !args.is_empty() {
        key(out, "args");
        out.push('[');
        for (index, condition) in args.iter().enumerate() {
            out.push_str(if index > 0 { ",{" } else { "{" });
            text(out, "path", &condition.path);
            text(out, "op", condition.test.op());
            if let Some(value) = condition.test.value() {
                text(out, "value", value);
            }
            out.push('}');
        }
        out.push(']');
    }
    if *denials {
        raw(out, "denials", "true");
    }
    out.push('}');
}

fn key(out: &mut String, name: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    write_string(out, name);
    out.push(':');
}

fn text(out: &mut String, name: &str, value: &str) {
    key(out, name);
    write_string(out, value);
}

fn raw(out: &mut String, name: &str, value: &str) {
    key(out, name);
    let _ = write!(out, "{value}");
}

fn write_texts(out: &mut String, name: &str, texts: &[Arc<str>]) {
    if !texts.is_empty() {
        list(out, name, texts.iter().map(AsRef::as_ref));
    }
}

fn list<'t>(out: &mut String, name: &str, texts: impl Iterator<Item = &'t str>) {
    key(out, name);
    out.push('[');
    for (index, text) in texts.enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(out, text);
    }
    out.push(']');
}
