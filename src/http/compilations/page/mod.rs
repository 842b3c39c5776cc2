//! A record as an HTML page: the request and the payload next to each other, and every cut with its
//! original.
//!
//! The page loads nothing and runs no script: it folds texts with `<details>`. All texts of the
//! conversation are escaped.

mod messages;

use std::fmt::Write as _;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use self::messages::{PageMessage, escape};
use crate::json::{self, Limits, Node};
use crate::service::compilations::{MessageCut, StoredRecord, payload_hash};

const STYLE: &str = include_str!("page.css");

/// Characters of a text that are shown before the rest is folded.
const MAX_UNFOLDED_CHARS: usize = 600;

/// Renders the page of a record. `cuts` are the messages that were changed or left out; `None` if
/// they are not known.
pub(super) fn page(record: &StoredRecord, cuts: Option<&[MessageCut]>) -> Response {
    let mut response = html(record, cuts).into_response();
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::VARY, "accept"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn html(record: &StoredRecord, cuts: Option<&[MessageCut]>) -> String {
    let compilation = &record.compilation;
    let mut out = String::new();
    let id = escape(&compilation.id);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{id}</title>\n\
         <style>{STYLE}</style>\n<header><h1>{id}</h1>\n"
    );
    let report = json::parse(record.report(), Limits::default()).ok();
    let summary = report.as_ref().and_then(|report| report.get("summary")?.as_str());
    let refused = record.refused().map(|why| format!("Refused: {why}"));
    let gateway = json::parse(compilation.body.as_str(), Limits::default()).ok();
    let gateway = gateway.as_ref().and_then(|body| body.get("gateway"));
    let of_gateway = gateway.map(gateway_summary);
    let summary = refused.as_deref().or(of_gateway.as_deref()).or(summary).unwrap_or_default();
    let _ = writeln!(out, "<p class=\"summary\">{}</p>", escape(summary));
    let session = compilation.session_id.as_deref().unwrap_or("none");
    let engine = if record.is_current { "" } else { " (not this one)" };
    for (name, value) in [
        (if gateway.is_some() { "Sent" } else { "Compiled" }, compilation.created_at.to_string()),
        ("Target", compilation.target.to_string()),
        (
            "Model",
            if compilation.model.is_empty() {
                "none named".to_owned()
            } else {
                compilation.model.to_string()
            },
        ),
        ("Session", session.to_owned()),
        ("Engine", format!("{}{engine}", compilation.engine)),
        ("Payload", payload_hash(compilation).unwrap_or_else(|| "none".to_owned())),
    ] {
        let _ = writeln!(out, "<span><b>{name}</b> {}</span>", escape(&value));
    }
    out.push_str("</header>\n");
    if let Some(report) = &report {
        parts(&mut out, report);
    }
    texts(&mut out, record, cuts);
    out.push_str("<section><h2>Report</h2>\n");
    write_folded(&mut out, "All of it", gateway.map_or(record.report(), |own| own.raw));
    out.push_str("</section>\n</html>\n");
    out
}

/// What the gateway did to a request, in a sentence.
fn gateway_summary(gateway: &Node<'_>) -> String {
    let number = |key| gateway.get(key).and_then(Node::as_u64).unwrap_or_default();
    let word = |key| gateway.get(key).and_then(Node::as_str).unwrap_or_default();
    let edits = gateway.get("edits").and_then(Node::as_array).map_or(0, <[_]>::len);
    let skipped = match word("skipped") {
        "" => String::new(),
        reason => format!(", something stayed as it came: {reason}"),
    };
    format!(
        "A request through the gateway to {}, mode {}: {edits} edited messages save {} tokens{skipped}. \
         The provider responded with {}.",
        word("upstream"),
        word("mode"),
        number("saved_tokens"),
        number("status")
    )
}

/// Writes the tokens of each part, with a bar.
fn parts(out: &mut String, report: &Node<'_>) {
    let Some(parts) = report.get("parts").and_then(Node::as_object) else { return };
    let largest = parts.iter().filter_map(|(_, node)| node.as_u64()).max().unwrap_or(0).max(1);
    out.push_str("<section><h2>Tokens by part</h2>\n<table>\n");
    for (name, node) in parts {
        let tokens = node.as_u64().unwrap_or_default();
        let name = escape(name);
        let _ = writeln!(
            out,
            "<tr><th>{name}<td>{tokens}<td><progress max=\"{largest}\" value=\"{tokens}\">\
             </progress>"
        );
    }
    out.push_str("</table></section>\n");
}

fn texts(out: &mut String, record: &StoredRecord, cuts: Option<&[MessageCut]>) {
    if record.refused().is_some() {
        // There is no payload to compare the request with.
        return;
    }
    let (Some(request), Some(payload)) = (&record.request, &record.payload) else {
        let who = if record.is_of_gateway {
            "in the defaults of its key the gateway"
        } else {
            "a compile"
        };
        let _ = writeln!(
            out,
            "<section><p>The conversation is not in this record: with <code>\"record\": \
             \"full\"</code> {who} keeps it, for as long as records are kept.</p></section>"
        );
        return;
    };
    let read = |text| json::parse(text, Limits::default()).ok();
    let (Some(request), Some(payload)) = (read(request), read(payload)) else { return };
    let before = PageMessage::read_all(&request);
    let _ = writeln!(out, "<section><h2>Cuts</h2>");
    let is_known = cuts.is_some();
    let cuts = cuts.unwrap_or_default();
    if !is_known {
        out.push_str("<p>Another engine compiled this, and its decisions were not recorded.</p>\n");
    } else if cuts.is_empty() {
        out.push_str("<p>Every message is sent as it came.</p>\n");
    }
    for cut in cuts {
        let original = before.iter().find(|message| message.index == Some(cut.index));
        let _ = writeln!(
            out,
            "<details id=\"cut-{0}\"><summary>message {0}: {1} by {2}, {3} → {4} tokens</summary>\
             \n<pre>{5}</pre></details>",
            cut.index,
            escape(&cut.action),
            escape(&cut.rule),
            cut.tokens_before,
            cut.tokens_after,
            escape(original.map_or("", |message| &message.text))
        );
    }
    out.push_str("</section>\n<section class=\"sides\">\n");
    side(out, "Before", &before, cuts);
    side(out, "After", &PageMessage::read_all(&payload), &[]);
    out.push_str("</section>\n");
}

fn side(out: &mut String, title: &str, list: &[PageMessage], cuts: &[MessageCut]) {
    let _ = writeln!(out, "<div><h2>{title}</h2>");
    for message in list {
        let cut = cuts.iter().find(|cut| message.index == Some(cut.index));
        let class = if cut.is_some() { " class=\"cut\"" } else { "" };
        let _ = write!(out, "<article{class}><h3>{}", escape(&message.author));
        if let Some(cut) = cut {
            let _ = write!(out, " <a href=\"#cut-{}\">{}</a>", cut.index, escape(&cut.action));
        }
        out.push_str("</h3>\n");
        match message.text.char_indices().nth(MAX_UNFOLDED_CHARS) {
            None => {
                let _ = writeln!(out, "<pre>{}</pre>", escape(&message.text));
            }
            Some((at, _)) => {
                let head = message.text.get(..at).unwrap_or_default();
                let _ = writeln!(out, "<pre>{}…</pre>", escape(head));
                write_folded(out, "all of it", &message.text);
            }
        }
        out.push_str("</article>\n");
    }
    out.push_str("</div>\n");
}

fn write_folded(out: &mut String, title: &str, text: &str) {
    let _ =
        writeln!(out, "<details><summary>{title}</summary><pre>{}</pre></details>", escape(text));
}
