//! The sentence of a report: [`Sentence`].

use std::fmt::Write as _;

use super::Actions;
use crate::domain::{counted, group_digits};

/// What a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SentenceSubject {
    /// One text, which is shortened or not.
    Text,
    /// A list of messages, alone or in a payload.
    Messages,
}

/// The size that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SizeLimit {
    /// Tokens that the result may have.
    Budget(u64),
    /// No budget, but the window of the model that the request names.
    Window(u64),
    /// Neither.
    None,
}

/// The figures of the sentence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sentence<'a> {
    pub(crate) subject: SentenceSubject,
    pub(crate) before: u64,
    pub(crate) after: u64,
    pub(crate) limit: SizeLimit,
    pub(crate) actions: &'a Actions,
}

/// The sentence for a list of messages that has a budget.
pub(crate) fn write_messages_sentence(
    before: u64,
    after: u64,
    budget: u64,
    actions: &Actions,
) -> String {
    let (subject, limit) = (SentenceSubject::Messages, SizeLimit::Budget(budget));
    Sentence { subject, before, after, limit, actions }.write()
}

impl Sentence<'_> {
    pub(crate) fn write(&self) -> String {
        let mut text =
            format!("{} → {}. ", group_digits(self.before), counted(self.after, "token"));
        match self.subject {
            SentenceSubject::Text if self.actions.compressed > 0 => {
                text.push_str("The text is shortened.");
            }
            SentenceSubject::Text => text.push_str("The text is as it came."),
            SentenceSubject::Messages => self.write_actions(&mut text),
        }
        self.limit.write_excess(self.after, &mut text);
        text
    }

    /// The sentence for what there was no time to count and to shorten; the tokens are estimates.
    pub(crate) fn write_late(&self) -> String {
        let tokens = counted(self.after, "token");
        let what = match self.subject {
            SentenceSubject::Text => "the text is".to_owned(),
            SentenceSubject::Messages if self.actions.kept == 1 => "1 message is".to_owned(),
            SentenceSubject::Messages => {
                format!("{} are", counted(self.actions.kept as u64, "message"))
            }
        };
        let mut text = format!("Time was up: {what} not shortened, about {tokens}.");
        self.limit.write_excess(self.after, &mut text);
        text
    }

    fn write_actions(&self, text: &mut String) {
        let actions = self.actions;
        let rest = [
            (actions.compressed, "message", "shortened"),
            (actions.deduplicated, "repeated text", "referred to"),
            (actions.cleared, "old message", "cleared"),
            (actions.summarized, "old message", "summarized"),
            (actions.changed, "message", "changed by hooks"),
            (actions.removed, "message", "removed by hooks"),
            (actions.added, "message", "added by hooks"),
            (actions.dropped, "old message", "dropped"),
        ];
        let kept = (actions.kept, "message", "word for word");
        let mut clauses: Vec<String> = [kept]
            .into_iter()
            .chain(rest)
            .filter(|(count, ..)| *count > 0)
            .map(|(count, noun, verb)| format!("{} {verb}", counted(count as u64, noun)))
            .collect();
        if clauses.is_empty() {
            clauses.push("No messages".to_owned());
        } else if actions.dropped == 0 {
            clauses.push("nothing dropped".to_owned());
        }
        let _ = write!(text, "{}.", clauses.join(", "));
    }
}

impl SizeLimit {
    fn write_excess(self, tokens: u64, text: &mut String) {
        let (limit, what) = match self {
            Self::Budget(limit) => (limit, "the budget"),
            Self::Window(limit) => (limit, "the model's window"),
            Self::None => return,
        };
        if tokens > limit {
            let (more, limit) = (counted(tokens - limit, "token"), group_digits(limit));
            let _ = write!(text, " It is {more} above {what} of {limit}.");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_list(before: u64, after: u64, limit: SizeLimit, actions: &Actions) -> String {
        Sentence { subject: SentenceSubject::Messages, before, after, limit, actions }.write()
    }

    #[test]
    fn a_list_says_what_became_of_its_messages() {
        let actions = Actions { kept: 1, compressed: 12, summarized: 3, ..Actions::default() };
        assert_eq!(
            of_list(58_120, 1_021_944, SizeLimit::None, &actions),
            "58,120 → 1,021,944 tokens. 1 message word for word, 12 messages shortened, \
             3 old messages summarized, nothing dropped."
        );
        let actions = Actions { dropped: 1, ..Actions::default() };
        assert_eq!(
            of_list(700, 2_100, SizeLimit::Budget(2_000), &actions),
            "700 → 2,100 tokens. 1 old message dropped. It is 100 tokens above the budget of 2,000."
        );
        assert_eq!(
            of_list(0, 0, SizeLimit::Budget(0), &Actions::default()),
            "0 → 0 tokens. No messages."
        );
    }

    #[test]
    fn a_text_has_no_messages_and_exceeds_only_what_was_asked_for() {
        let kept = Actions { kept: 1, ..Actions::default() };
        let shortened = Actions { compressed: 1, ..Actions::default() };
        let of_text = |after, limit, actions: &Actions| {
            Sentence { subject: SentenceSubject::Text, before: 200_000, after, limit, actions }
                .write()
        };
        assert_eq!(
            of_text(200_000, SizeLimit::None, &kept),
            "200,000 → 200,000 tokens. The text is as it came."
        );
        assert_eq!(
            of_text(150_000, SizeLimit::Window(128_000), &shortened),
            "200,000 → 150,000 tokens. The text is shortened. It is 22,000 tokens above the model's \
             window of 128,000."
        );
    }

    #[test]
    fn what_there_was_no_time_for_says_so() {
        let late = |subject, kept, limit| {
            let actions = &Actions { kept, ..Actions::default() };
            Sentence { subject, before: 1_500, after: 1_500, limit, actions }.write_late()
        };
        assert_eq!(
            late(SentenceSubject::Messages, 1, SizeLimit::Budget(1_000)),
            "Time was up: 1 message is not shortened, about 1,500 tokens. It is 500 tokens above the \
             budget of 1,000."
        );
        assert_eq!(
            late(SentenceSubject::Messages, 2, SizeLimit::None),
            "Time was up: 2 messages are not shortened, about 1,500 tokens."
        );
        assert_eq!(
            late(SentenceSubject::Text, 0, SizeLimit::None),
            "Time was up: the text is not shortened, about 1,500 tokens."
        );
    }
}
