//! Values of what hooks return: a text is read when it is checked, and its value used if the text
//! is accepted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Reads payloads or typed answers at one place, each once.
///
/// A valid text need not be accepted: a later hook may replace it, and a hook that is only audited
/// changes nothing. So the value of every valid text is kept until the accepted one is known.
#[derive(Debug)]
pub struct AnswerReader<T, F> {
    read: F,
    values: Mutex<Vec<(Arc<str>, T)>>,
}

impl<T, F: Fn(&str) -> Result<T, String>> AnswerReader<T, F> {
    /// With the function that reads a text, or says what is wrong with it.
    pub const fn new(read: F) -> Self {
        Self { read, values: Mutex::new(Vec::new()) }
    }

    /// Validates a text, as [`super::PayloadCheck`] does, and keeps its value.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn check(&self, text: &str) -> Result<(), String> {
        let value = (self.read)(text)?;
        self.values().push((text.into(), value));
        Ok(())
    }

    /// Takes the value of a text that was valid.
    pub fn take(&self, text: &str) -> Option<T> {
        let mut values = self.values();
        let at = values.iter().rposition(|(known, _)| **known == *text)?;
        Some(values.swap_remove(at).1)
    }

    fn values(&self) -> MutexGuard<'_, Vec<(Arc<str>, T)>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn the_value_of_the_accepted_text_is_taken_and_nothing_is_read_twice() {
        let count = Cell::new(0);
        let reader = AnswerReader::new(|text: &str| {
            count.set(count.get() + 1);
            text.parse::<u8>().map_err(|error| error.to_string())
        });
        assert_eq!(reader.check("1"), Ok(()));
        assert!(reader.check("x").is_err());
        assert_eq!(reader.check("2"), Ok(()));
        assert_eq!(reader.take("1"), Some(1));
        assert_eq!(reader.take("1"), None);
        assert_eq!(reader.take("x"), None);
        assert_eq!(reader.take("2"), Some(2));
        assert_eq!(count.get(), 3);
    }
}
