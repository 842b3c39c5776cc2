//! Many inputs at one point.

use std::collections::BTreeMap as Map;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::hook::call::{Call, CallFuture, CallReply, MAX_CONCURRENT_CALLS};
use crate::hook::outcome_store::{OutcomeKey, OutcomeStore, key};
use crate::hook::{ChangeResult, CheckedInput};

const AT: &str = "tool_result";
const APPEND: &str = r#"{"action":"merge_patch","patch":{"result":{"content":"done"}}}"#;

fn result(id: usize, content: &str) -> String {
    serde_json::json!({"tool": {"name": "Bash", "call_id": format!("c{id}"), "arguments": {}},
        "result": {"content": content, "is_error": false}})
    .to_string()
}

fn items(inputs: &[String]) -> Vec<CheckedInput<'_>> {
    let facts = MatchContext { tool: Some("Bash"), ..MatchContext::default() };
    inputs.iter().map(|input| CheckedInput { input, facts, check: &fine }).collect()
}

fn contents(changed: &[ChangeResult]) -> Vec<Option<String>> {
    let of = |payload: &str| {
        let value: serde_json::Value = serde_json::from_str(payload).unwrap();
        value["content"].as_str().unwrap().to_owned()
    };
    changed.iter().map(|one| one.payload.as_deref().map(of)).collect()
}

/// Answers at once, and tells how many were asked at the same time.
#[derive(Debug, Default)]
struct Crowd {
    now: AtomicUsize,
    most: AtomicUsize,
    asked: AtomicUsize,
    body: &'static str,
}

impl Caller for Crowd {
    fn call<'c>(&'c self, call: Call<'c>) -> CallFuture<'c> {
        Box::pin(async move {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            self.asked.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            self.now.fetch_sub(1, Ordering::SeqCst);
            let answer = HookAnswer::read(call.point, call.hook.kind, self.body);
            let body = Some(self.body.into());
            CallReply { answer, body, took: Duration::from_millis(100), attempts: 1 }
        })
    }
}

#[derive(Debug, Default)]
struct Memory(Mutex<Map<(String, String), Arc<str>>>);

impl OutcomeStore for Memory {
    fn keeps(&self, hook: &Hook) -> bool {
        &*hook.id != "inline"
    }

    fn find(&self, asks: &[OutcomeKey<'_>]) -> Vec<Option<Arc<str>>> {
        let known = self.0.lock().unwrap();
        let of = |ask: &OutcomeKey<'_>, key: &str| {
            known.get(&(ask.hook.id.to_string(), key.to_owned())).cloned()
        };
        asks.iter().map(|ask| of(ask, ask.key).or_else(|| of(ask, ask.answered))).collect()
    }

    fn keep(&self, hook: &Hook, key: &str, answer: &str) {
        self.0.lock().unwrap().insert((hook.id.to_string(), key.to_owned()), answer.into());
    }
}

#[tokio::test]
async fn some_are_asked_at_once_and_the_lines_stand_in_the_order_of_the_inputs() {
    let list = hooks(AT, &[("a", "transform", none()), ("b", "transform", none())]);
    let crowd = Crowd { body: APPEND, ..Crowd::default() };
    let mut round = round(&list, &crowd);
    let inputs: Vec<String> = (0..20).map(|at| result(at, &at.to_string())).collect();
    let (changed, later) = round.each(Point::ToolResult, &items(&inputs)).await.unwrap();
    assert_eq!(contents(&changed), vec![Some("done".to_owned()); 20]);
    assert!(later.is_empty());
    assert_eq!(crowd.most.load(Ordering::SeqCst), MAX_CONCURRENT_CALLS);
    let ids: Vec<(u32, &str)> =
        round.runs().iter().map(|run| (run.occurrence, &*run.hook)).collect();
    let wanted: Vec<(u32, &str)> = (0..20).flat_map(|at| [(at, "a"), (at, "b")]).collect();
    assert_eq!(ids, wanted);
    // Three times eight at once, twice, a tenth of a second each.
    assert_eq!(round.left, Duration::from_millis(9_400));
}

#[tokio::test]
async fn what_is_kept_stands_and_the_same_is_asked_once() {
    let list = hooks(
        AT,
        &[("t", "transform", none()), ("inline", "transform", none()), ("o", "observe", none())],
    );
    let memory = Arc::new(Memory::default());
    let inputs = [result(1, "x"), result(2, "x"), result(3, "y")];
    for (asked, told) in [(3 + 1, 1), (3, 0)] {
        let crowd = Crowd { body: APPEND, ..Crowd::default() };
        let mut round = round(&list, &crowd).keeping(Arc::clone(&memory) as Arc<dyn OutcomeStore>);
        let (changed, later) = round.each(Point::ToolResult, &items(&inputs)).await.unwrap();
        assert_eq!(contents(&changed), vec![Some("done".to_owned()); 3]);
        assert_eq!(crowd.asked.load(Ordering::SeqCst), asked);
        // All three came to the same result, of which one is reported, once.
        assert_eq!(later.len(), told);
        let answers = round.runs().iter().filter(|run| &*run.hook == "t");
        assert!(answers.clone().all(|run| run.answer.as_deref() == Some(APPEND)));
        assert_eq!(answers.count(), 3);
    }
}

#[tokio::test]
async fn a_failure_that_is_skipped_is_an_outcome_that_stands() {
    let skip = serde_json::json!({"on_failure": "skip"});
    let list = hooks(AT, &[("t", "transform", skip)]);
    let memory = Arc::new(Memory::default());
    let inputs = [result(1, "x")];
    let broken = Script::default().failing("t", FailureCause::Connect);
    let mut first = round(&list, &broken).keeping(Arc::clone(&memory) as Arc<dyn OutcomeStore>);
    first.each(Point::ToolResult, &items(&inputs)).await.unwrap();
    assert_eq!(words(&first), told(&[("t", "failed", Some("connect"))]));
    let well = Script::new(&[("t", APPEND)]);
    let mut second = round(&list, &well).keeping(Arc::clone(&memory) as Arc<dyn OutcomeStore>);
    let (changed, _) = second.each(Point::ToolResult, &items(&inputs)).await.unwrap();
    assert_eq!(contents(&changed), [None]);
    assert_eq!(well.asked(), [] as [String; 0]);
    assert_eq!(words(&second), told(&[("t", "unchanged", None)]));
}

#[tokio::test]
async fn a_watched_hook_leaves_nothing_that_holds_later() {
    let audit = serde_json::json!({"mode": "audit"});
    let memory = Arc::new(Memory::default());
    let inputs = [result(1, "x")];
    let script = Script::new(&[("t", APPEND)]);
    let list = hooks(AT, &[("t", "transform", audit)]);
    let mut first = round(&list, &script).keeping(Arc::clone(&memory) as Arc<dyn OutcomeStore>);
    let (changed, _) = first.each(Point::ToolResult, &items(&inputs)).await.unwrap();
    assert_eq!(contents(&changed), [None]);
    assert_eq!(words(&first), told(&[("t", "would_apply", None)]));
    let list = hooks(AT, &[("t", "transform", none())]);
    let mut second = round(&list, &script).keeping(Arc::clone(&memory) as Arc<dyn OutcomeStore>);
    let (changed, _) = second.each(Point::ToolResult, &items(&inputs)).await.unwrap();
    assert_eq!(contents(&changed), [None]);
    assert_eq!(script.asked(), ["t"]);
}

#[tokio::test]
async fn a_failure_that_counts_takes_all_back() {
    let list = hooks(
        AT,
        &[("a", "transform", none()), ("b", "transform", none()), ("c", "transform", none())],
    );
    let script = Script::new(&[("a", APPEND)]).failing("b", FailureCause::Status);
    let inputs = [result(1, "x")];
    let mut round = round(&list, &script);
    let stop = round.each(Point::ToolResult, &items(&inputs)).await.unwrap_err();
    assert_eq!(stop.cause(), FailureCause::Status);
    assert_eq!(script.asked(), ["a", "b"]);
    assert_eq!(
        words(&round),
        told(&[
            ("a", "skipped", Some("rolled_back")),
            ("b", "failed", Some("status")),
            ("c", "skipped", Some("failed_earlier")),
        ])
    );
}

#[tokio::test]
async fn a_record_says_again_what_a_built_in_hook_said_once() {
    let cut = |most: u64| {
        let config = serde_json::json!({"max_bytes": most, "tools": ["*"], "marker": ""});
        hook(serde_json::json!({"id": "cut", "point": AT, "kind": "transform",
            "builtin": "truncate", "config": config}))
    };
    let memory = Arc::new(Memory::default());
    let inputs = [result(1, "abcdef")];
    let script = Script::default();
    let mut before =
        round(&[cut(3)], &script).keeping(Arc::clone(&memory) as Arc<dyn OutcomeStore>);
    before.each(Point::ToolResult, &items(&inputs)).await.unwrap();
    // Another revision is for results that were not seen before.
    let mut after = round(&[cut(2)], &script).keeping(Arc::clone(&memory) as Arc<dyn OutcomeStore>);
    let (changed, _) = after.each(Point::ToolResult, &items(&inputs)).await.unwrap();
    assert_eq!(contents(&changed), [Some("abc".to_owned())]);
    let recorded = Arc::new(RecordedHooks::new(after.runs()));
    let mut again =
        round(&[cut(2)], &*recorded).keeping(Arc::clone(&recorded) as Arc<dyn OutcomeStore>);
    let (changed, _) = again.each(Point::ToolResult, &items(&inputs)).await.unwrap();
    assert_eq!(contents(&changed), [Some("abc".to_owned())]);
    assert_eq!(again.runs()[0].answer, after.runs()[0].answer);
    let key = |input: &str| key(Point::ToolResult, input);
    assert_ne!(key(&inputs[0]), key(&result(1, "abc")));
}
