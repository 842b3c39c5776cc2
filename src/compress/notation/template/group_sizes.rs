//! What groups of lines are worth, by a sample of the lines.

use super::keys::KeyTable;

/// Lines that are worth a form.
pub(super) const MIN_LINES: u32 = 4;
/// Lines that are looked at to choose how lines are grouped.
pub(super) const SAMPLE_LINES: usize = 1000;

/// Sizes of the groups of a sample of lines.
pub(super) struct GroupSizes {
    keys: KeyTable,
    /// Lines and fixed words of each group.
    sizes: Vec<(i64, u32)>,
}

impl GroupSizes {
    pub(super) fn new(lines: usize) -> Self {
        Self { keys: KeyTable::new(lines), sizes: Vec::new() }
    }

    /// What groups of lines by their keys, with the numbers of fixed words, are worth, in tenths of
    /// a token: what a fixed word and another word save in each row, what a row costs, and what a
    /// form costs. Each line is `apart` lines of the text.
    pub(super) fn gain(
        &mut self,
        keys: impl Iterator<Item = (u64, u32)>,
        length: usize,
        apart: i64,
    ) -> i64 {
        self.keys.clear();
        self.sizes.clear();
        for (key, fixed) in keys {
            let Some(at) = self.keys.place(key) else { continue };
            if at == self.sizes.len() {
                self.sizes.push((0, fixed));
            }
            if let Some(size) = self.sizes.get_mut(at) {
                size.0 += apart;
            }
        }
        let length = i64::try_from(length).unwrap_or(0);
        let groups = self.sizes.iter().filter(|(lines, _)| *lines >= i64::from(MIN_LINES));
        let gain = |(lines, fixed): &(i64, u32)| {
            let fixed = i64::from(*fixed);
            let row = fixed * 15 + (length - fixed) * 4 - 8;
            ((lines - 1) * row - length * 25 - 50).max(0)
        };
        groups.map(gain).sum()
    }
}
