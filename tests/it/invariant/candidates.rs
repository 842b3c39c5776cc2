//! Any sequence of requests keeps the rules of candidates, and both logs hold.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use contexture::domain::{
    Candidate, CandidateState, MemoryPromotion, MemoryScope, MemoryStatus, word_of,
};
use contexture::service::WriteCondition;
use contexture::service::idempotency::ResponseRecorder;
use contexture::service::memory::{EntryAddress, WriteKind};
use contexture::service::{Error, Services, candidates, memory};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::cases;
use crate::support::compile::services;

/// Whose work it is; the last is an agent.
const WHO: [&str; 4] = ["ann", "bob", "carl", "bot"];

#[derive(Debug, Clone)]
enum Op {
    Propose {
        fact: usize,
        value: usize,
        tier: &'static str,
        who: usize,
        consent: bool,
    },
    /// The pending candidate of this place, proposed anew.
    Revise {
        at: usize,
        value: usize,
        who: usize,
    },
    Review {
        at: usize,
        verdict: &'static str,
        who: usize,
        stale: bool,
    },
    Promote {
        at: usize,
        resolution: Option<&'static str>,
        key: Option<&'static str>,
        who: usize,
    },
    Put {
        fact: usize,
        value: usize,
    },
    Retract {
        fact: usize,
    },
    Delete {
        fact: usize,
    },
}

fn op() -> impl Strategy<Value = Op> {
    let who = 0..WHO.len();
    let tier = prop::sample::select(vec!["working", "durable"]);
    let verdict = prop::sample::select(vec!["approve", "approve", "reject", "request_changes"]);
    let resolution =
        prop::sample::select(vec![None, Some("supersede"), Some("keep_both"), Some("reject")]);
    let key = prop::sample::select(vec![None, None, Some("k0"), Some("other")]);
    let (at, fact, value) = (0..12usize, 0..3usize, 0..2usize);
    prop_oneof![
        4 => (fact.clone(), value.clone(), tier, who.clone(), prop::bool::weighted(0.8)).prop_map(
            |(fact, value, tier, who, consent)| Op::Propose { fact, value, tier, who, consent }),
        1 => (at.clone(), value.clone(), who.clone()).prop_map(
            |(at, value, who)| Op::Revise { at, value, who }),
        4 => (at.clone(), verdict, who.clone(), prop::bool::weighted(0.1)).prop_map(
            |(at, verdict, who, stale)| Op::Review { at, verdict, who, stale }),
        4 => (at, resolution, key, who).prop_map(
            |(at, resolution, key, who)| Op::Promote { at, resolution, key, who }),
        1 => (fact.clone(), value).prop_map(|(fact, value)| Op::Put { fact, value }),
        1 => fact.clone().prop_map(|fact| Op::Retract { fact }),
        1 => fact.prop_map(|fact| Op::Delete { fact }),
    ]
}

fn by(who: usize) -> Value {
    json!({"id": WHO[who], "kind": if who == WHO.len() - 1 { "agent" } else { "user" }})
}

/// A property, a key, or free text, by its number.
fn proposal(fact: usize, value: usize, who: usize) -> Value {
    let mut body = json!({"value": format!("v{value}"), "class": "preference", "by": by(who)});
    match fact {
        0 => body["key"] = json!("k0"),
        1 => {
            body["entity"] = json!("k");
            body["predicate"] = json!("1");
        }
        _ => {}
    }
    body
}

fn key(fact: usize) -> String {
    ["k0", "k.1", "other"][fact].to_owned()
}

fn all(services: &Services) -> Vec<Candidate> {
    let page = candidates::list(services, None, None, 1_000).unwrap();
    let (found, next) = (page.rows, page.next);
    assert!(next.is_none());
    found.into_iter().map(|shown| shown.candidate).collect()
}

/// Does what is asked for; what is refused changes nothing.
fn carry_out(services: &Services, op: &Op) {
    let before = all(services);
    let pick = |at: usize| (!before.is_empty()).then(|| before[at % before.len()].clone());
    let done: Result<(), Error> = match op {
        Op::Propose { fact, value, tier, who, consent } => {
            let mut body = proposal(*fact, *value, *who);
            body["tier"] = json!(tier);
            if !consent {
                body["policy"] = json!({"consent_required": true});
            }
            candidates::propose(services, &body.to_string(), None, ResponseRecorder::nothing())
                .map(drop)
        }
        Op::Revise { at, value, who } => {
            let Some(old) = pick(*at) else { return };
            let mut body = proposal(1, *value, *who);
            body["revises"] = json!(old.id);
            candidates::propose(
                services,
                &body.to_string(),
                Some(old.version),
                ResponseRecorder::nothing(),
            )
            .map(drop)
        }
        Op::Review { at, verdict, who, stale } => {
            let Some(old) = pick(*at) else { return };
            let body = json!({"verdict": verdict, "reason": "r", "by": by(*who)}).to_string();
            let version = old.version + u64::from(*stale);
            candidates::review(services, &old.id, &body, Some(version), ResponseRecorder::nothing())
                .map(drop)
        }
        Op::Promote { at, resolution, key, who } => {
            let Some(old) = pick(*at) else { return };
            let body = json!({"resolution": resolution, "key": key, "by": by(*who)}).to_string();
            candidates::promote(
                services,
                &old.id,
                &body,
                Some(old.version),
                ResponseRecorder::nothing(),
            )
            .map(drop)
        }
        Op::Put { fact, value } => {
            let body = json!({"value": format!("v{value}")}).to_string();
            let at = EntryAddress { query: &MemoryScope::default(), key: &key(*fact) };
            let kind = WriteKind { partial: false, expected: WriteCondition::Anything };
            memory::put(services, at, &body, kind, ResponseRecorder::nothing()).map(drop)
        }
        Op::Retract { fact } => {
            let at = (&MemoryScope::default(), &*key(*fact));
            memory::retract(services, at.0, at.1, "{}", ResponseRecorder::nothing()).map(drop)
        }
        Op::Delete { fact } => {
            memory::delete(services, &MemoryScope::default(), &key(*fact), WriteCondition::Anything)
        }
    };
    match done {
        Ok(()) => {}
        Err(Error::Candidate(_) | Error::Stale(_) | Error::Conflict(_) | Error::NotFound(_)) => {
            assert_eq!(all(services), before, "{op:?} was refused and changed something");
        }
        Err(error) => panic!("{op:?}: {error}"),
    }
}

fn state(word: &Value) -> Option<CandidateState> {
    let word = word.as_str()?;
    CandidateState::WORDS.iter().find(|(known, _)| *known == word).map(|(_, state)| *state)
}

/// The log tells of each candidate a way through the state machine that ends where it stands.
fn check_log(services: &Services, candidates: &[Candidate]) {
    let events = candidates::events(services, 0, 10_000, true).unwrap();
    let checked = events.verified.unwrap();
    assert_eq!((checked.transitions.broken_at, checked.captures.broken_at), (None, None));
    assert_eq!(checked.transitions.lines, events.lines.len() as u64);
    let mut reached: BTreeMap<String, CandidateState> = BTreeMap::new();
    let mut proposers: BTreeSet<(String, String)> = BTreeSet::new();
    let mut captures = 0;
    for line in &events.lines {
        let event: Value = serde_json::from_str(line.body.as_str()).unwrap();
        let id = event["candidate"].as_str().unwrap().to_owned();
        let (action, who) =
            (event["action"].as_str().unwrap(), event["by"]["id"].as_str().unwrap());
        let (from, to) = (state(&event["from"]), state(&event["to"]).unwrap());
        assert_eq!(from, reached.get(&id).copied(), "{event}");
        let stays = matches!(action, "propose" | "revise" | "contradict");
        match from {
            None => assert!(action == "propose" && to == CandidateState::Pending, "{event}"),
            Some(from) if stays => assert_eq!(from, to, "{event}"),
            Some(from) => assert!(from.may_become(to), "{event}"),
        }
        if matches!(action, "propose" | "revise") {
            captures += 1;
            assert_eq!(event["data"]["capture"], captures, "{event}");
            proposers.insert((id.clone(), who.to_owned()));
        }
        if matches!(action, "approve" | "reject" | "request_changes") && event["reason"].is_string()
        {
            assert!(!proposers.contains(&(id.clone(), who.to_owned())), "{event}");
        }
        if matches!(action, "approve" | "reject" | "request_changes" | "reopen" | "supersede") {
            assert_ne!(event["by"]["kind"], "agent", "{event}");
        }
        if action == "promote" {
            assert_ne!(event["by"]["kind"], "agent", "{event}");
        }
        reached.insert(id, to);
    }
    assert_eq!(captures, checked.captures.lines);
    for candidate in candidates {
        let name = word_of(CandidateState::WORDS, candidate.state);
        assert_eq!(reached.remove(&*candidate.id), Some(candidate.state), "{name}");
    }
    assert!(reached.is_empty(), "lines about no candidate: {reached:?}");
}

/// What is promoted has an entry of its own, what is not has none.
fn check_entries(services: &Services, candidates: &[Candidate]) {
    let mut held: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut open: BTreeSet<String> = BTreeSet::new();
    for candidate in candidates {
        let is_promoted =
            matches!(candidate.state, CandidateState::Promoted | CandidateState::Superseded);
        assert_eq!(candidate.memory_key.is_some(), is_promoted, "{candidate:?}");
        assert_eq!(
            candidate.superseded_by.is_some(),
            candidate.state == CandidateState::Superseded
        );
        if candidate.state == CandidateState::Promoted {
            let key = candidate.memory_key.clone().unwrap();
            assert!(held.insert(key), "two candidates hold one entry: {candidate:?}");
        }
        if matches!(
            candidate.state,
            CandidateState::Pending | CandidateState::InReview | CandidateState::Approved
        ) {
            assert!(
                open.insert(candidate.fingerprint.to_string()),
                "one fact twice: {candidate:?}"
            );
        }
    }
    let list = memory::list(services, &memory::MemoryFilter::default(), None, 1_000).unwrap();
    for entry in list.rows.iter().filter(|entry| entry.status == MemoryStatus::Promoted) {
        let page = memory::versions(services, &entry.scope, &entry.key, None, 100).unwrap();
        let versions = page.rows;
        let reviewed = versions[0].origin == contexture::domain::MemoryOrigin::Review;
        assert!(!reviewed || held.contains(&entry.key), "{} comes from no candidate", entry.key);
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn any_requests_keep_the_rules(ops in prop::collection::vec(op(), 1..40)) {
        thread_local!(static SERVICES: Services = services());
        let services = SERVICES.with(Clone::clone);
        let tenant: Arc<str> = uuid::Uuid::now_v7().to_string().into();
        let under_review = ops.len() % 5 == 0;
        let promotion = if under_review { MemoryPromotion::Review } else { MemoryPromotion::Auto };
        let services = services.for_tenant(&tenant).promoting(promotion);
        for op in &ops {
            carry_out(&services, op);
            check_entries(&services, &all(&services));
        }
        let candidates = all(&services);
        check_log(&services, &candidates);
        if under_review {
            let lines = candidates::events(&services, 0, 10_000, false).unwrap().lines;
            for line in lines {
                let event: Value = serde_json::from_str(line.body.as_str()).unwrap();
                prop_assert!(event["action"] != "promote" || event["by"]["kind"] != "automation");
            }
        }
    }
}
