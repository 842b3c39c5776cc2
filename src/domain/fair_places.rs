//! Places that tenants share, and the order in which waiting work gets one.
//!
//! The tenant that has the fewest places is served first; tenants that have equally many take
//! turns. A tenant that has none gets an extra place if all others are taken, so that the long work
//! of one tenant never shuts another one out.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Work that waits for a place.
pub trait Waiter {
    /// Whether the work still wants a place.
    fn is_waiting(&self) -> bool;
}

/// Numbers of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceLimits {
    /// Places for work of any tenant.
    pub places: usize,
    /// Places in addition, for tenants that have none.
    pub extra_places: usize,
    /// Work that may have given its place away for a while. At this limit, no further work begins.
    pub max_away: usize,
    /// Work that may be away in addition, of tenants with little of it.
    pub extra_away: usize,
}

/// Work of a tenant that may be away even if other tenants have reached the limit.
const FEW_AWAY: usize = 8;

/// The places, and the work that waits for one.
#[derive(Debug)]
pub struct FairPlaces<W> {
    limits: PlaceLimits,
    /// Work that has begun and has not ended.
    begun: usize,
    /// Places that are taken.
    taken: usize,
    tenants: BTreeMap<Arc<str>, TenantPlaces<W>>,
    /// The tenants that have waiting work; the one whose turn is next comes first.
    turns: VecDeque<Arc<str>>,
}

#[derive(Debug)]
struct TenantPlaces<W> {
    begun: usize,
    taken: usize,
    /// Work that has begun and wants its place back: it is served first.
    returning: VecDeque<W>,
    /// Work that has not begun.
    new: VecDeque<W>,
}

/// Waiting work that got a place.
#[derive(Debug)]
pub struct GrantedPlace<W> {
    pub tenant: Arc<str>,
    pub waiter: W,
}

impl PlaceLimits {
    /// Limits of work that never gives its place away.
    pub const fn without_away(places: usize, extra_places: usize) -> Self {
        Self { places, extra_places, max_away: usize::MAX, extra_away: 0 }
    }
}

impl<W> Default for TenantPlaces<W> {
    fn default() -> Self {
        Self { begun: 0, taken: 0, returning: VecDeque::new(), new: VecDeque::new() }
    }
}

impl<W> TenantPlaces<W> {
    fn away(&self) -> usize {
        self.begun.saturating_sub(self.taken)
    }

    fn waits(&self) -> bool {
        !(self.returning.is_empty() && self.new.is_empty())
    }

    fn is_idle(&self) -> bool {
        self.begun == 0 && self.taken == 0 && !self.waits()
    }
}

impl<W: Waiter> FairPlaces<W> {
    pub fn new(limits: PlaceLimits) -> Self {
        let (tenants, turns) = (BTreeMap::new(), VecDeque::new());
        Self { limits, begun: 0, taken: 0, tenants, turns }
    }

    /// Begins work at once if there is a place for it. Otherwise the work has to wait.
    pub fn try_begin(&mut self, tenant: &Arc<str>) -> bool {
        let found = self.tenants.get(tenant);
        let has_turn = found.is_none_or(|found| !found.waits());
        let (taken, away) = found.map_or((0, 0), |found| (found.taken, found.away()));
        if !(has_turn && self.has_place(taken) && self.may_begin(away)) {
            return false;
        }
        let own = self.tenants.entry(Arc::clone(tenant)).or_default();
        own.begun += 1;
        own.taken += 1;
        self.begun += 1;
        self.taken += 1;
        true
    }

    /// Adds work that has not begun; [`Self::serve`] finds out whether it gets a place.
    pub fn wait_to_begin(&mut self, tenant: &Arc<str>, waiter: W) {
        let own = self.tenants.entry(Arc::clone(tenant)).or_default();
        let had_turn = own.waits();
        // Work that no longer waits is usually removed on its turn. With this, what piles up before
        // that is at most as much as waits.
        if own.new.len() >= 64 && own.new.len().is_power_of_two() {
            own.new.retain(Waiter::is_waiting);
        }
        own.new.push_back(waiter);
        if !had_turn {
            self.turns.push_back(Arc::clone(tenant));
        }
    }

    /// Adds work that has begun and wants its place back.
    pub fn wait_to_return(&mut self, tenant: &Arc<str>, waiter: W) {
        let own = self.tenants.entry(Arc::clone(tenant)).or_default();
        let had_turn = own.waits();
        own.returning.push_back(waiter);
        if !had_turn {
            self.turns.push_back(Arc::clone(tenant));
        }
    }

    /// Gives a place to the next waiting work, if there is one for it. The caller asks again until
    /// there is none.
    pub fn serve(&mut self) -> Option<GrantedPlace<W>> {
        loop {
            let tenant = self.turns.remove(self.next_turn()?)?;
            let may_begin = self.may_begin(self.tenants.get(&tenant)?.away());
            let own = self.tenants.get_mut(&tenant)?;
            let (waiter, is_new) = match own.returning.pop_front() {
                Some(waiter) => (Some(waiter), false),
                None if may_begin => (own.new.pop_front(), true),
                None => (None, true),
            };
            let waiter = waiter.filter(Waiter::is_waiting);
            if waiter.is_some() {
                own.taken += 1;
                self.taken += 1;
                if is_new {
                    own.begun += 1;
                    self.begun += 1;
                }
            }
            let waits = own.waits();
            match (waits, waiter.is_some()) {
                (true, true) => self.turns.push_back(Arc::clone(&tenant)),
                // Work that has gone away costs its tenant no turn.
                (true, false) => self.turns.push_front(Arc::clone(&tenant)),
                (false, _) => self.forget_if_idle(&tenant),
            }
            if let Some(waiter) = waiter {
                return Some(GrantedPlace { tenant, waiter });
            }
        }
    }

    /// Takes a place back, of work that ends or gives it away.
    pub fn release(&mut self, tenant: &Arc<str>) {
        if let Some(own) = self.tenants.get_mut(tenant) {
            own.taken = own.taken.saturating_sub(1);
            self.taken = self.taken.saturating_sub(1);
        }
        self.forget_if_idle(tenant);
    }

    /// Notes that work has ended. Its place is released separately.
    pub fn end(&mut self, tenant: &Arc<str>) {
        if let Some(own) = self.tenants.get_mut(tenant) {
            own.begun = own.begun.saturating_sub(1);
            self.begun = self.begun.saturating_sub(1);
        }
        self.forget_if_idle(tenant);
    }

    /// Places that are taken, by any tenant.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// The turn of the tenant to serve: of those that can be served, one with the fewest places.
    fn next_turn(&self) -> Option<usize> {
        let servable = self.turns.iter().enumerate().filter_map(|(turn, tenant)| {
            let own = self.tenants.get(tenant)?;
            let waits =
                !own.returning.is_empty() || (!own.new.is_empty() && self.may_begin(own.away()));
            (waits && self.has_place(own.taken)).then_some((own.taken, turn))
        });
        servable.min().map(|(_, turn)| turn)
    }

    fn has_place(&self, taken_by_tenant: usize) -> bool {
        let PlaceLimits { places, extra_places, .. } = self.limits;
        self.taken < places
            || (taken_by_tenant == 0 && self.taken < places.saturating_add(extra_places))
    }

    fn may_begin(&self, away_of_tenant: usize) -> bool {
        let PlaceLimits { max_away, extra_away, .. } = self.limits;
        let away = self.begun.saturating_sub(self.taken);
        away < max_away || (away_of_tenant < FEW_AWAY && away < max_away.saturating_add(extra_away))
    }

    fn forget_if_idle(&mut self, tenant: &Arc<str>) {
        if self.tenants.get(tenant).is_some_and(TenantPlaces::is_idle) {
            self.tenants.remove(tenant);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    /// Work with a number, which can go away.
    #[derive(Debug)]
    struct Work {
        number: u32,
        waits: Rc<Cell<bool>>,
    }

    impl Waiter for Work {
        fn is_waiting(&self) -> bool {
            self.waits.get()
        }
    }

    fn work(number: u32) -> Work {
        Work { number, waits: Rc::new(Cell::new(true)) }
    }

    fn places(places: usize, extra_places: usize) -> FairPlaces<Work> {
        FairPlaces::new(PlaceLimits { places, extra_places, max_away: 4, extra_away: 4 })
    }

    fn tenants() -> [Arc<str>; 3] {
        ["a", "b", "c"].map(Arc::from)
    }

    fn serve_all(places: &mut FairPlaces<Work>) -> Vec<u32> {
        std::iter::from_fn(|| places.serve()).map(|served| served.waiter.number).collect()
    }

    #[test]
    fn a_tenant_without_a_place_gets_an_extra_one() {
        let [a, b, c] = tenants();
        let mut places = places(2, 1);
        assert!(places.try_begin(&a) && places.try_begin(&a) && !places.try_begin(&a));
        assert!(places.try_begin(&b), "b has none yet");
        assert!(!places.try_begin(&c), "there is one extra place");
        places.wait_to_begin(&b, work(1));
        places.wait_to_begin(&c, work(2));
        places.wait_to_begin(&a, work(3));
        assert_eq!(serve_all(&mut places), [0; 0]);
        places.release(&a);
        places.end(&a);
        // The first place that is free is not for a, which has one, nor for b, which has one too.
        assert_eq!(serve_all(&mut places), [2]);
    }

    #[test]
    fn tenants_take_turns() {
        let [a, b, c] = tenants();
        let mut places = places(1, 0);
        for number in 0..6 {
            places.wait_to_begin(&a, work(number));
        }
        for number in 10..12 {
            places.wait_to_begin(&b, work(number));
        }
        places.wait_to_begin(&c, work(20));
        let mut order = Vec::new();
        while let Some(served) = places.serve() {
            order.push(served.waiter.number);
            places.release(&served.tenant);
            places.end(&served.tenant);
        }
        assert_eq!(order, [0, 10, 20, 1, 11, 2, 3, 4, 5]);
        assert!(places.tenants.is_empty() && places.turns.is_empty());
        assert_eq!((places.taken(), places.begun), (0, 0));
    }

    #[test]
    fn the_tenant_with_fewer_places_is_served_first() {
        let [a, b, _] = tenants();
        let mut places = places(3, 0);
        assert!(places.try_begin(&a) && places.try_begin(&a) && places.try_begin(&b));
        places.wait_to_begin(&a, work(1));
        places.wait_to_begin(&b, work(2));
        places.release(&b);
        assert_eq!(serve_all(&mut places), [2]);
    }

    #[test]
    fn work_that_is_away_of_one_tenant_is_limited() {
        let [a, b, _] = tenants();
        let mut places = places(2, 0);
        for _ in 0..4 {
            assert!(places.try_begin(&a));
            places.release(&a);
        }
        // Four are away: a may have a few more, up to the extra ones.
        for _ in 0..4 {
            assert!(places.try_begin(&a));
            places.release(&a);
        }
        assert!(!places.try_begin(&a), "too much is away");
        assert!(!places.try_begin(&b), "of everybody");
        places.wait_to_begin(&a, work(1));
        places.wait_to_return(&a, work(2));
        assert_eq!(serve_all(&mut places), [2, 1], "what comes back lets the next begin");
    }

    #[test]
    fn a_tenant_with_much_work_away_leaves_room_for_others() {
        let [a, b, _] = tenants();
        let limits = PlaceLimits { places: 1, extra_places: 0, max_away: 20, extra_away: 8 };
        let mut places: FairPlaces<Work> = FairPlaces::new(limits);
        let mut begin = |tenant: &Arc<str>| {
            let begins = places.try_begin(tenant);
            if begins {
                places.release(tenant);
            }
            begins
        };
        let count = |begin: &mut dyn FnMut(&Arc<str>) -> bool, tenant: &Arc<str>| {
            std::iter::repeat_with(|| begin(tenant)).take(100).filter(|begun| *begun).count()
        };
        assert_eq!(count(&mut begin, &a), 20);
        assert_eq!(count(&mut begin, &b), FEW_AWAY);
    }

    #[test]
    fn work_that_goes_away_costs_no_turn_and_no_memory() {
        let [a, b, _] = tenants();
        let mut places = places(1, 0);
        assert!(places.try_begin(&a));
        for number in 0..1_000 {
            let gone = work(number);
            gone.waits.set(false);
            places.wait_to_begin(&a, gone);
        }
        assert!(places.tenants[&a].new.len() <= 64);
        places.wait_to_begin(&a, work(7));
        places.wait_to_begin(&b, work(8));
        places.release(&a);
        places.end(&a);
        assert_eq!(serve_all(&mut places), [7]);
    }
}
