//! Lines that tools print about many things: messages of all shapes, fields one below the other,
//! progress that overwrites itself.

use std::fmt::Write as _;

use super::super::question::{QuestionKind, TestText, TextQuestion};
use super::super::random::SeededRandom;
use super::value_table::ValueTable;

const HOSTS: &[&str] = &["alder", "birch", "cedar", "hazel", "maple", "rowan", "willow"];
const PACKAGES: &[&str] = &[
    "argon-kit",
    "basalt",
    "cobalt-io",
    "dune-core",
    "ember",
    "flint-json",
    "garnet",
    "harbor-rs",
    "indigo",
    "jasper-net",
];

/// A log whose messages are of several shapes.
pub(super) fn messages(random: &mut SeededRandom) -> TestText {
    let ids = random.numbers(18, 2100, 9800);
    let mut amounts = random.numbers(ids.len(), 110, 980);
    random.shuffle(&mut amounts);
    let amounts: Vec<String> = amounts.iter().map(ToString::to_string).collect();
    let hosts: Vec<String> = HOSTS.iter().map(|host| (*host).to_owned()).collect();
    let mut second = random.number(0, 9);
    let mut text = String::new();
    let mut questions = Vec::new();
    for (id, amount) in ids.iter().zip(&amounts) {
        second += random.number(1, 2);
        let host = random.word(HOSTS);
        let (message, asked) = match random.below(5) {
            0 => (
                format!("job {id} wrote {amount} rows on {host}"),
                format!("How many rows did job {id} write?"),
            ),
            1 => (
                format!("{host} answered job {id} after {amount} ms, as planned"),
                format!("After how many ms was job {id} answered?"),
            ),
            2 => (
                format!("the queue of job {id} on {host} holds {amount} entries now"),
                format!("How many entries does the queue of job {id} hold?"),
            ),
            3 => (
                format!("no retry of job {id}: {amount} bytes are left on {host}"),
                format!("How many bytes are left for job {id}?"),
            ),
            _ => (
                format!("job {id} moved to {host} with {amount} open files"),
                format!("How many open files does job {id} have?"),
            ),
        };
        let _ = writeln!(text, "2026-03-02 10:00:{second:02} worker[41] INFO {message}");
        let key = id.to_string();
        let number = TextQuestion::new(QuestionKind::Field, asked, amount, &amounts, random);
        questions.push(number.needing([key.as_str()]));
        let asked = format!("Which host does the line about job {id} name?");
        let place = TextQuestion::new(QuestionKind::Line, asked, host, &hosts, random);
        questions.push(place.needing([key.as_str()]));
    }
    random.shuffle(&mut questions);
    questions.truncate(16);
    TestText::new(text, questions)
}

/// Records with a field a line, as clients of databases print wide rows.
pub(super) fn field_lines(random: &mut SeededRandom) -> TestText {
    let table = ValueTable::draw(8, random);
    let width = table.columns.iter().map(|column| column.name.len()).max().unwrap_or(0);
    let stars = "*".repeat(27);
    let mut text = String::new();
    for at in 0..table.count {
        let _ = writeln!(text, "{stars} {}. row {stars}", at + 1);
        for (column, value) in table.columns.iter().zip(table.row(at)) {
            let _ = writeln!(text, "{:>width$}: {value}", column.name);
        }
    }
    TestText::new(text, table.questions(13, random))
}

/// Downloads whose lines show how far they are, each state over the one before.
pub(super) fn progress(random: &mut SeededRandom) -> TestText {
    let names = random.words(8, PACKAGES);
    let mut sizes = random.numbers(names.len(), 110, 980);
    random.shuffle(&mut sizes);
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let all: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut text = String::new();
    let mut questions = Vec::new();
    for (at, (name, size)) in names.iter().zip(&sizes).enumerate() {
        let _ = writeln!(text, "fetch {name} of {size} kB");
        let mut percent = random.number(1, 20);
        while percent < 100 {
            let _ = write!(text, "\r{name}: {percent:>3}%");
            percent += random.number(15, 35);
        }
        let _ = writeln!(text, "\r{name}: 100%");
        let asked = format!("How many kB is {name}?");
        let question = TextQuestion::new(QuestionKind::Field, asked, size, &sizes, random);
        questions.push(question.needing([*name]));
        if let Some(next) = names.get(at + 1) {
            let asked = format!("Which package was fetched right after {name}?");
            let question = TextQuestion::new(QuestionKind::Line, asked, next, &all, random);
            questions.push(question.needing([*name]));
        }
    }
    if let Some(last) = names.last() {
        let asked = "Which package was fetched last?".to_owned();
        questions.push(TextQuestion::new(QuestionKind::Last, asked, last, &all, random));
    }
    TestText::new(text, questions)
}
