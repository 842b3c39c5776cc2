//! A store that is taken away and given back while lists go on.

use serde_json::json;

use super::agent::{Agent, AgentWire, assert_prefix, prose, rows, seen_messages};
use super::fit::fit;
use super::front;
use crate::support::provider::Provider;
use crate::support::{Folder, TestServer, database};

/// A database whose decisions can be taken away.
pub(super) struct Store {
    pub(super) url: String,
    /// The folder of its file; none in PostgreSQL.
    folder: Option<Folder>,
}

impl Store {
    pub(super) fn new() -> Self {
        if database::is_postgres() {
            let url = database::postgres().expect("CONTEXTURE_TEST_POSTGRES");
            return Self { url, folder: None };
        }
        let folder = Folder::new();
        Self { url: folder.url(), folder: Some(folder) }
    }

    fn run(&self, statement: &str) {
        match &self.folder {
            Some(folder) => {
                let connection = rusqlite::Connection::open(folder.database()).unwrap();
                connection.execute_batch(statement).unwrap();
            }
            None => drop(database::run(&self.url, &[statement.to_owned()])),
        }
    }

    pub(super) fn take_away(&self) {
        self.run("ALTER TABLE lineages RENAME TO lineages_away");
    }

    pub(super) fn give_back(&self) {
        self.run("ALTER TABLE lineages_away RENAME TO lineages");
    }

    async fn server(&self, provider: &Provider) -> TestServer {
        front(provider, &AgentWire::UPSTREAMS, &["--database-url", &self.url]).await
    }
}

/// The indices of messages that are shorter than the agent's own.
fn edited(agent: &Agent, provider: &Provider) -> Vec<usize> {
    let sent = seen_messages(agent.wire, &provider.last());
    let is_shorter = |index: &usize| sent[*index].len() < agent.messages[*index].to_string().len();
    (0..sent.len()).filter(is_shorter).collect()
}

#[tokio::test]
async fn what_is_decided_goes_as_decided_and_the_rest_as_it_came_for_good() {
    for wire in AgentWire::ALL {
        let store = Store::new();
        let provider = Provider::plain().await;
        let server = store.server(&provider).await;
        let mut agent = Agent::new(wire);
        for turn in 0..2 {
            agent.query(&rows(turn, 40));
            agent.send(&server, &[]).await;
        }
        let decided = edited(&agent, &provider);
        assert_eq!(decided.len(), 2, "{wire:?}");

        store.take_away();
        for turn in 2..4 {
            agent.query(&rows(turn, 40));
            let response = agent.send(&server, &[]).await;
            assert_eq!(response.headers()["x-contexture-skipped"], "store", "{wire:?}");
            assert!(response.headers().contains_key("x-contexture-saved-tokens"));
            assert_eq!(edited(&agent, &provider), decided, "{wire:?}");
        }

        store.give_back();
        // The same list once more: its newest result was sent as it came, and stays so.
        let response = agent.send(&server, &[]).await;
        assert_eq!(response.headers().get("x-contexture-skipped"), None);
        assert_eq!(edited(&agent, &provider), decided, "{wire:?}");
        agent.query(&rows(4, 40));
        agent.send(&server, &[]).await;
        let all = edited(&agent, &provider);
        assert_eq!((&all[..2], all.len()), (&decided[..], 3), "{wire:?}");
        server.stop().await;

        let server = store.server(&provider).await;
        agent.query(&rows(5, 40));
        agent.send(&server, &[]).await;
        assert_eq!(edited(&agent, &provider).len(), 4, "{wire:?}");
        assert!(assert_prefix(wire, &provider.requests()) > 30);
    }
}

#[tokio::test]
async fn a_result_that_was_sent_while_the_store_was_away_is_stored_as_it_came() {
    let store = Store::new();
    let provider = Provider::plain().await;
    let server = store.server(&provider).await;
    let mut agent = Agent::new(AgentWire::Chat);
    agent.query(&rows(1, 40));
    store.take_away();
    agent.send(&server, &[]).await;
    store.give_back();
    agent.send(&server, &[]).await;
    server.stop().await;
    // Another process has only the store to ask about the newest result.
    let server = store.server(&provider).await;
    agent.send(&server, &[]).await;
    assert_eq!(edited(&agent, &provider), [0_usize; 0]);
    let requests = provider.requests();
    assert!(requests.iter().all(|request| request.body == requests[0].body));
}

#[tokio::test]
async fn a_store_that_does_not_answer_changes_nothing_that_was_sent() {
    let folder = Folder::new();
    let provider = Provider::plain().await;
    let url = folder.url();
    let server = front(&provider, &["openai"], &["--database-url", &url]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    agent.query(&rows(1, 40));
    agent.send(&server, &[]).await;
    assert_eq!(edited(&agent, &provider), [2]);

    let writer = rusqlite::Connection::open(folder.database()).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    agent.query(&rows(2, 40));
    let response = agent.send(&server, &[("contexture-deadline-ms", "100")]).await;
    assert_eq!(response.headers()["x-contexture-skipped"], "store");
    assert_eq!(edited(&agent, &provider), [2]);
    writer.execute_batch("COMMIT").unwrap();

    // The write that waited may be carried out now. What was sent stands against it.
    agent.send(&server, &[]).await;
    agent.messages.push(json!({"role": "assistant", "content": "Done."}));
    agent.messages.push(agent.wire.words("Go on."));
    agent.send(&server, &[]).await;
    server.stop().await;
    let server = front(&provider, &["openai"], &["--database-url", &url]).await;
    agent.send(&server, &[]).await;
    assert_eq!(edited(&agent, &provider), [2]);
    assert_prefix(agent.wire, &provider.requests());
}

#[tokio::test]
async fn there_is_no_compaction_point_while_the_store_is_away() {
    let store = Store::new();
    let provider = Provider::plain().await;
    let server = store.server(&provider).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    for turn in 0..2 {
        agent.query(&prose(turn, 80));
        agent.send(&server, &fit("5000")).await;
    }
    store.take_away();
    for turn in 2..6 {
        agent.query(&prose(turn, 80));
        let response = agent.send(&server, &fit("5000")).await;
        assert_eq!(response.headers()["x-contexture-skipped"], "store", "{turn}");
        assert!(edited(&agent, &provider).is_empty(), "{turn}");
    }
    store.give_back();
    agent.query("a short result");
    agent.send(&server, &fit("5000")).await;
    let point = edited(&agent, &provider);
    assert!(point.len() > 2, "{point:?}");
    // What was decided there stands, also while the store is away again.
    store.take_away();
    agent.query(&prose(9, 80));
    agent.send(&server, &fit("5000")).await;
    assert_eq!(edited(&agent, &provider), point);
    store.give_back();
    server.stop().await;
    let server = store.server(&provider).await;
    agent.query("another one");
    agent.send(&server, &[]).await;
    assert_eq!(edited(&agent, &provider), point);
    let requests = provider.requests();
    assert_prefix(agent.wire, &requests[requests.len() - 3..]);
}

#[tokio::test]
async fn a_point_whose_write_outlives_the_request_is_not_passed_later() {
    let folder = Folder::new();
    let provider = Provider::plain().await;
    let url = folder.url();
    let server = front(&provider, &["openai"], &["--database-url", &url]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    for turn in 0..6 {
        agent.query(&prose(turn, 80));
        agent.send(&server, &[]).await;
    }
    let writer = rusqlite::Connection::open(folder.database()).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    agent.query("short");
    let [mode, budget] = fit("5000");
    // Long enough for the ladder on a busy machine, and then the write waits.
    let response = agent.send(&server, &[mode, budget, ("contexture-deadline-ms", "8000")]).await;
    assert_eq!(response.headers()["x-contexture-skipped"], "store");
    assert_eq!(provider.last().body, agent.body());
    writer.execute_batch("COMMIT").unwrap();
    // The write may be carried out now. What was sent stands against it.
    for _ in 0..2 {
        agent.query("shorter");
        agent.send(&server, &[]).await;
    }
    server.stop().await;
    let server = front(&provider, &["openai"], &["--database-url", &url]).await;
    agent.query("shortest");
    agent.send(&server, &[]).await;
    assert_eq!(edited(&agent, &provider), [0_usize; 0]);
    assert_prefix(agent.wire, &provider.requests());
}
