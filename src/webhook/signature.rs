//! Standard Webhooks signatures: `v1,` and the HMAC-SHA256 of `id.timestamp.body`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use crate::hook::HookSecret;

/// The value of `webhook-signature`: one signature a secret, a space between them. A receiver
/// takes the message if one of them is right. `timestamp`: seconds since 1970.
pub fn sign<'s>(
    secrets: impl Iterator<Item = &'s HookSecret>,
    id: &str,
    timestamp: i64,
    body: &[u8],
) -> String {
    let signatures: Vec<String> = secrets
        .filter_map(|secret| {
            // A key of any length is one.
            let mut mac = Hmac::<Sha256>::new_from_slice(secret.bytes()).ok()?;
            mac.update(format!("{id}.{timestamp}.").as_bytes());
            mac.update(body);
            Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
        })
        .collect();
    signatures.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(secret: &str, id: &str, timestamp: i64, body: &str) -> String {
        sign([HookSecret::parse(secret).unwrap()].iter(), id, timestamp, body.as_bytes())
    }

    #[test]
    fn the_published_vectors_hold() {
        assert_eq!(
            one(
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                1_614_265_330,
                r#"{"test": 2432232314}"#
            ),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
        assert_eq!(
            one(
                "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
                "run_01",
                1_760_000_000,
                r#"{"point":"compress/pre"}"#
            ),
            "v1,x8F/ekN+I1cbja42/K+fCWutiqnreF5raDI7bxrfdHw="
        );
    }

    #[test]
    fn each_secret_signs() {
        let secrets = [HookSecret::generate().unwrap(), HookSecret::generate().unwrap()];
        let both = sign(secrets.iter(), "msg_1", 1, b"{}");
        let each: Vec<&str> = both.split(' ').collect();
        assert_eq!(each.len(), 2);
        assert_eq!(each[1], sign(secrets[1..].iter(), "msg_1", 1, b"{}"));
        assert_eq!(sign([].iter(), "msg_1", 1, b"{}"), "");
    }

    proptest! {
        #[test]
        fn the_independent_library_agrees(
            key in prop::collection::vec(any::<u8>(), 24..=64), id in "msg_[a-z0-9]{1,20}",
            timestamp in 0..4_000_000_000_i64, body in any::<String>()
        ) {
            let secret = HookSecret::from_bytes(key).unwrap();
            let other = standardwebhooks::Webhook::new(&secret.reveal()).unwrap();
            prop_assert_eq!(
                sign([secret].iter(), &id, timestamp, body.as_bytes()),
                other.sign(&id, timestamp, body.as_bytes()).unwrap()
            );
        }
    }
}
