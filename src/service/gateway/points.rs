//! The compaction points of one list: which of its requests passed one, and what was decided there.
//!
//! The last point that was passed decides about everything before it. Points are stored like decisions,
//! under hashes of their own.

use std::collections::HashMap;
use std::sync::Arc;

use super::cache::{DecisionCache, KnownPoint};
use crate::domain::ContentHash;
use crate::gateway::{Compaction, CompactionPlace, LineageHash, RequestOutline};

/// A place at which a request may have passed a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointPlace {
    pub(super) place: CompactionPlace,
    pub(super) hash: LineageHash,
}

/// A point that a request passed.
#[derive(Debug)]
pub(super) struct PassedPoint {
    pub(super) place: CompactionPlace,
    pub(super) compaction: Arc<Compaction>,
}

/// What is known of the points of a list.
#[derive(Debug, Default)]
pub(super) struct KnownPoints {
    /// Places after the last known point of which this process knows nothing, the last one first.
    unknown: Vec<PointPlace>,
    /// The place of this request.
    pub(super) last: Option<PointPlace>,
    pub(super) passed: Option<PassedPoint>,
    /// Places at which nothing was decided because the store was away, which is not stored yet.
    pub(super) unstored: Vec<LineageHash>,
}

impl KnownPoints {
    /// Looks up in memory which points the requests of a list have passed.
    pub(super) fn recall(
        cache: &DecisionCache,
        outline: &RequestOutline,
        hashes: &[LineageHash],
    ) -> Self {
        let mut points = Self::default();
        for place in outline.compaction_places().into_iter().rev() {
            let Some(hash) = hashes.get(place.last).map(LineageHash::of_compaction) else {
                continue;
            };
            let point = PointPlace { place, hash };
            let is_last = points.last.is_none();
            points.last = points.last.or(Some(point));
            if cache.is_unstored(&hash) {
                // That of this request may be decided yet.
                points.unstored.extend((!is_last).then_some(hash));
                continue;
            }
            match cache.point(&hash) {
                KnownPoint::Unknown => points.unknown.push(point),
                KnownPoint::NotPassed => {}
                KnownPoint::Passed(compaction) => {
                    points.passed = Some(PassedPoint { place, compaction });
                    break;
                }
            }
        }
        points
    }

    /// The hashes that the store is to be asked for.
    pub(super) fn unknown(&self) -> impl Iterator<Item = ContentHash> {
        self.unknown.iter().map(|point| ContentHash(point.hash.0))
    }

    /// Whether an earlier request may have passed a point of which nothing is known.
    pub(super) fn is_open(&self) -> bool {
        let last = self.last.map(|point| point.hash);
        self.unknown.iter().any(|point| Some(point.hash) != last)
    }

    /// Whether this very request has passed a point before.
    pub(super) fn is_passed(&self) -> bool {
        let last = self.last.map(|point| point.place.last);
        self.passed.as_ref().is_some_and(|passed| Some(passed.place.last) == last)
    }

    /// Takes over what the store has of the unknown points.
    pub(super) fn add(
        &mut self,
        cache: &DecisionCache,
        outline: &RequestOutline,
        stored: &HashMap<[u8; 32], Vec<u8>>,
    ) {
        let last = self.last.map(|point| point.hash);
        for PointPlace { place, hash } in std::mem::take(&mut self.unknown) {
            let packed = stored.get(&hash.0);
            match packed.and_then(|packed| Compaction::unpack(packed, &outline.messages)) {
                Some(compaction) => {
                    let compaction = Arc::new(compaction);
                    cache.insert_point(hash, Arc::clone(&compaction));
                    self.passed = Some(PassedPoint { place, compaction });
                    // It says all about what is before it.
                    return;
                }
                None if Some(hash) == last => {}
                None => cache.note_not_passed(hash),
            }
        }
    }
}
