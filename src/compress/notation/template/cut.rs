//! Where words that differ are cut, so that what they share stands in the form.

/// The runs of words, column by column, where all have the same signs and more than one run.
pub(super) fn columns<'a>(first: &'a str, words: &[&'a str]) -> Option<Vec<Vec<&'a str>>> {
    // The sign that each head is; none for a run.
    let heads: Vec<Option<u8>> =
        runs(first).map(|head| head.bytes().next().filter(|_| !is_run(head))).collect();
    if heads.len() < 2 {
        return None;
    }
    let mut columns: Vec<Vec<&'a str>> = heads.iter().map(|_| Vec::new()).collect();
    for (row, word) in words.iter().enumerate() {
        let bytes = word.as_bytes();
        let mut at = 0;
        for (column, head) in columns.iter_mut().zip(&heads) {
            let start = at;
            match head {
                // A sign that is not the same in all lines: another shape.
                Some(sign) if bytes.get(at) == Some(sign) => at += 1,
                Some(_) => return None,
                None => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    at += rest.iter().take_while(|byte| is_run_byte(**byte)).count();
                }
            }
            let run = word.get(start..at).filter(|run| !run.is_empty())?;
            // The first few words mostly tell another shape.
            if row == FEW {
                column.reserve_exact(words.len() - row);
            }
            column.push(run);
        }
        if at < bytes.len() {
            return None;
        }
    }
    Some(columns)
}

/// Values after which room is made for all.
const FEW: usize = 4;

/// Runs of letters, digits and `_`, and single other characters.
pub(super) fn runs(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let length = rest.bytes().take_while(|byte| is_run_byte(*byte)).count();
        let (run, after) = rest.split_at_checked(length.max(1).min(rest.len()))?;
        rest = after;
        (!run.is_empty()).then_some(run)
    })
}

#[inline]
pub(super) fn is_run_byte(byte: u8) -> bool {
    /// One look instead of five comparisons.
    const RUN: [bool; 256] = {
        let mut run = [false; 256];
        let mut rest: &mut [bool] = &mut run;
        let mut byte = 0u8;
        while let Some((is_run, after)) = rest.split_first_mut() {
            *is_run = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
            rest = after;
            byte = byte.wrapping_add(1);
        }
        run
    };
    RUN.get(usize::from(byte)).copied().unwrap_or(false)
}

pub(super) fn is_run(run: &str) -> bool {
    run.bytes().next().is_some_and(is_run_byte)
}

pub(super) fn common_end(a: &str, b: &str) -> usize {
    a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count()
}

/// Shrinks a cut that parts digits, unless that leaves them fewer groups of three and they do not
/// stay the same anyway.
pub(super) fn digit_border(values: &[&str], length: usize) -> usize {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(first) = values.first().map(|first| first.as_bytes()) else { return 0 };
    let held = first.iter().take(length).rev().take_while(|byte| is_digit(byte)).count();
    let run =
        |value: &[u8]| value.iter().skip(length - held).take_while(|byte| is_digit(byte)).count();
    let all = run(first);
    if held == 0 || all == held {
        return length;
    }
    let even = values.iter().all(|value| run(value.as_bytes()) == all);
    let changes = values.windows(2).filter(|pair| matches!(pair, [a, b] if a != b)).count();
    let fewer = (all - held).div_ceil(3) < all.div_ceil(3);
    if even && fewer && changes * 2 > values.len() { length } else { length - held }
}

/// Shrinks a cut of `length` bytes until it parts no letters and no character, in any value.
pub(super) fn border(
    values: &[&str],
    length: usize,
    digits_too: bool,
    place: impl Fn(&str, usize) -> Option<usize>,
) -> usize {
    let parts_word = |value: &str, length: usize| {
        let Some(at) = place(value, length) else { return true };
        let is_letter = |at: usize| {
            value.as_bytes().get(at).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80)
        };
        let is_digit = |at: usize| value.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
        at > 0
            && (is_letter(at - 1) && is_letter(at)
                || digits_too && is_digit(at - 1) && is_digit(at))
    };
    let Some(first) = values.first() else { return 0 };
    let mut length = length;
    while length > 0 && values.iter().any(|value| parts_word(value, length)) {
        // All values agree up to here, so the letters before the cut are the same in all.
        length -= 1;
        while length > 0 && parts_word(first, length) {
            length -= 1;
        }
    }
    length
}
