use proptest::prelude::*;

use super::super::*;
use crate::compress::adapter::trial::{apply, atoms_are_whole, cuts, shortened};
use crate::compress::segment::segment;

const DOCUMENT: &str = "\
---
title: The stock service
---

# The stock service

The stock service knows how many pieces of every article lie in which hall. It was written because the
old spreadsheet could only be opened by one person at a time. People were unhappy about that for years,
and nobody had the time to do something about it. Today it answers about 300 requests per second.

See the [list of articles](https://example.org/articles?sort=name) and the [notes][notes].

## Installation

The service is one binary. It reads its settings from `stock.toml` and from the environment. You must
create the database before you start it for the first time. Some people like to run it in a container,
others put it behind a proxy of their own. Both work equally well in our experience, and we have no
opinion about which of them is nicer to look after.

```bash
stock migrate --database stock.db
stock serve   # listens on 8099
```

| setting | default |
|---------|---------|
| `port`  | 8099    |
| `halls` | 3       |

## Daily work

- Open the page of the hall.
- Count the pieces.
- When the numbers differ, write a note that says who counted and when it was done. It helps a lot when
  somebody asks about it weeks later. A photograph is welcome too, but it is not needed. The note is
  shown on the page of the article for 90 days.

The numbers are copied to the archive every night at 02:30. The copy takes about four minutes. Nobody has
to be there while it runs. If the copy fails, a mail goes to stock-team@example.org and the old copy stays
where it is. There is a button that starts the copy by hand, it is at the bottom of the page.

[notes]: https://example.org/notes
";

#[test]
fn a_document_shrinks_below_its_headings() {
    let shown = shortened(&MarkdownAdapter, DOCUMENT).unwrap();
    assert!(shown.len() * 10 < DOCUMENT.len() * 8, "{shown}");
    for stays in [
        "---\ntitle: The stock service\n---\n\n# The stock service\n",
        "[list of articles](https://example.org/articles?sort=name)",
        "[notes]: https://example.org/notes",
        "You must\ncreate the database before you start it for the first time.",
        "```bash\nstock migrate --database stock.db\nstock serve   # listens on 8099\n```\n\n| setting",
        "| `halls` | 3       |\n\n## Daily work\n\n- Open the page of the hall.\n- Count the pieces.\n- ",
        "[…]",
    ] {
        assert!(shown.contains(stays), "{stays} is not in {shown}");
    }
}

#[test]
fn every_section_says_something() {
    let section = "The first words tell what it is about. The second sentence goes into detail about it. \
                   The third one adds what the second one left out. The last one is an afterthought.\n\n";
    let parts = (0..9).map(|at| format!("## Part {at}\n\nThis is part {at}. {section}"));
    let text = parts.collect::<Vec<_>>().concat();
    let shown = shortened(&MarkdownAdapter, &text).unwrap();
    for at in 0..9 {
        assert!(shown.contains(&format!("## Part {at}\n\nThis is part {at}.")), "{shown}");
    }
}

#[test]
fn what_is_no_document_is_left_to_others() {
    let detects = |text: &str| MarkdownAdapter.detects(Part::new(text, &segment(text)));
    let words = "Some words that stand for many others. ".repeat(8);
    assert!(detects(&format!("# One\n\n{words}\n\n# Two\n\n{words}")));
    assert!(detects(&format!("One\n===\n\n{words}\n\nTwo\n---\n\n{words}")));
    assert!(!detects(&format!("# One\n\n{words}")));
    assert!(!detects(&format!("{words}\n\n---\n\n{words}\n\n---\n\n{words}")));
    assert!(!detects("# One\n\n# Two\n"));
    let log = "2024-01-02 03:04:05 INFO took job 17 from the queue\n".repeat(40);
    assert!(!detects(&format!("# One\n\n{words}\n\n# Two\n\n{log}")));
}

#[test]
fn what_a_backtick_keeps_from_being_a_fence_stays_none() {
    let words = "These are words that say little and go on for a while. ".repeat(6);
    let line = "``` reads src/a_b.rs:4711 and E0308. A single ` stands behind it. And so on.";
    let text = format!("# One\n\n{words}\n{line} {words}\n\n# Two\n\n{words}\n");
    let shown = shortened(&MarkdownAdapter, &text).unwrap();
    assert!(shown.len() * 10 < text.len() * 8, "{shown}");
    assert!(!shown.contains("a_b.rs") || shown.contains("A single ` stands"), "{shown}");
}

#[test]
fn what_stands_right_below_a_table_does_not_become_a_row() {
    // `~` stands for a character that cannot be read.
    let text = "~y_fl\n#\nt~~~~~\n\n#\n   o\n\na|~\n-|-\nl~~\0xo~\n  |\n8~~~~~\0\0~~~~~~~~~~~~~~~~s.~~~~~~~~~\u{7}.~~~~~~~\u{11}s.~~~~~~~~~\u{7}."
        .replace('~', "\u{fffd}");
    let shown = apply(&text, &cuts(&MarkdownAdapter, &text));
    assert!(MarkdownAdapter.holds(&text, &shown), "{shown}");
}

#[test]
fn hostile_texts_take_linear_time() {
    for piece in [
        "a", " ", "[", "#", "`", "*", "# a\n\n", "> ", "- ", "```\n", "\n- a", "![", "<", "|",
        "a. B ", "_a", "](",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let shown = apply(&text, &cuts(&MarkdownAdapter, &text));
        assert!(MarkdownAdapter.holds(&text, &shown), "{piece}");
    }
}

#[test]
fn what_loses_structure_does_not_hold() {
    for (from, to) in [
        ("## Daily work", "[…]"),
        ("port`  | 8099", "port`  | 8098"),
        ("stock.db", "[…]"),
        ("- Count the pieces.\n", ""),
        ("title: The", "title: […]"),
        ("[notes]: https://example.org/notes", "[…]"),
    ] {
        assert!(!MarkdownAdapter.holds(DOCUMENT, &DOCUMENT.replacen(from, to, 1)), "{from}");
    }
}

pub(in super::super) fn documents() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "# Head",
        "Head\n----",
        "The report lists every order that was placed after noon.",
        "It must never be sent to 10.0.0.7 before the job_runner ends.",
        "Great. See [it](https://example.org/a.b?c=1 \"It. Is.\") for more.",
        "**He said. It was.** And `a. B` left.",
        "- one item\n- another one. It is long enough to be two sentences, and it goes on for quite a while \
         so that it may shrink. It says 4711 and no more. The rest of it is an afterthought of the writer.",
        "> quoted words. They go on\n> over lines. And on.",
        "| a | b |\n|---|---|\n| 1. A | 2 |",
        "```\ncode. It is.\n",
        "````rs\n```\ncode. It is.\n````",
        "~~~\nx\n~~~",
        "1. one\n\n   ```\n   x\n   ```\n",
        "    indented. Code.",
        "<div>\nhtml. It is.\n</div>",
        "---",
        "[a]: https://example.org",
        "![img](x.png)",
        "It has a ` in it. And a `` too. Then it ends.",
        "There is ``` in it. Another word follows. And on.",
        "`a. B `` c. D` and `e.",
        "- [ ] task",
        "\n",
        "\n\n",
        " ",
        "2. two",
        "# ",
        "[…]",
    ]);
    prop::collection::vec((piece, prop::sample::select(vec![" ", "\n", "\n\n"])), 0..30)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, end)| [piece, end]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn headings_fences_and_tables_stay(text in documents()) {
        let made = cuts(&MarkdownAdapter, &text);
        atoms_are_whole(&text, &made);
        let shown = apply(&text, &made);
        prop_assert!(MarkdownAdapter.holds(&text, &shown), "{:?} became {:?}", text, shown);
        let again = apply(&shown, &cuts(&MarkdownAdapter, &shown));
        prop_assert!(MarkdownAdapter.holds(&shown, &again), "{:?} became {:?}", shown, again);
    }

    #[test]
    fn any_text_is_read(text in "(\\PC|[\n#>*`|\\[\\]()_-]| |\\. |\n\n){0,200}") {
        let made = cuts(&MarkdownAdapter, &text);
        let shown = apply(&text, &made);
        prop_assert!(shown.len() <= text.len());
    }
}
