//! K09 to K32: what is kept, and what a text is taken for.

use serde_json::{Value, json};

use super::{A, D, Q, assistant, decodes, message, summary_of, tool, tools, trip, user};
use crate::support::compress::{log, rows};

#[tokio::test]
async fn what_people_wrote_is_left_alone() {
    for count in [4, 5] {
        let messages: Vec<Value> =
            (0..count).map(|at| if at % 2 == 0 { user(A) } else { assistant(A) }).collect();
        let trip = trip(&messages, json!({})).await;
        assert!(trip.is_unchanged());
        assert_eq!(trip.shown.action("kept"), count);
        assert_eq!(trip.shown.number("tokens_before"), trip.shown.number("tokens_after"));
    }
    let long = Q.repeat(3);
    for text in [long.get(..119).unwrap(), long.get(..120).unwrap()] {
        assert!(trip(&[user(text)], json!({})).await.is_unchanged());
    }
}

#[tokio::test]
async fn system_text_stays_at_every_level() {
    for role in ["system", "developer"] {
        let mut messages = vec![message(role, A)];
        let order = |n: u32| format!("Order {n}{n}{n} waits at shelf_{n} in /hall/{n}/door. ");
        let orders: String = (100..160).map(order).collect::<Vec<_>>().concat();
        messages.extend([user(&orders), assistant(&orders), user("And?")]);
        let options = json!({"level": "drop", "budget_tokens": 1, "keep_recent_turns": 0});
        let trip = trip(&messages, options).await;
        assert!(trip.shown.messages.contains(&messages[0].to_string()), "{role}");
        assert!(trip.shown.action("dropped") > 0);
    }
}

#[tokio::test]
async fn what_cannot_become_shorter_stays() {
    for count in [59, 60] {
        let roses = "🌹".repeat(count);
        assert!(trip(&[user(&roses)], json!({})).await.is_unchanged());
        // The same from a tool: whatever stands for it is shorter, and decodes.
        decodes(&tool("c", &roses)).await;
    }
}

#[tokio::test]
async fn calls_and_what_is_said_beside_them_stay() {
    let [mut call, result] = tool("c", &log(40));
    call["content"] = json!(A);
    for level in ["lossless", "reversible"] {
        let options = json!({"level": level, "keep_recent_turns": 0, "notations": "computed"});
        let trip = trip(&[user("q"), call.clone(), result.clone()], options).await;
        assert_eq!(trip.shown.messages[1], call.to_string());
        assert_ne!(trip.shown.messages[2], result.to_string());
    }
}

#[tokio::test]
async fn a_bracket_is_nobody_s_mark() {
    let text = format!("[summary: x{} {}", "y".repeat(200), Q.repeat(6));
    assert!(trip(&[user(&text)], json!({})).await.is_unchanged());
    let summary = summary_of(&text).await;
    assert!(summary.starts_with("<history_summary>"), "{summary}");
}

#[tokio::test]
async fn a_pattern_protects_a_text() {
    let text = format!("{}the warehouse\n", log(40));
    let protect = json!({"patterns": [{"regex": "warehouse", "label": "wh"}]});
    let messages = tools(&[&text, &log(41)]);
    let trip = trip(&messages, json!({"protect": protect, "level": "reversible"})).await;
    assert_eq!(trip.shown.messages[1], messages[1].to_string());
    assert_eq!(trip.shown.decisions()[1]["action"], "kept");
    assert_ne!(trip.shown.messages[3], messages[3].to_string());
}

#[tokio::test]
async fn a_budget_that_is_met_takes_no_further_rung() {
    let messages = tools(&[&log(40), &rows(12)]);
    let lossless = trip(&messages, json!({})).await;
    let enough = json!({"budget_tokens": lossless.shown.number("tokens_after"), "level": "drop"});
    let trip = trip(&messages, enough).await;
    assert_eq!(trip.shown.messages, lossless.shown.messages);
}

#[tokio::test]
async fn json_is_written_as_a_table_that_decodes() {
    let trip = decodes(&tool("c", &rows(12))).await;
    assert!(trip.said(1).contains("§json "), "{}", trip.said(1));
    assert!(trip.shown.number("tokens_after") * 2 < trip.shown.number("tokens_before"));
}

#[tokio::test]
async fn texts_of_no_form_stay_byte_for_byte() {
    let uuids = (0..5)
        .map(|at| format!("5f0e{at}a7c-91d3-4c7e-8b1f-2f0{at}d6a3c9e1"))
        .collect::<Vec<_>>()
        .join(" and ");
    let secret = "AKIAIOSFODNN7EXAMPLE ghp_0123456789abcdefghijABCDEFGHIJ012345 \
        sk_live_0123456789abcdefghijklmn xoxb-01234567890123456789 glpat-01234567890123456789";
    for text in [
        "SELECT u.id FROM users u INNER JOIN orders o ON o.user_id = u.id WHERE o.total > 100 \
            ORDER BY o.id, u.name, o.created_at DESC LIMIT 25 OFFSET 50"
            .to_owned(),
        format!("The key that was found there is {secret} and it is still in use today."),
        "Given that the lock is held, the writer waits. Thus the reader goes first. Consequently \
            nothing moves."
            .to_owned(),
        format!("It holds {} as its only line.", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo".repeat(2)),
        uuids,
    ] {
        for role in ["user", "assistant"] {
            assert!(trip(&[message(role, &text)], json!({})).await.is_unchanged(), "{text}");
        }
        assert!(trip(&tool("c", &text), json!({})).await.is_unchanged(), "{text}");
    }
}

#[tokio::test]
async fn lines_that_report_errors_stand_as_they_are() {
    for line in [
        "Traceback (most recent call last):",
        "ERROR: HTTP/1.1 403 from the gateway",
        "Error: Connection refused",
        "FAIL tests/gamma.rs had an error.",
    ] {
        let text = format!("{}{line}\n{}", log(30), log(30));
        let trip = decodes(&tool("c", &text)).await;
        assert!(trip.said(1).lines().any(|shown| shown == line), "{line}\n{}", trip.said(1));
    }
}

#[tokio::test]
async fn an_address_is_whole_in_a_summary() {
    let url = "https://docs.example.com/a/v2.1/page.html?x=1.5";
    let summary = summary_of(&format!("{D} See {url} for details.")).await;
    assert!(summary.contains(url), "{summary}");
}

#[tokio::test]
async fn no_word_and_no_sign_keeps_prose_from_being_summarised() {
    for text in [
        "If the first supplier is late the delay can cascade through the rest of the week. The \
            people in the store then have to call every customer by phone.",
        "The small plan costs $5 a month and the large one costs $12 a month with everything.",
        "First the parcel is weighed → then it is labelled and put on the shelf near the door.",
        "Anna: I shall bring the keys in the morning.\nBoris: Then I shall open the shop myself.",
        "The name test_user_can_login_with_2fa_enabled says what the test is good for, and more.",
    ] {
        let summary = summary_of(&format!("{text} {}", Q.repeat(4))).await;
        assert!(summary.starts_with("<history_summary>"), "{text}");
    }
}

#[tokio::test]
async fn a_secret_is_whole_or_absent() {
    for secret in [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
        "postgresql://user:pa55word@db.internal.example:5432/orders?sslmode=require",
        "-----BEGIN PRIVATE KEY-----",
    ] {
        for before in 0..8 {
            let text = format!("{}{secret} is the one that works.", Q.repeat(before));
            let summary = summary_of(&text).await;
            let head = secret.get(..8).unwrap();
            assert_eq!(summary.contains(head), summary.contains(secret), "{before}: {summary}");
        }
    }
}

#[tokio::test]
async fn code_without_a_fence_is_whole() {
    let go = "package main\n\nfunc main() {\n\tfor i := 0; i < 3; i++ {\n\t\tprintln(i)\n\t}\n}\n";
    let toml =
        "[package]\nname = \"shop\"\nversion = \"0.4.1\"\n\n[dependencies]\nserde = \"1.0\"\n";
    let typed = "import jwt from \"jsonwebtoken\";\nexport function sign(id: string): string {\n  \
        return jwt.sign({ id }, process.env.SECRET as string);\n}\n";
    for text in [go, toml, typed] {
        decodes(&tool("c", &text.repeat(3))).await;
        assert!(trip(&[user(text), assistant(text)], json!({})).await.is_unchanged());
    }
}
