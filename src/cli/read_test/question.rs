//! Texts with questions that have one right answer.

use super::random::SeededRandom;

/// Wrong answers that are offered next to the right one.
pub(super) const MAX_OTHERS: usize = 3;

/// What a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum QuestionKind {
    /// A value of a record.
    Field,
    /// A line, or the number of one.
    Line,
    /// How many records have a value.
    Count,
    /// A value of the last record.
    Last,
    /// A value of a record that another result names.
    Join,
}

impl QuestionKind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Line => "line",
            Self::Count => "count",
            Self::Last => "last",
            Self::Join => "join",
        }
    }
}

/// A question about a text.
#[derive(Debug, Clone)]
pub(super) struct TextQuestion {
    pub(super) kind: QuestionKind,
    pub(super) text: String,
    pub(super) answer: String,
    /// Wrong answers: other values of the text, `MAX_OTHERS` at most.
    pub(super) others: Vec<String>,
    /// Words that a reader must see to know the answer.
    pub(super) needs: Vec<String>,
}

impl TextQuestion {
    /// `values`: those of the text that the answer is one of.
    pub(super) fn new(
        kind: QuestionKind,
        text: String,
        answer: &str,
        values: &[String],
        random: &mut SeededRandom,
    ) -> Self {
        let mut others: Vec<String> =
            values.iter().filter(|value| *value != answer).cloned().collect();
        others.sort_unstable();
        others.dedup();
        random.shuffle(&mut others);
        others.truncate(MAX_OTHERS);
        Self { kind, text, answer: answer.to_owned(), others, needs: vec![answer.to_owned()] }
    }

    /// Asks for a number; the wrong answers are the numbers next to it.
    pub(super) fn count(text: String, count: usize) -> Self {
        let mut others: Vec<usize> = vec![count + 1, count + 2];
        others.extend(if count > 1 { count.checked_sub(1) } else { Some(count + 3) });
        Self {
            kind: QuestionKind::Count,
            text,
            answer: count.to_string(),
            others: others.into_iter().map(|other| other.to_string()).collect(),
            needs: Vec::new(),
        }
    }

    /// Adds words that a reader must see.
    #[must_use]
    pub(super) fn needing<'w>(mut self, words: impl IntoIterator<Item = &'w str>) -> Self {
        self.needs.extend(words.into_iter().map(str::to_owned));
        self
    }

    /// Whether a text shows what the answer follows from.
    pub(super) fn is_in_sight(&self, text: &str) -> bool {
        self.needs.iter().all(|need| has_word(text, need))
    }

    /// The right answer among the wrong ones, sorted.
    pub(super) fn candidates(&self) -> Vec<String> {
        let mut candidates = self.others.clone();
        candidates.push(self.answer.clone());
        candidates.sort_unstable();
        candidates
    }
}

/// Whether a word is in a text and is no part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|tail| tail.chars().next());
        !is_part(before) && !is_part(after)
    })
}

/// One or more results of tools, with questions about them.
#[derive(Debug, Clone)]
pub(super) struct TestText {
    /// Oldest first.
    pub(super) results: Vec<String>,
    pub(super) questions: Vec<TextQuestion>,
}

impl TestText {
    pub(super) fn new(result: String, questions: Vec<TextQuestion>) -> Self {
        Self { results: vec![result], questions }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_answers_are_other_values_and_not_the_right_one() {
        let values: Vec<String> = ["a", "b", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        let random = &mut SeededRandom::new(3);
        let question =
            TextQuestion::new(QuestionKind::Field, "Which?".to_owned(), "b", &values, random);
        assert_eq!(question.others.len(), MAX_OTHERS);
        assert!(!question.others.contains(&"b".to_owned()));
        assert!(question.candidates().contains(&"b".to_owned()));
        assert!(question.candidates().is_sorted());
    }

    #[test]
    fn numbers_next_to_a_count_are_the_wrong_ones() {
        assert_eq!(TextQuestion::count(String::new(), 4).candidates(), ["3", "4", "5", "6"]);
        assert_eq!(TextQuestion::count(String::new(), 1).candidates(), ["1", "2", "3", "4"]);
    }

    #[test]
    fn an_answer_is_in_sight_with_all_that_it_follows_from() {
        let random = &mut SeededRandom::new(3);
        let question = TextQuestion::new(QuestionKind::Field, String::new(), "17", &[], random)
            .needing(["order-4"]);
        assert!(question.is_in_sight("order-4: 17\n"));
        assert!(!question.is_in_sight("order-4: 171\n"));
        assert!(!question.is_in_sight("order-41: 17\n"));
    }
}
