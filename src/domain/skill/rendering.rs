//! Renders instructions: replaces placeholders by the caller's arguments and variables.

use std::sync::Arc;

use crate::limit::{Allowance, AllowanceExceeded, PaidText};

/// Bytes of rendered instructions.
pub const MAX_RENDERED_BYTES: usize = 256 << 10;

/// Instructions with arguments and variables in their places take more than they may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("rendered, the instructions take more than {MAX_RENDERED_BYTES} bytes")]
pub struct RenderedTooLong;

/// The arguments and variables of a caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillUse {
    /// One text, whose words are the arguments.
    pub args: Option<Arc<str>>,
    /// The values of `${NAME}`.
    pub vars: Vec<(Arc<str>, Arc<str>)>,
}

/// Renders instructions: `${NAME}`, then, if arguments are given, `$name`, `$ARGUMENTS[i]`, `$i`
/// and `$ARGUMENTS`. If no placeholder uses the arguments, they are appended if `append` is set.
///
/// Fails if the text, at any step, would take more than [`MAX_RENDERED_BYTES`].
pub fn render_skill(
    instructions: &str,
    base_dir: Option<&str>,
    given: &SkillUse,
    argument_names: &[&str],
    append: bool,
) -> Result<String, RenderedTooLong> {
    // Each step has the limit to itself: what one makes is what the next one reads.
    let allowance = || Allowance::new(MAX_RENDERED_BYTES);
    let rendered = || -> Result<String, AllowanceExceeded> {
        let text = match base_dir {
            Some(folder) => format!("Base directory for this skill: {folder}\n\n{instructions}"),
            None => instructions.to_owned(),
        };
        let text = fill_vars(&text, &given.vars, &allowance())?;
        let Some(args) = &given.args else { return Ok(text) };
        let words = words(args);
        let limit = allowance();
        let (mut rendered, replaced) = fill_args(&text, args, &words, argument_names, &limit)?;
        if !replaced && append && !args.trim().is_empty() {
            rendered.push_str("\n\nARGUMENTS: ")?;
            rendered.push_str(args)?;
        }
        Ok(rendered.into_string())
    };
    rendered().map_err(|_: AllowanceExceeded| RenderedTooLong)
}

fn fill_vars(
    text: &str,
    vars: &[(Arc<str>, Arc<str>)],
    allowance: &Allowance,
) -> Result<String, AllowanceExceeded> {
    let mut out = PaidText::new(allowance);
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        out.push_str(before)?;
        let known = behind.split_once('}').and_then(|(name, behind)| {
            let (_, value) = vars.iter().find(|(known, _)| **known == *name)?;
            Some((value, behind))
        });
        if let Some((value, behind)) = known {
            out.push_str(value)?;
            rest = behind;
        } else {
            out.push_str("${")?;
            rest = behind;
        }
    }
    out.push_str(rest)?;
    Ok(out.into_string())
}

/// Fills the places of arguments; returns also whether there were any.
fn fill_args<'l>(
    text: &str,
    args: &str,
    words: &[String],
    names: &[&str],
    allowance: &'l Allowance,
) -> Result<(PaidText<'l>, bool), AllowanceExceeded> {
    let mut out = PaidText::new(allowance);
    let (mut rest, mut replaced) = (text, false);
    while let Some((before, behind)) = rest.split_once('$') {
        out.push_str(before)?;
        if let Some((value, length)) = place(behind, args, words, names) {
            out.push_str(value)?;
            rest = behind.get(length..).unwrap_or_default();
            replaced = true;
        } else {
            out.push_str("$")?;
            rest = behind;
        }
    }
    out.push_str(rest)?;
    Ok((out, replaced))
}

/// The value of the placeholder after a `$`, and the bytes that the placeholder takes.
fn place<'a>(
    behind: &str,
    args: &'a str,
    words: &'a [String],
    names: &[&str],
) -> Option<(&'a str, usize)> {
    const ALL: &str = "ARGUMENTS";
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let ends = |length: usize| {
        let next = behind.get(length..).and_then(|rest| rest.chars().next());
        next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
    };
    let is_name = |name: &&&str| {
        let length = name.len();
        behind.starts_with(**name)
            && ends(length)
            && !behind.get(length..).unwrap_or_default().starts_with('[')
    };
    if let Some((at, name)) = names.iter().enumerate().find(|(_, name)| is_name(name)) {
        return Some((word(at), name.len()));
    }
    if let Some(rest) = behind.strip_prefix(ALL) {
        let index = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        if let Some((digits, _)) = index
            && let Some(at) = number(digits)
        {
            return Some((word(at), ALL.len() + digits.len() + 2));
        }
        return ends(ALL.len()).then_some((args, ALL.len()));
    }
    let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let at = number(behind.get(..digits)?).filter(|_| ends(digits))?;
    Some((word(at), digits))
}

fn number(digits: &str) -> Option<usize> {
    digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// Splits a text into words; quoted text is one word.
fn words(args: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in args.chars() {
        match (quote, c) {
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str, args: Option<&str>, vars: &[(&str, &str)], names: &[&str]) -> String {
        let vars = vars.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let given = SkillUse { args: args.map(Into::into), vars };
        render_skill(text, None, &given, names, true).unwrap()
    }

    #[test]
    fn places_are_filled() {
        let two = Some("\"hello world\" x");
        assert_eq!(rendered("$0|$1|$2|$10", two, &[], &[]), "hello world|x||");
        assert_eq!(
            rendered("$ARGUMENTS[1]/$ARGUMENTS[9]/$ARGUMENTS", two, &[], &[]),
            "x//\"hello world\" x"
        );
        assert_eq!(
            rendered("$file, $filename, $file[0]", two, &[], &["file"]),
            "hello world, $filename, $file[0]"
        );
        assert_eq!(rendered("$0a $a $", two, &[], &[]), "$0a $a $\n\nARGUMENTS: \"hello world\" x");
        assert_eq!(rendered("${A} ${NOPE} ${", None, &[("A", "1")], &[]), "1 ${NOPE} ${");
        assert_eq!(rendered("${A}", Some("z"), &[("A", "$0")], &[]), "z");
        assert_eq!(rendered("do", None, &[], &[]), "do");
        assert_eq!(rendered("do", Some("  "), &[], &[]), "do");
        assert_eq!(rendered("$0 costs 5$", Some(""), &[], &[]), " costs 5$");
    }

    #[test]
    fn a_folder_stands_first() {
        let given = SkillUse { args: Some("a".into()), vars: Vec::new() };
        let text = render_skill("do", Some("/skills/x"), &given, &[], false).unwrap();
        assert_eq!(text, "Base directory for this skill: /skills/x\n\ndo");
    }

    #[test]
    fn instructions_have_a_limit_at_every_step() {
        let given = |args: &str, vars: &[(&str, &str)]| SkillUse {
            args: Some(args.into()),
            vars: vars.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        };
        let rendered = |text: &str, given: &SkillUse| render_skill(text, None, given, &[], true);
        let many = "$ARGUMENTS ".repeat(5_000);
        assert_eq!(rendered(&many, &given(&"a".repeat(60_000), &[])), Err(RenderedTooLong));
        // Inserted variables may contain placeholders for arguments: those are replaced, too.
        let twice = given(&"a".repeat(1_000), &[("A", &"$0 ".repeat(10_000))]);
        assert_eq!(rendered(&"${A}".repeat(8), &twice), Err(RenderedTooLong));
        assert_eq!(rendered("$0", &given(&"a".repeat(60_000), &[])).unwrap().len(), 60_000);
    }
}
