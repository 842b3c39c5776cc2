//! Candidates for memory, and the logs behind them.

use super::*;
use crate::domain::{
    Actor, ActorKind, Candidate, CandidateState, ChainLink, Checks, Classification, ConsentCheck,
    ContradictedEntry, Contradiction, FactProperty, MemoryClass, MemoryScope, MemoryTier,
    MemoryTtl, Proposal, RawJson, Review, ReviewVerdict,
};
use crate::store::sql::values;

fn principal(id: &str, kind: ActorKind) -> Actor {
    Actor { id: id.into(), kind }
}

/// A candidate of which only what is needed is said.
fn plain(id: &str, now: Timestamp) -> Candidate {
    Candidate {
        id: id.into(),
        state: CandidateState::InReview,
        version: 1,
        proposal: Proposal {
            value: RawJson::new("\"email\""),
            about: None,
            class: MemoryClass::Preference,
            key: None,
            description: None,
            scope: MemoryScope::default(),
            tier: MemoryTier::Semantic,
            classification: Classification::Internal,
            intents: Vec::new(),
            confidence: None,
            evidence_refs: None,
            consent: None,
            ttl: None,
        },
        fingerprint: ContentHash::of("fact"),
        proposers: vec![principal("ann", ActorKind::User)],
        checks: Checks {
            duplicate_of: None,
            previous: None,
            contradiction: Contradiction::None,
            existing: Vec::new(),
            consent: ConsentCheck::NotRequired,
            auto_promote_eligible: false,
        },
        review: None,
        capture: 1,
        last_event: 1,
        memory_key: None,
        superseded_by: None,
        created_at: now,
        updated_at: now,
    }
}

/// A candidate with every member.
fn full(id: &str, now: Timestamp) -> Candidate {
    let mut full = plain(id, now);
    full.state = CandidateState::Superseded;
    full.version = 7;
    full.proposal = Proposal {
        value: RawJson::new("{\"a\": 1.50}"),
        about: Some(FactProperty { entity: "ann \"x\"".into(), predicate: "contact".into() }),
        class: MemoryClass::Correction,
        key: Some("k".into()),
        description: Some("about".into()),
        scope: MemoryScope {
            subject: Some("ann".into()),
            session_id: Some("s".into()),
            agent: Some("coder".into()),
            pack_tenant: Some("acme".into()),
        },
        tier: MemoryTier::Working,
        classification: Classification::Restricted,
        intents: vec!["refund".into(), "in\"tent".into()],
        confidence: Some(0.79),
        evidence_refs: Some(RawJson::new("[{\"id\": 1}]")),
        consent: Some(RawJson::new("true")),
        ttl: Some(MemoryTtl::Turns(3)),
    };
    full.proposers.push(principal("bot", ActorKind::Agent));
    full.checks.duplicate_of = Some("mcd_0".into());
    full.checks.previous = Some("mcd_1".into());
    full.checks.contradiction = Contradiction::Conflict;
    full.checks.existing =
        vec![ContradictedEntry { key: "k".into(), candidate: Some("mcd_2".into()) }];
    full.checks.consent = ConsentCheck::Given;
    full.review = Some(Review {
        verdict: ReviewVerdict::Approve,
        reason: "because\n".into(),
        by: principal("bob", ActorKind::User),
    });
    full.capture = 4;
    full.last_event = 9;
    full.memory_key = Some("k".into());
    full.superseded_by = Some("mcd_3".into());
    full
}

fn put(tenant: &Tenant, candidate: &Candidate) {
    let candidate = candidate.clone();
    tenant.write(move |tx| tx.put_candidate(&candidate)).unwrap();
}

fn append(tenant: &Tenant, log: TenantLog, text: &'static str) -> ChainLink {
    let captured =
        (log == TenantLog::Captures).then_some(CapturedText { candidate: "mcd_1", content: text });
    let body = move |seq| {
        let hash = ContentHash::of(text);
        format!("{{\"content\":\"{hash}\",\"seq\":{seq}}}")
    };
    tenant.write(move |tx| tx.append_log(log, body, captured)).unwrap()
}

fn ids<'c>(found: impl IntoIterator<Item = &'c Candidate>) -> Vec<String> {
    found.into_iter().map(|one| one.id.to_string()).collect()
}

#[test]
fn a_candidate_comes_back_with_every_member() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        for candidate in [full("mcd_a", clock.now()), plain("mcd_b", clock.now())] {
            put(&tenant, &candidate);
            let found = tenant.read(|tx| tx.candidate(&candidate.id)).unwrap();
            assert_eq!(found.as_ref(), Some(&candidate));
            let changed = Candidate { version: 8, ..candidate };
            put(&tenant, &changed);
            let found = tenant.read(|tx| tx.candidate(&changed.id)).unwrap();
            assert_eq!(found.as_ref(), Some(&changed));
        }
        assert_eq!(tenant.read(|tx| tx.candidate("mcd_c")).unwrap(), None);
    });
}

#[test]
fn candidates_are_found_by_state_by_fact_and_by_entry() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        for (at, state) in [CandidateState::InReview, CandidateState::Promoted].iter().enumerate() {
            for number in 0..3u64 {
                let mut one = plain(&format!("mcd_{at}{number}"), clock.now());
                one.state = *state;
                one.last_event = 10 - number;
                one.proposal.about =
                    Some(FactProperty { entity: "ann".into(), predicate: "p".into() });
                if number == 2 {
                    one.fingerprint = ContentHash::of("another");
                    one.proposal.scope.subject = Some("ann".into());
                }
                one.memory_key = (*state == CandidateState::Promoted).then(|| "k".into());
                put(&tenant, &one);
            }
        }
        let listed = |state, after: Option<&str>, limit| {
            ids(&tenant.read(|tx| tx.list_candidates(state, after, limit)).unwrap())
        };
        assert_eq!(listed(None, Some("mcd_01"), 2), ["mcd_02", "mcd_10"]);
        assert_eq!(listed(Some(CandidateState::Promoted), None, 9), ["mcd_10", "mcd_11", "mcd_12"]);
        assert_eq!(listed(Some(CandidateState::Promoted), Some("mcd_11"), 9), ["mcd_12"]);

        let fact = ContentHash::of("fact");
        let same = tenant.read(|tx| tx.same_candidates(&fact, CandidateState::InReview)).unwrap();
        assert_eq!(ids(&same), ["mcd_00", "mcd_01"], "the one that was moved last comes first");
        let about = FactProperty { entity: "ann".into(), predicate: "p".into() };
        let scope = MemoryScope { subject: Some("ann".into()), ..MemoryScope::default() };
        let found = tenant.read(|tx| tx.promoted_about(&about, &scope)).unwrap();
        assert_eq!(ids(&found), ["mcd_12"]);
        let found = tenant.read(|tx| tx.promoted_as(&MemoryScope::default(), "k")).unwrap();
        assert_eq!(ids(&found), ["mcd_11", "mcd_10"]);
    });
}

#[test]
fn logs_are_numbered_and_each_line_holds_the_hash_of_the_one_before() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        let first = append(&tenant, TenantLog::Captures, "one");
        assert_eq!((first.seq, first.prev_hash), (1, ChainLink::START));
        let second = append(&tenant, TenantLog::Captures, "two");
        assert_eq!((second.seq, second.prev_hash), (2, first.hash));
        assert_eq!(append(&tenant, TenantLog::Transitions, "other").seq, 1);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    (0..250).for_each(|_| {
                        assert!(append(&tenant, TenantLog::Captures, "many").seq > 2);
                    });
                });
            }
        });
        let lines = tenant.read(|tx| tx.log_lines(TenantLog::Captures, 1, 2)).unwrap();
        assert_eq!(lines.iter().map(|line| line.link.seq).collect::<Vec<_>>(), [2, 3]);
        let verified = tenant.read(|tx| tx.verify_log(TenantLog::Captures)).unwrap();
        assert_eq!(verified, LogVerification { lines: 1_002, broken_at: None });
    });
}

#[test]
fn a_line_that_was_tampered_with_is_named() {
    each(&Retention::default(), |store, _| {
        let tenant = store.tenant("default");
        for _ in 0..600 {
            append(&tenant, TenantLog::Captures, "text");
        }
        let broken = |sql: &'static str| {
            let found = tenant.write(move |tx| {
                tx.execute(sql, values![&[0_u8; 32]])?;
                let found = tx.verify_log(TenantLog::Captures)?;
                // Taken back, so that each change is found by itself.
                Err::<(), Undo>(Undo::Found(found.broken_at))
            });
            match found.unwrap_err() {
                Undo::Found(at) => at,
                Undo::Store(error) => panic!("{error}"),
            }
        };
        for (sql, at) in [
            ("UPDATE memory_log SET body = body || ' ' WHERE tenant = ?1 AND seq = 501", 501),
            ("UPDATE memory_log SET hash = ?2 WHERE tenant = ?1 AND seq = 7", 7),
            ("UPDATE memory_log SET prev_hash = ?2 WHERE tenant = ?1 AND seq = 7", 7),
            ("UPDATE memory_log SET content = 'x' WHERE tenant = ?1 AND seq = 600", 600),
            ("DELETE FROM memory_log WHERE tenant = ?1 AND seq = 300", 300),
            ("DELETE FROM memory_log WHERE tenant = ?1 AND seq >= 590", 590),
            ("DELETE FROM memory_log WHERE tenant = ?1", 1),
            ("UPDATE memory_log_head SET seq = 601 WHERE tenant = ?1", 601),
        ] {
            assert_eq!(broken(sql), Some(at), "{sql}");
        }
        // The text of a capture may be taken out: the chain is over its hash.
        assert_eq!(broken("UPDATE memory_log SET content = NULL WHERE tenant = ?1"), None);
    });
}

/// Takes a transaction back with what was found in it.
#[derive(Debug)]
enum Undo {
    Found(Option<u64>),
    Store(Error),
}

impl From<Error> for Undo {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

#[test]
fn nobody_sees_another_tenants_candidates_or_logs() {
    each(&Retention::default(), |store, clock| {
        let (ours, theirs) = (store.tenant("ours"), store.tenant("theirs"));
        let mut promoted = full("mcd_a", clock.now());
        promoted.state = CandidateState::Promoted;
        put(&ours, &promoted);
        append(&ours, TenantLog::Captures, "ours");
        let (proposal, fact) = (promoted.proposal.clone(), promoted.fingerprint);
        let found = theirs.read(move |tx| {
            let about = proposal.about.clone().unwrap();
            Ok::<_, Error>([
                tx.candidate("mcd_a")?.into_iter().collect(),
                tx.list_candidates(None, None, 9)?,
                tx.list_candidates(Some(CandidateState::Promoted), None, 9)?,
                tx.same_candidates(&fact, CandidateState::Promoted)?,
                tx.promoted_about(&about, &proposal.scope)?,
                tx.promoted_as(&proposal.scope, "k")?,
            ])
        });
        assert!(found.unwrap().iter().all(Vec::is_empty));
        assert!(theirs.read(|tx| tx.log_lines(TenantLog::Captures, 0, 9)).unwrap().is_empty());
        assert_eq!(append(&theirs, TenantLog::Captures, "theirs").seq, 1);
        put(&theirs, &Candidate { version: 99, ..promoted.clone() });
        assert_eq!(ours.read(|tx| tx.candidate("mcd_a")).unwrap(), Some(promoted));
    });
}

#[test]
fn a_proposal_that_fails_leaves_no_line() {
    each(&Retention::default(), |store, clock| {
        let tenant = store.tenant("default");
        let candidate = plain("mcd_a", clock.now());
        let result = tenant.write(move |tx| {
            tx.append_log(TenantLog::Captures, |seq| format!("{{\"seq\":{seq}}}"), None)?;
            tx.put_candidate(&candidate)?;
            Err::<(), Error>(Error::TooManyPacks(0))
        });
        assert!(result.is_err());
        assert_eq!(tenant.read(|tx| tx.candidate("mcd_a")).unwrap(), None);
        let verified = tenant.read(|tx| tx.verify_log(TenantLog::Captures)).unwrap();
        assert_eq!(verified, LogVerification { lines: 0, broken_at: None });
        assert_eq!(append(&tenant, TenantLog::Captures, "first").seq, 1);
    });
}
