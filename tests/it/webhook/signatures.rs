//! Signatures as the independent libraries check them.
//!
//! With `CONTEXTURE_SIGNATURES_OUT` a file of signed messages is written for
//! `scripts/check_signatures.py` and `scripts/check_signatures.mjs`; they take it for five minutes.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use contexture::domain::Clock;
use contexture::hook::{HookAction, HookSecret, Secrets};
use serde_json::json;
use standardwebhooks::Webhook;

use super::{Fixed, call, dev, guard, with};
use crate::support::receiver::{Mode, Receiver};

const ALLOW: &str = r#"{"decision":"allow"}"#;

/// Head and body of a request as the libraries want them.
fn parts(request: &str) -> (Vec<(String, String)>, String) {
    let (head, body) = request.split_once("\r\n\r\n").expect("a head and a body");
    let headers = head.lines().filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
    (headers.filter(|(name, _)| name.starts_with("webhook-")).collect(), body.to_owned())
}

fn verifies(secret: &str, request: &str) -> bool {
    let (headers, body) = parts(request);
    let mut map = hyper::http::HeaderMap::new();
    for (name, value) in headers {
        let name: hyper::http::HeaderName = name.parse().expect("a name");
        map.insert(name, value.parse().expect("a value"));
    }
    Webhook::new(secret).expect("a secret").verify(body.as_bytes(), &map).is_ok()
}

#[tokio::test]
async fn every_live_secret_signs_and_no_other() {
    let receiver = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let clock = Clock::standing(Clock::system().now());
    let webhooks = with(dev(), Arc::new(Fixed(Vec::new())), clock.clone());
    let (old, new) = (HookSecret::generate().unwrap(), HookSecret::generate().unwrap());
    let grace = clock.now().after(Duration::from_mins(1));
    let secrets = Secrets::new(old.clone()).rotated(new.clone(), clock.now(), grace);
    let mut hook = guard(receiver.address);
    if let HookAction::Call(endpoint) = &mut hook.does {
        endpoint.secrets = secrets;
    }
    call(&webhooks, &hook).await.answer.unwrap();
    clock.advance(Duration::from_mins(1));
    call(&webhooks, &hook).await.answer.unwrap();

    let requests = receiver.requests();
    let with_both = &requests[0];
    assert!(verifies(&old.reveal(), with_both) && verifies(&new.reveal(), with_both));
    assert!(!verifies(&old.reveal(), &requests[1]) && verifies(&new.reveal(), &requests[1]));
    let stranger = HookSecret::generate().unwrap().reveal();
    assert!(!verifies(&stranger, with_both));
    let changed = with_both.replace("\"turn\":3", "\"turn\":4");
    assert!(!verifies(&new.reveal(), &changed));

    if let Some(file) = std::env::var_os("CONTEXTURE_SIGNATURES_OUT") {
        let mut file = std::fs::File::create(file).expect("a file");
        let (old, new) = (old.reveal(), new.reveal());
        let rows = [
            (&old, with_both, true),
            (&new, with_both, true),
            (&new, &requests[1], true),
            (&old, &requests[1], false),
            (&stranger, with_both, false),
            (&new, &changed, false),
        ];
        for (secret, request, valid) in rows {
            let (headers, body) = parts(request);
            let headers: serde_json::Map<_, _> =
                headers.into_iter().map(|(name, value)| (name, value.into())).collect();
            let row = json!({"secret": secret, "headers": headers, "body": body, "valid": valid});
            writeln!(file, "{row}").expect("a line");
        }
    }
}
