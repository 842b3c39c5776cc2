//! Prints a compile's report as lines for a person.

use std::io::{self, Write};

use serde_json::Value;

use crate::domain::{counted, group_digits};

/// Prints the summary, then tokens by part, actions, the cache and warnings. Keys that the report
/// does not have are left out.
pub(super) fn print_report(report: &Value, out: &mut impl Write) -> io::Result<()> {
    if let Some(summary) = text(report, "summary") {
        writeln!(out, "{summary}")?;
    }
    if let Some(after) = number(report, "tokens_after") {
        let budget = number(report, "budget")
            .map_or_else(String::new, |budget| format!(" of {}", group_digits(budget)));
        let fits =
            if report.get("fits") == Some(&Value::Bool(false)) { ", DOES NOT FIT" } else { "" };
        let tokenizer = match (text(report, "tokenizer"), report.get("exact")) {
            (Some(name), Some(Value::Bool(false))) => format!(" (estimated from {name})"),
            (Some(name), _) => format!(" ({name})"),
            (None, _) => String::new(),
        };
        writeln!(out, "\n{}{budget}{tokenizer}{fits}", counted(after, "token"))?;
    }
    print_figures(report, "parts", "tokens by part", out)?;
    print_figures(report, "actions", "messages", out)?;
    print_cache(report, out)?;
    for (key, title) in [
        ("too_big", "too big"),
        ("degraded", "degraded, since the target cannot hold it"),
        ("repairs", "repaired"),
        ("warnings", "warnings"),
    ] {
        print_notes(report, key, title, out)?;
    }
    Ok(())
}

/// Prints a table of the non-zero figures below `key`.
fn print_figures(report: &Value, key: &str, title: &str, out: &mut impl Write) -> io::Result<()> {
    let Some(members) = report.get(key).and_then(Value::as_object) else { return Ok(()) };
    let rows: Vec<(&String, u64)> = members
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_u64().filter(|value| *value > 0)?)))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    for (name, value) in rows {
        let figure = group_digits(value);
        match explain(name) {
            "" => writeln!(out, "  {name:<14}{figure:>12}")?,
            words => writeln!(out, "  {name:<14}{figure:>12}   {words}")?,
        }
    }
    Ok(())
}

/// What a word of the report means, if it does not say so itself.
fn explain(word: &str) -> &'static str {
    match word {
        "tail" => "after the newest message: state, context, memory",
        "reserve" => "kept for the reply",
        "kept" => "word for word",
        "compressed" => "shortened",
        "deduplicated" => "refer to an equal text before them",
        "cleared" => "results of tools, as one line",
        "summarized" => "in the summary",
        _ => "",
    }
}

fn print_cache(report: &Value, out: &mut impl Write) -> io::Result<()> {
    let Some(cache) = report.get("cache") else { return Ok(()) };
    let Some(stable) = number(cache, "stable_tokens") else { return Ok(()) };
    let figure = group_digits(stable);
    writeln!(out, "\ncache\n  {:<14}{figure:>12}   the same in the next request", "stable")?;
    let marks = cache.get("breakpoints").and_then(Value::as_array);
    for mark in marks.into_iter().flatten().filter_map(Value::as_str) {
        writeln!(out, "  cache mark at {mark}")?;
    }
    if let Some(change) = cache.get("first_change").filter(|change| change.is_object()) {
        let pointer = text(change, "pointer").unwrap_or("?");
        let why = text(change, "why").unwrap_or("?");
        let tokens = counted(number(change, "tokens_behind").unwrap_or(0), "token");
        writeln!(out, "  changed at {pointer}: {why}, {tokens} after it")?;
        if let Some(split) = change.get("split") {
            let pointer = text(split, "pointer").unwrap_or("?");
            let characters = counted(number(split, "characters").unwrap_or(0), "character");
            writeln!(out, "  split {pointer} after {characters}")?;
        }
    }
    Ok(())
}

fn print_notes(report: &Value, key: &str, title: &str, out: &mut impl Write) -> io::Result<()> {
    let Some(list) = report.get(key).and_then(Value::as_array).filter(|list| !list.is_empty())
    else {
        return Ok(());
    };
    writeln!(out, "\n{title}")?;
    for note in list {
        let name = text(note, "code").or_else(|| text(note, "part")).unwrap_or("?");
        write!(out, "  {name}")?;
        if let Some(pointer) = text(note, "pointer").filter(|pointer| !pointer.is_empty()) {
            write!(out, " at {pointer}")?;
        }
        if let Some(tokens) = number(note, "tokens") {
            write!(out, ": {}", counted(tokens, "token"))?;
        }
        if let Some(detail) = text(note, "detail") {
            write!(out, ": {detail}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

fn number(value: &Value, key: &str) -> Option<u64> {
    value.get(key)?.as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn printed(report: &Value) -> String {
        let mut out = Vec::new();
        print_report(report, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_report_reads_as_a_table() {
        let report = json!({
            "summary": "Short.", "tokens_after": 21944, "budget": 123_904, "fits": true,
            "tokenizer": "o200k_base", "exact": false,
            "parts": {"system": 812, "skill": 0, "history": 17102},
            "actions": {"kept": 41},
            "cache": {"stable_tokens": 16650, "breakpoints": ["/system/0"], "first_change":
                {"pointer": "/messages/3", "why": "edited", "tokens_behind": 1200}},
            "warnings": [{"code": "unknown_model", "pointer": "/model", "detail": "not known"}],
        });
        insta::assert_snapshot!(printed(&report), @r"
        Short.

        21,944 tokens of 123,904 (estimated from o200k_base)

        tokens by part
          system                 812
          history             17,102

        messages
          kept                    41   word for word

        cache
          stable              16,650   the same in the next request
          cache mark at /system/0
          changed at /messages/3: edited, 1,200 tokens after it

        warnings
          unknown_model at /model: not known
        ");
    }

    #[test]
    fn missing_keys_are_left_out() {
        assert_eq!(printed(&json!({})), "");
        assert!(printed(&json!({"tokens_after": 5, "fits": false})).contains("DOES NOT FIT"));
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"],
            [0, 999, 1000, 1_234_567].map(group_digits)[..]
        );
    }
}
