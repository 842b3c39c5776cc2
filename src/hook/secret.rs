//! The secret of a receiver's signature: `whsec_` and 32 random bytes in base64.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret as _, SecretSlice};

use crate::domain::Timestamp;

const PREFIX: &str = "whsec_";
/// Bytes of a new secret.
const NEW_SECRET_BYTES: usize = 32;
/// Bytes that Standard Webhooks allows.
const ALLOWED_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// The key of a hook's signatures. It is wiped when dropped, and shown by
/// [`HookSecret::reveal`] alone.
#[derive(Clone)]
pub struct HookSecret(SecretSlice<u8>);

impl HookSecret {
    /// Generates a secret from the system's random source; `None` if that fails.
    pub fn generate() -> Option<Self> {
        let mut bytes = vec![0; NEW_SECRET_BYTES];
        getrandom::fill(&mut bytes).ok()?;
        Some(Self(bytes.into()))
    }

    /// Reads `whsec_…`. `None` if it is not base64 of 24 to 64 bytes.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        Self::from_bytes(bytes)
    }

    /// Takes the bytes themselves, such as unsealed ones. `None` if they are not 24 to 64.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        ALLOWED_BYTES.contains(&bytes.len()).then(|| Self(bytes.into()))
    }

    pub fn bytes(&self) -> &[u8] {
        self.0.expose_secret()
    }

    /// `whsec_…`: shown once, in the answer that made it.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.bytes()))
    }
}

impl fmt::Debug for HookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// A secret, and until when it signs: an old secret signs next to the new one while receivers
/// change over.
#[derive(Debug, Clone)]
pub struct LiveSecret {
    pub secret: HookSecret,
    /// `None` for the newest secret.
    pub until: Option<Timestamp>,
}

/// The secrets of one hook, newest first. Without any, calls are not signed.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    list: Vec<LiveSecret>,
    is_locked: bool,
}

impl Secrets {
    /// Secrets that sign at once.
    pub const MAX_LIVE: usize = 5;

    pub fn new(secret: HookSecret) -> Self {
        Self::from_list(vec![LiveSecret { secret, until: None }])
    }

    /// As stored: newest first.
    pub fn from_list(list: Vec<LiveSecret>) -> Self {
        Self { list, is_locked: false }
    }

    /// Secrets that exist and cannot be unsealed: the hook is not called, since its receiver could
    /// not verify the call.
    pub fn locked() -> Self {
        Self { list: Vec::new(), is_locked: true }
    }

    pub fn is_locked(&self) -> bool {
        self.is_locked
    }

    pub fn list(&self) -> &[LiveSecret] {
        &self.list
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether the newest secret has the same bytes.
    pub fn is_newest(&self, secret: &HookSecret) -> bool {
        self.list.first().is_some_and(|own| own.secret.bytes() == secret.bytes())
    }

    /// The secrets that sign at `now`, newest first.
    pub fn live(&self, now: Timestamp) -> impl Iterator<Item = &HookSecret> {
        let live = move |secret: &&LiveSecret| secret.until.is_none_or(|until| now < until);
        self.list.iter().filter(live).take(Self::MAX_LIVE).map(|secret| &secret.secret)
    }

    /// With a new secret in front. What signed without end signs until `until` from now on; what
    /// has ended at `now`, or is one too many, is forgotten.
    #[must_use]
    pub fn rotated(&self, new: HookSecret, now: Timestamp, until: Timestamp) -> Self {
        let mut list = vec![LiveSecret { secret: new, until: None }];
        for old in &self.list {
            let end = old.until.map_or(until, |end| end.min(until));
            if now < end && list.len() < Self::MAX_LIVE {
                list.push(LiveSecret { secret: old.secret.clone(), until: Some(end) });
            }
        }
        Self::from_list(list)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_secret_is_read_as_it_was_shown_and_never_printed() {
        let secret = HookSecret::generate().unwrap();
        let shown = secret.reveal();
        assert_eq!(HookSecret::parse(&shown).unwrap().bytes(), secret.bytes());
        assert_eq!(format!("{:?}", Secrets::new(secret)).matches("whsec").count(), 0);
        assert_ne!(HookSecret::generate().unwrap().reveal(), shown);
    }

    #[test]
    fn what_is_no_secret_is_refused() {
        let of = |length: usize| format!("whsec_{}", STANDARD.encode(vec![7; length]));
        for bad in ["", "whsec_", "whsec_!", "MDEy", &of(23), &of(65)] {
            assert!(HookSecret::parse(bad).is_none(), "{bad}");
        }
        assert!(HookSecret::parse(&of(24)).is_some() && HookSecret::parse(&of(64)).is_some());
    }

    #[test]
    fn an_old_secret_signs_until_its_time_is_over() {
        let at = |seconds| Timestamp::default().after(Duration::from_secs(seconds));
        let count = |secrets: &Secrets, seconds| secrets.live(at(seconds)).count();
        let one = Secrets::new(HookSecret::generate().unwrap());
        let two = one.rotated(HookSecret::generate().unwrap(), at(0), at(100));
        assert_eq!((count(&two, 0), count(&two, 99), count(&two, 100)), (2, 2, 1));
        let newest = two.live(at(0)).next().unwrap().bytes();
        assert_ne!(newest, one.live(at(0)).next().unwrap().bytes());
        // A second rotation with a longer overlap does not extend an old secret.
        let three = two.rotated(HookSecret::generate().unwrap(), at(50), at(500));
        assert_eq!((count(&three, 50), count(&three, 100), count(&three, 500)), (3, 2, 1));
        let mut many = one;
        for _ in 0..20 {
            many = many.rotated(HookSecret::generate().unwrap(), at(0), at(100));
        }
        assert_eq!(count(&many, 0), Secrets::MAX_LIVE);
    }
}
