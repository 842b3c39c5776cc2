//! Whether a text can be a regular expression in any dialect.

/// Whether a pattern has a mistake that every dialect refuses: brackets that do not match, a
/// backslash at the end, or a repetition of nothing.
pub(super) fn is_broken(pattern: &str) -> bool {
    let mut groups = 0_usize;
    let mut class: Option<usize> = None;
    let mut repeats = false;
    let mut characters = pattern.chars().peekable();
    while let Some(c) = characters.next() {
        if let Some(length) = class.as_mut() {
            match c {
                '\\' if characters.next().is_none() => return true,
                // Python reads a bracket at the beginning as a member, others as the end.
                ']' if *length > 0 => (class, repeats) = (None, true),
                '^' if *length == 0 => {}
                _ => *length += 1,
            }
            continue;
        }
        match c {
            '\\' if characters.next().is_none() => return true,
            '[' => class = Some(0),
            '(' => {
                groups += 1;
                repeats = false;
                // What follows is part of the group's kind, and repeats nothing.
                characters.next_if_eq(&'?');
            }
            ')' => match groups.checked_sub(1) {
                Some(left) => (groups, repeats) = (left, true),
                None => return true,
            },
            '|' => repeats = false,
            '*' | '+' | '?' if !repeats => return true,
            // A second one makes the first lazy or possessive.
            '*' | '+' | '?' => {
                characters.next_if(|next| matches!(next, '?' | '+'));
            }
            _ => repeats = true,
        }
    }
    groups > 0 || class.is_some()
}

#[cfg(test)]
mod tests {
    use super::is_broken;

    #[test]
    fn patterns_that_no_dialect_reads_are_broken() {
        for pattern in
            ["[", "[a", "(", "(a", "a)", "\\", "*a", "+", "?", "a|*", "(*a)", "[^", "a\\"]
        {
            assert!(is_broken(pattern), "{pattern}");
        }
        for pattern in [
            "",
            "^a$",
            "[a-z]+",
            "(?:a|b)*?",
            "(?<name>a)",
            "(?=a)",
            r"\[",
            r"[\]]",
            "[]a]",
            "a{2,3}",
            "a++",
            "^(a|b)?$",
            r"\d+",
            "a||b",
            "[^]a]",
            r"^\p{L}*$",
        ] {
            assert!(!is_broken(pattern), "{pattern}");
        }
    }
}
