//! Tells sentences from lines of code and data.

/// Whether a line says something to a person: words, or a figure with its name, and no code.
pub(super) fn is_statement(line: &str) -> bool {
    /// Letters of scripts that put no blanks between words.
    const MIN_UNSPACED_LETTERS: usize = 8;
    const MIN_WORDS: usize = 3;
    const MAX_FIGURE_PIECES: usize = 6;
    if is_code(line) {
        return false;
    }
    let is_unspaced = |letter: &char| letter.is_alphabetic() && *letter >= '\u{0e00}';
    if line.chars().filter(is_unspaced).take(MIN_UNSPACED_LETTERS).count() == MIN_UNSPACED_LETTERS {
        return true;
    }
    let (mut words, mut all) = (0_usize, 0_usize);
    for piece in line.split_whitespace() {
        all += 1;
        words += usize::from(is_word(piece));
    }
    let is_sentence = words >= MIN_WORDS && words * 2 >= all;
    let is_figure = || {
        (2..=MAX_FIGURE_PIECES).contains(&all)
            && words > 0
            && line.bytes().any(|byte| byte.is_ascii_digit())
            && !line.contains(['{', '}', '[', ']', '(', ')', '<', '>', '=', '"', '│', '|'])
            && !line.starts_with(|sign: char| sign.is_ascii_digit())
    };
    is_sentence || is_figure()
}

/// Whether a line reports an error to a person: it is no code, or it has the words of a message.
pub(super) fn is_report(line: &str) -> bool {
    !is_code(line) || has_message(line)
}

/// Whether a line quotes two words or more.
fn has_message(line: &str) -> bool {
    let quoted = line.split(['"', '\'', '`']).skip(1).step_by(2);
    let mut found =
        quoted.map(|text| text.split_whitespace().filter(|piece| is_word(piece)).count());
    found.any(|words| words > 1)
}

/// Whether a line is one of code, data or a drawing on a terminal: it would mean nothing without its
/// neighbours.
fn is_code(line: &str) -> bool {
    let line = line.trim();
    let body = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let body = body.trim_start_matches([':', '|', '\t', ' ', '│']);
    line.contains('\u{1b}')
        || line.ends_with(['{', '(', '[', ';', ',', '<', '\\'])
        || body.starts_with(['"', '}', ']', ')', '<', '{'])
        || body.starts_with("//")
        || [" = ", " => ", "();", "->"].iter().any(|sign| line.contains(sign))
}

/// A word of letters, with the marks that sentences put around words.
fn is_word(piece: &str) -> bool {
    let bare = piece.trim_matches(|sign: char| ".,:;!?()\"'*_`…—".contains(sign));
    let is_letter = |letter: char| letter.is_alphabetic() || letter == '\'' || letter == '-';
    bare.chars().filter(|letter| letter.is_alphabetic()).take(2).count() == 2
        && bare.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_statements_and_code_is_none() {
        for line in [
            "No remote sync, no transactions: writes from two processes would corrupt the file.",
            "| Build | `npm run build` | TypeScript compiles to `dist/` without errors |",
            "- Task is approved and waits for the write-back.",
            "Das Modul fehlt in `src/a.rs`",
            "設定ファイルが見つかりません",
            "exit code: 137",
        ] {
            assert!(is_statement(line), "{line}");
        }
        for line in [
            "105 \"allOf\": [",
            "  153 },",
            "if (!from || !to) throw new Error(`Node not found`);",
            "1505: mapping_type = dict",
            "self.io.tool_output(",
            "\"written_at\": \"2026-06-05T19:23:11.000Z\",",
            "\u{1b}[38;2;200;230;255m✦ these are some words",
            "<canvas id=\"blame\" width=\"800\"></canvas>",
            "4711",
        ] {
            assert!(!is_statement(line), "{line}");
        }
    }
    #[test]
    fn code_with_a_message_reports_it() {
        assert!(is_report("error[E0308]: mismatched types"));
        assert!(is_report("if (!from) throw new Error(`Node not found`);"));
        assert!(!is_report("throw err;"));
        assert!(!is_report("\"review-failed\","));
    }
}
