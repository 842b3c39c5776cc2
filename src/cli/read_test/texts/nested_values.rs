//! JSON that is more than a list of records: equal values, a cut end, a document in a string, and the
//! same as Python prints it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::super::question::{QuestionKind, TestText, TextQuestion};
use super::super::random::SeededRandom;
use super::layout;
use super::value_table::ValueTable;

const RECORDS: usize = 8;
const CELL_QUESTIONS: usize = 13;

const OWNERS: &[(&str, &str)] = &[
    ("amara", "Ulm"),
    ("bruno", "Porto"),
    ("chloe", "Graz"),
    ("dmitri", "Lyon"),
    ("elena", "Turin"),
    ("farid", "Malmo"),
];
const TEAMS: &[&str] = &["atlas", "comet", "delta", "raven", "orion"];
const TITLES: &[&str] = &[
    "Lamp flickers",
    "Chair creaks",
    "Door sticks",
    "Clock is late",
    "Table is round",
    "Window rattles",
    "Stair squeaks",
    "Bell is quiet",
    "Shelf is full",
    "Sink drips",
];

/// A person who issues belong to.
struct IssueOwner {
    login: &'static str,
    city: &'static str,
    team: &'static str,
    room: String,
}

/// A list of issues, each with the object of its owner, of whom there are few.
pub(super) fn owned_issues(random: &mut SeededRandom) -> TestText {
    let mut people = OWNERS.to_vec();
    random.shuffle(&mut people);
    let rooms = random.numbers(3, 110, 970);
    let teams = random.words(3, TEAMS);
    let owner =
        |((person, team), room): ((&(&'static str, &'static str), &&'static str), &usize)| {
            IssueOwner { login: person.0, city: person.1, team, room: room.to_string() }
        };
    let owners: Vec<IssueOwner> = people.iter().zip(&teams).zip(&rooms).map(owner).collect();
    let numbers = random.numbers(10, 210, 980);
    let titles = random.words(10, TITLES);
    let mut issues = Vec::new();
    let mut assigned: Vec<(String, &IssueOwner)> = Vec::new();
    for (number, title) in numbers.iter().zip(titles) {
        let Some(owner) = owners.get(random.below(owners.len())) else { continue };
        let object = json!({"login": owner.login, "city": owner.city, "team": owner.team,
                            "room": owner.room.parse::<u64>().unwrap_or_default(),
                            "profile": format!("https://example.com/people/{}", owner.login)});
        issues.push(json!({"number": number, "title": title, "owner": object}));
        assigned.push((number.to_string(), owner));
    }
    let text = json!({"repository": "workshop", "issues": issues}).to_string();
    TestText::new(text, owner_questions(&owners, &assigned, random))
}

fn owner_questions(
    owners: &[IssueOwner],
    assigned: &[(String, &IssueOwner)],
    random: &mut SeededRandom,
) -> Vec<TextQuestion> {
    let all = |of: fn(&IssueOwner) -> &str| -> Vec<String> {
        owners.iter().map(|owner| of(owner).to_owned()).collect()
    };
    let (logins, cities) = (all(|owner| owner.login), all(|owner| owner.city));
    let (teams, rooms) = (all(|owner| owner.team), all(|owner| &owner.room));
    let mut questions = Vec::new();
    for (number, owner) in assigned {
        for (label, answer, values) in [
            ("login", owner.login, &logins),
            ("city", owner.city, &cities),
            ("team", owner.team, &teams),
            ("room", owner.room.as_str(), &rooms),
        ] {
            let text = format!("What is the {label} of the owner of issue {number}?");
            let question = TextQuestion::new(QuestionKind::Field, text, answer, values, random);
            questions.push(question.needing([number.as_str()]));
        }
    }
    random.shuffle(&mut questions);
    questions.truncate(14);
    for owner in owners {
        let count = assigned.iter().filter(|(_, other)| other.login == owner.login).count();
        if count > 0 {
            let text = format!("How many issues does {} own?", owner.login);
            questions.push(TextQuestion::count(text, count).needing([owner.login]));
        }
    }
    questions
}

/// A list of records that is cut off in its last one.
pub(super) fn cut_list(random: &mut SeededRandom) -> TestText {
    let mut table = ValueTable::draw(RECORDS + 1, random);
    let mut text = layout::json(&table, random);
    let last = table.key(RECORDS).to_owned();
    if let Some(at) = text.rfind(&last) {
        text.truncate(at + last.len());
    }
    table.remove_last();
    let mut questions = table.questions(CELL_QUESTIONS, random);
    // It does not show which record would be the last one, and how many there are.
    questions.retain(|question| question.kind == QuestionKind::Field);
    TestText::new(text, questions)
}

/// A response of a service, which has its records in a string.
pub(super) fn body_string(random: &mut SeededRandom) -> TestText {
    let table = ValueTable::draw(RECORDS, random);
    let body = layout::json(&table, random);
    let text = json!({"statusCode": 200, "requestId": format!("r-{}", random.number(1000, 9999)),
                      "headers": {"content-type": "application/json"}, "body": body});
    TestText::new(text.to_string(), table.questions(CELL_QUESTIONS, random))
}

/// Records as Python prints a list of dicts.
pub(super) fn printed_list(random: &mut SeededRandom) -> TestText {
    let table = ValueTable::draw(RECORDS, random);
    let mut text = String::new();
    write_printed(&mut text, &layout::records(&table));
    TestText::new(text, table.questions(CELL_QUESTIONS, random))
}

fn write_printed(out: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write_printed(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (at, (key, value)) in members.iter().enumerate() {
                let _ = write!(out, "{}'{key}': ", if at > 0 { ", " } else { "" });
                write_printed(out, value);
            }
            out.push('}');
        }
        Value::String(text) => {
            let _ = write!(out, "'{text}'");
        }
        // Records have numbers besides.
        other => {
            let _ = write!(out, "{other}");
        }
    }
}
