use proptest::prelude::*;

use super::*;
use crate::compress::adapter::trial::{apply, cuts, shortened};
use crate::compress::atom::{atoms, is_boundary};

/// An answer that explains something at length.
const ANSWER: &str = "\
A message queue sits between the part of a system that produces work and the part that carries it out. \
The producer writes a message and goes on at once, so a slow consumer does not slow down the page that a \
customer is looking at. That is the first reason why people reach for one. In our shop the queue holds \
about 40 messages on a normal day and up to 9000 during the autumn sale.

The second reason is that work survives a crash. A message that was taken but not confirmed is handed out \
again after the visibility timeout, which is 30 seconds by default. The consumer must be able to see the \
same message twice without doing the work twice. Most teams store the id of every message they have \
finished in a table such as processed_messages and look there first. It sounds like a lot of effort, but \
in practice it is one insert with a unique key.

There are of course costs. A queue is one more thing that has to be watched, and the time between the \
request and the result gets longer. Tracing a single order through three services takes patience when \
each of them writes its own log. People tend to underestimate how long they will spend on this. A good \
habit is to put the order id into every message and into every line that is logged about it. With that \
in place a search for the id shows the whole story in the right order.

You asked which product to take. If everything already runs on PostgreSQL, a table with SELECT FOR UPDATE \
SKIP LOCKED is enough for a few hundred messages per second. It keeps the number of moving parts small, \
and a backup of the database holds the queue as well. RabbitMQ is the better choice when messages have to \
be routed to several consumers by their type. Kafka is made for streams that many readers go through at \
their own pace, and it is a lot of machinery for a list of mails that should be sent.

So my advice is to begin with the table. Write the consumer so that it does not care where its messages \
come from. When the table gets slow you can move to RabbitMQ without touching the code that does the \
work. Never delete a message before the work is confirmed, whatever product you take. If you like, I can \
sketch the table and the consumer for you.";

#[test]
fn a_gap_that_somebody_quotes_parts_nothing() {
    let text = format!("It must not be said: \"the plan […] was dropped\" in the end. {ANSWER}");
    let shown = shortened(&ProseAdapter, &text).unwrap();
    assert!(
        shown.contains("It must not be said: \"the plan […] was dropped\" in the end."),
        "{shown}"
    );
}

/// Turns of a long chat, as one text.
const CHAT: &str = "\
I moved the stock service to the new cluster this morning. The move itself took about twenty minutes and \
nobody in the warehouse noticed anything. The old machine is still running, in case we want to go back.

Great, thanks for doing that so early. Did the nightly import run on the new machine already? Anna asked \
me about the numbers for the north region and I could not tell her where they come from now.

The import runs at 02:30 and writes to stock_levels as before. I changed nothing about the schedule. The \
numbers for the north region come from the same table, only the host is different: it is now \
db-north-2.internal on port 5433. You can tell her that the dashboard needs no change at all.

Perfect. One more thing that came up in the meeting: the label printer in hall B prints every second \
label twice. Somebody restarted it and it went away for an hour. Then it came back. It would be nice if \
somebody had a look at it before the weekend, because the hall is full on Saturday.

I had a look. The driver was version 4.1.7 and there is a known problem with it. I installed 4.2.0 and \
printed fifty labels without a repeat. Please do not switch the printer back to the old driver, the \
installer leaves both of them on the machine.

Okay, good. I will tell the people in the hall. They will be glad to hear it, they have been complaining \
about it since last week. Is there anything left to do for the move, or can I close the ticket?";

/// A text shrinks so many times; `times` is in hundredths.
#[track_caller]
fn shrinks(text: &str, times: usize) {
    let shown = shortened(&ProseAdapter, text).expect("it shrinks");
    assert!(text.len() * 100 >= shown.len() * times, "{shown}");
}

#[test]
fn long_answers_shrink_to_a_third() {
    shrinks(ANSWER, 270);
    shrinks(CHAT, 250);
}

#[test]
fn what_counts_stays() {
    let shown = shortened(&ProseAdapter, ANSWER).unwrap();
    for word in ["processed_messages", "9000", "PostgreSQL", "RabbitMQ", "Never delete a message"] {
        assert!(shown.contains(word), "{word} is not in {shown}");
    }
    let shown = shortened(&ProseAdapter, CHAT).unwrap();
    for word in ["stock_levels", "db-north-2.internal", "5433", "do not switch"] {
        assert!(shown.contains(word), "{word} is not in {shown}");
    }
}

#[test]
fn lines_without_a_word_are_no_sentences() {
    for text in ["{\n", "[1,\n", "- 7 a 9\n"] {
        assert_eq!(shortened(&ProseAdapter, &text.repeat(1_000)), None, "{text}");
    }
    assert!(has_words("1 ab") && has_words("7 \u{4eba}") && !has_words("a 1b"));
}

#[test]
fn a_short_text_keeps_its_order() {
    let text = "The storage cluster holds three copies of every file on machines of their own. The \
                nightly job that compares them must never run while the backupWindow is open. Great. \
                People in the office tend to forget that and then wonder why the board is red.";
    let shown = shortened(&ProseAdapter, text).unwrap();
    assert!(shown.contains("must never run while the backupWindow is open."), "{shown}");
    assert!(!shown.contains("Great."), "{shown}");
}

#[test]
fn marks_of_before_part_sentences() {
    let text = "Great. […] a line without an end It must never be sent to 10.0.0.7 before the \
                job_runner ends. The report lists every order that was placed after noon. Great.";
    let made = cuts(&ProseAdapter, text);
    assert!(ProseAdapter.holds(text, &apply(text, &made)));
}

#[test]
fn gaps_have_one_mark() {
    let shown = shortened(&ProseAdapter, CHAT).unwrap();
    assert!(!shown.contains("[…] […]") && !shown.contains("[…]\n\n[…]"), "{shown}");
}

#[test]
fn repeats_are_shown_once() {
    let text = "The billing team goes through every open invoice on Monday morning. ".repeat(8);
    let shown = shortened(&ProseAdapter, &text).unwrap();
    assert_eq!(shown.matches("billing").count(), 1, "{shown}");
}

#[test]
fn a_text_of_orders_shrinks_too() {
    let orders = (0..60).map(|at| format!("You must never open door {at} of the hall at night."));
    let text = orders.collect::<Vec<_>>().join(" ");
    shrinks(&text, 250);
}

#[test]
fn chinese_shrinks_by_sentences() {
    let text = "仓库系统每天晚上把当天的订单写入数据库。仓库的同事第二天早上会打印清单。\
                备份没有完成之前绝不能删除旧文件。大家都觉得这样很方便。新的接口地址是 api_v2 的 8443 端口。\
                有人问过为什么不直接用邮件。邮件当然也可以，但是很容易被忘记。天气好的时候大家喜欢在外面吃午饭。"
        .repeat(2);
    let shown = shortened(&ProseAdapter, &text).unwrap();
    assert!(
        shown.contains("备份没有完成之前绝不能删除旧文件。") && shown.contains("8443"),
        "{shown}"
    );
    assert!(shown.len() * 2 < text.len(), "{shown}");
}

#[test]
fn hostile_texts_take_linear_time() {
    for piece in [
        "a", " ", "[", "#", "`", ".", "\"", "[…]", "A. ", "- a\n", "> ", "'", "…", "é.", "。",
        "a b.\n\n",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let shown = apply(&text, &cuts(&ProseAdapter, &text));
        assert!(ProseAdapter.holds(&text, &shown), "{piece}");
    }
}

/// Sentences, blanks and marks in any order.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "The report lists every order that was placed after noon.",
        "It must never be sent to 10.0.0.7 before the job_runner ends.",
        "Great.",
        "See https://example.org/a.b?c=1 for more of it.",
        "He said \"It is. It was.\" and left the hall.",
        "Dr. Ames paid 3.50 for it, e.g. in cash.",
        "[…]",
        "好的。我们明天再说。",
        "a line without an end",
        "\n",
        "\n\n",
        "\n- ",
        "\n1. ",
        "\n> ",
        "\n\n> ",
        " ",
        "  ",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn what_stays_is_whole_sentences_in_order(text in texts()) {
        let made = cuts(&ProseAdapter, &text);
        let shown = apply(&text, &made);
        prop_assert!(ProseAdapter.holds(&text, &shown), "{:?} became {:?}", text, shown);
        let atoms = atoms(&text);
        for cut in &made {
            prop_assert!(is_boundary(&atoms, cut.range.start) && is_boundary(&atoms, cut.range.end));
        }
        let again = cuts(&ProseAdapter, &shown);
        prop_assert!(ProseAdapter.holds(&shown, &apply(&shown, &again)), "{:?} became {:?}", shown, apply(&shown, &again));
    }

    #[test]
    fn any_text_is_read(text in "(\\PC|\n| |\\. ){0,300}") {
        let made = cuts(&ProseAdapter, &text);
        prop_assert!(ProseAdapter.holds(&text, &apply(&text, &made)), "{:?}", text);
    }

    #[test]
    fn a_sentence_that_was_never_there_does_not_hold(text in texts()) {
        let shown = format!("{text} Nobody wrote this one.");
        prop_assert!(!ProseAdapter.holds(&text, &shown));
    }
}

#[test]
fn marks_beside_words_belong_to_them() {
    let text = "T\u{0}\u{0}\u{fffd}zer the ce   Com\u{fffd}llar is lit ore \u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{7}hoever before sunrise by whoev hastes about half an h\u{fffd}\u{fffd}\u{fffd}\u{fffd}un\u{fffd}\u{fffd}\u{fffd}e waters warm en\u{fffd}\u{fffd}\u{fffd}y f kitchen. Nobody may leave >\ne\nb/>\n>";
    assert!(shortened(&ProseAdapter, text).is_some());
    let text = "\u{118f0}. \n a\u{1face}. >\u{11370}\u{1d540}A\n>\n. . [[0. \u{a6dc}a0 \n0{\n";
    assert!(ProseAdapter.holds(text, &apply(text, &cuts(&ProseAdapter, text))));
}
