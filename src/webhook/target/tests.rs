use super::*;

/// Ways to write an address that may not be called, as a JSON array. None is to be accepted.
const DENIED: &str = include_str!("../../../tests/it/fixtures/denied_targets.json");

#[test]
fn no_spelling_of_a_denied_target_is_accepted() {
    let denied: Vec<String> = serde_json::from_str(DENIED).unwrap();
    assert!(denied.len() >= 150, "{}", denied.len());
    let policy = Policy::default();
    let taken: Vec<_> =
        denied.iter().filter_map(|url| Some((url, policy.check_url(url).ok()?))).collect();
    assert_eq!(taken, []);
    assert!(policy.check_url(&format!("https://example.com/{}", "a".repeat(2048))).is_err());
}

#[test]
fn public_targets_are_accepted_in_one_form() {
    let policy = Policy::default();
    for (given, taken) in [
        ("https://example.com", "https://example.com/"),
        ("https://EXAMPLE.com:443/a?b=c", "https://example.com/a?b=c"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("https://1.1.1.1/", "https://1.1.1.1/"),
        ("https://0x01010101/", "https://1.1.1.1/"),
        ("https://[2606:4700::1111]/", "https://[2606:4700::1111]/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://localhost.example.com/", "https://localhost.example.com/"),
    ] {
        assert_eq!(policy.check_url(given).as_deref(), Ok(taken), "{given}");
    }
}

#[test]
fn what_the_operator_allows_may_be_registered() {
    let dev = Policy { loopback: true, ..Policy::default() };
    for url in ["http://127.0.0.1:8131/", "http://localhost:8131/x", "https://[::1]:8131/"] {
        assert!(dev.check_url(url).is_ok(), "{url}");
    }
    assert!(dev.check_url("http://10.0.0.1:8131/").is_err());
    assert!(dev.check_url("http://1.1.1.1/").is_err());
    // A name is judged when it is called.
    assert!(dev.check_url("http://hooks.internal:8131/").is_ok());
    let allow = vec!["10.0.0.0/8:8131".parse().unwrap()];
    let inside = Policy { allow, ..Policy::default() };
    assert!(inside.check_url("http://10.0.0.1:8131/").is_ok());
    assert!(inside.check_url("http://10.0.0.1:8132/").is_err());
    assert!(inside.check_url("http://127.0.0.1:8131/").is_err());
}
