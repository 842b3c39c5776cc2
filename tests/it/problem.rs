//! Every problem has a page, every page a problem.

use std::fs;
use std::path::Path;

use contexture::http::problem::Kind;
use contexture::http::problem_page;

use crate::support::TestServer;

const DOCUMENT: &str = include_str!("../../docs/problems.md");

#[test]
fn every_kind_has_a_heading_and_names_its_status() {
    for kind in Kind::ALL {
        let text = problem_page(kind.code()).unwrap_or_else(|| panic!("explain {}", kind.code()));
        let status = format!("Status {}", kind.status().as_u16());
        assert!(text.contains(&status), "{} does not say `{status}`", kind.code());
        assert!(text.len() > 100, "{} is explained in a word", kind.code());
    }
}

#[test]
fn every_heading_is_a_kind_in_the_same_order() {
    let headings: Vec<_> = DOCUMENT.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let codes: Vec<_> = Kind::ALL.iter().map(|kind| kind.code()).collect();
    assert_eq!(headings, codes);
}

#[test]
fn every_code_is_met_in_a_test() {
    // Seen in logs only: nobody is there who could read it.
    let unread = ["cancelled"];
    let mut tests = String::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                tests.push_str(&fs::read_to_string(path).expect("a file"));
            }
        }
    }
    let codes = Kind::ALL.iter().map(|kind| kind.code());
    let missing: Vec<_> = codes
        .filter(|code| !unread.contains(code) && !tests.contains(&format!("\"{code}\"")))
        .collect();
    assert!(missing.is_empty(), "no test meets {missing:?}");
}

#[tokio::test]
async fn every_type_leads_to_its_page() {
    let server = TestServer::spawn().await;
    for kind in Kind::ALL {
        let path = format!("/problems/{}", kind.slug());
        let plain = server.get(&path).await;
        assert_eq!(plain.status(), 200, "{path}");
        assert_eq!(plain.headers()["content-type"], "text/markdown; charset=utf-8");
        let request = server.build("GET", &path).header("accept", "text/html,*/*;q=0.8");
        let page = request.send().await.unwrap();
        assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
        assert!(page.text().await.unwrap().contains(kind.code()), "{path}");
    }
    assert_eq!(server.get("/problems/no-such").await.status(), 404);
    let index = server.get("/problems").await.text().await.unwrap();
    assert_eq!(index, DOCUMENT);
}
