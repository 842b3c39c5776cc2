//! Texts of every kind, made from seeds.

mod event_lines;
mod layout;
mod nested_values;
mod output_lines;
mod source_files;
mod value_table;

use std::fmt::Write as _;

use super::question::{QuestionKind, TestText};
use super::random::SeededRandom;
use value_table::ValueTable;

/// Records of a table whose format takes a line for each.
const RECORDS: usize = 12;
/// Records of a table whose format takes several lines for each.
const LONG_RECORDS: usize = 8;
/// Questions about cells of a table, next to those about counts and the last record.
const CELL_QUESTIONS: usize = 13;

/// Makes texts of one kind.
pub(super) struct TextMaker {
    pub(super) name: &'static str,
    make: fn(&mut SeededRandom) -> TestText,
}

/// The makers of all kinds of texts.
pub(super) const TEXT_MAKERS: &[TextMaker] = &[
    TextMaker { name: "log", make: event_lines::log },
    TextMaker { name: "pair_log", make: event_lines::pair_log },
    TextMaker { name: "repeats", make: event_lines::repeats },
    TextMaker { name: "test_run", make: event_lines::test_run },
    TextMaker { name: "json", make: |random| of_table(LONG_RECORDS, layout::json, random) },
    TextMaker {
        name: "json_lines",
        make: |random| of_table(LONG_RECORDS, layout::json_lines, random),
    },
    TextMaker { name: "csv", make: |random| of_table(RECORDS, layout::csv, random) },
    TextMaker { name: "csv_days", make: |random| of_days(layout::csv, random) },
    TextMaker { name: "yaml", make: |random| of_table(LONG_RECORDS, layout::yaml, random) },
    TextMaker {
        name: "yaml_notes",
        make: |random| of_table(LONG_RECORDS, layout::commented_yaml, random),
    },
    TextMaker { name: "xml", make: |random| of_table(LONG_RECORDS, layout::xml, random) },
    TextMaker {
        name: "xml_notes",
        make: |random| of_table(LONG_RECORDS, layout::commented_xml, random),
    },
    TextMaker { name: "markdown", make: |random| of_table(RECORDS, layout::markdown, random) },
    TextMaker { name: "aligned", make: |random| of_table(RECORDS, layout::aligned, random) },
    TextMaker { name: "joined", make: joined },
    TextMaker { name: "paths", make: source_files::paths },
    TextMaker { name: "search", make: source_files::search },
    TextMaker { name: "numbered", make: source_files::numbered },
    TextMaker { name: "source", make: source_files::source },
    TextMaker { name: "diff", make: source_files::diff },
    TextMaker { name: "read_again", make: source_files::read_again },
    TextMaker { name: "sections", make: source_files::sections },
    TextMaker { name: "messages", make: output_lines::messages },
    TextMaker { name: "field_lines", make: output_lines::field_lines },
    TextMaker { name: "progress", make: output_lines::progress },
    TextMaker { name: "diff_rows", make: source_files::diff_rows },
    TextMaker { name: "json_owners", make: nested_values::owned_issues },
    TextMaker { name: "json_cut", make: nested_values::cut_list },
    TextMaker { name: "json_body", make: nested_values::body_string },
    TextMaker { name: "python", make: nested_values::printed_list },
];

/// Reads the name of a kind from the command line.
pub(super) fn kind_parser() -> clap::builder::PossibleValuesParser {
    TEXT_MAKERS.iter().map(|maker| maker.name).collect::<Vec<_>>().into()
}

impl TextMaker {
    /// Makes the text of a number; each kind has seeds of its own.
    pub(super) fn make(&self, number: usize) -> TestText {
        let name =
            self.name.bytes().fold(7_u64, |sum, byte| sum * 131 % 1_000_003 + u64::from(byte));
        (self.make)(&mut SeededRandom::new((name << 20) + number as u64))
    }
}

/// Writes a table in a format.
type TableLayout = fn(&ValueTable, &mut SeededRandom) -> String;

fn of_table(records: usize, layout: TableLayout, random: &mut SeededRandom) -> TestText {
    let table = ValueTable::draw(records, random);
    let text = layout(&table, random);
    TestText::new(text, table.questions(CELL_QUESTIONS, random))
}

fn of_days(layout: TableLayout, random: &mut SeededRandom) -> TestText {
    let table = ValueTable::draw_days(random);
    let text = layout(&table, random);
    TestText::new(text, table.questions(CELL_QUESTIONS, random))
}

/// Two results: what is asked about a record of the second is in the first.
fn joined(random: &mut SeededRandom) -> TestText {
    let table = ValueTable::draw(RECORDS, random);
    let mut order: Vec<usize> = (0..RECORDS).collect();
    random.shuffle(&mut order);
    let batches = random.numbers(RECORDS, 31, 97);
    let mut list = format!("batch,{}\n", table.noun);
    let mut questions = Vec::new();
    let columns: Vec<_> = table.columns.iter().skip(1).filter(|column| !column.is_same()).collect();
    for (batch, at) in batches.iter().zip(order) {
        let key = table.key(at);
        let _ = writeln!(list, "{batch},{key}");
        let Some(column) = columns.get(random.below(columns.len())) else { continue };
        let text =
            format!("What is the {} of the {} in batch {batch}?", column.label(), table.noun);
        let question = column.question(QuestionKind::Join, text, at, random);
        questions.push(question.needing([key, &batch.to_string()]));
    }
    let first = if random.below(2) == 0 {
        layout::json(&table, random)
    } else {
        layout::csv(&table, random)
    };
    TestText { results: vec![first, list], questions }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_is_in_its_text_and_differs_from_the_wrong_ones() {
        for maker in TEXT_MAKERS {
            for number in 0..6 {
                let text = maker.make(number);
                let shown = text.results.join("\n");
                assert!(text.questions.len() >= 8, "{}: {}", maker.name, text.questions.len());
                for question in &text.questions {
                    assert!(question.is_in_sight(&shown), "{}: {question:?}\n{shown}", maker.name);
                    assert!(!question.others.is_empty(), "{}: {question:?}", maker.name);
                    assert!(!question.others.contains(&question.answer), "{question:?}");
                }
            }
        }
    }

    #[test]
    fn texts_are_the_same_each_time_and_differ_by_number_and_kind() {
        for maker in TEXT_MAKERS {
            assert_eq!(maker.make(3).results, maker.make(3).results, "{}", maker.name);
            assert_ne!(maker.make(3).results, maker.make(4).results, "{}", maker.name);
        }
        let names: std::collections::BTreeSet<&str> =
            TEXT_MAKERS.iter().map(|maker| maker.name).collect();
        assert_eq!(names.len(), TEXT_MAKERS.len());
    }
}
