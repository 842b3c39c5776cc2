//! Candidates for memory.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::memory::{parts, placeholders, word};
use super::sql::{Row, SqlValue, values};
use super::{Error, Tx};
use crate::domain::{
    Candidate, CandidateState, Classification, ContentHash, FactProperty, MemoryClass, MemoryScope,
    MemoryTier, MemoryTtl, Proposal, Quota, RawJson, word_of,
};

const COLUMNS: &str = "id, state, version, fingerprint, subject, session, agent, entity, \
    predicate, class, value, key, description, tier, classification, intents, evidence_refs, \
    consent, confidence, ttl_seconds, ttl_turns, proposers, checks, review, capture, last_event, \
    memory_key, superseded_by, created_at, updated_at, pack_tenant";

/// Candidates that are checked when looking for one whose entry still exists.
const MAX_DUPLICATE_CANDIDATES: usize = 20;

impl Tx<'_> {
    /// A candidate by its id.
    pub fn candidate(&self, id: &str) -> Result<Option<Candidate>, Error> {
        self.first(
            &format!("SELECT {COLUMNS} FROM memory_candidates WHERE tenant = ?1 AND id = ?2"),
            values![id],
            candidate,
        )
    }

    /// Stores a candidate as it is.
    pub fn put_candidate(&self, candidate: &Candidate) -> Result<(), Error> {
        let exists = "SELECT 1 FROM memory_candidates WHERE tenant = ?1 AND id = ?2";
        if !self.exists(exists, values![&candidate.id])? {
            self.admit(Quota::Candidates, 1)?;
        }
        let texts = CandidateJson::new(candidate);
        let row = values_of(candidate, &texts);
        let placeholders = placeholders(2, row.len());
        let sets: Vec<String> =
            COLUMNS.split(", ").map(|column| format!("{column} = excluded.{column}")).collect();
        self.execute(
            &format!(
                "INSERT INTO memory_candidates (tenant, {COLUMNS}) VALUES (?1, {placeholders})
                 ON CONFLICT (tenant, id) DO UPDATE SET {}",
                sets.join(", ")
            ),
            &row,
        )
        .map(drop)
    }

    /// Deletes a candidate, and the content of its captures. The lines of the log stay, so that the
    /// log still verifies. Returns whether there was one.
    pub fn delete_candidate(&self, id: &str) -> Result<bool, Error> {
        self.execute(
            "UPDATE memory_log SET content = NULL
             WHERE tenant = ?1 AND log = 'captures' AND candidate = ?2",
            values![id],
        )?;
        let gone = self
            .execute("DELETE FROM memory_candidates WHERE tenant = ?1 AND id = ?2", values![id])?;
        Ok(gone > 0)
    }

    /// Lists up to `limit` candidates after an id, in the order of their creation.
    pub fn list_candidates(
        &self,
        state: Option<CandidateState>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Candidate>, Error> {
        let after = after.unwrap_or_default();
        let Some(state) = state else {
            return self.all(
                &format!(
                    "SELECT {COLUMNS} FROM memory_candidates
                     WHERE tenant = ?1 AND id > ?2 ORDER BY id LIMIT ?3"
                ),
                values![after, limit],
                candidate,
            );
        };
        self.all(
            &format!(
                "SELECT {COLUMNS} FROM memory_candidates
                 WHERE tenant = ?1 AND state = ?2 AND id > ?3 ORDER BY id LIMIT ?4"
            ),
            values![word_of(CandidateState::WORDS, state), after, limit],
            candidate,
        )
    }

    /// Candidates with a fingerprint in a state, the most recently changed first; at most
    /// `MAX_DUPLICATE_CANDIDATES` of them.
    pub fn same_candidates(
        &self,
        fingerprint: &ContentHash,
        state: CandidateState,
    ) -> Result<Vec<Candidate>, Error> {
        self.all(
            &format!(
                "SELECT {COLUMNS} FROM memory_candidates
                 WHERE tenant = ?1 AND fingerprint = ?2 AND state = ?3
                 ORDER BY last_event DESC LIMIT ?4"
            ),
            values![fingerprint, word_of(CandidateState::WORDS, state), MAX_DUPLICATE_CANDIDATES],
            candidate,
        )
    }

    /// Promoted candidates that state the same property in the same scope.
    pub fn promoted_about(
        &self,
        about: &FactProperty,
        scope: &MemoryScope,
    ) -> Result<Vec<Candidate>, Error> {
        let [subject, session, agent, pack] = parts(scope);
        self.all(
            &format!(
                "SELECT {COLUMNS} FROM memory_candidates
                 WHERE tenant = ?1 AND entity = ?2 AND predicate = ?3 AND state = 'promoted'
                   AND subject = ?4 AND session = ?5 AND agent = ?6 AND pack_tenant = ?7
                 ORDER BY last_event"
            ),
            values![&about.entity, &about.predicate, subject, session, agent, pack],
            candidate,
        )
    }

    /// Promoted candidates whose entry has this key in this scope.
    pub fn promoted_as(&self, scope: &MemoryScope, key: &str) -> Result<Vec<Candidate>, Error> {
        let [subject, session, agent, pack] = parts(scope);
        self.all(
            &format!(
                "SELECT {COLUMNS} FROM memory_candidates
                 WHERE tenant = ?1 AND memory_key = ?2 AND state = 'promoted'
                   AND subject = ?3 AND session = ?4 AND agent = ?5 AND pack_tenant = ?6
                 ORDER BY last_event"
            ),
            values![key, subject, session, agent, pack],
            candidate,
        )
    }
}

/// The columns that are JSON.
struct CandidateJson {
    intents: String,
    proposers: String,
    checks: String,
    review: Option<String>,
}

impl CandidateJson {
    fn new(candidate: &Candidate) -> Self {
        // Writes plain data as JSON, which cannot fail.
        fn json(value: &impl Serialize) -> String {
            serde_json::to_string(value).unwrap_or_default()
        }
        Self {
            intents: json(&candidate.proposal.intents),
            proposers: json(&candidate.proposers),
            checks: json(&candidate.checks),
            review: candidate.review.as_ref().map(json),
        }
    }
}

fn values_of<'c>(candidate: &'c Candidate, texts: &'c CandidateJson) -> Vec<SqlValue<'c>> {
    let proposal = &candidate.proposal;
    let [subject, session, agent, pack] = parts(&proposal.scope);
    let text = |text: &'c Option<Arc<str>>| SqlValue::from(text.as_deref());
    let raw = |json: &'c Option<RawJson>| SqlValue::from(json.as_ref().map(RawJson::as_str));
    let about = proposal.about.as_ref();
    let (seconds, turns) = match proposal.ttl {
        Some(MemoryTtl::Seconds(seconds)) => (Some(seconds), None),
        Some(MemoryTtl::Turns(turns)) => (None, Some(turns)),
        None => (None, None),
    };
    vec![
        (&candidate.id).into(),
        word_of(CandidateState::WORDS, candidate.state).into(),
        candidate.version.into(),
        (&candidate.fingerprint).into(),
        subject.into(),
        session.into(),
        agent.into(),
        about.map(|about| &*about.entity).into(),
        about.map(|about| &*about.predicate).into(),
        word_of(MemoryClass::WORDS, proposal.class).into(),
        proposal.value.as_str().into(),
        text(&proposal.key),
        text(&proposal.description),
        word_of(MemoryTier::WORDS, proposal.tier).into(),
        word_of(Classification::WORDS, proposal.classification).into(),
        (&texts.intents).into(),
        raw(&proposal.evidence_refs),
        raw(&proposal.consent),
        proposal.confidence.into(),
        seconds.into(),
        turns.into(),
        (&texts.proposers).into(),
        (&texts.checks).into(),
        texts.review.as_deref().into(),
        candidate.capture.into(),
        candidate.last_event.into(),
        text(&candidate.memory_key),
        text(&candidate.superseded_by),
        candidate.created_at.into(),
        candidate.updated_at.into(),
        pack.into(),
    ]
}

fn candidate(row: &dyn Row) -> Result<Candidate, Error> {
    let text = |column: usize| row.get::<Option<Arc<str>>>(column);
    let raw = |column: usize| Ok::<_, Error>(text(column)?.map(RawJson::new));
    let part = |column: usize| {
        let text: Arc<str> = row.get(column)?;
        Ok::<_, Error>((!text.is_empty()).then_some(text))
    };
    let value: Arc<str> = row.get(10)?;
    let seconds: Option<u64> = row.get(19)?;
    let turns: Option<u64> = row.get(20)?;
    let about = match (text(7)?, text(8)?) {
        (Some(entity), Some(predicate)) => Some(FactProperty { entity, predicate }),
        _ => None,
    };
    let proposal = Proposal {
        value: RawJson::new(value),
        about,
        class: word(row, 9, MemoryClass::WORDS)?,
        key: text(11)?,
        description: text(12)?,
        scope: MemoryScope {
            subject: part(4)?,
            session_id: part(5)?,
            agent: part(6)?,
            pack_tenant: part(30)?,
        },
        tier: word(row, 13, MemoryTier::WORDS)?,
        classification: word(row, 14, Classification::WORDS)?,
        intents: json(row, 15)?,
        confidence: row.get(18)?,
        evidence_refs: raw(16)?,
        consent: raw(17)?,
        ttl: seconds.map(MemoryTtl::Seconds).or(turns.map(MemoryTtl::Turns)),
    };
    Ok(Candidate {
        id: row.get(0)?,
        state: word(row, 1, CandidateState::WORDS)?,
        version: row.get(2)?,
        proposal,
        fingerprint: row.get(3)?,
        proposers: json(row, 21)?,
        checks: json(row, 22)?,
        review: text(23)?.map(|_| json(row, 23)).transpose()?,
        capture: row.get(24)?,
        last_event: row.get(25)?,
        memory_key: text(26)?,
        superseded_by: text(27)?,
        created_at: row.get(28)?,
        updated_at: row.get(29)?,
    })
}

/// Reads a column that contains JSON written by this service.
fn json<T: DeserializeOwned>(row: &dyn Row, column: usize) -> Result<T, Error> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| Error::Corrupt(Arc::new(error)))
}
