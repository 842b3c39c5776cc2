//! The forms in which the results of a text are shown: as they came, by notations, shortened.

use serde_json::{Value, json};

use super::super::CommandError;
use super::super::compress::call_deadline;
use super::super::failure::refused;
use crate::service::{Services, compress, tokens};

/// A way in which a text is shown to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextForm {
    Original,
    /// Lossless, with `notations: plain`.
    Plain,
    /// Lossless, with `notations: computed`, where that differs.
    Computed,
    /// Compressed to half of its tokens.
    Half,
    /// Compressed to a quarter of its tokens.
    Quarter,
}

impl TextForm {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Plain => "plain",
            Self::Computed => "computed",
            Self::Half => "half",
            Self::Quarter => "quarter",
        }
    }

    /// Whether it may leave something out.
    pub(super) fn is_reduced(self) -> bool {
        matches!(self, Self::Half | Self::Quarter)
    }
}

/// Results in one form.
#[derive(Debug, Clone)]
pub(super) struct FormedText {
    pub(super) form: TextForm,
    /// The notations in it, by their names in the text; of the computed form those that the plain
    /// form does without, with `computed ` before.
    pub(super) notations: Vec<String>,
    /// What the reader gets.
    pub(super) text: String,
}

/// Makes all forms of some results. A lossless form that is the original is left out, and so is a
/// reduced form that the budget did not change.
pub(super) fn forms(
    services: &Services,
    results: &[String],
) -> Result<Vec<FormedText>, CommandError> {
    let original = join(results);
    let plain = join(&lossless(services, results, "plain")?);
    let computed = join(&lossless(services, results, "computed")?);
    let half = join(&reduced(services, results, 2)?);
    let quarter = join(&reduced(services, results, 4)?);
    let (plain_names, mut names) = (notations(&plain), notations(&computed));
    // It has a plain and a computed kind of the same name.
    names.retain(|name| name == "numbered" || !plain_names.contains(name));
    for name in &mut names {
        name.insert_str(0, "computed ");
    }
    let formed = |form, notations, text| FormedText { form, notations, text };
    let mut forms = vec![
        formed(TextForm::Plain, plain_names, plain.clone()),
        formed(TextForm::Computed, names, computed),
        formed(TextForm::Half, notations(&half), half),
        formed(TextForm::Quarter, notations(&quarter), quarter),
    ];
    forms.retain(|one| one.text != original && (one.form == TextForm::Plain || one.text != plain));
    forms.insert(0, formed(TextForm::Original, Vec::new(), original));
    Ok(forms)
}

/// What a reader gets: a result by itself as it is, several with their numbers.
fn join(results: &[String]) -> String {
    if let [only] = results {
        return only.clone();
    }
    let number = |(at, result): (usize, &String)| {
        format!("Result {}:\n{}\n", at + 1, result.trim_end_matches('\n'))
    };
    results.iter().enumerate().map(number).collect::<Vec<_>>().join("\n")
}

/// The results as a conversation shows them after lossless edits.
fn lossless(
    services: &Services,
    results: &[String],
    notations: &str,
) -> Result<Vec<String>, CommandError> {
    let mut messages = vec![json!({"role": "user", "content": "Look at this."})];
    for (at, result) in results.iter().enumerate() {
        let id = format!("call_{at}");
        let call = json!({"id": id, "type": "function",
                          "function": {"name": "run", "arguments": "{}"}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": result}));
    }
    let request = json!({"messages": messages, "source": "openai", "level": "lossless",
                         "originals": "return", "notations": notations});
    let answer = compressed(services, &request)?;
    let shown = answer.get("messages").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_result = |message: &&Value| message.get("role").is_some_and(|role| role == "tool");
    let text = |message: &Value| {
        message.get("content").and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let texts: Vec<String> = shown.iter().filter(is_result).map(text).collect();
    if texts.len() == results.len() {
        Ok(texts)
    } else {
        Err("the compressed conversation does not have the results of the text".into())
    }
}

/// Each result compressed to one part of `parts` of its tokens.
fn reduced(
    services: &Services,
    results: &[String],
    parts: u64,
) -> Result<Vec<String>, CommandError> {
    let mut texts = Vec::with_capacity(results.len());
    for result in results {
        let request = json!({"text": result}).to_string();
        let counted = tokens::count(services, &request, &call_deadline());
        let tokens = counted.map_err(|error| refused(&error.into()))?.tokens;
        let budget = (tokens / parts).max(1);
        let request = json!({"text": result, "budget_tokens": budget, "originals": "return"});
        let answer = compressed(services, &request)?;
        texts.push(answer.get("text").and_then(Value::as_str).unwrap_or(result).to_owned());
    }
    Ok(texts)
}

fn compressed(services: &Services, request: &Value) -> Result<Value, CommandError> {
    let answer = compress::compress(services, &request.to_string(), &call_deadline())
        .map_err(|error| refused(&error.into()))?;
    Ok(serde_json::from_str(&answer.text())?)
}

/// The names of the notations in a text with those of their variants, in the order in which they
/// are first used: each is judged by itself.
fn notations(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let Some(mark) = line.strip_prefix('§') else { continue };
        let name = match mark.strip_prefix('=') {
            Some(_) => "reference",
            None => mark.split_whitespace().next().unwrap_or_default(),
        };
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase()) {
            continue;
        }
        let count = mark.split_whitespace().nth(1).and_then(|count| count.parse().ok());
        // A legend is between the header and the body.
        let body: Vec<&str> =
            lines.iter().skip(at + 1).take(count.unwrap_or(0) + 1).copied().collect();
        let name = match variant(name, mark, &body) {
            "" => name.to_owned(),
            variant => format!("{name} {variant}"),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The variant of a block by its header and the lines below it; empty if it has none.
fn variant(name: &str, mark: &str, body: &[&str]) -> &'static str {
    match name {
        "json" if mark.ends_with(" repr") => "python",
        "json" if mark.contains(" cut ") => "cut",
        "json" if mark.contains(" repeats ") => "shared",
        "json" if body.iter().any(|line| line.contains("\"json")) => "string",
        "json" if mark.ends_with(" lines") => "lines",
        "csv" if mark.contains(" counts by ") => "counted",
        "csv" if mark.contains("^ as above") => "ditto",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_are_named_by_their_marks() {
        let text = "§json 3\n§: rows\na\n\n§= above lines 2-6\n§json 4\n\\§no\n§§x";
        assert_eq!(notations(text), ["json", "reference"]);
    }

    #[test]
    fn variants_have_names_of_their_own() {
        for (text, name) in [
            ("§json 9 repr\n§: x", "json python"),
            ("§json 12 indent 2 cut 2", "json cut"),
            ("§json 12 python *1 repeats &1", "json shared"),
            ("§json 2\n§: x\na:1\nbody\"json indent 2\":", "json string"),
            ("§json 9 python lines", "json lines"),
            ("§csv 9 comma, 1 counts by 1 day", "csv counted"),
            ("§csv 9 comma, ^ as above", "csv ditto"),
            ("§csv 9 comma", "csv"),
            ("§lines 4 begin with \"+ let \"", "lines"),
        ] {
            assert_eq!(notations(text), [name], "{text}");
        }
    }

    #[test]
    fn several_results_have_their_numbers() {
        assert_eq!(join(&["a\n".to_owned()]), "a\n");
        assert_eq!(join(&["a\n".to_owned(), "b".to_owned()]), "Result 1:\na\n\nResult 2:\nb\n");
    }
}
