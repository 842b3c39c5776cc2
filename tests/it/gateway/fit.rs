//! Mode `fit`: requests stay within their budget, and change at compaction points alone.

use serde_json::{Value, json};

use super::agent::{Agent, AgentWire, assert_prefix, prose, seen_messages};
use super::edits::pair;
use super::front;
use crate::support::provider::{Provider, ProviderReply, ProviderRequest};
use crate::support::wait::until;
use crate::support::{Folder, TestServer, json_of};

/// The budget of most tests: room for a few tables.
const BUDGET: u64 = 6_000;

/// What a result is when it has gone to one line.
const CLEARED: &str = "[Old tool result content cleared: ";

pub(super) fn fit(budget: &str) -> [(&str, &str); 2] {
    [("x-contexture-mode", "fit"), ("x-contexture-budget", budget)]
}

/// Tokens of a request as the provider got it.
async fn tokens(server: &TestServer, wire: AgentWire, request: &ProviderRequest) -> u64 {
    let body = request.json();
    let target = match wire {
        AgentWire::Anthropic => "anthropic",
        AgentWire::Chat => "openai",
        AgentWire::Responses => "openai_responses",
        AgentWire::Gemini => "gemini",
    };
    let model =
        if wire == AgentWire::Gemini { "gemini-2.5-pro".into() } else { body["model"].clone() };
    let mut asked = json!({"model": model, "source": target, "target": target});
    for key in [wire.list(), "system", "instructions", "systemInstruction"] {
        if !body[key].is_null() {
            asked[key] = body[key].clone();
        }
    }
    server.post_json("/tokens", 200, &asked).await["tokens"].as_u64().unwrap()
}

/// The indices of requests that changed a message of the one before.
fn points(wire: AgentWire, requests: &[ProviderRequest]) -> Vec<usize> {
    let is_point = |index: &usize| {
        let [before, after] =
            [&requests[index - 1], &requests[*index]].map(|request| seen_messages(wire, request));
        before.iter().zip(&after).any(|(before, after)| before != after)
    };
    (1..requests.len()).filter(is_point).collect()
}

/// The indices of messages that are shorter than the agent's own.
fn shortened(agent: &Agent, request: &ProviderRequest) -> Vec<usize> {
    let messages = seen_messages(agent.wire, request);
    let is_shorter =
        |index: &usize| messages[*index].len() < agent.messages[*index].to_string().len();
    (0..messages.len()).filter(is_shorter).collect()
}

#[tokio::test]
async fn every_request_is_within_the_budget_and_changes_at_few_points() {
    let (provider, server) = pair(&[]).await;
    for wire in AgentWire::ALL {
        let mut agent = Agent::new(wire);
        let first = provider.requests().len();
        for turn in 0..24 {
            agent.query(&prose(turn, 40));
            let response = agent.send(&server, &fit("6000")).await;
            let skipped = response.headers().get("x-contexture-skipped");
            assert_eq!(skipped, None, "{wire:?} {turn}");
        }
        let requests = &provider.requests()[first..];
        let mut largest = 0;
        for request in requests {
            largest = largest.max(tokens(&server, wire, request).await);
        }
        assert!((BUDGET / 2..=BUDGET).contains(&largest), "{wire:?}: {largest}");
        let points = points(wire, requests);
        assert!((2..=8).contains(&points.len()), "{wire:?}: {points:?}");
        // Every message is there, in its place, and the newest results are whole.
        let last = seen_messages(wire, &requests[23]);
        assert_eq!(last.len(), agent.messages.len());
        assert_eq!(*last.last().unwrap(), agent.messages.last().unwrap().to_string());
        assert!(shortened(&agent, &requests[23]).len() > 5, "{wire:?}");
    }
}

#[tokio::test]
async fn a_point_stays_after_a_restart_and_in_every_other_mode() {
    for wire in [AgentWire::Anthropic, AgentWire::Responses] {
        let folder = Folder::new();
        let url = folder.url();
        let provider = Provider::plain().await;
        let mut agent = Agent::after(wire, 0);
        for turn in 0..9 {
            agent.query(&prose(turn, 60));
        }
        let mut sent = Vec::new();
        for (at, mode) in ["fit", "fit", "compress", "off", "observe", "fit"].iter().enumerate() {
            let server = front(&provider, &AgentWire::UPSTREAMS, &["--database-url", &*url]).await;
            let headers = [("x-contexture-mode", *mode), ("x-contexture-budget", "6000")];
            agent.query(&format!("result {at}"));
            agent.send(&server, &headers).await;
            sent.push(shortened(&agent, &provider.last()));
            server.stop().await;
        }
        assert!(sent[0].len() > 2, "{sent:?}");
        assert!(sent.iter().all(|own| *own == sent[0]), "{sent:?}");
        assert_prefix(wire, &provider.requests());
    }
}

#[tokio::test]
async fn a_branch_from_before_the_point_has_its_originals() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    let mut branch = None;
    for turn in 0..6 {
        agent.query(&prose(turn, 80));
        agent.send(&server, &fit("6000")).await;
        if shortened(&agent, &provider.last()).is_empty() {
            branch = Some(agent.clone());
        }
    }
    assert!(!shortened(&agent, &provider.last()).is_empty());
    let mut branch = branch.unwrap();
    branch.query("a short result");
    branch.send(&server, &[]).await;
    assert!(shortened(&branch, &provider.last()).is_empty());
    // The first list goes on as it was.
    let first = provider.requests().len() - 2;
    agent.query("a short result");
    agent.send(&server, &[]).await;
    let requests = provider.requests();
    assert_prefix(agent.wire, &[requests[first].clone(), provider.last()]);
}

#[tokio::test]
async fn exact_results_go_as_a_whole_and_after_all_others() {
    let (provider, server) = pair(&["--gateway-protect", "mcp__kept__*"]).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    for turn in 0..12 {
        let tool = ["Read", "mcp__db__query", "mcp__kept__x"][turn % 3];
        agent.call(tool, &prose(turn as u64, 40));
    }
    agent.send(&server, &fit("5000")).await;
    let messages = seen_messages(agent.wire, &provider.last());
    let result = |turn: usize| (&messages[2 * turn + 2], agent.messages[2 * turn + 2].to_string());
    for turn in 0..12 {
        let (sent, came) = result(turn);
        match turn % 3 {
            // All of a file, or a line that says that it is gone.
            0 => assert!(*sent == came || sent.contains("cleared: Read, 40 lines"), "{sent}"),
            1 if turn < 5 => assert!(sent.len() < came.len(), "{sent}"),
            1 => {}
            _ => assert_eq!(*sent, came),
        }
    }
    let reads = [0, 3, 6].map(|turn| result(turn).0.contains(CLEARED));
    assert!(reads[0] && reads.is_sorted_by(|one, other| one >= other), "{reads:?}");
    // With more room, no file goes.
    let mut roomy = Agent::new(AgentWire::Anthropic);
    roomy.system = "Be long.".to_owned();
    for turn in 0..16 {
        let tool = if turn % 6 == 0 { "Read" } else { "Bash" };
        roomy.call(tool, &prose(turn, 40));
    }
    roomy.send(&server, &fit("9000")).await;
    let edited = shortened(&roomy, &provider.last());
    assert!(!edited.is_empty(), "{edited:?}");
    assert!(edited.iter().all(|index| (index / 2 - 1) % 6 > 0), "{edited:?}");
}

#[tokio::test]
async fn thinking_that_is_bound_to_changed_bytes_is_left_out() {
    let (provider, server) = pair(&[]).await;
    for (model, binds) in [("claude-opus-5-5", true), ("claude-sonnet-4-5", false)] {
        let mut agent = Agent::new(AgentWire::Anthropic);
        agent.messages[0] = agent.wire.words(model);
        let first = provider.requests().len();
        let mut point = None;
        for turn in 0..9 {
            agent.query(&prose(turn, 60));
            let body = agent.body().replace("claude-sonnet-4-5", model);
            let request = server.build_json("POST", agent.wire.path()).body(body);
            let headers = fit("7000").into_iter().chain([("contexture-deadline-ms", "60000")]);
            let request =
                headers.fold(request, |request, (name, value)| request.header(name, value));
            assert_eq!(request.send().await.unwrap().status(), 200);
            if point.is_none() && !shortened(&agent, &provider.last()).is_empty() {
                point = Some(agent.messages.len());
                break;
            }
        }
        let point = point.expect("a point");
        let changed = shortened(&agent, &provider.last())[0];
        agent.query("short");
        agent.query("shorter");
        let body = agent.body().replace("claude-sonnet-4-5", model);
        let request = server.build_json("POST", agent.wire.path()).body(body);
        request.send().await.unwrap();
        let sent = seen_messages(agent.wire, &provider.last());
        for (index, message) in sent.iter().enumerate() {
            let came = agent.messages[index].to_string();
            let is_bound = binds && (changed..point).contains(&index);
            let has_thinking = came.contains("\"thinking\"") && !is_bound;
            assert_eq!(
                message.contains("\"thinking\""),
                has_thinking,
                "{model} {index}: {message}"
            );
            // All else of what the model said is as it came.
            let calls = |text: &str| {
                serde_json::from_str::<Value>(text).unwrap()["content"]
                    .as_array()
                    .map(|blocks| blocks.last().cloned())
            };
            if index % 2 == 1 {
                assert_eq!(calls(message), calls(&came));
            }
        }
        let requests = &provider.requests()[first..];
        assert_prefix(agent.wire, &requests[requests.len() - 2..]);
    }
}

#[tokio::test]
async fn what_cannot_be_brought_within_the_budget_says_so() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    agent.messages[0] = agent.wire.words(&"Think about the pumps of the halls. ".repeat(400));
    for turn in 0..3 {
        agent.query("short");
        let response = agent.send(&server, &fit("2000")).await;
        assert_eq!(response.headers()["x-contexture-skipped"], "over_budget", "{turn}");
        assert_eq!(provider.last().body, agent.body());
    }
    // Nothing is known of the window of an unknown model.
    let body = agent.body().replace("claude-sonnet-4-5", "a-model-of-my-own");
    let request = server.build_json("POST", agent.wire.path()).body(body);
    let response = request.header("x-contexture-mode", "fit").send().await.unwrap();
    assert_eq!(response.headers().get("x-contexture-skipped"), None);
}

#[tokio::test]
async fn a_list_of_words_alone_is_over_the_budget_only_if_it_is() {
    for wire in AgentWire::ALL {
        let (provider, server) = pair(&[]).await;
        let mut agent = Agent::new(wire);
        agent.messages[0] = wire.words(&"Think about the pumps of the halls. ".repeat(40));
        agent.send(&server, &fit("100000")).await;
        let needed = tokens(&server, wire, &provider.last()).await;
        for (budget, is_over) in [(needed, false), (needed - 1, true)] {
            let response = agent.send(&server, &fit(&budget.to_string())).await;
            let skipped = response.headers().get("x-contexture-skipped");
            let skipped = skipped.map(|word| word.to_str().unwrap().to_owned());
            assert_eq!(skipped.as_deref(), is_over.then_some("over_budget"), "{wire:?} {budget}");
            assert_eq!(provider.last().body, agent.body(), "{wire:?}");
        }
    }
}

#[tokio::test]
async fn the_window_of_the_model_is_the_budget_of_who_names_none() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    // More than the 8,192 tokens of the window of gpt-4.
    (0..14).for_each(|turn| agent.query(&prose(turn, 40)));
    for (mode, is_edited) in [("compress", false), ("fit", true)] {
        let body = agent.body().replace("claude-sonnet-4-5", "gpt-4");
        let request = server.build_json("POST", agent.wire.path()).body(body);
        let request = request.header("contexture-deadline-ms", "60000");
        request.header("x-contexture-mode", mode).send().await.unwrap();
        assert_eq!(!shortened(&agent, &provider.last()).is_empty(), is_edited, "{mode}");
    }
}

#[tokio::test]
async fn a_key_may_have_a_budget_and_a_wrong_one_is_refused() {
    let provider = Provider::plain().await;
    let flag = provider.flag("openai");
    let server = TestServer::locked(&[&flag, "--gateway-mode", "fit"]).await;
    let defaults = json!({"gateway": {"budget": 3000}});
    let wanted = json!({"scopes": ["compress"], "defaults": defaults});
    let (key, _) = server.create_key(&wanted).await;
    let mut agent = Agent::new(AgentWire::Chat);
    (0..6).for_each(|turn| agent.query(&prose(turn, 40)));
    agent.send(&server, &[("x-contexture-key", &key), ("x-contexture-budget", "100000")]).await;
    assert!(shortened(&agent, &provider.last()).is_empty());
    agent.query("short");
    agent.send(&server, &[("x-contexture-key", &key)]).await;
    assert!(!shortened(&agent, &provider.last()).is_empty());
    for wrong in ["0", "-5", "many"] {
        let headers = [("x-contexture-key", &*key), ("x-contexture-budget", wrong)];
        let refused: Value = json_of(agent.post(&server, &headers).await, 400).await;
        assert!(refused.to_string().contains("x-contexture-budget"), "{refused}");
    }
}

#[tokio::test]
async fn the_event_and_the_record_tell_of_the_point() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Chat);
    for turn in 0..9 {
        agent.query(&prose(turn, 60));
    }
    let mut ids = Vec::new();
    for _ in 0..2 {
        agent.query("short");
        let response = agent.send(&server, &fit("5000")).await;
        ids.push(response.headers()["x-contexture-id"].to_str().unwrap().to_owned());
        response.text().await.unwrap();
    }
    let edited: Vec<u64> =
        shortened(&agent, &provider.last()).iter().map(|index| *index as u64).collect();
    let events = until(async || {
        let page = server.get_json("/events?format=json&after=0&types=gateway:request").await;
        let items = page["items"].as_array().unwrap().clone();
        (items.len() == 2).then_some(items)
    })
    .await;
    let data = [&events[0]["data"], &events[1]["data"]];
    assert_eq!(data.map(|data| &data["compacted"]), [&json!(true), &json!(false)]);
    let saved = &data[0]["saved_tokens"];
    assert!(saved.as_u64().unwrap() > 2000);
    // All of it is new at the point, and none after it.
    assert_eq!([&data[0]["unique_saved_tokens"], &data[1]["saved_tokens"]], [saved, saved]);
    assert_eq!(data[1]["unique_saved_tokens"], 0);
    for (id, is_point) in ids.iter().zip([true, false]) {
        let record = server.get_json(&format!("/compilations/{id}")).await;
        assert_eq!(record["gateway"]["compacted"], is_point);
        let edits = record["gateway"]["edits"].as_array().unwrap();
        let of_record: Vec<u64> =
            edits.iter().map(|edit| edit["message"].as_u64().unwrap()).collect();
        assert_eq!(of_record, edited);
        assert!(edits.iter().all(|edit| edit["rule"] == "compaction"), "{record}");
    }
}

/// Sends the list with these tools as a client of Chat Completions does.
async fn send_with_tools(server: &TestServer, agent: &Agent, tools: &Value) {
    let mut body: Value = serde_json::from_str(&agent.body()).unwrap();
    if !tools.is_null() {
        body["tools"] = tools.clone();
    }
    let request = server.build_json("POST", agent.wire.path()).body(body.to_string());
    let headers = fit("5000").into_iter().chain([("contexture-deadline-ms", "60000")]);
    let request = headers.fold(request, |request, (name, value)| request.header(name, value));
    assert_eq!(request.send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn results_name_their_artifact_if_the_request_has_a_tool_to_read_it() {
    let own = json!([{"type": "function", "function": {"name": "mcp__contexture__context_read",
        "parameters": {"type": "object"}}}]);
    let other = json!([{"type": "function", "function": {"name": "headroom_retrieve",
        "parameters": {"type": "object"}}}]);
    let none = json!([{"type": "function", "function": {"name": "Bash",
        "parameters": {"type": "object"}}}]);
    for (tools, mark) in [
        (own, Some("context_read shows it: ")),
        (other, Some("hash=")),
        (none, None),
        (json!(null), None),
    ] {
        let (provider, server) = pair(&[]).await;
        let mut agent = Agent::new(AgentWire::Chat);
        (0..9).for_each(|turn| agent.query(&prose(turn, 60)));
        send_with_tools(&server, &agent, &tools).await;
        let sent = String::from_utf8(provider.last().body.to_vec()).unwrap();
        assert!(sent.contains(CLEARED), "{tools}");
        let Some(mark) = mark else {
            assert!(!sent.contains("shows it") && !sent.contains("hash="), "{sent}");
            // Another server says under which name it would be stored.
            let id = TestServer::with(&[]).await.put_artifact(&prose(0, 60)).await;
            assert_eq!(server.get(&format!("/artifacts/{id}")).await.status(), 404);
            continue;
        };
        // Each that is named can be read, and is what the client sent.
        let ids: Vec<&str> = sent.split(mark).skip(1).map(|rest| &rest[..24]).collect();
        assert!(ids.len() > 2, "{sent}");
        for id in ids {
            let original = server.get_text(&format!("/artifacts/{id}")).await;
            assert!((0..9).any(|turn| original.contains(&prose(turn, 60))), "{id}: {original}");
        }
        // The lines stay when the tool goes.
        agent.query("short");
        send_with_tools(&server, &agent, &json!(null)).await;
        assert_prefix(agent.wire, &provider.requests());
    }
}

#[tokio::test]
async fn counts_go_by_what_the_provider_counted() {
    let mut points_of = Vec::new();
    for bytes_a_token in [5, 3] {
        let provider = Provider::spawn(move |request| {
            let tokens = request.body.len() / bytes_a_token;
            let usage = json!({"prompt_tokens": tokens, "completion_tokens": 5});
            ProviderReply::json(200, &json!({"usage": usage}))
        })
        .await;
        let server = front(&provider, &["openai"], &[]).await;
        let mut agent = Agent::new(AgentWire::Chat);
        for turn in 0..14 {
            agent.query(&prose(turn, 40));
            let response = agent.send(&server, &fit("9000")).await;
            response.text().await.unwrap();
            // It is learnt from once the response has ended.
            until(async || {
                let page =
                    server.get_json("/events?format=json&after=0&types=gateway:request").await;
                let count = page["items"].as_array().unwrap().len() as u64;
                (count > turn).then_some(())
            })
            .await;
        }
        points_of.push(points(agent.wire, &provider.requests()));
    }
    let [usual, more] = &points_of[..] else { panic!("two runs") };
    assert!(more[0] + 2 < *usual.first().unwrap_or(&14), "{points_of:?}");
}

#[tokio::test]
async fn a_message_of_thinking_alone_goes_if_what_it_is_bound_to_has_changed() {
    let (provider, server) = pair(&[]).await;
    let mut agent = Agent::new(AgentWire::Anthropic);
    for turn in 0..9 {
        agent.query(&prose(turn, 60));
        if turn == 4 {
            agent.messages.push(json!({"role": "assistant", "content": [
                {"type": "thinking", "thinking": "alone", "signature": "c2lnbmVk"}]}));
            agent.messages.push(agent.wire.words("Go on."));
        }
    }
    for _ in 0..2 {
        agent.query("short");
        let body = agent.body().replace("claude-sonnet-4-5", "claude-opus-5-5");
        let request = server.build_json("POST", agent.wire.path()).body(body);
        let headers = fit("5000").into_iter().chain([("contexture-deadline-ms", "60000")]);
        let request = headers.fold(request, |request, (name, value)| request.header(name, value));
        assert_eq!(request.send().await.unwrap().status(), 200);
        let sent = seen_messages(agent.wire, &provider.last());
        assert!(!sent.iter().any(|message| message.contains("\"alone\"")), "{sent:?}");
        assert_eq!(sent.len(), agent.messages.len() - 1);
    }
    assert_prefix(agent.wire, &provider.requests());
}
