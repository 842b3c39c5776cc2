//! How providers count the requests of a model, compared with the counts of this service: mode `fit`
//! counts each request, and the usage in its response says what it was.
//!
//! Kept in memory alone. A factor only decides when a compaction point is passed, never which bytes are
//! sent of what was decided.

use std::sync::Arc;

use quick_cache::sync::Cache;

use crate::domain::{ModelCalibration, UsageReport};

/// Models whose factors are kept.
const MAX_MODELS: usize = 4_096;

/// A model as an upstream counts it for a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CalibrationKey {
    pub(super) tenant: Arc<str>,
    pub(super) upstream: Arc<str>,
    pub(super) model: Arc<str>,
}

/// What was learnt from usage.
#[derive(Debug)]
pub(super) struct Calibrations(Cache<CalibrationKey, Arc<ModelCalibration>>);

impl Default for Calibrations {
    fn default() -> Self {
        Self(Cache::new(MAX_MODELS))
    }
}

impl Calibrations {
    /// The factor of a model in thousandths, if enough was learnt. `table_milli` is that of the catalogue.
    pub(super) fn factor(&self, key: &CalibrationKey, table_milli: u32) -> Option<u32> {
        Some(self.0.get(key)?.factor(table_milli)?.milli)
    }

    /// Learns from a request of `raw` tokens before any factor, of which the provider counted `tokens`.
    pub(super) fn learn(&self, key: CalibrationKey, raw: u64, tokens: u64, table_milli: u32) {
        let known = self.0.get(&key);
        let mut own = known.map_or_else(
            || ModelCalibration::new(Arc::clone(&key.model), raw),
            |known| ModelCalibration { raw, ..(*known).clone() },
        );
        if let UsageReport::Plausible(milli) = own.compare(tokens, table_milli) {
            own.learn(milli);
            self.0.insert(key, Arc::new(own));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_of_its_tenant_its_upstream_and_its_model() {
        let calibrations = Calibrations::default();
        let key = |tenant: &str, upstream: &str, model: &str| CalibrationKey {
            tenant: tenant.into(),
            upstream: upstream.into(),
            model: model.into(),
        };
        let own = key("t", "u", "m");
        assert_eq!(calibrations.factor(&own, 1000), None);
        calibrations.learn(own.clone(), 10_000, 14_000, 1000);
        assert_eq!(calibrations.factor(&own, 1000), Some(1400));
        // Small and implausible ones are not learnt from.
        calibrations.learn(own.clone(), 100, 190, 1000);
        calibrations.learn(own.clone(), 10_000, 90_000, 1000);
        assert_eq!(calibrations.factor(&own, 1000), Some(1400));
        for other in [key("x", "u", "m"), key("t", "x", "m"), key("t", "u", "x")] {
            assert_eq!(calibrations.factor(&other, 1000), None);
        }
    }
}
