//! Names that stand for what may not be called, with a name server of our own.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contexture::domain::Clock;
use contexture::hook::{CallScope, Caller as _};
use contexture::webhook::{Dns, Policy, Resolver as _};
use serde_json::json;
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

use super::{Fixed, call, cause, dev, hook, with};
use crate::support::receiver::{Mode, Receiver};

const ALLOW: &str = r#"{"decision":"allow"}"#;
/// Public by the rules, and nobody's: where a guard fails, nobody is called.
const ELSEWHERE: &str = "192.0.1.1";
const A: u16 = 1;
const AAAA: u16 = 28;

/// Answers each question for addresses with what a function says of the name and the number of
/// questions for it before. Answers may not be kept.
struct NameServer {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl NameServer {
    async fn spawn(answers: impl Fn(&str, usize) -> Vec<IpAddr> + Send + 'static) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a free port");
        let address = socket.local_addr().expect("an address");
        let asked = AtomicUsize::new(0);
        let task = tokio::spawn(async move {
            let mut buffer = [0; 1500];
            while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
                let Some(reply) = reply(&buffer[..length], |name, kind| {
                    let before = match kind {
                        A => asked.fetch_add(1, Ordering::SeqCst),
                        _ => asked.load(Ordering::SeqCst).saturating_sub(1),
                    };
                    answers(name, before)
                }) else {
                    continue;
                };
                let _ = socket.send_to(&reply, from).await;
            }
        });
        Self { address, task }
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A DNS answer with the addresses of the kind that is asked for.
fn reply(question: &[u8], answers: impl Fn(&str, u16) -> Vec<IpAddr>) -> Option<Vec<u8>> {
    let mut at = 12;
    let mut name = String::new();
    loop {
        let length = usize::from(*question.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        name.push_str(std::str::from_utf8(question.get(at..at + length)?).ok()?);
        name.push('.');
        at += length;
    }
    let kind = u16::from_be_bytes([*question.get(at)?, *question.get(at + 1)?]);
    let end = at + 4;
    let found: Vec<IpAddr> = answers(&name.to_ascii_lowercase(), kind)
        .into_iter()
        .filter(|address| kind == if address.is_ipv4() { A } else { AAAA })
        .collect();
    let count = u8::try_from(found.len()).ok()?;
    let mut out = question.get(..2)?.to_vec();
    out.extend_from_slice(&[0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0]);
    out.extend_from_slice(question.get(12..end)?);
    for address in found {
        out.extend_from_slice(&[0xc0, 12]);
        out.extend_from_slice(&kind.to_be_bytes());
        out.extend_from_slice(&[0, 1, 0, 0, 0, 0]);
        match address {
            IpAddr::V4(address) => {
                out.extend_from_slice(&[0, 4]);
                out.extend_from_slice(&address.octets());
            }
            IpAddr::V6(address) => {
                out.extend_from_slice(&[0, 16]);
                out.extend_from_slice(&address.octets());
            }
        }
    }
    Some(out)
}

fn ip(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

#[tokio::test]
async fn a_name_with_one_denied_address_is_not_called_at_any() {
    let canary = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let port = canary.address.port();
    for addresses in [
        vec!["127.0.0.1"],
        vec![ELSEWHERE, "127.0.0.1"],
        vec!["127.0.0.1", ELSEWHERE],
        vec!["::1"],
        vec![ELSEWHERE, "::1"],
        vec!["::ffff:127.0.0.1"],
        vec!["::ffff:10.0.0.1"],
        vec!["::7f00:1"],
        vec!["64:ff9b::7f00:1"],
        vec!["169.254.169.254"],
        vec!["fd00:ec2::254"],
        vec!["100.100.100.200"],
        vec!["192.0.0.192"],
        vec!["0.0.0.0"],
        vec!["10.0.0.1"],
    ] {
        let list: Vec<IpAddr> = addresses.iter().map(|text| ip(text)).collect();
        let server = NameServer::spawn(move |_, _| list.clone()).await;
        let dns = Arc::new(Dns::at(server.address));
        let webhooks = with(Policy::default(), dns, Clock::system());
        let hook = hook("guard", &format!("https://hooks.example:{port}/"), &json!({}));
        assert_eq!(cause(&call(&webhooks, &hook).await), "blocked_address", "{addresses:?}");
    }
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn a_name_that_changes_its_mind_is_judged_by_what_is_dialled() {
    let canary = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let port = canary.address.port();
    // First an address that may be called (and at which nobody listens), then the canary's.
    let server = NameServer::spawn(|_, before| {
        vec![if before == 0 { ip("127.0.0.2") } else { ip("127.0.0.1") }]
    })
    .await;
    let allow = vec!["127.0.0.2/32".parse().expect("a range")];
    let policy = Policy { allow, ..Policy::default() };
    let webhooks = with(policy, Arc::new(Dns::at(server.address)), Clock::system());
    let url = format!("http://turn.example:{port}/");
    let first = call(&webhooks, &hook("guard", &url, &json!({"id": "one"}))).await;
    let second = call(&webhooks, &hook("guard", &url, &json!({"id": "two"}))).await;
    // The second try of the first call is judged anew as well.
    assert!(matches!(cause(&first), "connect" | "blocked_address"), "{first:?}");
    assert_eq!(cause(&second), "blocked_address");
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn an_address_in_the_url_goes_through_the_same_gate_as_a_name() {
    let canary = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let port = canary.address.port();
    let webhooks = with(Policy::default(), Arc::new(Fixed(vec![ip(ELSEWHERE)])), Clock::system());
    for host in
        ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "x.localhost", "LOCALHOST."]
    {
        for scheme in ["http", "https"] {
            // As if a check at registration had been passed by.
            let hook = hook("guard", &format!("{scheme}://{host}:{port}/"), &json!({"id": "x"}));
            let called = call(&webhooks, &hook).await;
            assert!(
                matches!(cause(&called), "blocked_address" | "circuit_open"),
                "{host} {called:?}"
            );
        }
    }
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn http_is_for_addresses_that_the_operator_allows() {
    let dns = Arc::new(Fixed(vec![ip(ELSEWHERE)]));
    let webhooks = with(dev(), dns, Clock::system());
    let hook = hook("guard", "http://hooks.example/", &json!({}));
    let called = call(&webhooks, &hook).await;
    assert_eq!(cause(&called), "blocked_address");
    assert!(called.answer.unwrap_err().detail.contains("https"));
}

#[tokio::test]
async fn a_name_is_found_by_dns_alone() {
    let server = NameServer::spawn(|name, _| match name {
        "hooks.example." => vec![ip("127.0.0.1"), ip("::1")],
        _ => Vec::new(),
    })
    .await;
    let dns = Dns::at(server.address);
    let mut found = dns.resolve("hooks.example").await.expect("addresses");
    found.sort_unstable();
    assert_eq!(found, [IpAddr::from(Ipv4Addr::LOCALHOST), ip("::1")]);
    assert!(dns.resolve("gone.example").await.is_err());

    let receiver = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let webhooks = with(dev(), Arc::new(dns), Clock::system());
    let url = format!("http://hooks.example:{}/", receiver.address.port());
    assert_eq!(cause(&call(&webhooks, &hook("guard", &url, &json!({}))).await), "answered");
    let gone = hook("guard", "http://gone.example:8131/", &json!({"id": "gone"}));
    assert_eq!(cause(&call(&webhooks, &gone).await), "connect");
}

#[tokio::test]
async fn a_name_server_that_hangs_costs_no_more_than_the_call() {
    let silent = UdpSocket::bind("127.0.0.1:0").await.expect("a free port");
    let dns = Arc::new(Dns::at(silent.local_addr().expect("an address")));
    let webhooks = with(dev(), dns, Clock::system());
    let hook = hook("guard", "http://hooks.example:8131/", &json!({"timeout_ms": 300}));
    assert_eq!(cause(&call(&webhooks, &hook).await), "timeout");
}

/// Set in the process whose environment names the proxy.
const RECEIVER: &str = "CONTEXTURE_TEST_RECEIVER";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn proxies_of_the_environment_are_not_asked() {
    let name = "webhook::dns::proxies_of_the_environment_are_not_asked";
    if let Some(url) = std::env::var_os(RECEIVER) {
        let hook = hook("guard", url.to_str().expect("a URL"), &json!({}));
        assert_eq!(cause(&call(&super::webhooks(dev()), &hook).await), "answered");
        return;
    }
    let canary = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let receiver = Receiver::spawn(Mode::Answer(ALLOW.to_owned())).await;
    let mut child = std::process::Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", name, "--test-threads", "1"]).env(RECEIVER, receiver.url());
    for variable in
        ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    {
        child.env(variable, format!("http://{}", canary.address));
    }
    for variable in ["no_proxy", "NO_PROXY"] {
        child.env_remove(variable);
    }
    let output = tokio::task::spawn_blocking(move || child.output()).await.expect("no panic");
    let output = output.expect("a child process");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{told}");
    assert_eq!((canary.connections(), receiver.requests().len()), (0, 1));
}

/// Which names have an address, and which of these are public, is nothing that a caller finds out.
#[tokio::test]
async fn a_round_is_told_the_same_of_every_address_that_is_not_reached() {
    let inside = Fixed(vec![ip("10.0.0.1")]);
    let nowhere = Fixed(Vec::new());
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let scope = CallScope { tenant: "t".into(), ..CallScope::default() };
    let mut told = Vec::new();
    for (resolver, url) in [
        (inside, "http://db.example/".to_owned()),
        (nowhere, "http://none.example/".to_owned()),
        (Fixed(Vec::new()), format!("http://127.0.0.1:{port}/")),
    ] {
        let webhooks = with(super::dev(), Arc::new(resolver), Clock::system());
        let hook = hook("guard", &url, &json!({}));
        let called = webhooks.call(super::to(&hook, &scope, hook.timeout())).await;
        let failure = called.answer.unwrap_err();
        told.push((failure.to_string(), failure.status, called.attempts, called.body));
    }
    assert_eq!(told[0].0, "connect: no connection, or one that broke");
    assert!(told.iter().all(|one| *one == told[0]), "{told:?}");
}
