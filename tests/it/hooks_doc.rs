//! `docs/hooks.md` says what the code does.

use contexture::hook::{BUILTIN_NAMES, FailureCause, HOOK_KEYS, Point, about};

fn page() -> String {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/hooks.md");
    std::fs::read_to_string(file).expect("the page")
}

#[test]
fn every_point_has_its_row() {
    let page = page();
    for point in Point::ALL {
        let kinds: Vec<&str> = point.kinds().iter().map(|kind| kind.as_str()).collect();
        let input: Vec<String> =
            about(point).input.iter().map(|(name, _)| format!("`{name}`")).collect();
        let payload = point.payload().map_or_else(String::new, |pointer| format!("`{pointer}` "));
        let row = format!("| `{point}` | {} | {} | {payload}|", kinds.join(", "), input.join(", "));
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn every_key_cause_and_built_in_hook_is_told_of() {
    let page = page();
    let causes = FailureCause::ALL.into_iter().filter(|cause| *cause != FailureCause::Diverged);
    let words =
        HOOK_KEYS.iter().chain(BUILTIN_NAMES).copied().chain(causes.map(FailureCause::as_str));
    for word in words {
        assert!(page.contains(&format!("`{word}`")), "{word}");
    }
}
