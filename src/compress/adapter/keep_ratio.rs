//! The share of what may shrink that stays.

/// The share that a request asks for, in thousandths; none for the usual one of each adapter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct KeepRatio(Option<u32>);

impl KeepRatio {
    pub(crate) fn of_milli(milli: u32) -> Self {
        Self(Some(milli))
    }

    /// This one, or another if the request does not say.
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }

    /// Bytes that stay of so many, if the request says.
    pub(crate) fn asked_bytes(self, bytes: usize) -> Option<usize> {
        let milli = usize::try_from(self.0?).ok()?;
        // Thousandths of thousands first: a text has fewer bytes than would overflow.
        Some(bytes / 1000 * milli + bytes % 1000 * milli / 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_share_that_is_asked_for() {
        assert_eq!(KeepRatio::default().asked_bytes(1000), None);
        for (milli, bytes, stay) in [(300, 1000, 300), (50, 99, 4), (900, 12_345, 11_110)] {
            assert_eq!(KeepRatio::of_milli(milli).asked_bytes(bytes), Some(stay));
        }
        let asked = KeepRatio::of_milli(50);
        assert_eq!(asked.or(KeepRatio::of_milli(900)), asked);
        assert_eq!(KeepRatio::default().or(asked), asked);
    }
}
