//! Files and what tools print about them: listings, search results, source with and without line
//! numbers, diffs, settings.

use std::fmt::Write as _;

use super::super::question::{QuestionKind, TestText, TextQuestion};
use super::super::random::SeededRandom;

const ROOTS: &[&str] =
    &["src/http", "src/store", "src/policy", "tests/api", "docs/guides", "web/pages"];
const STEMS: &[&str] = &[
    "accounts", "batch", "cursor", "digest", "errors", "filter", "grants", "header", "index",
    "journal", "keys", "ledger", "mailer", "notes", "orders", "parser", "quota", "router",
];
const WORDS: &[&str] = &[
    "attempts",
    "batch_size",
    "cache_bytes",
    "depth",
    "grace_ms",
    "history",
    "interval",
    "jobs",
    "keep_days",
    "limit",
    "page_rows",
    "retries",
    "shards",
    "timeout",
    "window",
    "workers",
];

/// A file in a folder.
struct ListedFile {
    folder: &'static str,
    stem: &'static str,
}

impl ListedFile {
    fn draw(folders: usize, each: usize, random: &mut SeededRandom) -> Vec<Self> {
        let mut stems = random.words(folders * each, STEMS).into_iter();
        let mut files = Vec::new();
        for folder in random.words(folders, ROOTS) {
            files.extend(stems.by_ref().take(each).map(|stem| Self { folder, stem }));
        }
        files
    }

    fn path(&self) -> String {
        format!("{}/{}.rs", self.folder, self.stem)
    }
}

/// Paths as `find` prints them, with the state that `git status` gives them.
pub(super) fn paths(random: &mut SeededRandom) -> TestText {
    let files = ListedFile::draw(4, 4, random);
    let mut text = "Changes not staged for commit:\n".to_owned();
    for file in &files {
        let _ = writeln!(text, "\tmodified:   {}", file.path());
    }
    TestText::new(text, path_questions(&files, random))
}

fn path_questions(files: &[ListedFile], random: &mut SeededRandom) -> Vec<TextQuestion> {
    let folders: Vec<String> = files.iter().map(|file| file.folder.to_owned()).collect();
    let mut questions = Vec::new();
    for at in random.numbers(6, 0, files.len().saturating_sub(1)) {
        let Some(file) = files.get(at) else { continue };
        let name = format!("{}.rs", file.stem);
        let text = format!("Which folder is {name} in?");
        let question = TextQuestion::new(QuestionKind::Field, text, file.folder, &folders, random);
        questions.push(question.needing([name.as_str()]));
    }
    for at in random.numbers(4, 0, files.len().saturating_sub(1)) {
        let Some(file) = files.get(at) else { continue };
        let text = format!("What is the full path of {}.rs?", file.stem);
        let others = files.iter().map(|other| format!("{}/{}.rs", other.folder, file.stem));
        let others: Vec<String> = others.collect();
        let question = TextQuestion::new(QuestionKind::Line, text, &file.path(), &others, random);
        questions.push(TextQuestion { needs: vec![format!("{}.rs", file.stem)], ..question });
    }
    let mut order: Vec<usize> = (0..files.len()).step_by(4).collect();
    random.shuffle(&mut order);
    for file in order.into_iter().take(2).filter_map(|at| files.get(at)) {
        let own = |other: &&ListedFile| other.folder == file.folder;
        let name = |other: &ListedFile| format!("{}.rs", other.stem);
        let (inside, outside): (Vec<_>, Vec<_>) = files.iter().partition(own);
        let outside: Vec<String> = outside.into_iter().map(name).collect();
        let Some(last) = inside.last() else { continue };
        let text = format!("Which of these files is in {}?", file.folder);
        let question = TextQuestion::new(QuestionKind::Field, text, &name(last), &outside, random);
        questions.push(question);
    }
    questions
}

/// Hits of a search, with file and line number.
pub(super) fn search(random: &mut SeededRandom) -> TestText {
    let files = ListedFile::draw(3, 3, random);
    let names = random.words(14, WORDS);
    let mut numbers = random.numbers(names.len(), 11, 480);
    random.shuffle(&mut numbers);
    let mut values = random.numbers(names.len(), 12, 960);
    random.shuffle(&mut values);
    let mut text = String::new();
    let mut questions = Vec::new();
    let paths: Vec<String> = files.iter().map(ListedFile::path).collect();
    let numbers_text: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    let values_text: Vec<String> = values.iter().map(ToString::to_string).collect();
    let mut order: Vec<usize> = (0..names.len()).map(|at| at * files.len() / names.len()).collect();
    order.sort_unstable();
    for ((name, file), (number, value)) in
        names.iter().zip(order).zip(numbers_text.iter().zip(&values_text))
    {
        let Some(path) = paths.get(file) else { continue };
        let _ =
            writeln!(text, "{path}:{number}:    let {name} = config.number(\"{name}\", {value});");
        for (text, answer, values) in [
            (format!("Which file sets {name}?"), path, &paths),
            (format!("What number is given for {name}?"), value, &values_text),
            (format!("On which line of its file is {name} set?"), number, &numbers_text),
        ] {
            let question = TextQuestion::new(QuestionKind::Field, text, answer, values, random);
            questions.push(question.needing([*name]));
        }
    }
    random.shuffle(&mut questions);
    questions.truncate(12);
    TestText::new(text, questions)
}

/// A constant with its value.
struct Constant {
    name: String,
    value: String,
    line: usize,
}

/// Source with constants, from a line on.
struct ConstantSource {
    lines: Vec<String>,
    first: usize,
    constants: Vec<Constant>,
}

impl ConstantSource {
    fn draw(count: usize, random: &mut SeededRandom) -> Self {
        let mut values = random.numbers(count, 12, 960);
        random.shuffle(&mut values);
        let first = random.number(21, 380);
        let mut lines: Vec<String> = Vec::new();
        let mut constants = Vec::new();
        for (name, value) in random.words(count, WORDS).into_iter().zip(values) {
            if random.below(2) == 0 {
                lines.push(format!("/// The {} of one run.", name.replace('_', " ")));
            }
            let line = first + lines.len();
            lines.push(format!("pub const {}: u64 = {value};", name.to_uppercase()));
            constants.push(Constant { name: name.to_uppercase(), value: value.to_string(), line });
            if random.below(2) == 0 {
                lines.push(String::new());
            }
        }
        Self { lines, first, constants }
    }

    fn value_questions(&self, random: &mut SeededRandom) -> Vec<TextQuestion> {
        let values: Vec<String> = self.constants.iter().map(|one| one.value.clone()).collect();
        let ask = |constant: &Constant| {
            let text = format!("What is the value of {}?", constant.name);
            TextQuestion::new(QuestionKind::Field, text, &constant.value, &values, random)
                .needing([constant.name.as_str()])
        };
        self.constants.iter().map(ask).collect()
    }
}

/// Source as a tool prints it with line numbers.
pub(super) fn numbered(random: &mut SeededRandom) -> TestText {
    let source = ConstantSource::draw(15, random);
    let mut text = String::new();
    for (at, line) in source.lines.iter().enumerate() {
        let _ = writeln!(text, "{:>6}\t{line}", source.first + at);
    }
    let mut questions = source.value_questions(random);
    random.shuffle(&mut questions);
    questions.truncate(6);
    let lines: Vec<String> = source.constants.iter().map(|one| one.line.to_string()).collect();
    for at in random.numbers(6, 0, source.constants.len().saturating_sub(1)) {
        let Some(constant) = source.constants.get(at) else { continue };
        let text = format!("What is the line number of {}?", constant.name);
        let question =
            TextQuestion::new(QuestionKind::Line, text, &constant.line.to_string(), &lines, random);
        questions.push(question.needing([constant.name.as_str()]));
    }
    TestText::new(text, questions)
}

/// Source as it is.
pub(super) fn source(random: &mut SeededRandom) -> TestText {
    let mut source = ConstantSource::draw(10, random);
    source.lines.push("\npub fn total(rows: &[u64]) -> u64 {".to_owned());
    source
        .lines
        .push("    let mut sum = 0;\n    for row in rows {\n        sum += row;\n    }".to_owned());
    source.lines.push("    sum\n}".to_owned());
    let questions = source.value_questions(random);
    TestText::new(source.lines.join("\n") + "\n", questions)
}

/// A unified diff of constants.
pub(super) fn diff(random: &mut SeededRandom) -> TestText {
    let source = ConstantSource::draw(12, random);
    let path = ListedFile::draw(1, 1, random).first().map(ListedFile::path).unwrap_or_default();
    let changed = random.numbers(5, 0, source.constants.len().saturating_sub(1));
    let mut body = String::new();
    let mut news: Vec<(String, String)> = Vec::new();
    for (at, constant) in source.constants.iter().enumerate() {
        let line = format!("pub const {}: u64 = {};", constant.name, constant.value);
        if changed.contains(&at) {
            let value = random.number(1010, 9870).to_string();
            let _ = writeln!(body, "-{line}\n+pub const {}: u64 = {value};", constant.name);
            news.push((constant.name.clone(), value));
        } else {
            let _ = writeln!(body, " {line}");
        }
    }
    let count = source.constants.len();
    let text = format!(
        "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{0},{count} +{0},{count} @@\n{body}",
        source.first
    );
    let values: Vec<String> = news.iter().map(|(_, value)| value.clone()).collect();
    let olds: Vec<String> = source.constants.iter().map(|one| one.value.clone()).collect();
    let mut questions = Vec::new();
    for (name, value) in &news {
        let text = format!("What is the new value of {name}?");
        let question = TextQuestion::new(QuestionKind::Field, text, value, &values, random);
        questions.push(question.needing([name.as_str()]));
        let Some(old) = source.constants.iter().find(|one| one.name == *name) else { continue };
        let text = format!("What was the value of {name} before?");
        let question = TextQuestion::new(QuestionKind::Field, text, &old.value, &olds, random);
        questions.push(question.needing([name.as_str()]));
    }
    TestText::new(text, questions)
}

/// A unified diff that adds rows to a table.
pub(super) fn diff_rows(random: &mut SeededRandom) -> TestText {
    let path = ListedFile::draw(1, 1, random).first().map(ListedFile::path).unwrap_or_default();
    let names = random.words(14, STEMS);
    let mut limits = random.numbers(names.len(), 110, 980);
    random.shuffle(&mut limits);
    let limits: Vec<String> = limits.iter().map(ToString::to_string).collect();
    let zones: Vec<String> = ["North", "South", "West"].map(str::to_owned).to_vec();
    let (count, first) = (names.len(), random.number(21, 380));
    let mut text = format!(
        "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{first},2 +{first},{} @@\n",
        count + 2
    );
    text.push_str(" const ROWS: &[LimitRow] = &[\n");
    let mut questions = Vec::new();
    for (name, limit) in names.iter().zip(&limits) {
        let zone = random.word(&["North", "South", "West"]);
        let _ = writeln!(
            text,
            "+    LimitRow {{ name: \"{name}\", limit: {limit}, zone: Zone::{zone} }},"
        );
        for (text, answer, values) in [
            (format!("What is the limit of {name}?"), limit.as_str(), &limits),
            (format!("What is the zone of {name}?"), zone, &zones),
        ] {
            let question = TextQuestion::new(QuestionKind::Field, text, answer, values, random);
            questions.push(question.needing([*name]));
        }
    }
    text.push_str(" ];\n");
    random.shuffle(&mut questions);
    questions.truncate(16);
    TestText::new(text, questions)
}

/// A file of settings, read before and after some of them were changed.
pub(super) fn read_again(random: &mut SeededRandom) -> TestText {
    let source = ConstantSource::draw(14, random);
    let changed = random.numbers(2, 0, source.constants.len().saturating_sub(1));
    let (mut before, mut after) = ("[service]\n".to_owned(), "[service]\n".to_owned());
    let mut settings: Vec<(String, String)> = Vec::new();
    for (at, constant) in source.constants.iter().enumerate() {
        let name = constant.name.to_lowercase();
        let value = if changed.contains(&at) {
            random.number(1010, 9870).to_string()
        } else {
            constant.value.clone()
        };
        let _ = writeln!(before, "{name} = {}", constant.value);
        let _ = writeln!(after, "{name} = {value}");
        settings.push((name, value));
    }
    let values: Vec<String> = settings.iter().map(|(_, value)| value.clone()).collect();
    let mut questions = Vec::new();
    random.shuffle(&mut settings);
    for (name, value) in settings.iter().take(10) {
        let text = format!("In result 2, what is the value of {name}?");
        let question = TextQuestion::new(QuestionKind::Field, text, value, &values, random);
        questions.push(question.needing([name.as_str()]));
    }
    TestText { results: vec![before, after], questions }
}

/// The settings of two places, which have most of them in common.
pub(super) fn sections(random: &mut SeededRandom) -> TestText {
    let source = ConstantSource::draw(13, random);
    let places = random.words(2, &["staging", "production", "preview", "canary"]);
    let own = random.number(0, 2);
    let mut text = String::new();
    let mut settings: Vec<(String, String, String)> = Vec::new();
    let mut values: Vec<String> = Vec::new();
    for place in &places {
        let _ = writeln!(text, "[{place}]");
        for (at, constant) in source.constants.iter().enumerate() {
            let value = if at == own {
                random.number(1010, 9870).to_string()
            } else {
                constant.value.clone()
            };
            let name = constant.name.to_lowercase();
            let _ = writeln!(text, "{name} = {value}");
            values.push(value.clone());
            settings.push(((*place).to_owned(), name, value));
        }
    }
    // The last ones are those of the second place.
    let mut asked = settings.split_off(source.constants.len());
    random.shuffle(&mut asked);
    let mut questions = Vec::new();
    for (place, name, value) in asked.iter().take(10) {
        let text = format!("What is the value of {name} in {place}?");
        let question = TextQuestion::new(QuestionKind::Field, text, value, &values, random);
        questions.push(question.needing([name.as_str()]));
    }
    TestText::new(text, questions)
}
