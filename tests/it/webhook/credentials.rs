//! Secrets and headers of a hook at rest.

use contexture::hook::{Hook, HookAction};
use contexture::webhook::{Keyring, SealError};
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::{call, cause, dev, hook, webhooks};
use crate::support::receiver::{Mode, Receiver};

const OLD: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const NEW: &str = "f00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn ring(lines: &[&str]) -> Keyring {
    Keyring::parse(&lines.join("\n")).expect("keys")
}

fn proofs(hook: &Hook) -> (Vec<(String, String)>, Vec<String>) {
    let endpoint = hook.endpoint().expect("a URL");
    let headers = endpoint.headers.iter();
    let headers = headers.map(|(name, value)| (name.to_string(), value.expose_secret().to_owned()));
    let secrets = endpoint.secrets.list().iter().map(|live| live.secret.reveal());
    (headers.collect(), secrets.collect())
}

/// As it comes from its stored definition.
fn bare(url: &str) -> Hook {
    let mut bare = hook("guard", url, &json!({}));
    if let HookAction::Call(endpoint) = &mut bare.does {
        endpoint.secrets = contexture::hook::Secrets::default();
    }
    bare
}

#[tokio::test]
async fn a_hook_gets_back_what_was_sealed_for_it_and_is_locked_without() {
    let allow = Mode::Answer(r#"{"decision":"allow"}"#.to_owned());
    let receiver = Receiver::spawn(allow).await;
    let given = hook("guard", &receiver.url(), &json!({"headers": {"X-Key": "swordfish-1"}}));
    let sealed = ring(&[OLD]).seal_hook("t", &given).expect("sealed").expect("something");
    assert!(!String::from_utf8_lossy(&sealed).contains("swordfish"));

    let mut again = bare(&given.endpoint().unwrap().redacted_url());
    ring(&[NEW, OLD]).open_hook("t", &mut again, &sealed).expect("opened");
    assert_eq!(proofs(&again), proofs(&given));
    assert_eq!(again.endpoint().unwrap().url, given.endpoint().unwrap().url);
    assert_eq!(cause(&call(&webhooks(dev()), &again).await), "answered");

    for (keys, tenant, expected) in [
        (ring(&[NEW]), "t", SealError::UnknownKey),
        (Keyring::default(), "t", SealError::NoKey),
        (ring(&[OLD]), "u", SealError::Broken),
    ] {
        let mut locked = bare(&receiver.url());
        assert_eq!(keys.open_hook(tenant, &mut locked, &sealed), Err(expected));
        assert_eq!(cause(&call(&webhooks(dev()), &locked).await), "secrets_unavailable");
    }
    assert_eq!(receiver.requests().len(), 1);
}

#[test]
fn every_hook_that_calls_out_needs_a_key() {
    let url = "https://hooks.example/";
    let none = Keyring::default();
    for hook in [hook("guard", url, &json!({})), bare(url)] {
        assert_eq!(none.seal_hook("t", &hook), Err(SealError::NoKey));
    }
    let builtin = json!({"url": null, "builtin": "secret_scan"});
    assert_eq!(none.seal_hook("t", &hook("guard", url, &builtin)), Ok(None));
}
