//! Whether a text that stands inside another one is prose.

/// Characters and words below which no sentence is worth leaving out.
const CHARACTERS: usize = 100;
const WORDS: usize = 12;
/// Letters of scripts that part no words.
const WIDE: usize = 40;

/// Whether a text is sentences of words, at least two of them. Commands, code, addresses, digests
/// and lists of values are none: what they are made of is not letters.
pub(super) fn is_prose(text: &str) -> bool {
    let text = text.trim();
    if text.len() < CHARACTERS || text.starts_with("#!") || text.starts_with("-----BEGIN ") {
        return false;
    }
    let mut seen = Seen::default();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        // Most of any text are letters that follow each other.
        let run = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        rest = rest.get(run.max(letter.len_utf8())..).unwrap_or_default();
        if run > 0 {
            seen.letters(run, rest.is_empty());
        } else {
            seen.take(letter, rest.chars().next());
        }
    }
    let is_wide = seen.wide >= WIDE;
    seen.sentences >= 2
        && (is_wide || seen.all >= CHARACTERS && seen.words >= WORDS)
        && seen.code * 30 <= seen.all
        && (seen.plain + seen.words) * 100 >= seen.all * 85
        && (is_wide || seen.words >= 4 * seen.lines)
}

#[derive(Default)]
struct Seen {
    all: usize,
    /// Letters.
    plain: usize,
    /// Letters of scripts that part no words.
    wide: usize,
    /// Marks that code is full of.
    code: usize,
    words: usize,
    lines: usize,
    sentences: usize,
    in_word: bool,
    in_line: bool,
}

impl Seen {
    /// A run of ASCII letters.
    fn letters(&mut self, count: usize, is_last: bool) {
        self.all += count;
        self.plain += count;
        self.begin();
        self.sentences += usize::from(is_last);
    }

    fn begin(&mut self) {
        self.words += usize::from(!std::mem::replace(&mut self.in_word, true));
        self.lines += usize::from(!std::mem::replace(&mut self.in_line, true));
    }

    fn take(&mut self, letter: char, next: Option<char>) {
        let ends = next.is_none_or(|next| next.is_whitespace() || matches!(next, '"' | '\'' | ')'));
        if letter.is_whitespace() {
            self.in_word = false;
            self.in_line &= letter != '\n';
            // Indentation says nothing.
            self.all += usize::from(letter == ' ' && !next.is_some_and(char::is_whitespace));
            return;
        }
        self.all += 1;
        self.begin();
        match letter {
            _ if letter.is_alphabetic() => {
                self.plain += 1;
                self.wide += usize::from(('\u{0e00}'..'\u{ac00}').contains(&letter));
            }
            '{' | '}' | '[' | ']' | '<' | '>' | '=' | '|' | '\\' | ';' | '$' | '*' | '_' | '`'
            | '#' | '@' | '^' | '~' | '&' | '/' => self.code += 1,
            '.' | '!' | '?' => self.sentences += usize::from(ends && next.is_some()),
            '。' | '！' | '？' => {
                self.sentences += usize::from(next.is_some());
                self.plain += 1;
            }
            _ => {}
        }
        // The last sentence, whether it ends or not.
        self.sentences += usize::from(next.is_none());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_prose() {
        for text in [
            "The pump runs in the morning and in the evening. It is checked by hand, and whoever checks it writes the hour into the book.",
            "The service keeps 3 copies (of 2.5 GB each) for every client, and\n    never more. See the manual of the storage team if that is not enough.",
            "每天早上和晚上都要检查水泵，检查的人要把时间写在本子上。如果水泵停了，就要打电话给值班的人，并且把阀门关上，等他来了再说。",
        ] {
            assert!(is_prose(text), "{text}");
        }
    }

    #[test]
    fn what_is_no_sentence_is_none() {
        for text in [
            "A short one. And another.",
            "One sentence that goes on and on, past every comma, and that says nothing which could be left out without its sense being lost",
            "registry.example.com/shop/lamp@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "#!/bin/sh\nset -e\necho \"It is done. Really it is.\"\nfor f in a b c; do cp \"$f\" /tmp/; done\nexit 0\n# The end. Of it all. And more words here.",
            "kubectl get pods --all-namespaces -o json | jq '.items[] | .metadata.name' > pods.txt && cat pods.txt. Then wc -l pods.txt.",
            "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\nRTESMBAGA1UEChMJQmFsdGltb3JlMRMwEQYDVQQLEwpDeWJlclRydXN0",
            "alpha\nbeta\ngamma\ndelta\nepsilon.\nzeta\neta\ntheta\niota\nkappa.\nlambda\nmu\nnu\nxi\nomicron\npi\nrho\nsigma\ntau\nupsilon\nphi\nchi\npsi",
        ] {
            assert!(!is_prose(text), "{text}");
        }
    }
}
