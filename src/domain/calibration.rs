//! Calibration: how a provider counts a model's payloads, compared with the counts of this service.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Input tokens below which a report is not learnt from: framing would decide the factor.
const MIN_REPORT_TOKENS: u64 = 1_000;
/// Bounds of a plausible factor, in thousandths of the factor in the model table.
const MIN_FACTOR_SHARE_MILLI: u64 = 500;
const MAX_FACTOR_SHARE_MILLI: u64 = 2_000;
/// Reports whose factors are kept; the factor is their median.
pub const MAX_REPORTED_FACTORS: usize = 5;
/// Reports that it takes until turns may be dropped by the factor.
const MIN_DROP_REPORTS: u64 = 2;

/// The ratio of a provider's token counts for a model's payloads to the counts of this service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCalibration {
    /// The model's name, or the target's if requests name no model.
    pub model: Arc<str>,
    /// Tokens of the last payload before any factor; 0 if it was not counted.
    pub raw: u64,
    /// The factor for a count, in thousandths, once a report was learnt from.
    pub factor_milli: Option<u32>,
    /// The number of reports that were learnt from.
    pub reports: u64,
    /// The factors of the last reports, in thousandths, the newest last. Empty in rows that were
    /// stored before factors were kept.
    #[serde(default)]
    pub reported_milli: Vec<u32>,
}

/// A factor that a session's compiles count with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalibratedFactor {
    /// Thousandths by which a count is multiplied.
    pub milli: u32,
    /// Whether turns may be dropped by it: one report alone may be wrong.
    pub may_drop: bool,
}

/// A provider's report, compared with the count of this service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageReport {
    /// The factor that the report is learnt with, in thousandths.
    Plausible(u32),
    /// Too few tokens to learn from.
    Small,
    /// The factor is outside of the bounds.
    Implausible,
    /// There is no count to compare with.
    Uncounted,
}

impl ModelCalibration {
    pub fn new(model: Arc<str>, raw: u64) -> Self {
        Self { model, raw, factor_milli: None, reports: 0, reported_milli: Vec::new() }
    }

    /// Compares a provider's count of the last payload with the count of this service.
    /// `table_milli` is the model's factor in the table.
    pub fn compare(&self, tokens: u64, table_milli: u32) -> UsageReport {
        let Some(milli) = tokens.saturating_mul(1000).checked_div(self.raw) else {
            return UsageReport::Uncounted;
        };
        // Before the factor is rounded down, which would bring one above the bound onto it.
        let counted = u128::from(self.raw) * u128::from(table_milli);
        let bounds = counted * u128::from(MIN_FACTOR_SHARE_MILLI)
            ..=counted * u128::from(MAX_FACTOR_SHARE_MILLI);
        match u32::try_from(milli) {
            Ok(milli) if bounds.contains(&(u128::from(tokens) * 1_000_000)) => {
                if tokens < MIN_REPORT_TOKENS {
                    return UsageReport::Small;
                }
                UsageReport::Plausible(milli)
            }
            _ => UsageReport::Implausible,
        }
    }

    /// Learns the factor of a plausible report.
    pub fn learn(&mut self, factor_milli: u32) {
        if self.reported_milli.is_empty() {
            self.reported_milli.extend(self.factor_milli);
        }
        self.reported_milli.push(factor_milli);
        let beyond = self.reported_milli.len().saturating_sub(MAX_REPORTED_FACTORS);
        self.reported_milli.drain(..beyond);
        self.factor_milli = median(&self.reported_milli);
        self.reports += 1;
    }

    /// Returns the factor if it is within the bounds for a model with `table_milli` in the table.
    pub fn factor(&self, table_milli: u32) -> Option<CalibratedFactor> {
        let milli = self.factor_milli.filter(|milli| is_plausible(*milli, table_milli))?;
        Some(CalibratedFactor { milli, may_drop: self.reports >= MIN_DROP_REPORTS })
    }

    /// Forgets factors outside of the bounds; if the factor itself is, all that was learnt.
    pub fn forget_implausible(&mut self, table_milli: u32) {
        self.reported_milli.retain(|milli| is_plausible(*milli, table_milli));
        if self.factor_milli.is_none_or(|milli| !is_plausible(milli, table_milli)) {
            (self.factor_milli, self.reports) = (None, 0);
            self.reported_milli.clear();
        }
    }
}

fn is_plausible(milli: u32, table_milli: u32) -> bool {
    let share = u64::from(milli) * 1000;
    let table = u64::from(table_milli);
    (table * MIN_FACTOR_SHARE_MILLI..=table * MAX_FACTOR_SHARE_MILLI).contains(&share)
}

/// The median, of an even number the mean of the middle two; none of none.
fn median(factors: &[u32]) -> Option<u32> {
    let mut sorted = factors.to_vec();
    sorted.sort_unstable();
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = *sorted.get(sorted.len().saturating_sub(1) / 2)?;
    Some(lower.midpoint(upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibration(raw: u64) -> ModelCalibration {
        ModelCalibration::new("m".into(), raw)
    }

    #[test]
    fn a_report_is_plausible_from_half_to_twice_the_table_s_factor() {
        let at = |tokens, table| calibration(1000).compare(tokens, table);
        assert_eq!(at(1200, 1000), UsageReport::Plausible(1200));
        assert_eq!(at(2000, 1000), UsageReport::Plausible(2000));
        assert_eq!(at(2001, 1000), UsageReport::Implausible);
        assert_eq!(calibration(2000).compare(4001, 1000), UsageReport::Implausible);
        assert_eq!(at(2400, 1200), UsageReport::Plausible(2400));
        assert_eq!(calibration(4000).compare(2000, 1000), UsageReport::Plausible(500));
        assert_eq!(calibration(4000).compare(2000, 1200), UsageReport::Implausible);
        assert_eq!(calibration(4000).compare(1996, 1000), UsageReport::Implausible);
        assert_eq!(at(u64::MAX, 1000), UsageReport::Implausible);
        assert_eq!(calibration(0).compare(1200, 1000), UsageReport::Uncounted);
    }

    #[test]
    fn a_small_report_is_not_learnt_from() {
        assert_eq!(calibration(1000).compare(999, 1000), UsageReport::Small);
        assert_eq!(calibration(10).compare(25, 1000), UsageReport::Implausible);
    }

    #[test]
    fn the_factor_is_the_median_of_the_last_five() {
        let mut own = calibration(1000);
        let mut after = |milli| {
            own.learn(milli);
            let factor = own.factor(1000).unwrap();
            (factor.milli, factor.may_drop)
        };
        assert_eq!(after(1100), (1100, false));
        assert_eq!(after(2000), (1550, true));
        assert_eq!(after(1200), (1200, true));
        assert_eq!(after(1300), (1250, true));
        assert_eq!(after(1000), (1200, true));
        assert_eq!(after(1900), (1300, true));
        assert_eq!((own.reports, own.reported_milli.len()), (6, 5));
    }

    #[test]
    fn a_row_without_reported_factors_is_read() {
        let text = r#"{"model":"m","raw":7,"factor_milli":1500,"reports":3}"#;
        let mut own: ModelCalibration = serde_json::from_str(text).unwrap();
        assert_eq!(own.factor(1000), Some(CalibratedFactor { milli: 1500, may_drop: true }));
        own.learn(1000);
        assert_eq!((own.factor_milli, own.reports), (Some(1250), 4));
    }

    #[test]
    fn an_implausible_factor_is_not_used_and_can_be_forgotten() {
        let known = ModelCalibration {
            factor_milli: Some(59_970),
            reports: 2,
            reported_milli: vec![1_100, 59_970],
            ..calibration(7)
        };
        assert_eq!(known.factor(1000), None);
        let mut own = known;
        own.forget_implausible(1000);
        assert_eq!(own, calibration(7));
    }
}
