//! PostgreSQL commits, and its answer is lost on the way.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{TestServer, database, problem};

/// In the statements of the write whose commit is cut.
const MARK: &str = "a-fact-whose-commit-is-cut";

/// Stands before a database. Once, where a connection wrote [`MARK`] and commits, it hands the commit
/// on, waits until it is done, and closes without a word.
async fn proxy(database: SocketAddr) -> (SocketAddr, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let is_armed = Arc::new(AtomicBool::new(true));
    let armed = Arc::clone(&is_armed);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let armed = Arc::clone(&armed);
            tokio::spawn(async move { pass_on(client, database, &armed).await });
        }
    });
    (address, is_armed)
}

async fn pass_on(client: TcpStream, database: SocketAddr, armed: &AtomicBool) {
    let server = TcpStream::connect(database).await.unwrap();
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let (mut asked, mut answered) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    // What the client said since its last commit.
    let mut said = Vec::new();
    loop {
        tokio::select! {
            read = from_client.read(&mut asked) => {
                let Ok(count @ 1..) = read else { return };
                said.extend_from_slice(&asked[..count]);
                let holds = |text: &str| said.windows(text.len()).any(|part| part == text.as_bytes());
                let commits = holds("COMMIT");
                let is_cut = commits && holds(MARK) && armed.swap(false, Ordering::SeqCst);
                to_server.write_all(&asked[..count]).await.unwrap();
                if is_cut {
                    // The answer to the commit: so it is done.
                    assert!(from_server.read(&mut answered).await.unwrap() > 0);
                    return;
                }
                if commits {
                    said.clear();
                }
            }
            read = from_server.read(&mut answered) => {
                let Ok(count @ 1..) = read else { return };
                if to_client.write_all(&answered[..count]).await.is_err() {
                    return;
                }
            }
        }
    }
}

// The store connects on the thread that builds the server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_whose_answer_is_lost_is_answered_truly_when_it_is_asked_again() {
    let Some(database) = database::postgres() else { return };
    let mut through = url::Url::parse(&database).unwrap();
    let direct = (through.host_str().unwrap(), through.port().unwrap_or(5432));
    let direct = tokio::net::lookup_host(direct).await.unwrap().next().unwrap();
    let (address, is_armed) = proxy(direct).await;
    through.set_host(Some("127.0.0.1")).unwrap();
    through.set_port(Some(address.port())).unwrap();
    let server = TestServer::with(&["--database-url", through.as_str()]).await;

    let body = json!({"action": "add", "content": MARK});
    let send = async || {
        let request = server.build("POST", "/memory").header("idempotency-key", "k1");
        request.json(&body).send().await.unwrap()
    };
    problem(send().await, 503, "outcome_unknown").await;
    assert!(!is_armed.load(Ordering::SeqCst));

    let again = send().await;
    assert_eq!(again.headers()["idempotency-replayed"], "true", "it was done");
    assert!(again.status().is_success());
    let list = server.get_json("/memory").await;
    assert_eq!(list["items"].as_array().unwrap().len(), 1, "{list}");
}
