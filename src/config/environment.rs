//! Which variables of the environment are meant for this program.

/// What the name of every variable of ours begins with.
const PREFIX: &str = "CONTEXTURE_";

/// Returns the names of the variables that begin as ours do, in order, whether or not one is read. Their
/// values may be secrets and are not returned.
pub fn set_names() -> Vec<String> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(PREFIX)).collect();
    names.sort_unstable();
    names
}

/// Whether a variable is set, whatever its value is.
pub fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some()
}

/// Returns the variable that a file of settings names, such as `${TOKEN}`; none if it is not set.
#[expect(clippy::disallowed_methods, reason = "settings are read in config/")]
pub fn variable_of_file(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
