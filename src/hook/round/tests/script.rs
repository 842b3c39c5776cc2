//! Hooks for tests, and a caller that returns the answers of a script.

use std::collections::BTreeMap as Map;
use std::sync::Mutex;

use super::super::*;
use crate::hook::call::{Call, CallFuture, CallReply};
use crate::hook::order::Manifest;
use crate::hook::parser::{GivenId, read_hook};
use crate::json::{Faults, Path};

/// Answers as a test scripted: a body, or a failure, and the time that it took.
#[derive(Debug, Default)]
pub(super) struct Script {
    answers: Map<&'static str, Result<&'static str, FailureCause>>,
    took: Map<&'static str, u64>,
    asked: Mutex<Vec<(String, String, Duration)>>,
}

impl Script {
    pub(super) fn new(answers: &[(&'static str, &'static str)]) -> Self {
        let answers = answers.iter().map(|(id, body)| (*id, Ok(*body))).collect();
        Self { answers, ..Self::default() }
    }

    pub(super) fn failing(mut self, id: &'static str, cause: FailureCause) -> Self {
        self.answers.insert(id, Err(cause));
        self
    }

    pub(super) fn taking(mut self, id: &'static str, ms: u64) -> Self {
        self.took.insert(id, ms);
        self
    }

    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(id, ..)| id.clone()).collect()
    }

    pub(super) fn input(&self, id: &str) -> String {
        let asked = self.asked.lock().unwrap();
        asked.iter().rev().find(|(name, ..)| name == id).map(|(_, input, _)| input.clone()).unwrap()
    }
}

impl Caller for Script {
    fn call<'c>(&'c self, call: Call<'c>) -> CallFuture<'c> {
        let id = call.hook.id.to_string();
        self.asked.lock().unwrap().push((id.clone(), call.input.to_owned(), call.allowance));
        let took = Duration::from_millis(self.took.get(id.as_str()).copied().unwrap_or(1));
        let late = took > call.allowance;
        let scripted = self.answers.get(id.as_str()).copied().expect("a scripted hook");
        let answer = match scripted {
            _ if late => Err(CallFailure::new(call.timeout_cause, "late")),
            Ok(body) => HookAnswer::read(call.point, call.hook.kind, body),
            Err(cause) => Err(CallFailure::new(cause, "scripted")),
        };
        let body = scripted.ok().filter(|_| !late).map(Arc::from);
        let took = took.min(call.allowance);
        Box::pin(async move { CallReply { answer, body, took, attempts: 1 } })
    }
}

pub(super) fn hook(mut given: serde_json::Value) -> Arc<Hook> {
    if given.get("builtin").is_none() {
        given["url"] = "https://a.example/".into();
    }
    let text = given.to_string();
    let mut faults = Faults::default();
    let node = parse(&text, LIMITS).unwrap();
    let url = |url: &str| Ok(url.to_owned());
    let hook = read_hook(&node, Path::Root, GivenId::Made("x"), &url, &mut faults);
    assert_eq!(faults.into_vec(), []);
    Arc::new(hook.unwrap())
}

/// `id kind`, and more as JSON.
pub(super) fn hooks(point: &str, list: &[(&str, &str, serde_json::Value)]) -> Vec<Arc<Hook>> {
    let one = |(id, kind, more): &(&str, &str, serde_json::Value)| {
        let mut given = serde_json::json!({"id": id, "point": point, "kind": kind});
        for (key, value) in more.as_object().unwrap() {
            given[key] = value.clone();
        }
        hook(given)
    };
    list.iter().map(one).collect()
}

pub(super) fn none() -> serde_json::Value {
    serde_json::json!({})
}

pub(super) fn round<'r>(hooks: &[Arc<Hook>], caller: &'r dyn Caller) -> HookRound<'r> {
    let set = HookSet::new(hooks, &Manifest::default(), None);
    HookRound::new(Arc::new(set), caller, CallScope { tenant: "t".into(), ..CallScope::default() })
}

pub(super) const CALL: &str =
    r#"{"tool":{"name":"Bash","arguments":{"s":"","path":"p"}},"batch":{"index":0,"size":1}}"#;

pub(super) fn at(point: Point, input: &str) -> HookInput<'_> {
    HookInput {
        point,
        input,
        facts: MatchContext { tool: Some("Bash"), ..MatchContext::default() },
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the shape of a check")]
pub(super) fn fine(_: &str) -> Result<(), String> {
    Ok(())
}

pub(super) fn words(round: &HookRound<'_>) -> Vec<(String, &'static str, Option<String>)> {
    let line = |run: &HookRun| (run.hook.to_string(), run.word(), run.why().map(str::to_owned));
    round.runs().iter().map(line).collect()
}

pub(super) fn told(
    lines: &[(&str, &'static str, Option<&str>)],
) -> Vec<(String, &'static str, Option<String>)> {
    lines.iter().map(|(id, word, why)| ((*id).to_owned(), *word, why.map(str::to_owned))).collect()
}

pub(super) const ALLOW: &str = r#"{"decision":"allow"}"#;
pub(super) const DENY: &str = r#"{"decision":"deny","reason":"no","code":"c"}"#;
pub(super) const ADD_A: &str =
    r#"{"action":"json_patch","patch":[{"op":"replace","path":"/tool/arguments/s","value":"a"}]}"#;
pub(super) const ADD_B: &str =
    r#"{"action":"merge_patch","patch":{"tool":{"arguments":{"t":"b"}}}}"#;
