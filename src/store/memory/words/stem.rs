//! Porter's stemmer (An algorithm for suffix stripping, 1980), as FTS5's `porter` applies it.

/// Words that are shorter or longer are not stemmed.
const MIN_WORD_BYTES: usize = 3;
const MAX_WORD_BYTES: usize = 64;

type StemRule = (&'static str, &'static str);

const STEP_2: &[StemRule] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("logi", "log"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const STEP_3: &[StemRule] = &[
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const STEP_4: &[&str] = &[
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
];

/// The stem of a word in lower case.
pub(super) fn stem(word: &str) -> String {
    if !(MIN_WORD_BYTES..=MAX_WORD_BYTES).contains(&word.len()) {
        return word.to_owned();
    }
    let mut word = word.to_owned();
    strip_plural(&mut word);
    strip_past(&mut word);
    if let Some(stem) = word.strip_suffix('y').filter(|stem| has_vowel(stem)) {
        word = format!("{stem}i");
    }
    replace(&mut word, STEP_2);
    replace(&mut word, STEP_3);
    strip_derived(&mut word);
    last_e(&mut word);
    word
}

/// Step 1a.
fn strip_plural(word: &mut String) {
    let cut = if stem_of(word, "sses").or_else(|| stem_of(word, "ies")).is_some() {
        2
    } else {
        usize::from(word.ends_with('s') && !word.ends_with("ss"))
    };
    word.truncate(word.len() - cut);
}

/// Step 1b.
fn strip_past(word: &mut String) {
    if let Some(stem) = stem_of(word, "eed") {
        if measure(stem) > 0 {
            word.pop();
        }
        return;
    }
    let stem = stem_of(word, "ed").or_else(|| stem_of(word, "ing"));
    let Some(length) = stem.filter(|stem| has_vowel(stem)).map(str::len) else { return };
    word.truncate(length);
    if ["at", "bl", "iz"].iter().any(|end| word.ends_with(end)) {
        word.push('e');
    } else if ends_double(word) && !word.ends_with(['l', 's', 'z']) {
        word.pop();
    } else if measure(word) == 1 && ends_short(word) {
        word.push('e');
    }
}

/// Steps 2 and 3: applies the rule with the longest ending that the word has.
fn replace(word: &mut String, rules: &[StemRule]) {
    let fits = rules.iter().filter(|(end, _)| word.ends_with(end));
    let Some((end, by)) = fits.max_by_key(|(end, _)| end.len()) else { return };
    if let Some(stem) = stem_of(word, end).filter(|stem| measure(stem) > 0) {
        *word = format!("{stem}{by}");
    }
}

/// Step 4.
fn strip_derived(word: &mut String) {
    let fits = STEP_4.iter().filter(|end| word.ends_with(**end));
    let Some(end) = fits.max_by_key(|end| end.len()) else { return };
    let Some(stem) = stem_of(word, end).filter(|stem| measure(stem) > 1) else { return };
    if *end != "ion" || stem.ends_with(['s', 't']) {
        word.truncate(stem.len());
    }
}

/// Step 5.
fn last_e(word: &mut String) {
    if let Some(stem) = stem_of(word, "e")
        && (measure(stem) > 1 || (measure(stem) == 1 && !ends_short(stem)))
    {
        word.pop();
    }
    if word.ends_with("ll") && measure(word) > 1 {
        word.pop();
    }
}

/// The word without an ending; `None` if the ending is all of it, or not there.
fn stem_of<'w>(word: &'w str, end: &str) -> Option<&'w str> {
    word.strip_suffix(end).filter(|stem| !stem.is_empty())
}

fn is_vowel(word: &[u8], at: usize) -> bool {
    match word.get(at) {
        Some(b'a' | b'e' | b'i' | b'o' | b'u') => true,
        // After a consonant.
        Some(b'y') => at > 0 && !is_vowel(word, at - 1),
        _ => false,
    }
}

fn has_vowel(stem: &str) -> bool {
    (0..stem.len()).any(|at| is_vowel(stem.as_bytes(), at))
}

/// The measure of Porter's algorithm: how often a consonant follows a vowel.
fn measure(stem: &str) -> usize {
    let bytes = stem.as_bytes();
    (1..bytes.len()).filter(|at| !is_vowel(bytes, *at) && is_vowel(bytes, at - 1)).count()
}

/// Whether the word ends in a double consonant. Here FTS5 counts `y` as a consonant in any
/// position.
fn ends_double(word: &str) -> bool {
    match word.as_bytes() {
        [.., a, b] => a == b && !matches!(b, b'a' | b'e' | b'i' | b'o' | b'u'),
        _ => false,
    }
}

/// Consonant, vowel, consonant that is none of `w`, `x` and `y`.
fn ends_short(word: &str) -> bool {
    let bytes = word.as_bytes();
    let Some(last) = bytes.len().checked_sub(1).filter(|last| *last >= 2) else { return false };
    !is_vowel(bytes, last)
        && is_vowel(bytes, last - 1)
        && !is_vowel(bytes, last - 2)
        && !word.ends_with(['w', 'x', 'y'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusqlite::Connection;

    use super::*;

    /// Words as FTS5 stems them.
    fn theirs(words: &[String]) -> Vec<String> {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE VIRTUAL TABLE words USING fts5 (word, tokenize = 'porter unicode61');
                 CREATE VIRTUAL TABLE terms USING fts5vocab (words, 'instance');",
            )
            .unwrap();
        for word in words {
            connection.execute("INSERT INTO words VALUES (?1)", [word]).unwrap();
        }
        let mut select = connection.prepare("SELECT term FROM terms ORDER BY doc").unwrap();
        let found = select.query_map([], |row| row.get(0)).unwrap();
        found.collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn words_have_the_stems_that_fts5_gives_them() {
        let text = "caresses ponies ties caress cats feed agreed plastered bled motoring sing \
            conflated troubled sized hopping tanned falling hissing fizzed failing filing happy sky \
            relational conditional rational valenci digitizer conformabli radicalli differentli \
            vileli analogousli vietnamization predication operator feudalism decisiveness hopefulness \
            callousness formaliti sensitiviti sensibiliti triplicate formative formalize electriciti \
            electrical hopeful goodness revival allowance inference airliner gyroscopic adjustable \
            defensible irritant replacement adjustment dependent adoption homologou communism activate \
            angulariti homologous effective bowdlerize probate rate cease controll roll deploying \
            deployment deployed databases running services analogies theologi as yes is us eed bed \
            ing king die dying employees being yying ies sses";
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let ours: Vec<String> = words.iter().map(|word| stem(word)).collect();
        assert_eq!(ours, theirs(&words));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn any_word_has_the_stem_that_fts5_gives_it(
            begin in "[a-z]{1,6}",
            end in prop::sample::select(vec![
                "", "s", "ies", "eed", "ing", "ed", "y", "ational", "alli", "iviti", "icate", "ness",
                "ement", "ion", "ou", "ll", "e", "logi", "bli", "ization", "ative", "ical", "ate",
            ]),
        ) {
            let word = format!("{begin}{end}");
            prop_assert_eq!(vec![stem(&word)], theirs(&[word]));
        }
    }
}
