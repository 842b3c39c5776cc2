//! A receiver that means harm costs no more than its time and a little memory.

use std::time::{Duration, Instant};

use contexture::hook::{CallReply, Hook};
use contexture::webhook::Webhooks;
use serde_json::json;

use super::{call_within, cause, dev, hook, webhooks};
use crate::support::prerequisite;
use crate::support::receiver::{Mode, Receiver};

const ALLOWANCE: Duration = Duration::from_millis(600);
/// More than anything takes that ends.
const PLENTY: Duration = Duration::from_secs(30);
/// What a busy machine may add.
const LATE: Duration = Duration::from_millis(50);
const MORE_MEMORY: usize = 8 << 20;

fn modes() -> Vec<(Mode, &'static str)> {
    let html = "content-type: text/html\r\n".to_owned();
    vec![
        (Mode::Hang, "timeout"),
        (Mode::HeadOnly, "timeout"),
        (Mode::Drip(Duration::from_millis(20)), "timeout"),
        (Mode::Announce, "too_large"),
        (Mode::Huge, "too_large"),
        (Mode::EndlessChunks(1024), "too_large"),
        (Mode::EndlessHeaders, "connect"),
        (Mode::EndlessInterim, "too_large"),
        (Mode::Interim(10_000, Duration::from_millis(100), "{}".to_owned()), "timeout"),
        (Mode::Close, "connect"),
        (Mode::CloseAtOnce, "connect"),
        (Mode::Bytes(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec()), "connect"),
        (Mode::Status(200, html, "<html>".to_owned()), "media_type"),
        (Mode::Answer("{\"decision\":\"allow\"".to_owned()), "bad_json"),
        (Mode::Answer("{\"decision\":\"maybe\"}".to_owned()), "bad_shape"),
        (Mode::Status(500, String::new(), String::new()), "status"),
        (Mode::Status(204, String::new(), String::new()), "bad_shape"),
        (Mode::Status(403, String::new(), "{\"decision\":\"allow\"}".to_owned()), "status"),
    ]
}

/// Calls once; how much longer it took than a timer of the allowance beside it, which tells what
/// the machine adds.
async fn call_and_lateness(
    webhooks: &Webhooks,
    hook: &Hook,
    allowance: Duration,
) -> (CallReply, Duration) {
    let start = Instant::now();
    let timer = async {
        tokio::time::sleep(ALLOWANCE).await;
        start.elapsed()
    };
    let call = async {
        let called = call_within(webhooks, hook, allowance).await;
        (called, start.elapsed())
    };
    let ((called, took), timer) = tokio::join!(call, timer);
    (called, took.saturating_sub(timer))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_hostile_mode_ends_in_time_with_its_cause() {
    let webhooks = webhooks(dev());
    for (index, (mode, expected)) in modes().into_iter().enumerate() {
        for kind in ["guard", "transform"] {
            let says = format!("{mode:?} {kind}");
            let receiver = Receiver::spawn(mode.clone()).await;
            let hook = hook(kind, &receiver.url(), &json!({"id": format!("{kind}-{index}")}));
            let expected = match (&mode, kind) {
                // Nothing to say is an answer of a transform.
                (Mode::Status(204, ..), "transform") => "answered",
                (Mode::Answer(body), "transform") if body.ends_with('}') => "bad_shape",
                _ => expected,
            };
            // What ends by itself has time to, on a machine that is busy, too.
            let ends = expected != "timeout";
            let allowance = if ends { PLENTY } else { ALLOWANCE };
            // A pause of the whole machine is forgiven twice.
            let mut late = Duration::MAX;
            for _ in 0..3 {
                let (called, lateness) = call_and_lateness(&webhooks, &hook, allowance).await;
                assert_eq!(cause(&called), expected, "{says}: {:?}", called.answer);
                late = late.min(lateness);
                if ends || late <= LATE {
                    break;
                }
            }
            assert!(ends || late <= LATE, "{says}: {late:?} too late");
        }
    }
}

#[tokio::test]
async fn an_observer_is_told_whatever_it_answers() {
    let webhooks = webhooks(dev());
    for mode in [
        Mode::Answer("x".repeat(100_000)),
        Mode::Huge,
        Mode::Bytes(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n\xff\xfe".to_vec()),
    ] {
        let receiver = Receiver::spawn(mode).await;
        let hook = hook("observe", &receiver.url(), &json!({}));
        assert_eq!(cause(&call_within(&webhooks, &hook, PLENTY).await), "answered");
    }
}

#[tokio::test]
async fn interim_answers_without_end_end_a_call_and_its_connection() {
    let webhooks = webhooks(dev());
    let receiver = Receiver::spawn(Mode::EndlessInterim).await;
    let start = Instant::now();
    let flooded = hook("guard", &receiver.url(), &json!({"id": "flooded"}));
    let called = call_within(&webhooks, &flooded, PLENTY).await;
    assert_eq!((cause(&called), called.attempts), ("too_large", 1));
    assert!(called.answer.unwrap_err().detail.contains("16 interim answers"));
    receiver.closed().await;
    assert!(start.elapsed() < PLENTY);
    let few = Mode::Interim(16, Duration::ZERO, "{\"decision\":\"allow\"}".to_owned());
    let polite = Receiver::spawn(few).await;
    let polite = hook("guard", &polite.url(), &json!({"id": "polite"}));
    assert_eq!(cause(&call_within(&webhooks, &polite, PLENTY).await), "answered");
}

/// Set in the process that measures, which runs this one test alone.
const ALONE: &str = "CONTEXTURE_TEST_ALONE";

#[test]
fn hostile_answers_take_little_memory() {
    let name = "webhook::hostile::hostile_answers_take_little_memory";
    if std::env::var_os(ALONE).is_none() {
        let me = std::env::current_exe().expect("this program");
        let child = std::process::Command::new(me)
            .args(["--exact", name, "--test-threads", "1"])
            .env(ALONE, "1")
            .output()
            .expect("a child process");
        let told = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && told.contains("1 passed"), "{told}");
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let webhooks = webhooks(dev());
        let good = Receiver::spawn(Mode::Answer("{\"action\":\"unchanged\"}".to_owned())).await;
        let hook_at = |receiver: &Receiver| {
            let id = format!("m{}", receiver.address.port());
            hook("transform", &receiver.url(), &json!({"id": id}))
        };
        call_within(&webhooks, &hook_at(&good), ALLOWANCE).await;
        let Some(before) = memory("VmRSS:") else {
            return prerequisite::skip("proc", "the system does not tell what a process holds");
        };
        for mode in [
            Mode::Huge,
            Mode::EndlessChunks(1),
            Mode::EndlessChunks(4096),
            Mode::EndlessHeaders,
            Mode::EndlessInterim,
        ]
        .iter()
        .cycle()
        .take(12)
        {
            let receiver = Receiver::spawn(mode.clone()).await;
            call_within(&webhooks, &hook_at(&receiver), ALLOWANCE).await;
        }
        let most = memory("VmHWM:").expect("as before");
        assert!(most <= before + MORE_MEMORY, "{before} -> {most}");
    });
}

/// Bytes of memory that this process holds, or held at most; none where the system does not tell.
fn memory(line: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|told| told.strip_prefix(line))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()? << 10)
}
