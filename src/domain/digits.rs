//! Numbers for readers.

/// Formats a number with a comma between every three digits.
pub fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes how many there are of something: `1 message`, `1,204 messages`. `noun`: of one, with a
/// plural that ends in `s`.
pub fn counted(number: u64, noun: &str) -> String {
    counted_as(number, noun, &format!("{noun}s"))
}

/// The same, for a noun with another plural.
pub fn counted_as(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", group_digits(number), if number == 1 { one } else { several })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_no_plural() {
        let found = [0, 1, 2, 1_204].map(|number| counted(number, "message"));
        assert_eq!(found, ["0 messages", "1 message", "2 messages", "1,204 messages"]);
        assert_eq!(counted_as(1, "entry", "entries"), "1 entry");
        assert_eq!(counted_as(2, "entry", "entries"), "2 entries");
    }
}
