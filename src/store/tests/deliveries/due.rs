//! Rows that say what is due, next to the calls that they follow from.

use proptest::prelude::*;

use super::*;
use crate::store::backend::WriteNeeds;
use crate::store::deliveries::{DUE_STATEMENTS, make_lines};

/// The rows about lines, hooks and tenants, as text.
fn derived(store: &Store) -> Vec<String> {
    rows(
        store,
        "SELECT 'line', tenant, hook, session, seq, retried, claimed, due_at, 0
         FROM delivery_lines
         UNION ALL
         SELECT 'hook', tenant, hook, '', queued, 0, 0, coalesce(due_at, 0), coalesce(retry_at, 0)
         FROM delivery_hooks WHERE queued > 0
         UNION ALL
         SELECT 'tenant', tenant, '', '', 0, 0, 0, coalesce(due_at, 0), coalesce(retry_at, 0)
         FROM delivery_tenants
         ORDER BY 1, 2, 3, 4",
    )
}

/// The same rows as they follow from the calls and from the state of hooks.
fn expected(store: &Store) -> Vec<String> {
    rows(
        store,
        "WITH line AS (
             SELECT tenant, hook, session, seq, CASE WHEN tries > 0 THEN 1 ELSE 0 END AS retried,
                    claimed,
                    -- A call that is retried by hand is due before all others.
                    coalesce((SELECT l.due_at FROM delivery_lines AS l
                              WHERE l.tenant = d.tenant AND l.hook = d.hook
                                AND l.session = d.session AND l.seq = d.seq AND l.due_at = 0),
                             d.due_at) AS due_at
             FROM deliveries AS d
             WHERE state = 'queued' AND seq = (SELECT min(e.seq) FROM deliveries AS e
                 WHERE e.tenant = d.tenant AND e.hook = d.hook AND e.session = d.session
                   AND e.state = 'queued')),
         due AS (
             SELECT h.tenant, h.hook, h.failures, h.ready_at,
                 (SELECT count(*) FROM deliveries AS d WHERE d.tenant = h.tenant
                  AND d.hook = h.hook AND d.state = 'queued') AS queued,
                 (SELECT min(due_at) FROM line WHERE line.tenant = h.tenant
                  AND line.hook = h.hook AND (retried = 0 AND h.failures < 5)) AS first,
                 (SELECT min(due_at) FROM line WHERE line.tenant = h.tenant
                  AND line.hook = h.hook AND (retried = 1 OR h.failures >= 5)) AS retry
             FROM delivery_hooks AS h),
         hook AS (
             SELECT tenant, hook, queued,
                 CASE WHEN first < ready_at THEN ready_at ELSE first END AS due_at,
                 CASE WHEN retry < ready_at THEN ready_at ELSE retry END AS retry_at
             FROM due WHERE queued > 0)
         SELECT 'line', tenant, hook, session, seq, retried, claimed, due_at, 0 FROM line
         UNION ALL
         SELECT 'hook', tenant, hook, '', queued, 0, 0, coalesce(due_at, 0), coalesce(retry_at, 0)
         FROM hook
         UNION ALL
         SELECT 'tenant', tenant, '', '', 0, 0, 0, coalesce(min(due_at), 0),
                coalesce(min(retry_at), 0) FROM hook GROUP BY tenant
         ORDER BY 1, 2, 3, 4",
    )
}

fn rows(store: &Store, sql: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut each = |row: &dyn crate::store::sql::Row| {
        let columns: Vec<String> =
            (0..9).map(|at| format!("{:?}", row.value(at).unwrap())).collect();
        found.push(columns.join(" "));
        Ok(())
    };
    store.inner.backend.read(None, &mut |sql_| sql_.query(sql, &[], &mut each)).unwrap();
    found
}

/// A step of a simulation; numbers choose tenants, hooks, sessions and calls.
#[derive(Debug, Clone)]
enum Step {
    Queue(u8, u8, u8),
    Claim,
    Settle(u8, bool),
    Later(u8),
    Retry(u8),
    Resume(u8, u8),
    Overfill(u8, u8),
    Forget(u8, u8),
    Delete(u8, u8),
    Free,
    Wait(u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (0..2_u8, 0..3_u8, 0..3_u8).prop_map(|(tenant, hook, session)| Step::Queue(tenant, hook, session)),
        4 => Just(Step::Claim),
        8 => (any::<u8>(), any::<bool>()).prop_map(|(call, good)| Step::Settle(call, good)),
        1 => any::<u8>().prop_map(Step::Later),
        2 => any::<u8>().prop_map(Step::Retry),
        1 => (0..2_u8, 0..3_u8).prop_map(|(tenant, hook)| Step::Resume(tenant, hook)),
        2 => (0..2_u8, 0..3_u8).prop_map(|(tenant, hook)| Step::Overfill(tenant, hook)),
        1 => (0..2_u8, 0..3_u8).prop_map(|(tenant, hook)| Step::Forget(tenant, hook)),
        1 => (0..2_u8, 0..3_u8).prop_map(|(tenant, hook)| Step::Delete(tenant, hook)),
        1 => Just(Step::Free),
        3 => (1..400_u32).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 1..60)
}

/// Plays the steps, and compares the derived rows after each.
fn play(store: &Store, clock: &Clock, steps: &[Step]) {
    let (mut under_way, mut known): (Vec<ClaimedDelivery>, Vec<String>) = (Vec::new(), Vec::new());
    let tenant = |number: u8| store.tenant(&format!("t{number}"));
    for (number, step) in steps.iter().enumerate() {
        match step.clone() {
            Step::Queue(owner, hook, session) => {
                known.push(format!("t{owner} {number}"));
                let (hook, session) = (format!("h{hook}"), session.to_string());
                queue(&tenant(owner), &hook, &session, &format!("t{owner} {number}"));
            }
            Step::Claim => under_way.extend(claim(store)),
            Step::Settle(call, good) if !under_way.is_empty() => {
                let call = under_way.remove(usize::from(call) % under_way.len());
                settle(store, &call, good);
            }
            Step::Later(call) if !under_way.is_empty() => {
                let call = under_way.remove(usize::from(call) % under_way.len());
                let later = AttemptOutcome::Later(store.now().after(Duration::from_secs(10)));
                let owner = store.tenant(&call.tenant);
                owner.write(move |tx| tx.settle_delivery(&call, None, later, None)).unwrap();
            }
            Step::Retry(call) if !known.is_empty() => {
                let id = known[usize::from(call) % known.len()].clone();
                let owner = store.tenant(id.split(' ').next().unwrap());
                owner.write(move |tx| tx.retry_delivery(&id)).unwrap();
            }
            Step::Resume(owner, hook) => {
                tenant(owner).write(move |tx| tx.resume_queue(&format!("h{hook}"))).unwrap();
            }
            Step::Overfill(owner, hook) => {
                let hook = format!("h{hook}");
                tenant(owner).write(move |tx| tx.evict_calls(&hook, MAX_QUEUED_CALLS + 1)).unwrap();
            }
            Step::Delete(owner, hook) => {
                let hook = format!("h{hook}");
                tenant(owner).write(move |tx| tx.forget_deliveries_of(&hook)).unwrap();
            }
            Step::Forget(owner, hook) => {
                let hook = format!("h{hook}");
                tenant(owner).write(move |tx| tx.forget_newest_deliveries(&hook, 1)).unwrap();
            }
            Step::Free => store.free_deliveries().unwrap(),
            Step::Wait(seconds) => clock.advance(Duration::from_secs(seconds.into())),
            Step::Settle(..) | Step::Later(_) | Step::Retry(_) => {}
        }
        assert_eq!(derived(store), expected(store), "after step {number}, {step:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_due_follows_from_the_calls_whatever_happens(steps in steps()) {
        let clock = Clock::standing(Timestamp::from_micros(1_800_000_000_000_000));
        play(&Store::memory(Retention::default(), clock.clone()).unwrap(), &clock, &steps);
    }
}

/// Twice every kind of step, on every backend.
#[test]
fn what_is_due_follows_from_the_calls_on_every_backend() {
    let mut steps: Vec<Step> = (0..18).map(|at| Step::Queue(at % 2, at % 3, at / 6)).collect();
    for at in 0..6 {
        steps.extend([Step::Claim, Step::Settle(at, at % 2 == 0), Step::Settle(at, false)]);
        steps.extend([Step::Later(0), Step::Retry(at), Step::Wait(7), Step::Claim, Step::Free]);
        steps.extend([Step::Overfill(at % 2, at % 3), Step::Resume(0, at % 3), Step::Wait(60)]);
    }
    steps.extend([
        Step::Forget(0, 0),
        Step::Claim,
        Step::Delete(0, 0),
        Step::Claim,
        Step::Delete(1, 1),
    ]);
    each(&Retention::default(), |store, clock| play(&store, &clock, &steps));
}

#[test]
fn the_lines_of_calls_of_an_older_release_are_made_in_batches() {
    each(&Retention::default(), |store, clock| {
        for number in 0..60 {
            let tenant = store.tenant(&format!("t{}", number % 2));
            let (hook, session) = (format!("h{}", number % 3), (number / 7).to_string());
            queue(&tenant, &hook, &session, &number.to_string());
        }
        settle_all(&store, &claim(&store), false);
        clock.advance(HOUR);
        claim(&store);
        for name in ["t0", "t1"] {
            let tenant = store.tenant(name);
            set(&tenant, "DELETE FROM delivery_lines WHERE tenant = ?1");
            set(&tenant, "DELETE FROM delivery_hooks WHERE tenant = ?1");
            set(&tenant, "DELETE FROM delivery_tenants WHERE tenant = ?1");
        }
        let write = |work: fn(&dyn super::super::sql::Sql) -> Result<bool, Error>| {
            let (job, pending) = super::super::backend::job(None, WriteNeeds::default(), work);
            store.inner.backend.write(job).unwrap();
            pending.wait().unwrap()
        };
        write(|sql| {
            let begin = "INSERT INTO delivery_backfill (tenant, hook, session, seq)
                         VALUES ('', '', '', 0)";
            sql.execute(begin, &[]).map(|_| true)
        });
        let mut batches = 1;
        while write(|sql| make_lines(sql, 7)) {
            batches += 1;
        }
        assert_eq!(batches, 9);
        assert_eq!(derived(&store), expected(&store));
        assert!(derived(&store).len() > 30);
        assert!(!write(|sql| make_lines(sql, 7)), "it is done once");
        assert_eq!(derived(&store), expected(&store));
    });
}

/// The statements that a claim begins with read no more rows than they return.
#[test]
fn what_is_due_is_found_by_an_index() {
    let store = Store::memory(Retention::default(), Clock::system()).unwrap();
    let mut plans = Vec::new();
    for sql in DUE_STATEMENTS {
        let plan = format!("EXPLAIN QUERY PLAN {sql}");
        let mut each = |row: &dyn crate::store::sql::Row| {
            plans.push(row.get::<String>(3)?);
            Ok(())
        };
        store.inner.backend.read(None, &mut |sql| sql.query(&plan, &[], &mut each)).unwrap();
    }
    assert_eq!(plans.len(), DUE_STATEMENTS.len());
    assert!(plans.iter().all(|plan| plan.starts_with("SEARCH")), "{plans:#?}");
}
