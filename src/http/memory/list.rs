//! Lists and exports entries.

use std::io;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream::try_unfold;

use super::NEXT_CURSOR;
use crate::domain::{MemoryScope, MemoryStatus, MemoryTier};
use crate::http::body::RequestInput;
use crate::http::enum_values::MEMORY_LIST_FORMATS;
use crate::http::job::visit;
use crate::http::problem::Problem;
use crate::http::query::{self, Query};
use crate::http::response::respond_with;
use crate::http::schema::{MemoryEntry, MemoryList};
use crate::http::state::AppState;
use crate::service::Services;
use crate::service::memory::{self, MemoryCursor, MemoryFilter};

/// List entries
///
/// Those that are not expired, in the byte order of their keys. An empty `subject`, `session_id`,
/// `agent` or `pack_tenant` returns entries that have none. A page looks at 5,000 entries at most, so one
/// with a filter may be shorter than `limit`, or empty, and still have a `next_cursor`. With `format=jsonl` each entry is a line, as
/// `POST /memory/import` takes it, and all of them come unless `limit` is given; then
/// `Contexture-Next-Cursor` tells where the list goes on.
#[utoipa::path(
    get,
    path = "/memory",
    tag = "memory",
    operation_id = "list_memory",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1_000, description = "Rows at once, 100 when absent; of lines all"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the answer before"),
        ("subject" = Option<String>, Query, description = "Only entries of this subject"),
        ("session_id" = Option<String>, Query, description = "Only entries of this session"),
        ("agent" = Option<String>, Query, description = "Only entries of this agent"),
        ("pack_tenant" = Option<String>, Query, description = "Only entries of this pack tenant"),
        ("tag" = Option<String>, Query, description = "Only entries with this tag"),
        ("tier" = Option<String>, Query, description = "Only entries of this tier"),
        ("status" = Option<String>, Query, description = "Only entries with this status"),
        ("prefix" = Option<String>, Query, description = "Only entries whose key begins so"),
        ("format" = Option<String>, Query, description = "`json`, or `jsonl` for a line an entry"),
    ),
    responses(
        (status = OK, description = "Some of them, and where the list goes on",
         content((MemoryList = "application/json"), (String = "application/x-ndjson")),
         headers(("Contexture-Next-Cursor" = String, description = "With lines and `limit`: where the list goes on"))),
    ),
)]
pub(crate) async fn list_memory(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, Problem> {
    let parameters = [
        "limit",
        "cursor",
        "subject",
        "session_id",
        "agent",
        "pack_tenant",
        "tag",
        "tier",
        "status",
        "prefix",
        "format",
    ];
    let query = Query::parse(request.uri(), &parameters)?;
    let limit = query.limit()?;
    let is_lines = query.choice("format", MEMORY_LIST_FORMATS)?.unwrap_or(false);
    let after = query.get("cursor").map(parse_cursor).transpose()?;
    let text = |name: &str| query.get(name).map(str::to_owned);
    let filter = MemoryFilter {
        subject: text("subject"),
        session_id: text("session_id"),
        agent: text("agent"),
        pack_tenant: text("pack_tenant"),
        tag: text("tag"),
        tier: query.choice("tier", MemoryTier::WORDS)?,
        status: query.choice("status", MemoryStatus::WORDS)?,
        prefix: text("prefix"),
    };
    let input = RequestInput::without_body(&state, &request)?;
    if is_lines && query.get("limit").is_none() {
        return export(state, input, filter, after).await;
    }
    if is_lines {
        let (text, next) = read_lines(&state, input, filter, after, limit).await?;
        let mut response = respond_with_lines(text);
        let next_cursor = next.as_ref().map(write_cursor);
        if let Some(next) = next_cursor.and_then(|next| HeaderValue::from_str(&next).ok()) {
            response.headers_mut().insert(NEXT_CURSOR, next);
        }
        return Ok(response);
    }
    let list = visit(&state, input, move |services, _| {
        let page = memory::list(services, &filter, after, limit)?;
        let items = page.rows.iter().map(MemoryEntry::from).collect();
        let next_cursor = page.next.as_ref().map(write_cursor);
        Ok(respond_with(&MemoryList { items, next_cursor }))
    });
    list.await
}

/// Reads a page of entries as lines, and the position after which the list continues.
async fn read_lines(
    state: &AppState,
    input: RequestInput,
    filter: MemoryFilter,
    after: Option<MemoryCursor>,
    limit: usize,
) -> Result<(String, Option<MemoryCursor>), Problem> {
    let list = visit(state, input, move |services, _| {
        let page = memory::list(services, &filter, after, limit)?;
        let mut text = String::new();
        for entry in &page.rows {
            text.push_str(&serde_json::to_string(&MemoryEntry::from(entry)).unwrap_or_default());
            text.push('\n');
        }
        Ok((text, page.next))
    });
    list.await
}

/// The state of an export. It reads a page of entries at a time, while the response is sent.
struct Export {
    state: AppState,
    /// Services for the caller.
    services: Services,
    filter: MemoryFilter,
    /// Lines that were read and are not sent yet.
    ready: Option<String>,
    next: Option<MemoryCursor>,
}

/// Entries that an export reads at once.
const MAX_ENTRIES_PER_READ: usize = 100;

/// Exports all entries after a cursor. The first page is read before the response begins, so that
/// its errors become problems. A later error ends the body early, which shows a client that it is
/// incomplete.
async fn export(
    state: AppState,
    input: RequestInput,
    filter: MemoryFilter,
    after: Option<MemoryCursor>,
) -> Result<Response, Problem> {
    let services = input.services.clone();
    let read = read_lines(&state, input, filter.clone(), after, MAX_ENTRIES_PER_READ);
    let (text, next) = read.await?;
    let ready = Some(text);
    let export = Export { state, services, filter, ready, next };
    // Boxed, because the export is moved with each page.
    let pages = try_unfold(Box::new(export), async |mut export| {
        let text = export.read_page().await?;
        Ok::<_, io::Error>(text.map(|text| (text, export)))
    });
    Ok(respond_with_lines(axum::body::Body::from_stream(pages)))
}

impl Export {
    async fn read_page(&mut self) -> Result<Option<String>, io::Error> {
        if let Some(text) = self.ready.take() {
            return Ok(Some(text));
        }
        let Some(after) = self.next.take() else { return Ok(None) };
        let abort = |problem: Problem| {
            tracing::warn!(
                code = problem.kind.code(),
                "an export of memory failed; the caller received only a part"
            );
            io::Error::other("the list cannot be read on")
        };
        let input = RequestInput::for_services(self.services.clone());
        let filter = self.filter.clone();
        let read = read_lines(&self.state, input, filter, Some(after), MAX_ENTRIES_PER_READ).await;
        let (text, next) = read.map_err(abort)?;
        self.next = next;
        Ok(Some(text))
    }
}

fn respond_with_lines(body: impl Into<axum::body::Body>) -> Response {
    let media = HeaderValue::from_static("application/x-ndjson");
    ([(header::CONTENT_TYPE, media)], body.into()).into_response()
}

/// Encodes the key and scope of a cursor as a JSON array.
fn write_cursor(cursor: &MemoryCursor) -> String {
    let MemoryScope { subject, session_id, agent, pack_tenant } = &cursor.scope;
    let scope = [subject, session_id, agent, pack_tenant].map(Option::as_deref);
    let parts: Vec<Option<&str>> = [Some(cursor.key.as_str())].into_iter().chain(scope).collect();
    let text = serde_json::to_string(&parts).unwrap_or_default();
    query::encode_cursor(&text)
}

fn parse_cursor(text: &str) -> Result<MemoryCursor, Problem> {
    let parts: Option<[Option<String>; 5]> =
        query::decode_cursor(text).and_then(|text| serde_json::from_str(&text).ok());
    let Some([Some(key), subject, session_id, agent, pack_tenant]) = parts else {
        return Err(query::invalid_cursor());
    };
    let part = |part: Option<String>| part.map(Into::into);
    let scope = MemoryScope {
        subject: part(subject),
        session_id: part(session_id),
        agent: part(agent),
        pack_tenant: part(pack_tenant),
    };
    Ok(MemoryCursor { key, scope })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        for key in ["a", "\u{e4} \"b\"/c", "?&="] {
            for subject in [None, Some("s".into())] {
                let scope = MemoryScope { subject, ..MemoryScope::default() };
                let cursor = MemoryCursor { key: key.to_owned(), scope };
                assert_eq!(parse_cursor(&write_cursor(&cursor)).unwrap(), cursor);
            }
        }
        for bad in ["", "x", "bnVsbA", "WyJhIl0"] {
            assert!(parse_cursor(bad).is_err(), "{bad}");
        }
    }
}
