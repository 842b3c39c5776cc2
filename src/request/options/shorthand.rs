//! Options that a request may write as one word or flag instead of an object.

use std::borrow::Cow;

use super::Level;
use crate::json::{Faults, Fields, Node, Value};

/// The object under `compression`. A level alone stands for an object with nothing but it.
pub(super) fn compression<'r, 'a>(
    fields: &Fields<'r, 'a>,
    faults: &mut Faults,
) -> Option<Cow<'r, Node<'a>>> {
    let node = fields.get("compression")?;
    let known = |word: &str| Level::WORDS.iter().any(|(level, _)| *level == word);
    match &node.value {
        Value::Object(_) => return Some(Cow::Borrowed(node)),
        Value::String(word) if known(word) => {
            return Some(Cow::Owned(object(vec![(Cow::Borrowed("level"), node.clone())])));
        }
        _ => {}
    }
    let words: Vec<&str> = Level::WORDS.iter().map(|(word, _)| *word).collect();
    let detail = format!("must be an object, or one of {}", words.join(", "));
    fields.fault("compression", detail, faults);
    None
}

/// The object under `cache`. `true` stands for one without members, and `false` for none.
pub(super) fn cache<'r, 'a>(
    fields: &Fields<'r, 'a>,
    faults: &mut Faults,
) -> Option<Cow<'r, Node<'a>>> {
    let node = fields.get("cache")?;
    match node.value {
        Value::Object(_) => Some(Cow::Borrowed(node)),
        Value::Bool(is_on) => is_on.then(|| Cow::Owned(object(Vec::new()))),
        _ => {
            let detail = format!("must be an object, true or false, not {}", node.kind());
            fields.fault("cache", detail, faults);
            None
        }
    }
}

/// The object under `budget`. A number stands for a window of so many tokens, of which none are
/// reserved.
pub(super) fn budget<'r, 'a>(
    fields: &Fields<'r, 'a>,
    faults: &mut Faults,
) -> Option<Cow<'r, Node<'a>>> {
    let node = fields.get("budget")?;
    match node.value {
        Value::Object(_) => return Some(Cow::Borrowed(node)),
        Value::Number(_) if node.as_u64().is_some_and(|tokens| tokens > 0) => {
            let window = vec![(Cow::Borrowed("context_window"), node.clone())];
            return Some(Cow::Owned(object(window)));
        }
        _ => {}
    }
    let what = match node.value {
        Value::Number(_) => node.raw,
        _ => node.kind(),
    };
    let detail = format!(
        "must be an object such as {{\"context_window\": 4000}}, or the number of its tokens, not {what}"
    );
    fields.fault("budget", detail, faults);
    None
}

fn object<'a>(members: Vec<(Cow<'a, str>, Node<'a>)>) -> Node<'a> {
    Node { raw: "{}", value: Value::Object(members) }
}
