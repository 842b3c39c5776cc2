//! The guide at `/docs/guide`: the pages of `docs`, with a search, from this server alone.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;

use crate::documents::files;
use crate::support::{TestServer, problem};

#[tokio::test]
async fn the_guide_has_every_page_of_the_documentation() {
    let server = TestServer::locked(&[]).await;
    let index = server.get("/docs/guide").await;
    assert_eq!((index.url().path(), index.status().as_u16()), ("/docs/guide/", 200));
    let contents = server.get("/docs/guide/toc.js").await.text().await.unwrap();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut opened = 0;
    for page in files(&docs, "md") {
        let name = page.strip_prefix(&docs).unwrap().display().to_string();
        if name.starts_with("adr/") {
            continue;
        }
        let file = match name.as_str() {
            "README.md" => "index.html".to_owned(),
            name => format!("{}.html", name.trim_end_matches(".md").replace('/', "-")),
        };
        let response = server.get(&format!("/docs/guide/{file}")).await;
        assert_eq!(response.status(), 200, "{file}");
        assert!(contents.contains(&format!("href=\"{file}\"")), "the contents lack {file}");
        opened += 1;
    }
    assert!(opened > 40, "only {opened} pages are found");
    problem(server.get("/docs/guide/none.html").await, 404, "not_found").await;
}

#[tokio::test]
async fn the_guide_loads_nothing_from_elsewhere() {
    let server = TestServer::spawn().await;
    let page = server.get("/docs/guide/hooks.html").await;
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    let text = page.text().await.unwrap();
    let mut loaded = BTreeSet::new();
    for tag in text.split('<').filter(|tag| tag.starts_with("script") || tag.starts_with("link ")) {
        let (_, rest) = tag.split_once("src=\"").or_else(|| tag.split_once("href=\"")).expect(tag);
        loaded.insert(rest.split('"').next().unwrap());
    }
    assert!(loaded.len() > 10, "{loaded:?}");
    for name in loaded {
        // Relative to a page at `/docs/guide/`.
        let path = name
            .strip_prefix("../../")
            .map_or(format!("/docs/guide/{name}"), |rest| format!("/{rest}"));
        assert_eq!(server.get(&path).await.status(), 200, "{path}");
    }
}

#[tokio::test]
async fn a_file_of_the_guide_is_compressed_for_those_who_take_that_and_kept_by_its_tag() {
    let server = TestServer::spawn().await;
    let get = |accepted: &str| {
        server.build("GET", "/docs/guide/concepts.html").header("accept-encoding", accepted).send()
    };
    for accepted in ["identity", "gzip;q=0"] {
        let plain = get(accepted).await.unwrap();
        assert!(!plain.headers().contains_key("content-encoding"), "{accepted}");
        assert!(plain.text().await.unwrap().starts_with("<!DOCTYPE HTML>"), "{accepted}");
    }
    let plain = get("identity").await.unwrap().bytes().await.unwrap();
    let compressed = get("br, gzip").await.unwrap();
    assert_eq!(compressed.headers()["content-encoding"], "gzip");
    let tag = compressed.headers()["etag"].clone();
    let compressed = compressed.bytes().await.unwrap();
    assert!(compressed.len() * 2 < plain.len());
    let mut expanded = Vec::new();
    GzDecoder::new(&compressed[..]).read_to_end(&mut expanded).unwrap();
    assert_eq!(expanded, plain);
    let again = server.build("GET", "/docs/guide/concepts.html").header("if-none-match", tag);
    assert_eq!(again.send().await.unwrap().status(), 304);
}

#[tokio::test]
async fn the_search_finds_what_a_page_says() {
    let server = TestServer::spawn().await;
    let script = server.get("/docs/guide/searchindex.js").await.text().await.unwrap();
    let start = script.find("= {").expect("the texts") + 2;
    let mut texts =
        serde_json::Deserializer::from_str(&script[start..]).into_iter::<serde_json::Value>();
    let texts = texts.next().expect("the texts").expect("JSON");
    let documents = texts["documents"].as_array().unwrap();
    assert_eq!(documents.len(), texts["rest"]["doc_urls"].as_array().unwrap().len());
    let found = documents.iter().any(|document| {
        document["body"].as_str().unwrap().contains("The body did not arrive within")
    });
    assert!(found, "no page has the sentence of docs/problems.md");
}
