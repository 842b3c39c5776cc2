//! Objects that are written member by member: [`ObjectText`].

use super::write_string;

/// The JSON text of an object whose values are JSON texts already.
#[derive(Debug, Default)]
pub struct ObjectText(String);

impl ObjectText {
    /// Adds a member; `value` is its JSON text.
    pub fn member(&mut self, key: &str, value: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        write_string(&mut self.0, key);
        self.0.push(':');
        self.0.push_str(value);
    }

    pub fn finish(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}
