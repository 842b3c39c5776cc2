//! A model that writes summaries, asked by the clock of a test.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use contexture::config::SummarizerConfig;
use contexture::domain::{Clock, PromptMessage, Role, Timestamp};
use contexture::hook::FailureCause;
use contexture::webhook::{Dns, Summarizer};

use crate::scenario::summarizer::chat;
use crate::support::receiver::{Mode, Receiver};

const MINUTE: Duration = Duration::from_mins(1);

fn summarizer(url: &str, own: SocketAddr, clock: &Clock) -> Summarizer {
    let config = SummarizerConfig {
        summarizer_url: Some(url.parse().unwrap()),
        summarizer_model: Some("writer".to_owned()),
        ..SummarizerConfig::default()
    };
    Summarizer::new(&config, own, None, Arc::new(Dns::system()), clock.clone()).unwrap().unwrap()
}

async fn write(summarizer: &Summarizer) -> Result<String, FailureCause> {
    let prompt = [PromptMessage { role: Role::User, text: "Write.".to_owned() }];
    summarizer.write(&prompt, 100, MINUTE).await.map_err(|failure| failure.cause)
}

#[tokio::test]
async fn an_open_breaker_lets_one_call_try_after_a_pause() {
    let model = Receiver::script(|before| match before {
        0..=3 => Mode::Status(400, String::new(), String::new()),
        _ => Mode::Answer(chat("Well again.")),
    })
    .await;
    let clock = Clock::standing(Timestamp::from_micros(1_800_000_000_000_000));
    let own: SocketAddr = "127.0.0.1:1".parse().unwrap();
    let summarizer = summarizer(&format!("http://{}/v1", model.address), own, &clock);
    for _ in 0..3 {
        assert_eq!(write(&summarizer).await, Err(FailureCause::Status));
    }
    assert_eq!(write(&summarizer).await, Err(FailureCause::CircuitOpen));
    clock.advance(MINUTE / 2);
    // One trial, and its failure closes the door again.
    assert_eq!(write(&summarizer).await, Err(FailureCause::Status));
    assert_eq!(write(&summarizer).await, Err(FailureCause::CircuitOpen));
    assert_eq!(model.requests().len(), 4);
    clock.advance(MINUTE / 2);
    for _ in 0..2 {
        assert_eq!(write(&summarizer).await, Ok("Well again.".to_owned()));
    }
}

#[tokio::test]
async fn a_request_with_too_little_time_opens_no_breaker() {
    let model = Receiver::script(|before| match before {
        0..=5 => Mode::Hang,
        _ => Mode::Answer(chat("In time.")),
    })
    .await;
    let own: SocketAddr = "127.0.0.1:1".parse().unwrap();
    let url = format!("http://{}/v1", model.address);
    let summarizer = summarizer(&url, own, &Clock::system());
    let prompt = [PromptMessage { role: Role::User, text: "Write.".to_owned() }];
    for at in 1..=6 {
        let short = Duration::from_millis(99);
        let cut = summarizer.write(&prompt, 100, short).await;
        assert_eq!(cut.map_err(|failure| failure.cause), Err(FailureCause::Deadline));
        model.reached(at).await;
    }
    assert_eq!(write(&summarizer).await, Ok("In time.".to_owned()));
}

#[tokio::test]
async fn this_service_is_not_its_own_model() {
    let model = Receiver::spawn(Mode::Answer(chat("round and round"))).await;
    let clock = Clock::standing(Timestamp::from_micros(1_800_000_000_000_000));
    let summarizer = summarizer(&format!("http://{}/v1", model.address), model.address, &clock);
    assert_eq!(write(&summarizer).await, Err(FailureCause::BlockedAddress));
    assert_eq!(model.connections(), 0);
}
