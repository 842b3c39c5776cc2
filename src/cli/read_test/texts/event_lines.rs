//! Lines that programs print while they run: logs, repeats, test runs.

use std::fmt::Write as _;

use super::super::question::{QuestionKind, TestText, TextQuestion};
use super::super::random::SeededRandom;

const HOSTS: &[&str] = &["alder", "birch", "cedar", "hazel", "maple", "rowan", "willow"];
const REASONS: &[&str] = &["card_declined", "timeout", "no_stock", "bad_address", "quota_reached"];
const QUEUES: &[&str] = &["mail", "billing", "search", "export", "audit"];

/// What one job did.
struct JobEvent {
    id: String,
    host: &'static str,
    queue: &'static str,
    duration: String,
    /// Why it failed, if it did.
    reason: Option<&'static str>,
}

fn draw_jobs(count: usize, random: &mut SeededRandom) -> Vec<JobEvent> {
    let ids = random.numbers(count, 2100, 9800);
    let mut durations = random.numbers(count, 110, 980);
    random.shuffle(&mut durations);
    let failed = random.numbers(3, 0, count.saturating_sub(1));
    let mut reasons = random.words(3, REASONS).into_iter();
    let event = |(at, (id, duration)): (usize, (usize, usize))| JobEvent {
        id: id.to_string(),
        host: random.word(HOSTS),
        queue: random.word(QUEUES),
        duration: format!("{duration}ms"),
        reason: if failed.contains(&at) { reasons.next() } else { None },
    };
    ids.into_iter().zip(durations).enumerate().map(event).collect()
}

/// A log of jobs, a few of which failed.
pub(super) fn log(random: &mut SeededRandom) -> TestText {
    let jobs = draw_jobs(16, random);
    let mut text = String::new();
    let mut second = random.number(0, 9);
    for job in &jobs {
        second += random.number(1, 2);
        let _ = match job.reason {
            None => writeln!(
                text,
                "2026-03-02T10:00:{second:02}Z INFO job {} of queue {} ran on {} in {}",
                job.id, job.queue, job.host, job.duration
            ),
            Some(reason) => writeln!(
                text,
                "2026-03-02T10:00:{second:02}Z ERROR job {} failed on {}: {reason}",
                job.id, job.host
            ),
        };
    }
    TestText::new(text, job_questions(&jobs, random))
}

/// The same jobs as `key=value`.
pub(super) fn pair_log(random: &mut SeededRandom) -> TestText {
    let jobs = draw_jobs(15, random);
    let mut text = String::new();
    for job in &jobs {
        let _ = match job.reason {
            None => writeln!(
                text,
                "level=info msg=done job={} queue={} host={} took={}",
                job.id, job.queue, job.host, job.duration
            ),
            Some(reason) => writeln!(
                text,
                "level=error msg=failed job={} host={} reason={reason}",
                job.id, job.host
            ),
        };
    }
    TestText::new(text, job_questions(&jobs, random))
}

fn job_questions(jobs: &[JobEvent], random: &mut SeededRandom) -> Vec<TextQuestion> {
    let done: Vec<&JobEvent> = jobs.iter().filter(|job| job.reason.is_none()).collect();
    let values = |of: fn(&JobEvent) -> &str| -> Vec<String> {
        done.iter().map(|job| of(job).to_owned()).collect()
    };
    let (hosts, queues) = (values(|job| job.host), values(|job| job.queue));
    let durations = values(|job| &job.duration);
    let mut questions = Vec::new();
    for at in random.numbers(4, 0, done.len().saturating_sub(1)) {
        let Some(job) = done.get(at) else { continue };
        for (text, answer, values) in [
            (format!("How long did job {} take?", job.id), job.duration.as_str(), &durations),
            (format!("On which host did job {} run?", job.id), job.host, &hosts),
            (format!("Which queue did job {} come from?", job.id), job.queue, &queues),
        ] {
            let question = TextQuestion::new(QuestionKind::Field, text, answer, values, random);
            questions.push(question.needing([job.id.as_str()]));
        }
    }
    if let Some(job) = done.last() {
        let text = "How long did the last job that did not fail take?".to_owned();
        let question =
            TextQuestion::new(QuestionKind::Last, text, &job.duration, &durations, random);
        questions.push(question.needing([job.id.as_str()]));
    }
    let failed = jobs.iter().filter_map(|job| job.reason.map(|reason| (job, reason.to_owned())));
    let failed: Vec<(&JobEvent, String)> = failed.collect();
    let reasons: Vec<String> = failed.iter().map(|(_, reason)| reason.clone()).collect();
    for (job, reason) in failed.iter().take(2) {
        let text = format!("Why did job {} fail?", job.id);
        let question = TextQuestion::new(QuestionKind::Line, text, reason, &reasons, random);
        questions.push(question.needing([job.id.as_str()]));
    }
    questions
}

/// A log in which lines repeat themselves.
pub(super) fn repeats(random: &mut SeededRandom) -> TestText {
    let mut text = String::new();
    let hosts = random.words(4, HOSTS);
    let times = random.numbers(4, 3, 8);
    let ports = random.numbers(4, 5100, 9800);
    let mut order: Vec<usize> = (0..4).collect();
    random.shuffle(&mut order);
    let mut waits = Vec::new();
    for at in order {
        let (Some(host), Some(times), Some(port)) = (hosts.get(at), times.get(at), ports.get(at))
        else {
            continue;
        };
        let _ = writeln!(text, "connecting to {host} at port {port}");
        for _ in 0..*times {
            let _ = writeln!(text, "{host} does not respond yet, waiting before the next attempt");
        }
        let _ = writeln!(text, "connected to {host}");
        waits.push(RepeatedWait { host, times: times.to_string(), port: port.to_string() });
    }
    TestText::new(text, wait_questions(&waits, random))
}

/// Equal lines about one host.
struct RepeatedWait<'h> {
    host: &'h str,
    times: String,
    port: String,
}

fn wait_questions(waits: &[RepeatedWait<'_>], random: &mut SeededRandom) -> Vec<TextQuestion> {
    let times: Vec<String> = waits.iter().map(|wait| wait.times.clone()).collect();
    let ports: Vec<String> = waits.iter().map(|wait| wait.port.clone()).collect();
    let hosts: Vec<String> = waits.iter().map(|wait| wait.host.to_owned()).collect();
    let mut questions = Vec::new();
    for (at, wait) in waits.iter().enumerate() {
        let host = wait.host;
        let text = format!("How many times did {host} not respond?");
        let count = TextQuestion::new(QuestionKind::Count, text, &wait.times, &times, random);
        // The number itself is not in the original.
        questions.push(TextQuestion { needs: vec![host.to_owned()], ..count });
        let text = format!("At which port was {host} connected to?");
        let question = TextQuestion::new(QuestionKind::Field, text, &wait.port, &ports, random);
        questions.push(question.needing([host]));
        if let Some(next) = waits.get(at + 1) {
            let text = format!("Which host was connected to right after {host}?");
            let question = TextQuestion::new(QuestionKind::Line, text, next.host, &hosts, random);
            questions.push(question.needing([host]));
        }
    }
    if let Some(last) = waits.last() {
        let text = "Which host was connected to last?".to_owned();
        questions.push(TextQuestion::new(QuestionKind::Last, text, last.host, &hosts, random));
    }
    questions
}

const GROUPS: &[&str] = &["orders", "refunds", "search", "export", "login", "stock"];
const CASES: &[&str] = &[
    "keeps_the_order",
    "reads_an_empty_list",
    "refuses_a_bad_key",
    "rounds_to_cents",
    "sends_once",
    "survives_a_restart",
    "skips_old_rows",
    "sorts_by_name",
    "splits_long_lines",
    "stops_in_time",
];

/// A run of tests, three of which failed.
pub(super) fn test_run(random: &mut SeededRandom) -> TestText {
    let cases = random.words(10, CASES);
    let failed = random.numbers(3, 0, 9);
    let lines = random.numbers(3, 31, 390);
    let mut durations = random.numbers(10, 11, 97);
    random.shuffle(&mut durations);
    let (mut text, mut failures) = ("running 10 tests\n".to_owned(), String::new());
    let mut tests: Vec<(String, String)> = Vec::new();
    let mut places: Vec<(String, String)> = Vec::new();
    for (at, (case, duration)) in cases.iter().zip(&durations).enumerate() {
        let name = format!("{}::{case}", random.word(GROUPS));
        let verdict = if failed.contains(&at) { "FAILED" } else { "ok" };
        let _ = writeln!(text, "test {name} ... {verdict} ({duration} ms)");
        if let Some(line) =
            failed.iter().position(|other| *other == at).and_then(|at| lines.get(at))
        {
            let _ = writeln!(failures, "{name}: assertion failed at tests/shop.rs:{line}");
            places.push((name.clone(), line.to_string()));
        }
        tests.push((name, format!("{duration} ms")));
    }
    let _ = write!(text, "\nfailures:\n{failures}\ntest result: FAILED. 7 passed; 3 failed\n");
    TestText::new(text, test_questions(&tests, &places, random))
}

/// `tests`: names with durations; `places`: names of failed ones with line numbers.
fn test_questions(
    tests: &[(String, String)],
    places: &[(String, String)],
    random: &mut SeededRandom,
) -> Vec<TextQuestion> {
    let second = |pairs: &[(String, String)]| -> Vec<String> {
        pairs.iter().map(|(_, value)| value.clone()).collect()
    };
    let (durations, lines) = (second(tests), second(places));
    let mut questions = Vec::new();
    for at in random.numbers(6, 0, tests.len().saturating_sub(1)) {
        let Some((name, duration)) = tests.get(at) else { continue };
        let text = format!("How long did the test {name} take?");
        let question = TextQuestion::new(QuestionKind::Field, text, duration, &durations, random);
        questions.push(question.needing([name.as_str()]));
    }
    for (name, line) in places {
        let text = format!("At which line of tests/shop.rs did {name} fail?");
        let question = TextQuestion::new(QuestionKind::Line, text, line, &lines, random);
        questions.push(question.needing([name.as_str()]));
    }
    if let Some((name, duration)) = tests.last() {
        let text = "How long did the last test take?".to_owned();
        let question = TextQuestion::new(QuestionKind::Last, text, duration, &durations, random);
        questions.push(question.needing([name.as_str()]));
    }
    questions
}
