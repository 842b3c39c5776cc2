//! Variables of the environment that look like settings, and that nothing reads: they are misspelt.

use std::fmt;

use clap::CommandFactory as _;

/// Edits after which a name of a variable is taken for a misspelt one.
const MAX_EDITS: usize = 3;

/// A variable that nothing reads. It is written with the name that may have been meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnknownVariable {
    pub(super) name: String,
    near: Option<String>,
}

impl UnknownVariable {
    /// The name that may have been meant, as a sentence in parentheses; empty without one.
    pub(super) fn advice(&self) -> String {
        self.near.as_ref().map_or_else(String::new, |near| format!(" (did you mean {near}?)"))
    }
}

impl fmt::Display for UnknownVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.advice())
    }
}

/// Every variable that some command reads.
pub(super) fn known() -> Vec<String> {
    fn collect(command: &clap::Command, names: &mut Vec<String>) {
        let variables = command.get_arguments().filter_map(clap::Arg::get_env);
        names.extend(variables.map(|name| name.to_string_lossy().into_owned()));
        for command in command.get_subcommands() {
            collect(command, names);
        }
    }
    let mut names = vec![super::read_test::KEY_VARIABLE.to_owned()];
    collect(&super::Cli::command(), &mut names);
    names.sort_unstable();
    names.dedup();
    names
}

/// The variables that are set and not known, each with the nearest known name.
pub(super) fn unknown(set: &[String], known: &[String]) -> Vec<UnknownVariable> {
    let unknown = set.iter().filter(|name| !known.contains(name));
    unknown.map(|name| UnknownVariable { name: name.clone(), near: nearest(name, known) }).collect()
}

fn nearest(name: &str, known: &[String]) -> Option<String> {
    let near = known.iter().map(|known| (strsim::damerau_levenshtein(known, name), known));
    let (_, near) = near.filter(|(edits, _)| *edits <= MAX_EDITS).min()?;
    Some(near.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_variable_is_found() {
        let known = known();
        let find = |name: &str| {
            let found = unknown(&[name.to_owned()], &known);
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let found = find("CONTEXTURE_LISTENN");
        assert_eq!(found, ["CONTEXTURE_LISTENN (did you mean CONTEXTURE_LISTEN?)"]);
        assert!(find("CONTEXTURE_LISTEN").is_empty());
        assert!(find("CONTEXTURE_URL").is_empty());
        assert_eq!(find("CONTEXTURE_SOMETHING_ELSE"), ["CONTEXTURE_SOMETHING_ELSE"]);
    }
}
