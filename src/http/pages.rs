//! `/problems`: pages that explain the types of problems, from `docs/problems.md`.

use std::fmt::Write as _;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::problem::{Kind, Problem};

const DOCUMENT: &str = include_str!("../../docs/problems.md");

/// The types of problems
///
/// A page for browsers, Markdown for everyone else.
#[utoipa::path(
    get,
    path = "/problems",
    tag = "operations",
    responses((status = OK, description = "All of them", body = String, content_type = "text/markdown")),
)]
pub(super) async fn list_problems(headers: HeaderMap) -> Response {
    page(&headers, "Problems", DOCUMENT)
}

/// What a type of problem means
///
/// A page for browsers, Markdown for everyone else.
#[utoipa::path(
    get,
    path = "/problems/{code}",
    tag = "operations",
    params(("code" = String, Path, description = "The end of a problem's `type`, such as `invalid-request`")),
    responses(
        (status = OK, description = "What it means and what to do", body = String, content_type = "text/markdown"),
        (status = NOT_FOUND, description = "No such type"),
    ),
)]
pub(super) async fn get_problem(request: Request) -> Result<Response, Problem> {
    let name = request.uri().path().rsplit('/').next().unwrap_or_default();
    let kind = Kind::ALL
        .iter()
        .copied()
        .find(|kind| kind.slug() == name || kind.code() == name)
        .ok_or_else(|| Problem::new(Kind::NotFound))?;
    let text = section(kind.code()).ok_or_else(|| Problem::new(Kind::NotFound))?;
    Ok(page(request.headers(), kind.title(), text))
}

/// Returns the heading `code` and the text below it, up to the next heading.
pub fn section(code: &str) -> Option<&'static str> {
    let heading = format!("\n## {code}\n");
    let start = DOCUMENT.find(&heading)? + 1;
    let rest = DOCUMENT.get(start..)?;
    let end = rest.find("\n## ").unwrap_or(rest.len());
    rest.get(..end)
}

/// Checks whether the caller accepts HTML, as browsers do.
pub(super) fn wants_html(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

fn page(headers: &HeaderMap, title: &str, markdown: &'static str) -> Response {
    let (kind, text) = if wants_html(headers) {
        ("text/html; charset=utf-8", Body::from(html(title, markdown)))
    } else {
        ("text/markdown; charset=utf-8", Body::from(markdown))
    };
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::VARY, HeaderValue::from_static("accept"));
    let policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

/// Renders the Markdown that `docs/problems.md` uses: headings, paragraphs, fences.
fn html(title: &str, markdown: &str) -> String {
    let mut body = String::new();
    for (index, block) in markdown.split("```").enumerate() {
        if index % 2 == 1 {
            let code = block.split_once('\n').map_or(block, |(_, code)| code);
            body.push_str(&format_block("pre", code));
            continue;
        }
        for paragraph in block.split("\n\n").map(str::trim).filter(|text| !text.is_empty()) {
            let heading = [("## ", "h2"), ("# ", "h1")].into_iter().find_map(|(mark, tag)| {
                paragraph.strip_prefix(mark).map(|text| format_block(tag, text))
            });
            body.push_str(&heading.unwrap_or_else(|| format_block("p", paragraph)));
        }
    }
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>body{{font:16px/1.5 system-ui,sans-serif;max-width:42em;margin:2em auto;\
         padding:0 1em}}pre{{overflow:auto;background:#8882;padding:1em}}</style>\n{body}</html>\n"
    )
}

fn format_block(tag: &str, text: &str) -> String {
    if tag == "pre" {
        return format!("<pre>{}</pre>\n", escape(text));
    }
    let mut inner = String::new();
    for (index, piece) in text.split('`').enumerate() {
        let piece = escape(piece);
        let _ = if index % 2 == 1 {
            write!(inner, "<code>{piece}</code>")
        } else {
            inner.write_str(&piece)
        };
    }
    format!("<{tag}>{inner}</{tag}>\n")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_escaped_and_marked_up() {
        let page = html("a<b", "# One\n\nText with `co<de>`.\n\n```json\n{\"a\": `1`}\n```\n");
        assert!(page.contains("<title>a&lt;b</title>"));
        assert!(page.contains("<h1>One</h1>"));
        assert!(page.contains("<p>Text with <code>co&lt;de&gt;</code>.</p>"));
        assert!(page.contains("<pre>{\"a\": `1`}\n</pre>"), "{page}");
    }

    #[test]
    fn a_section_ends_before_the_next() {
        let text = section("invalid_json").unwrap();
        assert!(text.starts_with("## invalid_json") && !text.contains("## invalid_encoding"));
        assert!(section("nothing").is_none());
    }
}
