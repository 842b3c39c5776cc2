//! Records that the same questions can be asked about in any format.

use super::super::question::{QuestionKind, TextQuestion};
use super::super::random::SeededRandom;

/// What the values of a column are drawn from.
enum ValuePool {
    /// A number of so many digits; no two records have the same.
    Digits { prefix: &'static str, first: usize, last: usize },
    /// Whole numbers and hundredths.
    Decimals { first: usize, last: usize },
    /// Any of some words.
    Words(&'static [&'static str]),
    /// The same word in all records.
    SameWord(&'static [&'static str]),
    /// Words that a few records after each other share.
    WordRuns(&'static [&'static str]),
}

/// A column of a subject. Columns of one object have its name and a dot before theirs.
struct ColumnPlan {
    name: &'static str,
    values: ValuePool,
}

/// What records are about. The first column tells them apart.
struct Subject {
    noun: &'static str,
    plural: &'static str,
    columns: &'static [ColumnPlan],
}

const CITIES: &[&str] =
    &["Ulm", "Porto", "Graz", "Lyon", "Turin", "Malmo", "Ghent", "Bergen", "Gdansk", "Split"];
const NAMES: &[&str] = &[
    "Amara", "Bruno", "Chloe", "Dmitri", "Elena", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kofi",
];
const STATES: &[&str] = &["paid", "open", "refunded", "failed"];
const DAYS: &[&str] = &["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05", "2026-03-09"];

const SUBJECTS: &[Subject] = &[
    Subject {
        noun: "order",
        plural: "orders",
        columns: &[
            ColumnPlan {
                name: "id",
                values: ValuePool::Digits { prefix: "", first: 4100, last: 4990 },
            },
            ColumnPlan { name: "day", values: ValuePool::WordRuns(DAYS) },
            ColumnPlan { name: "customer", values: ValuePool::Words(NAMES) },
            ColumnPlan { name: "city", values: ValuePool::Words(CITIES) },
            ColumnPlan {
                name: "price.amount",
                values: ValuePool::Decimals { first: 11, last: 98 },
            },
            ColumnPlan {
                name: "price.currency",
                values: ValuePool::SameWord(&["EUR", "USD", "GBP", "CHF"]),
            },
            ColumnPlan { name: "status", values: ValuePool::Words(STATES) },
        ],
    },
    Subject {
        noun: "server",
        plural: "servers",
        columns: &[
            ColumnPlan {
                name: "name",
                values: ValuePool::Digits { prefix: "node-", first: 110, last: 970 },
            },
            ColumnPlan {
                name: "zone",
                values: ValuePool::WordRuns(&["north", "south", "west", "centre"]),
            },
            ColumnPlan {
                name: "port",
                values: ValuePool::Digits { prefix: "", first: 5100, last: 9800 },
            },
            ColumnPlan {
                name: "memory",
                values: ValuePool::Words(&["512M", "768M", "1280M", "2304M", "4096M"]),
            },
            ColumnPlan {
                name: "image",
                values: ValuePool::SameWord(&["alpine", "debian", "fedora", "ubuntu"]),
            },
            ColumnPlan { name: "owner", values: ValuePool::Words(NAMES) },
            ColumnPlan {
                name: "state",
                values: ValuePool::Words(&["running", "stopped", "draining", "crashed"]),
            },
        ],
    },
    Subject {
        noun: "part",
        plural: "parts",
        columns: &[
            ColumnPlan {
                name: "code",
                values: ValuePool::Digits { prefix: "K", first: 2100, last: 8900 },
            },
            ColumnPlan {
                name: "supplier",
                values: ValuePool::SameWord(&["Norvik", "Altana", "Brecon", "Savoy"]),
            },
            ColumnPlan {
                name: "material",
                values: ValuePool::Words(&["steel", "brass", "nylon", "oak", "glass", "zinc"]),
            },
            ColumnPlan {
                name: "colour",
                values: ValuePool::Words(&["red", "green", "black", "white", "amber", "violet"]),
            },
            ColumnPlan { name: "weight", values: ValuePool::Decimals { first: 1, last: 60 } },
            ColumnPlan {
                name: "stock",
                values: ValuePool::Digits { prefix: "", first: 12, last: 940 },
            },
            ColumnPlan {
                name: "hall",
                values: ValuePool::WordRuns(&["Hall A", "Hall B", "Hall C", "Hall D"]),
            },
        ],
    },
    Subject {
        noun: "ticket",
        plural: "tickets",
        columns: &[
            ColumnPlan {
                name: "ticket",
                values: ValuePool::Digits { prefix: "T-", first: 310, last: 980 },
            },
            ColumnPlan { name: "opened", values: ValuePool::WordRuns(DAYS) },
            ColumnPlan { name: "assignee", values: ValuePool::Words(NAMES) },
            ColumnPlan {
                name: "priority",
                values: ValuePool::Words(&["low", "medium", "high", "urgent"]),
            },
            ColumnPlan {
                name: "project",
                values: ValuePool::SameWord(&["atlas", "comet", "delta", "raven"]),
            },
            ColumnPlan {
                name: "minutes",
                values: ValuePool::Digits { prefix: "", first: 15, last: 480 },
            },
            ColumnPlan { name: "site", values: ValuePool::Words(CITIES) },
        ],
    },
];

/// Columns of a table with a day for each record.
const DAY_COLUMNS: &[ColumnPlan] = &[
    ColumnPlan { name: "rain", values: ValuePool::Digits { prefix: "", first: 11, last: 98 } },
    ColumnPlan { name: "wind", values: ValuePool::Words(&["calm", "breeze", "gale", "storm"]) },
    ColumnPlan { name: "station", values: ValuePool::SameWord(CITIES) },
    ColumnPlan {
        name: "visitors",
        values: ValuePool::Digits { prefix: "", first: 110, last: 970 },
    },
];

/// A column with its values.
pub(super) struct ValueColumn {
    pub(super) name: &'static str,
    pub(super) values: Vec<String>,
    /// Other values that it might have had.
    unused: Vec<String>,
}

/// Records of one subject.
pub(super) struct ValueTable {
    pub(super) noun: &'static str,
    pub(super) plural: &'static str,
    pub(super) columns: Vec<ValueColumn>,
    pub(super) count: usize,
}

impl ValueTable {
    /// Draws `count` records of any subject.
    pub(super) fn draw(count: usize, random: &mut SeededRandom) -> Self {
        let subject = SUBJECTS.get(random.below(SUBJECTS.len()));
        let (noun, plural) = subject.map_or(("", ""), |subject| (subject.noun, subject.plural));
        let plans = subject.map_or(&[][..], |subject| subject.columns);
        let columns = plans.iter().map(|plan| ValueColumn::draw(plan, count, random)).collect();
        Self { noun, plural, columns, count }
    }

    /// Draws a table in which each record is of the day after the one before.
    pub(super) fn draw_days(random: &mut SeededRandom) -> Self {
        let (count, month) = (14, random.number(1, 12));
        let first = random.number(1, 14);
        let days = (first..first + count).map(|day| format!("2026-{month:02}-{day:02}")).collect();
        let mut columns = vec![ValueColumn { name: "day", values: days, unused: Vec::new() }];
        columns.extend(DAY_COLUMNS.iter().map(|plan| ValueColumn::draw(plan, count, random)));
        Self { noun: "day", plural: "days", columns, count }
    }

    /// Leaves out the last record.
    pub(super) fn remove_last(&mut self) {
        self.count = self.count.saturating_sub(1);
        for column in &mut self.columns {
            column.values.truncate(self.count);
        }
    }

    /// The values of a record, in the order of the columns.
    pub(super) fn row(&self, at: usize) -> impl Iterator<Item = &str> {
        self.columns.iter().map(move |column| column.value(at))
    }

    pub(super) fn key(&self, at: usize) -> &str {
        self.columns.first().map_or("", |column| column.value(at))
    }

    /// Asks for values of `fields` cells, for a count, and for values of the last record.
    pub(super) fn questions(&self, fields: usize, random: &mut SeededRandom) -> Vec<TextQuestion> {
        let mut cells: Vec<usize> =
            (0..self.count * self.columns.len().saturating_sub(1)).collect();
        random.shuffle(&mut cells);
        let mut asked: Vec<TextQuestion> = cells
            .into_iter()
            .take(fields)
            .filter_map(|cell| {
                self.field(cell / self.count.max(1) + 1, cell % self.count.max(1), random)
            })
            .collect();
        asked.extend(self.count_question(random));
        let columns = self.shuffled_columns(random);
        let last = self.count.saturating_sub(1);
        asked.extend(columns.into_iter().take(2).map(|column| {
            let text = format!("What is the {} of the last {}?", column.label(), self.noun);
            column.question(QuestionKind::Last, text, last, random).needing([self.key(last)])
        }));
        asked
    }

    /// The columns in which records differ, but for the key, in a random order.
    fn shuffled_columns(&self, random: &mut SeededRandom) -> Vec<&ValueColumn> {
        let mut columns: Vec<&ValueColumn> =
            self.columns.iter().skip(1).filter(|column| !column.is_same()).collect();
        random.shuffle(&mut columns);
        columns
    }

    fn field(&self, column: usize, at: usize, random: &mut SeededRandom) -> Option<TextQuestion> {
        let column = self.columns.get(column)?;
        let key = self.key(at);
        let text = format!("What is the {} of {} {key}?", column.label(), self.noun);
        Some(column.question(QuestionKind::Field, text, at, random).needing([key]))
    }

    /// Asks how many records have a word that two of them have, or more.
    fn count_question(&self, random: &mut SeededRandom) -> Option<TextQuestion> {
        self.shuffled_columns(random).into_iter().find_map(|column| {
            let of = |value: &String| column.values.iter().filter(|other| *other == value).count();
            let value = column.values.iter().find(|value| (2..=5).contains(&of(value)))?;
            let text = format!("How many {} have the {} {value}?", self.plural, column.label());
            let needed = (0..self.count).flat_map(|at| [self.key(at), column.value(at)]);
            Some(TextQuestion::count(text, of(value)).needing(needed))
        })
    }
}

impl ValueColumn {
    fn draw(plan: &ColumnPlan, count: usize, random: &mut SeededRandom) -> Self {
        let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect::<Vec<_>>();
        let (values, unused) = match plan.values {
            ValuePool::Digits { prefix, first, last } => {
                let numbers = random.numbers(count, first, last);
                (numbers.iter().map(|number| format!("{prefix}{number}")).collect(), Vec::new())
            }
            ValuePool::Decimals { first, last } => {
                let draw = |_| {
                    // A last digit that is not 0 stays in sight in every format.
                    let (tenths, last_digit) = (random.below(10), random.number(1, 9));
                    format!("{}.{tenths}{last_digit}", random.number(first, last))
                };
                ((0..count).map(draw).collect(), Vec::new())
            }
            ValuePool::Words(words) => {
                (owned((0..count).map(|_| random.word(words)).collect()), owned(words.to_vec()))
            }
            ValuePool::SameWord(words) => {
                (vec![random.word(words).to_owned(); count], owned(words.to_vec()))
            }
            ValuePool::WordRuns(words) => {
                let starts = random.numbers(words.len().min(3), 0, count.saturating_sub(1));
                let run = |at: usize| starts.iter().filter(|start| **start <= at).count();
                let word = |at: usize| words.get(run(at)).copied().unwrap_or_default();
                (owned((0..count).map(word).collect()), owned(words.to_vec()))
            }
        };
        let mut column = Self { name: plan.name, values, unused };
        if plan.name != "id" && matches!(plan.values, ValuePool::Digits { .. }) {
            random.shuffle(&mut column.values);
        }
        column
    }

    pub(super) fn value(&self, at: usize) -> &str {
        self.values.get(at).map_or("", String::as_str)
    }

    pub(super) fn is_same(&self) -> bool {
        self.values.windows(2).all(|pair| pair.first() == pair.get(1))
    }

    /// The name as words.
    pub(super) fn label(&self) -> String {
        self.name.replace('.', " ")
    }

    /// Asks for the value of one record. The wrong answers are the values of others.
    pub(super) fn question(
        &self,
        kind: QuestionKind,
        text: String,
        at: usize,
        random: &mut SeededRandom,
    ) -> TextQuestion {
        let values = if self.is_same() { &self.unused } else { &self.values };
        TextQuestion::new(kind, text, self.value(at), values, random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_keys_of_their_own_and_questions_have_wrong_answers() {
        for seed in 0..40 {
            let random = &mut SeededRandom::new(seed);
            let table = ValueTable::draw(12, random);
            let mut keys: Vec<&str> = (0..12).map(|at| table.key(at)).collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), 12);
            let questions = table.questions(8, random);
            assert!(questions.len() >= 10, "{}", questions.len());
            for question in questions {
                assert!(!question.others.is_empty(), "{question:?}");
                assert!(!question.others.contains(&question.answer), "{question:?}");
            }
        }
    }
}
