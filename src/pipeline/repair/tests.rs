use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::domain::ToolCall;

const RULES: RepairRules<'static> = RepairRules { list: "messages", finds_references: false };

fn calls(ids: &[&str]) -> Message {
    let part = |id: &&str| {
        Part::new(Content::ToolCall(ToolCall {
            id: Arc::from(*id),
            name: format!("tool_{}", id.get(..1).unwrap_or("x")).into(),
            arguments: Arc::from("{}"),
            custom: false,
        }))
    };
    Message::new(Role::Assistant, ids.iter().map(part).collect())
}

fn result(id: &str, text: &str) -> Message {
    let content = vec![Part::text(text)];
    let result = ToolResult { call_id: Arc::from(id), name: None, content, is_error: None };
    Message::new(Role::Tool, vec![Part::new(Content::ToolResult(result))])
}

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

fn said(text: &str) -> Message {
    Message::text(Role::Assistant, text)
}

/// A history in short: `u:text`, `s:text`, `a:text`, `call:id,id`, `id=text`.
fn short(history: &[Message]) -> Vec<String> {
    let one = |message: &Message| match message.role {
        Role::Tool => match &message.parts[0].content {
            Content::ToolResult(result) => {
                let texts: Vec<&str> =
                    result.content.iter().map(|part| &**part.as_text().unwrap()).collect();
                format!("{}={}", result.call_id, texts.join("+"))
            }
            _ => unreachable!(),
        },
        Role::Assistant if message.has_tool_calls() => {
            let ids: Vec<_> = message.tool_calls().map(|call| call.id.to_string()).collect();
            format!("call:{}", ids.join(","))
        }
        role => {
            let word = match role {
                Role::System => "s",
                Role::User => "u",
                _ => "a",
            };
            format!("{word}:{}", message.parts[0].as_text().unwrap())
        }
    };
    history.iter().map(one).collect()
}

fn repaired(mut history: Vec<Message>) -> (Vec<String>, Vec<(&'static str, String)>) {
    for (index, message) in history.iter_mut().enumerate() {
        message.origin = Some(index);
    }
    let mut notes = Notes::default();
    let history = repair(history, RULES, &mut notes);
    let codes = notes.repairs.iter().map(|note| (note.code, note.pointer.clone())).collect();
    (short(&history), codes)
}

#[test]
fn i07_an_orphan_result_is_dropped_with_a_note() {
    let (history, notes) = repaired(vec![user("u"), result("x", "orphan"), said("d")]);
    assert_eq!(history, ["u:u", "a:d"]);
    assert_eq!(notes, [("orphan_result", "/messages/1".to_owned())]);
}

#[test]
fn i08_an_unanswered_call_gets_a_result_with_its_name() {
    let mut notes = Notes::default();
    let history = repair(vec![user("u"), calls(&["c1"]), user("v")], RULES, &mut notes);
    assert_eq!(short(&history), ["u:u", "call:c1", "c1=[No tool result available]", "u:v"]);
    let Content::ToolResult(made) = &history[2].parts[0].content else { panic!("no result") };
    assert_eq!(made.name.as_deref(), Some("tool_c"));
    assert_eq!(notes.repairs[0].code, "unanswered_call");
}

#[test]
fn i09_results_stand_in_the_order_of_their_calls() {
    let (history, notes) =
        repaired(vec![user("u"), calls(&["a", "b"]), result("a", "A"), said("d")]);
    assert_eq!(history, ["u:u", "call:a,b", "a=A", "b=[No tool result available]", "a:d"]);
    assert_eq!(notes, [("unanswered_call", "/messages/1".to_owned())]);
    let (history, notes) = repaired(vec![calls(&["a", "b"]), result("b", "B"), result("a", "A")]);
    assert_eq!(history, ["call:a,b", "a=A", "b=B"]);
    assert_eq!(notes, [("result_order", "/messages/2".to_owned())]);
}

#[test]
fn i10_a_late_result_moves_to_its_call() {
    let (history, notes) = repaired(vec![user("u"), calls(&["b"]), user("v"), result("b", "late")]);
    assert_eq!(history, ["u:u", "call:b", "b=late", "u:v"]);
    assert_eq!(notes, [("late_result", "/messages/3".to_owned())]);
}

#[test]
fn i11_a_history_of_orphans_becomes_one_message() {
    let (history, notes) = repaired(vec![result("x", "o")]);
    assert_eq!(history, ["u:[Conversation continues]"]);
    assert_eq!(notes.len(), 1);
    assert_eq!(repaired(vec![]), (vec![], vec![]));
}

#[test]
fn a_further_result_is_added_to_the_first_unless_it_says_the_same() {
    let further = ["1", "2", "2", " "].map(|text| result("a", text));
    let (history, notes) =
        repaired([vec![calls(&["a"])], further.into(), vec![user("u")]].concat());
    assert_eq!(history, ["call:a", "a=1+2", "u:u"]);
    let at = |index: usize| ("duplicate_result", format!("/messages/{index}"));
    assert_eq!(notes, [at(2), at(3), at(4)]);
    // A result behind the user's next message, too.
    let late = vec![calls(&["a"]), result("a", "1"), user("u"), result("a", "2")];
    let (history, notes) = repaired(late);
    assert_eq!(history, ["call:a", "a=1+2", "u:u"]);
    assert_eq!(notes, [at(3)]);
}

#[test]
fn a_reused_id_is_renamed_with_its_results() {
    let (history, notes) = repaired(vec![
        calls(&["a"]),
        result("a", "1"),
        calls(&["a_2", "a"]),
        result("a_2", "2"),
        result("a", "3"),
    ]);
    assert_eq!(history, ["call:a", "a=1", "call:a_2,a_3", "a_2=2", "a_3=3"]);
    assert_eq!(notes, [("duplicate_call_id", "/messages/2".to_owned())]);
    let (history, _) = repaired(vec![calls(&["a", "a"]), result("a", "1"), result("a", "2")]);
    assert_eq!(history, ["call:a,a_2", "a=1", "a_2=2"]);
}

#[test]
fn an_old_open_call_does_not_take_a_new_answer() {
    let (history, _) = repaired(vec![calls(&["a"]), user("u"), calls(&["a"]), result("a", "new")]);
    assert_eq!(history, ["call:a", "a=[No tool result available]", "u:u", "call:a_2", "a_2=new"]);
    let (history, _) =
        repaired(vec![calls(&["a"]), calls(&["a"]), result("a", "1"), result("a", "2")]);
    assert_eq!(history, ["call:a", "a=1", "call:a_2", "a_2=2"]);
}

#[test]
fn results_among_other_parts_become_messages_of_their_own() {
    let mut mixed = user("after");
    mixed.parts.extend(result("a", "1").parts);
    let (history, notes) = repaired(vec![calls(&["a"]), mixed]);
    assert_eq!(history, ["call:a", "a=1", "u:after"]);
    assert_eq!(notes, [("split_results", "/messages/1".to_owned())]);
}

#[test]
fn a_result_takes_the_name_of_its_call() {
    let mut wrong = result("a", "1");
    if let Content::ToolResult(result) = &mut wrong.parts[0].content {
        result.name = Some("other".into());
    }
    let (_, notes) = repaired(vec![calls(&["a"]), wrong]);
    assert_eq!(notes, [("result_name", "/messages/1".to_owned())]);
}

#[test]
fn many_calls_under_one_id_stay_linear() {
    let ids = vec!["a"; 50_000];
    let mut history = vec![calls(&ids), user("u"), calls(&ids)];
    history.extend((0..100_000).map(|_| result("a", "r")));
    let began = std::time::Instant::now();
    let mut notes = Notes::default();
    let history = repair(history, RULES, &mut notes);
    assert_eq!(history.len(), 100_003);
    // A quadratic walk takes minutes here; the bound leaves room for a busy machine.
    assert!(began.elapsed().as_secs() < 20);
}

fn any_message() -> impl Strategy<Value = Message> {
    let id = prop::sample::select(vec!["a", "b", "a_2", "c"]);
    prop_oneof![
        2 => Just(user("u")),
        1 => Just(said("d")),
        1 => Just(Message::text(Role::System, "s")),
        4 => prop::collection::vec(id.clone(), 1..4).prop_map(|ids| calls(&ids)),
        6 => (id, 0..100u8).prop_map(|(id, text)| result(id, &text.to_string())),
    ]
}

/// Whether every call has one result, in order, and nothing else answers.
fn is_sound(history: &[Message]) -> bool {
    let mut owed: VecDeque<Arc<str>> = VecDeque::new();
    let mut seen = HashSet::new();
    for message in history {
        if message.role == Role::Tool {
            let Content::ToolResult(result) = &message.parts[0].content else { return false };
            if owed.pop_front().as_ref() != Some(&result.call_id) {
                return false;
            }
            continue;
        }
        if !owed.is_empty() {
            return false;
        }
        owed.extend(message.tool_calls().map(|call| Arc::clone(&call.id)));
        if !message.tool_calls().all(|call| seen.insert(Arc::clone(&call.id))) {
            return false;
        }
    }
    owed.is_empty()
}

/// The history without the names of results, which are filled in without a note.
fn nameless(mut history: Vec<Message>) -> Vec<Message> {
    for part in history.iter_mut().flat_map(|message| &mut message.parts) {
        if let Content::ToolResult(result) = &mut part.content {
            result.name = None;
        }
    }
    history
}

proptest! {
    #[test]
    fn every_call_has_one_result_in_order(history in prop::collection::vec(any_message(), 0..24)) {
        let mut notes = Notes::default();
        let once = repair(history.clone(), RULES, &mut notes);
        prop_assert!(is_sound(&once), "{:?} -> {:?}", short(&history), short(&once));
        let unchanged = nameless(once.clone()) == history;
        prop_assert_eq!(notes.repairs.is_empty(), unchanged, "{:?}", notes);
        let mut again = Notes::default();
        prop_assert_eq!(&repair(once.clone(), RULES, &mut again), &once);
        prop_assert!(again.repairs.is_empty());
    }

    #[test]
    fn no_real_result_is_lost_without_a_note(
        history in prop::collection::vec(any_message(), 0..24)
    ) {
        let results = |history: &[Message]| {
            let lines = short(history);
            lines.iter().filter(|line| line.contains('=') && !line.contains('[')).count()
        };
        let before = results(&history);
        let mut notes = Notes::default();
        let after = results(&repair(history, RULES, &mut notes));
        let dropped = notes
            .repairs
            .iter()
            .filter(|note| matches!(note.code, "orphan_result" | "duplicate_result"))
            .count();
        prop_assert_eq!(before, after + dropped);
    }
}
